//! One walk over the tree. It knows where it is (in a function, in a `try`, in a loop) and hands what it meets to the
//! files beside this one.

use super::bindings::{self, Bindings};
use super::call::Call;
use super::effort::Loops;
use super::gpu::Cards;
use super::names::Names;
use super::parse::Source;
use super::random::Random;
use super::variables::Variables;
use super::{arguments, commands, effort, files, imports, network, screen, service};
use actum_model::{ImportKind, Reading, Sign};
use ruff_python_ast::visitor::{Visitor, walk_comprehension, walk_expr, walk_stmt};
use ruff_python_ast::{Comprehension, ElifElseClause, ExceptHandler, Expr, Stmt, StmtIf, StmtTry};
use ruff_text_size::Ranged;

/// Goes over the whole tree once.
pub(super) fn walk(source: &Source, bindings: &Bindings<'_>, reading: &mut Reading) {
    let mut walk = Walk {
        source,
        bindings,
        reading,
        place: Place::default(),
        names: Names::default(),
        random: Random::default(),
        cards: Cards::default(),
        variables: Variables::default(),
        argument_count_is_checked: false,
    };
    walk.visit_body(source.body());
    let Walk { names, random, cards, variables, argument_count_is_checked, .. } = walk;
    names.finish(reading);
    random.finish(reading);
    variables.finish(reading);
    cards.finish(reading);
    if argument_count_is_checked {
        arguments::positions_are_optional(reading);
    }
    network::finish(reading);
}

/// Where in the program the walk is.
#[derive(Debug, Default)]
pub(super) struct Place<'a> {
    /// Functions around this place.
    functions: u32,
    /// Functions of the kind that may await.
    async_functions: u32,
    /// Around this place, `try` blocks that catch a failing import, and questions for the version or the system.
    caught: u32,
    /// `try` blocks around this place that catch a missing attribute.
    has_way_without: u32,
    /// `if TYPE_CHECKING:` around this place.
    types: u32,
    loops: Loops,
    /// Names that the functions around this place take as parameters.
    parameters: Vec<&'a str>,
}

impl Place<'_> {
    pub(super) fn import_kind(&self) -> ImportKind {
        match self {
            Place { types: 1.., .. } => ImportKind::TypeOnly,
            Place { caught: 1.., .. } => ImportKind::Optional,
            Place { functions: 1.., .. } => ImportKind::Lazy,
            Place { .. } => ImportKind::Plain,
        }
    }
}

struct Walk<'a, 'r> {
    source: &'a Source,
    bindings: &'a Bindings<'a>,
    reading: &'r mut Reading,
    place: Place<'a>,
    names: Names,
    random: Random,
    cards: Cards,
    variables: Variables,
    argument_count_is_checked: bool,
}

impl<'a> Walk<'a, '_> {
    fn call(&mut self, call: &Call<'a>) {
        self.names.of_call(call, self.is_open(&call.call.func));
        self.random.of_call(call);
        self.cards.of_call(call);
        self.variables.of_call(call);
        imports::of_call(call, self.reading);
        files::of_call(call, self.reading);
        arguments::of_call(call, self.reading);
        commands::of_call(call, self.reading);
        network::of_call(call, self.reading);
        screen::of_call(call, self.reading);
        service::of_call(call, self.reading);
        effort::of_call(call, &self.place.loops, self.reading);
        let reads_stdin = matches!(call.plain(), "input" | "raw_input")
            || matches!(
                call.imported(),
                "fileinput.input" | "getpass.getpass" | "click.prompt" | "click.confirm"
            );
        if reads_stdin && !self.bindings.has(call.plain()) {
            self.reads_stdin(&call.shown(), call.line);
        }
        let counts = call.plain() == "len"
            && call.argument(0).and_then(|one| self.bindings.imported(one)).as_deref() == Some("sys.argv");
        self.argument_count_is_checked |= counts;
    }

    /// Whether it is open what the name is that an expression begins with: a parameter, or imported from two places. So it
    /// is also where the program itself has a way without what it names.
    fn is_open(&self, expression: &Expr) -> bool {
        let is_parameter = |name: &str| self.place.parameters.contains(&name);
        self.place.has_way_without > 0
            || bindings::root(expression).is_some_and(is_parameter)
            || self.bindings.is_ambiguous(expression)
    }

    fn reads_stdin(&mut self, what: &str, line: u32) {
        self.reading.stdin.get_or_insert_with(|| Sign { what: what.to_owned(), line });
    }

    fn named(&mut self, expression: &'a Expr, line: u32) {
        let Some(name) = self.bindings.imported(expression) else { return };
        if name == "sys.stdin" {
            self.reads_stdin("sys.stdin", line);
        }
    }

    fn conditional(&mut self, statement: &'a StmtIf) {
        self.visit_expr(&statement.test);
        let for_types = imports::is_type_checking(&statement.test, self.bindings);
        let for_versions = imports::asks_for_version(&statement.test, self.bindings);
        self.place.caught += u32::from(for_versions);
        self.place.types += u32::from(for_types);
        self.visit_body(&statement.body);
        self.place.types -= u32::from(for_types);
        for clause in &statement.elif_else_clauses {
            self.visit_elif_else_clause(clause);
        }
        self.place.caught -= u32::from(for_versions);
    }

    fn attempt(&mut self, statement: &'a StmtTry) {
        let catches = statement.handlers.iter().any(imports::catches_missing);
        let has_way = statement.handlers.iter().any(imports::catches_missing_attribute);
        self.place.caught += u32::from(catches);
        self.place.has_way_without += u32::from(has_way);
        self.visit_body(&statement.body);
        self.place.has_way_without -= u32::from(has_way);
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            if let Some(kind) = &handler.type_ {
                self.visit_expr(kind);
            }
            self.visit_body(&handler.body);
        }
        self.place.caught -= u32::from(catches);
        self.visit_body(&statement.orelse);
        self.visit_body(&statement.finalbody);
    }

    fn function(&mut self, statement: &'a Stmt, function: &'a ruff_python_ast::StmtFunctionDef) {
        let before = self.place.parameters.len();
        self.place.parameters.extend(function.parameters.iter().map(|parameter| parameter.name().as_str()));
        self.place.functions += 1;
        self.place.async_functions += u32::from(function.is_async);
        // A function's loops run when it is called, not where it stands.
        let loops = std::mem::take(&mut self.place.loops);
        walk_stmt(self, statement);
        self.place.loops = loops;
        self.place.async_functions -= u32::from(function.is_async);
        self.place.functions -= 1;
        self.place.parameters.truncate(before);
    }

    fn awaits(&mut self, line: u32) {
        if self.place.functions == 0 {
            self.reading.top_level_await.get_or_insert(line);
        }
    }
}

impl<'a> Visitor<'a> for Walk<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let line = self.source.line(statement);
        if let Stmt::Import(import) = statement {
            imports::plain(import, self.place.import_kind(), line, self.reading);
        } else if let Stmt::ImportFrom(import) = statement {
            imports::from(import, self.place.import_kind(), line, self.reading);
            // What may be missing needs no older release; what is never imported needs none at all.
            if !matches!(self.place.import_kind(), ImportKind::Optional | ImportKind::TypeOnly) {
                self.names.of_import(import, line);
            }
        } else if let Stmt::If(conditional) = statement {
            self.conditional(conditional);
        } else if let Stmt::Try(attempt) = statement {
            self.attempt(attempt);
        } else if let Stmt::FunctionDef(function) = statement {
            self.function(statement, function);
        } else if let Stmt::For(each) = statement {
            if each.is_async {
                self.awaits(line);
            }
            self.place.loops.enter(effort::rounds(&each.iter, self.bindings));
            walk_stmt(self, statement);
            effort::of_loop(&self.place.loops, line, self.reading);
            self.place.loops.leave();
        } else if let Stmt::While(repeat) = statement {
            service::of_while(repeat, line, self.reading);
            walk_stmt(self, statement);
        } else {
            if let Stmt::With(with) = statement
                && with.is_async
            {
                self.awaits(line);
            }
            walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        let line = self.source.line(expression);
        if let Expr::Call(call) = expression {
            self.call(&Call::of(call, line, self.bindings));
        } else if let Expr::Attribute(_) | Expr::Name(_) = expression {
            self.named(expression, line);
        } else if let Expr::Await(_) = expression {
            self.awaits(line);
        } else if let Expr::Subscript(subscript) = expression {
            arguments::of_subscript(subscript, line, self.bindings, self.reading);
            self.variables.of_subscript(subscript, line, self.bindings);
        } else if let Expr::Compare(compare) = expression {
            self.variables.of_compare(compare, self.bindings);
        } else if let Expr::BinOp(both) = expression {
            effort::of_repetition(both, line, self.bindings, self.reading);
        } else if let Expr::StringLiteral(literal) = expression {
            network::of_text(literal.value.to_str(), self.reading);
        } else if let Expr::FString(text) = expression {
            let first = text.value.elements().next().and_then(|element| element.as_literal());
            network::of_text(first.map_or("", |literal| &literal.value), self.reading);
        }
        self.names.of_expression(expression, line, self.bindings, self.is_open(expression));
        walk_expr(self, expression);
    }

    fn visit_elif_else_clause(&mut self, clause: &'a ElifElseClause) {
        ruff_python_ast::visitor::walk_elif_else_clause(self, clause);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        if comprehension.is_async {
            let line = self.source.lines.line_of(comprehension.range().start().to_usize());
            self.awaits(line);
        }
        walk_comprehension(self, comprehension);
    }
}

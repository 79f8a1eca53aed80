//! Parameters that a program declares, with their defaults.
//!
//! One pass in the order of the text. A library's way to declare them is a file here: `argparse`, `click` (and typer), `absl`,
//! `fields` (data classes for many libraries), `functions` (whose parameters are options), `hydra`, `names` (constants, yacs).
//! A name or flag that the program computes is left out, and a default that it computes is kept as its text.

mod absl;
mod argparse;
mod click;
mod data_sets;
mod fields;
mod functions;
mod hydra;
mod literal;
mod names;

use super::bindings::Bindings;
use super::call::Call;
use super::parse::Source;
use crate::text::beginning;
use actum_model::{DeclaredParameter, DefaultValue, Framework, ParameterKind, Reading};
use argparse::Parsers;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::Ranged;
use std::collections::{HashMap, HashSet};

/// More are not listed.
const MOST: usize = 500;

/// Texts of help, types and computed defaults are cut there.
const LONGEST: usize = 200;

/// Lists what a program declares.
pub(super) fn read(source: &Source, bindings: &Bindings<'_>, reading: &mut Reading) {
    let mut collector = Collector::of(source, bindings, reading);
    collector.visit_body(source.body());
    collector.finish();
}

/// What is collected while the tree is walked.
pub(super) struct Collector<'a, 'r> {
    source: &'a Source,
    bindings: &'a Bindings<'a>,
    reading: &'r mut Reading,
    /// Definitions at the top level, the last of each name.
    classes: HashMap<&'a str, &'a StmtClassDef>,
    functions: HashMap<&'a str, &'a StmtFunctionDef>,
    parsers: Parsers,
    typer: click::Typer,
    /// Functions that are given to `typer.run`.
    run_by_typer: HashSet<&'a str>,
    /// Subcommand and name of what is listed.
    known: HashSet<(Option<String>, String)>,
    /// A declaration whose name is computed was seen.
    computed: Option<u32>,
    has_configurator: bool,
}

impl<'a, 'r> Collector<'a, 'r> {
    fn of(source: &'a Source, bindings: &'a Bindings<'a>, reading: &'r mut Reading) -> Self {
        let body = source.body();
        let classes = body.iter().filter_map(Stmt::as_class_def_stmt).map(|one| (one.name.as_str(), one));
        let functions =
            body.iter().filter_map(Stmt::as_function_def_stmt).map(|one| (one.name.as_str(), one));
        Collector {
            source,
            bindings,
            reading,
            classes: classes.collect(),
            functions: functions.collect(),
            parsers: Parsers::default(),
            typer: click::Typer::default(),
            run_by_typer: click::run_by_typer(body, bindings),
            known: HashSet::new(),
            computed: None,
            has_configurator: false,
        }
    }

    fn finish(mut self) {
        self.parsers.finish(&mut self.reading.parameters);
        self.typer.finish(&mut self.reading.parameters);
        names::finish(&mut self);
        if let Some(line) = self.computed {
            let note = format!("a parameter in line {line} has a computed name and is not listed");
            self.reading.notes.push(note);
        }
    }

    /// Adds a parameter that is not listed yet.
    fn push(&mut self, parameter: DeclaredParameter) {
        if self.reading.parameters.len() >= MOST || parameter.name.is_empty() {
            return;
        }
        if self.known.insert((parameter.command.clone(), parameter.name.clone())) {
            self.reading.parameters.push(parameter);
        }
    }

    /// A parameter of which only the name, the kind and the place are known.
    fn parameter(
        &self,
        name: &str,
        kind: ParameterKind,
        framework: Framework,
        at: &impl Ranged,
    ) -> DeclaredParameter {
        DeclaredParameter {
            name: beginning(name, LONGEST).to_owned(),
            flags: Vec::new(),
            negative_flags: Vec::new(),
            kind,
            default: None,
            value_type: None,
            choices: Vec::new(),
            required: false,
            count: None,
            command: None,
            help: None,
            framework,
            line: self.source.line(at),
        }
    }

    /// An expression as it stands, on one line.
    fn shown(&self, expression: &impl Ranged) -> String {
        let range = expression.start().to_usize()..expression.end().to_usize();
        let text = self.source.text.get(range).unwrap_or_default();
        let start = beginning(text, 4 * LONGEST);
        let words: Vec<&str> = start.split_whitespace().collect();
        beginning(&words.join(" "), LONGEST).to_owned()
    }

    fn default_of(&self, expression: &Expr) -> DefaultValue {
        match literal::value(expression, self.bindings) {
            Some(value) => DefaultValue::Literal(value),
            None => DefaultValue::Computed(self.shown(expression)),
        }
    }

    /// Whether `typer.run` is called with a function of this name.
    fn typer_runs(&self, function: &StmtFunctionDef) -> bool {
        let name = function.name.as_str();
        self.run_by_typer.contains(name) && self.functions.contains_key(name)
    }

    fn is_computed(&mut self, at: &impl Ranged) {
        let line = self.source.line(at);
        self.computed.get_or_insert(line);
    }

    fn call(&mut self, call: &Call<'a>) {
        argparse::of_call(call, self);
        absl::of_call(call, self);
        fields::of_call(call, self);
        functions::of_call(call, self);
        hydra::of_call(call, self);
        names::of_call(call, self);
        data_sets::of_call(call, self.reading);
    }
}

impl<'a> Visitor<'a> for Collector<'a, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assign) => {
                if let [target] = assign.targets.as_slice() {
                    argparse::of_assignment(target, &assign.value, self);
                    names::of_assignment(target, &assign.value, self);
                }
            }
            Stmt::FunctionDef(function) => {
                click::of_function(function, self);
                hydra::of_function(function, self);
                fields::of_function(function, self);
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            let line = self.source.line(expression);
            self.call(&Call::of(call, line, self.bindings));
        }
        walk_expr(self, expression);
    }
}

/// The last part of a dotted name.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether an expression is `True`.
fn is_true(value: &Expr) -> bool {
    value.as_boolean_literal_expr().is_some_and(|literal| literal.value)
}

/// A help text on one line.
fn help(call: &Call<'_>) -> Option<String> {
    let text = call.keyword_text("help")?;
    let words: Vec<&str> = beginning(&text, 4 * LONGEST).split_whitespace().collect();
    Some(beginning(&words.join(" "), LONGEST).to_owned()).filter(|text| !text.is_empty())
}

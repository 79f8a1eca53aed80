//! Programs that serve, or wait, until they are stopped.

use super::call::Call;
use actum_model::{Effort, EffortKind, Reading, Service};
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt, StmtWhile};

pub(super) fn of_call(call: &Call<'_>, reading: &mut Reading) {
    if !serves(call) || reading.service.is_some() {
        return;
    }
    let port = call.keyword("port").or_else(|| call.keyword("server_port"));
    let port = port.and_then(|port| call.bindings.number(port)).and_then(|port| u16::try_from(port).ok());
    reading.service = Some(Service { what: call.shown(), port, line: call.line });
}

fn serves(call: &Call<'_>) -> bool {
    const FUNCTIONS: [&str; 12] = [
        "uvicorn.run",
        "hypercorn.run",
        "waitress.serve",
        "bottle.run",
        "aiohttp.web.run_app",
        "gevent.pywsgi.WSGIServer",
        "cherrypy.quickstart",
        "http.server.test",
        "wsgiref.simple_server.make_server",
        "web.run_app",
        "eventlet.wsgi.server",
        "streamlit.web.bootstrap.run",
    ];
    const MAKERS: [&str; 8] =
        ["flask", "dash", "sanic", "quart", "bottle", "discord", "flask_socketio", "fastmcp"];
    let made_by = call.maker().split('.').next().unwrap_or("");
    FUNCTIONS.contains(&call.imported())
        || matches!(
            call.method(),
            "serve_forever"
                | "run_server"
                | "run_forever"
                | "run_polling"
                | "start_polling"
                | "infinity_polling"
        )
        || (call.method() == "run" && MAKERS.contains(&made_by))
        || (call.method() == "launch" && made_by == "gradio")
        || (call.method() == "start" && call.maker().starts_with("tornado"))
}

/// `while True:` without a way out.
pub(super) fn of_while(repeat: &StmtWhile, line: u32, reading: &mut Reading) {
    if !is_always(&repeat.test) {
        return;
    }
    let mut body = Body::default();
    body.visit_body(&repeat.body);
    if body.leaves {
        return;
    }
    reading.effort.push(Effort { kind: EffortKind::Endless, amount: 0, what: "while True".to_owned(), line });
    if body.waits && reading.service.is_none() {
        reading.service = Some(Service { what: "while True".to_owned(), port: None, line });
    }
}

fn is_always(test: &Expr) -> bool {
    test.as_boolean_literal_expr().is_some_and(|literal| literal.value)
        || test
            .as_number_literal_expr()
            .is_some_and(|literal| literal.value.as_int().is_some_and(|number| number.as_u8() != Some(0)))
}

/// Whether a loop's body leaves it, and whether it waits.
#[derive(Default)]
struct Body {
    leaves: bool,
    waits: bool,
    /// Loops within it: their `break` is not ours.
    inner: u32,
}

impl<'a> Visitor<'a> for Body {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Break(_) => self.leaves |= self.inner == 0,
            Stmt::Return(_) | Stmt::Raise(_) => self.leaves = true,
            // Their statements do not run here.
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::For(_) | Stmt::While(_) => {
                self.inner += 1;
                walk_stmt(self, statement);
                self.inner -= 1;
            }
            other => walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            let name = call.func.as_attribute_expr().map(|attribute| attribute.attr.as_str());
            let name = name.or_else(|| call.func.as_name_expr().map(|name| name.id.as_str()));
            match name {
                Some("sleep" | "accept" | "recv" | "run_pending" | "poll") => self.waits = true,
                Some("exit" | "quit" | "_exit" | "abort") => self.leaves = true,
                Some(_) | None => {}
            }
        }
        // A generator that never ends is left by whoever takes from it.
        self.leaves |= expression.is_yield_expr() || expression.is_yield_from_expr();
        walk_expr(self, expression);
    }
}

//! Variables of the environment that a program asks for.

use super::bindings::Bindings;
use super::call::Call;
use actum_model::{Reading, Variable};
use ruff_python_ast::{Expr, ExprCompare, ExprContext, ExprSubscript};
use std::collections::HashSet;

/// More are not listed.
const MOST: usize = 200;

/// Variables by now, and those that the program sets or looks for itself.
#[derive(Debug, Default)]
pub(super) struct Variables {
    list: Vec<Variable>,
    set: HashSet<String>,
    looked_for: HashSet<String>,
}

impl Variables {
    /// `os.environ.get("X", "y")`, `os.getenv("X")`
    pub(super) fn of_call(&mut self, call: &Call<'_>) {
        let needed = match call.imported() {
            "os.environ.get" | "os.getenv" | "os.environb.get" | "os.environ.pop" => false,
            "os.environ.setdefault" | "os.putenv" => {
                self.set.extend(call.text(0));
                return;
            }
            "decouple.config" | "environ.Env" => call.keyword("default").is_none(),
            _ => return,
        };
        let Some(name) = call.text(0) else { return };
        let default = call.argument(1).or_else(|| call.keyword("default"));
        let default = default.and_then(|value| call.bindings.text(value)).filter(|text| text.len() <= 200);
        self.push(Variable { name, needed, default, line: call.line });
    }

    /// `os.environ["X"]`
    pub(super) fn of_subscript(&mut self, subscript: &ExprSubscript, line: u32, bindings: &Bindings<'_>) {
        if bindings.imported(&subscript.value).as_deref() != Some("os.environ") {
            return;
        }
        let Some(name) = bindings.text(&subscript.slice) else { return };
        if subscript.ctx == ExprContext::Load {
            self.push(Variable { name, needed: true, default: None, line });
        } else {
            self.set.insert(name);
        }
    }

    /// `"X" in os.environ`
    pub(super) fn of_compare(&mut self, compare: &ExprCompare, bindings: &Bindings<'_>) {
        let environment = |one: &Expr| bindings.imported(one).as_deref() == Some("os.environ");
        if compare.comparators.iter().any(environment) {
            self.looked_for.extend(bindings.text(&compare.left));
        }
    }

    fn push(&mut self, variable: Variable) {
        let is_name = !variable.name.is_empty()
            && variable.name.len() <= 100
            && !variable.name.contains(char::is_whitespace);
        if !is_name || self.set.contains(&variable.name) {
            return;
        }
        if let Some(known) = self.list.iter_mut().find(|known| known.name == variable.name) {
            known.needed |= variable.needed;
        } else if self.list.len() < MOST {
            self.list.push(variable);
        }
    }

    pub(super) fn finish(mut self, reading: &mut Reading) {
        for variable in &mut self.list {
            variable.needed &= !self.looked_for.contains(&variable.name);
        }
        reading.variables = self.list;
    }
}

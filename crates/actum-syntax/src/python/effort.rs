//! Hints that a program takes long or needs much: loops over large literal ranges, large literal sizes.

use super::bindings::Bindings;
use super::call::Call;
use actum_model::{Effort, EffortKind, Reading};
use ruff_python_ast::{Expr, ExprBinOp, Operator};

/// A loop in Python does ten million rounds in about a second.
const MANY_ROUNDS: u64 = 10_000_000;

/// A hundred million numbers of eight bytes are most of a gigabyte.
const MANY_ELEMENTS: u64 = 100_000_000;

/// Training for fewer rounds is a test.
const MANY_EPOCHS: u64 = 10;

/// A pause of ten seconds, its loops included, is noticed by whoever waits.
const LONG_PAUSE: u64 = 10;

/// More hints are not listed.
const MOST: usize = 20;

/// The loops around a place, by the rounds that each makes; 1 where that is not known.
#[derive(Debug, Default)]
pub(super) struct Loops(Vec<u64>);

impl Loops {
    pub(super) fn enter(&mut self, rounds: u64) {
        self.0.push(rounds.max(1));
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    fn rounds(&self) -> u64 {
        self.0.iter().fold(1, |product: u64, rounds| product.saturating_mul(*rounds))
    }
}

/// How many rounds a loop over this makes; 1 where that is not known.
pub(super) fn rounds(over: &Expr, bindings: &Bindings<'_>) -> u64 {
    let Expr::Call(call) = over else { return 1 };
    let name = call.func.as_name_expr().map_or("", |name| name.id.as_str());
    let number = |at: usize| call.arguments.args.get(at).and_then(|one| bindings.number(one));
    match (name, call.arguments.args.len()) {
        ("range" | "xrange" | "trange", 1) => number(0).unwrap_or(1),
        ("range" | "xrange", 2 | 3) => {
            let (from, to) = (number(0).unwrap_or(0), number(1).unwrap_or(1));
            to.saturating_sub(from) / number(2).unwrap_or(1).max(1)
        }
        ("tqdm" | "enumerate" | "reversed" | "list", 1..) => {
            call.arguments.args.first().map_or(1, |inner| rounds(inner, bindings))
        }
        _ => 1,
    }
}

/// Notes a loop that, with those around it, makes many rounds.
pub(super) fn of_loop(loops: &Loops, line: u32, reading: &mut Reading) {
    let amount = loops.rounds();
    if amount >= MANY_ROUNDS && loops.0.last().is_some_and(|rounds| *rounds > 1) {
        // The innermost loop comes first and counts; those around it are told with it.
        let is_told = reading
            .effort
            .iter()
            .any(|known| known.kind == EffortKind::Loop && known.amount >= amount && known.line > line);
        if !is_told {
            note(Effort { kind: EffortKind::Loop, amount, what: "for … in range".to_owned(), line }, reading);
        }
    }
}

pub(super) fn of_call(call: &Call<'_>, loops: &Loops, reading: &mut Reading) {
    let hint = |kind, amount| Effort { kind, amount, what: call.shown(), line: call.line };
    let epochs = ["epochs", "num_epochs", "n_epochs", "num_train_epochs", "max_epochs", "nb_epoch"];
    let trains = epochs.iter().find_map(|name| call.bindings.number(call.keyword(name)?));
    if let Some(amount) = trains.filter(|amount| *amount >= MANY_EPOCHS) {
        note(hint(EffortKind::Training, amount), reading);
    }
    if matches!(call.imported(), "time.sleep" | "asyncio.sleep") {
        let seconds = call.argument(0).and_then(|time| call.bindings.number(time)).unwrap_or(0);
        let amount = seconds.saturating_mul(loops.rounds());
        if amount >= LONG_PAUSE {
            note(hint(EffortKind::Pause, amount), reading);
        }
    }
    if let Some(amount) = elements(call).filter(|amount| *amount >= MANY_ELEMENTS) {
        note(hint(EffortKind::Memory, amount), reading);
    }
}

/// `[0] * 10**9`
pub(super) fn of_repetition(both: &ExprBinOp, line: u32, bindings: &Bindings<'_>, reading: &mut Reading) {
    if both.op != Operator::Mult
        || !(both.left.is_list_expr()
            || both.left.is_string_literal_expr()
            || both.left.is_bytes_literal_expr())
    {
        return;
    }
    if let Some(amount) = bindings.number(&both.right).filter(|amount| *amount >= MANY_ELEMENTS) {
        note(Effort { kind: EffortKind::Memory, amount, what: "a list repeated".to_owned(), line }, reading);
    }
}

/// How many elements a call makes at once.
fn elements(call: &Call<'_>) -> Option<u64> {
    let (module, function) = call.imported().rsplit_once('.').unwrap_or(("", call.plain()));
    let sizes = |expression: &Expr| match expression {
        Expr::Tuple(tuple) => {
            tuple.elts.iter().try_fold(1u64, |product, one| product.checked_mul(call.bindings.number(one)?))
        }
        Expr::List(list) => {
            list.elts.iter().try_fold(1u64, |product, one| product.checked_mul(call.bindings.number(one)?))
        }
        other => call.bindings.number(other),
    };
    match (module, function) {
        (
            "numpy" | "torch" | "cupy" | "jax.numpy" | "tensorflow",
            "zeros" | "ones" | "empty" | "full" | "arange",
        ) => sizes(call.either(0, "shape")?),
        ("numpy.random" | "torch", "rand" | "randn") => {
            call.call.arguments.args.iter().try_fold(1u64, |product, one| product.checked_mul(sizes(one)?))
        }
        ("numpy.random", _) => sizes(call.keyword("size")?),
        ("", "bytearray" | "list" | "set") => match call.argument(0)? {
            Expr::Call(_) => Some(rounds(call.argument(0)?, call.bindings)),
            other => call.bindings.number(other),
        },
        _ => None,
    }
}

fn note(hint: Effort, reading: &mut Reading) {
    if reading.effort.len() < MOST {
        reading.effort.push(hint);
    }
}

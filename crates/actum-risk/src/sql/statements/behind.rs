//! What stands behind the verbs of a statement, found in one pass: `WITH` has as many verbs as somebody cares to write, and a look from
//! each of them to the end costs a square.

use super::{Piece, is_word};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Behind {
    /// The last `SET` and the last `WHERE`.
    set: Option<usize>,
    condition: Option<usize>,
    /// For a verb: the `INTO` that belongs to it, before any `FROM`.
    into: HashMap<usize, usize>,
}

impl Behind {
    /// `verbs` are the places of the verbs, in order.
    pub(super) fn of(pieces: &[Piece<'_>], verbs: &[usize]) -> Self {
        let last = |words: &[&str]| (0..pieces.len()).rev().find(|at| is_word(pieces, *at, words));
        Self { set: last(&["SET"]), condition: last(&["WHERE"]), into: into(pieces, verbs) }
    }

    pub(super) fn sets(&self, verb: usize) -> bool {
        self.set.is_some_and(|at| at >= verb)
    }

    pub(super) fn has_condition(&self, verb: usize) -> bool {
        self.condition.is_some_and(|at| at >= verb)
    }

    pub(super) fn of_into(&self, verb: usize) -> Option<usize> {
        self.into.get(&verb).copied()
    }
}

/// The `INTO` of each verb that has one within its own parentheses.
fn into(pieces: &[Piece<'_>], verbs: &[usize]) -> HashMap<usize, usize> {
    let mut found = HashMap::new();
    let mut verbs = verbs.iter().copied().peekable();
    // Verbs whose `FROM` or `INTO` is still to come: those of these parentheses, and of the ones around them.
    let (mut open, mut around) = (Vec::new(), Vec::new());
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Sign('(') => around.push(std::mem::take(&mut open)),
            Piece::Sign(')') => open = around.pop().unwrap_or_default(),
            Piece::Word(_) if verbs.next_if_eq(&at).is_some() => open.push(at),
            Piece::Word(_) if is_word(pieces, at, &["FROM"]) => open.clear(),
            Piece::Word(_) if is_word(pieces, at, &["INTO"]) => {
                found.extend(open.drain(..).map(|verb| (verb, at)));
            }
            Piece::Word(_) | Piece::Text(_) | Piece::Name(_) | Piece::Sign(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::split;
    use super::*;

    #[test]
    fn into_belongs_to_the_verb_of_its_parentheses() {
        for (code, expected) in [
            ("SELECT a INTO t FROM x", &[(0, 2)][..]),
            ("SELECT a FROM x INTO t", &[]),
            ("SELECT (1) INTO t", &[(0, 4)]),
            ("( SELECT a INTO t ) x", &[(1, 3)]),
            ("SELECT ( SELECT a ) INTO t", &[(0, 5)]),
            ("SELECT ( SELECT a INTO t )", &[(2, 4)]),
            ("SELECT a ) SELECT b INTO t", &[(3, 5)]),
            ("SELECT ( SELECT a FROM b ) INTO t", &[(0, 7)]),
        ] {
            let pieces = split(code).remove(0).pieces;
            let verbs: Vec<usize> =
                (0..pieces.len()).filter(|at| is_word(&pieces, *at, &["SELECT"])).collect();
            let mut found: Vec<(usize, usize)> = into(&pieces, &verbs).into_iter().collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{code}");
        }
    }

    #[test]
    fn many_verbs_cost_no_square() {
        for verb in ["(SELECT ", "(UPDATE ", "(UPDATE a SET ", "(DELETE FROM ", "(SELECT INTO "] {
            let code = format!("WITH a AS {}", verb.repeat((512 << 10) / verb.len()));
            let begun = std::time::Instant::now();
            crate::inspect("sql", &code);
            assert!(begun.elapsed().as_secs() < 5, "{verb}");
        }
    }
}

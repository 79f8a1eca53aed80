//! Python 2, by a grammar that takes both languages.

use crate::tree::{Parsed, line};
use tree_sitter::Node;

pub(super) const EXCEPT: &str = "`except` with a comma";

/// What the second reader makes of a text that the first one does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Older {
    /// A whole program of Python 2, by this first form that only it has.
    Whole { line: u32, what: &'static str },
    /// It has forms of Python 2, and stops in the middle of something.
    Cut { line: u32 },
    /// Neither.
    No,
}

/// Reads a text with the grammar for both.
pub(super) fn read(text: &str) -> Older {
    let language = tree_sitter_python::LANGUAGE.into();
    let Some(parsed) = Parsed::of(&language, text) else { return Older::No };
    let Some((line, what)) = parsed.nodes().find_map(|node| Some((line(node), form(&parsed, node)?))) else {
        return Older::No;
    };
    match parsed.fault() {
        None => Older::Whole { line, what },
        Some(fault) if is_at_the_end(text, fault.to) => Older::Cut { line: fault.line },
        Some(_) => Older::No,
    }
}

fn is_at_the_end(text: &str, offset: usize) -> bool {
    offset >= text.trim_end().len()
}

/// The form of this node that Python 3 does not have.
fn form(parsed: &Parsed<'_>, node: Node<'_>) -> Option<&'static str> {
    let words = || parsed.words(node);
    match node.kind() {
        "print_statement" => is_without_brackets(words(), "print").then_some("`print` as a statement"),
        "exec_statement" => is_without_brackets(words(), "exec").then_some("`exec` as a statement"),
        "<>" => Some("`<>` for `!=`"),
        "raise_statement" => has_list(node).then_some("`raise` with a comma"),
        "except_clause" => has_comma(words()).then_some(EXCEPT),
        "integer" => is_old_number(words()).then_some("a number in Python 2 syntax"),
        "string_start" => is_old_prefix(words()).then_some("a string in Python 2 syntax"),
        _ => None,
    }
}

fn is_without_brackets(words: &str, keyword: &str) -> bool {
    words.strip_prefix(keyword).is_some_and(|rest| !rest.trim_start().starts_with('('))
}

fn has_list(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == "expression_list")
}

/// `except A, e:` and not `except (A, B):`.
fn has_comma(clause: &str) -> bool {
    let head = clause.split(':').next().unwrap_or("");
    let outside = head.rfind(')').map_or(head, |at| &head[at..]);
    outside.contains(',') && !head.contains(" as ")
}

fn is_old_number(number: &str) -> bool {
    let is_octal = number.len() > 1
        && number.starts_with('0')
        && number.bytes().all(|digit| digit.is_ascii_digit())
        && number.bytes().any(|digit| digit != b'0');
    is_octal || number.ends_with(['L', 'l'])
}

fn is_old_prefix(start: &str) -> bool {
    start.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("ur"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_python_2_are_told_apart() {
        let old = [
            "print 'a'\n",
            "print x,\n",
            "print >>f, x\n",
            "exec 'x = 1'\n",
            "if a <> b:\n    pass\n",
            "raise E, 'no'\n",
            "try:\n    f()\nexcept E, e:\n    pass\n",
            "try:\n    f()\nexcept (A, B), e:\n    pass\n",
            "os.chmod(p, 0755)\n",
            "x = 10L\n",
        ];
        for text in old {
            assert!(matches!(read(text), Older::Whole { .. }), "{text}: {:?}", read(text));
        }
        for text in ["print('a')\n", "print ('a')\n", "raise E('no')\n", "x = 0\ny = 00\n", "f(a=1, 2)\n"] {
            assert_eq!(read(text), Older::No, "{text}");
        }
        assert_eq!(read("print 'a'\nx = foo(1,\n"), Older::Cut { line: 2 });
    }
}

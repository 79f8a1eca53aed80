//! How deep the tree of a text can become, counted from its tokens before there is a tree.
//!
//! Parser and walks recurse: brackets and blocks, but also chains without brackets, such as `a.b.c` or `1 + 2 + 3`, nest
//! one level for each link.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// Far beyond what people write, and with a few kilobytes of stack for each level well within the stack that is there.
const DEEPEST: usize = 2_000;

/// As the reference interpreter: it refuses more blocks within blocks as well.
const DEEPEST_BLOCK: usize = 100;

/// A text is nested too deeply to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooDeep;

impl std::fmt::Display for TooDeep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it is nested too deeply")
    }
}

/// Refuses a text whose tree could become too deep.
pub(super) fn check(text: &str) -> Result<(), TooDeep> {
    let mut lexer = lexer::lex(text, Mode::Module);
    let mut nesting = Nesting::default();
    loop {
        let kind = lexer.next_token();
        if kind == TokenKind::EndOfFile {
            return Ok(());
        }
        nesting.take(kind);
        if nesting.total > DEEPEST || nesting.blocks > DEEPEST_BLOCK {
            return Err(TooDeep);
        }
    }
}

/// For each open bracket how many links the chain within it has by now, and their sum.
#[derive(Debug, Default)]
struct Nesting {
    outer: Vec<usize>,
    chain: usize,
    total: usize,
    blocks: usize,
}

impl Nesting {
    fn take(&mut self, kind: TokenKind) {
        if opens(kind) {
            self.outer.push(self.chain);
            self.chain = 1;
            self.total += 1;
        } else if closes(kind) {
            self.total -= self.chain;
            self.chain = self.outer.pop().unwrap_or(0) + 1;
            self.total += 1;
        } else if matches!(kind, TokenKind::Comma | TokenKind::Semi) {
            self.total -= self.chain;
            self.chain = 0;
        } else if kind == TokenKind::Newline {
            (self.chain, self.total) = (0, 0);
            self.outer.clear();
        } else if kind == TokenKind::Indent {
            self.blocks += 1;
        } else if kind == TokenKind::Dedent {
            self.blocks = self.blocks.saturating_sub(1);
        } else if !is_flat(kind) {
            self.chain += 1;
            self.total += 1;
        }
    }
}

fn opens(kind: TokenKind) -> bool {
    use TokenKind::{FStringStart, Lbrace, Lpar, Lsqb, TStringStart};
    matches!(kind, Lpar | Lsqb | Lbrace | FStringStart | TStringStart)
}

fn closes(kind: TokenKind) -> bool {
    use TokenKind::{FStringEnd, Rbrace, Rpar, Rsqb, TStringEnd};
    matches!(kind, Rpar | Rsqb | Rbrace | FStringEnd | TStringEnd)
}

/// What nests nothing by itself.
fn is_flat(kind: TokenKind) -> bool {
    use TokenKind::{Comment, FStringMiddle, Float, Int, Name, NonLogicalNewline, String, TStringMiddle};
    matches!(kind, Name | Int | Float | String | FStringMiddle | TStringMiddle | Comment | NonLogicalNewline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_is_counted_and_what_is_only_long_is_not() {
        let deep: [String; 8] = [
            format!("{}1{}", "(".repeat(3000), ")".repeat(3000)),
            format!("x = {}1", "-".repeat(3000)),
            format!("x = a{}", ".b".repeat(3000)),
            format!("x = 1{}", " + 1".repeat(3000)),
            format!("x = f{}", "(1, 2)".repeat(3000)),
            format!("x = {}1", "lambda: ".repeat(3000)),
            format!("x = {}1", "not ".repeat(3000)),
            (0..200).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect(),
        ];
        for text in &deep {
            assert_eq!(check(text), Err(TooDeep), "{}", &text[..20]);
        }
        let long = [
            format!("x = [{}]", "1 + 1, ".repeat(30_000)),
            "x = 1 + 1\n".repeat(30_000),
            format!("x = {{{}}}", "'a': (1, 2),\n".repeat(30_000)),
            format!("x = ({})", "'a'\n".repeat(30_000)),
            "]".repeat(30_000) + "\n",
            "if x:\n  y()\n".repeat(3000),
        ];
        for text in &long {
            assert_eq!(check(text), Ok(()), "{}", &text[..12]);
        }
    }
}

//! Text to tree, looking through what an interpreter would stumble over.
//!
//! The text is read as it is first. Only where that gives errors are other ways of reading it tried, one after the other,
//! and each is kept only if it gives fewer: so what stands in strings and comments is never taken for something else.

use super::depth::{self, TooDeep};
use super::escapes::{self, Escape};
use super::magics;
use super::prompts;
use crate::text::notice;
use actum_model::LineIndex;
use actum_model::{Layout, LayoutKind};
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{ModModule, PythonVersion, Stmt};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::Ranged;

/// Pieces of text that are for another language, one after the other, before we stop to look for more.
const MOST_CELLS: usize = 50;

/// A text, its tree, and how it had to be read.
#[derive(Debug)]
pub(super) struct Source {
    /// The text as it was read: lines are those of the original, columns need not be.
    pub(super) text: String,
    pub(super) lines: LineIndex,
    pub(super) layout: Vec<Layout>,
    /// Where the parser could not go on, in the order of the text.
    pub(super) problems: Vec<Problem>,
    /// What is for a notebook; none where the text was read as Python alone.
    pub(super) escapes: Vec<Escape>,
    parsed: Parsed<ModModule>,
}

/// One place where the parser could not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) message: String,
}

/// Another way of reading a text: what it changes, if anything, and what it is called.
type Way = fn(&str) -> Option<(String, Layout)>;

const WAYS: [Way; 4] = [prompts::without_prompts, without_indentation, with_plain_spaces, with_plain_quotes];

impl Source {
    pub(super) fn of(text: &str) -> Result<Self, TooDeep> {
        let mut best = Self::parse(text.to_owned())?;
        if best.is_clean() {
            return Ok(best);
        }
        if escapes::are_in(text) {
            best = best.or(|best| Self::with_magics(best.text.clone()))?;
        }
        for way in WAYS {
            let Some((text, layout)) = way(&best.text) else { continue };
            let mut seen = best.layout.clone();
            notice(&mut seen, layout.kind, layout.line);
            let is_notebook = !best.escapes.is_empty();
            best = best.or(|_| {
                let source = if is_notebook { Self::with_magics(text) } else { Self::parse(text) }?;
                Ok(Source { layout: seen, ..source })
            })?;
        }
        // Prompts may have hidden the magics.
        if !escapes::are_in(&best.text) {
            return Ok(best);
        }
        best.or(|best| Ok(Source { layout: best.layout.clone(), ..Self::with_magics(best.text.clone())? }))
    }

    /// Reads as a notebook does; what is for another language is blank.
    fn with_magics(text: String) -> Result<Self, TooDeep> {
        let mut source = Self::parse_notebook(text)?;
        for _ in 0..MOST_CELLS {
            let Some(text) = magics::without_foreign_cell(&source) else { break };
            source = Self::parse_notebook(text)?;
        }
        Ok(source)
    }

    fn parse_notebook(text: String) -> Result<Self, TooDeep> {
        let (plain, escapes) = escapes::set_aside(&text);
        Ok(Source { text, escapes, ..Self::parse(plain)? })
    }

    /// The other way of reading, where it gives fewer errors.
    fn or(self, other: impl FnOnce(&Self) -> Result<Self, TooDeep>) -> Result<Self, TooDeep> {
        if self.is_clean() {
            return Ok(self);
        }
        let other = other(&self)?;
        Ok(if other.problems.len() < self.problems.len() { other } else { self })
    }

    fn parse(text: String) -> Result<Self, TooDeep> {
        depth::check(&text)?;
        // The oldest version that the parser knows: everything newer is listed with the version that it needs.
        let options = ParseOptions::from(Mode::Module).with_target_version(PythonVersion::PY37);
        let parsed = parse_unchecked(&text, options);
        let mut problems: Vec<Problem> = parsed
            .errors()
            .iter()
            .map(|error| Problem {
                from: error.location.start().to_usize(),
                to: error.location.end().to_usize(),
                message: error.error.to_string(),
            })
            .collect();
        problems.sort_by_key(|problem| problem.from);
        let parsed = parsed.try_into_module().expect("it was asked for as a module");
        let lines = LineIndex::new(&text);
        Ok(Source { lines, layout: Vec::new(), problems, escapes: Vec::new(), parsed, text })
    }

    fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn body(&self) -> &[Stmt] {
        &self.parsed.syntax().body
    }

    pub(super) fn line(&self, part: &impl Ranged) -> u32 {
        self.lines.line_of(part.start().to_usize())
    }

    /// The comments with the offsets at which they begin.
    pub(super) fn comments(&self) -> impl Iterator<Item = (usize, &str)> {
        let comments = self.parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Comment);
        comments.filter_map(|token| {
            let range = token.range().start().to_usize()..token.range().end().to_usize();
            Some((range.start, self.text.get(range)?))
        })
    }

    /// What the oldest version does not know: where, and the parser's sentence about it.
    pub(super) fn newer(&self) -> impl Iterator<Item = (usize, usize, String)> {
        let newer = self.parsed.unsupported_syntax_errors().iter();
        newer.map(|one| (one.range.start().to_usize(), one.range.end().to_usize(), one.to_string()))
    }

    /// Where the last thing that is not blank begins and ends.
    pub(super) fn last_token(&self) -> (usize, usize) {
        use TokenKind::{Comment, Dedent, EndOfFile, Indent, Newline, NonLogicalNewline};
        let tokens = self.parsed.tokens().iter().rev();
        let blank =
            |kind| matches!(kind, Comment | Dedent | EndOfFile | Indent | Newline | NonLogicalNewline);
        let mut solid = tokens.filter(|token| !blank(token.kind()));
        solid
            .next()
            .map_or((0, 0), |token| (token.range().start().to_usize(), token.range().end().to_usize()))
    }
}

/// Every line without the blanks that all of them begin with.
fn without_indentation(text: &str) -> Option<(String, Layout)> {
    let solid = || text.lines().filter(|line| !line.trim().is_empty());
    let first = solid().next()?;
    let mut common = &first[..first.len() - first.trim_start_matches([' ', '\t']).len()];
    for line in solid() {
        let same = common.bytes().zip(line.bytes()).take_while(|(one, other)| one == other).count();
        common = &common[..same];
    }
    if common.is_empty() {
        return None;
    }
    let lines = text.split('\n').map(|line| line.strip_prefix(common).unwrap_or(line.trim_start()));
    let line = text.lines().take_while(|line| line.trim().is_empty()).count() + 1;
    Some((lines.collect::<Vec<_>>().join("\n"), layout(LayoutKind::Indented, line)))
}

/// Spaces for what only looks like them, and nothing for what nobody sees.
fn with_plain_spaces(text: &str) -> Option<(String, Layout)> {
    let is_space = |character| matches!(character, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}');
    let is_unseen =
        |character| matches!(character, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    let at = text.find(|character| is_space(character) || is_unseen(character))?;
    let kind = match text[at..].chars().next().is_some_and(is_space) {
        true => LayoutKind::NonBreakingSpace,
        false => LayoutKind::ZeroWidth,
    };
    let plain = text.chars().filter(|character| !is_unseen(*character));
    let plain = plain.map(|character| if is_space(character) { ' ' } else { character });
    Some((plain.collect(), layout(kind, text[..at].matches('\n').count() + 1)))
}

/// Quotation marks of the language for those of typographers.
fn with_plain_quotes(text: &str) -> Option<(String, Layout)> {
    let at = text.find(['“', '”', '„', '‘', '’', '‚'])?;
    let plain = text.chars().map(|character| match character {
        '“' | '”' | '„' => '"',
        '‘' | '’' | '‚' => '\'',
        other => other,
    });
    Some((plain.collect(), layout(LayoutKind::SmartQuotes, text[..at].matches('\n').count() + 1)))
}

pub(super) fn layout(kind: LayoutKind, line: usize) -> Layout {
    Layout { kind, line: u32::try_from(line).unwrap_or(u32::MAX) }
}

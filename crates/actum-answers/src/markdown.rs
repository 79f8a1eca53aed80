//! The pieces of code of an answer in Markdown, as CommonMark has them.

use crate::answer::{Answer, Before, MOST, Named, Piece, Saying};
use crate::{html, label, plain, thinking};
use actum_model::LineIndex;
use actum_model::{AnswerForm, BlockKind};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Of what stands before a block, as much is kept: a paragraph.
const PROSE: usize = 600;

/// Finds every block of code.
pub(crate) fn read(text: &str) -> Answer {
    let (text, thoughts) = thinking::without(text);
    let notes: Vec<String> = thoughts.into_iter().collect();
    let mut walk = Walk::new(&text);
    for (event, range) in Parser::new_ext(&text, Options::empty()).into_offset_iter() {
        walk.see(event, range);
        if walk.pieces.len() > MOST {
            break;
        }
    }
    let pieces = walk.pieces;
    let is_unmarked = pieces.iter().all(|piece| piece.kind == BlockKind::Indented);
    let candidates = if is_unmarked { plain::candidates(&text) } else { Vec::new() };
    Answer { form: AnswerForm::Markdown, pieces, candidates, notes, text: text.into_owned() }
}

/// One walk over the events of a document.
struct Walk<'t> {
    text: &'t str,
    /// Behind this offset nothing but white space follows.
    end: usize,
    lines: LineIndex,
    pieces: Vec<Piece>,
    open: Option<Piece>,
    /// Where the open block's code begins, as far as it was seen.
    has_code: bool,
    before: String,
    heading: String,
    is_in_heading: bool,
    is_bare: bool,
    /// Lists and quotations around.
    depth: usize,
    /// A block of HTML that is being read, and where it began.
    page: Option<(usize, String)>,
}

impl<'t> Walk<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            end: text.trim_end().len(),
            lines: LineIndex::new(text),
            pieces: Vec::new(),
            open: None,
            has_code: false,
            before: String::new(),
            heading: String::new(),
            is_in_heading: false,
            is_bare: true,
            depth: 0,
            page: None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a document has many parts, and a few are about code")]
    fn see(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => self.begin(&kind, range),
            Event::End(TagEnd::CodeBlock) => self.end(),
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => self.depth += 1,
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => self.depth = self.depth.saturating_sub(1),
            Event::Start(Tag::HtmlBlock) => self.page = Some((range.start, String::new())),
            Event::End(TagEnd::HtmlBlock) => self.end_page(),
            Event::Html(piece) => self.markup(&piece),
            Event::Start(Tag::Heading { .. }) => {
                self.begin_prose();
                self.is_in_heading = true;
                self.heading.clear();
            }
            Event::End(TagEnd::Heading(_)) => self.is_in_heading = false,
            Event::Start(Tag::Paragraph | Tag::Item) => self.begin_prose(),
            Event::Text(piece) => self.words(&piece, range),
            Event::Code(piece) => self.prose(&["`", &piece, "`"]),
            Event::SoftBreak | Event::HardBreak => self.prose(&["\n"]),
            _ => {}
        }
    }

    fn begin(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        let mut piece = Piece {
            lines: [self.line_of(range.start), self.last_line(&range)],
            before: Before {
                text: std::mem::take(&mut self.before),
                heading: self.heading.clone(),
                is_bare: self.is_bare,
            },
            nested: self.depth > 0,
            ..Piece::default()
        };
        match kind {
            CodeBlockKind::Indented => piece.kind = BlockKind::Indented,
            CodeBlockKind::Fenced(information) => {
                piece.kind = BlockKind::Fence;
                let label = label::read(information);
                piece.label = label.word;
                piece.attributes = label.attributes;
                piece.named = label.path.map(|path| Named { path, saying: Saying::Title });
                piece.is_open = self.is_unclosed(&range);
            }
        }
        self.has_code = false;
        self.is_bare = true;
        self.open = Some(piece);
    }

    fn end(&mut self) {
        if let Some(mut piece) = self.open.take() {
            if !self.has_code {
                piece.first_code_line = piece.lines[0] + u64::from(piece.kind == BlockKind::Fence);
            }
            self.pieces.push(piece);
        }
    }

    fn line_of(&self, offset: usize) -> u64 {
        self.lines.line_of(offset).into()
    }

    /// The last line that belongs to a block; blank lines behind an indented one do not.
    fn last_line(&self, range: &Range<usize>) -> u64 {
        let block = &self.text[range.clone()];
        let length = block.trim_end_matches(['\n', ' ', '\t']).len();
        self.line_of(range.start + length.saturating_sub(1))
    }

    /// Whether a fence stays open until the text ends.
    fn is_unclosed(&self, range: &Range<usize>) -> bool {
        if range.end < self.end {
            return false;
        }
        let block = &self.text[range.clone()];
        let mark = block.chars().next().unwrap_or('`');
        let length = block.len() - block.trim_start_matches(mark).len();
        let Some((_, rest)) = block.split_once('\n') else { return true };
        let last = rest.trim_end().rsplit('\n').next().unwrap_or("").trim_start_matches(['>', ' ', '\t']);
        last.len() < length || !last.trim_end().trim_start_matches(mark).is_empty()
    }

    fn words(&mut self, piece: &str, range: Range<usize>) {
        let Some(block) = &mut self.open else { return self.prose(&[piece]) };
        if !self.has_code {
            self.has_code = true;
            block.first_code_line = self.lines.line_of(range.start).into();
        }
        block.code.push_str(piece);
    }

    fn begin_prose(&mut self) {
        self.before.clear();
        self.is_bare = false;
    }

    fn prose(&mut self, pieces: &[&str]) {
        let into = if self.is_in_heading { &mut self.heading } else { &mut self.before };
        for piece in pieces {
            // What is long keeps its end: the words next to the code are those that speak of it.
            if into.len() + piece.len() > 2 * PROSE {
                *into = ending(into, PROSE).to_owned();
            }
            into.push_str(ending(piece, PROSE));
        }
        if self.is_in_heading {
            self.before = self.heading.clone();
        }
        self.is_bare = false;
    }

    /// Words between tags are prose; an end of something says nothing.
    fn say(&mut self, words: &str) {
        if !words.is_empty() {
            self.begin_prose();
            self.prose(&[words]);
        }
    }

    fn markup(&mut self, piece: &str) {
        if let Some((_, page)) = &mut self.page {
            page.push_str(piece);
        }
    }

    fn end_page(&mut self) {
        let Some((at, page)) = self.page.take() else { return };
        let line = self.line_of(at);
        let pieces = html::pieces(&page);
        if pieces.is_empty() {
            return self.say(&html::title(&page));
        }
        for mut piece in pieces {
            piece.lines = piece.lines.map(|number| number + line - 1);
            piece.first_code_line += line - 1;
            piece.nested = self.depth > 0;
            piece.before.text = std::mem::take(&mut self.before);
            self.pieces.push(piece);
        }
    }
}

/// The last bytes of a text, from a character's beginning.
fn ending(text: &str, most: usize) -> &str {
    let from = (text.len().saturating_sub(most)..text.len()).find(|at| text.is_char_boundary(*at));
    from.map_or("", |from| &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Label, code, lines, and whether it is nested or open.
    fn found(text: &str) -> Vec<(String, String, [u64; 2], &'static str)> {
        let told = |piece: Piece| {
            let state = match (piece.nested, piece.is_open) {
                (true, _) => "nested",
                (false, true) => "open",
                (false, false) => "",
            };
            (piece.label.unwrap_or_default(), piece.code, piece.lines, state)
        };
        read(text).pieces.into_iter().map(told).collect()
    }

    fn one(text: &str) -> (String, String, [u64; 2], &'static str) {
        let mut found = found(text);
        assert_eq!(found.len(), 1, "{text}");
        found.remove(0)
    }

    #[test]
    fn fences_as_commonmark_has_them() {
        let cases = [
            ("```python\nx\n```\n", ("python", "x\n", [1, 3], "")),
            ("a\n\n~~~js\n```\n~~~\n", ("js", "```\n", [3, 5], "")),
            ("   ```py\n   if x:\n       y\n   ```\n", ("py", "if x:\n    y\n", [1, 4], "")),
            ("- a\n\n  ```py\n  x\n    y\n  ```\n", ("py", "x\n  y\n", [3, 6], "nested")),
            ("> ```py\n> x\n> ```\n", ("py", "x\n", [1, 3], "nested")),
            ("````md\n```python\nx\n```\n````\n", ("md", "```python\nx\n```\n", [1, 5], "")),
            ("    ```py\n    x\n", ("", "```py\nx\n", [1, 2], "")),
            ("```python\nx", ("python", "x", [1, 2], "open")),
            ("```python", ("python", "", [1, 1], "open")),
            ("```python\n```", ("python", "", [1, 2], "")),
            ("<details>\n\n```py\nx\n```\n\n</details>\n", ("py", "x\n", [3, 5], "")),
            ("```py\n\tx\n```\n", ("py", "\tx\n", [1, 3], "")),
        ];
        for (text, (label, code, lines, state)) in cases {
            assert_eq!(one(text), (label.to_owned(), code.to_owned(), lines, state), "{text}");
        }
    }

    #[test]
    fn what_stands_before_is_kept() {
        let answer = read("# Top\n\nOne.\n\nSave as `a.py`:\n\n```py\nx\n```\n```\ny\n```\n");
        let before: Vec<(&str, &str, bool)> = answer
            .pieces
            .iter()
            .map(|piece| (piece.before.text.as_str(), piece.before.heading.as_str(), piece.before.is_bare))
            .collect();
        assert_eq!(before, [("Save as `a.py`:", "Top", false), ("", "Top", true)]);
        assert_eq!(answer.pieces.iter().map(|piece| piece.first_code_line).collect::<Vec<_>>(), [8, 11]);
    }

    #[test]
    fn code_in_a_page_within_markdown() {
        let text = "a\n\n<pre><code class=\"language-python\">print(1 &lt; 2)\n</code></pre>\n\nb\n";
        assert_eq!(one(text), ("python".to_owned(), "print(1 < 2)\n".to_owned(), [3, 4], ""));
    }

    #[test]
    fn what_follows_all_fences_is_read_once() {
        let text = "```\n```\n".repeat(MOST - 1) + &"\n".repeat(800_000);
        let begun = std::time::Instant::now();
        assert_eq!(read(&text).pieces.len(), MOST - 1);
        assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
    }
}

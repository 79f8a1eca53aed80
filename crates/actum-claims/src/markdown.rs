//! Markdown to passages: stretches of prose with their line, without code blocks and quotes, tables row by row. HTML is read as the text
//! that it shows.

use crate::html;
use crate::plain::plain;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A paragraph, an item, a heading, or one row of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passage {
    pub(crate) text: String,
    /// Parts of the text that stood between backticks.
    pub(crate) code: Vec<Range<usize>>,
    /// Where lines of the source begin in the text, with their numbers.
    lines: Vec<(usize, u64)>,
    /// The heading or the sentence with a colon above it.
    pub(crate) under: String,
    pub(crate) row: Option<Row>,
}

/// A row of a table: the header's cells and its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) header: Vec<String>,
    pub(crate) cells: Vec<String>,
}

impl Passage {
    /// The line of the source that a place in the text came from.
    pub(crate) fn line(&self, at: usize) -> u64 {
        let behind = self.lines.partition_point(|(start, _)| *start <= at);
        self.lines[..behind].last().map_or(1, |(_, line)| *line)
    }

    fn push(&mut self, text: &str, line: u64) {
        if self.lines.last().is_none_or(|(_, last)| *last != line) {
            self.lines.push((self.text.len(), line));
        }
        self.text.push_str(text);
    }
}

/// Deeper nesting is not prose.
const DEEPEST: usize = 64;

/// Reads a text. Linear in its length.
pub(crate) fn passages(text: &str) -> Vec<Passage> {
    let mut reader = Reader { source: text, lines: line_starts(text), ..Reader::default() };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.take(event, range);
    }
    reader.finish();
    together(reader.done)
}

/// Words for what became of tests, as rows and points of lists count them.
const OUTCOMES: &[&str] = &[
    "passed", "failed", "skipped", "xfailed", "ignored", "errors", "total", "passing", "failing", "pass",
    "fail", "todo", "xpassed", "failures",
];

/// `passed | 14`, `Failed: 2`: a word for an outcome and a number.
fn outcome(passage: &Passage) -> Option<(String, String)> {
    let (word, number) = match &passage.row {
        Some(row) if row.cells.len() == 2 => (row.cells[0].clone(), row.cells[1].clone()),
        Some(_) => return None,
        None => match passage.text.split_once(':') {
            Some((word, number)) if !word.starts_with(|c: char| c.is_ascii_digit()) => {
                (word.to_owned(), number.to_owned())
            }
            Some(_) | None => counted(passage)?,
        },
    };
    let plain = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let (word, number) = (plain(&word), plain(&number));
    let word = word.strip_prefix("tests ").or(word.strip_suffix(" tests")).unwrap_or(&word).to_owned();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    (OUTCOMES.contains(&word.as_str()) && is_number).then_some((word, number))
}

/// `6 passed`, `1 failed (`a name`)`: a point that begins with a number and its outcome.
fn counted(passage: &Passage) -> Option<(String, String)> {
    let plain = passage.text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (number, rest) = plain.split_once(' ')?;
    let rest = rest.strip_prefix("tests ").unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    // A sentence that only begins so is none.
    let behind = rest[end..].trim_start();
    let is_point = behind.is_empty() || behind.starts_with(['(', ':', '.', ',', '-', '–', '—', '✅', '❌']);
    is_point.then(|| (rest[..end].to_owned(), number.to_owned()))
}

/// What is said beside a count is read by itself, as one that stands among counts of tests.
fn beside_count(passage: &Passage) -> Option<Passage> {
    let is_more = passage.row.is_none() && !passage.code.is_empty();
    is_more.then(|| Passage { under: format!("{} tests", passage.under), ..passage.clone() })
}

/// Counts of outcomes that follow each other are one statement: alone, `14 passed` says nothing of the rest.
fn together(passages: Vec<Passage>) -> Vec<Passage> {
    let mut done: Vec<Passage> = Vec::with_capacity(passages.len());
    let mut counts: Vec<(String, String)> = Vec::new();
    let mut first = 0;
    for passage in passages {
        let same = counts.is_empty() || done.get(first).is_some_and(|one| one.under == passage.under);
        let Some((word, number)) = outcome(&passage).filter(|_| same) else {
            counts.clear();
            if let Some(count) = outcome(&passage) {
                counts.push(count);
                first = done.len();
            }
            done.push(passage);
            continue;
        };
        counts.push((word, number));
        if counts.len() == 1 {
            first = done.len();
            done.push(passage);
        } else {
            done.extend(beside_count(&passage));
            join(&mut done, first, &counts);
        }
    }
    done
}

/// Makes one passage of counts.
fn join(done: &mut Vec<Passage>, first: usize, counts: &[(String, String)]) {
    let Some(one) = done.get_mut(first) else { return };
    let told: Vec<String> = counts.iter().map(|(word, number)| format!("{number} {word}")).collect();
    let beside = beside_count(one);
    one.text = format!("Tests: {}", told.join(", "));
    one.code.clear();
    one.row = None;
    if let Some(beside) = beside {
        done.insert(first + 1, beside);
    }
}

#[derive(Default)]
struct Reader<'t> {
    source: &'t str,
    lines: Vec<usize>,
    done: Vec<Passage>,
    now: Passage,
    /// Within code, quotes, struck or raw text.
    hidden: usize,
    heading: String,
    intro: String,
    in_heading: bool,
    /// Points of lists that are open.
    items: usize,
    depth: usize,
    header: Vec<String>,
    cells: Vec<String>,
    in_table: bool,
    in_head: bool,
    /// A box that is not ticked: something still to be done.
    unticked: bool,
    /// A block of HTML that is open, and where it begins.
    html: Option<(String, usize)>,
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        let at = range.start;
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, at),
            Event::Code(code) => self.code(&code, at),
            Event::SoftBreak => self.text(if self.begins_point(range.end) { "\n" } else { " " }, at),
            Event::HardBreak => self.text("\n", at),
            Event::TaskListMarker(ticked) => self.unticked = !ticked,
            Event::Html(text) => {
                self.html.get_or_insert((String::new(), at)).0.push_str(&text);
            }
            Event::InlineHtml(tag) if html::breaks_line(&tag) => self.text("\n", at),
            Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::Rule => {}
        }
    }

    #[allow(clippy::wildcard_enum_match_arm, reason = "every other tag is prose")]
    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::Strikethrough => {
                self.finish();
                self.hidden += 1;
            }
            Tag::Heading { .. } => {
                self.finish();
                self.in_heading = true;
            }
            Tag::Table(_) => {
                self.finish();
                self.in_table = true;
                self.header.clear();
            }
            Tag::TableHead => self.in_head = true,
            Tag::TableRow => self.cells.clear(),
            Tag::TableCell => self.now = Passage::default(),
            Tag::Item => {
                self.finish();
                self.items += 1;
                self.unticked = false;
            }
            Tag::Paragraph | Tag::List(_) | Tag::HtmlBlock => self.finish(),
            _ => {}
        }
        self.depth += 1;
    }

    #[allow(clippy::wildcard_enum_match_arm, reason = "every other tag is prose")]
    fn end(&mut self, tag: TagEnd) {
        self.depth = self.depth.saturating_sub(1);
        match tag {
            TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Strikethrough => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            TagEnd::Heading(_) => {
                self.heading = self.now.text.clone();
                self.intro.clear();
                self.finish();
                self.in_heading = false;
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.now);
                let cells = if self.in_head { &mut self.header } else { &mut self.cells };
                cells.push(cell.text.trim().to_owned());
                self.now.lines = cell.lines;
            }
            TagEnd::TableHead => {
                self.in_head = false;
                self.now = Passage::default();
            }
            TagEnd::TableRow => self.row(),
            TagEnd::Table => self.in_table = false,
            TagEnd::Item => {
                self.finish();
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::Paragraph | TagEnd::List(_) => self.finish(),
            TagEnd::HtmlBlock => self.html_block(),
            _ => {}
        }
    }

    fn html_block(&mut self) {
        let Some((source, start)) = self.html.take() else { return };
        for block in html::blocks(&source) {
            let text = plain(&block.text).into_owned();
            let mut at = start + block.at;
            for line in text.split_inclusive('\n') {
                let marked = line.trim().strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' '));
                if marked.is_some() {
                    self.finish();
                }
                self.text(&format!("{} ", marked.unwrap_or(line).trim()), at);
                at += line.len();
            }
            self.finish();
        }
    }

    fn row(&mut self) {
        let line = self.now.lines.first().map_or(1, |(_, line)| *line);
        let row = Row { header: self.header.clone(), cells: std::mem::take(&mut self.cells) };
        let mut passage = Passage { under: self.under(), ..Passage::default() };
        passage.push(&row.cells.join(" | "), line);
        passage.row = Some(row);
        self.now = Passage::default();
        if self.hidden == 0 {
            self.done.push(passage);
        }
    }

    fn text(&mut self, text: &str, at: usize) {
        if self.hidden == 0 && self.depth <= DEEPEST {
            let line = self.line_of(at);
            self.now.push(text, line);
        }
    }

    fn code(&mut self, code: &str, at: usize) {
        if self.hidden == 0 && self.depth <= DEEPEST {
            let start = self.now.text.len();
            let line = self.line_of(at);
            self.now.push(code, line);
            self.now.code.push(start..self.now.text.len());
        }
    }

    /// Puts away what was read so far.
    fn finish(&mut self) {
        if self.in_table && !self.in_heading {
            return;
        }
        let mut passage = std::mem::take(&mut self.now);
        let text = passage.text.trim();
        if text.is_empty() || self.unticked || self.hidden > 0 {
            return;
        }
        passage.under = self.under();
        if !self.in_heading {
            let is_title = self.items == 0 && is_title(text);
            if text.ends_with(':') || is_title {
                self.intro = text.to_owned();
            }
        }
        self.done.push(passage);
    }

    fn under(&self) -> String {
        format!("{} {}", self.heading, self.intro).trim().to_owned()
    }

    /// Lines that each begin with a tick, or with a word in bold, are points of a list that nobody marked as one.
    fn begins_point(&self, at: usize) -> bool {
        let rest = self.source.get(at..).unwrap_or_default().trim_start();
        let next = rest.chars().next().filter(|_| !rest.starts_with("**"));
        if next.is_none() {
            return true;
        }
        next.is_some_and(|next| "✅✔✓☑❌✗✘✖⏭⚠•▶🟢🔴".contains(next))
    }

    fn line_of(&self, at: usize) -> u64 {
        self.lines.partition_point(|start| *start <= at) as u64
    }
}

/// A few words without an end are a heading that nobody marked as one.
fn is_title(text: &str) -> bool {
    text.split_whitespace().count() <= 9 && !text.ends_with(['.', '!', '?', ',', ';']) && !text.contains('\n')
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_outcomes_are_one_statement() {
        let texts = |text: &str| passages(text).into_iter().map(|one| one.text).collect::<Vec<_>>();
        let table = "| Outcome | Count |\n|---|---|\n| passed | 14 |\n| failed | 2 |\n";
        assert_eq!(texts(table), ["Tests: 14 passed, 2 failed"]);
        assert_eq!(texts("- Passed: 14\n- **Skipped**: 2\n- Done"), ["Tests: 14 passed, 2 skipped", "Done"]);
        assert_eq!(texts("- Passed: 14\n- Rows: 2"), ["Passed: 14", "Rows: 2"]);
    }

    #[test]
    fn html_is_read_as_its_text() {
        let texts =
            |text: &str| passages(text).into_iter().map(|one| one.text.trim().to_owned()).collect::<Vec<_>>();
        for text in [
            "<p>All 2 tests pass.</p>",
            "<!-- x -->All 2 tests pass.",
            "<details>\nAll 2\ntests pass.\n</details>",
            "<details><summary></summary>\n\nAll 2 tests pass.\n\n</details>",
            "<div>\n- All 2 tests pass.\n</div>",
            "All 2 te<b>st</b>s pass.",
            "<p>All 2 te&shy;sts p&#97;ss.</p>",
        ] {
            assert_eq!(texts(text), ["All 2 tests pass."], "{text}");
        }
        assert_eq!(passages("a\n\n<p>\nb\n</p>")[1].line(0), 4);
    }

    #[test]
    fn code_and_quotes_are_left_out_and_lines_are_kept() {
        let text = "# Results\n\nAll **12** tests `pass`.\nYes.\n\n```\n3 failed\n```\n\n> quoted 4 failed\n\n- one\n- [ ] two\n\n| a | b |\n|---|---|\n| acc | 0.9 |\n";
        let found = passages(text);
        let texts: Vec<&str> = found.iter().map(|passage| passage.text.as_str()).collect();
        assert_eq!(texts, ["Results", "All 12 tests pass. Yes.", "one", "acc | 0.9"]);
        assert_eq!((found[1].line(0), found[1].line(20)), (3, 4));
        assert_eq!(&found[1].text[found[1].code[0].clone()], "pass");
        assert_eq!((found[2].under.as_str(), found[3].line(0)), ("Results", 17));
        let row = found[3].row.as_ref().unwrap();
        assert_eq!((row.header.join(","), row.cells.join(",")), ("a,b".to_owned(), "acc,0.9".to_owned()));
    }
}

//! Code in HTML: `<pre><code class="language-x">`, with its entities decoded.

use crate::answer::{Answer, Before, Piece};
use crate::label;
use actum_model::{AnswerForm, BlockKind};

/// Reads a page.
pub(crate) fn read(text: &str) -> Answer {
    Answer { form: AnswerForm::Html, pieces: pieces(text), text: text.to_owned(), ..Answer::default() }
}

/// Every `<pre>` of a page. One walk; what is no tag is text.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut walk = Walk {
        text,
        at: 0,
        line: 1,
        before: String::new(),
        found: Vec::new(),
        last_comment: text.rfind("-->"),
    };
    walk.go();
    walk.found
}

/// What a page says around code that is written otherwise: `<summary>Windows</summary>`, `<TabItem label="Windows">`.
pub(crate) fn title(page: &str) -> String {
    let text = decoded(&without_tags(page)).trim().to_owned();
    let label =
        || page.split_once("label=\"").and_then(|(_, rest)| rest.split_once('"')).map(|(label, _)| label);
    if text.is_empty() { label().unwrap_or_default().to_owned() } else { text }
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    line: u64,
    before: String,
    found: Vec<Piece>,
    /// Where the last comment ends: behind it nothing has to be looked for.
    last_comment: Option<usize>,
}

impl Walk<'_> {
    fn go(&mut self) {
        while let Some(open) = self.text[self.at..].find('<') {
            let open = self.at + open;
            self.say(open);
            match self.tag(open) {
                Some((name, end)) if name == "pre" => self.pre(open, end),
                Some((name, end)) if matches!(name.as_str(), "script" | "style" | "think") => {
                    self.pass(&name, end);
                }
                Some((name, end)) => {
                    if matches!(name.as_str(), "p" | "div" | "h1" | "h2" | "h3" | "h4" | "li" | "br") {
                        self.before.clear();
                    }
                    self.move_to(end);
                }
                None => self.move_to(open + 1),
            }
        }
    }

    /// Text up to here stands before what comes.
    fn say(&mut self, to: usize) {
        let words = &self.text[self.at..to];
        if self.before.len() + words.len() < 2_000 {
            self.before.push_str(&decoded(words));
        } else {
            self.before.clear();
        }
        self.move_to(to);
    }

    fn move_to(&mut self, to: usize) {
        let to = to.min(self.text.len());
        self.line += self.text.as_bytes()[self.at..to].iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at = to;
    }

    /// The name of the tag that opens here, and where it ends.
    fn tag(&self, open: usize) -> Option<(String, usize)> {
        let rest = &self.text[open + 1..];
        if rest.starts_with("!--") {
            // A comment that does not end hides nothing behind it.
            self.last_comment.filter(|last| *last > open)?;
            return rest.find("-->").map(|end| ("!--".to_owned(), open + 1 + end + 3));
        }
        let name: String =
            rest.chars().take(12).take_while(|letter| letter.is_ascii_alphanumeric()).collect();
        // It ends before the next one begins; so every byte is looked at once.
        let end = rest.bytes().position(|byte| matches!(byte, b'>' | b'<'))?;
        let end = Some(end).filter(|end| rest.as_bytes()[*end] == b'>')?;
        (!name.is_empty()).then(|| (name.to_ascii_lowercase(), open + 1 + end + 1))
    }

    /// Goes to the end of an element whose content is not text.
    fn pass(&mut self, name: &str, from: usize) {
        let close = format!("</{name}");
        let end = find_ignoring_case(&self.text[from..], &close).map_or(self.text.len(), |at| from + at);
        self.move_to(end);
    }

    fn pre(&mut self, open: usize, end: usize) {
        let mut attributes = self.text[open..end].to_owned();
        let first_line = self.line;
        self.move_to(end);
        let mut begin = end;
        let inner = self.text[end..].trim_start();
        if inner.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case("<code")) {
            let at = self.text.len() - inner.len();
            if let Some((_, after)) = self.tag(at) {
                attributes.push_str(&self.text[at..after]);
                begin = after;
                self.move_to(begin);
            }
        }
        let first_code_line = self.line;
        let body = &self.text[begin..];
        let close = find_ignoring_case(body, "</pre");
        let is_open = close.is_none();
        let body = &body[..close.unwrap_or(body.len())];
        let inner = body.trim_end();
        let inner_end = inner.len().saturating_sub("</code>".len());
        let is_code = inner.get(inner_end..).is_some_and(|tag| tag.eq_ignore_ascii_case("</code>"));
        let code = decoded(&without_tags(if is_code { &inner[..inner_end] } else { body }));
        self.move_to(begin + body.len());
        let last_line = self.line;
        // The first line feed behind `<pre>` is not a part of it.
        let code = code.strip_prefix('\n').map(str::to_owned).unwrap_or(code);
        let code = if code.ends_with('\n') || code.is_empty() { code } else { code + "\n" };
        let before = std::mem::take(&mut self.before);
        self.found.push(Piece {
            kind: BlockKind::Html,
            label: class(&attributes),
            code,
            lines: [first_line, last_line],
            first_code_line,
            before: Before { is_bare: before.trim().is_empty(), text: before, heading: String::new() },
            is_open,
            ..Piece::default()
        });
    }
}

/// The language that a class names: `language-python`, `lang-js`, `brush: php`, `highlight-source-shell`.
fn class(attributes: &str) -> Option<String> {
    let words =
        attributes.split(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '=' | '>'));
    let marks = ["language-", "lang-", "highlight-source-", "sourceCode-"];
    let mut named = words.filter_map(|word| marks.iter().find_map(|mark| word.strip_prefix(mark)));
    named.find_map(|name| label::read(name).word)
}

/// Marks of highlighters within the code are taken away.
fn without_tags(body: &str) -> String {
    let mut kept = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(open) = rest.find('<') {
        kept.push_str(&rest[..open]);
        let tag = &rest[open..];
        let is_tag = tag[1..].starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/');
        let end = tag.bytes().skip(1).position(|byte| matches!(byte, b'>' | b'<')).map(|end| end + 1);
        match end.filter(|end| is_tag && tag.as_bytes()[*end] == b'>') {
            Some(close) => rest = &tag[close + 1..],
            None => {
                kept.push('<');
                rest = &tag[1..];
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// Entities, decoded once.
fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let entity = &rest[at + 1..];
        let end = entity.as_bytes().iter().take(12).position(|byte| *byte == b';');
        let character = end.and_then(|end| character(&entity[..end]));
        match (character, end) {
            (Some(character), Some(end)) => {
                out.push(character);
                rest = &entity[end + 1..];
            }
            (_, _) => {
                out.push('&');
                rest = entity;
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(entity: &str) -> Option<char> {
    Some(match entity {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "hellip" => '…',
        "ldquo" => '“',
        "rdquo" => '”',
        "lsquo" => '‘',
        "rsquo" => '’',
        other => {
            let number = other.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|character| *character != '\0')?
        }
    })
}

/// Where a word of ASCII letters stands, in whatever case.
fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len()).position(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String, [u64; 2])> {
        pieces(text).into_iter().map(|one| (one.label.unwrap_or_default(), one.code, one.lines)).collect()
    }

    #[test]
    fn code_of_a_page() {
        for (text, label, code, lines) in [
            ("<pre><code class=\"language-python\">a &lt; b\n</code></pre>", "python", "a < b\n", [1, 2]),
            ("<p>x</p>\n<PRE>\n<CODE class='lang-js foo'>x\n</CODE>\n</PRE>", "js", "x\n", [2, 5]),
            ("<pre>plain &amp;amp; &#65;&#x42; &nope;</pre>", "", "plain &amp; AB &nope;\n", [1, 1]),
            (
                "<pre class=\"highlight-source-shell\"><span class=x>ls</span> -l</pre>",
                "shell",
                "ls -l\n",
                [1, 1],
            ),
            ("<pre><code>if a<b: pass", "", "if a<b: pass\n", [1, 1]),
        ] {
            assert_eq!(found(text), [(label.to_owned(), code.to_owned(), lines)], "{text}");
        }
        assert!(found("<script>'<pre>x</pre>'</script> <!-- <pre>x</pre> -->").is_empty());
    }
}

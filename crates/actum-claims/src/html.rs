//! HTML in a message: the text that a reader sees, without tags and comments.
//!
//! No parser of HTML: what is not understood as a tag stays text, so that nothing is hidden by being wrong. Pure, linear.

use std::ops::Range;

/// A stretch of text between tags that begin and end blocks, and where in the source it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) text: String,
    pub(crate) at: usize,
}

/// Elements whose text is no prose: code, quotes and struck text, as in Markdown, and what is never shown.
const HIDDEN: [&str; 7] = ["pre", "blockquote", "del", "s", "strike", "script", "style"];
/// Elements within a line of text.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "em", "font", "i", "ins", "kbd", "mark", "small",
    "span", "strong", "sub", "sup", "u",
];

/// The blocks of visible text. An element that is hidden and not closed hides nothing.
pub(crate) fn blocks(source: &str) -> Vec<Block> {
    let mut found = vec![Block { text: String::new(), at: 0 }];
    let mut ends = Ends { lower: source.to_ascii_lowercase(), missing: Vec::new() };
    let mut at = 0;
    while at < source.len() {
        let next = source[at..].find('<').map_or(source.len(), |next| at + next);
        push(&mut found, &source[at..next], at);
        at = next;
        let Some(tag) = Tag::at(&mut ends, at) else {
            let end = (at + 1).min(source.len());
            push(&mut found, &source[at..end], at);
            at = end;
            continue;
        };
        at = tag.closing(&mut ends).unwrap_or(tag.range.end);
        match tag.name.as_str() {
            "" => {}
            "td" | "th" => push(&mut found, " ", at),
            name if INLINE.contains(&name) => {}
            _ => found.push(Block { text: String::new(), at }),
        }
    }
    found.retain(|block| !block.text.trim().is_empty());
    found
}

/// Whether a tag within a line begins a new one.
pub(crate) fn breaks_line(tag: &str) -> bool {
    let mut ends = Ends { lower: tag.to_ascii_lowercase(), missing: Vec::new() };
    Tag::at(&mut ends, 0).is_some_and(|tag| !tag.name.is_empty() && !INLINE.contains(&tag.name.as_str()))
}

/// Where things end. What was not found once is not looked for again, so that this stays linear.
struct Ends {
    lower: String,
    missing: Vec<String>,
}

impl Ends {
    fn find(&mut self, from: usize, wanted: &str) -> Option<usize> {
        if self.missing.iter().any(|one| one == wanted) {
            return None;
        }
        let found = self.lower.get(from..)?.find(wanted).map(|at| from + at + wanted.len());
        if found.is_none() {
            self.missing.push(wanted.to_owned());
        }
        found
    }
}

struct Tag {
    /// In lower case; empty for a comment, a declaration or an instruction.
    name: String,
    is_opening: bool,
    range: Range<usize>,
}

impl Tag {
    fn at(ends: &mut Ends, at: usize) -> Option<Self> {
        let rest = ends.lower.get(at..)?.strip_prefix('<')?;
        if rest.starts_with("!--") {
            // A comment that does not end is text.
            let end = ends.find(at + 4, "-->")?;
            return Some(Self { name: String::new(), is_opening: false, range: at..end });
        }
        let (is_mark, is_opening) = (rest.starts_with(['!', '?']), !rest.starts_with('/'));
        let name = rest.strip_prefix('/').unwrap_or(rest);
        if !is_mark && !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let length = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
        let name = if is_mark { String::new() } else { name[..length].to_owned() };
        let end = ends.find(at, ">")?;
        Some(Self { name, is_opening, range: at..end })
    }

    /// The end of the element that it opens, where that is hidden.
    fn closing(&self, ends: &mut Ends) -> Option<usize> {
        let is_hidden = self.is_opening && HIDDEN.contains(&self.name.as_str());
        let wanted = format!("</{}>", self.name);
        if is_hidden { ends.find(self.range.end, &wanted) } else { None }
    }
}

fn push(found: &mut [Block], text: &str, at: usize) {
    let Some(block) = found.last_mut() else { return };
    if block.text.is_empty() {
        block.at = at + (text.len() - text.trim_start().len());
        block.text.push_str(&decoded(text.trim_start()));
    } else {
        block.text.push_str(&decoded(text));
    }
}

/// Entities that stand for letters, digits and the signs that HTML needs.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    let number = name.strip_prefix('#').map(|digits| match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    });
    match (number, name) {
        (Some(number), _) => number.ok().and_then(char::from_u32),
        (None, "amp") => Some('&'),
        (None, "lt") => Some('<'),
        (None, "gt") => Some('>'),
        (None, "quot") => Some('"'),
        (None, "apos") => Some('\''),
        (None, "nbsp" | "ensp" | "emsp" | "thinsp") => Some(' '),
        (None, "shy" | "zwnj" | "zwj") => Some('\u{ad}'),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        blocks(source).into_iter().map(|block| block.text.trim().to_owned()).collect()
    }

    #[test]
    fn text_between_tags_is_read() {
        assert_eq!(texts("<p>All 2 te<b>st</b>s pass.</p>"), ["All 2 tests pass."]);
        assert_eq!(texts("<!-- x -->All 2 tests pass."), ["All 2 tests pass."]);
        assert_eq!(texts("<div>one<br>two</div>"), ["one", "two"]);
        assert_eq!(texts("<tr><td>a</td><td>1</td></tr>"), ["a  1"]);
        assert_eq!(texts("<p>&#65;ll 3 &lt; 4 &amp; t&shy;</p>"), ["All 3 < 4 & t\u{ad}"]);
        assert_eq!(texts("a < b and <p x='1'>c"), ["a < b and", "c"]);
        assert_eq!(texts("<pre>3 failed</pre>ok<script>x</script>"), ["ok"]);
        assert_eq!(texts("<pre>not closed"), ["not closed"]);
        assert_eq!(texts("<!-- not closed"), ["<!-- not closed"]);
    }
}

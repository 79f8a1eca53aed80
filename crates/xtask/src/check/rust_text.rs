//! Enough of Rust's grammar to tell code from comments, strings and tests. Not a parser: a blanking scan.

/// The same text, same lines and columns, with comments and the contents of strings and characters blanked.
pub fn code_only(text: &str) -> String {
    let mut scan = Scan { rest: text, out: String::with_capacity(text.len()), previous: ' ' };
    while let Some(next) = scan.rest.chars().next() {
        scan.step(next);
    }
    scan.out
}

/// Lines with their numbers, from one, up to the tests at the bottom.
pub fn production_lines(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = code.lines().collect();
    let end = (0..lines.len()).find(|&index| tests_begin(&lines[index..])).unwrap_or(lines.len());
    lines.into_iter().take(end).enumerate().map(|(index, line)| (index + 1, line))
}

/// Where `word` stands in `line` and is not a part of a longer identifier.
pub fn find_word(line: &str, word: &str) -> Option<usize> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let open_left = word.starts_with(is_part);
    let open_right = word.ends_with(is_part);
    line.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !(open_left && before.is_some_and(is_part) || open_right && after.is_some_and(is_part))
    })
}

/// `#[cfg(test)]`, perhaps more attributes, then a module with a body.
fn tests_begin(lines: &[&str]) -> bool {
    lines[0].trim() == "#[cfg(test)]"
        && lines[1..]
            .iter()
            .map(|line| line.trim())
            .find(|line| !line.starts_with("#["))
            .is_some_and(|line| line.starts_with("mod ") && !line.ends_with(';'))
}

struct Scan<'a> {
    rest: &'a str,
    out: String,
    /// The last character of code, to tell `br"` from an identifier that ends in `r`.
    previous: char,
}

impl Scan<'_> {
    fn step(&mut self, next: char) {
        if self.rest.starts_with("//") {
            return self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
        if self.rest.starts_with("/*") {
            return self.blank(block_comment(self.rest));
        }
        if !(self.previous.is_alphanumeric() || self.previous == '_')
            && let Some((open, length)) = raw_string(self.rest)
        {
            self.keep(open);
            return self.blank(length);
        }
        match next {
            '"' => self.quoted('"'),
            '\'' if is_character(self.rest) => self.quoted('\''),
            _ => self.keep(next.len_utf8()),
        }
    }

    /// Keeps the quotes, blanks what is between them.
    fn quoted(&mut self, quote: char) {
        self.keep(1);
        self.blank(until_quote(self.rest, quote));
        self.keep(self.rest.len().min(1));
    }

    fn keep(&mut self, length: usize) {
        let (kept, rest) = self.rest.split_at(length);
        self.out.push_str(kept);
        self.previous = kept.chars().next_back().unwrap_or(self.previous);
        self.rest = rest;
    }

    fn blank(&mut self, length: usize) {
        let (blanked, rest) = self.rest.split_at(length);
        self.out.extend(blanked.chars().map(|character| if character == '\n' { '\n' } else { ' ' }));
        self.previous = ' ';
        self.rest = rest;
    }
}

/// The length of a block comment, nested ones included.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// For `r"…"`, `r#"…"#`, `br"…"` and `cr"…"`: the length of the opening, and of the contents.
fn raw_string(text: &str) -> Option<(usize, usize)> {
    let after =
        text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let contents = after[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let length = contents.find(&close).unwrap_or(contents.len());
    Some((text.len() - contents.len(), length + close.len().min(contents.len() - length)))
}

/// A character, rather than the beginning of a lifetime.
fn is_character(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    match characters.next() {
        Some('\\') => true,
        Some(_) => characters.next() == Some('\''),
        None => false,
    }
}

/// How far it is to the closing quote; escapes are stepped over.
fn until_quote(text: &str, quote: char) -> usize {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == quote {
            return at;
        }
        if character == '\\' {
            characters.next();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_what_is_not_code() {
        for (text, expected) in [
            ("a // b", "a     "),
            ("a /* b /* c */ d */ e", "a                   e"),
            ("a(\"b // c\") d", "a(\"      \") d"),
            ("a(\"\\\" b\") c", "a(\"    \") c"),
            ("a('\"') b // c", "a(' ') b     "),
            ("a('\\'') b", "a('  ') b"),
            ("fn a<'b>(c: &'b d) {}", "fn a<'b>(c: &'b d) {}"),
            ("r#\"a \" b\"# c", "r#\"        c"),
            ("br\"a\\\" c", "br\"    c"),
            ("bar\"a\\\"\" c", "bar\"   \" c"),
            ("\"a\nb\" c", "\" \n \" c"),
            ("/* a", "    "),
            ("\"a", "\" "),
            ("r\"a", "r\" "),
        ] {
            assert_eq!(code_only(text), expected, "{text}");
        }
    }

    #[test]
    fn production_ends_where_tests_begin() {
        let code = "a\n#[cfg(test)]\nmod tests;\nb\n#[cfg(test)]\n#[allow(x)]\nmod tests {\nc\n}";
        let lines: Vec<_> = production_lines(code).collect();
        assert_eq!(lines, [(1, "a"), (2, "#[cfg(test)]"), (3, "mod tests;"), (4, "b")]);
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(find_word("eprint!(); print!()", "print!"), Some(11));
        assert_eq!(find_word("unsafe_code", "unsafe"), None);
        assert_eq!(find_word("(unsafe)", "unsafe"), Some(1));
        assert_eq!(find_word("my_libc libc", "libc"), Some(8));
    }
}

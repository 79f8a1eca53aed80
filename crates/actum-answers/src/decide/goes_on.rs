//! Whether a command at a shell goes on in the next line: a quotation mark, a bracket, a here document or a loop is still open.
//!
//! Each line is passed once, so a command of many lines takes no more than its length. What a parser says in the end decides whether
//! it runs; this only says which lines are the command, and which are what it printed.

use std::collections::VecDeque;

/// What is still open of a command.
#[derive(Debug, Default)]
pub(super) struct Typing {
    quote: Option<char>,
    brackets: usize,
    /// `for` without `done`, `if` without `fi`, `case` without `esac`.
    compounds: usize,
    /// Words that end here documents, in the order in which they were opened.
    documents: VecDeque<String>,
    /// The line ends in a backslash, `|` or `&&`.
    is_joined: bool,
}

impl Typing {
    pub(super) fn goes_on(&self) -> bool {
        self.quote.is_some()
            || self.brackets > 0
            || self.compounds > 0
            || self.is_joined
            || !self.documents.is_empty()
    }

    /// Takes in the next line of the command.
    pub(super) fn pass(&mut self, line: &str) {
        if let Some(word) = self.documents.front() {
            if line.trim() == word {
                self.documents.pop_front();
            }
            return;
        }
        let mut scan = Scan { rest: line, is_first: self.quote.is_none(), word: String::new() };
        while let Some(letter) = scan.next() {
            if !self.letter(letter, &mut scan) {
                break;
            }
        }
        self.word(&mut scan);
        let end = line.trim_end();
        self.is_joined =
            self.quote.is_none() && (end.ends_with("&&") || end.ends_with('|') || is_backslash(line));
    }

    /// Whether the line is looked at further: behind a comment it is not.
    fn letter(&mut self, letter: char, scan: &mut Scan<'_>) -> bool {
        match (self.quote, letter) {
            (Some('\''), '\'') => self.quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                scan.next();
                scan.word.push(letter);
            }
            (Some(open), _) if open == letter => self.quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => {
                self.quote = Some(letter);
                scan.word.push(letter);
            }
            (None, '#') if scan.word.is_empty() => return false,
            (None, '(' | '{') => {
                self.word(scan);
                self.brackets += 1;
                scan.is_first = true;
            }
            (None, ')' | '}') => {
                self.word(scan);
                self.brackets = self.brackets.saturating_sub(1);
            }
            (None, '<') if self.brackets < 2 && scan.rest.starts_with('<') => self.document(scan),
            (None, ';' | '&' | '|') => {
                self.word(scan);
                scan.is_first = true;
            }
            (None, _) if letter.is_whitespace() => self.word(scan),
            (None, _) => scan.word.push(letter),
        }
        true
    }

    /// A word is at its end. Only where a command begins it can open or close a compound one.
    fn word(&mut self, scan: &mut Scan<'_>) {
        let word = std::mem::take(&mut scan.word);
        if word.is_empty() || !scan.is_first {
            return;
        }
        scan.is_first = matches!(word.as_str(), "do" | "then" | "else" | "if" | "while" | "until" | "!");
        match word.as_str() {
            "if" | "for" | "while" | "until" | "case" | "select" => self.compounds += 1,
            "fi" | "done" | "esac" => self.compounds = self.compounds.saturating_sub(1),
            _ => {}
        }
    }

    /// `<<EOF`, `<<-'EOF'`. `<<<` is a string, and `<< 2` moves bits.
    fn document(&mut self, scan: &mut Scan<'_>) {
        let behind = &scan.rest[1..];
        if let Some(rest) = behind.strip_prefix('<') {
            scan.rest = rest;
            return;
        }
        let name = behind.trim_start_matches(['-', ' ', '\'', '"', '\\']);
        let word: String =
            name.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        if word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
            scan.rest = name[word.len()..].trim_start_matches(['\'', '"']);
            self.documents.push_back(word);
        }
    }
}

/// One line on its way.
struct Scan<'l> {
    rest: &'l str,
    /// The next word is where a command begins.
    is_first: bool,
    word: String,
}

impl Scan<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }
}

/// An odd number of backslashes at the end.
fn is_backslash(line: &str) -> bool {
    line.len().wrapping_sub(line.trim_end_matches('\\').len()) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goes_on(lines: &[&str]) -> bool {
        let mut typing = Typing::default();
        lines.iter().for_each(|line| typing.pass(line));
        typing.goes_on()
    }

    #[test]
    fn what_is_still_open() {
        for lines in [
            &["echo a \\"][..],
            &["echo 'a"],
            &["echo \"it's"],
            &["cat <<EOF", "done"],
            &["for i in 1 2; do"],
            &["for i in 1 2", "do"],
            &["if true; then", "for x in a; do", "done"],
            &["a &&"],
            &["a |"],
            &["f() {"],
            &["(cd x;"],
            &["case $1 in"],
        ] {
            assert!(goes_on(lines), "{lines:?}");
        }
    }

    #[test]
    fn what_is_whole() {
        for lines in [
            &["echo \"it's fine\""][..],
            &["git commit -m \"don't panic\""],
            &["echo it\\'s"],
            &["echo done for you if"],
            &["ls # it's a comment"],
            &["echo $((1 << 2))"],
            &["cat <<< word"],
            &["cat <<'EOF' > a.txt", "it's", "EOF"],
            &["for i in 1 2; do", "echo $i", "done"],
            &["if true; then echo a; fi"],
            &["f() {", "ls", "}"],
            &["echo a \\\\"],
            &["while read x; do echo $x; done"],
            &["case $1 in", "a) ls;;", "esac"],
        ] {
            assert!(!goes_on(lines), "{lines:?}");
        }
    }
}

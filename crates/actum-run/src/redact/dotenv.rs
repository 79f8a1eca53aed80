//! Reads the text of an `.env` file: names and values as the usual libraries read them. Pure.

/// More than any project has; a file that has more is something else.
const MOST: usize = 512;

/// The variables of an `.env` file. What cannot be understood is passed over: the file is not ours, and nothing depends on it
/// but what is taken out.
pub fn variables(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut rest = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    while !rest.is_empty() && found.len() < MOST {
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let used = match name(&rest[..line]) {
            Some((name, at)) => {
                let (value, length) = value(&rest[at..]);
                found.push((name, value));
                at + length
            }
            None => line,
        };
        rest = rest.get(used + 1..).unwrap_or_default();
    }
    found
}

/// The name that a line assigns to, and where its value begins.
fn name(line: &[u8]) -> Option<(Vec<u8>, usize)> {
    let equals = line.iter().position(|byte| *byte == b'=')?;
    let name = line[..equals].trim_ascii();
    let name = name.strip_prefix(b"export ").unwrap_or(name).trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let blanks = line[equals + 1..].iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
    (!name.is_empty() && name.iter().all(is_name)).then(|| (name.to_vec(), equals + 1 + blanks))
}

/// The value that a text begins with, and how much of the text it and its line are.
fn value(text: &[u8]) -> (Vec<u8>, usize) {
    let to_line_end =
        |from: usize| from + text[from..].iter().position(|byte| *byte == b'\n').unwrap_or(text.len() - from);
    // In quotes it may go on over several lines.
    if let Some(quote) = text.first().filter(|first| b"'\"`".contains(first))
        && let Some(end) = closing(text, *quote)
    {
        let inner = &text[1..end];
        let value = if *quote == b'"' { unescaped(inner) } else { inner.to_vec() };
        return (value, to_line_end(end));
    }
    let line = &text[..to_line_end(0)];
    let comment = line.windows(2).position(|pair| pair == b" #").unwrap_or(line.len());
    (line[..comment].trim_ascii().to_vec(), line.len())
}

fn closing(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        let one = match (byte, bytes.as_slice().first()) {
            (b'\\', Some(b'n')) => Some(b'\n'),
            (b'\\', Some(b'r')) => Some(b'\r'),
            (b'\\', Some(b't')) => Some(b'\t'),
            (b'\\', Some(escaped @ (b'\\' | b'"' | b'$' | b'`'))) => Some(*escaped),
            (_, Some(_) | None) => None,
        };
        if one.is_some() {
            bytes.next();
        }
        value.push(one.unwrap_or(*byte));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_the_usual_libraries_read_it() {
        let text = b"# comment\nA=one\nexport B = two # said\nC='it # is'\nD=\"a\\nb \\\"c\\\"\"\nE=\nnonsense\n=x\nF=\"first\nsecond\"\nG=a=b#c\r\nH=\"open\nI=last";
        let found = variables(text);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, value)| (std::str::from_utf8(name).unwrap(), std::str::from_utf8(value).unwrap()))
            .collect();
        let expected = [
            ("A", "one"),
            ("B", "two"),
            ("C", "it # is"),
            ("D", "a\nb \"c\""),
            ("E", ""),
            ("F", "first\nsecond"),
            ("G", "a=b#c"),
            ("H", "\"open"),
            ("I", "last"),
        ];
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn anything_is_read_to_its_end(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(variables(&text).len() <= text.len());
        }

        #[test]
        fn what_is_written_plainly_is_read_back(pairs in proptest::collection::vec(("[A-Z]{1,6}", "[a-z0-9/+=]{0,12}"), 0..9)) {
            let text: String = pairs.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
            let found = variables(text.as_bytes());
            let expected: Vec<(Vec<u8>, Vec<u8>)> =
                pairs.iter().map(|(name, value)| (name.clone().into_bytes(), value.clone().into_bytes())).collect();
            prop_assert_eq!(found, expected);
        }
    }
}

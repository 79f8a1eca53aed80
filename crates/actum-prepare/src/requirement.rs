//! One requirement of Python, parsed. What is written for uv is built from these parts, never from the text of a file.
//!
//! Stricter than PEP 508: no address, no option but a hash, printable ASCII only. Pure. Start at [`Requirement::parse`].

use std::fmt;

/// A package with its extras, versions, marker and hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Requirement {
    pub(crate) name: String,
    extras: Vec<String>,
    /// As in `>=1.2`.
    pub(crate) versions: Vec<String>,
    /// The tokens of a marker, as in `python_version`, `<`, `'3.9'`.
    marker: Vec<String>,
    /// As in `sha256:00`.
    pub(crate) hashes: Vec<String>,
}

const ADDRESS: &str = "it is a URL; only packages from the index are supported";
const NO_REQUIREMENT: &str = "it is not a requirement";
/// The longest one first.
const OPERATORS: [&str; 8] = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];

impl Requirement {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if !text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
            return Err("it contains a character that is not allowed in a requirement");
        }
        let text = text.replace('\t', " ");
        let (body, options) = text.split_once(" --").unwrap_or((&text, ""));
        let hashes = match options {
            "" => Vec::new(),
            options => format!("--{options}").split_whitespace().map(hash).collect::<Result<_, _>>()?,
        };
        let (body, marker) = body.split_once(';').map_or((body, None), |(body, marker)| (body, Some(marker)));
        let body = body.trim();
        let name = super::name_of(body);
        let mut rest = body[name.len()..].trim();
        if !is_name(name) {
            return Err(if body.contains('/') { NO_PATH } else { NO_REQUIREMENT });
        }
        let mut extras = Vec::new();
        if let Some(inside) = rest.strip_prefix('[') {
            let (list, behind) = inside.split_once(']').ok_or(NO_REQUIREMENT)?;
            extras = list.split(',').map(|extra| extra.trim().to_owned()).collect();
            extras.retain(|extra| !extra.is_empty());
            rest = behind.trim();
        }
        if !extras.iter().all(|extra| is_name(extra)) {
            return Err(NO_REQUIREMENT);
        }
        if rest.starts_with('@') {
            return Err(ADDRESS);
        }
        let plain = rest.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')).unwrap_or(rest);
        let parts = plain.split(',').map(str::trim).filter(|part| !part.is_empty());
        let no = if rest.contains('/') { NO_PATH } else { NO_REQUIREMENT };
        let versions = parts.map(|part| version(part).ok_or(no)).collect::<Result<_, _>>()?;
        let marker = marker.map(marker_tokens).transpose()?.unwrap_or_default();
        Ok(Self { name: name.to_owned(), extras, versions, marker, hashes })
    }

    /// Whether it names one release.
    pub(crate) fn is_pinned(&self) -> bool {
        matches!(&self.versions[..], [only] if only.starts_with("==") && !only.contains('*'))
    }

    /// Everything but the hashes.
    pub(crate) fn without_hashes(&self) -> String {
        let extras = match self.extras.is_empty() {
            true => String::new(),
            false => format!("[{}]", self.extras.join(",")),
        };
        let marker = match self.marker.is_empty() {
            true => String::new(),
            false => format!(" ; {}", self.marker.join(" ").replace("( ", "(").replace(" )", ")")),
        };
        format!("{}{extras}{}{marker}", self.name, self.versions.join(","))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_hashes())?;
        self.hashes.iter().try_for_each(|hash| write!(f, " --hash={hash}"))
    }
}

const NO_PATH: &str = "it is a path; only `.` (the project) is supported";

/// Whether a text is the name of a package, and nothing else.
pub(crate) fn is_name(text: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    is_edge(text.chars().next())
        && is_edge(text.chars().next_back())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn version(text: &str) -> Option<String> {
    let operator = OPERATORS.iter().find(|operator| text.starts_with(**operator))?;
    let version = text[operator.len()..].trim();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".*+!-_".contains(&byte);
    let is_version = version.starts_with(|c: char| c.is_ascii_alphanumeric()) && version.bytes().all(is_part);
    is_version.then(|| format!("{operator}{version}"))
}

fn hash(word: &str) -> Result<String, &'static str> {
    let value = word.strip_prefix("--hash=").ok_or("only hashes are allowed after a requirement")?;
    let (kind, digest) = value.split_once(':').ok_or("its hash cannot be parsed")?;
    let is_plain = ["sha256", "sha384", "sha512", "md5"].contains(&kind)
        && !digest.is_empty()
        && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_plain { Ok(value.to_owned()) } else { Err("its hash cannot be parsed") }
}

fn marker_tokens(text: &str) -> Result<Vec<String>, &'static str> {
    const WRONG: &str = "its marker cannot be parsed";
    let (mut tokens, mut rest, mut open) = (Vec::new(), text.trim(), 0_usize);
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '(' | ')' => 1,
            '\'' | '"' => rest[1..].find(first).ok_or(WRONG)? + 2,
            'a'..='z' => {
                rest.find(|c: char| !(c.is_ascii_lowercase() || "_.".contains(c))).unwrap_or(rest.len())
            }
            _ => OPERATORS.iter().find(|operator| rest.starts_with(**operator)).ok_or(WRONG)?.len(),
        };
        let (token, behind) = rest.split_at(end);
        open = match first {
            '(' => open + 1,
            ')' => open.checked_sub(1).ok_or(WRONG)?,
            _ => open,
        };
        // Inside quotes uv would still see a comment, a variable or a continued line.
        if token.contains(['#', '$', '\\', '`']) {
            return Err(WRONG);
        }
        tokens.push(token.to_owned());
        rest = behind.trim_start();
    }
    if tokens.is_empty() || open != 0 { Err(WRONG) } else { Ok(tokens) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_rebuilt_from_their_parts() {
        for (text, built) in [
            ("numpy", "numpy"),
            (" numpy >= 1.20 , <2 ", "numpy>=1.20,<2"),
            ("pandas [excel, all] ; python_version>'3.8'", "pandas[excel,all] ; python_version > '3.8'"),
            ("x (>=1.0)", "x>=1.0"),
            ("x==1.0+cpu --hash=sha256:0a --hash=sha512:1b", "x==1.0+cpu --hash=sha256:0a --hash=sha512:1b"),
            (
                "x==1 ; (sys_platform == 'linux' and extra != \"y\") or os_name not in 'a b'",
                "x==1 ; (sys_platform == 'linux' and extra != \"y\") or os_name not in 'a b'",
            ),
        ] {
            let parsed = Requirement::parse(text).unwrap();
            assert_eq!(parsed.to_string(), built, "{text}");
            assert_eq!(Requirement::parse(built), Ok(parsed), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_a_requirement() {
        for text in [
            "",
            "a\nb",
            "a>=0\nevil",
            "a\r-r x",
            "a\0",
            "a\u{2028}b",
            "a\u{85}b",
            "-r /etc/passwd",
            "a -r x",
            "a --pre",
            "a @ http://h/a.whl",
            "a[x] @ http://h/a.whl",
            "a>=1 @ http://h",
            "a b",
            "a;",
            "a ; x == '",
            "a ; ${X} == '1'",
            "a ; os_name == '${X}'",
            "a ; os_name == 'x' \\",
            "a ; (os_name == 'x'",
            "a ; os_name == 'x')",
            "a ; os_name == ' #'",
            "a>=",
            "a>=1;2",
            "a=1",
            "a[",
            "a[x",
            "a[-r]",
            "./a",
            "a/b",
            "a>=1/2",
            "a --hash=sha256:zz",
            "a --hash=sha256:",
            "a>=1 #x",
            "\u{430}",
        ] {
            assert!(Requirement::parse(text).is_err(), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_built_is_one_line_and_parses_to_the_same(text in "[a-z]{1,3}[ -~\n\t]{0,40}") {
            if let Ok(parsed) = Requirement::parse(&text) {
                let built = parsed.to_string();
                proptest::prop_assert!(!built.contains(['\n', '\t', '#', '$', '\\', '@']), "{}", built);
                proptest::prop_assert_eq!(Requirement::parse(&built), Ok(parsed));
            }
        }
    }
}

//! Reads the lists of deny.toml, so that they are written in one place whether or not cargo-deny is installed.
//!
//! A small reader for the shape that we write: sections, and lists of strings or of one-line tables. A TOML library
//! would be the heaviest dependency of this crate.

use crate::error::Error;

pub const FILE: &str = "deny.toml";

/// What deny.toml allows.
#[derive(Debug, PartialEq, Eq)]
pub struct Lists {
    /// The platforms whose dependencies count.
    pub targets: Vec<String>,
    pub licences: Vec<String>,
    pub skips: Vec<Skip>,
}

/// A version that may be there beside another one of the same package.
#[derive(Debug, PartialEq, Eq)]
pub struct Skip {
    /// `name@version`, where the version may be cut short: `syn@2` is every 2.x.
    pub package: String,
    pub reason: String,
}

pub fn read(text: &str) -> Result<Lists, Error> {
    let targets = strings(&list(text, "graph", "targets")?);
    let licences = strings(&list(text, "licenses", "allow")?);
    let skips = list(text, "bans", "skip")?.split('{').skip(1).map(read_skip).collect::<Result<_, _>>()?;
    Ok(Lists { targets, licences, skips })
}

fn read_skip(table: &str) -> Result<Skip, Error> {
    let value = |key: &str| {
        let (_, after) = table.split_once(&format!("{key} ="))?;
        strings(after).into_iter().next()
    };
    match (value("crate"), value("reason")) {
        (Some(package), Some(reason)) if !reason.is_empty() => Ok(Skip { package, reason }),
        _ => Err(malformed(&format!("a skip needs `crate` and `reason`, found `{{{}`", table.trim()))),
    }
}

/// The text between the brackets of `key = [ … ]` in `[section]`, without comments.
fn list(text: &str, section: &str, key: &str) -> Result<String, Error> {
    let lines: Vec<&str> = text.lines().map(without_comment).collect();
    let header = format!("[{section}]");
    let inside = lines.iter().skip_while(|line| line.trim() != header).skip(1);
    let inside = inside.take_while(|line| !is_header(line)).copied().collect::<Vec<_>>().join("\n");
    let start = inside
        .lines()
        .position(|line| line.split('=').next().is_some_and(|name| name.trim() == key))
        .ok_or_else(|| malformed(&format!("`{key}` is missing in [{section}]")))?;
    let from_key = inside.lines().skip(start).collect::<Vec<_>>().join("\n");
    let (_, after) = from_key.split_once('[').ok_or_else(|| malformed(&format!("`{key}` is not a list")))?;
    let (list, _) = after.split_once(']').ok_or_else(|| malformed(&format!("`{key}` is not closed")))?;
    Ok(list.to_owned())
}

fn is_header(line: &str) -> bool {
    line.starts_with('[')
}

/// Every quoted piece.
fn strings(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, character) in line.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

fn malformed(reason: &str) -> Error {
    Error::Malformed { what: FILE.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
[graph]
targets = [\"x86_64-unknown-linux-gnu\"] # one
[licenses]
# allow = [\"no\"]
allow = [
    \"MIT\", # short
    \"Apache-2.0 WITH LLVM-exception\",
]
[bans]
multiple-versions = \"deny\"
skip = [
    { crate = \"syn@2\", reason = \"moves # slowly\" },
]
";

    #[test]
    fn reads_our_shape() {
        let lists = read(TEXT).unwrap();
        assert_eq!(lists.targets, ["x86_64-unknown-linux-gnu"]);
        assert_eq!(lists.licences, ["MIT", "Apache-2.0 WITH LLVM-exception"]);
        assert_eq!(lists.skips, [Skip { package: "syn@2".to_owned(), reason: "moves # slowly".to_owned() }]);
    }

    #[test]
    fn a_skip_without_reason_is_refused() {
        let error = read(&TEXT.replace("moves # slowly", "")).unwrap_err();
        assert!(error.to_string().contains("reason"), "{error}");
    }

    #[test]
    fn a_missing_list_is_named() {
        let error = read(&TEXT.replace("targets", "other")).unwrap_err();
        assert!(error.to_string().contains("`targets` is missing in [graph]"), "{error}");
    }

    #[test]
    fn the_real_one_is_read() {
        let lists = read(include_str!("../../../../deny.toml")).unwrap();
        assert!(lists.licences.contains(&"MIT".to_owned()));
    }
}

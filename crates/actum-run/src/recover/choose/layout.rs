//! Copies of the source that differ in name or layout only, and are the same program.

use super::super::situation::Copy;
use super::{Case, Change, Choice};
use actum_model::RemedyKind;
use std::path::Path;

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    let file = case.file?;
    match case.diagnosis.row.as_str() {
        "sh-crlf" | "sh-bad-interpreter" => without_returns(case, file),
        "py-null-bytes" => without_invisible(case, file),
        "py-indent" => dedented(case, file),
        "sh-prompt" => without_shell_prompts(case, file),
        "node-esm-cjs" => Some(as_other_module(case, file)),
        "js-toplevel-await" => Some(under(case, file, "mjs", "`await` at the top level needs a module")),
        "java-public-class-name" => Some(under_class(case, file)),
        _ => None,
    }
}

fn without_returns(case: &Case<'_>, file: &Path) -> Option<Choice> {
    if !case.code.windows(2).any(|pair| pair == b"\r\n") {
        return None;
    }
    let bytes = case.code.iter().enumerate();
    let kept = bytes.filter(|(at, byte)| !(**byte == b'\r' && case.code.get(at + 1) == Some(&b'\n')));
    let copy = kept.map(|(_, byte)| *byte).collect();
    Some(run_copy(case, name_of(file), copy, "Unix line endings", "it has Windows line endings"))
}

/// Spaces that do not break, marks without width and byte order marks: nobody sees them, and no parser takes them. Quotes that
/// a word processor made are seen, so these stay.
fn without_invisible(case: &Case<'_>, file: &Path) -> Option<Choice> {
    let text = match std::str::from_utf8(case.code) {
        Ok(text) => text.to_owned(),
        Err(_) => utf16(case.code)?,
    };
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{feff}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\0'))
        .map(|c| if matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}') { ' ' } else { c })
        .collect();
    if plain.as_bytes() == case.code {
        return None;
    }
    let differs = "plain spaces and UTF-8";
    Some(run_copy(case, name_of(file), plain.into_bytes(), differs, "it contains invisible characters"))
}

fn utf16(code: &[u8]) -> Option<String> {
    let (little, rest) = match code {
        [0xff, 0xfe, rest @ ..] => (true, rest),
        [0xfe, 0xff, rest @ ..] => (false, rest),
        _ => return None,
    };
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    char::decode_utf16(rest.chunks_exact(2).map(unit)).collect::<Result<_, _>>().ok()
}

/// A block that was taken from inside something else: all its lines begin with the same spaces.
fn dedented(case: &Case<'_>, file: &Path) -> Option<Choice> {
    let text = std::str::from_utf8(case.code).ok()?;
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = filled().map(indent).min().filter(|&common| common > 0)?;
    let first = &filled().next()?[..common];
    if !filled().all(|line| line.starts_with(first)) {
        return None;
    }
    let lines: Vec<&str> = text.split('\n').map(|line| line.get(common..).unwrap_or("")).collect();
    let (differs, why) = ("no common indentation", "all of its lines are indented");
    Some(run_copy(case, name_of(file), lines.join("\n").into_bytes(), differs, why))
}

fn without_shell_prompts(case: &Case<'_>, file: &Path) -> Option<Choice> {
    let text = std::str::from_utf8(case.code).ok()?;
    let command =
        |line: &str| line.trim_start().strip_prefix("$ ").map_or_else(|| format!("# {line}"), str::to_owned);
    let lines: Vec<String> = text.lines().map(command).collect();
    let (differs, why) = ("only its commands", "it was copied from a terminal with prompts and output");
    Some(run_copy(case, name_of(file), lines.join("\n").into_bytes(), differs, why))
}

/// Which of the two kinds of modules it is, is told by its name.
fn as_other_module(case: &Case<'_>, file: &Path) -> Choice {
    let is_common = file.extension().is_some_and(|extension| extension == "mjs");
    let uses_require = case.code.windows(8).any(|window| window == b"require(");
    match is_common || (uses_require && case.subject().contains("require")) {
        true => under(case, file, "cjs", "it uses `require`, which is not available in ES modules"),
        false => under(case, file, "mjs", "it uses `import`, which is only available in ES modules"),
    }
}

fn under(case: &Case<'_>, file: &Path, extension: &str, why: &str) -> Choice {
    let name = file.with_extension(extension);
    run_copy(case, name_of(&name), case.code.to_vec(), &format!("the name {}", name_of(&name)), why)
}

fn under_class(case: &Case<'_>, _file: &Path) -> Choice {
    let name = format!("{}.java", case.subject());
    let why = "a public class must be in a file of the same name";
    run_copy(case, name.clone(), case.code.to_vec(), &format!("the name {name}"), why)
}

fn name_of(file: &Path) -> String {
    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|| "program".to_owned())
}

fn run_copy(case: &Case<'_>, name: String, bytes: Vec<u8>, differs: &str, why: &str) -> Choice {
    let copy = Copy { name, bytes, differs: differs.to_owned() };
    let altered = case.altered(|to| to.copy = Some(copy));
    Change::new(RemedyKind::Launcher, format!("run a copy with {differs}"), why, altered)
        .permanently(format!("save it with {differs}"))
        .choice()
}

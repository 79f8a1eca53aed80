//! Commands of the clients: `\gexec` of psql, `.read` of sqlite3. What is not known is asked about.

use super::{Verdict, writes};
use crate::found::Weight;
use actum_model::OperationKind::{Native, Privilege};

/// They show something, or change how something is shown.
const OF_PSQL: &[&str] = &[
    "a",
    "C",
    "conninfo",
    "copyright",
    "crosstabview",
    "echo",
    "elif",
    "else",
    "encoding",
    "endif",
    "errverbose",
    "f",
    "g",
    "gdesc",
    "gx",
    "H",
    "h",
    "help",
    "if",
    "l",
    "list",
    "p",
    "print",
    "pset",
    "q",
    "qecho",
    "quit",
    "r",
    "reset",
    "set",
    "sf",
    "sv",
    "t",
    "T",
    "timing",
    "unset",
    "warn",
    "watch",
    "x",
    "z",
    "?",
    "bind",
];
const OF_SQLITE: &[&str] = &[
    "bail",
    "changes",
    "databases",
    "dump",
    "echo",
    "eqp",
    "exit",
    "expert",
    "explain",
    "fullschema",
    "headers",
    "header",
    "help",
    "indexes",
    "indices",
    "limit",
    "mode",
    "nullvalue",
    "parameter",
    "print",
    "prompt",
    "quit",
    "schema",
    "separator",
    "show",
    "stats",
    "tables",
    "timer",
    "version",
    "width",
];

/// More commands on one line are not taken apart: somebody is asked.
const MOST: usize = 32;

/// What a line of a client does, from its first sign on.
pub(super) fn judge(line: &str) -> Vec<Verdict<'_>> {
    let mut verdicts = Vec::new();
    let mut line = Some(line);
    for _ in 0..MOST {
        let Some(next) = line.take() else { return verdicts };
        let Some(rest) = next.strip_prefix('\\') else {
            verdicts.extend(of_sqlite(next));
            return verdicts;
        };
        let (found, behind) = command(rest);
        verdicts.extend(found);
        // `\x \gexec`: several on one line.
        line = behind.find('\\').map(|at| &behind[at..]).filter(|next| next.len() > 1);
    }
    if line.is_some() {
        verdicts.extend(writes(Weight::Plain));
    }
    verdicts
}

/// What one command of psql does, and what stands behind its name.
fn command(rest: &str) -> (Vec<Verdict<'_>>, &str) {
    // `\\` separates two commands; `\!` needs no space behind it.
    if let Some(command) = rest.strip_prefix('!') {
        return (vec![Verdict::Shell(command)], "");
    }
    // A value between backticks is what a command prints.
    if let Some((_, command)) = rest.split_once('`') {
        return (vec![Verdict::Shell(command.split('`').next().unwrap_or(command))], "");
    }
    let rest_of_line = rest.trim_start_matches('\\');
    let end = rest_of_line.find(|c: char| c.is_whitespace() || c == '\\').unwrap_or(rest_of_line.len());
    let (name, behind) = (&rest_of_line[..end], rest_of_line[end..].trim());
    let verdicts = match name {
        "o" | "out" | "g" | "gx" | "w" | "write" | "s" => output(behind),
        "gexec" => writes(Weight::Grave),
        "copy" => copy(behind),
        // `\d`, `\dt+ name`.
        name if name.starts_with('d') && name.len() <= 6 => Vec::new(),
        name if OF_PSQL.contains(&name.trim_end_matches('+')) => Vec::new(),
        "" => Vec::new(),
        // `\i file`, `\connect other`, `\setenv PAGER program`, `\edit`, and what nobody here knows.
        _ => writes(Weight::Plain),
    };
    (verdicts, behind)
}

fn of_sqlite(line: &str) -> Vec<Verdict<'_>> {
    let line = line.trim_start_matches('.');
    let (name, behind) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match name {
        "shell" | "system" => vec![Verdict::Shell(behind)],
        "output" | "once" | "log" | "trace" => output(behind.trim()),
        "load" => vec![Verdict::Writes { kind: Native, weight: Weight::Plain }],
        name if OF_SQLITE.contains(&name) => Vec::new(),
        // `.read file`, `.import file table`, `.open file`, `.restore file`.
        _ => writes(Weight::Plain),
    }
}

/// Output goes to a program or to a file.
fn output(target: &str) -> Vec<Verdict<'_>> {
    let target = target.trim_matches(['\'', '"']);
    match target.strip_prefix('|') {
        // `| sh` carries out whatever the statement finds.
        Some(command) => {
            let mut verdicts = writes(Weight::Plain);
            verdicts.insert(0, Verdict::Shell(command));
            verdicts
        }
        None if target.is_empty() || target.starts_with('(') || target == "stdout" || target == "off" => {
            Vec::new()
        }
        None => vec![Verdict::WritesFile(target.to_owned())],
    }
}

/// `\copy t from …` fills a table, `… program '…'` starts a program here.
fn copy(rest: &str) -> Vec<Verdict<'_>> {
    let lower = rest.to_ascii_lowercase();
    let has = |word: &str| lower.split(|c: char| !c.is_alphanumeric()).any(|one| one == word);
    match () {
        () if has("program") => vec![Verdict::Writes { kind: Privilege, weight: Weight::Grave }],
        () if has("to") && !has("from") || lower.starts_with('(') => {
            output(rest.split_whitespace().next_back().unwrap_or_default())
        }
        () => writes(Weight::Plain),
    }
}

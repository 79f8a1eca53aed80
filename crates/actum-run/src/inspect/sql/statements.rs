//! Statements and what each does, by its first words.

use crate::inspect::found::{Reach, Weight};
use crate::inspect::shell::is_outside;
use actum_model::OperationKind::{
    self, DatabaseSchema, DatabaseWrite, Native, OverwriteOutside, Privilege, ProcessControl,
};

/// A word, a quoted thing or a sign of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Word(&'a str),
    /// A string: what stands between the quotes.
    Text(&'a str),
    /// A quoted name.
    Name,
    Sign(char),
}

#[derive(Debug)]
pub(super) struct Statement<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    pub(super) written: &'a str,
    pub(super) line: u32,
    /// What a client does itself: `\! command`.
    shell: Option<&'a str>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict<'a> {
    Writes {
        kind: OperationKind,
        weight: Weight,
    },
    /// A file beside the database, outside the workspace.
    WritesFile(String),
    /// More statements in a body.
    Statements(&'a str),
    Shell(&'a str),
}

/// Splits at semicolons outside of quotes and comments.
pub(super) fn split(code: &str) -> Vec<Statement<'_>> {
    let mut statements = Vec::new();
    let mut reader = Reader { code, at: 0, line: 1 };
    let mut current: Option<Statement<'_>> = None;
    let mut start = 0;
    loop {
        reader.skip_blank();
        let (at, line) = (reader.at, reader.line);
        if current.is_none() {
            if let Some(shell) = reader.client_command() {
                let written = &code[at..reader.at];
                statements.push(Statement { pieces: Vec::new(), written, line, shell: Some(shell) });
                continue;
            }
            start = at;
        }
        let piece = reader.piece();
        if matches!(piece, None | Some(Piece::Sign(';'))) {
            if let Some(mut statement) = current.take() {
                statement.written = &code[start..at];
                statements.push(statement);
            }
            if piece.is_none() {
                return statements;
            }
            continue;
        }
        let new = || Statement { pieces: Vec::new(), written: "", line, shell: None };
        current.get_or_insert_with(new).pieces.extend(piece);
    }
}

struct Reader<'a> {
    code: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.code[self.at..]
    }

    fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.code[self.at..self.at + length];
        let lines = taken.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.at += length;
        taken
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let length = match rest {
                _ if blank > 0 => blank,
                _ if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |at| at + 4),
                _ => return,
            };
            self.take(length);
        }
    }

    /// `\! command` of psql, `.shell command` of sqlite3: to the end of the line.
    fn client_command(&mut self) -> Option<&'a str> {
        let opened = ["\\!", ".shell", ".system"].into_iter().find(|open| self.rest().starts_with(open))?;
        let rest = self.rest();
        let taken = self.take(rest.find('\n').unwrap_or(rest.len()));
        Some(&taken[opened.len()..])
    }

    fn piece(&mut self) -> Option<Piece<'a>> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        Some(match c {
            '\'' => Piece::Text(self.quoted('\'')),
            '"' | '`' => {
                self.quoted(c);
                Piece::Name
            }
            '$' => self.dollar(),
            _ if c == '_' || c.is_alphanumeric() => {
                let length = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                // E'…' has escapes with a backslash.
                if length == 1 && matches!(c, 'e' | 'E') && rest[1..].starts_with('\'') {
                    self.take(1);
                    return Some(Piece::Text(self.escaped()));
                }
                Piece::Word(self.take(length))
            }
            _ => {
                self.take(c.len_utf8());
                Piece::Sign(c)
            }
        })
    }

    /// A doubled quote is two pieces side by side, which changes nothing for us.
    fn quoted(&mut self, quote: char) -> &'a str {
        self.take(quote.len_utf8());
        let rest = self.rest();
        let length = rest.find(quote).unwrap_or(rest.len());
        let inner = self.take(length);
        self.take(self.rest().chars().next().map_or(0, char::len_utf8));
        inner
    }

    fn escaped(&mut self) -> &'a str {
        self.take(1);
        let bytes = self.rest().as_bytes();
        let mut length = 0;
        while length < bytes.len() && bytes[length] != b'\'' {
            length += if bytes[length] == b'\\' { 2 } else { 1 };
        }
        let length = self.rest().floor_char_boundary(length.min(bytes.len()));
        let inner = self.take(length);
        self.take(self.rest().chars().next().map_or(0, char::len_utf8));
        inner
    }

    /// `$tag$ … $tag$`, or a parameter. The tag is bounded, so that a row of dollars costs no square.
    fn dollar(&mut self) -> Piece<'a> {
        let rest = self.rest();
        let tag = rest[1..].char_indices().take(64).find(|(_, c)| *c != '_' && !c.is_alphanumeric());
        let Some((length, '$')) = tag else {
            self.take(1);
            return Piece::Sign('$');
        };
        let tag = &rest[..length + 2];
        let body = &rest[tag.len()..];
        let inner = body.find(tag).unwrap_or(body.len());
        self.take(tag.len());
        let text = self.take(inner);
        self.take(tag.len().min(self.rest().len()));
        Piece::Text(text)
    }
}

/// What a statement does.
pub(super) fn judge<'a>(statement: &Statement<'a>) -> Vec<Verdict<'a>> {
    if let Some(command) = statement.shell {
        return vec![Verdict::Shell(command)];
    }
    let pieces = statement.pieces.as_slice();
    let mut verdicts = functions(pieces);
    verdicts.extend(verbs(pieces).into_iter().flat_map(|at| verb(&pieces[at..])));
    verdicts
}

/// Where the verbs of a statement stand: its first word, and behind `WITH` the others.
fn verbs(pieces: &[Piece<'_>]) -> Vec<usize> {
    let first = pieces.iter().position(|piece| *piece != Piece::Sign('(')).unwrap_or(0);
    match word(pieces, first).as_str() {
        "WITH" => {
            let writes = |at: &usize| {
                let after = at.checked_sub(1).map(|before| pieces[before]);
                is_word(pieces, *at, &["INSERT", "UPDATE", "DELETE", "MERGE", "SELECT"])
                    && matches!(after, Some(Piece::Sign('(' | ')')))
            };
            (first..pieces.len()).filter(writes).collect()
        }
        "EXPLAIN" => {
            // Only with ANALYZE is the statement carried out.
            let carried_out = (first + 1..pieces.len().min(first + 8))
                .any(|at| is_word(pieces, at, &["ANALYZE", "ANALYSE"]));
            let verbs = ["INSERT", "UPDATE", "DELETE", "MERGE", "CREATE"];
            let at = (first + 1..pieces.len().min(first + 24)).find(|at| is_word(pieces, *at, &verbs));
            at.filter(|_| carried_out).into_iter().collect()
        }
        "PREPARE" => (first..pieces.len().min(first + 24))
            .find(|at| is_word(pieces, *at, &["AS"]))
            .map(|at| at + 1)
            .into_iter()
            .collect(),
        _ => vec![first],
    }
}

fn verb<'a>(pieces: &[Piece<'a>]) -> Vec<Verdict<'a>> {
    let next = |at: usize, words: &[&str]| is_word(pieces, at, words);
    let holds = |words: &[&str]| (0..pieces.len()).any(|at| is_word(pieces, at, words));
    let soon = |words: &[&str]| (1..pieces.len().min(6)).any(|at| is_word(pieces, at, words));
    match word(pieces, 0).as_str() {
        "INSERT" | "REPLACE" | "MERGE" if soon(&["INTO"]) => writes(Weight::Plain),
        "UPDATE" if holds(&["SET"]) => writes(whole_table(pieces)),
        "DELETE" if next(1, &["FROM"]) => writes(whole_table(pieces)),
        "LOAD" if next(1, &["DATA", "XML"]) => writes(Weight::Plain),
        "CALL" | "EXECUTE" if pieces.len() > 1 => writes(Weight::Plain),
        "REFRESH" if next(1, &["MATERIALIZED"]) => writes(Weight::Plain),
        "DO" => match pieces
            .iter()
            .find_map(|piece| if let Piece::Text(body) = piece { Some(*body) } else { None })
        {
            Some(body) => vec![Verdict::Statements(body)],
            None => Vec::new(),
        },
        "CREATE" if soon(&["TEMP", "TEMPORARY"]) => Vec::new(),
        "CREATE" | "ALTER" if next(1, OBJECTS) => schema(Weight::Plain),
        "DROP" if next(1, OBJECTS) => schema(Weight::Grave),
        "TRUNCATE" if pieces.len() > 1 => schema(Weight::Grave),
        "GRANT" | "REVOKE" if holds(&["TO", "FROM"]) => schema(Weight::Plain),
        "REASSIGN" if next(1, &["OWNED"]) => schema(Weight::Grave),
        "COMMENT" | "RENAME" | "IMPORT" if next(1, &["ON", "TABLE", "FOREIGN"]) => schema(Weight::Plain),
        "SELECT" => select(pieces),
        "COPY" => copy(pieces),
        "ATTACH" | "VACUUM" => file(pieces),
        _ => Vec::new(),
    }
}

const OBJECTS: &[&str] = &[
    "TABLE",
    "INDEX",
    "UNIQUE",
    "VIEW",
    "OR",
    "DATABASE",
    "SCHEMA",
    "FUNCTION",
    "PROCEDURE",
    "TRIGGER",
    "EXTENSION",
    "ROLE",
    "USER",
    "TYPE",
    "SEQUENCE",
    "MATERIALIZED",
    "VIRTUAL",
    "DOMAIN",
    "POLICY",
    "SERVER",
    "PUBLICATION",
    "SUBSCRIPTION",
    "TABLESPACE",
    "LANGUAGE",
    "FOREIGN",
    "AGGREGATE",
    "CAST",
    "COLLATION",
    "EVENT",
    "UNLOGGED",
    "RULE",
    "COLUMN",
    "OWNED",
    "SYSTEM",
    "DEFAULT",
    "OPERATOR",
    "STATISTICS",
    "GROUP",
    "IF",
];

fn writes<'a>(weight: Weight) -> Vec<Verdict<'a>> {
    vec![Verdict::Writes { kind: DatabaseWrite, weight }]
}

fn schema<'a>(weight: Weight) -> Vec<Verdict<'a>> {
    vec![Verdict::Writes { kind: DatabaseSchema, weight }]
}

/// Without a condition every row is meant.
fn whole_table(pieces: &[Piece<'_>]) -> Weight {
    let conditioned = (0..pieces.len()).any(|at| is_word(pieces, at, &["WHERE"]));
    if conditioned { Weight::Plain } else { Weight::Grave }
}

/// `SELECT … INTO table` makes a table.
fn select<'a>(pieces: &[Piece<'a>]) -> Vec<Verdict<'a>> {
    let mut depth = 0_usize;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Sign('(') => depth += 1,
            Piece::Sign(')') if depth == 0 => break,
            Piece::Sign(')') => depth -= 1,
            Piece::Word(_) if depth == 0 && is_word(pieces, at, &["FROM"]) => break,
            Piece::Word(_) if depth == 0 && is_word(pieces, at, &["INTO"]) => {
                let file = is_word(pieces, at + 1, &["OUTFILE", "DUMPFILE"]);
                return if file { on_server() } else { schema(Weight::Plain) };
            }
            Piece::Word(_) | Piece::Text(_) | Piece::Name | Piece::Sign(_) => {}
        }
    }
    Vec::new()
}

/// A file of the machine where the database is.
fn on_server<'a>() -> Vec<Verdict<'a>> {
    vec![Verdict::Writes { kind: OverwriteOutside, weight: Weight::Plain }]
}

/// `COPY … FROM` fills a table; a program in it is started by the server.
fn copy<'a>(pieces: &[Piece<'a>]) -> Vec<Verdict<'a>> {
    let mut depth = 0_usize;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Sign('(') => depth += 1,
            Piece::Sign(')') => depth = depth.saturating_sub(1),
            Piece::Word(_) if depth == 0 && is_word(pieces, at, &["FROM", "TO"]) => {
                let program = is_word(pieces, at + 1, &["PROGRAM"]);
                return match (pieces.get(at + 1), is_word(pieces, at, &["FROM"])) {
                    _ if program => vec![Verdict::Writes { kind: Privilege, weight: Weight::Grave }],
                    (_, true) => writes(Weight::Plain),
                    (Some(Piece::Text(_)), false) => on_server(),
                    (_, false) => Vec::new(),
                };
            }
            Piece::Word(_) | Piece::Text(_) | Piece::Name | Piece::Sign(_) => {}
        }
    }
    Vec::new()
}

/// A file that is attached, or written by `VACUUM INTO`, outside the workspace.
fn file<'a>(pieces: &[Piece<'a>]) -> Vec<Verdict<'a>> {
    let path = pieces.iter().find_map(|piece| if let Piece::Text(path) = piece { Some(*path) } else { None });
    let outside = path.filter(|path| is_outside(&Reach::of_path(path)));
    outside.map(|path| Verdict::WritesFile(path.to_owned())).into_iter().collect()
}

/// Functions that do more than compute.
fn functions<'a>(pieces: &[Piece<'a>]) -> Vec<Verdict<'a>> {
    let called = |at: &usize| pieces.get(at + 1) == Some(&Piece::Sign('('));
    let kinds = (0..pieces.len()).filter(called).filter_map(|at| {
        Some(match pieces[at] {
            Piece::Word(name) if is_one(name, &["PG_TERMINATE_BACKEND", "PG_CANCEL_BACKEND"]) => {
                ProcessControl
            }
            Piece::Word(name) if is_one(name, &["LOAD_EXTENSION"]) => Native,
            Piece::Word(name)
                if is_one(
                    name,
                    &["LO_IMPORT", "LO_EXPORT", "LO_UNLINK", "DBLINK_EXEC", "PG_RELOAD_CONF", "SETVAL"],
                ) =>
            {
                DatabaseWrite
            }
            Piece::Word(_) | Piece::Text(_) | Piece::Name | Piece::Sign(_) => return None,
        })
    });
    kinds.take(4).map(|kind| Verdict::Writes { kind, weight: Weight::Plain }).collect()
}

fn word(pieces: &[Piece<'_>], at: usize) -> String {
    match pieces.get(at) {
        Some(Piece::Word(word)) if word.len() < 24 => word.to_ascii_uppercase(),
        Some(Piece::Word(_) | Piece::Text(_) | Piece::Name | Piece::Sign(_)) | None => String::new(),
    }
}

fn is_word(pieces: &[Piece<'_>], at: usize, words: &[&str]) -> bool {
    matches!(pieces.get(at), Some(Piece::Word(word)) if is_one(word, words))
}

fn is_one(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| word.eq_ignore_ascii_case(one))
}

//! Statements and what each does, by its first words.

mod behind;
mod client;

use crate::found::{Reach, Weight};
use crate::shell::is_outside;
use actum_model::OperationKind::{
    self, DatabaseSchema, DatabaseWrite, Native, OverwriteOutside, Privilege, ProcessControl,
};
use behind::Behind;

/// A word, a quoted thing or a sign of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Word(&'a str),
    /// A string: what stands between the quotes.
    Text(&'a str),
    /// A quoted name: what stands between the quotes.
    Name(&'a str),
    Sign(char),
}

#[derive(Debug)]
pub(super) struct Statement<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    pub(super) written: &'a str,
    pub(super) line: u32,
    /// A command of the client, not of the database: `\! command`, `.read file`.
    client: Option<&'a str>,
}

/// Where statements stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A script for a client: everything in it is carried out, so what is not known is asked about.
    Script,
    /// A text in a program, which need not be SQL at all.
    Embedded,
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
        if let Some(client) = reader.client_command(current.is_none()) {
            // `\gexec` ends the statement before it.
            if let Some(mut statement) = current.take() {
                statement.written = &code[start..at];
                statements.push(statement);
            }
            let written = &code[at..reader.at];
            statements.push(Statement { pieces: Vec::new(), written, line, client: Some(client) });
            continue;
        }
        if current.is_none() {
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
        let new = || Statement { pieces: Vec::new(), written: "", line, client: None };
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

    /// `\! command` of psql, anywhere outside of quotes; `.shell command` of sqlite3, where a statement could begin: to the end of the
    /// line.
    fn client_command(&mut self, is_between: bool) -> Option<&'a str> {
        let rest = self.rest();
        let is_dotted = || {
            let begins = self.code[..self.at].trim_end_matches([' ', '\t']);
            is_between
                && (begins.is_empty() || begins.ends_with('\n'))
                && rest
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        };
        (rest.starts_with('\\') || is_dotted()).then_some(())?;
        Some(self.take(rest.find('\n').unwrap_or(rest.len())))
    }

    fn piece(&mut self) -> Option<Piece<'a>> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        Some(match c {
            '\'' => Piece::Text(self.quoted('\'')),
            '"' | '`' => Piece::Name(self.quoted(c)),
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
pub(super) fn judge<'a>(statement: &Statement<'a>, form: Form) -> Vec<Verdict<'a>> {
    if let Some(command) = statement.client {
        return client::judge(command);
    }
    let pieces = statement.pieces.as_slice();
    let mut verdicts = functions(pieces);
    let verbs = verbs(pieces);
    let behind = Behind::of(pieces, &verbs);
    verdicts.extend(verbs.into_iter().flat_map(|at| verb(pieces, at, &behind)));
    if form == Form::Script && verdicts.is_empty() && (!is_known_to_read(pieces) || has_variable(pieces)) {
        return writes(Weight::Plain);
    }
    verdicts
}

/// Statements that change nothing that stays. What is not among these, and not known to write, is asked about.
fn is_known_to_read(pieces: &[Piece<'_>]) -> bool {
    const READ: &[&str] = &[
        "SELECT",
        "WITH",
        "VALUES",
        "TABLE",
        "SHOW",
        "EXPLAIN",
        "DESCRIBE",
        "DESC",
        "PRAGMA",
        "BEGIN",
        "START",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT",
        "RELEASE",
        "ABORT",
        "SET",
        "RESET",
        "DISCARD",
        "DECLARE",
        "FETCH",
        "CLOSE",
        "MOVE",
        "ANALYZE",
        "ANALYSE",
        "LISTEN",
        "UNLISTEN",
        "NOTIFY",
        "LOCK",
        "USE",
        "DEALLOCATE",
        "COPY",
        "ATTACH",
        "DETACH",
        "VACUUM",
        "REINDEX",
        "CLUSTER",
        "CHECKPOINT",
        "CREATE",
        "PREPARE",
    ];
    let first = pieces.iter().position(|piece| *piece != Piece::Sign('(')).unwrap_or(0);
    // An object that is not known is no temporary one; MySQL prepares a text, `PREPARE s FROM @text`.
    let is_temporary =
        (first..pieces.len().min(first + 6)).any(|at| is_word(pieces, at, &["TEMP", "TEMPORARY"]));
    let is_plain = match word(pieces, first).as_str() {
        "CREATE" => is_temporary,
        "PREPARE" => (first..pieces.len().min(first + 24)).any(|at| is_word(pieces, at, &["AS"])),
        _ => true,
    };
    is_plain && is_word(pieces, first, READ)
}

/// `:name` of psql stands for any text, statements as well. `:'name'` is quoted, `::name` a type.
fn has_variable(pieces: &[Piece<'_>]) -> bool {
    let is_colon = |at: Option<usize>| at.and_then(|at| pieces.get(at)) == Some(&Piece::Sign(':'));
    (0..pieces.len()).any(|at| {
        let names = matches!(pieces.get(at + 1), Some(Piece::Word(word)) if !word.starts_with(|c: char| c.is_ascii_digit()));
        is_colon(Some(at)) && names && !is_colon(at.checked_sub(1))
    })
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

fn verb<'a>(whole: &[Piece<'a>], at: usize, behind: &Behind) -> Vec<Verdict<'a>> {
    let pieces = &whole[at..];
    let next = |at: usize, words: &[&str]| is_word(pieces, at, words);
    // Only where a statement has one verb.
    let holds = |words: &[&str]| (0..pieces.len()).any(|at| is_word(pieces, at, words));
    let soon = |words: &[&str]| (1..pieces.len().min(6)).any(|at| is_word(pieces, at, words));
    match word(pieces, 0).as_str() {
        "INSERT" | "REPLACE" | "MERGE" if soon(&["INTO"]) => writes(Weight::Plain),
        "UPDATE" if behind.sets(at) => writes(whole_table(at, behind)),
        "DELETE" if next(1, &["FROM"]) => writes(whole_table(at, behind)),
        "LOAD" if next(1, &["DATA", "XML"]) => writes(Weight::Plain),
        "CALL" | "EXECUTE" if pieces.len() > 1 => writes(Weight::Plain),
        "REFRESH" if next(1, &["MATERIALIZED"]) => writes(Weight::Plain),
        "DO" => match pieces
            .iter()
            .find_map(|piece| if let Piece::Text(body) = piece { Some(*body) } else { None })
        {
            // A block may build a statement from text (`EXECUTE`), in any language.
            Some(body) => vec![
                Verdict::Writes { kind: DatabaseWrite, weight: Weight::Plain },
                Verdict::Statements(body),
            ],
            None => writes(Weight::Plain),
        },
        "CREATE" if soon(&["TEMP", "TEMPORARY"]) => Vec::new(),
        "CREATE" | "ALTER" if next(1, OBJECTS) => schema(Weight::Plain),
        "DROP" if next(1, OBJECTS) => schema(Weight::Grave),
        "TRUNCATE" if pieces.len() > 1 => schema(Weight::Grave),
        "GRANT" | "REVOKE" if holds(&["TO", "FROM"]) => schema(Weight::Plain),
        "REASSIGN" if next(1, &["OWNED"]) => schema(Weight::Grave),
        "COMMENT" | "RENAME" | "IMPORT" if next(1, &["ON", "TABLE", "FOREIGN"]) => schema(Weight::Plain),
        "SELECT" => select(whole, at, behind),
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
fn whole_table(at: usize, behind: &Behind) -> Weight {
    if behind.has_condition(at) { Weight::Plain } else { Weight::Grave }
}

/// `SELECT … INTO table` makes a table.
fn select<'a>(pieces: &[Piece<'a>], at: usize, behind: &Behind) -> Vec<Verdict<'a>> {
    match behind.of_into(at) {
        Some(into) if is_word(pieces, into + 1, &["OUTFILE", "DUMPFILE"]) => on_server(),
        Some(_) => schema(Weight::Plain),
        None => Vec::new(),
    }
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
            Piece::Word(_) | Piece::Text(_) | Piece::Name(_) | Piece::Sign(_) => {}
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

/// Functions that do more than compute, and those that carry a text out as a statement.
fn functions<'a>(pieces: &[Piece<'a>]) -> Vec<Verdict<'a>> {
    const WRITE: &[&str] = &[
        "LO_IMPORT",
        "LO_EXPORT",
        "LO_UNLINK",
        "LO_CREATE",
        "LO_PUT",
        "LO_FROM_BYTEA",
        "DBLINK",
        "DBLINK_EXEC",
        "DBLINK_OPEN",
        "DBLINK_SEND_QUERY",
        "PG_RELOAD_CONF",
        "SETVAL",
        "QUERY_TO_XML",
        "QUERY_TO_XMLSCHEMA",
        "QUERY_TO_XML_AND_XMLSCHEMA",
        "TS_STAT",
        "TS_REWRITE",
        "CROSSTAB",
        "CROSSTAB2",
        "CROSSTAB3",
        "CROSSTAB4",
        "CROSSTABN",
        "CONNECTBY",
        "XPATH_TABLE",
        "PG_FILE_WRITE",
        "PG_FILE_UNLINK",
        "PG_FILE_RENAME",
        "PG_WRITE_FILE",
        "PG_SWITCH_WAL",
        "PG_PROMOTE",
        "SP_EXECUTESQL",
        "WRITEFILE",
        "EDIT",
        "EVAL",
    ];
    const START: &[&str] = &["XP_CMDSHELL", "SYS_EXEC", "SYS_EVAL", "PG_EXECUTE_SERVER_PROGRAM"];
    let called = |at: &usize| pieces.get(at + 1) == Some(&Piece::Sign('('));
    // `U&"quer\0079"`: a name that is written in numbers.
    let is_encoded =
        |at: usize| at >= 2 && pieces[at - 1] == Piece::Sign('&') && is_word(pieces, at - 2, &["U"]);
    let kinds = (0..pieces.len()).filter(called).filter_map(|at| {
        let name = match pieces[at] {
            Piece::Name(_) if is_encoded(at) => return Some(DatabaseWrite),
            Piece::Word(name) | Piece::Name(name) => name,
            Piece::Text(_) | Piece::Sign(_) => return None,
        };
        Some(match name {
            name if is_one(name, &["PG_TERMINATE_BACKEND", "PG_CANCEL_BACKEND"]) => ProcessControl,
            name if is_one(name, &["LOAD_EXTENSION"]) => Native,
            name if is_one(name, START) => Privilege,
            name if is_one(name, WRITE) => DatabaseWrite,
            _ => return None,
        })
    });
    kinds.take(4).map(|kind| Verdict::Writes { kind, weight: Weight::Plain }).collect()
}

fn word(pieces: &[Piece<'_>], at: usize) -> String {
    match pieces.get(at) {
        Some(Piece::Word(word)) if word.len() < 24 => word.to_ascii_uppercase(),
        Some(Piece::Word(_) | Piece::Text(_) | Piece::Name(_) | Piece::Sign(_)) | None => String::new(),
    }
}

fn is_word(pieces: &[Piece<'_>], at: usize, words: &[&str]) -> bool {
    matches!(pieces.get(at), Some(Piece::Word(word)) if is_one(word, words))
}

fn is_one(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| word.eq_ignore_ascii_case(one))
}

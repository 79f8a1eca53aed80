//! Commands that run code which is written in their arguments or comes through their input.

use super::super::found::{Findings, Found, Reach, Weight};
use super::super::{Place, Tongue, calls, embedded, sql};
use super::command::Command;
use actum_model::OperationKind::{DatabaseSchema, DatabaseWrite, Install, Publish};

/// Whether the command is an interpreter and was looked at.
pub(super) fn look(name: &str, command: &Command<'_>, place: Place, findings: &mut Findings) -> bool {
    match name {
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "source" | "." => {
            code(Tongue::Shell, &["-c"], command, place, findings);
        }
        "node" | "nodejs" | "bun" | "deno" if is_code_runner(name, command) => {
            let flags = &["-e", "--eval", "-p", "--print", "eval"];
            code(Tongue::Calls(calls::Language::JavaScript), flags, command, place, findings);
        }
        "ruby" | "irb" => code(Tongue::Calls(calls::Language::Ruby), &["-e"], command, place, findings),
        "perl" if !command.has('i', "") => {
            code(Tongue::Calls(calls::Language::Perl), &["-e", "-E", "-ne", "-pe"], command, place, findings);
        }
        "php" => code(Tongue::Calls(calls::Language::Php), &["-r"], command, place, findings),
        "lua" | "luajit" => code(Tongue::Calls(calls::Language::Lua), &["-e"], command, place, findings),
        "Rscript" | "R" => code(Tongue::Calls(calls::Language::R), &["-e"], command, place, findings),
        "julia" => code(Tongue::Calls(calls::Language::Julia), &["-e", "-E"], command, place, findings),
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlite" | "duckdb" | "sqlcmd" => {
            database(name, command, place, findings)
        }
        "dropdb" | "createdb" | "dropuser" | "createuser" | "pg_restore" | "mysqladmin" => {
            findings.add(command.found(DatabaseSchema, Weight::Grave, Reach::Server));
        }
        "redis-cli" | "mongosh" | "mongo" | "mongoimport" | "mongorestore" => {
            document_store(name, command, findings)
        }
        _ if is_python(name) => python(command, place, findings),
        _ => return false,
    }
    true
}

fn is_python(name: &str) -> bool {
    let rest = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    name == "ipython"
        || rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// `bun` and `deno` are also package managers.
fn is_code_runner(name: &str, command: &Command<'_>) -> bool {
    name.starts_with("node")
        || matches!(command.operand(0), "run" | "eval" | "")
        || command.value("-e", "").is_some()
}

/// Code behind one of the flags, or fed through a pipe or a here-document.
fn code(tongue: Tongue, flags: &[&str], command: &Command<'_>, place: Place, findings: &mut Findings) {
    if command.arguments().iter().any(|word| word.downloaded) {
        findings.add(command.plain(Install));
    }
    for (index, word) in command.arguments().iter().enumerate() {
        let joined = tongue == Tongue::Shell && word.text.len() < 8 && !word.text.starts_with("--");
        let flag = flags.contains(&word.text.as_str())
            || (joined && word.text.starts_with('-') && word.text.ends_with('c'));
        if flag && let Some(next) = command.arguments().get(index + 1) {
            return embedded::look_within(tongue, &next.text, place, command.line, findings);
        }
    }
    // With a file to run, its input is data.
    let reads_code = command.operands().next().is_none_or(|word| word.text == "-");
    match &command.fed {
        Some(fed) if fed.downloaded && reads_code => findings.add(command.plain(Install)),
        Some(fed) if reads_code => embedded::look_within(tongue, &fed.text, place, fed.line, findings),
        Some(_) | None => {}
    }
}

fn python(command: &Command<'_>, place: Place, findings: &mut Findings) {
    match command.value("-m", "") {
        Some("pip" | "ensurepip" | "pipx" | "easy_install") => findings.add(command.plain(Install)),
        Some("twine") => findings.add(command.plain(Publish)),
        Some(_) => {}
        None => code(Tongue::Calls(calls::Language::Python), &["-c"], command, place, findings),
    }
}

fn database(name: &str, command: &Command<'_>, place: Place, findings: &mut Findings) {
    let embedded = matches!(name, "sqlite3" | "sqlite" | "duckdb");
    let file = command.operands().next().filter(|_| embedded);
    let place_of_data = match file {
        Some(word) => sql::Where::File(super::command::reach_of(word)),
        None if embedded => sql::Where::Memory,
        None => sql::Where::Server,
    };
    let statements = match embedded {
        true => command.operands().skip(1).map(|word| word.text.as_str()).collect::<Vec<_>>(),
        false => ["-c", "-e", "-Q", "-q"]
            .iter()
            .flat_map(|short| command.values(short, if *short == "-c" { "--command" } else { "--execute" }))
            .collect(),
    };
    for statement in statements {
        if let Some(inner) = place.within(command.line) {
            sql::look(statement, place_of_data.clone(), inner, findings);
        }
    }
    if let Some(fed) = &command.fed
        && let Some(inner) = place.within(fed.line)
    {
        sql::look(&fed.text, place_of_data, inner, findings);
    }
}

fn document_store(name: &str, command: &Command<'_>, findings: &mut Findings) {
    let found: Option<Found> = match name {
        "redis-cli" => redis(command),
        "mongosh" | "mongo" => {
            let text = command.value("", "--eval").unwrap_or_default();
            let writes = ["insert", "update", "delete", "remove", "drop", "replace", "rename"];
            writes
                .iter()
                .any(|word| text.contains(word))
                .then(|| command.found(DatabaseWrite, Weight::Plain, Reach::Server))
        }
        _ => Some(command.found(DatabaseWrite, Weight::Plain, Reach::Server)),
    };
    found.into_iter().for_each(|one| findings.add(one));
}

fn redis(command: &Command<'_>) -> Option<Found> {
    const WRITES: &[&str] = &[
        "SET", "DEL", "UNLINK", "HSET", "LPUSH", "RPUSH", "SADD", "ZADD", "INCR", "EXPIRE", "MSET", "RENAME",
    ];
    let verb = |all: &[&str]| {
        command.operands().any(|word| all.iter().any(|one| word.text.eq_ignore_ascii_case(one)))
    };
    if verb(&["FLUSHALL", "FLUSHDB", "SHUTDOWN", "CONFIG"]) {
        return Some(command.found(DatabaseWrite, Weight::Grave, Reach::Server));
    }
    verb(WRITES).then(|| command.found(DatabaseWrite, Weight::Plain, Reach::Server))
}

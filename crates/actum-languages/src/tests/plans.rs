//! Plans on made-up machines.

use super::super::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A machine that has some commands, some of them with a version.
struct Machine(&'static [(&'static str, &'static str)]);

impl Installed for Machine {
    fn find(&self, command: &str) -> Option<PathBuf> {
        let name = command.strip_prefix("/usr/bin/").unwrap_or(command);
        self.0.iter().any(|(known, _)| *known == name).then(|| Path::new("/usr/bin").join(name))
    }

    fn version(&self, program: &Path, arguments: &[OsString]) -> Option<String> {
        assert_eq!(arguments, ["--version"]);
        self.0.iter().find(|(known, _)| program.ends_with(known)).map(|(_, said)| (*said).to_owned())
    }
}

const EVERYTHING: Machine = Machine(&[
    ("python3", ""),
    ("bash", ""),
    ("sh", ""),
    ("node", "v24.1.0"),
    ("ruby", ""),
    ("perl", ""),
    ("php", ""),
    ("lua", ""),
    ("Rscript", ""),
    ("julia", ""),
    ("go", ""),
    ("gofmt", ""),
    ("rustc", ""),
    ("cc", ""),
    ("c++", ""),
    ("javac", ""),
    ("java", ""),
    ("psql", ""),
]);

fn staged<'a>(file: &'a Path, code: &'a [u8], arguments: &'a [OsString]) -> Staged<'a> {
    Staged {
        file,
        code,
        typed: Typed::Inline,
        arguments,
        first_line: FirstLine::Silent,
        output: Path::new("/o"),
        cache: Path::new("/k"),
        database: None,
    }
}

fn joined(words: &[OsString]) -> String {
    words.iter().map(|word| word.to_string_lossy().replace('\n', "⏎")).collect::<Vec<_>>().join(" ")
}

/// A plan for a file `/w/NAME` with the arguments `a` and `b c`.
fn told(machine: &Machine, name: &str, code: &str) -> String {
    let languages = Languages::builtin();
    let path = Path::new("/w").join(name);
    let chosen =
        languages.choose(None, crate::recognise::Unlabelled { name: Some(&path), code: code.as_bytes() });
    let chosen = chosen.unwrap();
    let arguments = ["a".into(), "b c".into()];
    let staged = Staged {
        typed: Typed::File(Path::new(name)),
        first_line: chosen.first_line(),
        ..staged(&path, code.as_bytes(), &arguments)
    };
    match plan(&chosen.language, &staged, machine) {
        Ok(program) => {
            let compile = program.compile.map(|compile| format!("{} | ", joined(&compile.command)));
            format!("{}{} | {}", compile.unwrap_or_default(), joined(&program.command), program.shown)
        }
        Err(error) => format!("{error} ({}) {}", error.exit_code(), error.hint().unwrap_or_default()),
    }
}

#[test]
fn files_are_started_as_a_person_would() {
    for (name, code, expected) in [
        ("a.py", "x", "/usr/bin/python3 /w/a.py a b c | python3 a.py a 'b c'"),
        ("a.sh", "x", "/usr/bin/bash /w/a.sh a b c | bash a.sh a 'b c'"),
        ("a.sh", "#!/bin/sh\n", "/usr/bin/sh /w/a.sh a b c | sh a.sh a 'b c'"),
        ("a.sh", "#!/bin/bash -eu\n", "/usr/bin/bash -eu /w/a.sh a b c | bash -eu a.sh a 'b c'"),
        ("a", "#!/usr/bin/env -S ruby -w\n", "/usr/bin/ruby -w /w/a a b c | ruby -w a a 'b c'"),
        ("a.js", "x", "/usr/bin/node /w/a.js a b c | node a.js a 'b c'"),
        ("a.rb", "x", "/usr/bin/ruby /w/a.rb a b c | ruby a.rb a 'b c'"),
        ("a.pl", "x", "/usr/bin/perl /w/a.pl a b c | perl a.pl a 'b c'"),
        (
            "a.php",
            "x",
            "/usr/bin/php -d display_errors=stderr -d log_errors=0 -d html_errors=0 /w/a.php a b c | php a.php a 'b c'",
        ),
        ("a.lua", "x", "/usr/bin/lua /w/a.lua a b c | lua a.lua a 'b c'"),
        ("a.R", "x", "/usr/bin/Rscript /w/a.R a b c | Rscript a.R a 'b c'"),
        ("a.jl", "x", "/usr/bin/julia /w/a.jl a b c | julia a.jl a 'b c'"),
        (
            "a.go",
            "x",
            "/usr/bin/go build -buildvcs=false -o /o/program /w/a.go | /o/program a b c | go run a.go a 'b c'",
        ),
        (
            "a.rs",
            "x",
            "/usr/bin/rustc --edition 2021 -C opt-level=1 -C debug-assertions=on -C debuginfo=line-tables-only \
             --emit=link=/o/program,dep-info=/o/reads.d /w/a.rs | /o/program a b c | rustc a.rs && ./main a 'b c'",
        ),
        (
            "a.c",
            "x",
            "/usr/bin/cc -std=gnu17 -O1 -g -Wall -pthread -MD -MF /o/reads.d -o /o/program /w/a.c -lm | \
             /o/program a b c | cc a.c -o main -lm && ./main a 'b c'",
        ),
        (
            "a.cpp",
            "x",
            "/usr/bin/c++ -std=gnu++20 -O1 -g -Wall -pthread -MD -MF /o/reads.d -o /o/program /w/a.cpp | \
             /o/program a b c | c++ a.cpp -o main && ./main a 'b c'",
        ),
        (
            "A.java",
            "package w;\nclass A { public static void main(String[] a) {} }",
            "/usr/bin/javac -proc:none -encoding UTF-8 -sourcepath / -d /o/classes -g -Xlint:all /w/A.java | \
             /usr/bin/java -cp /o/classes w.A a b c | java A.java a 'b c'",
        ),
    ] {
        assert_eq!(told(&EVERYTHING, name, code), expected, "{name}");
    }
}

#[test]
fn typescript_runs_on_what_can() {
    let machines: [(Machine, &str); 9] = [
        (Machine(&[("node", "v20.20.2"), ("tsx", "")]), "/usr/bin/tsx /w/a.ts a b c | tsx a.ts a 'b c'"),
        (Machine(&[("node", "v26.0.0")]), "/usr/bin/node /w/a.ts a b c | node a.ts a 'b c'"),
        (
            Machine(&[("node", "v24.1.0")]),
            "/usr/bin/node --experimental-transform-types --disable-warning=ExperimentalWarning /w/a.ts a b c | node a.ts a 'b c'",
        ),
        (
            Machine(&[("node", "v22.7.0")]),
            "/usr/bin/node --experimental-transform-types --disable-warning=ExperimentalWarning /w/a.ts a b c | node a.ts a 'b c'",
        ),
        (
            Machine(&[("node", "v22.6.0")]),
            "/usr/bin/node --experimental-strip-types --disable-warning=ExperimentalWarning /w/a.ts a b c | node a.ts a 'b c'",
        ),
        (Machine(&[("node", "v20.1.0"), ("bun", "")]), "/usr/bin/bun /w/a.ts a b c | bun a.ts a 'b c'"),
        (
            Machine(&[("deno", "")]),
            "/usr/bin/deno run --quiet --allow-all /w/a.ts a b c | deno run a.ts a 'b c'",
        ),
        (
            Machine(&[("node", "v20.20.2")]),
            "cannot run TypeScript: node is version 20.20, but 22.6 or newer is needed (127) \
             install it with: npm install -g tsx; or: nvm install 24; or: mise use -g node@24",
        ),
        (
            Machine(&[]),
            "cannot run TypeScript: none of tsx, node, bun, deno is installed (127) \
             install it with: npm install -g tsx; or: nvm install 24; or: mise use -g node@24",
        ),
    ];
    for (machine, expected) in machines {
        assert_eq!(told(&machine, "a.ts", "x"), expected);
    }
}

#[test]
fn a_missing_runtime_comes_with_its_package() {
    for (name, expected) in [
        (
            "a.rb",
            "cannot run Ruby: none of ruby is installed (127) install it with: apt install ruby; or: mise use -g ruby; or: brew install ruby",
        ),
        (
            "a.py",
            "cannot run Python: none of python3, python is installed (127) install it with: apt install python3; or: uv python install",
        ),
        (
            "A.java",
            "cannot run Java: none of javac, java is installed (127) install it with: apt install default-jdk-headless; or: sdk install java; or: mise use -g java",
        ),
    ] {
        assert_eq!(told(&Machine(&[]), name, "x"), expected);
    }
    let half = told(&Machine(&[("java", "")]), "A.java", "x");
    assert!(half.contains("(127)"), "a runtime without its compiler does not do: {half}");
    assert_eq!(
        told(&EVERYTHING, "tool", "#!/opt/py/bin/python3\n"),
        "cannot find the interpreter /opt/py/bin/python3 named in the first line (127) \
         use another interpreter with --language python; or install it with: apt install python3; or: uv python install"
    );
    assert!(
        told(&EVERYTHING, "tool", "#!/usr/bin/zsh\n").starts_with("cannot find the interpreter /usr/bin/zsh")
    );
}

#[test]
fn inline_code_is_shown_as_it_was_meant() {
    let languages = Languages::builtin();
    for (label, code, shown) in [
        ("bash", "python3 -c 'import nonexistent_module'", "python3 -c 'import nonexistent_module' x"),
        ("python", "import nonexistent_module", "python3 -c 'import nonexistent_module' x"),
        ("python", "print('a')\nprint('b')\n", "python3 -c \"print('a')…\" x"),
        ("c", "int main;", "cc main.c -o main -lm && ./main x"),
        ("java", "public class Up {}", "java Up.java x"),
    ] {
        let arguments = ["x".into()];
        let file = Path::new("/s/main");
        let program =
            plan(languages.called(label).unwrap(), &staged(file, code.as_bytes(), &arguments), &EVERYTHING)
                .unwrap();
        assert_eq!(program.shown, shown);
    }
}

#[test]
fn sql_runs_on_our_sqlite_or_through_psql_and_shows_no_password() {
    let languages = Languages::builtin();
    let sql = languages.called("sql").unwrap();
    let own: [OsString; 3] = ["/actum".into(), "internal".into(), "sql".into()];
    let connection = Connection::read("postgres://me:secret@db.example/shop").unwrap();
    let on = |database: Option<Database<'_>>, typed: Typed<'_>| {
        let staged = Staged { typed, database, ..staged(Path::new("/s/q.sql"), b"SELECT 1", &[]) };
        plan(sql, &staged, &EVERYTHING)
    };
    let file = Typed::File(Path::new("q.sql"));
    let told = |program: Program| format!("{} | {}", joined(&program.command), program.shown);
    let memory = Database::Sqlite { command: &own, file: None };
    assert_eq!(
        told(on(Some(memory), file).unwrap()),
        "/actum internal sql /s/q.sql | sqlite3 :memory: < q.sql"
    );
    let shop = Database::Sqlite { command: &own, file: Some(Path::new("shop.db")) };
    assert_eq!(
        told(on(Some(shop), Typed::Inline).unwrap()),
        "/actum internal sql --database shop.db /s/q.sql | sqlite3 shop.db 'SELECT 1'"
    );
    let program = on(Some(Database::Postgres(&connection)), Typed::Inline).unwrap();
    assert!(!format!("{program:?}").contains("secret"), "{program:?}");
    assert!(program.variables.0.contains(&("PGPASSWORD".into(), "secret".into())));
    assert_eq!(
        told(program),
        "/usr/bin/psql -X -v ON_ERROR_STOP=1 -P pager=off -f /s/q.sql | psql -c 'SELECT 1'"
    );
    assert_eq!(on(None, file).unwrap_err(), LanguageError::NoDatabase);
}

#[test]
fn a_kept_program_is_started_where_it_lies() {
    let languages = Languages::builtin();
    let arguments = ["x".into()];
    for (label, code, expected) in [
        ("c", "x", "/kept/artifact x"),
        ("java", "class A { static void main() {} }", "/usr/bin/java -cp /kept/artifact A x"),
    ] {
        let staged = staged(Path::new("/s/m"), code.as_bytes(), &arguments);
        let program = plan(languages.called(label).unwrap(), &staged, &EVERYTHING).unwrap();
        assert_eq!(joined(&program.start(Path::new("/kept/artifact"))), expected);
        let flags = joined(&program.compile.unwrap().flags);
        assert!(flags.contains("{output}") && !flags.contains("/o/"), "where it goes is left open: {flags}");
    }
}

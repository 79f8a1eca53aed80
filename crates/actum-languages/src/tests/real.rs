//! The runtimes of this machine, without a sandbox: checks tell good from bad, plans run.

use super::super::fixtures::FIXTURES;
use super::super::*;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Here;

impl Installed for Here {
    fn find(&self, command: &str) -> Option<PathBuf> {
        let path = std::env::var_os("PATH")?;
        actum_sandbox::find_command(OsStr::new(command), &path, Path::new("/"))
    }

    fn version(&self, program: &Path, arguments: &[OsString]) -> Option<String> {
        let said = Command::new(program).args(arguments).output().ok()?;
        Some(String::from_utf8_lossy(&said.stdout).into_owned())
    }
}

/// A source in a folder of its own.
struct Source {
    folder: tempfile::TempDir,
    file: PathBuf,
    code: Vec<u8>,
}

impl Source {
    fn new(language: &Language, code: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("out")).unwrap();
        let file = folder.path().join(language.staged_name(code.as_bytes()));
        fs::write(&file, code).unwrap();
        Self { file, code: code.into(), folder }
    }

    fn plan(&self, language: &Language, arguments: &[OsString]) -> Result<Program, LanguageError> {
        let (output, cache) = (self.folder.path().join("out"), self.folder.path().join("cache"));
        let staged = Staged {
            file: &self.file,
            code: &self.code,
            typed: Typed::Inline,
            arguments,
            first_line: FirstLine::Silent,
            output: &output,
            cache: &cache,
            database: None,
        };
        plan(language, &staged, &Here)
    }

    fn run(&self, command: &[OsString], variables: &Variables) -> Output {
        let mut start = Command::new(&command[0]);
        start.args(&command[1..]).envs(variables.0.iter().cloned()).current_dir(self.folder.path());
        start.output().unwrap()
    }
}

/// Runs one test for a language; says so where its runtime is not here.
fn with(name: &str, test: impl Fn(&Language)) {
    let languages = Languages::builtin();
    let language = languages.called(name).unwrap();
    match Source::new(language, "x").plan(language, &[]) {
        Ok(_) => test(language),
        Err(error) => actum_testkit::skip(&error.to_string()),
    }
}

fn check(name: &str) {
    with(name, |language| {
        let fixture = FIXTURES.iter().find(|fixture| fixture.language == name).unwrap();
        let programs = fixture.good.iter().map(|code| (*code, true)).chain([(fixture.bad, false)]);
        for (code, is_good) in programs {
            let source = Source::new(language, code);
            let Some(check) = source.plan(language, &[]).unwrap().check else {
                return actum_testkit::skip(&format!("the runtime for {name} that is here has no check"));
            };
            let said = source.run(&check.command, &Variables::default());
            assert_eq!(
                said.status.success(),
                is_good,
                "{name}: {code}\n{}",
                String::from_utf8_lossy(&said.stderr)
            );
            let left = fs::read_dir(source.folder.path()).unwrap().count();
            assert_eq!(left, 2, "{name}: only the source and the output folder are there after a check");
        }
    });
}

/// Prints its arguments, one a line.
fn arguments(name: &str, code: &str) {
    with(name, |language| {
        let source = Source::new(language, code);
        let program = source.plan(language, &["one".into(), "two words".into()]).unwrap();
        if let Some(compile) = &program.compile {
            let made = source.run(&compile.command, &compile.variables);
            assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
            assert!(compile.output.exists(), "{name}");
        }
        let said = source.run(&program.command, &program.variables);
        let text =
            String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
        assert_eq!(text, "one\ntwo words\n", "{name}");
    });
}

macro_rules! languages {
    ($($name:ident, $code:expr;)*) => {$(
        mod $name {
            #[test]
            fn the_check_tells_good_from_bad() {
                super::check(stringify!($name));
            }

            #[test]
            fn arguments_arrive() {
                super::arguments(stringify!($name), $code);
            }
        }
    )*};
}

languages! {
    python, "import sys\nfor word in sys.argv[1:]:\n    print(word)\n";
    bash, "printf '%s\\n' \"$@\"\n";
    sh, "printf '%s\\n' \"$@\"\n";
    javascript, "for (const word of process.argv.slice(2)) console.log(word);\n";
    typescript, "const words: string[] = process.argv.slice(2);\nwords.forEach((word: string) => console.log(word));\n";
    ruby, "ARGV.each { |word| puts word }\n";
    perl, "print \"$_\\n\" for @ARGV;\n";
    php, "<?php foreach (array_slice($argv, 1) as $word) { echo \"$word\\n\"; }\n";
    lua, "for _, word in ipairs(arg) do print(word) end\n";
    r, "writeLines(commandArgs(trailingOnly = TRUE))\n";
    julia, "foreach(println, ARGS)\n";
    go, "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tfor _, word := range os.Args[1:] {\n\t\tfmt.Println(word)\n\t}\n}\n";
    rust, "fn main() {\n    for word in std::env::args().skip(1) {\n        println!(\"{word}\");\n    }\n}\n";
    c, "#include <stdio.h>\nint main(int n, char **v) {\n    for (int i = 1; i < n; i++) puts(v[i]);\n}\n";
    cpp, "#include <iostream>\nint main(int n, char **v) {\n    for (int i = 1; i < n; i++) std::cout << v[i] << '\\n';\n}\n";
    java, "public class Words {\n    public static void main(String[] words) {\n        for (String word : words) System.out.println(word);\n    }\n}\n";
}

#[test]
fn lua_is_checked_without_its_compiler_too() {
    let languages = Languages::builtin();
    let lua = languages.called("lua").unwrap();
    let Some(command) = Here.find("lua") else { return actum_testkit::skip("lua is not here") };
    let load = lua.runtimes[0].checks.last().unwrap();
    for (code, is_good) in [("print('this must not run')", true), ("local = 1", false)] {
        let source = Source::new(lua, code);
        let filling: Filling = [(Hole::File, vec![source.file.clone().into()])].into();
        let words = load.command.fill(&filling);
        let said = Command::new(&command).args(&words[1..]).output().unwrap();
        assert_eq!((said.status.success(), said.stdout.is_empty()), (is_good, true), "{code}");
    }
}

#[test]
fn what_compilers_read_is_told() {
    for (name, main, other, text) in [
        ("c", "#include \"util.h\"\nint main(void) { return ZERO; }\n", "util.h", "#define ZERO 0\n"),
        ("rust", "mod util;\nfn main() { util::nothing(); }\n", "util.rs", "pub fn nothing() {}\n"),
    ] {
        with(name, |language| {
            let source = Source::new(language, main);
            fs::write(source.folder.path().join(other), text).unwrap();
            let compile = source.plan(language, &[]).unwrap().compile.unwrap();
            let made = source.run(&compile.command, &compile.variables);
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            let folder = source.folder.path();
            let gathered = crate::compile::gather(&compile, (&source.file, folder), folder).unwrap();
            let crate::compile::Gathered::All(reads) = gathered else { panic!("{name}: not known") };
            let own: Vec<_> = reads.iter().filter(|read| read.path.starts_with(folder)).collect();
            assert_eq!(own.len(), 1, "{own:?}");
            assert!(own[0].path.ends_with(other) && matches!(own[0].stamp, crate::compile::Stamp::Digest(_)));
        });
    }
}

//! What is read out of the other languages, case by case.

use actum_model::{Completeness, EntryPoint, FileMode, ImportKind, Reading};

fn read(language: &str, text: &str) -> Reading {
    crate::read(language, text.as_bytes())
}

fn word(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Plain => "plain",
        ImportKind::Lazy => "lazy",
        ImportKind::Optional => "optional",
        ImportKind::TypeOnly => "type-only",
        ImportKind::Dynamic => "dynamic",
        ImportKind::Relative => "relative",
    }
}

#[test]
fn imports_are_found() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "js",
            "import a from 'x';\nimport * as b from \"@s/y/z\";\nimport './l.js';\n",
            &["x plain", "@s/y/z plain", "./l.js relative"],
        ),
        ("js", "export * from 'x';\nconst { a } = require('y');\nrequire(name);\n", &["x plain", "y plain"]),
        (
            "js",
            "function f() { require('x'); }\ntry { require('y'); } catch {}\nconst z = await import('z');\n",
            &["x lazy", "y optional", "z dynamic"],
        ),
        (
            "ts",
            "import type { A } from 'x';\nimport fs = require('fs');\nimport { b } from 'node:path';\n",
            &["x type-only", "fs plain", "node:path plain"],
        ),
        ("tsx", "import React from 'react';\nexport const A = () => <div>{1}</div>;\n", &["react plain"]),
        ("bash", "source ./lib.sh\n. other.sh\n", &["./lib.sh relative", "other.sh relative"]),
        (
            "ruby",
            "require 'json'\nrequire_relative 'a/b'\nrequire \"./c\"\n",
            &["json plain", "a/b relative", "./c relative"],
        ),
        (
            "ruby",
            "begin\n  require 'x'\nrescue LoadError\nend\ndef f\n  require 'y'\nend\n",
            &["x optional", "y lazy"],
        ),
        (
            "r",
            "library(dplyr)\nlibrary(\"tidyr\")\nx <- stringr::str_c('a')\n",
            &["dplyr plain", "tidyr plain", "stringr plain"],
        ),
        (
            "r",
            "if (!require(caret)) install.packages('caret')\nsuppressMessages(library(ggplot2))\npacman::p_load(a, b)\nsource('l.R')\n",
            &["caret optional", "ggplot2 plain", "a plain", "b plain", "pacman plain", "l.R relative"],
        ),
        (
            "go",
            "package main\nimport (\n\t\"fmt\"\n\tx \"github.com/a/b\"\n)\nimport \"os\"\n",
            &["fmt plain", "github.com/a/b plain", "os plain"],
        ),
        (
            "rust",
            "use std::io;\nuse serde::{Deserialize, Serialize};\nextern crate rand;\nmod own;\nuse crate::x;\nuse own::y;\n",
            &["std plain", "serde plain", "rand plain", "own relative"],
        ),
        (
            "rust",
            "use std::fs;\nfn main() { let x = rand::random(); fs::read(\"a\"); u32::MAX; String::new(); }\n",
            &["std plain", "rand lazy"],
        ),
        ("rust", "use {anyhow::Result, tokio::net};\n", &["anyhow plain", "tokio plain"]),
        (
            "java",
            "import java.util.*;\nimport static org.junit.Assert.assertEquals;\nimport com.a.B;\n",
            &["java.util plain", "org.junit.Assert.assertEquals plain", "com.a.B plain"],
        ),
        ("c", "#include <stdio.h>\n#include \"own.h\"\n", &["<stdio.h> plain", "own.h relative"]),
        (
            "cpp",
            "#include <vector>\n#include <boost/asio.hpp>\n",
            &["<vector> plain", "<boost/asio.hpp> plain"],
        ),
        (
            "php",
            "<?php\nuse Foo\\Bar;\nuse A\\{B, C as D};\nrequire __DIR__ . '/vendor/autoload.php';\n",
            &["Foo\\Bar plain", "A\\B plain", "A\\C plain", "vendor/autoload.php relative"],
        ),
        ("php", "use Foo\\Bar;\nnew Bar();\n", &["Foo\\Bar plain"]),
        (
            "lua",
            "local a = require 'x.y'\nlocal ok, b = pcall(require, \"z\")\n",
            &["x.y plain", "z optional"],
        ),
    ];
    for (language, text, expected) in cases {
        let list = read(language, text).imports;
        let mut found: Vec<_> = list.iter().map(|one| format!("{} {}", one.module, word(one.kind))).collect();
        let mut expected: Vec<_> = expected.iter().map(|one| (*one).to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{language}: {text}");
    }
}

fn state(language: &str, text: &str) -> String {
    match read(language, text).complete {
        Completeness::Complete => "complete".to_owned(),
        Completeness::Truncated { line, .. } => format!("truncated {line}"),
        Completeness::Elided { line, .. } => format!("elided {line}"),
        Completeness::Wrong { line, .. } => format!("wrong {line}"),
        Completeness::Legacy { line, .. } => format!("legacy {line}"),
        Completeness::Unread { .. } => "unread".to_owned(),
    }
}

#[test]
fn programs_are_told_whole_or_not() {
    let cases = [
        ("js", "function f() { return 1; }\nf();\n", "complete"),
        ("js", "function f(a) {\n  for (let i = 0; i < a; i++) {\n    x.push(i\n", "truncated 3"),
        ("js", "function f(a) {\n  return a.map(x => x *", "truncated 2"),
        ("js", "const f = (a) => {\n  return 1;\n", "truncated 2"),
        ("js", "const s = `abc\n", "truncated 1"),
        ("js", "let x =", "truncated 1"),
        ("js", "const x = = 1;\nfunction f() { return 1; }\nf();\n", "wrong 1"),
        ("js", "f());\ng();\n", "wrong 1"),
        ("js", "function f() {\n  // ... rest of the code\n}\n", "elided 2"),
        ("ts", "interface A { a: number }\nconst f = (x: A): number => x.a;\n", "complete"),
        ("ts", "function f(x: number): number {\n  if (x > 1) {\n", "truncated 2"),
        ("bash", "for i in a b; do\n  echo $i\ndone\n", "complete"),
        ("bash", "for i in a b; do\n  echo $i\n", "truncated 2"),
        ("bash", "if [ -f a ]; then\n  echo a\n", "truncated 2"),
        ("ruby", "def f(a)\n  a + 1\nend\n", "complete"),
        ("ruby", "def f(a)\n  x = 1\n", "truncated 2"),
        ("ruby", "x = [1, 2\n", "truncated 1"),
        ("r", "f <- function(x) {\n  x + 1\n}\n", "complete"),
        ("r", "f <- function(x) {\n  x +\n", "truncated 2"),
        ("go", "package main\nfunc main() {}\n", "complete"),
        ("go", "package main\nfunc main() {\n\tx := 1\n", "truncated 3"),
        ("rust", "fn main() { println!(\"a\"); }\n", "complete"),
        ("rust", "fn main() {\n    let x = vec![1,\n", "truncated 2"),
        ("java", "class A { int x; }\n", "complete"),
        ("java", "class A {\n  void f() {\n    int x = 1;\n", "truncated 3"),
        ("c", "int main(void) { return 0; }\n", "complete"),
        ("c", "int main(void) {\n  printf(\"a\"", "truncated 2"),
        ("cpp", "template <class T> T f(T x) { return x; }\n", "complete"),
        ("cpp", "int main() {\n  std::vector<int> x = {1, 2", "truncated 2"),
        ("php", "<?php\nfunction f() { return 1; }\n", "complete"),
        ("php", "<?php\nfunction f() {\n  return [1, 2", "truncated 3"),
        ("lua", "local x = 1\nprint(x)\n", "complete"),
        ("lua", "function f(a)\n  if a then\n", "truncated 2"),
        ("cobol", "DISPLAY 'A'.", "unread"),
    ];
    for (language, text, expected) in cases {
        assert_eq!(
            state(language, text),
            expected,
            "{language}: {text}\n{:?}",
            read(language, text).complete
        );
    }
}

#[test]
fn programs_begin_somewhere() {
    use EntryPoint::{Definitions, MainGuard, Nothing, Script, Tests};
    let cases = [
        ("js", "function f() {}\nconst x = 1;\n", Definitions),
        ("js", "function f() {}\nf();\n", Script),
        ("js", "test('a', () => {});\n", Script),
        ("ruby", "require 'x'\ndef f; end\n", Definitions),
        ("ruby", "puts 1\n", Script),
        ("r", "f <- function(x) x\n", Definitions),
        ("r", "f <- function(x) x\nprint(f(1))\n", Script),
        ("go", "package main\nfunc main() {}\n", MainGuard),
        ("go", "package a\nfunc F() {}\n", Definitions),
        ("go", "package a\nfunc TestF(t *testing.T) {}\n", Tests),
        ("rust", "fn main() {}\n", MainGuard),
        ("rust", "fn f() {}\n", Definitions),
        ("java", "class A { public static void main(String[] a) {} }\n", MainGuard),
        ("java", "class A { }\n", Definitions),
        ("c", "int main() { return 0; }\n", MainGuard),
        ("c", "int f() { return 0; }\n", Definitions),
        ("php", "<?php\nfunction f() {}\n", Definitions),
        ("php", "<?php\necho 1;\n", Script),
        ("lua", "local function f() end\n", Definitions),
        ("lua", "print(1)\n", Script),
        ("bash", "f() { echo 1; }\n", Definitions),
        ("bash", "echo 1\n", Script),
        ("bash", "# nothing\n", Nothing),
    ];
    for (language, text, expected) in cases {
        assert_eq!(read(language, text).entry, expected, "{language}: {text}");
    }
}

#[test]
fn standard_input_is_noticed() {
    let cases = [
        ("js", "process.stdin.on('data', f);\n", true),
        ("js", "fs.readFileSync('/dev/stdin');\n", true),
        ("bash", "read name\n", true),
        ("bash", "while read l; do echo $l; done < a.txt\n", false),
        ("bash", "echo a | while read l; do :; done\n", false),
        ("ruby", "x = gets\n", true),
        ("r", "x <- readLines('stdin')\n", true),
        ("go", "package main\nfunc main() { fmt.Scanln(&x) }\n", true),
        ("rust", "fn main() { std::io::stdin().read_line(&mut s); }\n", true),
        ("java", "class A { void f() { new Scanner(System.in); } }\n", true),
        ("c", "int main() { scanf(\"%d\", &x); }\n", true),
        ("cpp", "int main() { std::cin >> x; }\n", true),
        ("php", "<?php $x = fgets(STDIN);\n", true),
        ("lua", "x = io.read()\n", true),
        ("lua", "print(1)\n", false),
    ];
    for (language, text, expected) in cases {
        assert_eq!(read(language, text).stdin.is_some(), expected, "{language}: {text}");
    }
}

#[test]
fn files_are_found() {
    use FileMode::{Append, Read, Write};
    type Case = (&'static str, &'static str, &'static [(&'static str, FileMode)]);
    let cases: &[Case] = &[
        (
            "js",
            "fs.readFileSync('a.txt'); fs.promises.writeFile('b.txt', x); fs.readFile(n);\n",
            &[("a.txt", Read), ("b.txt", Write)],
        ),
        (
            "bash",
            "sort < a.txt > b.txt 2>/dev/null\necho x >> c.txt\necho > $OUT\n",
            &[("a.txt", Read), ("b.txt", Write), ("c.txt", Append)],
        ),
        ("ruby", "File.read('a')\nFile.open('b', 'w') { |f| f }\n", &[("a", Read), ("b", Write)]),
        ("r", "x <- read.csv('a.csv')\nwrite.csv(x, 'b.csv')\n", &[("a.csv", Read), ("b.csv", Write)]),
        (
            "go",
            "package main\nfunc main() { os.Open(\"a\"); os.Create(\"b\") }\n",
            &[("a", Read), ("b", Write)],
        ),
        (
            "rust",
            "fn main() { File::open(\"a\"); std::fs::write(\"b\", x); }\n",
            &[("a", Read), ("b", Write)],
        ),
        ("java", "class A { void f() { new FileReader(\"a\"); } }\n", &[("a", Read)]),
        ("c", "int main() { fopen(\"a\", \"r\"); fopen(\"b\", \"w\"); }\n", &[("a", Read), ("b", Write)]),
        ("php", "<?php file_get_contents('a'); file_put_contents('b', 1);\n", &[("a", Read), ("b", Write)]),
        ("lua", "io.open('a', 'r')\nio.open('b', 'w')\n", &[("a", Read), ("b", Write)]),
    ];
    for (language, text, expected) in cases {
        let files = read(language, text).files;
        let found: Vec<_> = files.iter().map(|one| (one.path.as_str(), one.mode)).collect();
        assert_eq!(found, *expected, "{language}: {text}");
    }
}

#[test]
fn variables_and_arguments_are_found() {
    let cases = [
        ("js", "process.env.KEY; process.env['B']; process.argv[2];\n", vec!["KEY", "B"], vec!["1"]),
        (
            "bash",
            "X=1\necho $X $KEY $HOME ${B:-x} ${C:?no} $1\nfor F in a; do echo $F; done\n",
            vec!["KEY", "B", "C"],
            vec!["1"],
        ),
        ("ruby", "ENV['A']; ENV.fetch('B'); ARGV[0]\n", vec!["A", "B"], vec!["1"]),
        ("r", "Sys.getenv('A')\n", vec!["A"], vec![]),
        ("go", "package main\nfunc main() { os.Getenv(\"A\"); os.Args[1] }\n", vec!["A"], vec!["1"]),
        ("rust", "fn main() { std::env::var(\"A\"); }\n", vec!["A"], vec![]),
        ("java", "class A { void f() { System.getenv(\"A\"); args[0]; } }\n", vec!["A"], vec!["1"]),
        ("c", "int main() { getenv(\"A\"); argv[1]; }\n", vec!["A"], vec!["1"]),
        ("php", "<?php getenv('A'); $_ENV['B']; $argv[1];\n", vec!["A", "B"], vec!["1"]),
        ("lua", "os.getenv('A'); print(arg[1])\n", vec!["A"], vec!["1"]),
    ];
    for (language, text, variables, arguments) in cases {
        let reading = read(language, text);
        let found: Vec<_> = reading.variables.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(found, variables, "{language}: {text}");
        let found: Vec<_> = reading.arguments.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(found, arguments, "{language}: {text}");
    }
    let needed = read("bash", "echo ${C:?no}\n").variables;
    assert!(needed[0].needed);
}

#[test]
fn the_shell_tells_what_it_starts_and_installs() {
    let text = "f() { :; }\nsudo apt-get install -y ffmpeg\npip install numpy\ncd x && f && jq . a.json | tee b\nX=1 ./run.sh\n$CMD x\n";
    let reading = read("bash", text);
    let commands: Vec<_> = reading.commands.iter().map(|one| (one.name.as_str(), one.privileged)).collect();
    assert_eq!(
        commands,
        [("apt-get", true), ("pip", false), ("jq", false), ("tee", false), ("./run.sh", false)]
    );
    let installs: Vec<_> =
        reading.installs.iter().map(|one| format!("{} {}", one.tool, one.package)).collect();
    assert_eq!(installs, ["apt ffmpeg", "pip numpy"]);
    let copied = read("bash", "$ ls -l\ntotal 0\n$ curl https://example.com/x\n");
    assert_eq!(copied.complete, Completeness::Complete);
    let commands: Vec<_> = copied.commands.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((commands, copied.layout.len()), (vec!["ls", "curl"], 1));
    assert_eq!(copied.network.unwrap().hosts, ["example.com"]);
}

#[test]
fn services_and_the_network_are_noticed() {
    let serving = read("js", "const app = require('express')();\napp.listen(3000, () => {});\n").service;
    assert_eq!(serving.unwrap().port, Some(3000));
    let serving = read("go", "package main\nfunc main() { http.ListenAndServe(\":8080\", nil) }\n").service;
    assert_eq!(serving.unwrap().port, Some(8080));
    let asking = read("js", "const r = await fetch('https://api.example.com/x');\n");
    assert_eq!(asking.top_level_await, Some(1));
    assert_eq!(asking.network.unwrap().hosts, ["api.example.com"]);
    assert_eq!(read("js", "const x = 'https://example.com';\n").network, None);
}

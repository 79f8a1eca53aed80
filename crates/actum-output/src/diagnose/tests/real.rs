//! Small programs that fail, started with the tools of this machine: their wordings are those of today.

use super::Told;
use actum_model::{Ending, Reading};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

/// Tool, language, file, text, row.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    ("python3", "python", "main.py", "import totally_absent_package\n", "py-module-missing"),
    ("python3", "python", "main.py", "from json import dumpz\n", "py-cannot-import-name"),
    ("python3", "python", "main.py", "open('data/in.csv')\n", "py-file-missing-input"),
    ("python3", "python", "main.py", "%matplotlib inline\n", "nb-magic"),
    ("python3", "python", "main.py", "print 'hello'\n", "py2-print"),
    ("python3", "python", "main.py", "def f(a,\n", "py-truncated"),
    ("python3", "python", "main.py", "x = input()\n", "py-eof-input"),
    ("python3", "python", "main.py", "import os\nos.environ['ABSENT_ONE']\n", "py-env-keyerror"),
    ("python3", "python", "main.py", "import sys\nprint(sys.argv[1])\n", "py-argv-index"),
    ("python3", "python", "main.py", "def f(a): pass\nf(b=1)\n", "py-type-value-key"),
    ("python3", "python", "main.py", "import asyncio\nawait asyncio.sleep(0)\n", "py-toplevel-await"),
    ("python3", "python", "main.py", "assert 1 == 2\n", "py-assertion"),
    ("python3", "python", "main.py", "import subprocess\nsubprocess.run(['absent-one'])\n", "exe-missing"),
    (
        "python3",
        "python",
        "main.py",
        "try:\n    int('x')\nexcept ValueError:\n    import absent_one\n",
        "py-module-missing",
    ),
    ("node", "javascript", "main.js", "require('absent-one')\n", "node-module-missing"),
    ("node", "javascript", "main.js", "require('./absent')\n", "node-local-missing"),
    ("node", "javascript", "main.js", "undefined.x\n", "node-type-ref"),
    ("node", "javascript", "main.js", "require('fs').readFileSync('in.txt')\n", "node-enoent"),
    ("bash", "bash", "main.sh", "absent-one\n", "sh-cmd-missing"),
    ("bash", "bash", "main.sh", "set -u\necho $ABSENT\n", "sh-unbound"),
    ("bash", "bash", "main.sh", "if true; then\n", "sh-truncated"),
    ("ruby", "ruby", "main.rb", "require 'absent_one'\n", "rb-load-error"),
    ("perl", "perl", "main.pl", "use Absent::One;\n", "perl-module-missing"),
    ("lua", "lua", "main.lua", "require('absent')\n", "lua-module-missing"),
    ("php", "php", "main.php", "<?php absent_one();\n", "php-class-missing"),
];

#[test]
fn programs_that_fail_today() {
    let folder = tempfile::tempdir().unwrap();
    let mut absent: Vec<&str> = Vec::new();
    for case in CASES {
        if absent.contains(&case.0) {
            continue;
        }
        match fail(folder.path(), case) {
            Some(row) => assert_eq!(row, case.4, "{}", case.3),
            None => absent.push(case.0),
        }
    }
    if !absent.is_empty() {
        actum_testkit::skip(&format!("not installed: {}", absent.join(", ")));
    }
}

/// The row of a program that fails; none where its tool is not here.
fn fail(folder: &std::path::Path, (tool, language, file, text, _): &Case) -> Option<String> {
    std::fs::write(folder.join(file), text).unwrap();
    let mut command = Command::new(tool);
    command.arg(file).current_dir(folder).stdin(Stdio::null());
    let output = command.output().ok()?;
    let ending = match (output.status.code(), output.status.signal()) {
        (Some(code), _) => Ending::Exited { code },
        (None, signal) => Ending::Signalled { signal: signal.unwrap_or(0) },
    };
    // Frames name files by their whole path, and these are the program's own.
    let place = folder.canonicalize().unwrap().to_string_lossy().into_owned();
    let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "/workspace");
    let (stdout, stderr) = (text_of(&output.stdout), text_of(&output.stderr));
    let defines =
        text.lines().filter_map(|line| line.strip_prefix("def ")?.split('(').next()).map(str::to_owned);
    let reading = Reading { defines: defines.collect(), ..Reading::of(language) };
    let told = Told {
        language,
        stdout: &stdout,
        stderr: &stderr,
        ending: Some(ending),
        reading: Some(reading),
        ..Told::default()
    };
    Some(told.row())
}

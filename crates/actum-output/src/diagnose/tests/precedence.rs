//! Which of several things that a text says is the reason.

use super::Told;
use actum_model::{Matched, Reading, Stream, Whose};

fn raised(line: &str) -> String {
    raised_at("/workspace/main.py", line)
}

fn raised_at(file: &str, line: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"/workspace/main.py\", line 3, in <module>\n    go()\n  File \"{file}\", line 9, in deep\n    inner()\n{line}\n"
    )
}

fn row(language: &str, stderr: &str) -> String {
    Told { language, stderr, reading: Some(Reading::of(language)), ..Told::default() }.row()
}

const CAUSED: &str = "\nThe above exception was the direct cause of the following exception:\n\n";
const MEANWHILE: &str = "\nDuring handling of the above exception, another exception occurred:\n\n";

#[test]
fn the_last_exception_of_a_chain_unless_it_says_nothing() {
    let missing = raised("ModuleNotFoundError: No module named 'absent'");
    for (second, link, wanted) in [
        (
            "ImportError: Missing optional dependency 'absent'. Use pip to install it.",
            MEANWHILE,
            "py-optional-engine",
        ),
        ("RuntimeError: plots need a library", CAUSED, "py-module-missing"),
        ("RuntimeError: plots need absent", MEANWHILE, "py-module-missing"),
        // What was being handled when something else went wrong is not the reason.
        ("RuntimeError: no such plot", MEANWHILE, "py-exception"),
        ("KeyError: 'price'", MEANWHILE, "py-type-value-key"),
    ] {
        let text = format!("{missing}{link}{}", raised(second));
        assert_eq!(row("python", &text), wanted, "{second}");
    }
}

#[test]
fn what_is_printed_on_the_way_is_not_the_reason() {
    for (before, wanted) in [
        ("WARNING: Connection refused, trying another way\n", "py-type-value-key"),
        ("No space left on device (only a test of my logger)\n", "py-type-value-key"),
        ("usage: main.py FILE\n", "py-type-value-key"),
        // These cannot be said in passing.
        ("qt.qpa.plugin: Could not load the Qt platform plugin \"xcb\"\n", "py-no-display"),
    ] {
        let text = format!("{before}{}", raised("ValueError: bad"));
        assert_eq!(row("python", &text), wanted, "{before}");
    }
    let node = "Error: connect ECONNREFUSED 127.0.0.1:5432 (will retry)\n/workspace/main.js:3\nx.y.z\n    ^\n\nTypeError: Cannot read properties of undefined (reading 'z')\n    at Object.<anonymous> (/workspace/main.js:3:5)\n\nNode.js v20.20.2\n";
    assert_eq!(row("javascript", node), "node-type-ref");
    let java = "java.io.FileNotFoundException: optional.properties (No such file or directory)\nException in thread \"main\" java.lang.NullPointerException\n\tat Main.main(Main.java:3)\n";
    assert_eq!(row("java", java), "java-runtime");
}

#[test]
fn the_last_command_of_a_shell_decides() {
    for (text, wanted) in [
        (
            "ls: cannot access '/data': No such file or directory\nmain.sh: line 3: frobnicate: command not found\n",
            "sh-cmd-missing",
        ),
        (
            "main.sh: line 2: frobnicate: command not found\ncat: in.txt: No such file or directory\n",
            "sh-no-such-file",
        ),
        ("main.sh: line 2: sudo: command not found\n", "sudo-wanted"),
        // These say something about the whole text.
        (
            "main.sh: line 1: $: command not found\nmain.sh: line 2: ./tool: No such file or directory\n",
            "sh-prompt",
        ),
        ("main.sh: line 1: $'ls\\r': command not found\ncat: in.txt: No such file or directory\n", "sh-crlf"),
        ("main.sh: line 2: gcc: command not found\n", "cc-missing"),
    ] {
        assert_eq!(row("bash", text), wanted, "{text}");
    }
}

#[test]
fn whose_function_it_is_decides_about_its_arguments() {
    let own = Reading { defines: vec!["train".to_owned(), "Net".to_owned()], ..Reading::of("python") };
    let site = "/opt/environment/lib/python3.12/site-packages/x/core.py";
    for (file, line, read, wanted) in [
        (
            "/workspace/main.py",
            "TypeError: train() got an unexpected keyword argument 'lr'",
            Some(&own),
            "py-type-value-key",
        ),
        (
            "/workspace/main.py",
            "TypeError: Net.__init__() got an unexpected keyword argument 'lr'",
            Some(&own),
            "py-type-value-key",
        ),
        (
            "/workspace/main.py",
            "TypeError: OneHotEncoder.__init__() got an unexpected keyword argument 'sparse'",
            Some(&own),
            "py-kwarg-removed",
        ),
        (site, "TypeError: fit() got an unexpected keyword argument 'sparse'", None, "py-kwarg-removed"),
        // Nobody read the program: it may be its own.
        (
            "/workspace/main.py",
            "TypeError: fit() got an unexpected keyword argument 'sparse'",
            None,
            "py-type-value-key",
        ),
        (
            "/workspace/main.py",
            "AttributeError: 'Net' object has no attribute 'go'",
            Some(&own),
            "py-type-value-key",
        ),
        (
            "/workspace/main.py",
            "AttributeError: 'NoneType' object has no attribute 'go'",
            Some(&own),
            "py-type-value-key",
        ),
        (
            "/workspace/main.py",
            "AttributeError: 'DataFrame' object has no attribute 'append'",
            Some(&own),
            "py-obj-attr-removed",
        ),
    ] {
        let stderr = raised_at(file, line);
        let told = Told { language: "python", stderr: &stderr, reading: read.cloned(), ..Told::default() };
        assert_eq!(told.row(), wanted, "{line}");
    }
}

#[test]
fn of_several_failing_tests_the_most_fundamental() {
    let test = |name: &str, line: &str| {
        format!(
            "======================================================================\nERROR: {name}\n----------------------------------------------------------------------\n{}\n",
            raised(line)
        )
    };
    let counts = "----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (errors=2)\n";
    let path = test("test_b", "FileNotFoundError: [Errno 2] No such file or directory: 'in.csv'");
    let check = test("test_a", "AssertionError: 1 != 2");
    let module = test("test_c", "ModuleNotFoundError: No module named 'absent'");
    for (parts, wanted) in [
        (vec![&check, &path, &module], "py-module-missing"),
        (vec![&module, &check], "py-module-missing"),
        (vec![&check, &path], "py-file-missing-input"),
        (vec![&check], "py-assertion"),
    ] {
        let text: String = parts.into_iter().map(String::as_str).chain([counts]).collect();
        assert_eq!(row("python", &text), wanted);
    }
}

#[test]
fn a_diagnosis_says_where_and_about_what() {
    let site = "/opt/environment/lib/python3.12/site-packages/x/core.py";
    let stderr = raised_at(site, "ModuleNotFoundError: No module named 'absent'");
    let told = Told { language: "python", stderr: &stderr, ..Told::default() };
    let diagnosis = told.diagnosis().unwrap();
    assert_eq!(diagnosis.subject, ["absent"]);
    assert_eq!(diagnosis.cause, "The package that provides the module absent is not installed.");
    assert_eq!(diagnosis.matched, Some(Matched { stream: Stream::Stderr, line: 6 }));
    assert_eq!(diagnosis.raised_in, Some(Whose::Package));
    let frame = diagnosis.frame.unwrap();
    assert_eq!(
        (frame.file.as_str(), frame.line, frame.function.as_deref()),
        ("main.py", Some(3), Some("<module>"))
    );
}

#[test]
fn what_nobody_knows_is_not_guessed() {
    for (language, stderr) in [
        ("python", ""),
        ("python", "going down\n"),
        ("bash", ""),
        ("bash", "grep: no match\n"),
        ("", "something broke\n"),
        ("javascript", "process.exit was called\n"),
        ("cobol", "ModuleNotFoundError: No module named 'x'\n"),
    ] {
        assert_eq!(row(language, stderr), "", "{stderr}");
    }
}

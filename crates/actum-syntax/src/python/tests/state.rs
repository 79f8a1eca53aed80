//! Whole or not, how it is laid out, where it begins.

use super::read;
use actum_model::{Completeness, EntryPoint, LayoutKind, MagicKind};

/// The state and its line, shortly: `complete`, `truncated 3`.
fn state(text: &str) -> String {
    match read(text).complete {
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
        ("", "complete"),
        ("x = 1\n", "complete"),
        ("def f(): ...\n", "complete"),
        ("class P(Protocol):\n    def f(self) -> int:\n        \"\"\"One.\"\"\"\n        ...\n", "complete"),
        ("x = t[..., 0]\n", "complete"),
        ("s = 'a\u{200d}b\u{a0}c “d”'\n", "complete"),
        ("def f():\n", "truncated 1"),
        ("x = 1\nif x:", "truncated 2"),
        ("x = foo(1,\n", "truncated 1"),
        ("x = [1,\n 2,\n 3", "truncated 3"),
        ("x = {'a': 1,\n 'b':", "truncated 2"),
        ("print('hello", "truncated 1"),
        ("print(f'hello {x", "truncated 1"),
        ("def f():\n    \"\"\"Says\n    something", "truncated 3"),
        ("try:\n    f()\n", "truncated 2"),
        ("x = 1 +", "truncated 1"),
        ("x =", "truncated 1"),
        ("import", "truncated 1"),
        ("from x import", "truncated 1"),
        ("for i in range(10", "truncated 1"),
        ("@decorator\n", "truncated 1"),
        ("class A(B", "truncated 1"),
        ("x = 1\n...\ny = 2\n", "elided 2"),
        ("...\n", "elided 1"),
        ("def f():\n    x = 1\n    ...\n    return x\n", "elided 3"),
        ("import x\n\n# ... rest of the code\n", "elided 3"),
        ("def f():\n    # ... existing code ...\n    return 1\n", "elided 2"),
        ("class A:\n    # ... rest of the class unchanged\n\nclass B:\n    x = 1\n", "elided 2"),
        ("def f():\n    # Your code here\n", "elided 2"),
        ("def f(a=1, b", "truncated 1"),
        ("f(a, b=1, den", "truncated 1"),
        ("x = [a f", "truncated 1"),
        ("x = 1 2\ny = 3\n", "wrong 1"),
        ("foo(\nx = 1\ndef g():\n    pass\n", "wrong 2"),
        ("$ pip install x\nimport x\n", "wrong 1"),
        ("Here is the code that you wanted.\nimport x\n", "wrong 1"),
        ("print 'a'\n", "legacy 1"),
        ("import os\nprint os.getcwd()\n", "legacy 2"),
        ("try:\n    f()\nexcept ValueError, e:\n    pass\n", "legacy 3"),
        ("print 'a'\nx = foo(1,\n", "truncated 2"),
    ];
    for (text, expected) in cases {
        assert_eq!(state(text), expected, "{text}\n{:?}", read(text).complete);
    }
}

#[test]
fn what_is_unusual_is_noticed_and_looked_through() {
    use LayoutKind::{Indented, NonBreakingSpace, Prompts, SmartQuotes, ZeroWidth};
    let cases: &[(&str, LayoutKind, u32)] = &[
        (">>> import numpy\n>>> numpy.zeros(3)\narray([0., 0., 0.])\n", Prompts, 1),
        ("In [1]: import numpy\n\nIn [2]: numpy.zeros(3)\nOut[2]: array(…)\n", Prompts, 1),
        ("\n    import numpy\n    x = numpy.zeros(3)\n", Indented, 2),
        ("x = 1\nimport\u{a0}numpy\n", NonBreakingSpace, 2),
        ("import numpy\n\u{200b}x = 1\n", ZeroWidth, 2),
        ("import numpy\nprint(“a”)\n", SmartQuotes, 2),
        ("import numpy\nprint(‘a’)\n", SmartQuotes, 2),
    ];
    for (text, kind, line) in cases {
        let reading = read(text);
        assert_eq!(reading.complete, Completeness::Complete, "{text}");
        let noticed: Vec<_> = reading.layout.iter().map(|one| (one.kind, one.line)).collect();
        assert_eq!(noticed, [(*kind, *line)], "{text}");
        assert_eq!(reading.imports[0].module, "numpy", "{text}");
    }
}

#[test]
fn magics_are_noticed_and_looked_through() {
    let text = "%pip install -q pandas\n!ls -l\nimport pandas as pd\n%matplotlib inline\nfiles = !ls\npd.DataFrame?\n";
    let reading = read(text);
    assert_eq!(reading.complete, Completeness::Complete);
    let magics: Vec<_> = reading.magics.iter().map(|one| (one.kind, one.line)).collect();
    let expected = [
        (MagicKind::Line, 1),
        (MagicKind::Shell, 2),
        (MagicKind::Line, 4),
        (MagicKind::Shell, 5),
        (MagicKind::Help, 6),
    ];
    assert_eq!(magics, expected);
    assert_eq!((reading.installs[0].package.as_str(), reading.installs[0].via.as_str()), ("pandas", "magic"));
    assert_eq!((reading.imports.len(), reading.imports[0].line), (1, 3));
    assert_eq!(reading.commands[0].name, "ls");
}

#[test]
fn cells_for_other_languages_are_not_python() {
    let reading = read("import a\n%%bash\nfor f in *; do echo $f; done\n# %%\nimport b\n");
    assert_eq!(reading.complete, Completeness::Complete);
    let modules: Vec<_> = reading.imports.iter().map(|one| (one.module.as_str(), one.line)).collect();
    assert_eq!(modules, [("a", 1), ("b", 5)]);
    let timed = read("%%time\nimport a\n");
    assert_eq!(timed.imports.len(), 1);
}

#[test]
fn awaits_outside_functions_are_noticed() {
    let cases = [
        ("import asyncio\nawait asyncio.sleep(1)\n", Some(2)),
        ("async def f():\n    await g()\n", None),
        ("async with a as b:\n    pass\n", Some(1)),
        ("async for a in b:\n    pass\n", Some(1)),
        ("x = [i async for i in y]\n", Some(1)),
        ("x = 1\n", None),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).top_level_await, expected, "{text}");
    }
}

#[test]
fn programs_begin_somewhere() {
    use EntryPoint::{Definitions, MainGuard, MainNotCalled, Nothing, Script, Tests};
    let cases = [
        ("", Nothing),
        ("# only words\n", Nothing),
        ("print(1)\n", Script),
        ("import x\n", Script),
        ("def f(): pass\nf()\n", Script),
        ("x = [i for i in range(3)]\n", Script),
        ("def main(): pass\nif __name__ == '__main__':\n    main()\n", MainGuard),
        ("if '__main__' == __name__: pass\n", MainGuard),
        ("import x\ndef main(): pass\n", MainNotCalled),
        ("\"\"\"Words.\"\"\"\nimport x\ndef f(): pass\nX = 3\n", Definitions),
        ("class A: pass\n", Definitions),
        ("try:\n    import x\nexcept ImportError:\n    x = None\ndef f(): pass\n", Definitions),
        ("def test_a(): assert True\n", Tests),
        (
            "import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self): pass\n    def b(self): pass\n",
            Tests,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).entry, expected, "{text}");
    }
    let tests = "def test_a(): pass\nclass X(unittest.TestCase):\n    def test_b(self): pass\n    def testC(self): pass\n";
    assert_eq!(read(tests).tests, 3);
}

#[test]
fn names_are_defined_or_come_from_elsewhere() {
    let reading = read(
        "import a\nx, y = 1, 2\nz: int = 3\ndef f(p, *q, r=1): return p + s\nclass C: pass\nprint(np.pi, [i for i in x])\n",
    );
    assert_eq!(reading.defines, ["x", "y", "z", "f", "C"]);
    assert_eq!(reading.unbound, ["s", "np"]);
    assert!(read("from a import *\nb()\n").unbound.is_empty());
    assert!(read("try:\n    f = 1\nexcept E as e:\n    print(e)\nmatch f:\n    case [a, *b]:\n        print(a, b)\n").unbound == ["E"]);
}

#[test]
fn versions_are_those_that_forms_need() {
    let cases = [
        ("x = 1\n", None),
        ("if (n := f()): pass\n", Some(("3.8", 1))),
        ("def f(a, /): pass\n", Some(("3.8", 1))),
        ("x = 1\nmatch x:\n    case 1: pass\n", Some(("3.10", 2))),
        ("try:\n    pass\nexcept* E:\n    pass\n", Some(("3.11", 3))),
        ("type A = int\n", Some(("3.12", 1))),
        ("def f[T](x: T): pass\nif (n := f()): pass\n", Some(("3.12", 1))),
        ("x = f'{a[\"b\"]} {'c'}'\n", Some(("3.12", 1))),
        ("x = t'a'\n", Some(("3.14", 1))),
    ];
    for (text, expected) in cases {
        let version = read(text).version;
        let found = version.as_ref().map(|need| (need.at_least.as_str(), need.line));
        assert_eq!(found, expected, "{text} {version:?}");
    }
    assert_eq!(read("match x:\n    case 1: pass\n").version.unwrap().because, "`match` statement");
}

#[test]
fn hostile_texts_end() {
    let deep = [
        "(".repeat(1_000_000),
        "-".repeat(1_000_000),
        format!("x = a{}", ".b".repeat(500_000)),
        format!("x = 1{}", " + 1".repeat(500_000)),
        "f'{".repeat(300_000),
        "if x:\n ".repeat(10_000),
        "lambda: ".repeat(100_000),
        "\"\"\"".repeat(100_001),
        "[x for x in ".repeat(50_000),
    ];
    for text in deep {
        let complete = read(&text).complete;
        assert_ne!(complete, Completeness::Complete, "{}", &text[..10]);
    }
    let long = "x = 1\n".repeat(700_000);
    assert!(matches!(read(&long).complete, Completeness::Unread { .. }));
}

/// The parser's own reading of notebooks ends the process at each of these.
#[test]
fn lines_for_a_notebook_may_stand_anywhere() {
    for text in [
        "{'']\0\n,",
        "lambda \n?x",
        "x = [\ndef f():\n?y\n]",
        "type X=lambda \n%%time\n",
        "\n@**0xlambda `,\n!!1e",
    ] {
        assert_ne!(read(text).complete, Completeness::Complete, "{text}");
    }
}

//! Recognition by label, name, first line and looks; and what is refused.

use super::*;
use crate::fixtures::FIXTURES;

fn told(languages: &Languages, name: Option<&str>, code: &str) -> String {
    match languages.recognise(Unlabelled { name: name.map(Path::new), code: code.as_bytes() }) {
        Recognised::One { language, by } => format!("{} {by:?}", language.name),
        Recognised::Script(shebang) => format!("script of {}", shebang.name()),
        Recognised::Ambiguous(list) => format!("one of {}", list.len()),
        Recognised::Foreign(title) => format!("looks like {title}"),
        Recognised::Unknown => "unknown".to_owned(),
    }
}

fn refused(label: Option<&str>, name: Option<&str>, code: &[u8]) -> (String, String) {
    let languages = Languages::builtin();
    let source = Unlabelled { name: name.map(Path::new), code };
    let error = languages.choose(label, source).unwrap_err();
    assert_eq!(error.exit_code().get(), 125);
    (error.to_string(), error.hint().unwrap())
}

#[test]
fn every_fixture_is_recognised_by_its_looks() {
    let languages = Languages::builtin();
    for fixture in &FIXTURES {
        for code in fixture.good {
            let by = if code.starts_with("#!") { "FirstLine" } else { "Text" };
            assert_eq!(told(&languages, None, code), format!("{} {by}", fixture.language), "{code}");
        }
    }
}

#[test]
fn every_language_is_recognised_by_each_of_its_names() {
    let languages = Languages::builtin();
    for language in languages.iter() {
        for label in language.names.iter().chain([&language.name, &language.name.to_uppercase()]) {
            let chosen = languages.choose(Some(label), Unlabelled { name: None, code: b"x" }).unwrap();
            assert_eq!((&chosen.language.name, chosen.by), (&language.name, By::Label), "{label}");
        }
        for extension in language.extensions.iter().filter(|own| language.name != "sh" || *own != "sh") {
            let name = format!("a.{}", extension.to_uppercase());
            assert_eq!(told(&languages, Some(&name), "x"), format!("{} Extension", language.name));
        }
        for shebang in &language.shebangs {
            let code = format!("#!/usr/bin/env {shebang}\nx");
            assert_eq!(told(&languages, Some("script"), &code), format!("{} FirstLine", language.name));
        }
    }
}

#[test]
fn the_order_is_name_first_line_looks() {
    let languages = Languages::builtin();
    let php = "<?php echo 1;";
    for (name, code, expected) in [
        (Some("a.rb"), "#!/usr/bin/python3\nimport os\n", "ruby Extension"),
        (Some("a.sh"), "#!/bin/sh\n", "sh Extension"),
        (Some("a.sh"), "#!/bin/bash\n", "bash Extension"),
        (Some("a.sh"), "echo\n", "bash Extension"),
        (Some("a"), "#!/usr/bin/env -S python3 -u\n<?php", "python FirstLine"),
        (Some("a"), "#!/usr/bin/awk -f\n", "script of awk"),
        (Some("a.unheard"), php, "php Text"),
        (None, "\u{feff}#!/bin/sh\n", "sh FirstLine"),
        (None, "body {\n  color: red;\n}\n", "looks like CSS"),
        (None, "{\"a\": [1, 2]}\n", "looks like JSON"),
        (None, "using System;\nclass A { static void Main() { Console.WriteLine(1); } }\n", "looks like C#"),
        (None, "hello there\n", "unknown"),
        (None, "", "unknown"),
    ] {
        assert_eq!(told(&languages, name, code), expected, "{name:?} {code}");
    }
}

#[test]
fn what_could_be_two_is_asked() {
    let (message, hint) = refused(None, None, b"print(\"hello\")\n");
    assert!(message.contains("cannot detect the language"), "{message}");
    assert!(hint.contains("--language"), "{hint}");
    let languages = Languages::builtin();
    assert_eq!(told(&languages, None, "x = foo(1)\nprint(x)\nlocal y = 2\n"), "one of 2");
}

/// Label, name and code; what is said and what is advised.
type Case<'a> = (Option<&'a str>, Option<&'a str>, &'a [u8], &'a str, &'a str);

#[test]
fn what_is_no_source_is_refused_with_what_to_do() {
    let large = vec![b'a'; usize::try_from(LARGEST).unwrap() + 1];
    let cases: [Case<'_>; 11] = [
        (None, Some("a.py"), b" \n\t", "is empty", "-c"),
        (None, Some("a.py"), b"print(1)\0", "NUL", "the source"),
        (None, Some("tool"), b"\x7fELF\x02\0", "compiled program", "actum run -- ./tool"),
        (None, Some("a.py"), b"\xff\xfep\0", "UTF-16", "iconv"),
        (None, Some("a.py"), &large, "67108865 bytes", "--input"),
        (None, Some("a.py"), b"x = '\xe9'", "byte 5 is not UTF-8", "UTF-8"),
        (None, Some("a.rs"), b"// \xe9", "not UTF-8", "UTF-8"),
        (Some("pyhton"), None, b"x", "unknown language pyhton", "--language python"),
        (Some("brainfog"), None, b"x", "unknown language brainfog", "actum.toml"),
        (None, None, b"lorem ipsum", "cannot detect the language", "--language python"),
        (None, Some("x"), b"<!DOCTYPE html>\n<html></html>", "looks like HTML", "actum.toml"),
    ];
    for (label, name, code, message, hint) in cases {
        let (said, next) = refused(label, name, code);
        assert!(said.contains(message) && next.contains(hint), "{said} / {next}");
    }
}

#[test]
fn languages_that_take_bytes_take_them() {
    let languages = Languages::builtin();
    for (name, code) in [
        ("a.py", &b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"[..]),
        ("a.c", b"char *x = \"\xe9\";"),
        ("a.sh", b"echo '\xe9'"),
        ("a.pl", b"print '\xe9'"),
    ] {
        let source = Unlabelled { name: Some(Path::new(name)), code };
        assert!(languages.choose(None, source).is_ok(), "{name}");
    }
}

#[test]
fn a_first_line_decides_only_where_nothing_else_did() {
    let languages = Languages::builtin();
    let choose = |label: Option<&str>, name: &str, code: &str| {
        let source = Unlabelled { name: Some(Path::new(name)), code: code.as_bytes() };
        let chosen = languages.choose(label, source).unwrap();
        match chosen.first_line() {
            FirstLine::Silent => "silent".to_owned(),
            FirstLine::Advises(shebang) => format!("advises {}", shebang.arguments.join(" ")),
            FirstLine::Decides(shebang) => format!("decides {}", shebang.interpreter),
        }
    };
    assert_eq!(choose(None, "a.sh", "#!/bin/bash -e\n"), "advises -e");
    assert_eq!(choose(None, "a", "#!/bin/bash -e\n"), "decides /bin/bash");
    assert_eq!(choose(None, "a", "#!/usr/bin/zsh\n"), "decides /usr/bin/zsh");
    assert_eq!(choose(Some("python"), "a", "#!/bin/bash -e\n"), "silent");
    assert_eq!(choose(None, "a.py", "import os\n"), "silent");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn any_bytes_are_recognised_or_not(code: Vec<u8>, text in "(?s).{0,200}", name in "[a-z./]{0,9}") {
        static LANGUAGES: std::sync::LazyLock<Languages> = std::sync::LazyLock::new(Languages::builtin);
        for code in [&code[..], text.as_bytes(), &[b"#!", &code[..]].concat()] {
            let source = Unlabelled { name: Some(Path::new(&name)), code };
            let _ = LANGUAGES.recognise(source);
            if let Ok(chosen) = LANGUAGES.choose(None, source) {
                let _ = (chosen.first_line(), chosen.language.staged_name(code));
            }
        }
    }
}

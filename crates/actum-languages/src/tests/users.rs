//! Languages as users write them.

use super::super::*;

fn read(name: &str, text: &str) -> Result<Language, String> {
    let table: UserLanguage = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    table.into_language(name).map_err(|error| format!("{error}; {}", error.hint()))
}

const ZIG: &str = r#"
    extensions = [".zig"]
    names = ["ziglang"]
    shebangs = ["zig"]
    run = ["zig", "run", "{file}", "--", "{args}"]
    check = ["zig", "ast-check", "{file}"]
    version = ["zig", "version"]
    package = "zig"
"#;

#[test]
fn a_language_of_the_user_s_is_one_like_any_other() {
    let languages = Languages::builtin().with(read("zig", ZIG).unwrap());
    let zig = languages.called("ziglang").unwrap();
    assert_eq!((zig.name.as_str(), zig.staged_as.as_str()), ("zig", "main.zig"));
    let source = crate::recognise::Unlabelled { name: Some(std::path::Path::new("a.zig")), code: b"x" };
    assert_eq!(languages.choose(None, source).unwrap().language.name, "zig");
    let runtime = &zig.runtimes[0];
    assert_eq!((runtime.commands(), &runtime.version), (vec!["zig"], &Template::words("version")));
    assert_eq!(zig.install.hint().unwrap(), "install it with: apt install zig");
}

#[test]
fn what_the_user_claims_the_others_lose() {
    let mine = read("mine", "extensions = [\"py\"]\nnames = [\"js\"]\nrun = [\"mine\", \"{file}\"]").unwrap();
    let languages = Languages::builtin().with(mine);
    let source = crate::recognise::Unlabelled { name: Some(std::path::Path::new("a.py")), code: b"x" };
    assert_eq!(languages.choose(None, source).unwrap().language.name, "mine");
    assert_eq!(languages.called("js").unwrap().name, "mine");
    assert_eq!(languages.called("javascript").unwrap().name, "javascript");
}

#[test]
fn a_built_in_one_is_replaced_and_what_is_left_open_stays() {
    let own = read("python", "run = [\"python3.13\", \"{file}\", \"{args}\"]").unwrap();
    let languages = Languages::builtin().with(own);
    let python = languages.called("py").unwrap();
    assert_eq!(python.runtimes[0].commands(), ["python3.13"]);
    let source =
        crate::recognise::Unlabelled { name: None, code: b"import os\ndef f(x):\n    return None\n" };
    assert_eq!(languages.choose(None, source).unwrap().language.name, "python");
    assert_eq!(languages.iter().count(), Languages::builtin().iter().count());
}

#[test]
fn slips_are_told() {
    for (name, text, told) in [
        ("zig", "runn = []", "unknown field `runn`"),
        ("zig", "extensions = [\"zig\"]", "`run` is missing; write how it is started"),
        ("Zig", ZIG, "the name may contain only lower-case letters"),
        ("", ZIG, "the name may contain only"),
        ("zig", "run = [\"zig\"]", "`run` does not contain {file}; add {file} where the path belongs"),
        (
            "zig",
            "run = [\"zig\", \"{file}\", \"{arg}\"]",
            "`run` contains the unknown placeholder {arg}; use {file}",
        ),
        (
            "zig",
            "run = [\"zig\", \"{file}\", \"{output}\"]",
            "`run` contains the unknown placeholder {output}",
        ),
        (
            "zig",
            "run = [\"zig\", \"{file}\", \"{sqlite}\"]",
            "`run` contains the unknown placeholder {sqlite}",
        ),
        ("zig", "run = [\"{file}\", \"{args}\"]", "`run` does not begin with a command"),
        ("zig", "run = [\"\", \"{file}\"]", "`run` does not begin with a command"),
        (
            "nim",
            "run = [\"{output}\"]\ncompile = [\"nim\", \"c\", \"{file}\"]",
            "`compile` does not contain {output}",
        ),
        (
            "nim",
            "run = [\"nim\", \"{file}\"]\ncompile = [\"nim\", \"-o:{output}\", \"{file}\"]",
            "`run` does not contain {output}",
        ),
        ("zig", "extensions = [\"*.zig\"]\nrun = [\"zig\", \"{file}\"]", "\"*.zig\" is not a file extension"),
    ] {
        let error = read(name, text).unwrap_err();
        assert!(error.contains(told), "{error}");
    }
    let nim = "extensions = [\"nim\"]\nrun = [\"{output}\", \"{args}\"]\ncompile = [\"nim\", \"c\", \"-o:{output}\", \"{file}\"]";
    assert!(read("nim", nim).unwrap().runtimes[0].compiling.is_some());
}

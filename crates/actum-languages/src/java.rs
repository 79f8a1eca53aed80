//! Java.
//!
//! Compiled to classes instead of `java File.java`: that would compile anew each time, keep nothing, and before Java 22 see
//! no second file. The class to start is the one with a main method; its file has to carry the name of the public class.

use super::{Check, Compiling, Language, Makes, Reads, Runtime, Template, mark, package, words};
use regex::bytes::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub(super) fn language() -> Language {
    Language {
        name: "java".to_owned(),
        title: "Java".to_owned(),
        names: words("java17 java21 jdk"),
        extensions: words("java"),
        shebangs: Vec::new(),
        staged_as: "Main.java".to_owned(),
        runtimes: vec![Runtime {
            run: Template::words("java -cp {output} {class} {args}"),
            compiling: Some(Compiling {
                command: javac(&["-g", "-Xlint:all"]),
                makes: Makes::Folder,
                reads: Reads::Beside { extensions: words("java class jar"), names: Vec::new() },
                variables: Vec::new(),
            }),
            // There is no parsing alone; classes are made and left in the folder that goes away.
            checks: vec![Check::reading(javac(&["-Xlint:none"]))],
            version: Template::words("-version"),
            shown: Template::words("java {file} {args}"),
            ..Runtime::default()
        }],
        install: package("default-jdk-headless", &["sdk install java", "mise use -g java"]),
        marks: vec![
            mark(8, r"\bpublic\s+static\s+void\s+main\s*\(\s*(final\s+)?String"),
            mark(5, r"\bSystem\.(out|err)\.print"),
            mark(5, r"^\s*import\s+(static\s+)?(java|javax|org|com|io|lombok|jakarta)(\.\w+)+(\.\*)?;"),
            mark(5, r"^\s*public\s+(final\s+|abstract\s+)?(class|interface|enum|record)\s+\w+"),
            mark(4, r"^\s*package\s+\w+(\.\w+)*;"),
            mark(
                3,
                r"^\s*(public|private|protected)\s+(static\s+)?(final\s+)?[\w<>\[\], ]+\s+\w+\s*(\([^)]*\)\s*(throws\s+\w+\s*)?\{|=|;)",
            ),
            mark(3, r"\bnew\s+(ArrayList|HashMap|HashSet|Scanner|StringBuilder|LinkedList|ArrayDeque)\b"),
            mark(3, r"^\s*@(Override|Autowired|Test|Entity|Bean)\b"),
            mark(2, r"\b(String|List<\w+>|Map<\w+,\s*\w+>|Integer)\s+\w+\s*(=|;|\()"),
            mark(2, r"\bfinal\s+\w+"),
            mark(
                -10,
                r"^\s*using\s+[A-Z]\w+(\.\w+)*;|\bConsole\.|\bnamespace\s|\{\s*get;|\bfun\s+\w+\(|\bval\s+\w+|#include|<\?php|\$\w+",
            ),
        ],
        ..Language::default()
    }
}

/// No annotation processors: they would be code of the workspace that runs while compiling.
fn javac(options: &[&str]) -> Template {
    let first = ["javac", "-proc:none", "-encoding", "UTF-8", "-sourcepath", "{root}", "-d", "{output}"];
    Template::list(first.into_iter().chain(options.iter().copied()).chain(["{file}"]))
}

static PACKAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*package\s+([\w.]+)\s*;"));
static TYPE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(public\s+)?((?:final|abstract|sealed|strictfp)\s+)*(?:class|enum|record|interface)\s+(\w+)",
    )
});
static MAIN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bstatic\s+(?:final\s+)?void\s+main\s*\("));

fn pattern(text: &str) -> Regex {
    let mut builder = regex::bytes::RegexBuilder::new(text);
    builder.multi_line(true).unicode(false).build().expect("BUG: a pattern of the Java table is not valid")
}

/// A type that the text declares.
struct Declared<'a> {
    name: &'a str,
    at: usize,
    is_public: bool,
}

/// The types that are not inside another one.
fn declared(code: &[u8]) -> Vec<Declared<'_>> {
    let found = TYPE.captures_iter(code).filter_map(|found| {
        let name = found.get(3)?;
        let text = std::str::from_utf8(name.as_bytes()).ok()?;
        Some(Declared { name: text, at: name.start(), is_public: found.get(1).is_some() })
    });
    found.filter(|one| depth(&code[..one.at]) == 0).collect()
}

/// How many braces are open. Those in strings and comments are nearly always closed there too.
fn depth(before: &[u8]) -> i64 {
    let step = |byte: &u8| i64::from(*byte == b'{') - i64::from(*byte == b'}');
    before.iter().map(step).sum()
}

/// The name that `javac` wants the file to have: of the public type, else of the one that is started.
pub(super) fn file_name(code: &[u8]) -> String {
    let types = declared(code);
    let public = types.iter().find(|one| one.is_public).map(|one| one.name);
    let name = public.or_else(|| starting(&types, code)).unwrap_or("Main");
    format!("{name}.java")
}

/// The class to start, with its package. A file without a class (Java 25) is one of its own name.
pub(super) fn main_class(code: &[u8], file: &Path) -> String {
    let types = declared(code);
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = starting(&types, code).unwrap_or(&stem);
    match package_of(code) {
        Some(package) => format!("{package}.{name}"),
        None => name.to_owned(),
    }
}

/// Where packages begin: as many folders up as the package has parts, if the folders have those names.
pub(super) fn root(code: &[u8], folder: &Path) -> PathBuf {
    let package = package_of(code).unwrap_or_default();
    let below: PathBuf = package.split('.').collect();
    let is_there = !package.is_empty() && folder.ends_with(&below);
    let up = if is_there { below.components().count() } else { 0 };
    folder.ancestors().nth(up).unwrap_or(folder).to_path_buf()
}

fn package_of(code: &[u8]) -> Option<&str> {
    std::str::from_utf8(PACKAGE.captures(code)?.get(1)?.as_bytes()).ok()
}

/// The last type that is declared before the first main method.
fn starting<'a>(types: &[Declared<'a>], code: &[u8]) -> Option<&'a str> {
    let main = MAIN.find(code)?.start();
    types.iter().rev().find(|one| one.at < main).map(|one| one.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_classes_are_named_as_the_compiler_wants_them() {
        for (code, file, class) in [
            ("public class Hello { public static void main(String[] a) {} }", "Hello.java", "Hello"),
            ("class A {}\nclass B {\n  public static void main(String... a) {}\n}", "B.java", "B"),
            (
                "package x.y;\nclass B {}\npublic class C {\n public static void main(String[] a){}}",
                "C.java",
                "x.y.C",
            ),
            ("public record P(int x) {\n  static void main() {}\n}", "P.java", "P"),
            ("public final class Outer {\n  static class Inner {}\n}", "Outer.java", "Given"),
            ("class O {\n static class I { int x; }\n public static void main(String[] a){}}", "O.java", "O"),
            ("void main() {}", "Main.java", "Given"),
            ("", "Main.java", "Given"),
        ] {
            assert_eq!(file_name(code.as_bytes()), file, "{code}");
            assert_eq!(main_class(code.as_bytes(), Path::new("/w/Given.java")), class, "{code}");
        }
    }

    #[test]
    fn packages_begin_above_their_folders() {
        let code = b"package x.y;\n";
        assert_eq!(root(code, Path::new("/w/src/x/y")), Path::new("/w/src"));
        assert_eq!(root(code, Path::new("/w/other")), Path::new("/w/other"));
        assert_eq!(root(b"class A {}", Path::new("/w")), Path::new("/w"));
    }
}

//! The name of the file that a block is: in a title above it, in a comment on its first line, or in the sentence before it.

use crate::answer::{Named, Saying};

/// Extensions of files that people write. `example.com` and `3.11` are no files.
const EXTENSIONS: &[&str] = &[
    "py", "pyw", "pyi", "ipynb", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rb", "php", "lua",
    "r", "jl", "go", "rs", "c", "h", "cpp", "cc", "cxx", "hpp", "java", "kt", "kts", "swift", "cs", "scala",
    "hs", "ml", "ex", "exs", "erl", "clj", "pl", "pm", "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd",
    "sql", "html", "htm", "css", "scss", "sass", "less", "vue", "svelte", "json", "jsonl", "yaml", "yml",
    "toml", "ini", "cfg", "conf", "env", "xml", "csv", "tsv", "txt", "md", "rst", "tex", "proto", "graphql",
    "gradle", "tf", "hcl", "cmake", "mk", "diff", "patch", "log", "svg", "sol", "zig", "nim", "dart", "m",
    "f90", "asm", "s", "v", "sv", "cds", "service", "lock",
];

/// Files without an extension.
const BARE: &[&str] = &[
    "Dockerfile",
    "Makefile",
    "Gemfile",
    "Procfile",
    "Rakefile",
    "Vagrantfile",
    "Jenkinsfile",
    ".gitignore",
    ".env",
    ".dockerignore",
    ".babelrc",
    ".eslintrc",
];

/// What may stand around a name.
const DECORATION: &[char] = &['*', '`', '#', ':', '"', '\'', '[', ']'];

/// Sentences that make a file.
const MAKING: [&str; 15] = [
    "create",
    "save",
    "write",
    "put ",
    "called",
    "named",
    "file",
    "contents of",
    "content of",
    "looks like",
    "as follows",
    "paste",
    "copy",
    "here is",
    "here's",
];

/// Sentences that add to one.
const ADDING: [&str; 9] =
    ["add ", "append", "update", "modify", "change ", "edit ", "replace", "extend", "insert"];

/// What stands before a block names its file. `fits` says whether a name can be of a file in the block's language.
pub(crate) fn above(text: &str, fits: &dyn Fn(&str) -> bool) -> Option<Named> {
    let line = text.trim().rsplit('\n').next().unwrap_or("").trim();
    if let Some(path) = title(line).filter(|path| fits(path)) {
        return Some(Named { path, saying: Saying::Title });
    }
    in_sentence(line, fits)
}

/// A line that is a name and nothing else: `**app.py**`, "`app.py`:", `File: app.py`, `### 2. src/app.py (server)`.
fn title(line: &str) -> Option<String> {
    if line.len() > 300 {
        return None;
    }
    let line = line.trim_end_matches([':', ' ', '*']);
    let line = match (line.ends_with(')'), line.find(" (")) {
        (true, Some(at)) => &line[..at],
        (true | false, _) => line,
    };
    let words = line.split(|letter: char| letter.is_whitespace() || DECORATION.contains(&letter));
    let words = words.map(|word| word.trim_end_matches(['.', ')']));
    let mut names = words.filter(|word| !is_ornament(word));
    let name = names.next()?;
    names.next().is_none().then(|| known_path(name)).flatten()
}

/// Numbers, dashes, pictures, and words that only say that a name follows.
fn is_ornament(word: &str) -> bool {
    let is_number = word.chars().all(|letter| letter.is_ascii_digit() || !letter.is_alphanumeric());
    is_number
        || ["file", "filename", "filepath", "path", "name", "step"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
}

fn in_sentence(line: &str, fits: &dyn Fn(&str) -> bool) -> Option<Named> {
    let sentence = line.rsplit(". ").next().unwrap_or(line);
    let sentence = if sentence.len() > 300 { return None } else { sentence };
    let words = sentence
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '`' | '"' | '(' | ')' | '*' | ','));
    let mut paths: Vec<String> = words
        .filter_map(|word| known_path(word.trim_end_matches(['.', ':', ';', '\'', '!', '?'])))
        .filter(|path| fits(path))
        .collect();
    paths.dedup();
    let [path] = paths.as_slice() else { return None };
    let lower = sentence.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let is_adding = says(&ADDING) && !says(&["create", "new file"]);
    let saying = match (is_adding, says(&MAKING)) {
        (true, _) => Saying::Addition,
        (false, true) => Saying::Sentence,
        (false, false) => return None,
    };
    Some(Named { path: path.clone(), saying })
}

/// A first line that is a comment with a name and nothing else: `# app.py`, `// File: src/a.js`, `<!-- index.html -->`.
pub(crate) fn inside(code: &str, fits: &dyn Fn(&str) -> bool) -> Option<Named> {
    let first = code.lines().next()?.trim();
    if first.len() > 200 || first.starts_with("#!") || first.starts_with("---") {
        return None;
    }
    let marks = ["<!--", "//", "/*", "--", "#", "%", ";;", ";"];
    let rest = marks.iter().find_map(|mark| first.strip_prefix(mark))?;
    let rest =
        rest.trim_end_matches("-->").trim_end_matches("*/").trim_matches(['#', '/', '*', '-', '=', ' ']);
    let lower = rest.to_ascii_lowercase();
    let words = ["file name:", "filename:", "file path:", "filepath:", "file:", "path:"];
    let rest =
        words.iter().find(|word| lower.starts_with(**word)).map_or(rest, |word| rest[word.len()..].trim());
    let path = known_path(rest).filter(|path| fits(path))?;
    Some(Named { path, saying: Saying::Title })
}

/// A path with an extension that people write.
pub(crate) fn known_path(word: &str) -> Option<String> {
    let is_known = is_bare_name(word) || extension(word).is_some_and(is_known_extension);
    any_path(word).filter(|_| is_known)
}

/// Anything that can be the path of a file; where it leads is not asked here.
pub(crate) fn any_path(word: &str) -> Option<String> {
    let word = word.trim();
    let word = word.strip_prefix("./").unwrap_or(word);
    let is_plain = |letter: char| {
        letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/' | '+' | '@' | '~' | '\\')
    };
    let is_path = !word.is_empty()
        && word.len() <= 200
        && word.chars().all(is_plain)
        && !word.contains("://")
        && (is_bare_name(word) || extension(word).is_some());
    is_path.then(|| word.to_owned())
}

pub(crate) fn is_bare_name(word: &str) -> bool {
    BARE.contains(&word.rsplit('/').next().unwrap_or(word))
}

/// What stands behind the last dot of the last part, where something stands before it.
pub(crate) fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_one = !stem.is_empty()
        && (1..=10).contains(&extension.len())
        && extension.chars().all(|letter| letter.is_ascii_alphanumeric());
    is_one.then_some(extension)
}

pub(crate) fn is_known_extension(extension: &str) -> bool {
    EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Whether a path stays in the workspace, whatever is there.
pub(crate) fn stays_inside(path: &str) -> bool {
    !path.starts_with(['/', '~', '\\'])
        && !path.contains('\\')
        && path.split('/').all(|part| part != ".." && !part.is_empty() && part != ".git")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<(String, Saying)> {
        let fits = |path: &str| path.ends_with(".py") || path.ends_with(".env");
        above(text, &fits).map(|named| (named.path, named.saying))
    }

    #[test]
    fn titles() {
        for text in [
            "**app.py**",
            "`app.py`:",
            "`app.py`",
            "File: app.py",
            "**File: `app.py`**",
            "### 1. app.py",
            "app.py:",
            "Some words.\n**app.py** (the server):",
            "./app.py",
            "📄 app.py",
        ] {
            assert_eq!(named(text), Some(("app.py".to_owned(), Saying::Title)), "{text}");
        }
        assert_eq!(named("**.env**").unwrap().0, ".env");
        assert_eq!(named("`src/my-app/app.py`").unwrap().0, "src/my-app/app.py");
    }

    #[test]
    fn sentences_name_a_file_only_where_they_make_one() {
        for (text, expected) in [
            ("Create a file called `app.py` with this:", Some(Saying::Sentence)),
            ("Save this as app.py:", Some(Saying::Sentence)),
            ("First words. Now put the following into `app.py`.", Some(Saying::Sentence)),
            ("Add these routes to your `app.py` file:", Some(Saying::Addition)),
            ("Run `app.py` like this:", None),
            ("It reads `data.csv`:", None),
            ("Create `a.py` and `b.py`:", None),
            ("Use Python 3.11 (see example.com):", None),
            ("", None),
        ] {
            assert_eq!(named(text).map(|named| named.1), expected, "{text}");
        }
    }

    #[test]
    fn comments_on_the_first_line() {
        let fits = |_: &str| true;
        for (code, expected) in [
            ("# app.py\nx", Some("app.py")),
            ("// File: src/a.js\nx", Some("src/a.js")),
            ("<!-- index.html -->\nx", Some("index.html")),
            ("/* style.css */", Some("style.css")),
            ("# reads app.py\nx", None),
            ("#!/usr/bin/env python\nx", None),
            ("import app.py", None),
        ] {
            assert_eq!(inside(code, &fits).map(|named| named.path).as_deref(), expected, "{code}");
        }
    }

    #[test]
    fn what_leads_out_is_seen() {
        for path in ["/etc/passwd", "../a.py", "a/../../b.py", "~/a.py", "C:\\a.py", ".git/hooks/x.sh"] {
            assert!(!stays_inside(path), "{path}");
        }
        assert!(stays_inside("src/a.py") && stays_inside(".env"));
    }
}

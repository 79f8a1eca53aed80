//! What stands behind a fence: a label, attributes, and perhaps the name of a file.

use crate::naming;

/// What was read behind a fence.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    /// In lower case.
    pub(crate) word: Option<String>,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) path: Option<String>,
}

/// Attributes that name a file.
const NAMES: [&str; 6] = ["file", "filename", "title", "path", "name", "src"];

/// Reads `python`, `{.python #id}`, `{python, file=a.py}`, `python title="a.py"`, `python:src/a.py`, `a.py`, `12:20:src/a.py`.
pub(crate) fn read(information: &str) -> Label {
    let mut label = Label::default();
    let words = words(information);
    let mut words = words.iter();
    let mut first = words.clone().next().filter(|word| !word.contains('=') && !word.starts_with('#'));
    if first.is_some() {
        words.next();
    }
    // `{linenos=true}` says nothing about the language.
    for word in words {
        match word.split_once('=') {
            Some((name, value)) => attribute(&mut label, name, value),
            None if first.is_none() && !word.starts_with('#') => first = Some(word),
            None => label.attributes.push((word.clone(), String::new())),
        }
    }
    if let Some(word) = first {
        first_word(&mut label, word);
    }
    label
}

fn attribute(label: &mut Label, name: &str, value: &str) {
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    if NAMES.contains(&name.as_str()) && label.path.is_none() {
        label.path = naming::any_path(value);
    }
    label.attributes.push((name, value.to_owned()));
}

fn first_word(label: &mut Label, word: &str) {
    let word = word.trim_start_matches('.');
    if let Some((before, path)) = word.rsplit_once(':')
        && let Some(path) = naming::any_path(path)
    {
        let is_range = before.split(':').all(|part| part.chars().all(|letter| letter.is_ascii_digit()));
        if is_range && !before.is_empty() {
            // The lines of a file that is there: `12:20:src/a.py`.
            label.attributes.push(("lines".to_owned(), before.to_owned()));
            label.word = naming::extension(&path).map(str::to_ascii_lowercase);
        } else {
            label.word = Some(before.to_ascii_lowercase());
        }
        label.path = Some(path);
        return;
    }
    let is_file =
        naming::is_bare_name(word) || naming::extension(word).is_some_and(naming::is_known_extension);
    if is_file && let Some(path) = naming::any_path(word) {
        label.word = Some(naming::extension(word).unwrap_or(word).to_ascii_lowercase());
        label.path = Some(path);
        return;
    }
    label.word = Some(word.to_ascii_lowercase()).filter(|word| !word.is_empty());
}

/// Words apart by spaces, commas and braces; what is quoted stays together.
fn words(information: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in information.trim().chars() {
        let last = words.last_mut().expect("there is always a word that is being read");
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => last.push(letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, ' ' | '\t' | ',' | ';' | '{' | '}' | '[' | ']') => words.push(String::new()),
            (None, _) => last.push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_names_of_files() {
        for (information, word, path) in [
            ("", None, None),
            ("python", Some("python"), None),
            ("Python3", Some("python3"), None),
            (".py", Some("py"), None),
            ("c++", Some("c++"), None),
            ("{python, file=a.py}", Some("python"), Some("a.py")),
            ("{.python #id}", Some("python"), None),
            ("{.python .numberLines startFrom=\"1\"}", Some("python"), None),
            ("python title=\"a.py\"", Some("python"), Some("a.py")),
            ("python title=\"My first program\"", Some("python"), None),
            ("python:src/a.py", Some("python"), Some("src/a.py")),
            ("python {linenos=true}", Some("python"), None),
            ("{linenos=true}", None, None),
            ("js,linenos", Some("js"), None),
            ("a.py", Some("py"), Some("a.py")),
            ("src/app.test.js", Some("js"), Some("src/app.test.js")),
            ("Dockerfile", Some("dockerfile"), Some("Dockerfile")),
            ("12:20:src/a.py", Some("py"), Some("src/a.py")),
            ("python filename=../a.py", Some("python"), Some("../a.py")),
            ("```", Some("```"), None),
        ] {
            let label = read(information);
            assert_eq!((label.word.as_deref(), label.path.as_deref()), (word, path), "{information}");
        }
    }
}

//! Command lines that stand as text in programs and comments: what they start, and what they install.
//!
//! Only words, quotes and separators are read. Shell programs have a grammar of their own (`languages/bash.rs`).

use crate::text::beginning;
use actum_model::{CommandUse, Install};

/// More are not listed.
const MOST: usize = 500;

/// Notes the programs that a command line starts.
pub(crate) fn note_commands(text: &str, line: u32, commands: &mut Vec<CommandUse>) {
    for part in parts(text) {
        let words = words(part);
        let (privileged, rest) = without_prefixes(&words);
        if let Some(name) = rest.first().filter(|name| is_program(name)) {
            push_command(CommandUse { name: name.clone(), privileged, line }, commands);
        }
    }
}

/// Adds a program that was not named yet.
pub(crate) fn push_command(command: CommandUse, commands: &mut Vec<CommandUse>) {
    if let Some(known) = commands.iter_mut().find(|known| known.name == command.name) {
        known.privileged |= command.privileged;
    } else if commands.len() < MOST {
        commands.push(command);
    }
}

/// Notes the packages that a command line installs.
pub(crate) fn note_installs(text: &str, via: &str, line: u32, installs: &mut Vec<Install>) {
    for part in parts(text) {
        note_installs_of_words(&words(part), via, line, installs);
    }
}

/// Notes the packages that a command installs, by its words.
pub(crate) fn note_installs_of_words(words: &[String], via: &str, line: u32, installs: &mut Vec<Install>) {
    let (_, words) = without_prefixes(words);
    let Some((tool, packages)) = installer(words) else { return };
    for package in packages_among(packages) {
        let install = Install { package, tool: tool.to_owned(), via: via.to_owned(), line };
        let is_new =
            installs.iter().all(|known| (&known.package, &known.tool) != (&install.package, &install.tool));
        if is_new && installs.len() < MOST {
            installs.push(install);
        }
    }
}

/// The tool of a command that installs, and the words behind its verb.
fn installer(words: &[String]) -> Option<(&'static str, &[String])> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let base = word(0).rsplit('/').next().unwrap_or("");
    let (tool, verb) = match base {
        "pip" | "pip3" | "%pip" | "pipx" | "uv" if base != "uv" => ("pip", 1),
        "uv" if word(1) == "pip" => ("pip", 2),
        "uv" if word(1) == "add" => return Some(("pip", words.get(2..)?)),
        "poetry" | "pdm" if word(1) == "add" => return Some(("pip", words.get(2..)?)),
        base if base.starts_with("python") && word(1) == "-m" && word(2) == "pip" => ("pip", 3),
        base if base.starts_with("pip3.") || base.starts_with("pip2") => ("pip", 1),
        "conda" | "mamba" | "micromamba" => ("conda", 1),
        "apt" | "apt-get" | "aptitude" => ("apt", 1),
        "yum" | "dnf" => ("dnf", 1),
        "brew" => ("brew", 1),
        "apk" if word(1) == "add" => return Some(("apk", words.get(2..)?)),
        "npm" | "pnpm" if matches!(word(1), "install" | "i" | "add") => {
            return Some(("npm", words.get(2..)?));
        }
        "yarn" | "bun" if word(1) == "add" => return Some(("npm", words.get(2..)?)),
        "gem" => ("gem", 1),
        "go" if matches!(word(1), "get" | "install") => return Some(("go", words.get(2..)?)),
        "cargo" if matches!(word(1), "add" | "install") => return Some(("cargo", words.get(2..)?)),
        "composer" if word(1) == "require" => return Some(("composer", words.get(2..)?)),
        "luarocks" => ("luarocks", 1),
        "cpan" | "cpanm" => return Some(("cpan", words.get(1..)?)),
        _ => return None,
    };
    // `apt-get -y install x`: options may stand before the verb.
    let rest = words.get(verb..)?;
    let at = rest.iter().position(|word| !word.starts_with('-'))?;
    (rest[at] == "install").then(|| (tool, &rest[at + 1..]))
}

/// Words that are packages, not options nor their values.
fn packages_among(words: &[String]) -> Vec<String> {
    const WITH_VALUE: [&str; 14] = [
        "-r",
        "--requirement",
        "-c",
        "--constraint",
        "-i",
        "--index-url",
        "--extra-index-url",
        "-f",
        "--find-links",
        "-t",
        "--target",
        "--channel",
        "--prefix",
        "-v",
    ];
    let mut packages = Vec::new();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.starts_with('#') {
            break;
        }
        if word.starts_with('-') {
            skip = WITH_VALUE.contains(&word.as_str());
        } else if is_package(word) {
            packages.push(beginning(word, 200).to_owned());
        } else {
            // Prose follows: `pip install x (needed for y)`.
            break;
        }
    }
    packages
}

fn is_package(word: &str) -> bool {
    let starts = word.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '@');
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_./@[]=<>!~^:,+".contains(letter);
    starts && word.chars().all(is_letter) && !word.contains("://") && !word.ends_with([',', ':', '.'])
}

/// A command without `sudo`, `env`, assignments and the like; whether it asked for more rights.
pub(crate) fn without_prefixes(words: &[String]) -> (bool, &[String]) {
    let mut rest = words;
    let mut privileged = false;
    while let Some(word) = rest.first() {
        let is_assignment =
            word.split_once('=').is_some_and(|(name, _)| is_program(name) && !name.contains('/'));
        match word.as_str() {
            "sudo" | "doas" => privileged = true,
            "env" | "nohup" | "time" | "exec" | "command" | "nice" => {}
            word if is_assignment || (privileged && word.starts_with('-')) => {}
            _ => break,
        }
        rest = &rest[1..];
    }
    (privileged, rest)
}

pub(crate) fn is_program(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_./+".contains(letter);
    !name.is_empty()
        && name.len() <= 100
        && name.chars().all(is_letter)
        && name.contains(|letter: char| letter.is_ascii_alphanumeric())
}

/// The commands of a line, between `;`, `&&`, `||` and `|`. What stands in quotes is not looked at.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut quote) = (Vec::new(), 0, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, ';' | '|' | '&' | '\n') => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// The words of a command, without their quotes.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_word) = (Vec::new(), String::new(), None, false);
    for letter in text.chars().take(10_000) {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (None, '"' | '\'') => (quote, is_word) = (Some(letter), true),
            (None, letter) if letter.is_whitespace() => {
                if std::mem::take(&mut is_word) {
                    words.push(std::mem::take(&mut word));
                }
            }
            (Some(_) | None, letter) => {
                word.push(letter);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

/// A word as one word of a command line.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installs(text: &str) -> Vec<String> {
        let mut list = Vec::new();
        note_installs(text, "test", 1, &mut list);
        list.into_iter().map(|install| format!("{} {}", install.tool, install.package)).collect()
    }

    #[test]
    fn packages_are_found() {
        let cases: &[(&str, &[&str])] = &[
            ("pip install numpy pandas==2.1", &["pip numpy", "pip pandas==2.1"]),
            ("pip3 install -U 'scikit-learn>=1' -r req.txt", &["pip scikit-learn>=1"]),
            ("python -m pip install --upgrade pip", &["pip pip"]),
            ("uv pip install torch[cuda]", &["pip torch[cuda]"]),
            ("uv add httpx", &["pip httpx"]),
            ("sudo apt-get -y install ffmpeg && pip install x", &["apt ffmpeg", "pip x"]),
            ("conda install -c conda-forge rdkit", &["conda rdkit"]),
            ("npm i lodash @types/node", &["npm lodash", "npm @types/node"]),
            ("pip install numpy (for arrays)", &["pip numpy"]),
            ("pip install numpy # for arrays", &["pip numpy"]),
            ("pip list", &[]),
            ("echo pip install x", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(installs(text), *expected, "{text}");
        }
    }

    #[test]
    fn commands_are_found() {
        let mut list = Vec::new();
        note_commands("sudo -E ls -l | grep 'a; b' && X=1 ./run.sh; \"my prog\" 2", 3, &mut list);
        let found: Vec<_> = list.iter().map(|one| (one.name.as_str(), one.privileged)).collect();
        assert_eq!(found, [("ls", true), ("grep", false), ("./run.sh", false)]);
    }
}

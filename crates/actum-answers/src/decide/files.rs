//! Blocks that are files: which are written, which of them is the one to run, and which is the last word about a file.

use super::{Case, Stage};
use crate::answer::Saying;
use actum_model::{Disposition, EntryPoint, Holds};
use std::collections::{HashMap, HashSet};

/// Settles every block that has a name.
pub(super) fn judge(cases: &mut [Case<'_>]) {
    adopt(cases);
    last_word(cases);
    let uses = Uses::of(cases);
    for case in cases.iter_mut().filter(|case| case.stage != Stage::Settled) {
        let Some(path) = case.block.path.clone() else { continue };
        match case.stage {
            Stage::Program => program(case, &path, &uses),
            Stage::Plain | Stage::Unlabelled => {
                case.settle(Disposition::File, format!("it is the file {path}"))
            }
            Stage::Settled => {}
        }
    }
}

fn program(case: &mut Case<'_>, path: &str, uses: &Uses) {
    let entry = case.reading.as_ref().map(|reading| reading.entry);
    let starts = matches!(entry, Some(EntryPoint::Script | EntryPoint::MainGuard) | None);
    let is_unread = case.reading.as_ref().is_some_and(|reading| reading.language.is_empty());
    match () {
        () if uses.is_started(path) => case
            .settle(Disposition::File, format!("it is the file {path}, which a command of the answer runs")),
        () if uses.is_imported(path) => {
            case.settle(Disposition::File, format!("it is the file {path}, which another block uses"))
        }
        () if starts || is_unread => {
            case.settle(Disposition::Run, format!("it is the file {path}, and a complete program"))
        }
        () => case.settle(Disposition::File, format!("it is the file {path}")),
    }
}

/// What the blocks of an answer say about files.
struct Uses {
    /// Words of commands.
    typed: HashSet<String>,
    /// Modules that programs import, and files that they name; each with the block that does.
    imported: HashSet<String>,
}

impl Uses {
    fn of(cases: &[Case<'_>]) -> Self {
        let mut uses = Self { typed: HashSet::new(), imported: HashSet::new() };
        for case in cases.iter().filter(|case| case.is_program()) {
            let own = case.block.path.as_deref().map(stem).unwrap_or_default();
            if case.is_shell() {
                let words = case.block.text().split(|letter: char| {
                    letter.is_whitespace() || matches!(letter, '"' | '\'' | ';' | '&' | '|' | '(' | ')')
                });
                uses.typed.extend(words.map(|word| word.strip_prefix("./").unwrap_or(word).to_owned()));
            }
            let imports = case.reading.iter().flat_map(|reading| &reading.imports);
            for import in imports {
                let module =
                    import.module.trim_start_matches(['.', '/', '"', '<']).trim_end_matches(['"', '>']);
                let name = stem(&module.replace('.', "/").replace("/js", "").replace("/h", "")).to_owned();
                if name != own && !name.is_empty() {
                    uses.imported.insert(name);
                }
                uses.imported.extend(import.names.iter().filter(|name| name.as_str() != own).cloned());
            }
        }
        uses
    }

    fn is_started(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.typed.contains(path)
            || self.typed.contains(name)
            || (self.typed.contains("-m") && self.typed.contains(stem(path)))
    }

    fn is_imported(&self, path: &str) -> bool {
        self.imported.contains(stem(path))
    }
}

/// The name of a file without its folders and its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// Of several blocks for one file the last one counts; what is to be added to it cannot be placed.
fn last_word(cases: &mut [Case<'_>]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for index in 0..cases.len() {
        if cases[index].stage == Stage::Settled {
            continue;
        }
        let Some(path) = cases[index].block.path.clone() else { continue };
        let Some(earlier) = first.get(&path).copied() else {
            first.insert(path, index);
            continue;
        };
        if is_addition(&cases[index], &cases[earlier]) {
            let number = cases[earlier].block.index;
            cases[index]
                .skip(format!("it belongs into {path} of block {number}, but the answer does not say where"));
            continue;
        }
        let number = cases[index].block.index;
        cases[earlier].block.instead_of = Some(number);
        cases[earlier].skip(format!("block {number} is also {path}, and the last one is used"));
        first.insert(path, index);
    }
}

/// Whether a block adds to a file instead of being all of it.
fn is_addition(case: &Case<'_>, earlier: &Case<'_>) -> bool {
    let named = crate::naming::above(&case.piece.before.text, &|_| true);
    let is_said = named.is_some_and(|named| named.saying == Saying::Addition);
    let defines = |case: &Case<'_>| -> HashSet<String> {
        case.reading.iter().flat_map(|reading| reading.defines.iter().cloned()).collect()
    };
    let (new, old) = (defines(case), defines(earlier));
    is_said && (old.is_empty() || new.intersection(&old).count() * 2 < old.len())
}

/// A command that runs a file which no block is, while exactly one block without a name could be it: then it is that file.
fn adopt(cases: &mut [Case<'_>]) {
    let known: HashSet<String> = cases.iter().filter_map(|case| case.block.path.clone()).collect();
    let is_free = |case: &Case<'_>| {
        case.is_program()
            && !case.is_shell()
            && case.block.path.is_none()
            && case.block.holds == Holds::Program
    };
    let free: Vec<usize> = (0..cases.len()).filter(|index| is_free(&cases[*index])).collect();
    let [only] = free.as_slice() else { return };
    let language = cases[*only].block.language.clone();
    let mut started: Vec<(String, u32)> = Vec::new();
    for case in cases.iter().filter(|case| case.is_program() && case.is_shell()) {
        let lines = case.block.text().lines().take(50);
        started
            .extend(lines.filter_map(|line| file_of(line, &language)).map(|file| (file, case.block.index)));
    }
    started.dedup();
    let [(file, by)] = started.as_slice() else { return };
    if !known.contains(file) && crate::naming::stays_inside(file) {
        cases[*only].block.path = Some(file.clone());
        cases[*only].block.warnings.push(format!("it has no file name; block {by} runs it as {file}"));
    }
}

/// The file that a command starts: `python main.py`, `node app.js`, `go run main.go`.
fn file_of(line: &str, language: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (starters, extension): (&[&str], &str) = match language {
        "python" => (&["python", "python3", "py", "uv", "streamlit"], "py"),
        "javascript" => (&["node"], "js"),
        "typescript" => (&["ts-node", "tsx", "npx"], "ts"),
        "ruby" => (&["ruby"], "rb"),
        "php" => (&["php"], "php"),
        "go" => (&["go"], "go"),
        "java" => (&["java", "javac"], "java"),
        "c" => (&["gcc", "cc", "clang"], "c"),
        "cpp" => (&["g++", "clang++"], "cpp"),
        "rust" => (&["rustc"], "rs"),
        "lua" => (&["lua"], "lua"),
        "r" => (&["Rscript"], "R"),
        _ => return None,
    };
    let is_started = words.first().is_some_and(|word| starters.contains(word));
    let is_file =
        |word: &&&str| crate::naming::extension(word).is_some_and(|own| own.eq_ignore_ascii_case(extension));
    words.iter().filter(|_| is_started).find(is_file).and_then(|word| crate::naming::any_path(word))
}

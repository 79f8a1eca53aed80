//! Which blocks continue one another, and what is left to run.

use super::{Case, Stage};
use actum_model::{AnswerForm, Disposition, EntryPoint, Holds, Reading};
use std::collections::{HashMap, HashSet};

/// Languages whose blocks can go on where the one before stopped.
const CONTINUE: [&str; 8] = ["python", "javascript", "typescript", "ruby", "r", "lua", "php", "julia"];

/// Settles every program that is left: run, or nothing to run in it.
pub(super) fn judge(cases: &mut [Case<'_>], form: AnswerForm) {
    let used = groups(cases, form);
    for (index, case) in cases.iter_mut().enumerate() {
        if case.stage == Stage::Program {
            one(case, if used.contains(&index) { Use::Others } else { Use::Nobody });
        }
    }
    shells(cases);
}

/// Who needs what a block defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Others,
    Nobody,
}

fn one(case: &mut Case<'_>, by: Use) {
    let is_alone = by == Use::Nobody && !case.is_shell();
    let nothing = case.reading.as_ref().filter(|_| is_alone).and_then(nothing_to_run);
    match nothing {
        Some(why) => case.skip(why),
        None => {
            let why = said(case);
            case.settle(Disposition::Run, why);
        }
    }
}

fn said(case: &mut Case<'_>) -> String {
    let reading = case.reading.as_ref();
    if let Some(service) = reading.and_then(|reading| reading.service.as_ref()) {
        case.block
            .warnings
            .push(format!("it is a server that runs until it is stopped ({})", beginning(&service.what)));
    }
    let reading = case.reading.as_ref();
    let declares =
        reading.and_then(|reading| reading.declared.as_ref()).is_some_and(|one| one.problem.is_none());
    let language = &case.block.language;
    match case.block.holds {
        Holds::Commands | Holds::ShellTranscript | Holds::ReplTranscript if case.block.left_out.is_some() => {
            "the complete part of the typed input".to_owned()
        }
        Holds::ShellTranscript => "commands after prompts, with their expected output".to_owned(),
        Holds::ReplTranscript => "statements after prompts, with their expected results".to_owned(),
        Holds::Commands => "shell commands".to_owned(),
        _ if case.block.left_out.is_some() => format!("the complete part of a {language} program"),
        _ if super::cut::is_cut_off(case) => {
            format!("a {language} program that may continue, and is complete so far")
        }
        _ if declares => format!("a {language} program that declares its packages"),
        _ if case.block.session.is_some_and(|first| first != case.block.index) => {
            format!("it continues block {}", case.block.session.unwrap_or_default())
        }
        Holds::Program
        | Holds::Installation
        | Holds::Output
        | Holds::Patch
        | Holds::Data
        | Holds::Page
        | Holds::Unknown => {
            format!("a {language} program")
        }
    }
}

fn nothing_to_run(reading: &Reading) -> Option<&'static str> {
    if reading.language.is_empty() {
        return None;
    }
    match reading.entry {
        EntryPoint::Script | EntryPoint::MainGuard => None,
        EntryPoint::MainNotCalled => Some("it defines main but never calls it, so running it does nothing"),
        EntryPoint::Tests => Some("it contains only tests, which need a test runner"),
        EntryPoint::Definitions => Some("it contains only definitions, so running it prints nothing"),
        // A text that could not be read says nothing about where it begins.
        EntryPoint::Nothing if !matches!(reading.complete, actum_model::Completeness::Complete) => None,
        EntryPoint::Nothing => Some("it contains nothing to run"),
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Puts blocks that use one another's names into one session. Gives the blocks that others depend on.
fn groups(cases: &mut [Case<'_>], form: AnswerForm) -> HashSet<usize> {
    let mut used = HashSet::new();
    // For each language and name the last block that has it.
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    let mut first_of: HashMap<usize, usize> = HashMap::new();
    let mut cell: Option<usize> = None;
    for index in 0..cases.len() {
        let case = &cases[index];
        let continues = CONTINUE.contains(&case.block.language.as_str());
        if !case.is_program() || case.block.path.is_some() || !continues {
            continue;
        }
        let language = case.block.language.clone();
        let (wanted, has) = names(case);
        let mut sources: Vec<usize> =
            wanted.iter().filter_map(|name| known.get(&(language.clone(), name.clone())).copied()).collect();
        if form == AnswerForm::Notebook {
            // Cells of a notebook are one session, whatever they say.
            sources.extend(cell);
            cell = Some(index);
        }
        let missing: Vec<&String> =
            wanted.iter().filter(|name| !known.contains_key(&(language.clone(), (*name).clone()))).collect();
        let is_python = language == "python";
        let warning = (is_python && !missing.is_empty() && form != AnswerForm::Notebook).then(|| {
            let list: Vec<String> = missing.iter().take(5).map(|name| beginning(name)).collect();
            format!("nothing before it defines {}", list.join(", "))
        });
        cases[index].block.warnings.extend(warning);
        if let Some(first) = sources.iter().map(|source| *first_of.get(source).unwrap_or(source)).min() {
            used.extend(sources.iter().copied());
            first_of.insert(index, first);
            let number = cases[first].block.index;
            cases[index].block.session = Some(number);
            cases[first].block.session = Some(number);
            for source in sources {
                cases[source].block.session = Some(number);
                first_of.insert(source, first);
            }
        }
        for name in has {
            known.insert((language.clone(), name), index);
        }
    }
    used
}

/// The names that a block takes from elsewhere, and those that it has.
fn names(case: &Case<'_>) -> (Vec<String>, Vec<String>) {
    let Some(reading) = &case.reading else { return (Vec::new(), Vec::new()) };
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: HashSet<&str> = case
        .block
        .text()
        .split(|letter| !is_name(letter))
        .filter(|word| (1..=60).contains(&word.len()))
        .collect();
    if case.block.language == "python" {
        // What it says and does not lack it has: by an assignment, an import, a loop.
        let lacks: HashSet<&str> = reading.unbound.iter().map(String::as_str).collect();
        let has = words.into_iter().filter(|word| !lacks.contains(word)).map(str::to_owned).collect();
        return (reading.unbound.clone(), has);
    }
    // A grammar lists what is defined, not what is missing: a word that another block defines is taken from it.
    let own: HashSet<&str> = reading.defines.iter().map(String::as_str).collect();
    let wanted =
        words.into_iter().filter(|word| word.len() > 1 && !own.contains(word)).map(str::to_owned).collect();
    (wanted, reading.defines.clone())
}

/// Commands that change where the next ones stand, or what they see, need one shell.
fn shells(cases: &mut [Case<'_>]) {
    let mut first: Option<u32> = None;
    for case in cases.iter_mut().filter(|case| case.is_run() && case.is_shell()) {
        if let Some(first) = first {
            case.block.session = Some(first);
        }
        let stays = |line: &str| {
            let line = line.trim_start();
            line.starts_with("cd ")
                || line.starts_with("export ")
                || line.starts_with("source ")
                || line.starts_with("alias ")
        };
        if first.is_none() && case.block.text().lines().any(stays) {
            first = Some(case.block.index);
            case.block.session = first;
        }
    }
}

//! Looks through what only starts another command, then asks the rules of the command's name.

use super::super::found::{Findings, Reach};
use super::super::{Place, Tongue, embedded};
use super::command::{Command, Fed, is_option};
use super::split::{Simple, Word};
use super::{files, interpreters, network, packages, system};
use actum_model::OperationKind;

/// What a command reads: a here-document of its own, or what a command of fixed words writes into its pipe.
pub(super) fn feeding(commands: &[Simple], index: usize, first_line: u32) -> Option<Fed> {
    let at = |line: u32| first_line.saturating_add(line.saturating_sub(1));
    let simple = &commands[index];
    if let Some(body) = simple.bodies.last() {
        return Some(Fed { text: body.text.clone(), line: at(body.line), downloaded: false });
    }
    let before = &commands[simple.reads_from?];
    let (first, rest) = before.words.split_first()?;
    match first.text.as_str() {
        "curl" | "wget" => Some(Fed { text: String::new(), line: at(before.line), downloaded: true }),
        "echo" | "printf" => {
            let texts = rest.iter().filter(|word| !is_option(word)).map(|word| word.text.as_str());
            let text = texts.collect::<Vec<_>>().join(" ").replace("\\n", "\n");
            Some(Fed { text, line: at(before.line), downloaded: false })
        }
        "cat" => {
            let body = before.bodies.last()?;
            Some(Fed { text: body.text.clone(), line: at(body.line), downloaded: false })
        }
        _ => None,
    }
}

/// Looks at one command.
pub(super) fn look(command: &Command<'_>, place: Place, findings: &mut Findings) {
    let mut command = command.clone();
    // Each turn takes at least one word away.
    while let Some(skip) = wrapper(&command, findings) {
        command = command.from(skip);
    }
    match command.name() {
        "" => computed(&command, findings),
        "cd" | "pushd" | "chdir" => change_folder(&command, findings),
        "eval" => evaluate(&command, place, findings),
        "find" | "fd" | "fdfind" => find(&command, place, findings),
        "command" => {}
        name => {
            if interpreters::look(name, &command, place, findings) {
                return;
            }
            let rules = [files::look, packages::look, network::look, system::look];
            rules.iter().filter_map(|rule| rule(name, &command)).for_each(|found| findings.add(found));
        }
    }
}

/// How many words to leave out when the command only starts the one after them.
fn wrapper(command: &Command<'_>, findings: &mut Findings) -> Option<usize> {
    let first = command.words.first()?;
    if is_assignment(first) {
        return Some(1);
    }
    let name = command.name();
    match name {
        // Only asks where the command is.
        "command" if command.has('v', "") || command.has('V', "") => None,
        "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "!" | "{" | "}" | "time" | "command"
        | "builtin" | "exec" | "nohup" | "setsid" | "stdbuf" | "fakeroot" | "unbuffer" | "catchsegv" => {
            Some(after_options(command, &[], 0))
        }
        "sudo" | "doas" | "pkexec" | "runuser" => {
            findings.add(command.plain(OperationKind::Privilege));
            Some(after_options(command, &["-u", "-g", "-p", "-C", "-h", "-U", "-r", "-t"], 0))
        }
        "env" => Some(after_options(command, &["-u", "-C", "-S", "--unset", "--chdir"], 0)),
        "timeout" => Some(after_options(command, &["-s", "-k", "--signal", "--kill-after"], 1)),
        "nice" | "ionice" | "chrt" | "taskset" => Some(after_options(command, &["-n", "-c", "-p"], 0)),
        "xargs" | "parallel" => {
            Some(after_options(command, &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a"], 0))
        }
        "strace" | "ltrace" => Some(after_options(command, &["-e", "-o", "-p", "-s"], 0)),
        "watch" => Some(after_options(command, &["-n"], 0)),
        "uv" | "poetry" | "pipenv" | "rye" | "hatch" | "bundle" if command.operand(0) == "run" => Some(2),
        "bundle" if command.operand(0) == "exec" => Some(2),
        "busybox" | "toybox" if command.words.len() > 1 => Some(1),
        _ => None,
    }
}

/// Past the wrapper's own name, its options and `operands` more.
fn after_options(command: &Command<'_>, with_value: &[&str], operands: usize) -> usize {
    let words = command.words;
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| is_option(word)) {
        at += if with_value.contains(&word.text.as_str()) { 2 } else { 1 };
        if word.text == "--" {
            break;
        }
    }
    (at + operands).min(words.len())
}

fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// A command whose name is what was downloaded.
fn computed(command: &Command<'_>, findings: &mut Findings) {
    if command.words.first().is_some_and(|word| word.downloaded) {
        findings.add(command.plain(OperationKind::Install));
    }
}

fn change_folder(command: &Command<'_>, findings: &mut Findings) {
    let stays =
        command.operands().all(|word| !word.dynamic && Reach::of_path(&word.text) == Reach::Workspace);
    if !stays || command.operands().next().is_none() {
        findings.leave_the_folder();
    }
}

fn evaluate(command: &Command<'_>, place: Place, findings: &mut Findings) {
    if command.arguments().iter().any(|word| word.downloaded) {
        findings.add(command.plain(OperationKind::Install));
    }
    let text = command.arguments().iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    embedded::look_within(Tongue::Shell, &text, place, command.line, findings);
}

fn find(command: &Command<'_>, place: Place, findings: &mut Findings) {
    let arguments = command.arguments();
    if arguments.iter().any(|word| word.text == "-delete") {
        let starts = command.operands().take(1).map(super::command::reach_of);
        let reach = Reach::farthest(starts);
        findings.add(command.found(OperationKind::Delete, super::super::found::Weight::Grave, reach));
    }
    let starts = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec"];
    let mut rest = arguments;
    while let Some(at) = rest.iter().position(|word| starts.contains(&word.text.as_str())) {
        rest = &rest[at + 1..];
        let length = rest.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(rest.len());
        if let Some(place) = place.within(place.line) {
            look(&command.of(&rest[..length]), place, findings);
        }
        rest = &rest[length..];
    }
}

//! How a program is told to continue: by what the configuration says, by an option that its text declares, or by one of its `--help`.

use super::checkpoint::FoundCheckpoint;
use crate::error::ExperimentError;
use crate::manifest::Manifest;
use crate::program::Program;
use actum_engine::{Engine, NoSink, RequestBuilder};
use actum_parameters::declared;
use actum_parameters::help::{HelpOption, parse_help};
use actum_parameters::resume::resume_option;
use std::path::Path;

const CHECKPOINT: &str = "{checkpoint}";
/// A program that does not know `--help` may begin its work.
const HELP_TIME: &str = "60s";

/// The words that make the program continue from a checkpoint.
pub(super) fn words(
    engine: &Engine,
    (manifest, asked): (&Manifest, &RequestBuilder),
    checkpoint: &FoundCheckpoint,
    configured: Option<&str>,
) -> Result<Vec<String>, ExperimentError> {
    if let Some(configured) = configured {
        return Ok(fill(configured, &checkpoint.path));
    }
    let none = |looked: &str| ExperimentError::Request {
        what: format!("it is not known how the program continues from {}: {looked}", checkpoint.shown),
        hint:
            "set [experiment] resume, such as resume = \"--resume {checkpoint}\", in your own configuration"
                .to_owned(),
    };
    if is_shell_line(&manifest.command.words) {
        return Err(none("it is a shell command line, to which nothing can be added"));
    }
    let workspace = Path::new(&manifest.workspace);
    let folder = workspace.join(&manifest.folder);
    let program = Program::read_only(engine, asked, (workspace, &folder))?;
    let of_command = declared::of_command(&program.declared, program.own_words());
    let option = match resume_option(&of_command, &[]) {
        Some(option) => Some(option),
        None => resume_option(&[], &help(engine, asked)?),
    };
    let looked = "neither its text nor its --help has an option such as --resume, --resume-from-checkpoint or --checkpoint";
    let option = option.ok_or_else(|| none(looked))?;
    Ok(option.words(&checkpoint.path))
}

/// Words are separated by spaces; a checkpoint stays one word.
fn fill(configured: &str, checkpoint: &str) -> Vec<String> {
    configured.split_whitespace().map(|word| word.replace(CHECKPOINT, checkpoint)).collect()
}

fn is_shell_line(words: &[String]) -> bool {
    let is_shell = |word: &String| word.rsplit('/').next().is_some_and(|name| name.ends_with("sh"));
    words.first().is_some_and(is_shell) && words.iter().skip(1).any(|word| word == "-c")
}

/// Asks the program itself, without network and without a trace in the workspace.
fn help(engine: &Engine, asked: &RequestBuilder) -> Result<Vec<HelpOption>, ExperimentError> {
    let asked = RequestBuilder {
        policy: Some("locked".to_owned()),
        network: vec!["none".to_owned()],
        writes: Vec::new(),
        cards: Vec::new(),
        timeout: Some(HELP_TIME.to_owned()),
        read_only: true,
        no_recover: true,
        no_expectations: true,
        ..super::with_words(asked.clone(), &["--help".to_owned()])
    };
    let run = engine.run(&engine.request(asked)?, &mut NoSink)?;
    Ok(parse_help(&format!("{}\n{}", run.report.result.stdout, run.report.result.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_one_word() {
        assert_eq!(fill("--from={checkpoint}  --go", "a b"), ["--from=a b", "--go"]);
    }

    #[test]
    fn shell_lines_are_known() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(is_shell_line(&words("/bin/sh -c x")) && is_shell_line(&words("bash -e -c x")));
        assert!(!is_shell_line(&words("python train.py -c x")) && !is_shell_line(&words("bash train.sh")));
    }
}

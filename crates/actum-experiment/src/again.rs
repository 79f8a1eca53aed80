//! A stored experiment asked for once more, in the workspace as it is now and with a new output folder. Nothing is put back as it was.

use crate::manifest::{Manifest, Purpose};
use crate::reproduce::again;
use crate::request::ExperimentRequest;
use actum_engine::SourceChoice;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What stands for the output folder in words of a command.
const OUTPUT: &str = "{output}";

/// The request that the manifest is the account of, as far as it is known.
pub fn ask_again(manifest: &Manifest) -> ExperimentRequest {
    let words = words(manifest);
    let drift = again::Drift { packages: true, ..Default::default() };
    let mut asked = again::asked(manifest, (Path::new(&manifest.workspace), &drift));
    match &mut asked.source {
        SourceChoice::File(_) => asked.arguments = words.iter().skip(1).map(OsString::from).collect(),
        SourceChoice::Nothing
        | SourceChoice::Stdin(_)
        | SourceChoice::Code(_)
        | SourceChoice::Command(_)
        | SourceChoice::Shell(_) => {
            asked.source = SourceChoice::Command(words.iter().map(OsString::from).collect());
        }
    }
    asked.no_expectations = false;
    let mut request = ExperimentRequest::new(asked);
    request.name = Some(manifest.name.clone());
    request.seed = manifest.seed;
    request.profile = manifest.determinism.profile.parse().unwrap_or_default();
    request.threads = Some(manifest.machine.threads);
    request.config = manifest.configs.first().map(|config| PathBuf::from(&config.path));
    request.set = manifest.configs.iter().flat_map(|config| config.set.clone()).collect();
    // A smoke run's command is short already.
    request.purpose = Purpose::Experiment;
    request
}

/// The words before the output folder, the copy of a configuration and a checkpoint were put into them.
fn words(manifest: &Manifest) -> Vec<String> {
    let all = &manifest.command.words;
    let added = usize::try_from(manifest.command.added).unwrap_or(usize::MAX);
    let own = all.len().saturating_sub(added).max(1);
    let whole = Path::new(&manifest.workspace).join(&manifest.output).to_string_lossy().into_owned();
    let before = |word: &String| {
        let mut word = word.clone();
        for config in &manifest.configs {
            let Some(copy) = &config.copy else { continue };
            let led_to = Path::new(&manifest.workspace).join(copy).to_string_lossy().into_owned();
            word = word.replace(&led_to, &config.path);
        }
        let shown = if manifest.folder == "." { manifest.output.as_str() } else { &whole };
        // Whole paths only: `runs/a` is no part of `runs/ab`.
        for folder in [whole.as_str(), shown] {
            word = replace_path(&word, folder);
        }
        word
    };
    all.iter().take(own).map(before).collect()
}

/// Puts the placeholder where a path stands, or one below it.
fn replace_path(word: &str, path: &str) -> String {
    let Some(at) = word.find(path) else { return word.to_owned() };
    let (before, rest) = (&word[..at], &word[at + path.len()..]);
    let begins = before.is_empty() || before.ends_with(['=', ':', ',']);
    let ends = rest.is_empty() || rest.starts_with(['/', ',', ':']);
    if begins && ends { format!("{before}{OUTPUT}{rest}") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_replaced_and_a_part_of_one_is_not() {
        for (word, expected) in [
            ("runs/a", "{output}"),
            ("--out=runs/a/x", "--out={output}/x"),
            ("runs/ab", "runs/ab"),
            ("old/runs/a", "old/runs/a"),
            ("--lr=1", "--lr=1"),
        ] {
            assert_eq!(replace_path(word, "runs/a"), expected);
        }
    }
}

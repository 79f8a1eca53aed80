//! Real messages, provoked with the tools themselves; each belongs to one row.

use super::{Told, timed_out};
use actum_model::{Ending, Reading};
use serde::Deserialize;

const FILES: &[(&str, &str)] = &[
    ("python", include_str!("samples/python.toml")),
    ("installers", include_str!("samples/installers.toml")),
    ("shell", include_str!("samples/shell.toml")),
    ("compiled", include_str!("samples/compiled.toml")),
    ("scripts", include_str!("samples/scripts.toml")),
    ("documented", include_str!("samples/documented.toml")),
];

#[derive(Deserialize)]
struct File {
    sample: Vec<Sample>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sample {
    pub(super) row: String,
    language: String,
    exit: Option<i32>,
    signal: Option<i32>,
    #[serde(default)]
    timed_out: bool,
    /// Names that the program defines; absent when it was not read.
    defines: Option<Vec<String>>,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    stdout: String,
}

pub(super) fn samples() -> Vec<Sample> {
    let read = |text: &str| toml::from_str::<File>(text).unwrap().sample;
    FILES.iter().flat_map(|(_, text)| read(text)).collect()
}

impl Sample {
    pub(super) fn told(&self) -> Told<'_> {
        let ending = match (self.exit, self.signal) {
            (Some(code), _) => Ending::Exited { code },
            (None, Some(signal)) => Ending::Signalled { signal },
            (None, None) if self.timed_out => timed_out(),
            (None, None) => panic!("a sample of {} has no ending", self.row),
        };
        let reading = self.defines.clone().map(|defines| Reading { defines, ..Reading::of(&self.language) });
        Told {
            language: &self.language,
            stderr: &self.stderr,
            stdout: &self.stdout,
            ending: Some(ending),
            reading,
            ..Told::default()
        }
    }
}

#[test]
fn every_message_is_told_as_its_row() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let found = sample.told().row();
        if found != sample.row {
            wrong.push(format!("{} told as {found:?}:\n{}{}", sample.row, sample.stderr, sample.stdout));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n----\n"));
}

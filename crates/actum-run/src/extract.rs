//! From a source to its programs, each with its language.

use crate::error::RunError;
use crate::inspect::{self, Inspection};
use crate::language::Languages;
use crate::recognise::{Chosen, Unlabelled};
use crate::request::Request;
use crate::source::{self, Code, Source};
use crate::together::{self, Together};
use actum_model::{Bytes, SourceFacts, path_text};
use actum_sandbox::Variable;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a source turned out to hold.
#[derive(Debug)]
pub struct Extracted<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) facts: SourceFacts,
}

/// One thing to run.
#[derive(Debug)]
pub(crate) enum Part<'a> {
    /// As it is.
    Command(Vec<OsString>),
    Program {
        code: Code,
        chosen: Box<Chosen<'a>>,
    },
    /// Several blocks in one interpreter.
    Together(Box<Together<'a>>),
}

impl Part<'_> {
    /// Its name in reports; `command` where it is one.
    pub(crate) fn language(&self) -> &str {
        match self {
            Part::Command(_) => "command",
            Part::Program { chosen, .. } => &chosen.language.name,
            Part::Together(together) => &together.chosen.language.name,
        }
    }

    /// Whether Python runs it, by itself or by a command.
    pub(crate) fn is_python(&self) -> bool {
        match self {
            Part::Command(words) => crate::python_command::is_one(words),
            Part::Program { chosen, .. } => chosen.language.name == "python",
            Part::Together(_) => true,
        }
    }

    /// What a copy of it could be changed in. A driver of ours is nobody's source.
    pub(crate) fn code(&self) -> &[u8] {
        match self {
            Part::Command(_) | Part::Together(_) => &[],
            Part::Program { code, .. } => &code.bytes,
        }
    }

    /// The file that it is run as; one without a file is run under the name that its language gives it.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Part::Command(_) => None,
            Part::Together(together) => {
                Some(together.chosen.language.staged_name(&together.code.bytes).into())
            }
            Part::Program { code, chosen } => {
                Some(code.file.clone().unwrap_or_else(|| chosen.language.staged_name(&code.bytes).into()))
            }
        }
    }

    /// What a look at it finds.
    pub(crate) fn inspect(&self) -> Inspection {
        match self {
            Part::Command(words) => {
                let words: Vec<String> =
                    words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
                inspect::inspect_command(&words)
            }
            Part::Program { code, chosen } => {
                inspect::inspect(&chosen.language.name, &String::from_utf8_lossy(&code.bytes))
            }
            Part::Together(together) => {
                let each = together
                    .blocks
                    .iter()
                    .map(|block| inspect::inspect(&block.language, &String::from_utf8_lossy(&block.code)));
                each.reduce(crate::risk::and).unwrap_or_default()
            }
        }
    }
}

impl Extracted<'_> {
    /// Names what would be run, and how: the same digest means that nothing of it has changed since somebody looked. Of the
    /// world around it only what the words themselves name is in it.
    pub fn digest(&self, request: &Request) -> String {
        let attempt = &request.attempt;
        let mut digest = Sha256::new();
        let mut part = |bytes: &[u8]| {
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        };
        part(self.facts.sha256.as_deref().unwrap_or_default().as_bytes());
        for one in &self.parts {
            match one {
                Part::Program { chosen, .. } => part(format!("{:?}", chosen.language).as_bytes()),
                Part::Together(together) => part(&together.code.bytes),
                // A command's files are its code.
                Part::Command(words) => words.iter().for_each(|word| {
                    let file = std::fs::File::open(attempt.folder.join(word)).ok().filter(is_plain);
                    part(&file.and_then(|file| read_some(file).ok()).unwrap_or_default());
                }),
            }
        }
        part(format!("{:?} {:?} {:?}", attempt.policy, attempt.limits, attempt.grace).as_bytes());
        part(attempt.workspace.as_os_str().as_bytes());
        part(attempt.folder.as_os_str().as_bytes());
        request.arguments.iter().for_each(|argument| part(argument.as_bytes()));
        part(request.database.as_deref().map(|path| path.as_os_str().as_bytes()).unwrap_or_default());
        for name in ["PATH", "DATABASE_URL"] {
            part(request.variable(name).map(OsStrExt::as_bytes).unwrap_or_default());
        }
        for variable in &attempt.granted_variables {
            let (Variable::Inherited(name) | Variable::Set(name, _)) = variable;
            part(name.as_bytes());
            part(
                name.to_str()
                    .and_then(|name| request.variable(name))
                    .map(OsStrExt::as_bytes)
                    .unwrap_or_default(),
            );
        }
        crate::digest::finish(digest).to_string()
    }
}

fn is_plain(file: &std::fs::File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

fn read_some(file: std::fs::File) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    file.take(source::LARGEST_SOURCE.0).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the source and tells its programs apart.
pub fn extract<'a>(request: &Request, languages: &'a Languages) -> Result<Extracted<'a>, RunError> {
    let kind = request.source.kind();
    let (path, bytes) = match &request.source {
        Source::Command(words) => {
            let facts =
                facts(kind, None, &words.iter().map(|word| word.as_bytes()).collect::<Vec<_>>().join(&0));
            return Ok(Extracted { parts: vec![Part::Command(words.clone())], facts });
        }
        Source::Shell(line) => (None, line.as_bytes().to_vec()),
        Source::File(path) => (Some(path.as_path()), source::read(path)?),
        Source::Inline(code) | Source::Stdin(code) => (None, code.clone()),
    };
    let facts = facts(kind, path, &bytes);
    let label = match &request.source {
        Source::Shell(_) => Some("bash"),
        Source::Command(_) | Source::File(_) | Source::Inline(_) | Source::Stdin(_) => {
            request.language.as_deref()
        }
    };
    let is_language = |label: &str| languages.called(label).is_some();
    let parts = source::programs(path, bytes, &is_language)?
        .into_iter()
        .map(|code| {
            let label = label.or(code.label.as_deref());
            let chosen =
                languages.choose(label, Unlabelled { name: code.file.as_deref(), code: &code.bytes })?;
            Ok(Part::Program { chosen: Box::new(chosen), code })
        })
        .collect::<Result<_, RunError>>()?;
    let parts = match &request.together {
        Some(namespace) => together::join(parts, namespace),
        None => parts,
    };
    Ok(Extracted { parts, facts })
}

fn facts(kind: actum_model::SourceKind, path: Option<&Path>, bytes: &[u8]) -> SourceFacts {
    SourceFacts {
        kind,
        path: path.map(|path| path_text(path.as_os_str().as_bytes())),
        bytes: Some(Bytes(bytes.len() as u64)),
        sha256: Some(crate::digest::of(bytes).to_string()),
    }
}

//! From a source to its programs, each with its language.

use crate::answer::{self, GoingOn, Printed};
use crate::edit::{self, Edit};
use crate::error::RunError;
use crate::request::Request;
use crate::source::{self, Code, Source};
use crate::together::{self, Together};
use actum_answers::{Hint, Reader};
use actum_languages::Languages;
use actum_languages::recognise::{Chosen, Unlabelled};
use actum_model::{BlockFacts, Bytes, Digest, Grant, IdentityHash, Install, Policy, SourceFacts, path_text};
use actum_risk::{self as inspect, Inspection};
use actum_sandbox::Variable;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a source turned out to hold.
#[derive(Debug)]
pub struct Extracted<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) facts: SourceFacts,
    /// Packages that an answer says are to be installed.
    pub(crate) installs: Vec<Install>,
    /// What an answer says that its parts print.
    pub(crate) printed: Vec<Printed>,
    /// What is done with each block of an answer.
    pub(crate) blocks: Vec<BlockFacts>,
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
    /// Files that an answer gives or changes.
    Edits(Vec<Edit>),
}

impl Part<'_> {
    /// Its name in reports; `command` where it is one.
    pub(crate) fn language(&self) -> &str {
        match self {
            Part::Command(_) => "command",
            Part::Program { chosen, .. } => &chosen.language.name,
            Part::Together(together) => &together.chosen.language.name,
            Part::Edits(_) => edit::LANGUAGE,
        }
    }

    /// Whether Python runs it, by itself or by a command.
    pub(crate) fn is_python(&self) -> bool {
        match self {
            Part::Command(words) => crate::python_command::is_one(words),
            Part::Program { chosen, .. } => chosen.language.name == "python",
            Part::Together(_) => true,
            Part::Edits(_) => false,
        }
    }

    /// What a copy of it could be changed in. A driver of ours is nobody's source.
    pub(crate) fn code(&self) -> &[u8] {
        match self {
            Part::Command(_) | Part::Edits(_) | Part::Together(_) => &[],
            Part::Program { code, .. } => &code.bytes,
        }
    }

    /// The file that it is run as; one without a file is run under the name that its language gives it.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Part::Command(_) | Part::Edits(_) => None,
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
                each.reduce(actum_risk::Inspection::and).unwrap_or_default()
            }
            // Written inside the walls, and settled like every change.
            Part::Edits(_) => Inspection::default(),
        }
    }
}

impl<'a> Extracted<'a> {
    /// What is no answer.
    fn of(parts: Vec<Part<'a>>, facts: SourceFacts) -> Self {
        Self { parts, facts, installs: Vec::new(), printed: Vec::new(), blocks: Vec::new() }
    }

    /// Names what would be run, and how: the same digest means that nothing of it has changed since somebody looked. Of the
    /// world around it only what the words themselves name is in it.
    pub fn digest(&self, request: &Request) -> String {
        let attempt = &request.attempt;
        let mut hash = IdentityHash::new("actum approval 2");
        hash.bytes(self.facts.sha256.as_deref().unwrap_or_default().as_bytes());
        for one in &self.parts {
            match one {
                Part::Program { chosen, .. } => {
                    let language = &chosen.language;
                    hash.value(&(&language.name, &language.staged_as, &language.runtimes));
                }
                Part::Together(together) => hash.bytes(&together.code.bytes),
                // Its text is that of the source.
                Part::Edits(_) => {}
                // A command's files are its code.
                Part::Command(words) => words.iter().for_each(|word| {
                    hash.bytes(actum_gate::read_named(&attempt.folder.join(word), MOST).unwrap_or_default());
                }),
            }
        }
        // What is granted is a path, which need not be text.
        hash.list(attempt.policy.grants.iter().flat_map(|grant| {
            let kind: &[u8] = if matches!(grant, Grant::Write(_)) { b"write" } else { b"read" };
            [kind, grant.path().as_os_str().as_bytes()]
        }));
        let policy = Policy { grants: Vec::new(), ..attempt.policy.clone() };
        hash.value(&(policy, attempt.limits, (attempt.grace, request.keep)));
        hash.bytes(attempt.workspace.as_os_str().as_bytes());
        hash.bytes(attempt.folder.as_os_str().as_bytes());
        hash.list(request.arguments.iter().map(|argument| argument.as_bytes()));
        hash.bytes(request.database.as_deref().map(|path| path.as_os_str().as_bytes()).unwrap_or_default());
        for name in ["PATH", "DATABASE_URL"] {
            hash.bytes(request.variable(name).map(OsStrExt::as_bytes).unwrap_or_default());
        }
        for variable in &attempt.granted_variables {
            let (Variable::Inherited(name) | Variable::Set(name, _)) = variable;
            hash.bytes(name.as_bytes());
            hash.bytes(
                name.to_str()
                    .and_then(|name| request.variable(name))
                    .map(OsStrExt::as_bytes)
                    .unwrap_or_default(),
            );
        }
        hash.finish().to_string()
    }
}

/// Of each file that a command names. Larger ones are data, not code.
const MOST: actum_gate::Bound = actum_gate::Bound(source::LARGEST_SOURCE.0);

/// Reads the source and tells its programs apart. An answer's blocks are read by the `reader`, which asks a confined process.
pub fn extract<'a>(
    request: &Request,
    languages: &'a Languages,
    reader: &mut dyn Reader,
) -> Result<Extracted<'a>, RunError> {
    let kind = request.source.kind();
    let (path, bytes) = match &request.source {
        Source::Command(words) => {
            let facts =
                facts(kind, None, &words.iter().map(|word| word.as_bytes()).collect::<Vec<_>>().join(&0));
            return Ok(Extracted::of(vec![Part::Command(words.clone())], facts));
        }
        Source::Shell(line) => (None, line.as_bytes().to_vec()),
        Source::File(path) => (Some(path.as_path()), source::read(path)?),
        Source::Inline(code) | Source::Stdin(code) => (None, code.clone()),
    };
    let facts = facts(kind, path, &bytes);
    if request.source.is_answer(request.language.as_deref()) {
        return answer(request, languages, reader, (path, &bytes, facts));
    }
    let label = match &request.source {
        Source::Shell(_) => Some("bash"),
        Source::Command(_) | Source::File(_) | Source::Inline(_) | Source::Stdin(_) => {
            request.language.as_deref()
        }
    };
    let code = Code { bytes, label: None, file: path.map(Path::to_path_buf), lines: None };
    let chosen = languages.choose(label, Unlabelled { name: path, code: &code.bytes })?;
    let parts = vec![Part::Program { chosen: Box::new(chosen), code }];
    Ok(Extracted::of(together::joined(parts, request.together.as_ref()).parts, facts))
}

/// An answer comes to what was decided about its blocks.
fn answer<'a>(
    request: &Request,
    languages: &'a Languages,
    reader: &mut dyn Reader,
    (path, bytes, facts): (Option<&Path>, &[u8], SourceFacts),
) -> Result<Extracted<'a>, RunError> {
    let shown = || path.map_or_else(|| PathBuf::from("stdin"), Path::to_path_buf);
    let name = path.and_then(Path::file_name).and_then(OsStr::to_str);
    let hint = name.map_or(Hint::Nothing, Hint::File);
    let blocks = actum_answers::extract(bytes, hint, reader)
        .map_err(|source| RunError::Answer { path: shown(), source })?;
    let going_on = if request.together.is_some() { GoingOn::Apart } else { GoingOn::OneProgram };
    let taken = answer::take(&blocks.blocks, languages, &request.attempt.folder, going_on)?;
    if taken.parts.is_empty() {
        return Err(RunError::NoBlocks { path: shown(), why: answer::nothing(&blocks.blocks) });
    }
    let answer::Taken { parts, installs, mut printed } = taken;
    let joined = together::joined(parts, request.together.as_ref());
    for said in &mut printed {
        let place = joined.places.get(said.part as usize - 1).copied().unwrap_or_default();
        said.part = u32::try_from(place + 1).unwrap_or(u32::MAX);
    }
    let parts = joined.parts;
    let blocks = blocks.blocks.iter().take(BlockFacts::MOST).map(BlockFacts::from).collect();
    Ok(Extracted { parts, facts, installs, printed, blocks })
}

fn facts(kind: actum_model::SourceKind, path: Option<&Path>, bytes: &[u8]) -> SourceFacts {
    SourceFacts {
        kind,
        path: path.map(|path| path_text(path.as_os_str().as_bytes())),
        bytes: Some(Bytes(bytes.len() as u64)),
        sha256: Some(Digest::of(bytes).to_string()),
    }
}

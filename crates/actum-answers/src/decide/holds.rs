//! What a block holds, told from its label, its first lines and what stands around it.

use super::shell_prompts::{self, Root, Session};
use super::{Case, Reader, Stage, installs, layout, magics, prompts, whole};
use crate::answer::{Named, Piece, Saying};
use crate::{naming, patch};
use actum_model::{AnswerForm, Block, BlockKind, Disposition, Example, Holds};

/// Labels of what a program printed.
const OUTPUT: &[&str] = &["output", "out", "log", "logs", "stdout", "stderr", "result", "results"];
/// Labels of plain text.
const PLAIN: &[&str] = &["text", "plaintext", "plain", "txt", "none", "raw", "nohighlight"];
/// Labels of data and configuration, each with the extensions that its files have.
const DATA: &[(&str, &[&str])] = &[
    ("json", &["json", "lock"]),
    ("jsonc", &["json"]),
    ("json5", &["json"]),
    ("jsonl", &["jsonl"]),
    ("csv", &["csv"]),
    ("tsv", &["tsv"]),
    ("yaml", &["yaml", "yml"]),
    ("yml", &["yaml", "yml"]),
    ("toml", &["toml", "lock"]),
    ("ini", &["ini", "cfg", "conf"]),
    ("cfg", &["cfg"]),
    ("conf", &["conf"]),
    ("config", &["conf", "cfg", "ini"]),
    ("properties", &["properties"]),
    ("env", &["env"]),
    ("dotenv", &["env"]),
    ("xml", &["xml", "svg"]),
    ("svg", &["svg"]),
    ("markdown", &["md"]),
    ("md", &["md"]),
    ("mermaid", &["mmd"]),
    ("dot", &["dot"]),
    ("plantuml", &["puml"]),
    ("dockerfile", &[]),
    ("docker", &[]),
    ("makefile", &["mk"]),
    ("make", &["mk"]),
    ("nginx", &["conf"]),
    ("apache", &["conf"]),
    ("apacheconf", &["conf"]),
    ("hcl", &["hcl", "tf"]),
    ("terraform", &["tf"]),
    ("proto", &["proto"]),
    ("graphql", &["graphql"]),
    ("regex", &[]),
    ("math", &[]),
    ("latex", &["tex"]),
    ("tex", &["tex"]),
    ("http", &["http"]),
    ("gitignore", &[]),
    ("systemd", &["service"]),
];
/// Labels of pages.
const PAGE: &[&str] = &["html", "htm", "css", "scss", "less", "xhtml"];
const PATCH: &[&str] = &["diff", "patch", "udiff"];
/// Labels of what was typed and what was printed then. Their prompts tell which is which; without any, all of it is output.
const SESSIONS: &[&str] = &[
    "console",
    "terminal",
    "term",
    "shell-session",
    "shellsession",
    "sh-session",
    "bash-session",
    "zsh-session",
    "pycon",
    "python-console",
    "python-repl",
    "pyrepl",
    "doctest",
];

pub(super) fn is_shell(language: &str) -> bool {
    matches!(language, "bash" | "sh")
}

/// What is known about a piece by itself.
pub(super) fn look<'a>(piece: &'a Piece, index: u32, form: AnswerForm, reader: &dyn Reader) -> Case<'a> {
    let label = piece.label.as_deref().unwrap_or_default();
    let by_name = || {
        let path = &piece.named.as_ref()?.path;
        reader.language(naming::extension(path)?)
    };
    let session = || session_language(label, &piece.code).and_then(|language| reader.language(language));
    let language = session()
        .or_else(|| reader.language(label))
        .or_else(|| if label.is_empty() { by_name() } else { None });
    let named = named(piece, language.as_deref(), reader);
    let block = Block {
        index,
        language: language.clone().unwrap_or_else(|| label.to_owned()),
        code: piece.code.clone(),
        kind: piece.kind,
        lines: piece.lines,
        label: piece.label.clone(),
        nested: piece.nested,
        part: (piece.part > 0).then_some(piece.part),
        truncated: piece.cut.clone(),
        examples: piece.examples.clone(),
        expected: piece.printed.clone(),
        ..Block::default()
    };
    let mut case = Case { piece, block, reading: None, stage: Stage::Unlabelled };
    name(&mut case, named);
    if case.stage != Stage::Settled {
        classify(&mut case, (label, language.as_deref()), form);
    }
    case
}

/// The language of what was typed in a session, told by its prompts.
fn session_language(label: &str, code: &str) -> Option<&'static str> {
    if !SESSIONS.contains(&label) || code.len() > whole::LONGEST {
        return None;
    }
    match shell_prompts::read(code, Root::MayType) {
        Session::Commands(_) => Some("bash"),
        Session::Elsewhere(_) | Session::None => prompts::interpreter(code).map(|_| "python"),
    }
}

/// The file that a piece is said to be.
fn named(piece: &Piece, language: Option<&str>, reader: &dyn Reader) -> Option<Named> {
    if piece.named.is_some() {
        return piece.named.clone();
    }
    let label = piece.label.as_deref().unwrap_or_default();
    let fits = |path: &str| fits(path, label, language, reader);
    let above = || naming::above(&piece.before.text, &fits).filter(|named| is_likely(piece, language, named));
    naming::inside(&piece.code, &fits).or_else(above)
}

/// Whether a file that a sentence names is the block below it. What speaks of the file, or is for a shell, is what is done with it:
/// "save it as `a.sh` and make it executable".
fn is_likely(piece: &Piece, language: Option<&str>, named: &Named) -> bool {
    let name = named.path.rsplit('/').next().unwrap_or(&named.path);
    let is_about = piece.code.contains(name);
    let is_for_shell =
        language.is_none() && super::unlabelled::looks_like(&piece.code) == Some(super::unlabelled::SHELL);
    named.saying == Saying::Title || !(is_about || is_for_shell)
}

/// Whether a file of this name can hold a block with this label.
fn fits(path: &str, label: &str, language: Option<&str>, reader: &dyn Reader) -> bool {
    let extension = naming::extension(path).unwrap_or_default().to_ascii_lowercase();
    if let Some(language) = language {
        let same = |one: &str| one == language || (is_shell(one) && is_shell(language));
        return reader.language(&extension).is_some_and(|one| same(&one));
    }
    match DATA.iter().find(|(known, _)| *known == label) {
        Some((_, [])) => path.to_lowercase().contains(label.trim_start_matches('.')),
        Some((_, extensions)) => extensions.contains(&extension.as_str()),
        None if label.is_empty() || PLAIN.contains(&label) => true,
        None if label == "html" => extension == "htm" || extension == "html",
        None => {
            extension == label
                || naming::is_known_extension(&extension)
                    && !OUTPUT.contains(&label)
                    && !PATCH.contains(&label)
        }
    }
}

fn name(case: &mut Case<'_>, named: Option<Named>) {
    let Some(named) = named else { return };
    if !naming::stays_inside(&named.path) {
        case.skip(format!(
            "the answer says that it is {}, which is not in the workspace",
            shown(&named.path)
        ));
        return;
    }
    // A sentence before a block that nobody labelled does not make it a file of any language.
    let is_sure = named.saying == Saying::Title || case.block.label.is_some();
    if is_sure || case.piece.label.is_none() {
        case.block.path = Some(named.path);
    }
}

fn shown(path: &str) -> String {
    path.chars().take(80).collect()
}

fn classify(case: &mut Case<'_>, (label, language): (&str, Option<&str>), form: AnswerForm) {
    match () {
        () if case.piece.is_patch => patches(case),
        () if case.piece.attributes.iter().any(|(name, _)| name == "lines") => {
            case.skip("it shows lines of an existing file");
        }
        () if SESSIONS.contains(&label) && language.is_none() => no_session(case),
        () if OUTPUT.contains(&label) => {
            held(case, Holds::Output, Stage::Settled, "it is output, which is never run")
        }
        () if PATCH.contains(&label) => patches(case),
        () if PAGE.contains(&label) => {
            held(case, Holds::Page, Stage::Plain, "it is a web page, which is not run")
        }
        () if DATA.iter().any(|(known, _)| *known == label) => {
            held(case, Holds::Data, Stage::Plain, "it is data or configuration, which is never run");
        }
        () if PLAIN.contains(&label) => {
            held(case, Holds::Unknown, Stage::Plain, "it is plain text, which is never run")
        }
        () if case.piece.kind == BlockKind::Text => {
            held(
                case,
                Holds::Unknown,
                Stage::Settled,
                "it is not marked as code, so its beginning and end are unclear",
            );
        }
        () if label.is_empty() && case.block.path.is_none() => unlabelled(case),
        () if language.is_some() => program(case, form),
        () if label.is_empty() => held(case, Holds::Unknown, Stage::Plain, "its language is not given"),
        () => {
            let why = format!("`{}` is not a known language", shown(label));
            held(case, Holds::Unknown, Stage::Plain, &why);
        }
    }
}

fn held(case: &mut Case<'_>, holds: Holds, stage: Stage, why: &str) {
    case.block.holds = holds;
    case.block.disposition = Disposition::Skip;
    case.block.why = why.to_owned();
    case.stage = stage;
}

fn patches(case: &mut Case<'_>) {
    case.block.holds = Holds::Patch;
    match patch::changes_of(&case.block.code) {
        Ok(changes) => {
            let names: Vec<String> = changes.iter().map(|change| shown(&change.path)).collect();
            match changes.iter().find(|change| !naming::stays_inside(&change.path)) {
                Some(out) => {
                    case.skip(format!("it changes {}, which is not in the workspace", shown(&out.path)))
                }
                None => {
                    case.block.path = None;
                    case.settle(Disposition::Apply, format!("it changes {}", names.join(", ")));
                }
            }
        }
        Err(error) => case.skip(format!("it shows changes, but is not a valid patch: {error}")),
    }
}

fn unlabelled(case: &mut Case<'_>) {
    if patch::is_one(&case.block.code) {
        return patches(case);
    }
    held(case, Holds::Unknown, Stage::Unlabelled, "its language is not given");
}

/// A block that is labelled with a language.
fn program(case: &mut Case<'_>, form: AnswerForm) {
    case.stage = Stage::Program;
    case.block.holds = if case.is_shell() { Holds::Commands } else { Holds::Program };
    layout::warn(case);
    if case.block.code.trim().is_empty() {
        return case.skip("it is empty");
    }
    if case.block.code.len() > whole::LONGEST {
        return case.skip(whole::too_long(case.block.code.len()));
    }
    if case.is_shell() {
        return shell(case);
    }
    if case.block.language == "python" {
        python(case, form);
    }
    layout::mend(case);
}

/// Labelled as a session, but without anything that can be typed here.
fn no_session(case: &mut Case<'_>) {
    if case.block.code.len() > whole::LONGEST {
        let why = whole::too_long(case.block.code.len());
        return held(case, Holds::Output, Stage::Settled, &why);
    }
    let why = match shell_prompts::read(&case.block.code, Root::MayType) {
        Session::Elsewhere(place) => format!("it is a session with {place}, which is not repeated"),
        Session::Commands(_) | Session::None => "it is output, which is never run".to_owned(),
    };
    held(case, Holds::Output, Stage::Settled, &why);
}

fn shell(case: &mut Case<'_>) {
    let is_session = case.block.label.as_deref().is_some_and(|label| SESSIONS.contains(&label));
    let root = if is_session { Root::MayType } else { Root::Comments };
    match shell_prompts::read(&case.block.code, root) {
        Session::Commands(mut examples) => {
            case.block.holds = Holds::ShellTranscript;
            // What is installed is prepared before, and says nothing then.
            let installs = examples.iter_mut().filter(|one| installs::is_in(&one.code));
            installs.for_each(|one| one.output.clear());
            typed(case, examples);
        }
        Session::Elsewhere(place) => {
            case.block.holds = Holds::ShellTranscript;
            return case.skip(format!("it is a session with {place}, which is not repeated"));
        }
        Session::None => {}
    }
    installs::take_out(case);
}

fn python(case: &mut Case<'_>, form: AnswerForm) {
    if let Some(examples) = prompts::interpreter(&case.block.code) {
        case.block.holds = Holds::ReplTranscript;
        typed(case, examples);
        return;
    }
    magics::take_out(case, form);
}

/// What was typed becomes the program, what was printed then is expected.
fn typed(case: &mut Case<'_>, examples: Vec<Example>) {
    let code: String = examples.iter().flat_map(|one| [one.code.as_str(), "\n"]).collect();
    let printed: String = examples.iter().map(|one| one.output.as_str()).collect();
    case.block.program = Some(code);
    case.block.expected = Some(printed).filter(|text| !text.trim().is_empty());
    case.block.examples = examples;
}

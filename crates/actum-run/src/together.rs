//! The blocks of an answer in one interpreter: what one defines, the next one has, and what fails does not stop the rest.
//!
//! Blocks of Python share the state of one interpreter; lines for a shell between them are run by it, at their place, in the
//! same sandbox and workspace. They become one program: a driver of ours (`together.py`) with the blocks as data, which is
//! prepared, attempted and mended like any other. Each block is read by itself, so one that is broken hides nothing of its
//! neighbours. The driver says on both streams where a block begins and ends; [`pieces`] takes the streams apart again.

use crate::extract::Part;
use crate::source::Code;
use actum_languages::recognise::Chosen;
use actum_model::{Completeness, Digest, Reading};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Several blocks that are one program.
#[derive(Debug)]
pub(crate) struct Together<'a> {
    /// The driver with the blocks in it.
    pub(crate) code: Code,
    pub(crate) chosen: Chosen<'a>,
    pub(crate) blocks: Vec<Joined>,
}

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct Joined {
    pub(crate) language: String,
    pub(crate) code: Vec<u8>,
}

/// What the blocks find in their namespace beside what they make themselves: these, and `Path`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Namespace {
    /// Names of Python with their values.
    pub variables: Vec<(String, String)>,
}

/// What one block printed, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Counted from 1.
    pub block: u32,
    pub language: String,
    /// First and last line in the answer.
    pub source: Option<[u64; 2]>,
    /// Its turn came.
    pub begun: bool,
    /// None where its end was never told: the interpreter ended with it, or before it.
    pub status: Option<u8>,
    /// What was left in the variables that are asked for.
    pub variables: BTreeMap<String, String>,
    /// First and last line of what it printed on stdout and stderr, counted from 1 in the whole stream.
    pub lines: [Option<[u64; 2]>; 2],
}

const DRIVER: &str = include_str!("together.py");

/// Variables in which code leaves the id of what it created elsewhere.
const ASKED: [&str; 2] = ["run_id", "mlflow_run_id"];

/// Parts that were joined, and which of them each one became.
#[derive(Debug)]
pub(crate) struct Joining<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    /// For each part as it was, its place now; both counted from 0.
    pub(crate) places: Vec<usize>,
}

/// The same parts, joined where that is asked for.
pub(crate) fn joined<'a>(parts: Vec<Part<'a>>, namespace: Option<&Namespace>) -> Joining<'a> {
    let is_python = |part: &Part<'_>| part.language() == "python" && matches!(part, Part::Program { .. });
    match namespace {
        Some(namespace) if parts.iter().any(is_python) => join(parts, namespace),
        Some(_) | None => Joining { places: (0..parts.len()).collect(), parts },
    }
}

/// Joins the blocks of Python, and the shell's between them. They stand where the first of them stood, behind every file that is
/// written; programs in other languages stay what they are.
fn join<'a>(parts: Vec<Part<'a>>, namespace: &Namespace) -> Joining<'a> {
    let mut places = vec![None; parts.len()];
    let (mut apart, mut joined, mut at) = (Vec::new(), Vec::new(), None);
    for (number, part) in parts.into_iter().enumerate() {
        match part {
            Part::Program { code, chosen }
                if matches!(chosen.language.name.as_str(), "python" | "bash" | "sh") =>
            {
                at.get_or_insert(apart.len());
                joined.push((code, *chosen));
            }
            edits @ Part::Edits(_) => {
                let before = at.unwrap_or(apart.len());
                apart.insert(before, (number, edits));
                at = at.map(|at| at + 1);
            }
            other @ (Part::Program { .. } | Part::Command(_) | Part::Together(_)) => {
                apart.push((number, other))
            }
        }
    }
    let together = together(joined, namespace).map(|together| Part::Together(Box::new(together)));
    let at = at.unwrap_or_default();
    for (place, (number, _)) in apart.iter().enumerate() {
        places[*number] = Some(if place < at { place } else { place + 1 });
    }
    let mut parts: Vec<Part<'a>> = apart.into_iter().map(|(_, part)| part).collect();
    parts.splice(at..at, together);
    Joining { parts, places: places.into_iter().map(|place| place.unwrap_or(at)).collect() }
}

/// What a block printed of a line behind which the driver says that the next one begins.
pub(crate) fn without_mark(line: &str) -> &str {
    line.split_once("--- actum: block ").map_or(line, |(printed, _)| printed)
}

fn together<'a>(joined: Vec<(Code, Chosen<'a>)>, namespace: &Namespace) -> Option<Together<'a>> {
    let lines = |pick: fn([u64; 2]) -> u64, code: Option<&(Code, Chosen<'_>)>| {
        code.and_then(|one| one.0.lines).map(pick)
    };
    let first = lines(|lines| lines[0], joined.first());
    let last = lines(|lines| lines[1], joined.last());
    let blocks: Vec<Value> = joined.iter().map(|(code, chosen)| block(code, &chosen.language.name)).collect();
    let variables: BTreeMap<&str, &str> =
        namespace.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let word = word(joined.iter().map(|(code, _)| code.bytes.as_slice()));
    let given = json!({"word": word, "blocks": blocks, "variables": variables, "asked": ASKED});
    let bytes = DRIVER.replace("GIVEN)", &format!("{})", literal(&given.to_string()))).into_bytes();
    let kept = joined
        .iter()
        .map(|(code, chosen)| Joined { language: chosen.language.name.clone(), code: code.bytes.clone() })
        .collect();
    let chosen =
        joined.into_iter().map(|(_, chosen)| chosen).find(|chosen| chosen.language.name == "python")?;
    let label = Some("python".to_owned());
    let code = Code { bytes, label, file: None, lines: first.zip(last).map(|(first, last)| [first, last]) };
    Some(Together { code, chosen, blocks: kept })
}

fn block(code: &Code, language: &str) -> Value {
    let first = code.lines.map_or(1, |lines| lines[0]);
    json!({"language": language, "first": first, "lines": code.lines, "code": String::from_utf8_lossy(&code.bytes)})
}

/// A word that stands for these blocks, so that a line which one of them prints is not taken for the driver's by chance.
fn word<'a>(codes: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for code in codes {
        hash.update((code.len() as u64).to_le_bytes());
        hash.update(code);
    }
    Digest::finish(hash).to_string()[..8].to_owned()
}

/// JSON as a text of Python: line ends are escaped in it already.
fn literal(json: &str) -> String {
    format!("\"{}\"", json.replace('\\', "\\\\").replace('"', "\\\""))
}

/// What several texts say together. One that is broken does not speak for the others.
pub(crate) fn merged(readings: Vec<Reading>) -> Reading {
    let mut whole = Reading::of("python");
    whole.complete = match readings.iter().any(|one| one.complete == Completeness::Complete) {
        true => Completeness::Complete,
        false => readings.first().map(|one| one.complete.clone()).unwrap_or_default(),
    };
    for one in readings {
        whole.installs.extend(one.installs);
        whole.commands.extend(one.commands);
        if one.language != "python" {
            continue;
        }
        whole.version = whole.version.take().or(one.version);
        whole.declared = whole.declared.take().or(one.declared);
        whole.imports.extend(one.imports);
        whole.names.extend(one.names);
        whole.files.extend(one.files);
        whole.variables.extend(one.variables);
        whole.stdin = whole.stdin.take().or(one.stdin);
        whole.seeds.extend(one.seeds);
        whole.unseeded.extend(one.unseeded);
        whole.gpu = whole.gpu.take().or(one.gpu);
        whole.network = whole.network.take().or(one.network);
        whole.display.extend(one.display);
        whole.service = whole.service.take().or(one.service);
        whole.effort.extend(one.effort);
        whole.magics.extend(one.magics);
        let unbound: Vec<String> =
            one.unbound.into_iter().filter(|name| !whole.defines.contains(name)).collect();
        whole.unbound.extend(unbound);
        whole.defines.extend(one.defines);
        whole.notes.extend(one.notes);
    }
    whole
}

/// What the driver says before the first block.
#[derive(Debug, Deserialize)]
struct Kind {
    language: String,
    lines: Option<[u64; 2]>,
}

/// What the driver says when a block ended.
#[derive(Debug, Deserialize)]
struct Ended {
    block: u32,
    status: u8,
    #[serde(default)]
    variables: BTreeMap<String, String>,
}

/// Takes what was printed apart by what the driver said. Nothing where it said nothing; of several attempts the last counts.
pub fn pieces(stdout: &str, stderr: &str) -> Vec<Piece> {
    let Some((begun, word, kinds)) = begun(stderr) else { return Vec::new() };
    let piece = |(kind, block): (Kind, u32)| Piece {
        block,
        language: kind.language,
        source: kind.lines,
        begun: false,
        status: None,
        variables: BTreeMap::new(),
        lines: [None, None],
    };
    let mut pieces: Vec<Piece> = kinds.into_iter().zip(1..).map(piece).collect();
    let mut begins = marks(stdout, |line| beginning(line, &word));
    // What an earlier attempt printed is before the last first block.
    let first = begins.iter().rposition(|(_, block)| *block == 1).unwrap_or(begins.len());
    begins.drain(..first);
    for (at, (line, block)) in begins.iter().enumerate() {
        let last = begins.get(at + 1).map_or_else(|| last_line(stdout), |(next, _)| next - 1);
        if let Some(piece) = piece_of(&mut pieces, *block) {
            piece.begun = true;
            piece.lines[0] = (*line < last).then_some([line + 1, last]);
        }
    }
    let mut before = begun;
    for (line, ended) in marks(stderr, |line| end(line, &word)).into_iter().filter(|(line, _)| *line > begun)
    {
        if let Some(piece) = piece_of(&mut pieces, ended.block) {
            piece.lines[1] = (before + 1 < line).then_some([before + 1, line - 1]);
            piece.status = Some(ended.status);
            piece.variables = ended.variables;
        }
        before = line;
    }
    // What the one that never ended said last.
    let last = last_line(stderr);
    if let Some(piece) = pieces.iter_mut().find(|piece| piece.status.is_none()) {
        piece.lines[1] = (before < last).then_some([before + 1, last]);
    }
    pieces
}

fn piece_of(pieces: &mut [Piece], block: u32) -> Option<&mut Piece> {
    pieces.get_mut(usize::try_from(block).ok()?.checked_sub(1)?)
}

/// Lines that say something to us, with their numbers.
fn marks<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Vec<(u64, T)> {
    text.lines().zip(1..).filter_map(|(line, number)| Some((number, read(line)?))).collect()
}

fn last_line(text: &str) -> u64 {
    text.lines().count() as u64
}

/// The last line that says what there is to do: its number, the word, the blocks.
fn begun(stderr: &str) -> Option<(u64, String, Vec<Kind>)> {
    let said = marks(stderr, |line| {
        let (_, rest) = line.split_once("--- actum: blocks ")?;
        let (word, kinds) = rest.strip_suffix(" ---")?.split_once(' ')?;
        Some((word.to_owned(), serde_json::from_str(kinds).ok()?))
    });
    said.into_iter().next_back().map(|(line, (word, kinds))| (line, word, kinds))
}

fn beginning(line: &str, word: &str) -> Option<u32> {
    // Behind what was printed without a line end, where that was.
    let (_, rest) = line.split_once("--- actum: block ")?;
    let (number, rest) = rest.split_once(" of ")?;
    (rest.strip_suffix(" ---")?.split_once(' ')?.1 == word).then(|| number.parse().ok())?
}

fn end(line: &str, word: &str) -> Option<Ended> {
    let (_, rest) = line.split_once("--- actum: ended ")?;
    let told = rest.strip_prefix(word)?.trim_start().strip_suffix(" ---")?;
    serde_json::from_str(told).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(word: &str, count: usize) -> String {
        let kinds = vec![r#"{"language": "python", "lines": [3, 4]}"#; count].join(", ");
        format!("--- actum: blocks {word} [{kinds}] ---\n")
    }

    #[test]
    fn streams_are_taken_apart_by_what_the_driver_said() {
        let stdout = "--- actum: block 1 of 3 ab ---\none\ntwo--- actum: block 2 of 3 ab ---\n--- actum: block 3 of 3 ab ---\nlast\n";
        let stderr = kinds("ab", 3)
            + "--- actum: ended ab {\"block\": 1, \"status\": 0, \"variables\": {\"run_id\": \"x\"}} ---\nTraceback\nBoom\n--- actum: ended ab {\"block\": 2, \"status\": 1} ---\nkilled\n";
        let found = pieces(stdout, &stderr);
        let told: Vec<_> = found.iter().map(|piece| (piece.block, piece.status, piece.lines)).collect();
        assert_eq!(
            told,
            [
                (1, Some(0), [Some([2, 2]), None]),
                (2, Some(1), [None, Some([3, 4])]),
                (3, None, [Some([5, 5]), Some([6, 6])]),
            ]
        );
        assert_eq!((found[0].variables["run_id"].as_str(), found[0].source), ("x", Some([3, 4])));
    }

    #[test]
    fn of_several_attempts_the_last_counts() {
        let stdout = "--- actum: block 1 of 2 ab ---\nold\n--- actum: block 2 of 2 ab ---\nold\n--- actum: block 1 of 2 ab ---\nnew\n";
        let ended = |block: u32, status: u8| {
            format!("--- actum: ended ab {{\"block\": {block}, \"status\": {status}}} ---\n")
        };
        let stderr = kinds("ab", 2) + &ended(1, 0) + &ended(2, 1) + &kinds("ab", 2) + "died\n";
        let found = pieces(stdout, &stderr);
        assert_eq!((found[0].status, found[0].lines), (None, [Some([6, 6]), Some([5, 5])]));
        assert_eq!((found[1].status, found[1].lines), (None, [None, None]));
        assert_eq!((found[0].begun, found[1].begun), (true, false));
    }

    #[test]
    fn another_s_marks_are_output() {
        let stdout = "--- actum: block 1 of 1 ab ---\n--- actum: block 1 of 9 cd ---\nx\n";
        let stderr = kinds("ab", 1) + "--- actum: ended cd {\"block\": 1, \"status\": 7} ---\n";
        let found = pieces(stdout, &stderr);
        assert_eq!((found.len(), found[0].status, found[0].lines[0]), (1, None, Some([2, 3])));
        assert!(pieces("hello\n", "").is_empty());
    }

    #[test]
    fn json_survives_python_s_quotes() {
        let given = json!({"a": "\"q\" \\n \n 'x' ü"}).to_string();
        let literal = literal(&given);
        assert!(!literal[1..literal.len() - 1].contains('\n'));
        let inner = literal[1..literal.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\");
        assert_eq!(inner, given);
    }

    #[test]
    fn a_broken_block_hides_nothing_of_its_neighbours() {
        let import = |module: &str| actum_model::Import {
            module: module.to_owned(),
            names: Vec::new(),
            line: 1,
            kind: actum_model::ImportKind::Plain,
            via: "import".to_owned(),
        };
        let good = Reading { imports: vec![import("mlflow")], ..Reading::of("python") };
        let wrong = Completeness::Truncated { line: 1, why: "x".to_owned() };
        let broken = Reading { complete: wrong, imports: vec![import("torch")], ..Reading::of("python") };
        let whole = merged(vec![broken, good]);
        assert_eq!(whole.complete, Completeness::Complete);
        let modules: Vec<&str> = whole.imports.iter().map(|one| one.module.as_str()).collect();
        assert_eq!(modules, ["torch", "mlflow"]);
    }

    proptest! {
        #[test]
        fn no_output_makes_it_panic(
            out in "(--- actum: block [0-9]{1,12} of [0-9]{1,12} [a-z]{0,2} ---\n|.{0,9}\n){0,8}",
            err in "(--- actum: (blocks|ended) [a-z]{0,2} (\\[\\]|\\{\\}|.{0,20}) ---\n|.{0,9}\n){0,8}",
        ) {
            for piece in pieces(&out, &err) {
                for lines in piece.lines.into_iter().flatten() {
                    prop_assert!(lines[0] <= lines[1] && lines[0] >= 1);
                }
            }
        }
    }
}

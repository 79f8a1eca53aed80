//! From what is to be done with an answer to the parts of a run: files are written before what uses them, blocks that go on with
//! one another become one program, and what the answer says about packages and output goes with it.

use crate::edit::Edit;
use crate::error::RunError;
use crate::extract::Part;
use crate::source::Code;
use actum_answers::{Deed, Start};
use actum_languages::Languages;
use actum_languages::recognise::Unlabelled;
use actum_model::{Block, BlockKind, Install, PackageWish};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What an answer comes to.
#[derive(Debug, Default)]
pub(crate) struct Taken<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    /// Packages that it says are to be installed. A wish, no more: whoever prepares judges them.
    pub(crate) installs: Vec<Install>,
    /// What it says that its parts print, in order.
    pub(crate) printed: Vec<Printed>,
}

/// What a part is said to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printed {
    /// Counted from 1.
    pub(crate) part: u32,
    pub(crate) text: String,
    /// Where the answer says so.
    pub(crate) lines: [u64; 2],
}

/// What becomes of a block that goes on with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoingOn {
    /// They are one program.
    OneProgram,
    /// Each stays what it is: whoever asked puts them together.
    Apart,
}

/// Takes the blocks for what was decided about them. `folder` is where programs start.
pub(crate) fn take<'a>(
    blocks: &[Block],
    languages: &'a Languages,
    folder: &Path,
    going_on: GoingOn,
) -> Result<Taken<'a>, RunError> {
    let (edits, within, taken) = (Vec::new(), HashMap::new(), Taken::default());
    let mut taking = Taking { blocks, languages, folder, going_on, edits, open: None, within, taken };
    let mut said = Vec::new();
    for deed in actum_answers::deeds(blocks) {
        match deed {
            Deed::Require { block, wish } => taking.wish(block, wish),
            Deed::Write { block, path, text } => taking.edit(block, Some(path.into()), text),
            Deed::Apply { block, patch } => taking.edit(block, None, patch),
            Deed::Run(start) => taking.run(start)?,
            Deed::Expect { block, of, output } => said.push((block, of, output)),
        }
    }
    taking.close()?;
    taking.flush();
    for (block, of, output) in said {
        taking.expect(block, of, output);
    }
    Ok(taking.taken)
}

/// Why nothing of an answer is run.
pub(crate) fn nothing(blocks: &[Block]) -> String {
    match blocks {
        [] => "it contains no code block".to_owned(),
        [one] => format!("its only code block is skipped: {}", one.why),
        [first, rest @ ..] => {
            format!("all {} code blocks are skipped; the first one: {}", rest.len() + 1, first.why)
        }
    }
}

struct Taking<'a, 'f> {
    blocks: &'f [Block],
    languages: &'a Languages,
    folder: &'f Path,
    going_on: GoingOn,
    /// Written at once, before the program that follows.
    edits: Vec<Edit>,
    /// A program that the next block may go on with.
    open: Option<Open>,
    /// The part that each block is in, counted from 1.
    within: HashMap<u32, u32>,
    taken: Taken<'a>,
}

/// A program of one block or several.
struct Open {
    start: Start,
    lines: [u64; 2],
    /// Those of its code, counted as it grows.
    line_ends: u64,
}

impl Taking<'_, '_> {
    fn lines(&self, block: u32) -> [u64; 2] {
        self.block(block).map(|one| one.lines).unwrap_or_default()
    }

    /// They are counted from 1, in their order.
    fn block(&self, number: u32) -> Option<&Block> {
        self.blocks.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The lines of the code itself, without its fences.
    fn inside(&self, blocks: &[u32], [first, last]: [u64; 2]) -> [u64; 2] {
        let is_fenced = |block: &u32| self.block(*block).is_some_and(|block| block.kind == BlockKind::Fence);
        let fence = u64::from(blocks.iter().any(is_fenced));
        [first + fence, last.saturating_sub(fence).max(first + fence)]
    }

    fn wish(&mut self, block: u32, wish: PackageWish) {
        let line = u32::try_from(self.lines(block)[0]).unwrap_or(u32::MAX);
        let PackageWish { tool, package } = wish;
        self.taken.installs.push(Install { package, tool, via: "answer".to_owned(), line });
    }

    fn edit(&mut self, block: u32, path: Option<PathBuf>, text: String) {
        let lines = Some(self.lines(block));
        let code = Code { bytes: text.into_bytes(), label: None, file: None, lines };
        self.edits.push(Edit { path, code });
    }

    fn run(&mut self, start: Start) -> Result<(), RunError> {
        let lines = start.blocks.first().map(|block| self.lines(*block)).unwrap_or_default();
        // What was to be written in between has to be there first.
        let is_next = self.edits.is_empty() && self.going_on == GoingOn::OneProgram;
        match self.open.as_mut().filter(|open| is_next && open.goes_on_with(&start)) {
            Some(open) => open.go_on(start, lines),
            None => {
                self.close()?;
                self.flush();
                self.open = Some(Open::of(start, lines));
            }
        }
        Ok(())
    }

    /// The program that is open is whole.
    fn close(&mut self) -> Result<(), RunError> {
        let Some(Open { start, lines, .. }) = self.open.take() else { return Ok(()) };
        let Start { blocks, language, code, path, .. } = start;
        let (bytes, path) = (code.into_bytes(), path.map(PathBuf::from));
        let unlabelled = Unlabelled { name: path.as_deref(), code: &bytes };
        let chosen = self.languages.choose(Some(&language), unlabelled)?;
        let is_compiled = chosen.language.runtimes.iter().any(|runtime| runtime.compiling.is_some());
        // What is compiled is compiled from its text: the file is only there when it runs.
        let file = path.filter(|_| !is_compiled).map(|path| self.folder.join(path));
        let lines = match self.going_on {
            GoingOn::OneProgram => lines,
            GoingOn::Apart => self.inside(&blocks, lines),
        };
        let code = Code { bytes, label: Some(language), file, lines: Some(lines) };
        self.taken.parts.push(Part::Program { code, chosen: Box::new(chosen) });
        let part = u32::try_from(self.taken.parts.len()).unwrap_or(u32::MAX);
        self.within.extend(blocks.into_iter().map(|block| (block, part)));
        Ok(())
    }

    fn flush(&mut self) {
        if !self.edits.is_empty() {
            self.taken.parts.push(Part::Edits(std::mem::take(&mut self.edits)));
        }
    }

    fn expect(&mut self, block: u32, of: u32, text: String) {
        let lines = self.lines(block);
        if let Some(part) = self.within.get(&of).copied() {
            self.taken.printed.push(Printed { part, text, lines });
        }
    }
}

impl Open {
    fn of(start: Start, lines: [u64; 2]) -> Self {
        let line_ends = line_ends(&start.code);
        Self { start, lines, line_ends }
    }

    fn goes_on_with(&self, next: &Start) -> bool {
        let (this, next_path) = (&self.start, next.path.is_some());
        next.session.is_some() && this.session == next.session && this.language == next.language && !next_path
    }

    /// Lines keep their distance from one another as in the answer, so that what a program says about a line can be found there.
    fn go_on(&mut self, next: Start, lines: [u64; 2]) {
        let code = &mut self.start.code;
        if !code.is_empty() && !code.ends_with('\n') {
            code.push('\n');
            self.line_ends += 1;
        }
        let away = lines[0].saturating_sub(self.lines[0]);
        if matches!(self.start.language.as_str(), "bash" | "sh") && self.line_ends < away {
            // As with programs of their own: behind one that failed, none is run.
            code.push_str("(exit $?) || exit\n");
            self.line_ends += 1;
        }
        let missing = away.saturating_sub(self.line_ends);
        code.extend(std::iter::repeat_n('\n', missing as usize));
        code.push_str(&next.code);
        self.line_ends += missing + line_ends(&next.code);
        self.lines[1] = lines[1];
        self.start.blocks.extend(next.blocks);
    }
}

fn line_ends(code: &str) -> u64 {
    code.bytes().filter(|byte| *byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Disposition, Holds};

    fn block(index: u32, language: &str, code: &str, lines: [u64; 2]) -> Block {
        Block {
            index,
            language: language.to_owned(),
            code: code.to_owned(),
            lines,
            disposition: Disposition::Run,
            holds: Holds::Program,
            ..Block::default()
        }
    }

    fn taken(blocks: &[Block]) -> Vec<(String, String)> {
        let languages = Languages::builtin();
        let taken = take(blocks, &languages, Path::new("/w"), GoingOn::OneProgram).unwrap();
        let shown = |part: &Part<'_>| match part {
            Part::Edits(edits) => ("edits".to_owned(), edits.len().to_string()),
            Part::Command(_) | Part::Together(_) => ("command".to_owned(), String::new()),
            Part::Program { code, chosen } => {
                (chosen.language.name.clone(), String::from_utf8_lossy(&code.bytes).into_owned())
            }
        };
        taken.parts.iter().map(shown).collect()
    }

    #[test]
    fn blocks_that_go_on_are_one_program_with_the_answer_s_distances() {
        let mut one = block(1, "python", "a = 1\n", [3, 5]);
        let mut two = block(2, "python", "print(a)\n", [8, 10]);
        (one.session, two.session) = (Some(1), Some(1));
        assert_eq!(
            taken(&[one.clone(), two.clone()]),
            [("python".to_owned(), "a = 1\n\n\n\n\nprint(a)\n".to_owned())]
        );
        two.session = None;
        assert_eq!(taken(&[one, two]).len(), 2);
    }

    #[test]
    fn behind_a_line_of_a_shell_that_failed_none_is_run() {
        let mut one = block(1, "bash", "cd x\n", [1, 3]);
        let mut two = block(2, "bash", "ls\n", [5, 7]);
        (one.session, two.session) = (Some(1), Some(1));
        assert_eq!(taken(&[one, two]), [("bash".to_owned(), "cd x\n(exit $?) || exit\n\n\nls\n".to_owned())]);
    }

    #[test]
    fn files_come_first_and_together() {
        let mut one = block(1, "python", "x = 1\n", [1, 3]);
        let mut two = block(2, "python", "y = 1\n", [5, 7]);
        for (file, name) in [(&mut one, "a.py"), (&mut two, "b.py")] {
            (file.disposition, file.path) = (Disposition::File, Some(name.to_owned()));
        }
        let run = block(3, "python", "import a, b\n", [9, 11]);
        assert_eq!(
            taken(&[one, two, run]),
            [("edits".to_owned(), "2".to_owned()), ("python".to_owned(), "import a, b\n".to_owned())]
        );
    }

    #[test]
    fn lines_of_a_program_are_counted_as_it_grows() {
        let one = |number: u32| {
            let first = u64::from(number) * 9;
            let code = if number.is_multiple_of(2) { "a\r\nb" } else { "\n\n\nc\n" };
            Block { session: Some(1), ..block(number, "bash", code, [first, first + 5]) }
        };
        let blocks: Vec<Block> = (1..10_000).map(one).collect();
        let begun = std::time::Instant::now();
        let [(_, code)] = taken(&blocks).try_into().unwrap();
        assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
        // Each block begins as far behind the first as in the answer.
        let lines: Vec<&str> = code.lines().collect();
        let begins = (1..9_999).step_by(2).map(|number| number * 9);
        assert!(begins.into_iter().all(|line| lines[line] == "a" && lines[line + 1] == "b"));
    }
}

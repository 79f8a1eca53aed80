//! What is done with an answer, in order: the files first that somebody needs, then everything where it stands.

use actum_model::{Block, Disposition, Example, Holds, PackageWish};
use std::collections::HashMap;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// A package that the answer says is needed. Whether it is installed is for the policy to say.
    Require { block: u32, wish: PackageWish },
    /// Write a file of the workspace.
    Write { block: u32, path: String, text: String },
    /// Change files of the workspace: see [`changes_of`](crate::changes_of).
    Apply { block: u32, patch: String },
    /// Run a program.
    Run(Start),
    /// What the last run of this block is said to print.
    Expect { block: u32, of: u32, output: String },
}

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The block that it is; several where they are one program in parts.
    pub blocks: Vec<u32>,
    pub language: String,
    pub code: String,
    /// The file that it was written to by a deed before.
    pub path: Option<String>,
    /// The first block of those that share an interpreter: Python, or a shell.
    pub session: Option<u32>,
    /// What was typed one by one, and what was printed then.
    pub examples: Vec<Example>,
}

/// Languages in which an interpreter can be kept between blocks; of others, parts are put together.
const KEPT: [&str; 3] = ["python", "bash", "sh"];

/// Puts what is to be done into order: what is needed, then files, changes and programs as they stand. A file is written where it
/// stands, unless something before it needs it: so all files come before the first program.
pub fn deeds(blocks: &[Block]) -> Vec<Deed> {
    let mut deeds: Vec<Deed> = blocks.iter().flat_map(required).collect();
    deeds.extend(blocks.iter().filter_map(written));
    let mut begun = HashMap::new();
    for block in blocks {
        match block.disposition {
            Disposition::Run => run(block, &mut deeds, &mut begun),
            Disposition::Apply => {
                deeds.push(Deed::Apply { block: block.index, patch: block.text().to_owned() })
            }
            Disposition::Expect => expect(block, &mut deeds),
            Disposition::File | Disposition::Skip => {}
        }
    }
    deeds
}

fn required(block: &Block) -> impl Iterator<Item = Deed> {
    let is_meant = block.disposition != Disposition::Skip || block.holds == Holds::Installation;
    let index = block.index;
    block
        .requirements
        .iter()
        .filter(move |_| is_meant)
        .map(move |wish| Deed::Require { block: index, wish: wish.clone() })
}

fn written(block: &Block) -> Option<Deed> {
    let is_file = matches!(block.disposition, Disposition::File | Disposition::Run);
    let path = block.path.clone().filter(|_| is_file)?;
    Some(Deed::Write { block: block.index, path, text: block.text().to_owned() })
}

/// `begun` holds where the program of each session is among the deeds.
fn run(block: &Block, deeds: &mut Vec<Deed>, begun: &mut HashMap<u32, usize>) {
    let is_kept = KEPT.contains(&block.language.as_str());
    if let Some(first) = block.session.filter(|_| !is_kept) {
        let at = *begun.entry(first).or_insert(deeds.len());
        if let Some(Deed::Run(start)) = deeds.get_mut(at) {
            start.blocks.push(block.index);
            start.code.push_str(block.text());
            return;
        }
    }
    deeds.push(Deed::Run(Start {
        blocks: vec![block.index],
        language: block.language.clone(),
        code: block.text().to_owned(),
        path: block.path.clone(),
        session: block.session.filter(|_| is_kept),
        examples: block.examples.clone(),
    }));
    deeds.extend(shown(block));
}

/// What a block itself shows of what it prints. Of a transcript each output stands by itself: what is typed between two of them may
/// print more than was thought worth showing.
fn shown(block: &Block) -> impl Iterator<Item = Deed> {
    let expect =
        |output: &String| Deed::Expect { block: block.index, of: block.index, output: output.clone() };
    let apart = block.examples.iter().map(|one| &one.output).filter(|output| !output.is_empty()).map(expect);
    let whole = block.expected.iter().filter(|_| block.examples.is_empty()).map(expect);
    apart.chain(whole)
}

fn expect(block: &Block, deeds: &mut Vec<Deed>) {
    if let Some(of) = block.output_of {
        deeds.push(Deed::Expect { block: block.index, of, output: block.text().to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_output_of_a_transcript_is_expected_by_itself() {
        let example = |code: &str, output: &str| Example { code: code.to_owned(), output: output.to_owned() };
        let block = Block {
            index: 1,
            language: "bash".to_owned(),
            disposition: Disposition::Run,
            examples: vec![example("a", "1\n"), example("b", ""), example("c", "2\n")],
            expected: Some("1\n2\n".to_owned()),
            ..Block::default()
        };
        let outputs = |block: &Block| -> Vec<String> {
            let output = |deed: Deed| match deed {
                Deed::Expect { output, .. } => Some(output),
                Deed::Require { .. } | Deed::Write { .. } | Deed::Apply { .. } | Deed::Run(_) => None,
            };
            deeds(std::slice::from_ref(block)).into_iter().filter_map(output).collect()
        };
        assert_eq!(outputs(&block), ["1\n", "2\n"]);
        assert_eq!(outputs(&Block { examples: Vec::new(), ..block }), ["1\n2\n"]);
    }
}

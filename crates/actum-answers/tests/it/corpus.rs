//! Every case of the corpus comes out as it says.

use crate::expectation;
use crate::reader::Direct;
use actum_answers::{Hint, extract};

#[test]
fn every_case_comes_out_as_it_says() {
    let cases = expectation::all();
    let mut wrong = Vec::new();
    for case in &cases {
        let told: Vec<String> = match extract(&case.answer, Hint::File(&case.file), &mut Direct::default()) {
            Ok(found) => {
                let lines = found.blocks.iter().enumerate();
                lines.map(|(at, block)| expectation::told(block, case.expected.get(at))).collect()
            }
            Err(error) => vec![format!("error {error}")],
        };
        if told != case.expected {
            let (expected, told) = (case.expected.join("\n    "), told.join("\n    "));
            wrong.push(format!("{}\n  expected\n    {expected}\n  found\n    {told}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(cases.len() >= 150, "only {} cases", cases.len());
}

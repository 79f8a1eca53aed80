//! Inputs that mean harm: whatever they are, reading ends, and the work grows as the input does.

use crate::reader::Direct;
use actum_answers::{Hint, decide, deeds, extract, read};
use proptest::prelude::*;

/// Pieces of which hostile answers are made.
const SHAPES: &[&str] = &[
    "`",
    "```\n",
    "```python\nx\n```\n",
    "> ",
    "- ",
    "1. ",
    "    x\n",
    "<!--",
    "<pre>",
    "<a<a",
    "[",
    "![",
    "](",
    "*_",
    "\\",
    "&amp;",
    "<think>\n",
    "{\"a\":",
    "[{\"a\":1},",
    "\"\\u",
    "~~~",
    "```python\n'''\n```\n",
    "#",
    "|a|\n",
    "\t",
    "é",
    "$ ls\n",
];

#[test]
fn the_work_grows_as_the_input_does() {
    // Not by the clock, which other work disturbs: what a reader is asked about is counted, and every shape must come to an end.
    for shape in SHAPES {
        let asked = |count: usize| {
            let text = shape.repeat(count);
            let mut reader = Direct::default();
            if let Ok(answer) = read(text.as_bytes(), Hint::Nothing) {
                let blocks = decide(&answer, &mut reader);
                let _ = deeds(&blocks);
            }
            reader.bytes
        };
        let (once, twice) = (asked(400), asked(800));
        assert!(twice <= once * 3 + 20_000, "{shape:?}: {once} bytes were asked about, then {twice}");
    }
}

#[test]
fn however_many_blocks_there_are_a_reader_is_asked_few_times() {
    let pieces: [fn(usize) -> String; 6] = [
        |number| format!("```\nprint({number})\n```\n"),
        |number| format!("```\nconst a = f({number});\nconsole.log(a);\n```\n"),
        |number| format!("```py\nprint({number})\nprint(\n```\n"),
        |number| format!("```pycon\n>>> {number}\n{number}\n```\n"),
        |number| format!("```console\n$ a{number}\nb\n```\n"),
        |number| format!("```py\nx = {number}\n'''\n```\n"),
    ];
    for piece in pieces {
        let text: String = (0..1000).map(piece).collect();
        let mut reader = Direct::default();
        let found = extract(text.as_bytes(), Hint::File("a.md"), &mut reader).unwrap();
        assert!(found.blocks.len() > 100, "{}", found.blocks.len());
        assert!(reader.calls <= 40, "{} times: {:?}", reader.calls, &text[..40]);
    }
}

#[test]
fn programs_that_are_cut_are_not_read_many_times() {
    // Half a megabyte that is cut would be read a dozen times to find what is whole of it.
    let cut = |lines: usize| format!("```python\n{}print(\n```\n", "print(1)\n".repeat(lines));
    let mut reader = Direct::default();
    let long = cut(40_000);
    extract(long.as_bytes(), Hint::File("a.md"), &mut reader).unwrap();
    assert!(reader.bytes < 2 * long.len(), "{} of {}", reader.bytes, long.len());
    // One of ordinary length is.
    let found = extract(cut(50).as_bytes(), Hint::File("a.md"), &mut Direct::default()).unwrap();
    assert!(found.blocks[0].left_out.is_some(), "{}", found.blocks[0].why);
}

#[test]
fn of_more_blocks_than_any_answer_has_the_rest_is_told_and_left() {
    let message = |number| format!("{{\"role\":\"assistant\",\"content\":\"```text\\n{number}\\n```\"}}\n");
    let texts = [
        ("a.md", "```text\nx\n```\n".repeat(20_001)),
        ("a.html", "<pre>x</pre>\n".repeat(20_001)),
        ("a.jsonl", (0..20_001).map(message).collect()),
    ];
    for (name, text) in texts {
        let found = extract(text.as_bytes(), Hint::File(name), &mut Direct::default()).unwrap();
        assert_eq!(found.blocks.len(), 20_000, "{name}");
        assert!(found.notes.iter().any(|note| note.contains("more than 20000 blocks")), "{:?}", found.notes);
    }
}

#[test]
fn of_more_code_than_any_answer_has_the_rest_is_left() {
    let text = format!("```julia\n{}```\n", "# a\n".repeat(400_000)).repeat(3);
    let mut reader = Direct::default();
    let found = extract(text.as_bytes(), Hint::File("a.md"), &mut reader).unwrap();
    assert!(found.blocks[2].why.contains("too much code"), "{}", found.blocks[2].why);
    assert!(reader.bytes <= 4 << 20);
}

#[test]
fn ten_thousand_blocks_and_a_line_of_a_megabyte() {
    let many = "Say:\n\n```text\nx\n```\n\n".repeat(10_000);
    let found = extract(many.as_bytes(), Hint::File("a.md"), &mut Direct::default()).unwrap();
    assert_eq!(found.blocks.len(), 10_000);
    assert_eq!(found.blocks[9_999].lines, [9_999 * 6 + 3, 9_999 * 6 + 5]);
    let long = format!("```python\nx = '{}'\nprint(len(x))\n```\n", "a".repeat(1 << 20));
    assert_eq!(extract(long.as_bytes(), Hint::Nothing, &mut Direct::default()).unwrap().blocks.len(), 1);
}

#[test]
fn a_block_that_is_too_long_is_left_alone() {
    let long = format!("```python\n{}```\n", "x = 1\n".repeat(1 << 20));
    let found = extract(long.as_bytes(), Hint::Nothing, &mut Direct::default()).unwrap();
    assert!(found.blocks[0].why.contains("too long"), "{}", found.blocks[0].why);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400), name in "(a.md|a.ipynb|a.html|a.jsonl|a.txt|)") {
        let _ = extract(&bytes, Hint::File(&name), &mut Direct::default());
    }

    #[test]
    fn any_answer_is_read(pieces in proptest::collection::vec(0..SHAPES.len(), 0..40), words in "[a-z .:\n`]{0,60}") {
        let text: String = pieces.iter().map(|piece| SHAPES[*piece]).collect::<String>() + &words;
        for name in ["a.md", "a.html", "a.jsonl", "a.ipynb", "a.txt"] {
            if let Ok(found) = extract(text.as_bytes(), Hint::File(name), &mut Direct::default()) {
                let last = text.lines().count() as u64 + 1;
                for (block, index) in found.blocks.iter().zip(1..) {
                    prop_assert_eq!(block.index, index);
                    prop_assert!(block.lines[0] <= block.lines[1] && block.lines[1] <= last, "{:?}", block.lines);
                    prop_assert!(!block.why.is_empty());
                }
                let _ = deeds(&found.blocks);
            }
        }
    }
}

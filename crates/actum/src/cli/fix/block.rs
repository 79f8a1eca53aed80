//! A block at the head of a program that says what it needs (PEP 723). Comments, so the program itself stays what it is.

use super::requirements::pins;
use actum_model::PreparedFacts;
use actum_prepare::bare as name_of;

const BEGIN: &str = "# /// script";
const END: &str = "# ///";

/// The program with the block: a new one, or the one that it has with what is missing.
pub(super) fn with(text: &str, prepared: &PreparedFacts) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let begin = lines.iter().position(|line| line.trim_end() == BEGIN);
    let end = begin.and_then(|begin| {
        let after = lines[begin + 1..].iter().position(|line| line.trim_end() == END)?;
        Some(begin + 1 + after)
    });
    match (begin, end) {
        (Some(begin), Some(end)) => {
            let inside = added(&lines[begin + 1..end].concat(), prepared);
            [&lines[..=begin].concat(), &inside, &lines[end..].concat()].map(String::as_str).concat()
        }
        (Some(_), None) | (None, _) => {
            let head = head_lines(&lines);
            [lines[..head].concat(), fresh(prepared), lines[head..].concat()].concat()
        }
    }
}

/// The first line names the interpreter, the first two may name the encoding: these stay where they are.
fn head_lines(lines: &[&str]) -> usize {
    let is_head = |(at, line): &(usize, &&str)| {
        (*at == 0 && line.starts_with("#!")) || (line.starts_with('#') && line.contains("coding"))
    };
    lines.iter().enumerate().take(2).take_while(is_head).count()
}

fn fresh(prepared: &PreparedFacts) -> String {
    let mut block = format!("{BEGIN}\n# dependencies = [\n");
    for pin in pins(prepared) {
        block.push_str(&format!("#     \"{pin}\",\n"));
    }
    block.push_str("# ]\n");
    if let Some(day) = &prepared.newest {
        block.push_str(&format!("#\n# [tool.uv]\n# exclude-newer = \"{day}T00:00:00Z\"\n"));
    }
    block.push_str(&format!("{END}\n"));
    block
}

/// The lines of a block with packages that it lacks, in front of the end of its list.
fn added(inside: &str, prepared: &PreparedFacts) -> String {
    let said: Vec<String> = inside.split('"').skip(1).step_by(2).map(name_of).collect();
    let missing: Vec<String> =
        pins(prepared).into_iter().filter(|pin| !said.contains(&name_of(pin))).collect();
    if missing.is_empty() {
        return inside.to_owned();
    }
    let quoted = |indent: &str| missing.iter().map(|pin| format!("{indent}\"{pin}\",\n")).collect::<String>();
    let Some(at) = inside.find("dependencies") else {
        return format!("# dependencies = [\n{}# ]\n{inside}", quoted("#     "));
    };
    let Some(close) = inside[at..].find(']').map(|close| at + close) else { return inside.to_owned() };
    let is_own_line = inside[..close].rsplit('\n').next().is_some_and(|line| line.trim() == "#");
    if is_own_line {
        let line = inside[..close].rfind('\n').map_or(0, |end| end + 1);
        let comma = if inside[..line].trim_end().ends_with(['[', ',']) { "" } else { "," };
        let before = inside[..line].trim_end();
        return format!("{before}{comma}\n{}{}", quoted("#     "), &inside[line..]);
    }
    let list: Vec<String> = missing.iter().map(|pin| format!("\"{pin}\"")).collect();
    let comma = if inside[..close].trim_end().ends_with(['[', ',']) { "" } else { ", " };
    format!("{}{comma}{}{}", &inside[..close], list.join(", "), &inside[close..])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use actum_model::{Digest, EnvironmentPlan, LockedPackage};

    pub(in super::super) fn prepared() -> PreparedFacts {
        let locked =
            |name: &str, version: &str| LockedPackage { name: name.to_owned(), version: version.to_owned() };
        PreparedFacts {
            plan: EnvironmentPlan::Imports,
            tool: "uv 0.13.7".to_owned(),
            lock: Digest([0; 32]),
            cached: true,
            took: None,
            newest: None,
            requirements: vec!["numpy<3".to_owned(), "opencv_python_headless".to_owned()],
            packages: vec![
                locked("numpy", "2.3.5"),
                locked("opencv-python-headless", "4.13.0"),
                locked("tzdata", "2026.1"),
            ],
            notes: Vec::new(),
            data: Vec::new(),
        }
    }

    const WHOLE: &str = "# /// script\n# dependencies = [\n#     \"numpy==2.3.5\",\n#     \"opencv-python-headless==4.13.0\",\n# ]\n# ///\n";

    #[test]
    fn a_program_without_a_block_gets_one_below_its_first_line() {
        assert_eq!(with("import cv2\n", &prepared()), format!("{WHOLE}import cv2\n"));
        let text = "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nimport cv2\n";
        let head = "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n";
        assert_eq!(with(text, &prepared()), format!("{head}{WHOLE}import cv2\n"));
        let dated = PreparedFacts { newest: Some("2024-06-18".to_owned()), ..prepared() };
        assert!(
            with("", &dated).contains("# [tool.uv]\n# exclude-newer = \"2024-06-18T00:00:00Z\"\n# ///\n")
        );
    }

    #[test]
    fn a_block_gets_what_it_lacks() {
        for list in ["[\n#     \"numpy\",\n# ]", "[\n#     \"numpy\"\n# ]", "[\"numpy\"]", "[\"numpy\", ]"] {
            let text = format!("# /// script\n# dependencies = {list}\n# ///\nimport cv2\n");
            let after = with(&text, &prepared());
            assert!(
                after.contains("\"numpy\"") && after.contains("\"opencv-python-headless==4.13.0\""),
                "{after}"
            );
            assert!(after.ends_with("# ///\nimport cv2\n"), "{after}");
            assert_eq!(with(&after, &prepared()), after);
        }
        let bare = "# /// script\n# requires-python = \">=3.11\"\n# ///\n";
        assert!(with(bare, &prepared()).starts_with("# /// script\n# dependencies = [\n"));
    }
}

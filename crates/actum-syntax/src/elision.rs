//! Comments in which an author says that something is left out, in any language.

/// Whether a comment at an offset of a text stands for code that is not there. Behind code it speaks of that code.
pub(crate) fn stands_for_code(text: &str, at: usize, comment: &str) -> bool {
    let begin = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let is_alone = text[begin..at].trim().is_empty();
    is_alone && (says_left_out(comment) || (is_invitation(comment) && is_last_in_block(text, at, comment)))
}

/// Whether nothing but the end of its block follows a comment.
fn is_last_in_block(text: &str, at: usize, comment: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let begin = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let after = text.get(at + comment.len()..).unwrap_or("");
    let next = after.lines().skip(1).find(|line| !line.trim().is_empty());
    next.is_none_or(|line| indent(line) < at - begin || matches!(line.trim(), "pass" | "..."))
}

/// Words that stand for code which is not there.
const STAND_IN: [&str; 14] = [
    "rest of the code",
    "rest of your code",
    "rest of code",
    "rest of the function",
    "rest of the class",
    "rest of the implementation",
    "rest of the script",
    "rest of the program",
    "rest of the file",
    "rest unchanged",
    "rest remains",
    "remaining code",
    "code omitted",
    "omitted for brevity",
];

/// Whether a comment leaves something to the reader: `your training logic here`. Such comments stay behind when the code
/// has been written.
fn is_invitation(comment: &str) -> bool {
    let words = comment.to_lowercase();
    let words = words.trim_end_matches(['*', '/', ' ', '.', '\n']);
    let yours = words.find("your ").map(|at| &words[at..]);
    let is_code = |words: &str| ["code", "logic", "implementation"].iter().any(|noun| words.contains(noun));
    words.ends_with("implementation goes here")
        || yours.is_some_and(|yours| {
            is_code(yours) && (yours.ends_with("here") || yours.starts_with("your existing"))
        })
}

/// Words that stand for it when dots are beside them.
const WITH_DOTS: [&str; 9] =
    ["existing", "previous", "same", "other", "unchanged", "remaining", "as before", "more", "rest"];

/// Whether a comment stands for code that is not there.
fn says_left_out(comment: &str) -> bool {
    let words = comment
        .trim_start_matches(['#', '/', '*', '-', ' '])
        .trim_end_matches(['*', '/', ' '])
        .to_lowercase();
    if STAND_IN.iter().any(|phrase| words.contains(phrase)) || words.starts_with("rest of ") {
        return true;
    }
    let begins = words.starts_with("...") || words.starts_with('…') || words.starts_with("[...");
    let bare = words.trim_matches(['.', '…', ' ', '[', ']', '(', ')']);
    if begins && bare.is_empty() {
        return true;
    }
    let ends = words.ends_with("...") || words.ends_with('…');
    let speaks = bare
        .split(|letter: char| !letter.is_alphanumeric() && letter != ' ')
        .any(|part| WITH_DOTS.iter().any(|phrase| format!(" {part} ").contains(&format!(" {phrase} "))));
    (begins && (ends || speaks)) || (ends && speaks && bare.contains("code"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_stand_for_code() {
        for comment in [
            "# ... rest of the code",
            "# ...",
            "# … existing code …",
            "# ... (previous code) ...",
            "# Rest of your code here",
            "# [... other methods unchanged ...]",
            "# existing code...",
            "# (code omitted for brevity)",
            "# rest of func1",
            "// ... existing code ...",
            "/* rest of the function */",
            "-- ...",
        ] {
            assert!(says_left_out(comment), "{comment}");
        }
        for comment in [
            "# read the file",
            "# Loading...",
            "# TODO: other formats",
            "# the rest of the list is sorted",
            "# wait a second...",
            "# ... and then we add one",
            "#!/usr/bin/env python",
            "#",
            "# Load your dataset here",
            "# your code must not be longer than this",
        ] {
            assert!(!says_left_out(comment), "{comment}");
        }
    }

    #[test]
    fn invitations_stand_for_code_where_nothing_follows() {
        let cases = [
            ("def f():\n    # Your code here\n", true),
            ("def f():\n    # Your code here\n    pass\n", true),
            ("def f():\n    # your training logic goes here\n\nf()\n", true),
            ("def f():\n    # Write your code here\n    return 1\n", false),
            ("def f():\n    # Load your dataset here\n", false),
            ("def f():\n    # Your existing implementation\n", true),
            ("x = 1  # your code here\n", false),
        ];
        for (text, expected) in cases {
            let at = text.find('#').unwrap();
            let comment = text[at..].lines().next().unwrap();
            assert_eq!(stands_for_code(text, at, comment), expected, "{text}");
        }
    }
}

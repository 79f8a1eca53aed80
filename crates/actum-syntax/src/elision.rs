//! Comments in which an author says that something is left out, in any language.

/// Words that stand for code which is not there.
const STAND_IN: [&str; 18] = [
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
    "your code here",
    "your code goes here",
    "your logic here",
    "implementation goes here",
    "code omitted",
    "omitted for brevity",
];

/// What is left to the reader: `your training logic here`.
const YOURS: [&str; 3] = ["code", "logic", "implementation"];

/// Words that stand for it when dots are beside them.
const WITH_DOTS: [&str; 9] =
    ["existing", "previous", "same", "other", "unchanged", "remaining", "as before", "more", "rest"];

/// Whether a comment stands for code that is not there.
pub(crate) fn says_left_out(comment: &str) -> bool {
    let words = comment
        .trim_start_matches(['#', '/', '*', '-', ' '])
        .trim_end_matches(['*', '/', ' '])
        .to_lowercase();
    if STAND_IN.iter().any(|phrase| words.contains(phrase)) || words.starts_with("rest of ") {
        return true;
    }
    let is_yours = words.starts_with("your ") && YOURS.iter().any(|noun| words.contains(noun));
    if is_yours && (words.ends_with("here") || words.starts_with("your existing")) {
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
            "# Your code here",
            "# [... other methods unchanged ...]",
            "# existing code...",
            "# (code omitted for brevity)",
            "# rest of func1",
            "# Your function logic here",
            "# Your existing update_firmware implementation",
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
}

//! The lines that tell the next step, in a response itself, that its code was run.
//!
//! The first users' verifier looks for `MLflow Run ID: …` in the response. Their text writes the check mark as what comes of
//! reading UTF-8 as Windows-1252 (`âœ…`); we write the mark that was meant, and take both for ours when they stand at the end.

use actum_model::is_mlflow_id;

const WORDS: &str = " CODE EXECUTED SUCCESSFULLY\nMLflow Run ID: ";
/// The mark as it was meant, and as it came out of a wrong reading.
const MARKS: [&str; 2] = ["✅", "âœ…"];

/// What is appended to a response whose code created this run.
pub(super) fn evidence(id: &str) -> String {
    format!("\n\n{}{WORDS}{id}\n", MARKS[0])
}

/// The response without such lines at its end, however many there are: what the agent wrote.
pub(super) fn without(response: &str) -> &str {
    let mut text = response;
    while let Some(shorter) = without_one(text) {
        text = shorter;
    }
    text
}

fn without_one(text: &str) -> Option<&str> {
    let (before, id) = text.strip_suffix('\n')?.rsplit_once(WORDS)?;
    let before = MARKS.iter().find_map(|mark| before.strip_suffix(mark))?.strip_suffix("\n\n")?;
    is_mlflow_id(id).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn what_is_appended_is_what_the_first_users_look_for() {
        assert_eq!(evidence(ID), format!("\n\n✅ CODE EXECUTED SUCCESSFULLY\nMLflow Run ID: {ID}\n"));
    }

    #[test]
    fn it_is_taken_off_again_and_nothing_else_is() {
        let once = format!("text{}", evidence(ID));
        let twice = format!("{once}{}", evidence(ID).replace('✅', "âœ…"));
        for text in [once.as_str(), twice.as_str(), "text"] {
            assert_eq!(without(text), "text", "{text}");
        }
        // An agent that writes the words itself has written them.
        let own = "text\n\n✅ CODE EXECUTED SUCCESSFULLY\nMLflow Run ID: abc123\n";
        assert_eq!(without(own), own);
        assert_eq!(without(""), "");
    }
}

//! The report as JSON. Indented in a pipe too: programs do not mind, and people look at what programs read.

use actum_model::path_text;
use serde::Serialize;

/// Indented, in the order of the types. Control characters and marks that reorder are written as escapes: the reader gets
/// them back, and a terminal that shows the text does not obey them.
pub fn report_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string_pretty(value)?;
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        // Outside of texts JSON has no other character than these that could need it.
        if character == '\n' || is_harmless(character) {
            safe.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    Ok(safe)
}

/// Whether a character may be shown as it is: it controls nothing, and hides and reorders nothing.
pub fn is_harmless(character: char) -> bool {
    let is_harmless_beyond_ascii = || {
        let mut bytes = [0; 4];
        let encoded: &str = character.encode_utf8(&mut bytes);
        path_text(encoded.as_bytes()) == encoded
    };
    matches!(character, ' '..='~') || is_harmless_beyond_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_as_an_escape() {
        let text = report_json(&serde_json::json!({"a": "\u{1b}[2J\u{9b}31m\u{202e}ü"})).unwrap();
        assert_eq!(text, "{\n  \"a\": \"\\u001b[2J\\u009b31m\\u202eü\"\n}");
    }

    proptest! {
        #[test]
        fn reads_back(text in "[\\PC\\p{Cc}\\p{Cf}]{0,60}") {
            prop_assert_eq!(serde_json::from_str::<String>(&report_json(&text).unwrap()).unwrap(), text);
        }
    }
}

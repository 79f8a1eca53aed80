//! What changed in a file, as a unified diff. Contents were written by the program: on a terminal they do nothing.

use super::neutral::Neutral;
use super::say;
use actum_changes::settle::Sides;
use actum_model::{Change, Node, path_text};
use similar::TextDiff;
use std::io::IsTerminal;
use std::time::Duration;

/// 2 s: two files that are alike in nothing are told apart in larger pieces then.
const PATIENCE: Duration = Duration::from_secs(2);

/// Prints the difference of one path.
pub fn difference(change: &Change, sides: &Sides) {
    let text = told(change, sides);
    if text.is_empty() {
        return;
    }
    if !std::io::stdout().is_terminal() {
        return say(text.trim_end_matches('\n'));
    }
    let mut neutral = Neutral::default();
    let mut harmless = neutral.pass(text.as_bytes());
    harmless.extend(neutral.finish());
    say(String::from_utf8_lossy(&harmless).trim_end_matches('\n'));
}

fn told(change: &Change, sides: &Sides) -> String {
    let path = path_text(&change.path);
    let is_file = |node: &Node| *node == Node::File;
    match (is_file(&change.before.node), is_file(&change.after.node)) {
        (false, false) => String::new(),
        (was, is) => {
            let (old, new) = (side(&sides.old, was), side(&sides.new, is));
            let names = (name("a", &path, was), name("b", &path, is));
            match (old, new) {
                (Side::Text(old), Side::Text(new)) => unified(old, new, &names),
                (Side::Binary, Side::Text(_) | Side::Binary) | (Side::Text(_), Side::Binary) => {
                    format!("Binary files {} and {} differ\n", names.0, names.1)
                }
                (Side::Unknown, Side::Text(_) | Side::Binary | Side::Unknown)
                | (Side::Text(_) | Side::Binary, Side::Unknown) => {
                    format!("The contents of {path} were not kept or are too large to show\n")
                }
            }
        }
    }
}

/// One side of a difference.
enum Side<'a> {
    Text(&'a str),
    Binary,
    Unknown,
}

fn side(bytes: &Option<Vec<u8>>, is_there: bool) -> Side<'_> {
    match bytes {
        _ if !is_there => Side::Text(""),
        None => Side::Unknown,
        Some(bytes) if bytes.contains(&0) => Side::Binary,
        Some(bytes) => std::str::from_utf8(bytes).map_or(Side::Binary, Side::Text),
    }
}

fn name(prefix: &str, path: &str, is_there: bool) -> String {
    if is_there { format!("{prefix}/{path}") } else { "/dev/null".to_owned() }
}

fn unified(old: &str, new: &str, names: &(String, String)) -> String {
    let difference = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    difference.unified_diff().header(&names.0, &names.1).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::Standing;

    fn shown(old: Option<&[u8]>, new: Option<&[u8]>) -> String {
        let standing = |side: Option<&[u8]>| Standing {
            node: if side.is_some() { Node::File } else { Node::Nothing },
            ..Standing::default()
        };
        let change = Change::between(b"f", standing(old), standing(new));
        told(&change, &Sides { old: old.map(<[u8]>::to_vec), new: new.map(<[u8]>::to_vec) })
    }

    #[test]
    fn a_difference_can_be_given_to_patch() {
        assert_eq!(
            shown(Some(b"one\ntwo\n"), Some(b"one\n2\n")),
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        );
        assert_eq!(shown(None, Some(b"new\n")), "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n");
        assert!(shown(Some(b"old"), None).contains("+++ /dev/null"));
        assert_eq!(shown(Some(b"\0"), Some(b"x")), "Binary files a/f and b/f differ\n");
    }
}

//! Every dependency of the workspace has a line of reason directly above it.

use crate::finding::Finding;

const SECTION: &str = "[workspace.dependencies]";

/// Reads the root manifest as text: the reason is a comment, which a TOML reader would drop.
pub fn judge(manifest: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut inside = false;
    let mut depth = 0;
    let mut above = "";
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if depth == 0 && line.starts_with('[') {
            inside = line == SECTION;
        } else if inside && depth == 0 && is_dependency(line) && !above.starts_with('#') {
            let name = line.split(['=', '.']).next().unwrap_or(line).trim();
            findings.push(Finding::at(
                "Cargo.toml",
                index + 1,
                format!("`{name}` has no reason"),
                "write a comment line directly above it: why it is needed and why this one",
            ));
        }
        depth = deeper(depth, line);
        above = line;
    }
    findings
}

fn is_dependency(line: &str) -> bool {
    !line.starts_with('#') && line.contains('=') && !line.contains("path =")
}

/// Lists over several lines are part of the line that opens them.
fn deeper(depth: i32, line: &str) -> i32 {
    if line.starts_with('#') {
        return depth;
    }
    line.chars().fold(depth, |depth, character| match character {
        '[' | '{' => depth + 1,
        ']' | '}' => depth - 1,
        _ => depth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(lines: &[&str]) -> Vec<String> {
        judge(&lines.join("\n"))
            .into_iter()
            .map(|finding| format!("{} {}", finding.place, finding.rule))
            .collect()
    }

    #[test]
    fn a_reason_or_a_path_is_enough() {
        let lines = [
            "[package]",
            "name = \"a\"",
            SECTION,
            "ours = { path = \"crates/ours\" }",
            "# Why [not.",
            "theirs = { version = \"1\", features = [",
            "  \"a = b\",",
            "] }",
            "",
            "[profile.dev]",
            "debug = 1",
        ];
        assert_eq!(rules(&lines), [""; 0]);
    }

    #[test]
    fn a_bare_one_is_found() {
        let lines = [SECTION, "# Why.", "one = \"1\"", "two = \"2\"", "# Far.", "", "three.version = \"3\""];
        assert_eq!(rules(&lines), ["Cargo.toml:4 `two` has no reason", "Cargo.toml:7 `three` has no reason"]);
    }
}

//! Relative links of a Markdown file. Links to the world outside are not followed: checks use no network.

/// One link to a file of this repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub line: usize,
    pub written: String,
    /// Relative to the root; absent when the link climbs out of the repository.
    pub path: Option<String>,
}

/// The relative links of the file at `path`, without those in code.
pub fn targets(path: &str, text: &str) -> Vec<Link> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut links = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        fenced ^= is_fence;
        if fenced || is_fence {
            continue;
        }
        for written in written_targets(&without_code(line)) {
            if is_relative(&written) {
                links.push(Link { line: index + 1, path: resolve(folder, &written), written });
            }
        }
    }
    links
}

/// `[text](target "title")` anywhere in the line, and `[label]: target` at its start.
fn written_targets(line: &str) -> Vec<String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let reference = line.strip_prefix('[').and_then(|rest| rest.split_once("]:")).map(|(_, target)| target);
    inline
        .chain(reference)
        .filter_map(|target| target.split_whitespace().next())
        .map(|target| target.trim_start_matches('<').trim_end_matches('>').to_owned())
        .collect()
}

/// Drops `code` spans: every second piece between back quotes, when the last one is closed.
fn without_code(line: &str) -> String {
    let pieces: Vec<&str> = line.split('`').collect();
    let closed = pieces.len() - (1 - pieces.len() % 2);
    let shown = pieces.iter().enumerate().filter(|(index, _)| index % 2 == 0 || *index >= closed);
    shown.map(|(_, piece)| *piece).collect()
}

fn is_relative(target: &str) -> bool {
    !(target.is_empty() || target.starts_with('#') || target.contains("://") || target.starts_with("mailto:"))
}

/// Follows `target` from `folder`; a leading `/` means the root of the repository, as code hosts show it.
fn resolve(folder: &str, target: &str) -> Option<String> {
    let target = target.split(['#', '?']).next().unwrap_or(target);
    let folder = if target.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<Option<String>> {
        targets("docs/guides/a.md", text).into_iter().map(|link| link.path).collect()
    }

    #[test]
    fn links_resolve_from_their_file() {
        for (text, path) in [
            ("[a](b.md)", "docs/guides/b.md"),
            ("see [a](../b.md#part) now", "docs/b.md"),
            ("![picture](./b.png \"title\")", "docs/guides/b.png"),
            ("[a](/LICENSE-MIT)", "LICENSE-MIT"),
            ("[a](<b.md>)", "docs/guides/b.md"),
            ("[a]: ../../README.md", "README.md"),
            ("[`code`](b.md)", "docs/guides/b.md"),
        ] {
            assert_eq!(paths(text), [Some(path.to_owned())], "{text}");
        }
    }

    #[test]
    fn climbing_out_leads_nowhere() {
        assert_eq!(paths("[a](../../../b.md)"), [None]);
    }

    #[test]
    fn code_and_the_world_outside_are_not_followed() {
        let text =
            "```\n[a](b)\n```\n`[a](b)` [a](https://example.org) [a](#here) [a](mailto:me@example.org)";
        assert_eq!(paths(text), []);
    }
}

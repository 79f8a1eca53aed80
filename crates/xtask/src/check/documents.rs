//! The documents that the house promises exist, and every relative link in them leads somewhere.

use super::{deny, links};
use crate::finding::Finding;
use crate::tree::Tree;

const REQUIRED: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    ARCHITECTURE,
    "docs/glossary.md",
    CONTRIBUTING,
    "LICENSE-MIT",
    "LICENSE-APACHE",
    deny::FILE,
];
const ARCHITECTURE: &str = "docs/architecture.md";
const DESIGNS: &str = "docs/design/";
const CONTRIBUTING: &str = "CONTRIBUTING.md";
/// Pages that tell contributors which file to edit.
const GUIDES: &str = "docs/contributing/";
/// Folders at the root that such a page names files in.
const FOLDERS: [&str; 7] = ["crates/", "docs/", "fuzz/", "examples/", ".cargo/", ".config/", ".ci/"];

pub fn judge(tree: &Tree) -> Vec<Finding> {
    let mut findings = missing(tree);
    findings.extend(unlinked_designs(tree));
    findings.extend(broken_links(tree));
    findings.extend(lost_paths(tree));
    findings
}

/// Paths between back quotes in the pages for contributors, but for those with a `NAME` to fill in.
fn lost_paths(tree: &Tree) -> Vec<Finding> {
    let pages =
        tree.with_extension("md").filter(|file| file.path == CONTRIBUTING || file.path.starts_with(GUIDES));
    let mut findings = Vec::new();
    for page in pages {
        for (index, line) in page.text.lines().enumerate() {
            let spans = line.split('`').skip(1).step_by(2);
            let paths = spans.filter(|span| FOLDERS.iter().any(|folder| span.starts_with(folder)));
            for path in
                paths.filter(|path| !path.contains([' ', '*']) && !path.contains("NAME") && !tree.has(path))
            {
                let rule = format!("there is no `{path}`");
                findings.push(Finding::at(&page.path, index + 1, rule, "name the file as it is called now"));
            }
        }
    }
    findings
}

fn missing(tree: &Tree) -> Vec<Finding> {
    let absent = REQUIRED.iter().filter(|path| !tree.has(path));
    absent.map(|path| Finding::new(*path, "this document is missing", "write it")).collect()
}

fn unlinked_designs(tree: &Tree) -> Vec<Finding> {
    let linked = links::targets(ARCHITECTURE, tree.text(ARCHITECTURE).unwrap_or_default());
    let designs = tree.with_extension("md").filter(|file| file.path.starts_with(DESIGNS));
    designs
        .filter(|design| !linked.iter().any(|link| link.path.as_ref() == Some(&design.path)))
        .map(|design| {
            Finding::new(
                &design.path,
                "no document links to this page",
                format!("link it from {ARCHITECTURE}"),
            )
        })
        .collect()
}

fn broken_links(tree: &Tree) -> Vec<Finding> {
    let links = tree.with_extension("md").flat_map(|file| {
        links::targets(&file.path, &file.text).into_iter().map(move |link| (file.path.as_str(), link))
    });
    links
        .filter(|(_, link)| !link.path.as_ref().is_some_and(|path| tree.has(path)))
        .map(|(path, link)| {
            let rule = format!("the link to `{}` is broken", link.written);
            Finding::at(path, link.line, rule, "correct the path, which is relative to this file")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Vec<(&'static str, &'static str)> {
        let mut files: Vec<_> =
            REQUIRED.iter().filter(|path| **path != ARCHITECTURE).map(|path| (*path, "")).collect();
        files.push((ARCHITECTURE, "[walls](design/walls.md) [top](../README.md)"));
        files.push(("docs/design/walls.md", ""));
        files
    }

    #[test]
    fn a_complete_house_holds() {
        assert_eq!(judge(&Tree::of(&complete())), []);
    }

    #[test]
    fn each_missing_document_is_found() {
        for path in REQUIRED {
            let files: Vec<_> = complete().into_iter().filter(|(other, _)| other != path).collect();
            let findings = missing(&Tree::of(&files));
            assert_eq!(findings.len(), 1, "{path}");
            assert_eq!(&findings[0].place, path);
        }
    }

    #[test]
    fn paths_that_are_gone_are_found_in_pages_for_contributors() {
        let mut files = complete();
        files.push(("crates/one/src/lib.rs", ""));
        files.push((
            "docs/contributing/add.md",
            "`crates/one/src/lib.rs` `crates/one/src/NAME.rs` `cargo crates/none`\n`crates/one/` `crates/two/`",
        ));
        let findings = judge(&Tree::of(&files));
        let told: Vec<(&str, &str)> =
            findings.iter().map(|finding| (finding.place.as_str(), finding.rule.as_str())).collect();
        assert_eq!(told, [("docs/contributing/add.md:2", "there is no `crates/two/`")]);
    }

    #[test]
    fn lonely_designs_and_broken_links_are_found() {
        let mut files = complete();
        files.push(("docs/design/lonely.md", "see\n[this](nowhere.md) and [that](../../../outside.md)"));
        let places: Vec<String> = judge(&Tree::of(&files)).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["docs/design/lonely.md", "docs/design/lonely.md:2", "docs/design/lonely.md:2"]);
    }
}

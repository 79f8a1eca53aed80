//! Pages: what runs in a browser does not run here.

use super::{Case, Stage};
use actum_model::{Disposition, Holds};

/// What only a browser has.
const BROWSER: [&str; 8] = [
    "document.getElement",
    "document.query",
    "document.create",
    "document.body",
    "window.addEventListener",
    "window.onload",
    "document.addEventListener",
    "getContext(",
];

/// Parts of a page are files where they have names, and are otherwise left alone.
pub(super) fn judge(cases: &mut [Case<'_>]) {
    let page = cases.iter().find(|case| case.stage == Stage::Plain && is_html(case));
    let names = page.map(|page| Names::of(&page.block.code));
    for case in cases.iter_mut() {
        let is_script =
            case.is_program() && matches!(case.block.language.as_str(), "javascript" | "typescript");
        if is_script && BROWSER.iter().any(|sign| case.block.code.contains(sign)) {
            case.block.holds = Holds::Page;
            case.stage = Stage::Plain;
            case.block.disposition = Disposition::Skip;
            case.block.why = "it is code for a web browser, which is not run".to_owned();
        }
        if case.block.holds == Holds::Page && case.block.path.is_none() {
            case.block.path = names.as_ref().and_then(|names| names.of_part(&case.block.language));
        }
    }
}

fn is_html(case: &Case<'_>) -> bool {
    matches!(case.block.language.as_str(), "html" | "htm" | "xhtml")
}

/// The names that the page itself has for its parts: read once, since there may be a page of a megabyte and thousands of parts.
struct Names {
    script: Option<String>,
    style: Option<String>,
}

impl Names {
    fn of(page: &str) -> Self {
        Self { script: only(page, "src=", ".js"), style: only(page, "href=", ".css") }
    }

    fn of_part(&self, language: &str) -> Option<String> {
        match language {
            "html" | "htm" | "xhtml" => Some("index.html".to_owned()),
            "javascript" | "typescript" => self.script.clone(),
            _ => self.style.clone(),
        }
    }
}

/// What is longer is nobody's name for a file.
const LONGEST: usize = 255;

/// The one file with this extension that a page names behind a mark; none where there are several.
fn only(page: &str, mark: &str, extension: &str) -> Option<String> {
    let mut names = page.split(mark).skip(1).take(50).filter_map(|rest| {
        let rest = rest.trim_start_matches(['"', '\'']);
        let name = &rest[..rest.find(['"', '\'', ' ', '>'])?];
        let name = name.strip_prefix("./").unwrap_or(name);
        let is_file = name.len() <= LONGEST && name.ends_with(extension) && !name.contains("//");
        (is_file && crate::naming::stays_inside(name)).then_some(name)
    });
    names.next().filter(|_| names.next().is_none()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Piece};
    use crate::{Program, Reader};
    use actum_model::Reading;

    #[test]
    fn a_part_has_the_name_that_the_page_has_for_it() {
        for (page, script, style) in [
            ("<script src=\"./app.js\"></script><link href='a.css'>", Some("app.js"), Some("a.css")),
            ("<script src=a.js></script><script src=b.js></script>", None, None),
            ("<script src=https://x.org/a.js></script>", None, None),
            ("<script src=../a.js></script><link href=.git/a.css>", None, None),
            ("<a href=x.html>", None, None),
        ] {
            let names = Names::of(page);
            assert_eq!((names.script.as_deref(), names.style.as_deref()), (script, style), "{page}");
        }
        assert_eq!(Names::of(&format!("<link href={}.css>", "a".repeat(LONGEST))).style, None);
    }

    struct Nobody;

    impl Reader for Nobody {
        fn language(&self, _: &str) -> Option<String> {
            None
        }

        fn read(&mut self, programs: &[Program<'_>]) -> Vec<Reading> {
            vec![Reading::default(); programs.len()]
        }
    }

    #[test]
    fn a_page_is_read_once_for_all_its_parts() {
        let piece =
            |label: &str, code: String| Piece { label: Some(label.to_owned()), code, ..Piece::default() };
        let mut pieces = vec![piece("html", "href=x".repeat(50) + &"y".repeat(300_000))];
        pieces.resize(5_000, piece("css", "a {}\n".to_owned()));
        let answer = Answer { pieces, ..Answer::default() };
        let mut cases: Vec<Case<'_>> = answer
            .pieces
            .iter()
            .zip(1..)
            .map(|(piece, index)| super::super::holds::look(piece, index, answer.form, &Nobody))
            .collect();
        let begun = std::time::Instant::now();
        judge(&mut cases);
        assert!(begun.elapsed() < std::time::Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}

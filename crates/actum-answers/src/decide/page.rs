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
    let page = cases
        .iter()
        .find(|case| case.stage == Stage::Plain && is_html(case))
        .map(|case| case.block.code.clone());
    for case in cases.iter_mut() {
        let is_script =
            case.is_program() && matches!(case.block.language.as_str(), "javascript" | "typescript");
        if is_script && BROWSER.iter().any(|sign| case.block.code.contains(sign)) {
            case.block.holds = Holds::Page;
            case.stage = Stage::Plain;
            case.block.disposition = Disposition::Skip;
            case.block.why = "it is for a page in a browser, which is not run here".to_owned();
        }
        if case.block.holds == Holds::Page && case.block.path.is_none() {
            case.block.path = page.as_deref().and_then(|page| name(case, page));
        }
    }
}

fn is_html(case: &Case<'_>) -> bool {
    matches!(case.block.language.as_str(), "html" | "htm" | "xhtml")
}

/// The name that the page itself has for one of its parts.
fn name(case: &Case<'_>, page: &str) -> Option<String> {
    let (mark, extension, own) = match case.block.language.as_str() {
        "html" | "htm" | "xhtml" => return Some("index.html".to_owned()),
        "javascript" | "typescript" => ("src=", ".js", "script.js"),
        _ => ("href=", ".css", "style.css"),
    };
    let names = page.split(mark).skip(1).take(50).filter_map(|rest| {
        let rest = rest.trim_start_matches(['"', '\'']);
        let name = &rest[..rest.find(['"', '\'', ' ', '>'])?];
        let name = name.strip_prefix("./").unwrap_or(name);
        (name.ends_with(extension) && !name.contains("//") && crate::naming::stays_inside(name))
            .then(|| name.to_owned())
    });
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => Some(own.to_owned()).filter(|_| false),
        [only] => Some(only.clone()),
        [..] => None,
    }
}

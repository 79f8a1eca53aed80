//! Coverage as its tools print it: columns that say in two words what they cover, and sums on a line of their own.

use super::{Figure, ToldAs, data, words};

/// What the columns of a table of coverage are called in full: `% Stmts` of nyc, and `Cover` behind `Missed Regions` of llvm-cov.
pub(super) fn columns(header: &[&str]) -> Vec<String> {
    let is_nyc = header.iter().any(|name| name.trim() == "% Stmts");
    let mut missed = "";
    let mut named = Vec::with_capacity(header.len());
    for name in header {
        missed = name.strip_prefix("Missed ").unwrap_or(missed);
        let of = match name.strip_prefix("% ").filter(|_| is_nyc) {
            Some(of) => of.trim(),
            None if ["Cover", "Executed"].contains(name) => missed,
            None => "",
        };
        named.push(if of.is_empty() { (*name).to_owned() } else { format!("{} coverage", full(of)) });
    }
    named
}

fn full(of: &str) -> &str {
    match of {
        "Stmts" => "statement",
        "Funcs" => "function",
        other => other,
    }
}

/// `total:  (statements)  74.2%` of Go, and `lines......: 88.2% (15 of 17 lines)` of lcov.
pub(super) fn sum(text: &str, piece: &str) -> Option<Figure> {
    let (key, rest) = text.split_once(':')?;
    let mut cells = rest.split_whitespace();
    let first = cells.next()?;
    let of = key.trim().trim_end_matches('.');
    let (name, around, value) = match of {
        "total" if first == "(statements)" => ("coverage", "statement", cells.next()?),
        "lines" | "functions" | "branches" if key.trim().ends_with('.') => ("coverage", of, first),
        _ => return None,
    };
    let value = data::number(value)?;
    Some(Figure {
        piece: piece.to_owned(),
        value,
        name: words::keys(name),
        around: words::keys(around),
        row: "total".to_owned(),
        step: None,
        told_as: ToldAs::Value,
        beside: std::cell::OnceCell::new(),
        text: text.to_owned(),
    })
}

//! Node: the name that is imported is the package, without what lies inside it.

use crate::table::Table;
use crate::trust::{IndexFacts, Rules, Slips, Verdict, stranger};

static BUILTIN: Table = Table::new(include_str!("../../data/npm/builtin.txt"));
static POPULAR: &str = include_str!("../../data/npm/popular.txt");
static SLIPS: Slips = Slips::new(|| POPULAR.lines().collect(), Vec::new);

/// What an import of Node asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpmNeed<'a> {
    /// Part of Node itself.
    Builtin,
    /// A file of the program's own, or an address.
    Own,
    Package(&'a str),
}

/// `lodash/fp` asks for `lodash`, `@scope/name/part` for `@scope/name`, `node:fs` and `fs` for nothing.
pub fn npm_need(import: &str) -> NpmNeed<'_> {
    let is_address = import.contains("://") || import.starts_with("data:");
    if is_address || import.starts_with(['.', '/', '#', '~']) || import.is_empty() || import.starts_with("@/")
    {
        return NpmNeed::Own;
    }
    if import.starts_with("node:") || is_builtin(import) {
        return NpmNeed::Builtin;
    }
    let parts = if import.starts_with('@') { 2 } else { 1 };
    match import.match_indices('/').nth(parts - 1) {
        Some((at, _)) => NpmNeed::Package(&import[..at]),
        None => NpmNeed::Package(import),
    }
}

/// Whether a package of npm may be installed: the same questions as for Python, with the names that Node's programs use.
pub fn judge_npm(name: &str, facts: Option<&IndexFacts>, rules: &Rules) -> Verdict {
    if !is_spelled(name) {
        let why = "it is not a valid package name".to_owned();
        return Verdict::Refused { why, nearest: Vec::new() };
    }
    if is_builtin(name) && !POPULAR.lines().any(|known| known == name) {
        let why = "it is part of Node itself".to_owned();
        return Verdict::Refused { why, nearest: Vec::new() };
    }
    if let Some(verdict) = rules.verdict(name) {
        return verdict;
    }
    if POPULAR.lines().any(|known| known == name) {
        return Verdict::Trusted;
    }
    stranger(name, facts, rules, &SLIPS)
}

fn is_builtin(name: &str) -> bool {
    let top = name.split('/').next().unwrap_or(name);
    BUILTIN.find(name).is_some() || BUILTIN.find(top).is_some()
}

/// What npm takes: lower case, at most one scope, no dot or underscore in front.
fn is_spelled(name: &str) -> bool {
    let plain = |part: &str| {
        let inner = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'.' | b'-' | b'_');
        part.bytes().all(inner) && !part.is_empty() && !part.starts_with(['.', '_', '-'])
    };
    let spelled = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| plain(scope) && plain(name)),
        None => plain(name),
    };
    spelled && name.len() <= 214
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_cut_to_packages() {
        for (import, expected) in [
            ("lodash", NpmNeed::Package("lodash")),
            ("lodash/fp", NpmNeed::Package("lodash")),
            ("@scope/name/deep/er", NpmNeed::Package("@scope/name")),
            ("@scope/name", NpmNeed::Package("@scope/name")),
            ("fs", NpmNeed::Builtin),
            ("fs/promises", NpmNeed::Builtin),
            ("node:test", NpmNeed::Builtin),
            ("./utils", NpmNeed::Own),
            ("../a", NpmNeed::Own),
            ("/a", NpmNeed::Own),
            ("@/components", NpmNeed::Own),
            ("https://example.com/a.js", NpmNeed::Own),
            ("", NpmNeed::Own),
        ] {
            assert_eq!(npm_need(import), expected, "{import}");
        }
    }

    #[test]
    fn the_gate_is_the_same() {
        let rules = Rules::default();
        let old = IndexFacts { exists: true, first_upload_days: Some(999), releases: Some(9) };
        for name in ["react", "express", "@babel/core", "lodash.merge"] {
            assert_eq!(judge_npm(name, None, &rules), Verdict::Trusted, "{name}");
        }
        for name in ["expres", "lodahs", "reactt", "fs", "Bad Name", "@x", "../a"] {
            assert!(matches!(judge_npm(name, None, &rules), Verdict::Refused { .. }), "{name}");
        }
        assert!(matches!(
            judge_npm("react-codeshift", Some(&IndexFacts::default()), &rules),
            Verdict::Refused { .. }
        ));
        assert!(matches!(judge_npm("some-unknown-tool", Some(&old), &rules), Verdict::Ask { .. }));
        let deny = Rules { deny: vec!["react".to_owned()], ..Rules::default() };
        assert!(matches!(judge_npm("react", None, &deny), Verdict::Refused { .. }));
    }
}

//! Recipes of a Makefile that has nothing but plain rules: what `make` starts for a target.

use super::looks_like_result;
use std::collections::{HashMap, HashSet};

/// Needs and signs of recipes that are followed. A rule can name many targets, and each of them has all its needs and its whole recipe;
/// no Makefile whose recipes start a runner has nearly as many.
const MOST_FOLLOWED: usize = 64 << 10;

/// One rule: its targets share what they need and their recipe.
#[derive(Debug)]
struct Rule<'t> {
    targets: Vec<&'t str>,
    needs: Vec<&'t str>,
    recipe: Vec<&'t str>,
}

#[derive(Debug, Default)]
pub(super) struct Rules<'t> {
    all: Vec<Rule<'t>>,
    /// The rules of each target.
    of: HashMap<&'t str, Vec<usize>>,
}

/// A name as `make` has it.
pub(super) fn bare(name: &str) -> &str {
    let mut name = name;
    while let Some(rest) = name.strip_prefix("./").filter(|rest| !rest.trim_matches('/').is_empty()) {
        name = rest.trim_start_matches('/');
    }
    name
}

impl<'t> Rules<'t> {
    /// Nothing where there is more than plain rules: a variable or a function may stand for anything.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let mut rules = Self::default();
        for line in text.lines() {
            if let Some(recipe) = line.strip_prefix('\t') {
                // Before the first rule `make` reads such a line as one of its own: `SHELL = ./fake`.
                rules.all.last_mut()?.recipe.push(recipe);
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim_end();
            if !line.is_empty() {
                rules.add(Rule::of(line)?);
            }
        }
        Some(rules)
    }

    fn add(&mut self, rule: Rule<'t>) {
        let at = self.all.len();
        for target in &rule.targets {
            let own = self.of.entry(target).or_default();
            if own.last() != Some(&at) {
                own.push(at);
            }
        }
        self.all.push(rule);
    }

    pub(super) fn targets(&self) -> impl Iterator<Item = &'t str> {
        self.all.iter().flat_map(|rule| rule.targets.iter().copied())
    }

    /// The recipes of a target and of what it needs; `folder` are the names of the files beside the Makefile.
    pub(super) fn recipes(&self, target: &str, folder: &[String]) -> Option<Recipes> {
        let sources = Sources::of(folder, self);
        let phony: HashSet<&str> = self.own(".PHONY").flat_map(|rule| rule.needs.iter().copied()).collect();
        let (mut open, mut seen, mut found) = (vec![target], HashSet::new(), Recipes::default());
        let mut left = MOST_FOLLOWED;
        while let Some(target) = open.pop() {
            if !seen.insert(target) {
                continue;
            }
            // Without a rule in the file it is made by one that is built in.
            self.of.get(target)?;
            let mut has_recipe = phony.contains(target);
            for rule in self.own(target) {
                left = left.checked_sub(rule.cost())?;
                open.extend(&rule.needs);
                has_recipe |= rule.recipe.iter().any(|line| !line.trim().is_empty());
                for line in &rule.recipe {
                    let bare = line.trim_start_matches(['@', '-', '+', ' ', '\t']);
                    let marks = &line[..line.len() - bare.len()];
                    found.passes_over_failures |= marks.contains(['-', '+']);
                    found.lines.push(plain(bare)?.to_owned());
                }
            }
            if !has_recipe && sources.can_become(target) {
                return None;
            }
        }
        Some(found)
    }

    fn own(&self, target: &str) -> impl Iterator<Item = &Rule<'t>> {
        self.of.get(target).into_iter().flatten().map(|at| &self.all[*at])
    }
}

/// The lines that a target is made with.
#[derive(Debug, Default)]
pub(super) struct Recipes {
    pub(super) lines: Vec<String>,
    /// The failure of one of them (`-`), or that of `make` itself (`+`), does not end it.
    pub(super) passes_over_failures: bool,
}

impl<'t> Rule<'t> {
    /// The line that begins a rule.
    fn of(line: &'t str) -> Option<Self> {
        const DIRECTIVES: [&str; 19] = [
            "include", "-include", "sinclude", "define", "endef", "export", "unexport", "override", "vpath",
            "load", "-load", "private", "undefine", "ifdef", "ifndef", "ifeq", "ifneq", "else", "endif",
        ];
        let (targets, needs) = line.split_once(':')?;
        // A pattern among the targets, or a quoted space, is another name than the one that stands there.
        let is_plain = !line.contains(['$', '=', ';', '%', '|', '&', '\\'])
            && !targets.contains(['*', '?', '[', '~'])
            && !line.starts_with(' ');
        let is_known = |target: &&str| !DIRECTIVES.contains(target);
        if !is_plain || !targets.split_whitespace().all(|target| is_known(&target)) {
            return None;
        }
        let targets: Vec<&str> = targets.split_whitespace().map(bare).collect();
        let is_special = |target: &&str| target.starts_with('.') && *target != ".PHONY";
        if targets.is_empty() || targets.iter().any(is_special) {
            return None;
        }
        Some(Self { targets, needs: needs.split_whitespace().map(bare).collect(), recipe: Vec::new() })
    }

    fn cost(&self) -> usize {
        let signs: usize = self.recipe.iter().map(|line| line.len() + 1).sum();
        1 + self.needs.len() + signs
    }
}

/// A line of a recipe as the shell gets it, without the marks for `make`. Nothing where it is not what it seems.
fn plain(line: &str) -> Option<&str> {
    (!line.contains(['$', '\\', '`']) && !looks_like_result(line)).then_some(line)
}

/// Names out of which a rule that is built into `make` could make something, in order: those of the folder, and those that the Makefile
/// speaks of.
struct Sources<'n>(Vec<&'n str>);

impl<'n> Sources<'n> {
    fn of(folder: &'n [String], rules: &Rules<'n>) -> Self {
        let spoken = rules.all.iter().flat_map(|rule| rule.targets.iter().chain(&rule.needs)).copied();
        let mut names: Vec<&str> = folder.iter().map(String::as_str).chain(spoken).collect();
        names.sort_unstable();
        names.dedup();
        Self(names)
    }

    /// `helper` out of `helper.S`, `helper.o` out of `helper.c`, both out of `s.helper.c` and `helper.c,v`.
    fn can_become(&self, target: &str) -> bool {
        // A place elsewhere, or a member of an archive.
        if target.contains(['/', '(']) {
            return true;
        }
        let stem = target.rsplit_once('.').map_or(target, |(stem, _)| stem);
        ["", "s."].iter().any(|prefix| {
            let whole = format!("{prefix}{stem}");
            let is_there = whole != target && self.0.binary_search(&whole.as_str()).is_ok();
            is_there
                || self.has_other(&format!("{whole}."), target)
                || self.has_other(&format!("{whole},"), target)
        })
    }

    /// Whether a name begins so, but for one.
    fn has_other(&self, start: &str, one: &str) -> bool {
        let from = self.0.partition_point(|name| *name < start);
        self.0[from..].iter().take_while(|name| name.starts_with(start)).any(|name| *name != one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipes(text: &str, folder: &[&str]) -> Option<Vec<String>> {
        let folder: Vec<String> = folder.iter().map(|name| (*name).to_owned()).collect();
        Rules::of(text)?.recipes("test", &folder).map(|found| found.lines)
    }

    #[test]
    fn targets_share_what_they_need() {
        let many = |sign: &str| sign.repeat(64_000);
        let begun = std::time::Instant::now();
        let unused = format!("{}: {}\ntest:\n\tpytest\n", many("a "), many("b "));
        assert_eq!(recipes(&unused, &[]).unwrap(), ["pytest"]);
        let recipe = format!("{}:\n{}test:\n\tpytest\n", many("a "), many("\tx\n"));
        assert_eq!(recipes(&recipe, &[]).unwrap(), ["pytest"]);
        let names: Vec<String> = (0..20_000).map(|at| format!("a{at}")).collect();
        let (names, ones) = (names.join(" "), many("b "));
        for text in [
            format!("test: {names}\n{names}: {ones}\nb:\n\tpytest\n"),
            format!("test: {names}\n{names}:\n{}", many("\tx\n")),
        ] {
            assert_eq!(recipes(&text, &[]), None);
        }
        assert!(begun.elapsed().as_secs() < 3);
    }

    #[test]
    fn what_a_built_in_rule_could_make_is_not_understood() {
        let text = "test: helper\n\tpytest\nhelper:\n";
        for folder in [&[][..], &["other.S", "helpers.c", "helper", "help"]] {
            assert_eq!(recipes(text, folder).unwrap(), ["pytest"], "{folder:?}");
        }
        for name in ["helper.S", "helper.sh", "helper,v", "s.helper", "s.helper.c", "helper.c,v"] {
            assert_eq!(recipes(text, &[name]), None, "{name}");
            let phony = format!(".PHONY: helper\n{text}");
            assert_eq!(recipes(&phony, &[name]).unwrap(), ["pytest"], "{name}");
        }
        for (text, folder) in [
            ("test: a.o\n\tpytest\na.o:\n", "a.c"),
            ("test: a.o\n\tpytest\na.o: a.h\n", ""),
            ("test: a.out\n\tpytest\na.out:\n", "a"),
            ("test: a/b\n\tpytest\na/b:\n", ""),
            ("test: a(b)\n\tpytest\na(b):\n", ""),
            ("test: a\n\tpytest\na:\na.o:\n\tgcc -c x.c\n", ""),
            ("test: a\n\tpytest\na:\n\t\n", "a.S"),
            // Names that `make` reads otherwise than they stand there.
            (".PHONY: b\\ a\ntest: a\n\tpytest\na:\n", "a.S"),
            (".PHONY: a\ntest: a\n\tpytest\na:\n[a]:\n\tx\n", ""),
            (".PHONY: a\ntest: a\n\tpytest\na:\n././/a:\n\techo 1 passed\n", ""),
        ] {
            assert_eq!(recipes(text, &[folder]), None, "{text} {folder}");
        }
    }

    #[test]
    fn lines_that_may_fail_are_told() {
        let of = |text: &str| Rules::of(text).unwrap().recipes("test", &[]).unwrap();
        for line in ["-pytest", "@-pytest", "- pytest", "@ -@pytest", "+pytest", "\t+pytest"] {
            let found = of(&format!("test:\n\t{line}\n"));
            assert_eq!(
                (found.lines, found.passes_over_failures),
                (vec!["pytest".to_owned()], true),
                "{line}"
            );
            let unused = of(&format!("test:\n\t@pytest\nother:\n\t{line}\n"));
            assert_eq!((unused.lines, unused.passes_over_failures), (vec!["pytest".to_owned()], false));
        }
    }
}

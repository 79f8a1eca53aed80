//! What a Makefile says that a target is made from: an edited source of another target makes nothing of this one stale.
//!
//! Only plain rules are understood: names, variables with plain values, patterns, and the rules that make knows by itself for objects. Where a
//! Makefile has more than that, nothing is said, and every source counts.

use std::collections::{HashMap, HashSet};

/// Sources that an object is made from where no rule says so.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "s", "f90"];
/// More turns than a sensible Makefile has.
const MOST: usize = 2000;
/// Signs that are read of needs, patterns and values. A rule can name many targets and a variable many values, each as often as somebody
/// cares to write: what is more than this is not followed to its end.
const MOST_WORK: usize = 2 << 20;

/// What is left of the work that a Makefile is worth.
struct Left(usize);

impl Left {
    fn spend(&mut self, signs: usize) -> Option<()> {
        self.0 = self.0.checked_sub(signs)?;
        Some(())
    }
}

/// The rules of a Makefile; the targets of one share what they need.
#[derive(Default)]
struct Rules {
    needs: Vec<Vec<String>>,
    of: HashMap<String, Vec<usize>>,
    patterns: Vec<(String, usize)>,
    first: Option<String>,
}

/// Everything that the targets are made from, and they themselves; the first rule's target where none is named.
pub(super) fn made_from(text: &str, targets: &[&str]) -> Option<HashSet<String>> {
    let mut left = Left(MOST_WORK);
    let rules = Rules::of(&text.replace("\\\n", " "), &mut left)?;
    let first = rules.first.clone()?;
    let open: Vec<String> = match targets {
        [] => vec![first],
        targets => targets.iter().map(|target| (*target).to_owned()).collect(),
    };
    let reached = rules.reached(open, &mut left)?;
    // A target that no rule tells of is not known.
    targets.iter().all(|target| rules.of.contains_key(*target)).then_some(reached)
}

impl Rules {
    fn of(text: &str, left: &mut Left) -> Option<Self> {
        let mut variables: HashMap<&str, &str> = HashMap::new();
        let mut rules = Self::default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            if line.starts_with('\t') || line.trim().is_empty() {
                continue;
            }
            if let Some((name, value)) = assignment(line) {
                variables.insert(name, value);
                continue;
            }
            let (made, from) = line.split_once(':')?;
            let (made, from) = (expanded(made, &variables, left)?, expanded(from, &variables, left)?);
            // A recipe on the same line.
            rules.add(&made, from.split(';').next().unwrap_or_default());
        }
        Some(rules)
    }

    fn add(&mut self, made: &str, from: &str) {
        let at = self.needs.len();
        self.needs.push(from.split_whitespace().map(str::to_owned).collect());
        for target in made.split_whitespace().filter(|target| *target != ".PHONY") {
            let own = self.of.entry(target.to_owned()).or_default();
            if own.last() == Some(&at) {
                continue;
            }
            own.push(at);
            if target.contains('%') {
                self.patterns.push((target.to_owned(), at));
            } else if self.first.is_none() && !target.starts_with('.') {
                self.first = Some(target.to_owned());
            }
        }
    }

    /// All that is behind these targets.
    fn reached(&self, mut open: Vec<String>, left: &mut Left) -> Option<HashSet<String>> {
        let mut reached: HashSet<String> = HashSet::new();
        while let Some(target) = open.pop() {
            if reached.len() > MOST {
                return None;
            }
            if !reached.insert(target.clone()) {
                continue;
            }
            let own = self.of.get(&target).map_or(&[][..], Vec::as_slice);
            for at in own {
                self.follow(*at, None, &mut open, left)?;
            }
            for (pattern, at) in &self.patterns {
                left.spend(1 + target.len().min(pattern.len()))?;
                if let Some(stem) = stem_of(&target, pattern) {
                    self.follow(*at, Some(stem), &mut open, left)?;
                }
            }
            // What make does by itself.
            let stem = target.strip_suffix(".o").unwrap_or(&target);
            let needs_nothing = || own.iter().all(|at| self.needs[*at].is_empty());
            if target.ends_with(".o") || needs_nothing() && !target.contains('.') {
                reached.extend(SOURCES.iter().map(|ending| format!("{stem}.{ending}")));
            }
        }
        Some(reached)
    }

    /// Puts what a rule needs to what is open; with a stem in the place of `%`, as make does once for each name.
    fn follow(&self, at: usize, stem: Option<&str>, open: &mut Vec<String>, left: &mut Left) -> Option<()> {
        left.spend(1)?;
        for need in &self.needs[at] {
            left.spend(1 + need.len() + stem.map_or(0, str::len))?;
            open.push(stem.map_or_else(|| need.clone(), |stem| need.replacen('%', stem, 1)));
        }
        Some(())
    }
}

/// What stands for the `%` of a pattern.
fn stem_of<'t>(target: &'t str, pattern: &str) -> Option<&'t str> {
    let (before, behind) = pattern.split_once('%')?;
    target.strip_prefix(before)?.strip_suffix(behind)
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+']).trim();
    let name = name.strip_prefix("export ").unwrap_or(name);
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    is_name.then_some((name, value.trim()))
}

/// With the values of variables; nothing where there is more than plain names: functions, wildcards.
fn expanded(text: &str, variables: &HashMap<&str, &str>, left: &mut Left) -> Option<String> {
    let mut text = text.to_owned();
    for _ in 0..8 {
        let Some(start) = text.find("$(").or_else(|| text.find("${")) else { break };
        let end = start + text[start..].find([')', '}'])?;
        let (name, change) = match text[start + 2..end].split_once(':') {
            Some((name, change)) => (name, change.split_once('=')),
            None => (&text[start + 2..end], None),
        };
        let value = *variables.get(name)?;
        left.spend(text.len() + value.len())?;
        let value = match change {
            Some((from, to)) => changed(value, from, to, left)?,
            None => value.to_owned(),
        };
        text.replace_range(start..=end, &value);
    }
    (!text.contains(['$', '*', '?'])).then_some(text)
}

/// `$(OBJECTS:.o=.c)`
fn changed(value: &str, from: &str, to: &str, left: &mut Left) -> Option<String> {
    left.spend(value.split_whitespace().count().saturating_mul(1 + to.len()))?;
    let swap = |word: &str| word.strip_suffix(from).map_or(word.to_owned(), |stem| format!("{stem}{to}"));
    Some(value.split_whitespace().map(swap).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::made_from;

    const TEXT: &str = "CC = gcc\nOBJS = main.o ring.o\n\nall: demo trace\n\ndemo: $(OBJS)\n\t$(CC) -o $@ $^\n\n\
                        trace: trace.c ring.h\n\t$(CC) -o $@ trace.c\n.PHONY: all clean\nclean:\n\trm -f demo\n";

    #[test]
    fn a_target_is_made_from_its_own_sources() {
        let demo = made_from(TEXT, &["demo"]).unwrap();
        assert!(demo.contains("main.c") && demo.contains("ring.c") && !demo.contains("trace.c"), "{demo:?}");
        let trace = made_from(TEXT, &["trace"]).unwrap();
        assert!(
            trace.contains("trace.c") && trace.contains("ring.h") && !trace.contains("main.c"),
            "{trace:?}"
        );
        let all = made_from(TEXT, &[]).unwrap();
        assert!(all.contains("trace.c") && all.contains("main.c"), "{all:?}");
    }

    #[test]
    fn patterns_are_followed() {
        let text = "all: bench\nbench: bench.o rle.o\n\tcc -o $@ $^\n%.o: %.c rle.h\n\tcc -c $<\n";
        let bench = made_from(text, &["bench"]).unwrap();
        assert!(bench.contains("rle.c") && bench.contains("rle.h") && !bench.contains("crc.c"), "{bench:?}");
    }

    #[test]
    fn what_is_not_plain_is_not_known() {
        for text in ["SRC = $(wildcard *.c)\nx: $(SRC)\n", "x: $(shell ls)\n", "include a.mk\nx: a\n"] {
            assert_eq!(made_from(text, &["x"]), None, "{text}");
        }
        assert_eq!(made_from(TEXT, &["other"]), None);
        assert_eq!(made_from("", &[]), None);
    }
    #[test]
    fn what_costs_more_than_a_makefile_is_worth_is_not_known() {
        let names = |count: usize| (0..count).map(|at| format!("a{at} ")).collect::<String>();
        let (ones, begun) = ("b ".repeat(200_000), std::time::Instant::now());
        for text in [
            format!("x: {}\n{}: {ones}\n", names(1500), names(1500)),
            format!("x: y\ny: {}\n{}: {ones}\n", names(1500), "% ".repeat(1000)),
            format!("A = {ones}\n{}x:\n", "$(A): c\n".repeat(20_000)),
            format!("A = {ones}\nx: $(A:b={})\n", "c".repeat(200_000)),
            format!("x: y\n%: {}%\n", "c".repeat(20_000)),
        ] {
            assert_eq!(made_from(&text, &["x"]), None, "{}", &text[..20]);
        }
        let rule = format!("{}: {ones}\nx: y\n", "a ".repeat(200_000));
        assert!(made_from(&rule, &["x"]).unwrap().contains("y"));
        // make puts the stem in the place of the first `%` alone.
        let doubled = made_from("x: y.o\n%.o: %.c %%\n", &["x"]).unwrap();
        assert!(doubled.contains("y.c") && doubled.contains("y%"), "{doubled:?}");
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }
}

//! What a Makefile says that a target is made from: an edited source of another target makes nothing of this one stale.
//!
//! Only plain rules are understood: names, variables with plain values, patterns, and the rules that make knows by itself for objects. Where a
//! Makefile has more than that, nothing is said, and every source counts.

use std::collections::{HashMap, HashSet};

/// Sources that an object is made from where no rule says so.
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx", "s", "f90"];
/// More turns than a sensible Makefile has.
const MOST: usize = 2000;

/// Everything that the targets are made from, and they themselves; the first rule's target where none is named.
pub(super) fn made_from(text: &str, targets: &[&str]) -> Option<HashSet<String>> {
    let text = text.replace("\\\n", " ");
    let mut variables: HashMap<&str, &str> = HashMap::new();
    let mut rules: Vec<(String, Vec<String>)> = Vec::new();
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
        let (made, from) = (expanded(made, &variables)?, expanded(from, &variables)?);
        // A recipe on the same line.
        let from = from.split(';').next().unwrap_or_default();
        for target in made.split_whitespace().filter(|target| *target != ".PHONY") {
            rules.push((target.to_owned(), from.split_whitespace().map(str::to_owned).collect()));
        }
    }
    let mut named = rules.iter().map(|(target, _)| target.as_str());
    let first = named.find(|target| !target.starts_with('.') && !target.contains('%'))?;
    let mut open: Vec<String> = match targets {
        [] => vec![first.to_owned()],
        targets => targets.iter().map(|target| (*target).to_owned()).collect(),
    };
    let mut reached: HashSet<String> = HashSet::new();
    while let Some(target) = open.pop() {
        if reached.len() > MOST {
            return None;
        }
        if !reached.insert(target.clone()) {
            continue;
        }
        let own: Vec<&(String, Vec<String>)> = rules.iter().filter(|(made, _)| *made == target).collect();
        open.extend(own.iter().flat_map(|(_, from)| from.iter().cloned()));
        for (pattern, from) in rules.iter().filter(|(made, _)| made.contains('%')) {
            let stem = pattern
                .split_once('%')
                .and_then(|(before, behind)| target.strip_prefix(before)?.strip_suffix(behind));
            open.extend(stem.into_iter().flat_map(|stem| from.iter().map(move |one| one.replace('%', stem))));
        }
        // What make does by itself.
        let stem = target.strip_suffix(".o").unwrap_or(&target);
        if target.ends_with(".o") || own.iter().all(|(_, from)| from.is_empty()) && !target.contains('.') {
            reached.extend(SOURCES.iter().map(|ending| format!("{stem}.{ending}")));
        }
    }
    // A target that no rule tells of is not known.
    let is_known = |target: &&str| rules.iter().any(|(made, _)| made == target);
    targets.iter().all(is_known).then_some(reached)
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
fn expanded(text: &str, variables: &HashMap<&str, &str>) -> Option<String> {
    let mut text = text.to_owned();
    for _ in 0..8 {
        let Some(start) = text.find("$(").or_else(|| text.find("${")) else { break };
        let end = start + text[start..].find([')', '}'])?;
        let (name, change) = match text[start + 2..end].split_once(':') {
            Some((name, change)) => (name, change.split_once('=')),
            None => (&text[start + 2..end], None),
        };
        let value = (*variables.get(name)?).to_owned();
        let value = match change {
            Some((from, to)) => {
                let swap = |word: &str| {
                    word.strip_suffix(from).map_or(word.to_owned(), |stem| format!("{stem}{to}"))
                };
                value.split_whitespace().map(swap).collect::<Vec<_>>().join(" ")
            }
            None => value,
        };
        text.replace_range(start..=end, &value);
    }
    (!text.contains(['$', '*', '?'])).then_some(text)
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
}

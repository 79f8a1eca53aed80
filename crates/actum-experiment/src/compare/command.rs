//! Compares two command lines by their options, so that the option that changed is named and not the whole line.

use std::collections::BTreeMap;

/// One argument that differs: its name, and its values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ArgumentDifference {
    pub what: String,
    pub one: Option<String>,
    pub other: Option<String>,
}

/// What differs between two commands. Never empty for two that are not the same.
pub(super) fn differences(one: &[String], other: &[String]) -> Vec<ArgumentDifference> {
    if one == other {
        return Vec::new();
    }
    let (first, second) = (by_name(one), by_name(other));
    let mut names: Vec<&String> = first.keys().chain(second.keys()).collect();
    names.sort();
    names.dedup();
    let named = names.into_iter().filter_map(|name| {
        let (one, other) = (first.get(name).cloned(), second.get(name).cloned());
        (one != other).then(|| ArgumentDifference { what: name.clone(), one, other })
    });
    let found: Vec<ArgumentDifference> = named.collect();
    if !found.is_empty() {
        return found;
    }
    let whole = |words: &[String]| Some(words.join(" "));
    vec![ArgumentDifference { what: "order".to_owned(), one: whole(one), other: whole(other) }]
}

/// Each option with its value, and each other word with its position. A second option of the same name has its number.
pub(crate) fn by_name(words: &[String]) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    let mut position = 0;
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if is_option(name) => (name.to_owned(), value.to_owned()),
            Some(_) | None if is_option(word) => {
                let value = rest.next_if(|next| !is_option(next)).cloned();
                (word.clone(), value.unwrap_or_else(|| "given".to_owned()))
            }
            Some(_) | None => {
                position += 1;
                (
                    if position == 1 { "program".to_owned() } else { format!("argument {}", position - 1) },
                    word.clone(),
                )
            }
        };
        let time = times.entry(name.clone()).or_insert(0);
        *time += 1;
        let name = if *time > 1 { format!("{name} ({time})") } else { name };
        values.insert(name, value);
    }
    values
}

/// `-1` and `-.5` are numbers.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_option_is_named() {
        let cases: &[(&str, &str, &[&str])] = &[
            ("python t.py --lr 0.1", "python t.py --lr 0.2", &["--lr"]),
            ("python t.py --lr=0.1", "python t.py --lr 0.2", &["--lr"]),
            ("python t.py --lr -1", "python t.py --lr -2", &["--lr"]),
            ("python t.py --fast", "python t.py", &["--fast"]),
            ("python t.py a", "python t.py b", &["argument 2"]),
            ("python t.py -x 1 -x 2", "python t.py -x 1 -x 3", &["-x (2)"]),
            ("python t.py --a 1 --b 2", "python t.py --b 2 --a 1", &["order"]),
            ("python t.py", "python3 t.py", &["program"]),
        ];
        for (one, other, expected) in cases {
            let found = differences(&words(one), &words(other));
            let names: Vec<&str> = found.iter().map(|found| found.what.as_str()).collect();
            assert_eq!(&names, expected, "{one} | {other}");
        }
    }

    proptest! {
        #[test]
        fn commands_that_differ_have_a_difference(
            one in proptest::collection::vec("[-=a-c1 ]{0,4}", 0..5),
            other in proptest::collection::vec("[-=a-c1 ]{0,4}", 0..5),
        ) {
            prop_assert_eq!(one == other, differences(&one, &other).is_empty());
        }
    }
}

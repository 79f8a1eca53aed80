//! How the parameters of a trial reach its command: by placeholders in its words, else by the names that the program knows. Pure.

use actum_sweep::Trial;

/// What a trial puts in the place of a placeholder, or sets by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    name: String,
    value: String,
    /// Only where a word has its placeholder: the program finds the seed by other ways.
    is_optional: bool,
}

/// Everything that one trial sets.
pub(super) fn assignments(trial: &Trial, budget: Option<(&str, u64)>) -> Vec<Assignment> {
    let required =
        |name: &str, value: String| Assignment { name: name.to_owned(), value, is_optional: false };
    let mut all: Vec<Assignment> =
        trial.parameters.iter().map(|(name, value)| required(name, value.to_string())).collect();
    all.extend(trial.split.iter().map(|split| required("split", split.clone())));
    all.extend(budget.map(|(name, budget)| required(name, budget.to_string())));
    let seed = Assignment { name: "seed".to_owned(), value: trial.seed.to_string(), is_optional: true };
    all.extend((!all.iter().any(|one| one.name == "seed")).then_some(seed));
    all
}

/// Fills the placeholders of the words, and gives what is left to be set by name: `lr=0.1`. A value that looks like a placeholder
/// is not filled again.
pub(super) fn fill(words: &mut [String], all: &[Assignment]) -> Vec<String> {
    let mut is_used = vec![false; all.len()];
    for word in words {
        *word = filled(word, all, &mut is_used);
    }
    let left = all.iter().zip(is_used).filter(|(one, is_used)| !is_used && !one.is_optional);
    left.map(|(one, _)| format!("{}={}", one.name, one.value)).collect()
}

fn filled(word: &str, all: &[Assignment], is_used: &mut [bool]) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let found = from.find('}').and_then(|close| {
            let at = all.iter().position(|one| one.name == from[1..close])?;
            Some((at, close))
        });
        match found {
            Some((at, close)) => {
                is_used[at] = true;
                out.push_str(&all[at].value);
                rest = &from[close + 1..];
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pairs: &[(&str, &str)]) -> Vec<Assignment> {
        let one = |(name, value): &(&str, &str)| Assignment {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
            is_optional: *name == "seed",
        };
        pairs.iter().map(one).collect()
    }

    #[test]
    fn placeholders_are_filled_and_the_rest_is_set() {
        let all = all(&[("lr", "0.1"), ("layers", "{lr}"), ("opt", "adam"), ("seed", "7")]);
        for (word, expected, left) in [
            ("--lr={lr}", "--lr=0.1", &["layers={lr}", "opt=adam"][..]),
            ("{lr}{layers}{opt}", "0.1{lr}adam", &[]),
            ("{\"lr\": {lr}, \"a\": {}}", "{\"lr\": 0.1, \"a\": {}}", &["layers={lr}", "opt=adam"]),
            ("{output}/{seed}", "{output}/7", &["lr=0.1", "layers={lr}", "opt=adam"]),
            ("{{lr}", "{0.1", &["layers={lr}", "opt=adam"]),
            ("{", "{", &["lr=0.1", "layers={lr}", "opt=adam"]),
        ] {
            let mut words = [word.to_owned()];
            assert_eq!(fill(&mut words, &all), left, "{word}");
            assert_eq!(words, [expected], "{word}");
        }
    }

    proptest! {
        #[test]
        fn words_without_placeholders_stay(word in "[^{]*") {
            let mut words = [word.clone()];
            fill(&mut words, &all(&[("lr", "1")]));
            prop_assert_eq!(&words[0], &word);
        }

        #[test]
        fn nothing_makes_it_panic(word in "[{}a-c]{0,20}") {
            fill(&mut [word], &all(&[("a", "{b}"), ("b", "{a}")]));
        }
    }
}

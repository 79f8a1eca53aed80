//! Names that may have been meant by one that is not known.

/// At most so many are named.
const MOST: usize = 3;

/// Longer names are not compared letter by letter.
const LONGEST: usize = 64;

/// The nearest of the known names, the best first: the same last part elsewhere, other separators, an abbreviation, a slip.
pub fn names(wanted: &str, known: &[String]) -> Vec<String> {
    let mut scored: Vec<(usize, &String)> =
        known.iter().filter_map(|name| Some((score(wanted, name)?, name))).collect();
    scored.sort_by(|one, other| {
        one.0.cmp(&other.0).then_with(|| one.1.len().cmp(&other.1.len())).then(one.1.cmp(other.1))
    });
    scored.dedup_by(|one, other| one.1 == other.1);
    scored.into_iter().take(MOST).map(|(_, name)| name.clone()).collect()
}

/// Less is nearer; nothing for what is not near at all.
fn score(wanted: &str, name: &str) -> Option<usize> {
    let (outer, last) = parts(wanted);
    let (known_outer, known_last) = parts(name);
    if last.is_empty() || known_last.is_empty() {
        return None;
    }
    // A name elsewhere in the tree is a little further.
    let away = usize::from(outer != known_outer);
    let (plain, known) = (plain(last), plain(known_last));
    if plain == known {
        return Some(away);
    }
    if initials(known_last) == plain || initials(last) == known {
        return Some(1 + away);
    }
    let is_part = plain.len() >= 3 && known.contains(&plain) || known.len() >= 3 && plain.contains(&known);
    if is_part {
        return Some(2 + away);
    }
    let most = (plain.chars().count() / 3).max(1);
    let whole = distance(&plain, &known).filter(|distance| *distance <= most && *distance < plain.len())?;
    Some(2 + whole + away)
}

fn parts(path: &str) -> (&str, &str) {
    let path = path.trim_start_matches('-');
    path.rsplit_once('.').unwrap_or(("", path))
}

fn plain(name: &str) -> String {
    name.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `lr` of `learning_rate`
fn initials(name: &str) -> String {
    let words = name.split(['_', '-']).filter(|word| !word.is_empty());
    let letters: String = words.filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect();
    if letters.chars().count() > 1 { letters } else { String::new() }
}

/// How many letters differ, where two neighbours that changed places count once. Nothing for long names.
fn distance(one: &str, other: &str) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().max(other.len()) > LONGEST {
        return None;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut now = vec![row + 1];
        for (column, known) in other.iter().enumerate() {
            let changed = last[column] + usize::from(letter != known);
            let mut best = changed.min(last[column + 1] + 1).min(now[column] + 1);
            let is_swap = row > 0 && column > 0 && one[row - 1] == *known && *letter == other[column - 1];
            if is_swap && let Some(before) = before_last.get(column - 1) {
                best = best.min(before + 1);
            }
            now.push(best);
        }
        before_last = std::mem::replace(&mut last, now);
    }
    last.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_meant_is_named() {
        let known: Vec<String> =
            ["model.learning_rate", "model.layers", "train.batch_size", "seed", "data.path", "optimizer.lr"]
                .map(str::to_owned)
                .to_vec();
        let cases: &[(&str, &[&str])] = &[
            ("model.lr", &["optimizer.lr", "model.learning_rate"]),
            ("model.learningrate", &["model.learning_rate"]),
            ("batch-size", &["train.batch_size"]),
            ("sede", &["seed"]),
            ("model.layer", &["model.layers"]),
            ("data.paht", &["data.path"]),
            ("zzz", &[]),
            ("", &[]),
            ("--seeed", &["seed"]),
            ("bs", &["train.batch_size"]),
        ];
        for (wanted, expected) in cases {
            assert_eq!(names(wanted, &known), *expected, "{wanted}");
        }
    }
}

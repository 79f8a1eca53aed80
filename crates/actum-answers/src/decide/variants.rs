//! Blocks that stand side by side under titles of one kind: systems, package managers, languages, versions of Python, numbered ways.
//!
//! One of them is meant. Of systems it is the one that this house runs on, of versions the newer, else the first. A title counts only
//! where it says nothing else: "on Windows too" in a sentence is no title.

use super::Case;

/// What the titles of a group tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    System,
    Manager,
    Language,
    Python,
    Way,
}

/// A title: of which kind, and which of them it names. The lowest number is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Title {
    kind: Kind,
    ranks: Vec<u8>,
}

/// The best first: this house runs on Linux, and what is meant for macOS often does too.
const SYSTEMS: [(&str, u8); 17] = [
    ("linux", 0),
    ("ubuntu", 0),
    ("debian", 0),
    ("fedora", 0),
    ("unix", 0),
    ("wsl", 0),
    ("bash", 0),
    ("macos", 1),
    ("mac", 1),
    ("osx", 1),
    ("homebrew", 1),
    ("zsh", 1),
    ("windows", 2),
    ("powershell", 2),
    ("cmd", 2),
    ("cmd.exe", 2),
    ("prompt", 2),
];
const MANAGERS: [&str; 12] =
    ["npm", "yarn", "pnpm", "bun", "pip", "conda", "uv", "poetry", "pipenv", "maven", "gradle", "mamba"];
const LANGUAGES: [(&str, &str); 20] = [
    ("python", "python"),
    ("javascript", "javascript"),
    ("js", "javascript"),
    ("node", "javascript"),
    ("node.js", "javascript"),
    ("nodejs", "javascript"),
    ("typescript", "typescript"),
    ("ruby", "ruby"),
    ("perl", "perl"),
    ("php", "php"),
    ("lua", "lua"),
    ("r", "r"),
    ("julia", "julia"),
    ("go", "go"),
    ("golang", "go"),
    ("rust", "rust"),
    ("java", "java"),
    ("c", "c"),
    ("c++", "cpp"),
    ("cpp", "cpp"),
];
/// Words of a title that tell nothing apart.
const FILLING: [&str; 30] = [
    "on",
    "for",
    "in",
    "with",
    "using",
    "if",
    "you",
    "you're",
    "are",
    "use",
    "and",
    "or",
    "the",
    "users",
    "user",
    "version",
    "example",
    "solution",
    "implementation",
    "code",
    "systems",
    "system",
    "same",
    "via",
    "command",
    "terminal",
    "shell",
    "here",
    "is",
    "case",
];
/// A title has no more words.
const LONGEST: usize = 8;

/// Settles what stands beside the one that is meant.
pub(super) fn judge(cases: &mut [Case<'_>]) {
    let programs: Vec<usize> = (0..cases.len()).filter(|index| cases[*index].is_program()).collect();
    let titles: Vec<Option<Title>> = programs.iter().map(|index| title_of(&cases[*index])).collect();
    let mut first = 0;
    while first < programs.len() {
        let Some(kind) = titles[first].as_ref().map(|title| title.kind) else {
            first += 1;
            continue;
        };
        // What uses the names of another way goes on with it.
        let goes_on = |title: &Option<Title>| title.as_ref().is_some_and(|title| title.kind == kind);
        let length = titles[first..].iter().take_while(|title| goes_on(title)).count();
        let group: Vec<(usize, &Title)> =
            (first..first + length).filter_map(|at| Some((programs[at], titles[at].as_ref()?))).collect();
        settle(cases, &group);
        first += length;
    }
}

fn settle(cases: &mut [Case<'_>], group: &[(usize, &Title)]) {
    let Some((_, first)) = group.first() else { return };
    let is_own = |rank: &u8, index: usize| LANGUAGES[usize::from(*rank)].1 == cases[index].block.language;
    let is_said = |(index, title): &(usize, &Title)| title.ranks.iter().all(|rank| is_own(rank, *index));
    let best = match first.kind {
        Kind::System | Kind::Python => group.iter().flat_map(|(_, title)| title.ranks.iter().copied()).min(),
        Kind::Language if !group.iter().all(is_said) => None,
        Kind::Manager | Kind::Language | Kind::Way => first.ranks.first().copied(),
    };
    let Some(best) = best else { return };
    let is_meant = |title: &Title| title.ranks.contains(&best);
    let Some((taken, _)) = group.iter().find(|(_, title)| is_meant(title)) else { return };
    let number = cases[*taken].block.index;
    let why = match first.kind {
        Kind::System => format!("it is for another system than block {number}"),
        Kind::Manager | Kind::Language | Kind::Python | Kind::Way => {
            format!("it is an alternative to block {number}, which is used")
        }
    };
    for (index, title) in group {
        let lacks = cases[*index].reading.as_ref().is_some_and(|reading| !reading.unbound.is_empty());
        // What uses the names of another way goes on with it.
        let goes_on = title.kind == Kind::Way && lacks;
        if !is_meant(title) && !goes_on {
            cases[*index].block.instead_of = Some(number);
            cases[*index].skip(why.clone());
        }
    }
}

/// The title of a block: what stands right before it, else the heading that it stands below.
fn title_of(case: &Case<'_>) -> Option<Title> {
    let before = &case.piece.before;
    let last = before.text.trim().rsplit('\n').next().unwrap_or_default();
    title(last).or_else(|| title(&before.heading))
}

fn title(text: &str) -> Option<Title> {
    if text.len() > 120 {
        return None;
    }
    let lower = text.to_lowercase();
    let is_apart = |letter: char| letter.is_whitespace() || ",/()*#`:&|[]".contains(letter);
    let words: Vec<&str> = lower
        .split(is_apart)
        .map(|word| word.trim_end_matches(['.', ')']))
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() > LONGEST {
        return None;
    }
    way(&words).or_else(|| named(&words))
}

/// `1. Using a loop`, `2. With a library`: the number is the way.
fn way(words: &[&str]) -> Option<Title> {
    let (number, rest) = words.split_first()?;
    let rank = number.parse::<u8>().ok()?;
    let is_way = matches!(*rest.first()?, "using" | "with" | "via" | "by");
    is_way.then(|| Title { kind: Kind::Way, ranks: vec![rank] })
}

/// A title in which every word is a name of one kind, or fills.
fn named(words: &[&str]) -> Option<Title> {
    if let [.., "python", version] = words
        && let Some(rank) = python(version)
        && words[..words.len() - 2].iter().all(|word| FILLING.contains(word))
    {
        return Some(Title { kind: Kind::Python, ranks: vec![rank] });
    }
    let names: Vec<&&str> =
        words.iter().filter(|word| !FILLING.contains(word) && word.parse::<u8>().is_err()).collect();
    let at = |position: Option<usize>| position.and_then(|at| u8::try_from(at).ok());
    let rank = |kind: Kind, word: &str| match kind {
        Kind::System => SYSTEMS.iter().find(|(name, _)| *name == word).map(|(_, rank)| *rank),
        Kind::Manager => at(MANAGERS.iter().position(|name| *name == word)),
        Kind::Language => at(LANGUAGES.iter().position(|(name, _)| *name == word)),
        Kind::Python | Kind::Way => None,
    };
    [Kind::System, Kind::Manager, Kind::Language].into_iter().find_map(|kind| {
        let ranks: Vec<u8> = names.iter().map(|word| rank(kind, word)).collect::<Option<_>>()?;
        (!ranks.is_empty()).then_some(Title { kind, ranks })
    })
}

/// The newer the lower.
fn python(version: &str) -> Option<u8> {
    match version.split('.').next()? {
        "3" => Some(0),
        "2" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_say_nothing_else() {
        for (text, kind, ranks) in [
            ("On Linux or macOS:", Kind::System, vec![0, 1]),
            ("### Windows (PowerShell)", Kind::System, vec![2, 2]),
            ("**macOS / Linux**", Kind::System, vec![1, 0]),
            ("Using yarn:", Kind::Manager, vec![1]),
            ("For Python 2:", Kind::Python, vec![1]),
            ("Python 3.11", Kind::Python, vec![0]),
            ("In JavaScript:", Kind::Language, vec![1]),
            ("2. Using a dictionary", Kind::Way, vec![2]),
        ] {
            assert_eq!(title(text), Some(Title { kind, ranks }), "{text}");
        }
        for text in [
            "Then look at it, on Windows too:",
            "Run the server with npm start:",
            "Install Python 3 on Linux first",
            "2. Load the numbers",
            "In this case:",
            "",
        ] {
            assert_eq!(title(text), None, "{text}");
        }
    }
}

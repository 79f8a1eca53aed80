//! The words after `cargo xtask corpus`.

use super::sample::Sample;
use crate::error::Error;

/// Which samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// Solutions of tasks with unit tests, in Python, with packages.
    BigCodeBench,
    /// Small programs in nine languages, some of them wrong or cut off.
    Small,
    /// Answers of models, in Markdown.
    Answers,
}

impl Set {
    pub fn name(self) -> &'static str {
        match self {
            Set::BigCodeBench => "bigcodebench",
            Set::Small => "small",
            Set::Answers => "answers",
        }
    }

    pub fn file(self) -> &'static str {
        match self {
            Set::BigCodeBench => "bigcodebench.jsonl",
            Set::Small => "small-tasks.jsonl",
            Set::Answers => "model-answers.jsonl",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The folder of samples: `--samples`, else the variable, else beside the repository.
    pub samples: String,
    pub set: Set,
    pub from: usize,
    pub count: Option<usize>,
    /// Only what has one of these words in its name or is of this language.
    pub only: Vec<String>,
    pub jobs: usize,
    /// The program to try in place of the one that is built from this tree.
    pub binary: Option<String>,
    /// Where each result is written as it comes, and where an interrupted round goes on.
    pub results: Option<String>,
}

/// Where samples are, when nobody says so.
const VARIABLE: &str = "ACTUM_SAMPLES";
const BESIDE: &str = "../shared/samples";

impl Asked {
    /// `[--set NAME] [--samples FOLDER] [--from N] [--count N] [--only WORD]… [--jobs N] [--binary FILE]
    /// [--json FILE]`
    pub fn read(arguments: &[String]) -> Result<Asked, Error> {
        let refused = || Error::Arguments { given: format!("corpus {}", arguments.join(" ")) };
        let number = |text: &str| text.parse::<usize>().map_err(|_| refused());
        let mut asked = Asked {
            samples: std::env::var(VARIABLE).unwrap_or_else(|_| BESIDE.to_owned()),
            set: Set::BigCodeBench,
            from: 0,
            count: None,
            only: Vec::new(),
            jobs: 2,
            binary: None,
            results: None,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(refused)?;
            match word.as_str() {
                "--samples" => asked.samples.clone_from(value),
                "--set" => asked.set = set(value).ok_or_else(refused)?,
                "--from" => asked.from = number(value)?,
                "--count" => asked.count = Some(number(value)?),
                "--only" => asked.only.push(value.clone()),
                "--jobs" => asked.jobs = number(value)?,
                "--binary" => asked.binary = Some(value.clone()),
                "--json" => asked.results = Some(value.clone()),
                _ => return Err(refused()),
            }
        }
        Ok(asked)
    }

    /// The samples that are meant.
    pub fn choose(&self, samples: Vec<Sample>) -> Vec<Sample> {
        let is_meant = |sample: &Sample| {
            self.only.is_empty() || self.only.iter().any(|word| sample.id == *word || sample.class == *word)
        };
        let meant = samples.into_iter().filter(is_meant).skip(self.from);
        meant.take(self.count.unwrap_or(usize::MAX)).collect()
    }

    /// Whether figures of this round are figures of the whole set, and of the commit that is checked out.
    pub fn is_whole(&self) -> bool {
        self.only.is_empty() && self.from == 0 && self.count.is_none() && self.binary.is_none()
    }
}

fn set(name: &str) -> Option<Set> {
    [Set::BigCodeBench, Set::Small, Set::Answers].into_iter().find(|set| set.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Asked, Error> {
        Asked::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_read_and_odd_ones_refused() {
        let asked =
            read("--set small --from 3 --count 2 --only java --only x/1 --jobs 4 --json out").unwrap();
        assert_eq!((asked.set, asked.from, asked.count, asked.jobs), (Set::Small, 3, Some(2), 4));
        assert_eq!(asked.only, ["java", "x/1"]);
        assert_eq!(asked.results.as_deref(), Some("out"));
        assert!(!asked.is_whole() && read("--jobs 1").unwrap().is_whole());
        assert!(!read("--binary actum").unwrap().is_whole(), "nobody knows its commit");
        for odd in ["--set none", "--from x", "--count", "java"] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }
}

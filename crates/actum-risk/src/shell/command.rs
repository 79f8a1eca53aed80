//! One command with its name, as the rules see it.

use super::super::found::{Found, Reach, Weight, shown};
use super::split::Word;
use actum_model::OperationKind;
use std::rc::Rc;

/// What a command reads that is written in the script itself.
#[derive(Debug, Clone)]
pub(super) struct Fed {
    pub(super) text: String,
    /// The line of the source where it begins.
    pub(super) line: u32,
    /// It comes from the network instead.
    pub(super) downloaded: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Command<'a> {
    pub(super) words: &'a [Word],
    /// The whole command as it is written.
    pub(super) written: String,
    pub(super) line: u32,
    /// Shared: a wrapper and what it starts read the same.
    pub(super) fed: Option<Rc<Fed>>,
}

impl<'a> Command<'a> {
    pub(super) fn new(words: &'a [Word], written: Option<&str>, line: u32, fed: Option<Fed>) -> Self {
        Self { words, written: shown(written.unwrap_or_default()), line, fed: fed.map(Rc::new) }
    }

    /// The same command from its `skip`th word on: what a wrapper starts.
    pub(super) fn from(&self, skip: usize) -> Command<'a> {
        Command { words: self.words.get(skip..).unwrap_or_default(), ..self.clone() }
    }

    /// A part of the words as a command of its own.
    pub(super) fn of(&self, words: &'a [Word]) -> Command<'a> {
        Command { words, ..self.clone() }
    }

    /// The last part of the first word's path; empty where it is computed.
    pub(super) fn name(&self) -> &'a str {
        match self.words.first() {
            Some(word) if !word.dynamic => word.text.rsplit('/').next().unwrap_or_default(),
            Some(_) | None => "",
        }
    }

    pub(super) fn arguments(&self) -> &'a [Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The arguments that are no options.
    pub(super) fn operands(&self) -> impl Iterator<Item = &'a Word> + use<'a> {
        self.arguments().iter().filter(|word| !is_option(word))
    }

    /// The `n`th operand, as text; empty where there is none or it is computed.
    pub(super) fn operand(&self, n: usize) -> &'a str {
        self.operands().nth(n).filter(|word| !word.dynamic).map_or("", |word| word.text.as_str())
    }

    /// Whether an option is there: `-r` also within `-xrf`, `--recursive` also with a value.
    pub(super) fn has(&self, short: char, long: &str) -> bool {
        self.arguments().iter().any(|word| {
            let text = word.text.as_str();
            match (text.strip_prefix("--"), text.strip_prefix('-')) {
                (Some(name), _) => !long.is_empty() && name.split('=').next() == Some(long),
                (None, Some(letters)) => short != '\0' && letters.contains(short),
                (None, None) => false,
            }
        })
    }

    /// The value of an option: the next word, or what follows `=`, or what is joined to a short one.
    pub(super) fn value(&self, short: &'a str, long: &'a str) -> Option<&'a str> {
        self.values(short, long).next()
    }

    pub(super) fn values(&self, short: &'a str, long: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        let arguments = self.arguments();
        arguments.iter().enumerate().filter_map(move |(index, word)| {
            let text = word.text.as_str();
            if text == short || (!long.is_empty() && text == long) {
                return arguments.get(index + 1).map(|next| next.text.as_str());
            }
            let joined = (!long.is_empty()).then(|| text.strip_prefix(long)?.strip_prefix('=')).flatten();
            let attached = || {
                text.strip_prefix(short)
                    .filter(|rest| short.len() == 2 && !rest.is_empty() && !text.starts_with("--"))
            };
            joined.or_else(attached)
        })
    }

    pub(super) fn found(&self, kind: OperationKind, weight: Weight, reach: Reach) -> Found {
        Found { kind, what: self.written.clone(), line: self.line, weight, reach }
    }

    pub(super) fn plain(&self, kind: OperationKind) -> Found {
        self.found(kind, Weight::Plain, Reach::Unknown)
    }

    pub(super) fn grave(&self, kind: OperationKind) -> Found {
        self.found(kind, Weight::Grave, Reach::Unknown)
    }
}

pub(super) fn is_option(word: &Word) -> bool {
    word.text.len() > 1 && word.text.starts_with('-')
}

/// What a word names as a path.
pub(super) fn reach_of(word: &Word) -> Reach {
    let reach = Reach::of_path(&word.text);
    if word.dynamic && reach == Reach::Workspace { Reach::Unknown } else { reach }
}

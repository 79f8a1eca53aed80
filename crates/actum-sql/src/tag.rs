//! The line that closes a statement without rows, as `psql` words it: `INSERT 0 3`, `CREATE TABLE`.

/// What a statement is, by its first words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verb {
    Insert,
    Update,
    Delete,
    /// Any other, with the words of its tag.
    Other(String),
}

impl Verb {
    pub(crate) fn of(statement: &str) -> Self {
        let words = words(statement);
        let first = words.first().map_or("", |(word, _)| word.as_str());
        match first {
            "WITH" => {
                let main = words.iter().skip(1).find(|(word, depth)| {
                    *depth == 0
                        && matches!(
                            word.as_str(),
                            "SELECT" | "INSERT" | "REPLACE" | "UPDATE" | "DELETE" | "VALUES"
                        )
                });
                Self::by_word(main.map_or("SELECT", |(word, _)| word.as_str()))
            }
            "CREATE" | "DROP" | "ALTER" => {
                let skipped = ["TEMP", "TEMPORARY", "UNIQUE", "VIRTUAL"];
                let object =
                    words.iter().skip(1).map(|(word, _)| word.as_str()).find(|word| !skipped.contains(word));
                Self::Other(object.map_or_else(|| first.to_owned(), |object| format!("{first} {object}")))
            }
            "ATTACH" | "DETACH" => Self::Other(format!("{first} DATABASE")),
            "END" => Self::Other("COMMIT".to_owned()),
            other => Self::by_word(other),
        }
    }

    fn by_word(word: &str) -> Self {
        match word {
            "INSERT" | "REPLACE" => Self::Insert,
            "UPDATE" => Self::Update,
            "DELETE" => Self::Delete,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The tag, with the rows that were changed.
    pub(crate) fn tag(&self, changed: u64) -> String {
        match self {
            Self::Insert => format!("INSERT 0 {changed}"),
            Self::Update => format!("UPDATE {changed}"),
            Self::Delete => format!("DELETE {changed}"),
            Self::Other(words) => words.clone(),
        }
    }

    /// Whether the tag is shown after rows as well: a statement with `RETURNING`.
    pub(crate) fn changes_rows(&self) -> bool {
        match self {
            Self::Insert | Self::Update | Self::Delete => true,
            Self::Other(_) => false,
        }
    }
}

/// The words outside of quotes and comments, in capitals, with the parentheses around them. Enough of them to tell.
fn words(statement: &str) -> Vec<(String, usize)> {
    let mut words = Vec::new();
    let (mut depth, mut rest) = (0_usize, statement);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\'' | '"' | '`' => 1 + rest[1..].find(c).map_or(rest.len() - 1, |at| at + 1),
            '[' => rest.find(']').map_or(rest.len(), |at| at + 1),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |at| at + 4),
            _ if c == '_' || c.is_alphanumeric() => {
                let length = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                words.push((rest[..length].to_ascii_uppercase(), depth));
                length
            }
            _ => {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                c.len_utf8()
            }
        };
        rest = &rest[length..];
        // Only behind WITH more than the first few matter.
        if words.len() >= 4 && words[0].0 != "WITH" {
            break;
        }
    }
    words
}

//! Looks at code before it runs: which of its operations would change state that outlives the run.
//!
//! [`inspect`] reads words, not syntax trees: comments and strings are told apart from code, commands and calls are
//! recognised by name, and what they carry for another language (`bash -c '…'`, `execute("DELETE …")`) is looked at in
//! that language. [`judge`] weighs what was found by what the walls let through, [`question`] words it for a person.
//!
//! A look is not a wall. A name that is computed, an alias or an encoded string passes unseen; see
//! docs/design/approval.md. Pure: no clock, no files, no variables. Linear in the length of the code.

mod calls;
mod embedded;
mod found;
mod judge;
mod question;
mod shell;
mod sql;
mod timeout;
mod tokens;

pub use found::{Found, Inspection, Reach, Weight};
pub use judge::{Database, Setting, judge};
pub use question::question;
pub use timeout::{TimeoutError, check_timeout};

use actum_model::Seen;
use found::Findings;

/// 2 MiB: longer than any program that a person wrote by hand. More is data, and would only cost time.
const LONGEST: usize = 2 << 20;

/// How deep languages are followed into each other: `bash -c "python -c \"os.system('…')\""` is three.
const DEEPEST: u8 = 6;

/// Looks at one program. `language` is any of the names and extensions that the language has.
pub fn inspect(language: &str, code: &str) -> Inspection {
    let read = beginning(code);
    let seen = if read.len() < code.len() { Seen::Beginning } else { Seen::Whole };
    let mut findings = Findings::default();
    match Tongue::of(language) {
        Some(tongue) => embedded::look(tongue, read, Place::FIRST, &mut findings),
        None => return Inspection { seen: Seen::Nothing, ..Inspection::default() },
    }
    findings.finish(seen)
}

/// Looks at one command that is started without a shell: its name and arguments.
pub fn inspect_command(words: &[String]) -> Inspection {
    let mut findings = Findings::default();
    shell::look_at_words(words, Place::FIRST, &mut findings);
    findings.finish(Seen::Whole)
}

/// Where a piece of code begins in the source, and how many languages lie around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    line: u32,
    depth: u8,
}

impl Place {
    const FIRST: Place = Place { line: 1, depth: 0 };

    /// A piece within this one that begins at `line` of the source; none where it is too deep to follow.
    fn within(self, line: u32) -> Option<Place> {
        (self.depth < DEEPEST).then_some(Place { line, depth: self.depth + 1 })
    }
}

/// A way of reading code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tongue {
    Shell,
    Sql,
    Calls(calls::Language),
}

impl Tongue {
    fn of(name: &str) -> Option<Self> {
        use calls::Language as Of;
        Some(match name.to_ascii_lowercase().as_str() {
            "bash" | "sh" | "shell" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "shellscript" | "console"
            | "posix" => Self::Shell,
            "sql" | "sqlite" | "sqlite3" | "postgresql" | "postgres" | "psql" | "pgsql" | "mysql" => {
                Self::Sql
            }
            "python" | "python3" | "py" | "pyw" | "ipython" => Self::Calls(Of::Python),
            "javascript" | "js" | "mjs" | "cjs" | "jsx" | "node" | "typescript" | "ts" | "mts" | "cts"
            | "tsx" | "deno" | "bun" => Self::Calls(Of::JavaScript),
            "ruby" | "rb" => Self::Calls(Of::Ruby),
            "perl" | "pl" | "pm" => Self::Calls(Of::Perl),
            "php" => Self::Calls(Of::Php),
            "lua" => Self::Calls(Of::Lua),
            "r" | "rscript" => Self::Calls(Of::R),
            "julia" | "jl" => Self::Calls(Of::Julia),
            "go" | "golang" => Self::Calls(Of::Go),
            "rust" | "rs" => Self::Calls(Of::Rust),
            "c" | "h" | "c++" | "cpp" | "cc" | "cxx" | "hpp" => Self::Calls(Of::C),
            "java" => Self::Calls(Of::Java),
            _ => return None,
        })
    }
}

/// The part that is looked at, cut between characters.
fn beginning(code: &str) -> &str {
    &code[..code.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests;

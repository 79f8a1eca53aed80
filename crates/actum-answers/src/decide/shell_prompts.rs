//! What was typed at a shell, told by its prompts, and what was printed then.
//!
//! A session of another machine or of another program (`C:\>`, `PS>`, `mysql>`, two hosts) is none that can be repeated here.

use super::goes_on::Typing;
use super::prompts::finished;
use super::unlabelled;
use actum_model::Example;

/// What a text is, looked at as a session at a shell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Session {
    /// Each command, and what it printed.
    Commands(Vec<Example>),
    /// It is one, but of another kind: what it was typed at.
    Elsewhere(&'static str),
    /// It is none.
    None,
}

/// Whether a bare `#` can be a prompt: in a session it is root's, in a script it begins a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    MayType,
    Comments,
}

/// Prompts of programs that are no shell.
const PROGRAMS: [&str; 22] = [
    "mysql>",
    "MariaDB [",
    "sqlite>",
    "redis>",
    "mongo>",
    "test> ",
    "ftp>",
    "sftp>",
    "telnet>",
    "ghci>",
    "Prelude>",
    "scala>",
    "jshell>",
    "julia>",
    "octave:",
    "cqlsh>",
    "hive>",
    "(gdb)",
    "(Pdb)",
    "(lldb)",
    "irb(main)",
    "127.0.0.1:6379>",
];

/// Reads a session. A text is one where its first line, apart from notes, has a prompt.
pub(super) fn read(code: &str, root: Root) -> Session {
    if let Some(elsewhere) = code.lines().find_map(elsewhere) {
        let is_session = code.lines().any(|line| prompt(line).is_some());
        return if is_session || root == Root::MayType {
            Session::Elsewhere(elsewhere)
        } else {
            Session::None
        };
    }
    let is_note = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let first = code.lines().find(|line| !is_note(line));
    let is_marked = first.is_some_and(|line| prompt(line).is_some());
    match (is_marked, root) {
        (true, _) => commands(code, &prompt),
        (false, Root::MayType) if is_typed_by_root(code) => commands(code, &root_prompt),
        (false, Root::MayType | Root::Comments) => Session::None,
    }
}

fn commands(code: &str, prompt: &dyn Fn(&str) -> Option<Prompt<'_>>) -> Session {
    let mut examples: Vec<Example> = Vec::new();
    let mut host: Option<&str> = None;
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(typed) = prompt(line) else {
            if let Some(last) = examples.last_mut() {
                last.output.push_str(line);
                last.output.push('\n');
            }
            continue;
        };
        if host.is_some() && typed.host.is_some() && host != typed.host {
            return Session::Elsewhere("several machines");
        }
        host = host.or(typed.host);
        let mut command = typed.command.to_owned();
        let mut typing = Typing::default();
        typing.pass(&command);
        while typing.goes_on() {
            let Some(more) = lines.next_if(|next| prompt(next).is_none()) else { break };
            let more = more.strip_prefix("> ").unwrap_or(if more == ">" { "" } else { more });
            typing.pass(more);
            command.push('\n');
            command.push_str(more);
        }
        examples.push(Example { code: command, output: String::new() });
    }
    examples.iter_mut().for_each(without_notes);
    examples.retain(|one| !one.code.trim().is_empty());
    Session::Commands(finished(examples))
}

/// A note that stands before the next command is no output of the one before.
fn without_notes(example: &mut Example) {
    let mut kept = example.output.trim_end();
    loop {
        let last = kept.rfind('\n').map_or(0, |at| at + 1);
        if !kept[last..].starts_with("# ") {
            break;
        }
        kept = kept[..last].trim_end();
    }
    let length = kept.len();
    example.output.truncate(length);
}

/// What stands before a command.
struct Prompt<'l> {
    host: Option<&'l str>,
    command: &'l str,
}

/// `$ ls`, `(venv) $ ls`, `user@host:~/x$ ls`, `[user@host x]# ls`, `user@host ~ % ls`.
fn prompt(line: &str) -> Option<Prompt<'_>> {
    let line = line.trim_start();
    let line = without_environment(line);
    if let Some(command) = bare(line, '$') {
        return Some(Prompt { host: None, command });
    }
    let (before, command) = ["$ ", "# ", "% "].iter().find_map(|mark| split(line, mark))?;
    let inner = before.trim_start_matches('[').trim_end_matches([']', ' ']);
    let (user, place) = inner.split_once('@')?;
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.'))
    };
    let host = place.split([':', ' ']).next().unwrap_or_default();
    let has_place = place.len() > host.len();
    (is_name(user) && is_name(host) && has_place).then_some(Prompt { host: Some(host), command })
}

/// The mark that ends a prompt stands near its beginning, or it is something else.
fn split<'l>(line: &'l str, mark: &str) -> Option<(&'l str, &'l str)> {
    let end = line.char_indices().nth(100).map_or(line.len(), |(at, _)| at);
    let at = line[..end].find(mark)?;
    Some((&line[..at], &line[at + mark.len()..]))
}

/// What stands behind a mark that is the whole prompt.
fn bare(line: &str, mark: char) -> Option<&str> {
    let rest = line.strip_prefix(mark)?;
    rest.strip_prefix(' ').or(rest.is_empty().then_some(""))
}

/// `(venv) $ ls` without the name of the environment.
fn without_environment(line: &str) -> &str {
    let inner = line.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    let is_name = |name: &str| {
        name.len() < 40 && name.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter))
    };
    inner.filter(|(name, _)| is_name(name)).map_or(line, |(_, rest)| rest)
}

fn root_prompt(line: &str) -> Option<Prompt<'_>> {
    bare(line, '#').map(|command| Prompt { host: None, command })
}

/// Whether lines behind `#` are commands and no comments: the first line is one, and each begins with a command that is known.
fn is_typed_by_root(code: &str) -> bool {
    let mut typed = code.lines().filter_map(|line| bare(line, '#'));
    let begins = code.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("# "));
    begins && typed.all(|command| command.is_empty() || unlabelled::is_command(command))
}

/// The machine or program, other than a shell of this kind, at which a line was typed.
fn elsewhere(line: &str) -> Option<&'static str> {
    let line = without_environment(line.trim_start());
    let is_drive = |line: &str| {
        let mut letters = line.chars();
        letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
            && letters.next() == Some(':')
            && letters.next() == Some('\\')
    };
    let path = line.strip_prefix("PS ").unwrap_or(line);
    match () {
        () if line.starts_with("PS>") || (is_drive(path) && path.contains('>')) => Some("Windows"),
        () if line.starts_with(">>>") || line.starts_with("In [") => Some("an interpreter"),
        () if PROGRAMS.iter().any(|known| line.starts_with(known)) => Some("another program"),
        () if line
            .split_once("=# ")
            .or_else(|| line.split_once("=> "))
            .is_some_and(|(name, _)| is_database(name)) =>
        {
            Some("a database")
        }
        () => None,
    }
}

/// `postgres=# select 1;`
fn is_database(name: &str) -> bool {
    (1..40).contains(&name.len())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: &str, root: Root) -> Vec<(String, String)> {
        match read(code, root) {
            Session::Commands(examples) => examples.into_iter().map(|one| (one.code, one.output)).collect(),
            Session::Elsewhere(what) => vec![("elsewhere".to_owned(), what.to_owned())],
            Session::None => Vec::new(),
        }
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(code, output)| ((*code).to_owned(), (*output).to_owned())).collect()
    }

    #[test]
    fn commands_and_their_output() {
        let cases: [(&str, &[(&str, &str)]); 14] = [
            ("$ echo a\na\n$ ls\n", &[("echo a", "a\n"), ("ls", "")]),
            ("# first\n$ echo a \\\n> b\na b\n", &[("echo a \\\nb", "a b\n")]),
            ("me@box:~/x$ pwd\n/x\n", &[("pwd", "/x\n")]),
            ("[me@box x]$ pwd\n/x\n", &[("pwd", "/x\n")]),
            ("me@mac ~ % pwd\n/x\n", &[("pwd", "/x\n")]),
            ("(venv) $ pwd\n/x\n", &[("pwd", "/x\n")]),
            ("(base) me@box:~$ pwd\n/x\n", &[("pwd", "/x\n")]),
            ("root@box:/# pwd\n/\n", &[("pwd", "/\n")]),
            ("$ cat <<EOF\n> x\n> EOF\nx\n", &[("cat <<EOF\nx\nEOF", "x\n")]),
            ("$ echo \"it's\"\nit's\n$ ls\n", &[("echo \"it's\"", "it's\n"), ("ls", "")]),
            ("$ for i in 1; do\n>   echo $i\n> done\n1\n", &[("for i in 1; do\n  echo $i\ndone", "1\n")]),
            ("$ ls\na\n\n# then\n$ pwd\n$\n", &[("ls", "a\n"), ("pwd", "")]),
            ("echo a\n$ ls\n", &[]),
            ("echo $HOME\n", &[]),
        ];
        for (code, expected) in cases {
            assert_eq!(told(code, Root::Comments), pairs(expected), "{code}");
        }
    }

    #[test]
    fn root_types_behind_a_bare_mark_only_in_a_session_of_commands() {
        let code = "# ls /\nbin\n# pwd\n/\n";
        assert_eq!(told(code, Root::MayType), pairs(&[("ls /", "bin\n"), ("pwd", "/\n")]));
        for (code, root) in [
            (code, Root::Comments),
            ("# a note\nls\n", Root::MayType),
            ("# ls\n# and a note\n", Root::MayType),
        ] {
            assert_eq!(told(code, root), [], "{code}");
        }
    }

    #[test]
    fn sessions_elsewhere() {
        for (code, what) in [
            ("C:\\Users\\me> dir\n", "Windows"),
            ("PS C:\\> Get-ChildItem\n", "Windows"),
            ("PS> ls\n", "Windows"),
            ("$ python3\n>>> 1 + 1\n2\n", "an interpreter"),
            ("$ mysql\nmysql> select 1;\n", "another program"),
            ("$ psql\npostgres=# select 1;\n", "a database"),
            ("me@a:~$ ssh b\nme@b:~$ ls\n", "several machines"),
        ] {
            assert_eq!(told(code, Root::MayType), pairs(&[("elsewhere", what)]), "{code}");
        }
    }
}

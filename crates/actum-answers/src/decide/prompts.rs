//! What was typed at a prompt, and what was printed then.

use actum_model::Example;

/// Commands behind `$` and their outputs. None where the text is no such transcript.
pub(super) fn shell(code: &str) -> Option<Vec<Example>> {
    let mut lines = code.lines().peekable();
    let is_note = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    while lines.next_if(|line| is_note(line)).is_some() {}
    at_shell(lines.peek()?)?;
    let mut examples: Vec<Example> = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(command) = at_shell(line) {
            let mut command = command.to_owned();
            let word = here_document(&command);
            while let Some(more) =
                lines.next_if(|next| word.is_some() || (is_unfinished(&command) && at_shell(next).is_none()))
            {
                let more = more.strip_prefix("> ").unwrap_or(more);
                command.push('\n');
                command.push_str(more);
                if word.as_deref() == Some(more.trim()) {
                    break;
                }
            }
            examples.push(Example { code: command, output: String::new() });
        } else if let Some(last) = examples.last_mut() {
            last.output.push_str(line);
            last.output.push('\n');
        }
    }
    Some(finished(examples))
}

/// What stands behind a prompt: `$ ls`, `user@host:~/x$ ls`.
fn at_shell(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("$ ") {
        return Some(rest);
    }
    let (before, rest) = line.split_once("$ ")?;
    let is_host = before.len() < 80 && before.contains('@') && before.contains(':') && !before.contains(' ');
    is_host.then_some(rest)
}

/// Whether a command goes on in the next line.
fn is_unfinished(command: &str) -> bool {
    let last = command.trim_end();
    let quotes = |mark: char| command.matches(mark).count() % 2 == 1;
    last.ends_with('\\') || last.ends_with("&&") || last.ends_with('|') || quotes('"') || quotes('\'')
}

/// The word that ends a here document.
fn here_document(command: &str) -> Option<String> {
    let (_, rest) = command.split_once("<<")?;
    let word = rest.trim_start_matches(['-', ' ']).trim_matches(['\'', '"']);
    let word: String = word.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// Statements behind `>>>` or `In [1]:` and what was answered. None where the text is no such transcript.
pub(super) fn interpreter(code: &str) -> Option<Vec<Example>> {
    let first = code.lines().find(|line| !line.trim().is_empty())?;
    asked(first)?;
    let mut examples: Vec<Example> = Vec::new();
    let mut is_asking = false;
    for line in code.lines() {
        if let Some(statement) = asked(line) {
            examples.push(Example { code: statement.to_owned(), output: String::new() });
            is_asking = true;
        } else if let Some(last) = examples.last_mut() {
            match goes_on(line).filter(|_| is_asking) {
                Some(statement) => {
                    last.code.push('\n');
                    last.code.push_str(statement);
                }
                None => {
                    is_asking = false;
                    last.output.push_str(answered(line));
                    last.output.push('\n');
                }
            }
        }
    }
    Some(finished(examples))
}

fn asked(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix(">>>") {
        return rest.strip_prefix(' ').or(rest.is_empty().then_some(""));
    }
    let rest = line.strip_prefix("In [")?;
    let (number, rest) = rest.split_once("]:")?;
    number
        .chars()
        .all(|letter| letter.is_ascii_digit() || letter == ' ')
        .then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

fn goes_on(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("...:").or_else(|| line.strip_prefix("..."))?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// `Out[1]: 2` is an answer of `2`.
fn answered(line: &str) -> &str {
    let rest = line.trim_start().strip_prefix("Out[").and_then(|rest| rest.split_once("]:"));
    rest.map_or(line, |(_, rest)| rest.strip_prefix(' ').unwrap_or(rest))
}

/// Blank lines between one and the next belong to neither.
fn finished(mut examples: Vec<Example>) -> Vec<Example> {
    for one in &mut examples {
        let length = one.output.trim_end().len();
        one.output.truncate(length);
        if !one.output.is_empty() {
            one.output.push('\n');
        }
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(examples: Option<Vec<Example>>) -> Vec<(String, String)> {
        examples.unwrap_or_default().into_iter().map(|one| (one.code, one.output)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(code, output)| ((*code).to_owned(), (*output).to_owned())).collect()
    }

    #[test]
    fn commands_and_their_output() {
        let cases: [(&str, &[(&str, &str)]); 6] = [
            ("$ echo a\na\n$ ls\n", &[("echo a", "a\n"), ("ls", "")]),
            ("# first\n$ echo a \\\n> b\na b\n", &[("echo a \\\nb", "a b\n")]),
            ("me@box:~/x$ pwd\n/x\n", &[("pwd", "/x\n")]),
            ("$ cat <<EOF\n> x\n> EOF\nx\n", &[("cat <<EOF\nx\nEOF", "x\n")]),
            ("echo a\n$ ls\n", &[]),
            ("echo $HOME\n", &[]),
        ];
        for (code, expected) in cases {
            assert_eq!(told(shell(code)), pairs(expected), "{code}");
        }
    }

    #[test]
    fn statements_and_answers() {
        let cases: [(&str, &[(&str, &str)]); 4] = [
            (">>> x = 1\n>>> x + 1\n2\n", &[("x = 1", ""), ("x + 1", "2\n")]),
            (">>> for i in [1]:\n...     print(i)\n...\n1\n", &[("for i in [1]:\n    print(i)\n", "1\n")]),
            ("In [1]: 1 + 1\nOut[1]: 2\n\nIn [2]: print(3)\n3\n", &[("1 + 1", "2\n"), ("print(3)", "3\n")]),
            ("x = 1\n>>> x\n", &[]),
        ];
        for (code, expected) in cases {
            assert_eq!(told(interpreter(code)), pairs(expected), "{code}");
        }
    }
}

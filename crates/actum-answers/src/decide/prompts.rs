//! What was typed at an interpreter of Python, and what it answered.

use actum_model::Example;

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
pub(super) fn finished(mut examples: Vec<Example>) -> Vec<Example> {
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

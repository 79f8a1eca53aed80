//! Which lines a shell of its own would change the meaning of: what goes on when the line is over.
//!
//! A routed line has a shell of its own, whose streams end with it. A server that is left running would lose its own, so such a line is
//! left to the agent. A line that only looks like one is left as well: it is then observed, not broken.

/// Words that let something go on, or that hand it to somebody who outlives the line.
const WORDS: [&str; 8] = ["nohup", "setsid", "disown", "coproc", "daemonize", "tmux", "pm2", "systemd-run"];

/// Whether something may go on when the line is over.
pub(super) fn goes_on(line: &str) -> bool {
    let bare = unquoted(line);
    has_single_ampersand(&bare) || bare.split(is_break).any(|word| WORDS.contains(&word))
}

/// Whether the line may leave its shell in another folder.
pub(super) fn changes_folder(line: &str) -> bool {
    unquoted(line).split(is_break).any(|word| matches!(word, "cd" | "pushd" | "popd"))
}

fn is_break(character: char) -> bool {
    character.is_whitespace() || ";|&(){}<>`$=".contains(character)
}

/// The line with what is quoted or escaped put out of sight. Inside double quotes a shell still looks for commands, so only
/// single quotes hide.
fn unquoted(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut characters = line.chars();
    let mut quoted = false;
    let mut double = false;
    while let Some(character) = characters.next() {
        match character {
            '\'' if !double => quoted = !quoted,
            _ if quoted => {}
            '\\' => drop(characters.next()),
            '"' => double = !double,
            // What stands in a text is no operator.
            '&' if double => {}
            other => out.push(other),
        }
    }
    out
}

/// An `&` that is no part of `&&`, `>&`, `<&` or `&>`.
fn has_single_ampersand(bare: &str) -> bool {
    let bytes = bare.as_bytes();
    let at = |index: Option<usize>| index.and_then(|index| bytes.get(index)).copied().unwrap_or_default();
    (0..bytes.len()).filter(|index| bytes[*index] == b'&').any(|index| {
        let (before, behind) = (at(index.checked_sub(1)), at(Some(index + 1)));
        !matches!(before, b'&' | b'>' | b'<' | b'|') && !matches!(behind, b'&' | b'>')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_left_running() {
        for line in [
            "npm run dev &",
            "server & sleep 1; curl localhost",
            "nohup python train.py > log 2>&1 &",
            "(sleep 9; touch x) &",
            "setsid ./daemon",
            "cmd &\nother",
            "tmux new -d 'x'",
        ] {
            assert!(goes_on(line), "{line}");
        }
        for line in [
            "make && make test",
            "pytest 2>&1 | tail -3",
            "cmd &> log",
            "cmd >& log",
            "echo 'a & b'",
            "echo \"a & b\"",
            "curl 'http://x/?a=1&b=2'",
            "echo a \\& b",
            "a |& b",
            "cat nohup.out",
        ] {
            assert!(!goes_on(line), "{line}");
        }
    }

    #[test]
    fn lines_that_go_elsewhere() {
        for line in ["cd sub && make", "make; cd ..", "(cd a; ls)", "pushd x"] {
            assert!(changes_folder(line), "{line}");
        }
        for line in ["echo 'cd x'", "abcd x", "ls cd.txt"] {
            assert!(!changes_folder(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn every_line_is_looked_at(line in "[&;|<>'\"\\\\a-c \\n$()]{0,40}") {
            let _ = (goes_on(&line), changes_folder(&line));
        }

        /// A plain command with an `&` behind it always goes on.
        #[test]
        fn an_ampersand_at_the_end_is_seen(word in "[a-z]{1,8}") {
            let line = format!("{} &", word);
            prop_assert!(goes_on(&line));
        }
    }
}

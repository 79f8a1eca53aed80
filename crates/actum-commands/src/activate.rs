//! The `activate` of a virtual environment, line by line: it sets variables of the environment and defines `deactivate` and `pydoc`.
//!
//! A file in the workspace can be written by anybody, and a shell that sources it does whatever it says. So every line has to be
//! one of the few kinds that `venv`, `virtualenv` and `uv` write.

use actum_model::command_line::{CommandLine, CommandWord, SimpleCommand};

/// Lines of control flow, and calls without a choice.
const FIXED: [&str; 20] = [
    "}",
    "fi",
    "else",
    "esac",
    ";;",
    "*)",
    "exit 33",
    "deactivate () {",
    "pydoc () {",
    "deactivate nondestructive",
    "python -m pydoc \"$@\"",
    "case \"$(uname)\" in",
    "case \"$(uname -r)\" in",
    "CYGWIN*|MSYS*|MINGW*)",
    "*Microsoft*|*WSL*)",
    "SCRIPT_PATH=\"${(%):-%x}\"",
    "CURRENT_PATH=$(realpath \"${BASH_SOURCE[0]}\")",
    "CURRENT_DIR=$(dirname \"${CURRENT_PATH}\")",
    "VIRTUAL_ENV=\"$(realpath \"${CURRENT_DIR}/../\")\"",
    "alias pydoc 2>/dev/null >/dev/null && unalias pydoc || true",
];

/// Programs that such a file starts: an environment that brings one of them is not understood.
pub(super) const STARTED: [&str; 6] = ["uname", "basename", "dirname", "realpath", "cygpath", "wslpath"];

/// Whether a text is that of the environment in the folder `root`.
pub(super) fn is_activate(text: &str, root: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_.-+@".contains(c);
    root.chars().all(is_plain)
        && text.contains("VIRTUAL_ENV")
        && !text.contains(['\r', '`'])
        && !text.contains("\\\n")
        && text.lines().all(|line| is_known(line.trim(), root))
}

fn is_known(line: &str, root: &str) -> bool {
    if line.is_empty() || line.starts_with('#') || FIXED.contains(&line) {
        return true;
    }
    if let Some(condition) = line.strip_prefix("if ").or_else(|| line.strip_prefix("elif ")) {
        return is_condition(condition);
    }
    if let Some((name, value)) = line.split_once("=$(") {
        return is_converted(name, value, root);
    }
    let Some(read) = CommandLine::parse(line) else { return false };
    read.pipelines.iter().all(|pipeline| match pipeline.as_slice() {
        [command] => is_command(command, root),
        _ => false,
    })
}

/// `[ -n "${NAME:-}" ] ; then`, with nothing but a test in it.
fn is_condition(text: &str) -> bool {
    let Some(text) = text.strip_suffix("then").map(str::trim_end).and_then(|text| text.strip_suffix(';'))
    else {
        return false;
    };
    // Under Windows alone.
    const CYGWIN: [&str; 13] = [
        "([",
        "[",
        "\"$OSTYPE\"",
        "=",
        "\"cygwin\"",
        "\"msys\"",
        "]",
        "])",
        "||",
        "&&",
        "$(command",
        "-v",
        "cygpath",
    ];
    if text.starts_with("([ \"$OSTYPE\"") {
        return text
            .split_whitespace()
            .all(|word| CYGWIN.contains(&word) || ["&>", "/dev/null)"].contains(&word));
    }
    let text = text.strip_prefix("! ").unwrap_or(text);
    let Some(read) = CommandLine::parse(text) else { return false };
    let [pipeline] = read.pipelines.as_slice() else { return false };
    let [command] = pipeline.as_slice() else { return false };
    let is = |word: Option<&CommandWord>, text: &str| word.is_some_and(|word| word.text == text);
    command.assignments.is_empty() && is(command.words.first(), "[") && is(command.words.last(), "]")
}

/// `VIRTUAL_ENV=$(cygpath …)`, `VIRTUAL_ENV_PROMPT=$(basename …)`.
fn is_converted(name: &str, value: &str, root: &str) -> bool {
    let Some(inner) = value.strip_suffix(')') else { return false };
    let mut words = inner.split_whitespace();
    let is_program = match name {
        "VIRTUAL_ENV" => matches!(words.next(), Some("cygpath" | "wslpath")),
        "VIRTUAL_ENV_PROMPT" => words.next() == Some("basename"),
        _ => false,
    };
    let bare = |word: &str| word.trim_matches(['"', '\'']).to_owned();
    is_program && words.all(|word| ["-u", "$VIRTUAL_ENV", root].contains(&bare(word).as_str()))
}

fn is_command(command: &SimpleCommand, root: &str) -> bool {
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let are_set = command.assignments.iter().all(|(name, value)| is_setting(name, value, root));
    are_set
        && match words.as_slice() {
            [] => true,
            _ if !command.assignments.is_empty() => false,
            ["export", settings @ ..] => settings.iter().all(|setting| match setting.split_once('=') {
                Some((name, value)) => is_setting(name, value, root),
                None => is_variable(setting),
            }),
            ["unset", "-f", "deactivate" | "pydoc"] | ["hash", "-r"] | ["true"] => true,
            ["unset", name] => is_variable(name),
            // On stderr, and only where it was not sourced or the environment is gone.
            ["echo", text] => {
                text.starts_with("You must source this script: ")
                    && !text.contains(|c: char| c.is_ascii_digit() && c != '0')
                    || *text == format!("Virtual environment directory {root} does not exist!")
            }
            _ => false,
        }
}

fn is_variable(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "PATH",
        "PS1",
        "PYTHONHOME",
        "SCRIPT_PATH",
        "VIRTUAL_ENV",
        "VIRTUAL_ENV_PROMPT",
        "TCL_LIBRARY",
        "TK_LIBRARY",
        "PKG_CONFIG_PATH",
        "_OLD_PKG_CONFIG_PATH",
    ];
    let bare = ["_OLD_VIRTUAL_", "_OLD_"].iter().find_map(|before| name.strip_prefix(before));
    NAMES.contains(&bare.unwrap_or(name))
}

/// Whether a variable gets what such a file gives it: the old value back, or a place in the environment.
fn is_setting(name: &str, value: &str, root: &str) -> bool {
    let is_one = |name: &str| {
        value == format!("${name}") || value == format!("${{{name}:-}}") || value == format!("${{{name}-}}")
    };
    let old = ["_OLD_VIRTUAL_", "_OLD_"].iter().find_map(|before| name.strip_prefix(before));
    if let Some(kept) = old {
        return is_variable(name) && is_one(kept);
    }
    let is_given_back = is_one(&format!("_OLD_VIRTUAL_{name}")) || is_one(&format!("_OLD_{name}"));
    match name {
        "VIRTUAL_ENV" => value == root,
        "PATH" => is_given_back || value == "$VIRTUAL_ENV/bin:$PATH",
        "PYTHONHOME" => is_given_back,
        "SCRIPT_PATH" => is_given_back || value == "${BASH_SOURCE[0]}" || value == "${.sh.file}",
        // Shown by an interactive shell alone.
        "PS1" | "VIRTUAL_ENV_PROMPT" => true,
        "TCL_LIBRARY" | "TK_LIBRARY" | "PKG_CONFIG_PATH" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDINARY: &str = "# use it with source\n\ndeactivate () {\n    if [ -n \"${_OLD_VIRTUAL_PATH:-}\" ] ; then\n        PATH=\"${_OLD_VIRTUAL_PATH:-}\"\n        export PATH\n        unset _OLD_VIRTUAL_PATH\n    fi\n    hash -r 2> /dev/null\n    unset -f deactivate\n}\ndeactivate nondestructive\nVIRTUAL_ENV='/w/.venv'\nexport VIRTUAL_ENV\n_OLD_VIRTUAL_PATH=\"$PATH\"\nPATH=\"$VIRTUAL_ENV/\"bin\":$PATH\"\nexport PATH\nPS1=\"(.venv) ${PS1:-}\"\n";

    #[test]
    fn an_activate_is_known_line_by_line() {
        assert!(is_activate(ORDINARY, "/w/.venv"));
        for line in [
            "python3() { echo 12 passed; }",
            "python3 () {",
            "alias pytest=echo",
            "echo 12 passed in 0.10s",
            "PATH=\"/w/fake:$PATH\"",
            "_OLD_VIRTUAL_PATH=/w/fake",
            "VIRTUAL_ENV=/w/fake",
            "export VIRTUAL_ENV=/w/fake",
            "PYTHONPATH=/w/lib",
            "export PYTHONHOME=/w/lib",
            "hash -p /w/fake pytest",
            "if python3 fake.py ; then",
            "if [ 1 ] ; echo 12 passed ; then",
            "source /w/fake",
            "VIRTUAL_ENV_PROMPT=$(basename x; echo 12)",
            "PS1=$(echo 12 passed >&2)",
            "true && python3 fake.py",
            "true | python3 fake.py",
        ] {
            assert!(!is_activate(&format!("{ORDINARY}{line}\n"), "/w/.venv"), "{line}");
        }
    }
}

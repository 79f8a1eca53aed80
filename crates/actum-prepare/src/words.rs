//! What a package tool's words mean. Pure.
//!
//! uv and pip print the cause, then a hint. Their sentences are matched from the most telling to the most general; what none
//! of them fits is [`Trouble::Other`], and the words themselves are shown.

use super::error::Trouble;
use regex::Regex;
use std::sync::LazyLock;

/// How a kind of trouble is told. The first capture, where there is one, is the package.
struct Telling {
    trouble: Trouble,
    pattern: Regex,
}

/// In this order: a full disk explains every other sentence, and a package that is nowhere explains a contradiction.
static TELLINGS: LazyLock<Vec<Telling>> = LazyLock::new(|| {
    let rows: &[(Trouble, &str)] = &[
        (
            Trouble::DiskFull,
            r"(?i)no space left on device|os error 28\b|disk quota exceeded|os error 122\b|ENOSPC",
        ),
        (Trouble::Undated, r"(\S+) is missing an upload date"),
        (Trouble::Mismatch, r"(?i)hash mismatch for `?([\w.-]+)|EINTEGRITY|do not match the hashes"),
        (
            Trouble::NotFound,
            r"(?:Because )?(\S+) was not found in the (?:package registry|provided package locations)",
        ),
        (Trouble::NotFound, r"No matching distribution found for ([\w.-]+)"),
        (Trouble::NotFound, r"'((?:@[\w.-]+/)?[\w.-]+)@[^']*' (?:is not in|could not be found)"),
        (
            Trouble::Unreachable,
            r"(?i)was not found in the cache|network was disabled|network connectivity is disabled",
        ),
        (
            Trouble::Unreachable,
            r"(?i)failed to fetch:|dns error|connection refused|connection reset|error sending request|timed out|operation timeout|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|certificate",
        ),
        (Trouble::Build, r"(?i)failed to build(?: and install)? `([\w.-]+)"),
        (Trouble::Build, r"(?i)failed to build|build backend failed|build failures usually"),
        (Trouble::OtherPython, r"we only found wheels for `([\w.-]+)`[^\n]*Python (?:ABI|implementation)"),
        (Trouble::OtherPython, r"requested Python version [^\n]* does not satisfy|does not satisfy Python"),
        (Trouble::NoWheel, r"Wheels are required for `([\w.-]+)`"),
        (
            Trouble::NoWheel,
            r"(?:Because )?(?:all versions of )?([\w.-]+?)(?:==\S+)? has? ?(?:have)? no (?:usable )?wheels",
        ),
        (Trouble::NoVersion, r"there (?:is|are) no versions? of ([\w.-]+)"),
        (
            Trouble::NoVersion,
            r"only (?:the following versions of )?([\w.-]+?)(?:[<>=!~]\S*)? (?:is|are) available",
        ),
        (Trouble::NoVersion, r"No matching version found for ((?:@[\w.-]+/)?[\w.-]+)"),
        (Trouble::Unsatisfiable, r"No solution found when resolving|requirements are unsatisfiable|ERESOLVE"),
        (
            Trouble::Malformed,
            r"(?i)couldn't parse requirement|failed to parse|EINVALIDTAGNAME|EINVALIDPACKAGENAME",
        ),
    ];
    let telling = |(trouble, pattern): &(Trouble, &str)| Telling {
        trouble: *trouble,
        pattern: Regex::new(pattern).expect("the patterns of this table are read by its tests"),
    };
    rows.iter().map(telling).collect()
});

/// Which kind of trouble is told, and the packages that it is about.
pub(super) fn judge(said: &str) -> (Trouble, Vec<String>) {
    let said = joined(said);
    let Some(found) = TELLINGS.iter().find(|telling| telling.pattern.is_match(&said)) else {
        return (Trouble::Other, Vec::new());
    };
    let mut names: Vec<String> = Vec::new();
    for capture in found.pattern.captures_iter(&said).filter_map(|captures| captures.get(1)) {
        let name = capture.as_str().trim_matches(['`', '\'', ',']).to_owned();
        // More than a handful helps nobody.
        if !name.is_empty() && !names.contains(&name) && names.len() < 8 {
            names.push(name);
        }
    }
    (found.trouble, names)
}

/// Long sentences are broken into indented lines; joined, they can be matched.
fn joined(said: &str) -> String {
    let mut text = String::with_capacity(said.len());
    for line in said.lines() {
        let is_continued = line.starts_with("      ") && !text.is_empty();
        text.push(if is_continued { ' ' } else { '\n' });
        text.push_str(line.trim());
    }
    text
}

/// How many lines of a tool's words are kept.
const LINES: usize = 40;

/// The end of what was said, without empty lines around it.
pub(super) fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.trim().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_tools_are_understood() {
        let rows: &[(&str, Trouble, &[&str])] = &[
            (
                "error: No solution found when resolving dependencies\n  cause: Because zzz-not-there was not found in the package registry and you require zzz-not-there, we can conclude that your requirements are unsatisfiable.",
                Trouble::NotFound,
                &["zzz-not-there"],
            ),
            (
                "  cause: Because there is no version of numpy==99 and you require numpy==99, we can conclude that your requirements are unsatisfiable.",
                Trouble::NoVersion,
                &["numpy"],
            ),
            (
                "error: No solution found when resolving dependencies\n  cause: Because all versions of sklearn have no usable wheels and you require sklearn, we can conclude\n\nhint: Wheels are required for `sklearn` because building from source is disabled for all packages (i.e., with `--no-build`)",
                Trouble::NoWheel,
                &["sklearn"],
            ),
            (
                "hint: You require CPython 3.11 (`cp311`), but we only found wheels for `tensorflow` (v1.15.0) with the following Python ABI tags: `cp27m`",
                Trouble::OtherPython,
                &["tensorflow"],
            ),
            (
                "error: Request failed after 3 retries in 9.5s\n  cause: Failed to fetch: http://127.0.0.1:9/simple/numpy/\n  cause: Connection refused (os error 111)",
                Trouble::Unreachable,
                &[],
            ),
            (
                "error: No solution found when resolving dependencies\n  cause: Because numpy was not found in the cache and you require numpy",
                Trouble::Unreachable,
                &[],
            ),
            (
                "error: No solution found when resolving dependencies\n  cause: Because one==1 depends on two<2 and you require two>=2, we can conclude",
                Trouble::Unsatisfiable,
                &[],
            ),
            ("error: Couldn't parse requirement in `in.txt` at position 0", Trouble::Malformed, &[]),
            ("  cause: No space left on device (os error 28)", Trouble::DiskFull, &[]),
            ("error: Hash mismatch for `six==1.0`\n\nExpected:", Trouble::Mismatch, &["six"]),
            (
                "npm error code E404\nnpm error 404  The requested resource '@a/leftpadd@*' could not be found or you do not have permission",
                Trouble::NotFound,
                &["@a/leftpadd"],
            ),
            (
                "npm error code ETARGET\nnpm error notarget No matching version found for lodash@99.",
                Trouble::NoVersion,
                &["lodash"],
            ),
            ("killed", Trouble::Other, &[]),
        ];
        for (said, trouble, names) in rows {
            let found = judge(said);
            assert_eq!(found.0, *trouble, "{said}");
            assert_eq!(found.1, *names, "{said}");
        }
    }

    #[test]
    fn only_the_end_is_kept() {
        let long: String = (0..100).map(|line| format!("line {line}\n")).collect();
        let kept = last_lines(&long);
        assert_eq!(kept.lines().count(), LINES);
        assert!(kept.ends_with("line 99"));
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_judged(said in ".{0,400}") {
            let (_, names) = judge(&said);
            proptest::prop_assert!(names.len() <= 8);
        }
    }
}

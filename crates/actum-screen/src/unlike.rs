//! What differs between two runs, for people: what `actum diff` shows.

use super::look::{Look, Tone};
use super::neutral::Neutral;
use super::untrusted;
use actum_evidence::Difference;
use actum_model::Untrusted;
use similar::TextDiff;
use std::io::IsTerminal;
use std::time::Duration;

/// Aligned lines: what, how it was in the one, how it is in the other.
pub fn unlike(all: &[Difference], look: &Look) -> String {
    let width = all
        .iter()
        .map(|one| untrusted::line(one.what.as_str()).chars().count())
        .max()
        .unwrap_or(0)
        .min(WIDEST);
    let room = look.width.saturating_sub(width + 8) / 2;
    let side = |text: &Option<Untrusted>| match text {
        None => "-".to_owned(),
        Some(text) => untrusted::fit(&untrusted::line(text.as_str()), room),
    };
    let line = |one: &Difference| {
        let what = untrusted::fit(&untrusted::line(one.what.as_str()), width);
        let delta = one.delta.map_or_else(String::new, |delta| format!("  ({})", signed(delta)));
        format!(
            "{}  {} → {}{delta}",
            look.paint(Tone::Faint, &format!("{what:<width$}")),
            side(&one.one),
            side(&one.other)
        )
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// 40: a longer name pushes its own line out of shape, not all of them.
const WIDEST: usize = 40;
/// 2 s: texts that are alike in nothing are told apart in larger pieces then.
const PATIENCE: Duration = Duration::from_secs(2);
/// Lines of a difference that are told; the rest is counted.
const MOST_LINES: usize = 400;

/// The difference of what two runs printed, bounded. On a terminal it does nothing but be seen.
pub fn printed_unlike(names: (&str, &str), one: &str, other: &str) -> String {
    let difference = TextDiff::configure().timeout(PATIENCE).diff_lines(one, other);
    let text = difference.unified_diff().header(names.0, names.1).to_string();
    let mut lines = text.lines();
    let mut told: String = lines.by_ref().take(MOST_LINES).flat_map(|line| [line, "\n"]).collect();
    let more = lines.count();
    if more > 0 {
        told.push_str(&format!("[… {more} more lines of difference …]\n"));
    }
    if !std::io::stdout().is_terminal() {
        return told;
    }
    let mut neutral = Neutral::default();
    let mut harmless = neutral.pass(told.as_bytes());
    harmless.extend(neutral.finish());
    String::from_utf8_lossy(&harmless).into_owned()
}

/// `+0.012`, `-3`: without the noise of binary fractions.
fn signed(delta: f64) -> String {
    let text = format!("{delta:+.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::look::Detail;
    use super::*;

    #[test]
    fn sides_stand_beside_each_other_and_obey_nothing() {
        let one = |what: &str, one: Option<&str>, other: Option<&str>, delta| Difference {
            what: Untrusted::new(what),
            one: one.map(Untrusted::new),
            other: other.map(Untrusted::new),
            delta,
        };
        let all = [
            one("exit code", Some("0"), Some("1"), Some(1.0)),
            one("metric acc", Some("0.91"), Some("0.93"), Some(0.93 - 0.91)),
            one("output a\u{1b}b", None, Some("x\ny"), None),
        ];
        let expected = "exit code        0 → 1  (+1)\nmetric acc       0.91 → 0.93  (+0.02)\noutput a\\u{1b}b  - → x\\ny";
        assert_eq!(unlike(&all, &Look::plain(Detail::Brief)), expected);
    }

    #[test]
    fn a_long_difference_is_cut_and_says_so() {
        let long = |letter: &str| (0..1000).map(|number| format!("{letter}{number}\n")).collect::<String>();
        let told = printed_unlike(("a", "b"), &long("x"), &long("y"));
        assert_eq!(told.lines().count(), MOST_LINES + 1);
        assert!(told.ends_with("more lines of difference …]\n"), "{told}");
    }
}

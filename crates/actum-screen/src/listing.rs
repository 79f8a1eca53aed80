//! Runs, one line each, in columns that fit: what `actum ls` shows.

use super::look::{Look, Tone};
use super::{phrase, untrusted};
use actum_evidence::RunProgress;
use actum_model::{Moment, Outcome, Span};
use actum_store::Listed;
use std::time::Duration;
use unicode_width::UnicodeWidthStr;

pub(super) fn sign(state: RunProgress) -> &'static str {
    match state {
        RunProgress::Running => "…",
        RunProgress::Ended(outcome) => phrase::sign(outcome),
    }
}

pub(super) fn tone(state: RunProgress) -> Tone {
    match state {
        RunProgress::Running => Tone::Plain,
        RunProgress::Ended(outcome) => Tone::of(outcome),
    }
}

/// A language of a user's own may have any name; a longer one is cut.
const WIDEST_LANGUAGE: usize = 12;
/// Below this a command says nothing any more; better let the terminal wrap it.
const NARROWEST_COMMAND: usize = 16;

/// The lines of a list, newest first as they come.
pub fn listing(runs: &[(Listed, RunProgress)], now: Moment, look: &Look) -> String {
    let rows: Vec<[String; 4]> = runs.iter().map(|(run, state)| cells(run, *state, now)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let lead = 12 + widths.iter().map(|width| width + 2).sum::<usize>() + 2;
    let room = look.width.saturating_sub(lead).max(NARROWEST_COMMAND);
    let line = |((run, state), row): (&(Listed, RunProgress), &[String; 4])| {
        let [when, how, took, language] = std::array::from_fn(|column| padded(&row[column], widths[column]));
        let how = look.paint(tone(*state), &how);
        let command = untrusted::fit(&command(run), room);
        format!(
            "{}  {}  {how}  {took}  {language}  {command}",
            run.run.short(),
            look.paint(Tone::Faint, &when)
        )
    };
    runs.iter().zip(&rows).map(line).collect::<Vec<_>>().join("\n")
}

fn cells(run: &Listed, state: RunProgress, now: Moment) -> [String; 4] {
    let since = |end: Moment| Span(Duration::from_micros(end.0.saturating_sub(run.began.0)));
    let took = match (state, run.ended) {
        (RunProgress::Running, _) => phrase::duration(since(now)),
        // When a lost run ended is not known, only when it was missed.
        (RunProgress::Ended(Outcome::Lost), _) | (RunProgress::Ended(_), None) => String::new(),
        (RunProgress::Ended(_), Some(ended)) => phrase::duration(since(ended)),
    };
    let language = untrusted::fit(&untrusted::line(&run.language), WIDEST_LANGUAGE);
    [ago(run.began, now), format!("{} {}", sign(state), state.word()), took, language]
}

/// The command, and behind it the labels.
fn command(run: &Listed) -> String {
    let labels: String = run.labels.iter().map(|label| format!(" [{}]", untrusted::line(label))).collect();
    untrusted::line(&run.command) + &labels
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// `just now`, `3m ago`, `2h ago`, `5d ago`; a date where that says more.
pub(super) fn ago(then: Moment, now: Moment) -> String {
    let seconds = now.0.saturating_sub(then.0) / 1_000_000;
    match seconds {
        0..10 => "just now".to_owned(),
        10..60 => format!("{seconds}s ago"),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        86_400..2_592_000 => format!("{}d ago", seconds / 86_400),
        2_592_000.. => then.to_string()[..10].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::look::Detail;
    use super::*;
    use actum_model::RunId;

    fn run(began: u64, command: &str, ended: Option<u64>) -> Listed {
        Listed {
            run: RunId::new(began, [began as u8; 10]),
            began: Moment(began * 1_000_000),
            command: command.to_owned(),
            language: "python".to_owned(),
            folder: "/w".to_owned(),
            labels: Vec::new(),
            ended: ended.map(|ended| Moment(ended * 1_000_000)),
            outcome: None,
            exit_code: None,
        }
    }

    #[test]
    fn columns_are_aligned_and_cut_to_the_screen() {
        let hostile = format!("evil\u{1b}[2J {}", "x".repeat(200));
        let labelled = Listed { labels: vec!["nightly".to_owned()], ..run(4000, "make", Some(4002)) };
        let runs = [
            (run(9_995, "python3 slow.py", None), RunProgress::Running),
            (labelled, RunProgress::Ended(Outcome::Success)),
            (run(3, &hostile, Some(3)), RunProgress::Ended(Outcome::Lost)),
        ];
        let look = Look { width: 80, ..Look::plain(Detail::Brief) };
        let text = listing(&runs, Moment(10_000_000_000), &look);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "0b0b0b0b0b0b  just now  … running  5.00s  python  python3 slow.py");
        assert_eq!(lines[1], "a0a0a0a0a0a0  1h ago    ✓ success  2.00s  python  make [nightly]");
        assert!(
            lines[2].starts_with("030303030303  2h ago    ? lost            python  evil\\u{1b}[2J xx"),
            "{text}"
        );
        assert!(lines.iter().all(|line| line.width() <= 80), "{text}");
        assert_eq!(listing(&[], Moment(0), &look), "");
    }

    #[test]
    fn how_long_ago_is_read_at_a_glance() {
        let now = Moment(1_763_202_600_000_000);
        for (seconds, text) in
            [(0, "just now"), (59, "59s ago"), (3599, "59m ago"), (7200, "2h ago"), (172_800, "2d ago")]
        {
            assert_eq!(ago(Moment(now.0 - seconds * 1_000_000), now), text);
        }
        assert_eq!(ago(Moment(0), now), "1970-01-01");
        assert_eq!(ago(now, Moment(0)), "just now", "a clock that went back");
    }
}

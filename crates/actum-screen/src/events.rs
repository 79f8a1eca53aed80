//! What happens, as one line of JSON each.

use actum_model::{Event, Happened, Moment, OutputPiece, RunId, Stream};
use std::io::{self, Write};

/// The form of a line. Types are added without a new version.
const VERSION: u32 = 1;

/// Writes events to a stream, numbered without gaps, each line flushed when it is whole.
///
/// A character that is cut at the end of a piece waits for the next one, so that a reader gets text wherever the program
/// printed text. Offsets count through the whole run.
#[derive(Debug)]
pub struct Lines<W: Write> {
    to: W,
    run: RunId,
    seq: u64,
    streams: [Place; 2],
}

/// Where a stream stands.
#[derive(Debug, Default)]
struct Place {
    /// Of the first byte that is still held.
    offset: u64,
    held: Vec<u8>,
}

impl<W: Write> Lines<W> {
    pub fn new(run: RunId, to: W) -> Self {
        Self { to, run, seq: 0, streams: Default::default() }
    }

    /// One event. What is still held of the output is told before an end.
    pub fn happened(&mut self, at: Moment, what: Happened) -> io::Result<()> {
        match &what {
            Happened::AttemptEnded { .. } | Happened::RunEnded { .. } => self.release(at)?,
            Happened::RunStarted { .. }
            | Happened::Compiling { .. }
            | Happened::NotCovered { .. }
            | Happened::Warned { .. }
            | Happened::Preparing { .. }
            | Happened::Remedied { .. }
            | Happened::Settling {}
            | Happened::AttemptStarted { .. }
            | Happened::Output(_) => {}
        }
        self.write(at, what)
    }

    /// A piece of what the program printed: as text where it is UTF-8, else all of it in base64.
    pub fn output(&mut self, at: Moment, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let place = &mut self.streams[stream.index()];
        place.held.extend_from_slice(bytes);
        let ready = ready(&place.held);
        self.tell(at, stream, ready)
    }

    fn release(&mut self, at: Moment) -> io::Result<()> {
        Stream::ALL.into_iter().try_for_each(|stream| {
            let rest = self.streams[stream.index()].held.len();
            self.tell(at, stream, rest)
        })
    }

    fn tell(&mut self, at: Moment, stream: Stream, length: usize) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        let place = &mut self.streams[stream.index()];
        let bytes: Vec<u8> = place.held.drain(..length).collect();
        let offset = place.offset;
        place.offset += length as u64;
        let (text, base64) = match String::from_utf8(bytes) {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(base64(error.as_bytes()))),
        };
        self.write(at, Happened::Output(OutputPiece { stream, offset, text, base64 }))
    }

    fn write(&mut self, ts: Moment, what: Happened) -> io::Result<()> {
        let event = Event { v: VERSION, seq: self.seq, ts, run: self.run, what };
        let mut line = serde_json::to_vec(&event)?;
        line.push(b'\n');
        self.seq += 1;
        // One write: a reader never sees half a line of ours with something else in between.
        self.to.write_all(&line)?;
        self.to.flush()
    }
}

/// How many bytes can be told now: all of them, unless the last character is incomplete and the rest is text.
fn ready(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Ok(_) | Err(_) => bytes.len(),
    }
}

/// Base64 with the standard alphabet and padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(group.get(at).copied().unwrap_or(0)));
        let bits = a << 16 | b << 8 | c;
        for place in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use actum_model::{Ending, Outcome};
    use proptest::prelude::*;
    use serde_json::Value;

    fn run() -> RunId {
        RunId::new(0x0192_3456_789a, [7; 10])
    }

    fn written(lines: &Lines<Vec<u8>>) -> Vec<Value> {
        let text = std::str::from_utf8(&lines.to).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn ended() -> Happened {
        Happened::AttemptEnded { step: 1, ending: Ending::Exited { code: 0 } }
    }

    #[test]
    fn a_line_has_its_number_its_time_and_its_type() {
        let mut lines = Lines::new(run(), Vec::new());
        let started = Happened::RunStarted { command: "x".to_owned(), language: "sh".to_owned(), steps: 1 };
        lines.happened(Moment(0), started).unwrap();
        lines.output(Moment(1), Stream::Stdout, "grün\n".as_bytes()).unwrap();
        lines.output(Moment(2), Stream::Stderr, b"\xff\x00").unwrap();
        lines.happened(Moment(3), ended()).unwrap();
        let end = Happened::RunEnded {
            outcome: Outcome::Success,
            exit_code: actum_model::ExitCode::SUCCESS,
            summary: "well".to_owned(),
        };
        lines.happened(Moment(4), end).unwrap();
        let head = |seq: u64| {
            format!(
                r#"{{"v":1,"seq":{seq},"ts":"1970-01-01T00:00:00.00000{seq}Z","run":"01923456-789a-7707-8707-070707070707","type":"#
            )
        };
        let expected = [
            r#""run.started","data":{"command":"x","language":"sh","steps":1}}"#,
            r#""run.output","data":{"stream":"stdout","offset":0,"text":"grün\n"}}"#,
            r#""run.output","data":{"stream":"stderr","offset":0,"base64":"/wA="}}"#,
            r#""attempt.ended","data":{"step":1,"ending":{"how":"exited","code":0}}}"#,
            r#""run.ended","data":{"outcome":"success","exit_code":0,"summary":"well"}}"#,
        ];
        let text = std::str::from_utf8(&lines.to).unwrap();
        for ((seq, expected), line) in (0..).zip(expected).zip(text.lines()) {
            assert_eq!(line, head(seq) + expected);
        }
        assert_eq!(text.lines().count(), expected.len());
        written(&lines).iter().for_each(actum_testkit::assert_valid_event);
    }

    #[test]
    fn a_character_that_is_cut_waits_and_an_end_lets_it_go() {
        let mut lines = Lines::new(run(), Vec::new());
        lines.output(Moment(0), Stream::Stdout, b"a\xe2\x82").unwrap();
        lines.output(Moment(0), Stream::Stderr, b"\xf0\x9f").unwrap();
        lines.output(Moment(0), Stream::Stdout, b"\xacb\xe2").unwrap();
        lines.happened(Moment(0), ended()).unwrap();
        let told: Vec<(Value, Value, Value)> = written(&lines)
            .iter()
            .map(|line| {
                (line["data"]["offset"].clone(), line["data"]["text"].clone(), line["data"]["base64"].clone())
            })
            .collect();
        let none = Value::Null;
        assert_eq!(told[0], (0.into(), "a".into(), none.clone()));
        assert_eq!(told[1], (1.into(), "€b".into(), none.clone()));
        assert_eq!(told[2], (5.into(), none.clone(), "4g==".into()));
        assert_eq!(told[3], (0.into(), none.clone(), "8J8=".into()));
        assert_eq!(written(&lines)[4]["type"], "attempt.ended");
    }

    #[test]
    fn base64_is_the_standard_one() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }

    fn decoded(text: &str) -> Vec<u8> {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bits: String =
            text.chars().filter_map(|c| letters.find(c)).map(|value| format!("{value:06b}")).collect();
        (0..bits.len() / 8).map(|at| u8::from_str_radix(&bits[at * 8..at * 8 + 8], 2).unwrap()).collect()
    }

    proptest! {
        #[test]
        fn every_byte_is_told_once_and_numbers_have_no_gaps(
            pieces in proptest::collection::vec((any::<bool>(), prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..9),
                "\\PC{0,4}".prop_map(String::into_bytes),
                // Cut anywhere, so that characters are split.
                ("\\PC{1,6}", 0_usize..8).prop_map(|(text, cut)| text.as_bytes()[cut.min(text.len())..].to_vec()),
            ]), 0..12)
        ) {
            let mut lines = Lines::new(run(), Vec::new());
            let mut expected = [Vec::new(), Vec::new()];
            for (is_stderr, bytes) in &pieces {
                let stream = if *is_stderr { Stream::Stderr } else { Stream::Stdout };
                expected[stream.index()].extend_from_slice(bytes);
                lines.output(Moment(0), stream, bytes).unwrap();
            }
            lines.happened(Moment(0), ended()).unwrap();
            let mut found = [Vec::new(), Vec::new()];
            for (index, line) in written(&lines).iter().enumerate() {
                prop_assert_eq!(line["seq"].as_u64(), Some(index as u64));
                let event: Event = serde_json::from_value(line.clone()).unwrap();
                if let Happened::Output(piece) = event.what {
                    let stream = &mut found[piece.stream.index()];
                    prop_assert_eq!(piece.offset, stream.len() as u64);
                    prop_assert!(piece.text.is_some() != piece.base64.is_some());
                    stream.extend(piece.text.map_or_else(|| decoded(&piece.base64.unwrap()), String::into_bytes));
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}

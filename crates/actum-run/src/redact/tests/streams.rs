//! Streams: how what is found is written, and that cutting changes nothing.

use super::*;
use proptest::prelude::*;
use std::sync::LazyLock;

#[test]
fn what_is_found_gives_way_to_its_length() {
    let redaction = knowing(&["hunter2!", "unter2!x", "abcabcabc"]);
    for (text, kept, count) in [
        ("nothing here", "nothing here", 0),
        ("hunter2!", "[redacted:8]", 1),
        ("a hunter2! b hunter2!", "a [redacted:8] b [redacted:8]", 2),
        ("hunter2!x", "[redacted:9]", 1),
        ("hunter2!hunter2!", "[redacted:8][redacted:8]", 2),
        ("hunter2", "hunter2", 0),
        ("abcabcabcabcabc", "[redacted:15]", 1),
        ("aHVudGVyMiE= ", "[redacted:12] ", 1),
        ("%68unter2!", "%68unter2!", 0),
    ] {
        let (found, found_count, _) = in_pieces(&redaction, [text.as_bytes()]);
        assert_eq!((String::from_utf8(found).unwrap().as_str(), found_count), (kept, count), "{text}");
    }
}

#[test]
fn a_stream_that_is_finished_begins_anew() {
    let redaction = knowing(&["hunter2!"]);
    let mut redactor = redaction.redactor();
    let mut kept = Vec::new();
    for piece in ["one hunt", "er2! two hunter", "2! three"] {
        let mut keep = |piece: &[u8]| {
            kept.extend_from_slice(piece);
            Ok(())
        };
        redactor.take(piece.as_bytes(), &mut keep).unwrap();
        redactor.finish(&mut keep).unwrap();
    }
    // A secret is not looked for across the end of a program.
    assert_eq!(String::from_utf8(kept).unwrap(), "one hunter2! two hunter2! three");
    assert_eq!(redactor.count(), 0);
}

#[test]
fn only_what_may_become_a_secret_is_held_back() {
    let redaction = knowing(&["hunter2!"]);
    let mut redactor = redaction.redactor();
    for (piece, kept) in [
        ("one line\n", "one line\n"),
        ("y\n", "y\n"),
        ("prompt> ", "prompt> "),
        ("hunt", ""),
        ("s\n", "hunts\n"),
    ] {
        let mut out = Vec::new();
        redactor
            .take(piece.as_bytes(), &mut |piece| {
                out.extend_from_slice(piece);
                Ok(())
            })
            .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), kept, "{piece:?}");
    }
}

#[test]
fn memory_is_bounded_and_what_is_given_up_is_told() {
    let redaction = knowing(&["aaaaaaaa"]);
    let endless = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "QUJD".repeat(30_000));
    let (kept, count, given_up) = in_pieces(&redaction, endless.as_bytes().chunks(7));
    assert_eq!((count, given_up), (1, 1));
    let kept = String::from_utf8(kept).unwrap();
    assert!(
        kept.starts_with("-----BEGIN PRIVATE KEY-----\n[redacted:327")
            || kept.starts_with("-----BEGIN PRIVATE KEY-----[redacted:327"),
        "{}",
        &kept[..60]
    );
    // A secret that overlaps itself for ever is one, and none of it is held.
    let mut redactor = redaction.redactor();
    let mut most = 0;
    let mut written = 0;
    for _ in 0..300 {
        redactor
            .take(&[b'a'; 1 << 12], &mut |piece| {
                written += piece.len();
                Ok(())
            })
            .unwrap();
        most = most.max(redactor.held());
    }
    assert_eq!(written, 0);
    assert!(most < 100_000, "{most}");
    let mut last = Vec::new();
    redactor
        .finish(&mut |piece| {
            last.extend_from_slice(piece);
            Ok(())
        })
        .unwrap();
    assert_eq!(last, b"[redacted:1228800]");
}

/// Anchors without end: each would be looked at from every place if nothing remembered how far it had seen.
#[test]
fn every_byte_of_hostile_text_is_kept_or_counted() {
    let redaction = knowing(&["aaaaaaaa"]);
    let units = [
        "eyJ",
        ".eyJ",
        "passw",
        "token=",
        "://",
        "://:",
        "BEGIN ",
        "BEGIN PRIVATE KEY-----",
        "aaaaaaa ",
        "sk-",
        "xoxb-",
    ];
    for unit in units {
        let text = unit.repeat((256 << 10) / unit.len());
        let (kept, count, _) = in_pieces(&redaction, text.as_bytes().chunks(60_000));
        let kept = String::from_utf8(kept).unwrap();
        let (mut plain, mut counted) = (0, 0);
        for (at, part) in kept.split("[redacted:").enumerate() {
            let (number, rest) = if at == 0 { ("0", part) } else { part.split_once(']').unwrap() };
            counted += number.parse::<usize>().unwrap();
            plain += rest.len();
        }
        assert_eq!(plain + counted, text.len(), "{unit}: {count} taken out");
    }
}

/// A value and a pattern, made once.
static BOTH: LazyLock<Redaction> = LazyLock::new(|| {
    let added = [Pattern::new("acme_([0-9]+)").unwrap()];
    let known = vec![Known { name: b"SECRET", value: b"hunter2!" }];
    Redaction::new(&Sought { known, added: &added, ..Sought::default() })
});

/// Values that are not in the text.
static ELSEWHERE: LazyLock<Redaction> =
    LazyLock::new(|| knowing(&["zzz-not-in-the-text", "neither.is.this"]));

/// Text in which secrets, beginnings of secrets and harmless things stand side by side.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let piece = prop_oneof![
        Just("hunter2!".to_owned()),
        Just("hunter".to_owned()),
        Just("2!".to_owned()),
        Just("aHVudGVyMiE=".to_owned()),
        Just("HVudGVyMi".to_owned()),
        Just("%68%75%6E%74%65%72%32%21".to_owned()),
        Just(token),
        Just("ghp_short".to_owned()),
        Just("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl".to_owned()),
        Just("-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADAN\n".to_owned()),
        Just("-----END RSA PRIVATE KEY-----\n".to_owned()),
        Just("password=swordfish9&x=1".to_owned()),
        Just("https://me:pw@host/".to_owned()),
        Just("acme_77".to_owned()),
        Just("acme_".to_owned()),
        Just("\n".to_owned()),
        "[a-z =:\"'./_-]{0,8}",
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat().into_bytes())
}

fn cut<'t>(text: &'t [u8], cuts: &[prop::sample::Index]) -> Vec<&'t [u8]> {
    let mut places: Vec<usize> =
        cuts.iter().map(|cut| cut.index(text.len() + 1)).chain([0, text.len()]).collect();
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn cutting_changes_nothing(text in texts(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let redaction = &*BOTH;
        let whole = in_pieces(redaction, [text.as_slice()]);
        prop_assert_eq!(&in_pieces(redaction, cut(&text, &cuts)), &whole);
        prop_assert_eq!(&in_pieces(redaction, text.chunks(1)), &whole);
        prop_assert!(!String::from_utf8_lossy(&whole.0).contains("hunter2!"));
        // What was redacted is not redacted again.
        prop_assert_eq!(in_pieces(redaction, [whole.0.as_slice()]).0, whole.0);
    }

    #[test]
    fn text_without_secrets_is_not_touched(
        text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b' '), b'a'..=b'f', b'0'..=b'9', 128_u8..=255], 0..400),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let redaction = &*ELSEWHERE;
        let (kept, count, given_up) = in_pieces(redaction, cut(&text, &cuts));
        prop_assert_eq!((kept, count, given_up), (text, 0, 0));
    }
}

//! Five hundred secrets, each in twenty ways of writing, in a stream that is cut anywhere: none of them is left.
//!
//! The ways are written here once more, by other means where there are any, so that both cannot be wrong together.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

const SECRETS: usize = 500;
/// Stands between what is planted.
const BETWEEN: u8 = 0x1e;

/// A way of writing: the text, and how many of its bytes carry the secret.
type Way = (&'static str, fn(&[u8], &mut Dice) -> (Vec<u8>, usize));

const WAYS: [Way; 24] = [
    ("as it is", |value, _| whole(value.to_vec())),
    ("base64", |value, _| whole(STANDARD.encode(value).into_bytes())),
    ("base64 without padding", |value, _| whole(STANDARD_NO_PAD.encode(value).into_bytes())),
    ("base64 in something", |value, dice| within(value, dice, |text| STANDARD.encode(text))),
    ("base64url", |value, _| whole(URL_SAFE.encode(value).into_bytes())),
    ("base64url in something", |value, dice| within(value, dice, |text| URL_SAFE_NO_PAD.encode(text))),
    ("base64 in lines", |value, _| {
        let lines: Vec<Vec<u8>> =
            STANDARD.encode(value).into_bytes().chunks(76).map(<[u8]>::to_vec).collect();
        whole(lines.join(&b'\n'))
    }),
    ("base64 twice", |value, _| whole(STANDARD.encode(STANDARD.encode(value)).into_bytes())),
    ("base64 in an address", |value, _| {
        whole(percent(STANDARD.encode(value).as_bytes(), |byte| format!("%{byte:02X}")))
    }),
    ("hexadecimal", |value, _| whole(each(value, "", |byte| format!("{byte:02x}")))),
    ("HEXADECIMAL", |value, _| whole(each(value, "", |byte| format!("{byte:02X}")))),
    ("hexadecimal:", |value, _| whole(each(value, ":", |byte| format!("{byte:02x}")))),
    ("\\x", |value, _| whole(each(value, "", |byte| format!("\\x{byte:02x}")))),
    ("octal", |value, _| whole(each(value, "", |byte| format!("\\{byte:03o}")))),
    ("numbers", |value, _| whole(each(value, ", ", |byte| byte.to_string()))),
    ("percent", |value, _| whole(percent(value, |byte| format!("%{byte:02X}")))),
    ("percent in small letters", |value, _| whole(percent(value, |byte| format!("%{byte:02x}")))),
    ("percent throughout", |value, _| whole(each(value, "", |byte| format!("%{byte:02X}")))),
    ("JSON", |value, _| {
        let quoted = serde_json::to_string(std::str::from_utf8(value).unwrap()).unwrap();
        whole(quoted.as_bytes()[1..quoted.len() - 1].to_vec())
    }),
    ("\\u", |value, _| whole(each(value, "", |byte| format!("\\u{byte:04x}")))),
    ("XML", |value, _| {
        let text = String::from_utf8(value.to_vec()).unwrap();
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        whole(text.replace('"', "&quot;").replace('\'', "&#39;").into_bytes())
    }),
    ("UTF-16", |value, _| whole(value.iter().flat_map(|byte| [*byte, 0]).collect())),
    ("backwards", |value, _| whole(value.iter().rev().copied().collect())),
    ("in capitals", |value, _| whole(value.to_ascii_uppercase())),
];

fn whole(text: Vec<u8>) -> (Vec<u8>, usize) {
    let length = text.len();
    (text, length)
}

/// Encoded together with what stands before and behind it. Letters at its edges hold bits of both.
fn within(value: &[u8], dice: &mut Dice, encode: fn(Vec<u8>) -> String) -> (Vec<u8>, usize) {
    let around = |dice: &mut Dice| vec![b'.'; dice.below(6)];
    let text = [around(dice), value.to_vec(), around(dice)].concat();
    (encode(text).into_bytes(), (value.len() * 8).div_ceil(6).saturating_sub(3))
}

fn each(value: &[u8], between: &str, one: fn(u8) -> String) -> Vec<u8> {
    value.iter().map(|byte| one(*byte)).collect::<Vec<_>>().join(between).into_bytes()
}

fn percent(value: &[u8], digits: fn(u8) -> String) -> Vec<u8> {
    let one = |byte: &u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(*byte).to_string(),
        byte => digits(*byte),
    };
    value.iter().map(one).collect::<String>().into_bytes()
}

/// The same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    fn secret(&mut self) -> Vec<u8> {
        const LETTERS: &[u8] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.~!@#$%^&*()<>\"' \\";
        let length = 8 + self.below(60);
        let mut secret: Vec<u8> = (0..length).map(|_| LETTERS[self.below(LETTERS.len())]).collect();
        // A blank at an edge is not part of a value.
        let last = secret.len() - 1;
        secret[last] = b'Z';
        secret
    }

    /// Pieces of all lengths, mostly short ones.
    fn pieces<'t>(&mut self, mut text: &'t [u8]) -> Vec<&'t [u8]> {
        let mut pieces = Vec::new();
        while !text.is_empty() {
            let most = [2, 5, 40, 3000][self.below(4)];
            let (piece, rest) = text.split_at((1 + self.below(most)).min(text.len()));
            pieces.push(piece);
            text = rest;
        }
        pieces
    }
}

/// How many bytes the markers of a text stand for.
fn replaced(text: &[u8]) -> usize {
    let text = String::from_utf8_lossy(text);
    let markers = text.split("[redacted:").skip(1);
    markers.filter_map(|rest| rest.split(']').next()?.parse::<usize>().ok()).sum()
}

#[test]
fn none_of_five_hundred_secrets_is_left_however_it_is_written() {
    let mut dice = Dice(0x5eed_cafe_f00d_0001);
    let secrets: Vec<Vec<u8>> = (0..SECRETS).map(|_| dice.secret()).collect();
    let known = secrets.iter().map(|value| Known { name: b"GRANTED", value }).collect();
    let redaction = Redaction::new(&Sought { known, ..Sought::default() });
    for (name, way) in WAYS {
        let planted: Vec<(Vec<u8>, usize)> = secrets.iter().map(|secret| way(secret, &mut dice)).collect();
        let texts: Vec<Vec<u8>> = planted.iter().map(|(text, _)| text.clone()).collect();
        let stream = texts.join(&BETWEEN);
        let (kept, count, _) = in_pieces(&redaction, dice.pieces(&stream));
        assert!(count >= SECRETS as u64, "{name}: {count}");
        let kept: Vec<&[u8]> = kept.split(|byte| *byte == BETWEEN).collect();
        assert_eq!(kept.len(), SECRETS, "{name}");
        for (((text, carrying), kept), secret) in planted.iter().zip(kept).zip(&secrets) {
            let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert!(replaced(kept) >= *carrying, "{name}: {} became {}", shown(text), shown(kept));
            assert!(!kept.windows(secret.len()).any(|window| window == secret), "{name}: {}", shown(kept));
        }
    }
}

//! Random secrets, and the disguises under which they are looked for.

use crate::AttackError;
use std::{fmt, fs::File, io::Read};

/// A secret that no attempt is told. Where it turns up, a wall has a hole.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub name: &'static str,
    text: String,
}

/// How a token was written where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Plain,
    Reversed,
    Hex,
    Base64,
}

impl Token {
    /// A fresh token for the canary `name`.
    pub fn fresh(name: &'static str) -> Result<Token, AttackError> {
        Ok(Token { name, text: random_word()? })
    }

    /// A token of known text, for tests of the judgement.
    pub fn known(name: &'static str, text: &str) -> Token {
        Token { name, text: text.to_owned() }
    }

    /// The secret itself: only for planting it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The form in which the token stands in these bytes, if it does.
    pub fn found_in(&self, bytes: &[u8]) -> Option<Form> {
        let plain = self.text.as_bytes();
        let reversed: Vec<u8> = plain.iter().rev().copied().collect();
        let hex: String = plain.iter().map(|byte| format!("{byte:02x}")).collect();
        if contains(bytes, plain) {
            return Some(Form::Plain);
        }
        if contains(bytes, &reversed) {
            return Some(Form::Reversed);
        }
        if contains(bytes, hex.as_bytes()) || contains(bytes, hex.to_uppercase().as_bytes()) {
            return Some(Form::Hex);
        }
        (0..3).any(|shift| contains(bytes, &base64_core(plain, shift))).then_some(Form::Base64)
    }
}

/// Never shows the secret: a token in a log would be found in the log.
impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Token({})", self.name)
    }
}

/// Sixteen random letters and digits, without anything that a shell, JSON or a path would treat as special.
pub(crate) fn random_word() -> Result<String, AttackError> {
    let mut bytes = [0_u8; 16];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|source| AttackError::Random { source })?;
    Ok(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect())
}

/// 32 signs, so that the remainder is not biased.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

pub(crate) fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    let Some(first) = needle.first() else { return false };
    let mut rest = haystack;
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        if rest[at..].starts_with(needle) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

/// The signs of base64 that depend on the token alone when `shift` bytes stand before it.
fn base64_core(plain: &[u8], shift: usize) -> Vec<u8> {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, shift).chain(plain.iter().copied()).collect();
    let bits = |index: usize| -> usize {
        let bit = |at: usize| usize::from(padded[at / 8] >> (7 - at % 8) & 1);
        (0..6).fold(0, |value, offset| value << 1 | bit(index * 6 + offset))
    };
    let first = (shift * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    (first..last).map(|index| SIGNS[bits(index)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_disguise_is_seen() {
        let token = Token::known("t", "abcdefgh23456789");
        let cases = [
            ("x abcdefgh23456789 y", Some(Form::Plain)),
            ("98765432hgfedcba", Some(Form::Reversed)),
            ("61626364656667683233343536373839", Some(Form::Hex)),
            ("YWJjZGVmZ2gyMzQ1Njc4OQ==", Some(Form::Base64)),
            // The same with one and two bytes before it.
            ("eGFiY2RlZmdoMjM0NTY3ODk=", Some(Form::Base64)),
            ("eHhhYmNkZWZnaDIzNDU2Nzg5", Some(Form::Base64)),
            ("abcdefgh2345678", None),
        ];
        for (text, form) in cases {
            assert_eq!(token.found_in(text.as_bytes()), form, "{text}");
        }
    }

    #[test]
    fn tokens_differ_and_hide_themselves() {
        let (one, two) = (Token::fresh("a").unwrap(), Token::fresh("a").unwrap());
        assert_ne!(one, two);
        assert_eq!(one.text().len(), 16);
        assert!(!format!("{one:?}").contains(one.text()));
    }
}

//! Alphabets of so many bits a letter: base64, base32, hexadecimal.
//!
//! A value that stands in the middle of something that was encoded has letters which hold bits of its neighbours too. What is
//! looked for are those that hold nothing but the value's own, once for each place where it can begin within a group.

/// An alphabet; a letter holds `bits` of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Radix {
    pub(super) letters: &'static [u8],
    pub(super) bits: usize,
}

pub(super) const BASE64: Radix =
    Radix { letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits: 6 };
pub(super) const BASE64_URL: Radix =
    Radix { letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", bits: 6 };
pub(super) const BASE32: Radix = Radix { letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5 };
pub(super) const BASE32_LOWER: Radix = Radix { letters: b"abcdefghijklmnopqrstuvwxyz234567", bits: 5 };

impl Radix {
    /// The value alone, with its padding.
    pub(super) fn whole(self, value: &[u8]) -> Vec<u8> {
        let letters = (value.len() * 8).div_ceil(self.bits);
        let mut text: Vec<u8> = (0..letters).map(|at| self.letter(value, at * self.bits)).collect();
        text.resize(letters.next_multiple_of(self.group()), b'=');
        text
    }

    /// The value's own letters, for each place in a group where it can begin.
    pub(super) fn within(self, value: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        // As many bytes as fill a group of letters.
        let places = self.group() * self.bits / 8;
        (0..places).map(move |place| {
            let (first, end) = ((place * 8).div_ceil(self.bits), (place + value.len()) * 8 / self.bits);
            (first..end.max(first)).map(|at| self.letter(value, at * self.bits - place * 8)).collect()
        })
    }

    /// Letters in a group: as many as fill whole bytes.
    fn group(self) -> usize {
        (1..=8_usize).find(|letters| (letters * self.bits).is_multiple_of(8)).unwrap_or(8)
    }

    /// The letter that begins with this bit; bits behind the end are zero.
    fn letter(self, value: &[u8], from: usize) -> u8 {
        let bit = |at: usize| value.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
        let number = (from..from + self.bits).fold(0, |number, at| number << 1 | usize::from(bit(at)));
        self.letters[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_it_is_what_everybody_writes() {
        for (value, base64, base32) in [
            ("f", "Zg==", "MY======"),
            ("fo", "Zm8=", "MZXQ===="),
            ("foo", "Zm9v", "MZXW6==="),
            ("fooba", "Zm9vYmE=", "MZXW6YTB"),
        ] {
            assert_eq!(BASE64.whole(value.as_bytes()), base64.as_bytes());
            assert_eq!(BASE32.whole(value.as_bytes()), base32.as_bytes());
        }
        assert_eq!(BASE64_URL.whole(&[0xfb, 0xff, 0xbf]), b"-_-_");
    }

    #[test]
    fn its_own_letters_are_there_wherever_it_stands() {
        let value = b"correct horse";
        for radix in [BASE64, BASE64_URL, BASE32, BASE32_LOWER] {
            let within: Vec<Vec<u8>> = radix.within(value).collect();
            for before in 0..7 {
                for after in 0..5 {
                    let around = [&vec![b'x'; before][..], value, &vec![b'y'; after]].concat();
                    let text = radix.whole(&around);
                    let own = &within[before % within.len()];
                    assert!(own.len() >= 15);
                    assert!(text.windows(own.len()).any(|window| window == own), "{before} {after}");
                }
            }
        }
    }
}

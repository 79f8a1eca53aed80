//! How a value can look when a program prints it. Pure.
//!
//! A table of ways to write, one function each; [`of`] gives every form that differs. What only a computation undoes
//! (compression, a cipher) is beyond it.

use super::radix::{BASE32, BASE32_LOWER, BASE64, BASE64_URL, Radix};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A way to write.
type Form = (&'static str, fn(&[u8]) -> Vec<Vec<u8>>);

/// Written otherwise, fewer bytes than this occur by chance.
const SHORTEST: usize = 6;

const FORMS: &[Form] = &[
    ("with the line ends of terminals", |value| vec![with(value, b"\n", b"\r\n")]),
    ("base64", |value| radix(BASE64, value)),
    ("base64 for addresses", |value| radix(BASE64_URL, value)),
    ("base64 in lines", |value| [64, 76].map(|width| in_lines(&BASE64.whole(value), width)).into()),
    ("base64 twice", |value| radix(BASE64, &BASE64.whole(value))),
    ("base64 in an address", |value| percented(&BASE64.whole(value))),
    ("base64 of its JSON", |value| json(value).iter().flat_map(|form| radix(BASE64, form)).collect()),
    ("base32", |value| [BASE32, BASE32_LOWER].iter().flat_map(|one| radix(*one, value)).collect()),
    ("hexadecimal", |value| cases(&joined(value, b"", |text, byte| write!(text, "{byte:02x}")))),
    ("hexadecimal with colons", |value| cases(&joined(value, b":", |text, byte| write!(text, "{byte:02x}")))),
    ("hexadecimal with spaces", |value| cases(&joined(value, b" ", |text, byte| write!(text, "{byte:02x}")))),
    ("hexadecimal numbers", |value| vec![joined(value, b", ", |text, byte| write!(text, "0x{byte:02x}"))]),
    ("hexadecimal escapes", |value| {
        let escaped = joined(value, b"", |text, byte| write!(text, "\\x{byte:02x}"));
        vec![escaped, joined(value, b"", |text, byte| write!(text, "\\x{byte:02X}"))]
    }),
    ("octal escapes", |value| vec![joined(value, b"", |text, byte| write!(text, "\\{byte:03o}"))]),
    ("decimal numbers", |value| {
        [&b", "[..], b",", b" "]
            .map(|between| joined(value, between, |text, byte| write!(text, "{byte}")))
            .into()
    }),
    ("percent signs", percented),
    ("percent signs throughout", |value| cases_of_percent(value, |_| false)),
    ("JSON", json),
    ("XML", xml),
    ("for a shell", shell),
    ("as Python shows it", python),
    ("quoted printable", |value| vec![equals_signs(value)]),
    ("UTF-16", utf16),
    ("in capitals", |value| vec![value.to_ascii_uppercase()]),
    ("in small letters", |value| vec![value.to_ascii_lowercase()]),
    ("backwards", |value| vec![value.iter().rev().copied().collect()]),
    ("by 13 letters", |value| vec![value.iter().map(|byte| by_13(*byte)).collect()]),
];

/// Every form of a value that there is to look for, itself among them.
pub(super) fn of(value: &[u8]) -> BTreeSet<Vec<u8>> {
    let others = FORMS.iter().flat_map(|(_, form)| form(value)).filter(|form| form.len() >= SHORTEST);
    others.chain([value.to_vec()]).collect()
}

fn radix(radix: Radix, value: &[u8]) -> Vec<Vec<u8>> {
    let whole = radix.whole(value);
    let bare = whole.iter().copied().take_while(|letter| *letter != b'=').collect();
    radix.within(value).chain([whole, bare]).collect()
}

fn in_lines(text: &[u8], width: usize) -> Vec<u8> {
    text.chunks(width).collect::<Vec<_>>().join(&b'\n')
}

fn joined(value: &[u8], between: &[u8], one: impl Fn(&mut String, u8) -> std::fmt::Result) -> Vec<u8> {
    let shown = value.iter().map(|byte| {
        let mut text = String::new();
        // Writing into a text does not fail.
        let _ = one(&mut text, *byte);
        text.into_bytes()
    });
    shown.collect::<Vec<_>>().join(between)
}

fn cases(text: &[u8]) -> Vec<Vec<u8>> {
    vec![text.to_ascii_lowercase(), text.to_ascii_uppercase()]
}

/// Libraries differ in what they leave as it is, in a space, and in the case of digits.
fn percented(value: &[u8]) -> Vec<Vec<u8>> {
    const UNRESERVED: &[u8] = b"-._~";
    let kept: [&[u8]; 5] = [b"", b"/", b"!'()*", b"!'()*;/?:@&=+$,#", b"*"];
    let mut all: Vec<Vec<u8>> = kept
        .iter()
        .flat_map(|kept| {
            cases_of_percent(value, |byte| {
                byte.is_ascii_alphanumeric() || UNRESERVED.contains(&byte) || kept.contains(&byte)
            })
        })
        .collect();
    // Of forms: a space is a plus, and a tilde is not unreserved.
    let form = |byte: u8| byte.is_ascii_alphanumeric() || b"-._* ".contains(&byte);
    all.extend(cases_of_percent(value, form).iter().map(|text| with(text, b" ", b"+")));
    let plus: Vec<Vec<u8>> = all.iter().map(|text| with(text, b"%20", b"+")).collect();
    all.extend(plus);
    all
}

fn cases_of_percent(value: &[u8], is_kept: impl Fn(u8) -> bool) -> Vec<Vec<u8>> {
    let shown = |digits: fn(u8) -> String| {
        value
            .iter()
            .flat_map(|byte| if is_kept(*byte) { vec![*byte] } else { digits(*byte).into_bytes() })
            .collect()
    };
    vec![shown(|byte| format!("%{byte:02X}")), shown(|byte| format!("%{byte:02x}"))]
}

/// With characters as they are, with slashes escaped, with markup escaped, all in ASCII, and every character escaped.
fn json(value: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(value) else { return Vec::new() };
    let Ok(quoted) = serde_json::to_vec(text) else { return Vec::new() };
    let plain = quoted[1..quoted.len() - 1].to_vec();
    let markup = [("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")];
    let marked =
        markup.iter().fold(plain.clone(), |text, (from, to)| with(&text, from.as_bytes(), to.as_bytes()));
    let units = |plain: &str| plain.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    let ascii: String = String::from_utf8_lossy(&plain)
        .chars()
        .map(|one| if one.is_ascii() { one.to_string() } else { units(&one.to_string()) })
        .collect();
    let slashed = with(&plain, b"/", b"\\/");
    vec![
        plain,
        marked,
        slashed,
        with(ascii.as_bytes(), b"/", b"\\/"),
        ascii.into_bytes(),
        units(text).into_bytes(),
    ]
}

fn xml(value: &[u8]) -> Vec<Vec<u8>> {
    let markup = with(&with(&with(value, b"&", b"&amp;"), b"<", b"&lt;"), b">", b"&gt;");
    let quotes = [
        ("&quot;", "&#x27;"),
        ("&quot;", "&#39;"),
        ("&quot;", "&apos;"),
        ("&#34;", "&#39;"),
        ("&quot;", "'"),
    ];
    let quoted = quotes
        .map(|(double, single)| with(&with(&markup, b"\"", double.as_bytes()), b"'", single.as_bytes()));
    quoted.into_iter().chain([markup.clone()]).collect()
}

/// In single quotes, in double quotes, and word by word, as shells and their libraries do it.
fn shell(value: &[u8]) -> Vec<Vec<u8>> {
    let escaped = |is_special: fn(u8) -> bool| {
        value
            .iter()
            .flat_map(|byte| if is_special(*byte) { vec![b'\\', *byte] } else { vec![*byte] })
            .collect()
    };
    vec![
        with(value, b"'", b"'\\''"),
        with(value, b"'", b"'\"'\"'"),
        escaped(|byte| b"\"$`\\".contains(&byte)),
        escaped(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"_-./:=@%+,".contains(&byte)),
        escaped(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"_-./:@%+".contains(&byte)),
    ]
}

/// Texts keep what is not ASCII, bytes do not; and either kind of quote may stand around it.
fn python(value: &[u8]) -> Vec<Vec<u8>> {
    let shown = |quote: Option<u8>, is_kept: fn(u8) -> bool| {
        let one = |byte: &u8| match byte {
            b'\\' => b"\\\\".to_vec(),
            b'\n' => b"\\n".to_vec(),
            b'\r' => b"\\r".to_vec(),
            b'\t' => b"\\t".to_vec(),
            byte if Some(*byte) == quote => vec![b'\\', *byte],
            byte if is_kept(*byte) => vec![*byte],
            byte => format!("\\x{byte:02x}").into_bytes(),
        };
        value.iter().flat_map(one).collect::<Vec<u8>>()
    };
    let as_bytes = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    let as_text = |byte: u8| byte == b' ' || byte.is_ascii_graphic() || !byte.is_ascii();
    let quotes = [None, Some(b'\''), Some(b'"')];
    quotes.iter().flat_map(|quote| [shown(*quote, as_bytes), shown(*quote, as_text)]).collect()
}

fn equals_signs(value: &[u8]) -> Vec<u8> {
    let one = |byte: &u8| match byte {
        b' '..=b'<' | b'>'..=b'~' => vec![*byte],
        byte => format!("={byte:02X}").into_bytes(),
    };
    value.iter().flat_map(one).collect()
}

fn utf16(value: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(value) else { return Vec::new() };
    let little = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    vec![little, big]
}

fn by_13(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
        other => other,
    }
}

/// One thing written for another.
fn with(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(from) {
            written.extend_from_slice(to);
            at += from.len();
        } else {
            written.push(text[at]);
            at += 1;
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(value: &str, form: &str) {
        assert!(of(value.as_bytes()).contains(form.as_bytes()), "{value} as {form}");
    }

    #[test]
    fn a_value_as_others_write_it() {
        let value = "pä ss'w/o\"rd&1\n";
        for form in [
            "cMOkIHNzJ3cvbyJyZCYxCg==",
            "cMOkIHNzJ3cvbyJyZCYxCg",
            "cMOkIHNzJ3cvbyJyZCYxCg%3D%3D",
            "70c3a42073732777",
            "p%C3%A4%20ss%27w%2Fo%22rd%261%0A",
            "p%c3%a4%20ss%27w%2fo%22rd%261%0a",
            "p%C3%A4+ss%27w%2Fo%22rd%261%0A",
            "p%C3%A4%20ss'w%2Fo%22rd%261%0A",
            "p\\u00e4 ss'w/o\\\"rd&1\\n",
            "pä ss'w\\/o\\\"rd&1\\n",
            "pä ss'w/o\\\"rd\\u00261\\n",
            "pä ss&#x27;w/o&quot;rd&amp;1\n",
            "pä ss'\\''w/o\"rd&1\n",
            "p\\xc3\\xa4 ss\\'w/o\"rd&1\\n",
            "p=C3=A4 ss'w/o\"rd&1=0A",
            "112, 195, 164, 32",
            "\\160\\303\\244",
        ] {
            let forms = of(value.as_bytes());
            assert!(
                forms.iter().any(|known| known.starts_with(form.as_bytes()) || known == form.as_bytes()),
                "{form}"
            );
        }
        has("Correct-Horse9", "Pbeerpg-Ubefr9");
        has("Correct-Horse9", "9esroH-tcerroC");
        has("Correct-Horse9", "CORRECT-HORSE9");
    }

    #[test]
    fn short_values_have_few_forms() {
        assert!(of(b"abcd").iter().all(|form| form == b"abcd" || form.len() >= SHORTEST));
        assert!(FORMS.len() >= 20);
    }
}

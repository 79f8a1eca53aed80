//! Which values are secrets: a rule that somebody can know by heart.
//!
//! Everything that was granted by name is taken out, but for what would wreck the output: short values, numbers, words that
//! everybody uses, places, and variables that are no secret by their name. A name that sounds like a secret wins.

/// A variable and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Known<'a> {
    pub name: &'a [u8],
    pub value: &'a [u8],
}

/// Without its value.
impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Known({})", String::from_utf8_lossy(self.name))
    }
}

/// Shorter ones occur by chance.
const SHORTEST: usize = 6;
/// Where the name says that it is one. Below that even a secret occurs in every line.
const SHORTEST_SECRET: usize = 4;

/// Parts of names that sound like a secret.
const SOUNDS: [&str; 14] = [
    "PASS",
    "PWD",
    "SECRET",
    "TOKEN",
    "KEY",
    "CREDENTIAL",
    "AUTH",
    "PRIVATE",
    "SIGNATURE",
    "COOKIE",
    "SESSION",
    "DSN",
    "SALT",
    "CERT",
];

/// Names of variables that are no secret, whatever they hold.
const HARMLESS: [&str; 32] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "SHELL",
    "TZ",
    "HOSTNAME",
    "HOST",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "DISPLAY",
    "TMPDIR",
    "TEMP",
    "TMP",
    "COLUMNS",
    "LINES",
    "PORT",
    "PYTHONPATH",
    "NODE_PATH",
    "GOPATH",
    "JAVA_HOME",
    "LD_LIBRARY_PATH",
    "NODE_ENV",
    "RUST_LOG",
    "CI",
];

/// Beginnings of such names.
const HARMLESS_FAMILIES: [&str; 2] = ["LC_", "XDG_"];

/// Values that everybody has.
const WORDS: [&str; 36] = [
    "always",
    "console",
    "default",
    "develop",
    "development",
    "disable",
    "disabled",
    "docker",
    "enable",
    "enabled",
    "example",
    "info,debug",
    "localhost",
    "master",
    "memory",
    "mongodb",
    "mysql",
    "nothing",
    "postgres",
    "postgresql",
    "preview",
    "prod",
    "production",
    "public",
    "python",
    "redis",
    "release",
    "sqlite",
    "sqlite3",
    "stable",
    "staging",
    "testing",
    "unknown",
    "verbose",
    "warning",
    "warnings",
];

/// Whether a variable sounds like a secret by its name alone.
pub fn is_secret_name(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    !HARMLESS.contains(&name.as_str()) && SOUNDS.iter().any(|part| name.contains(part))
}

/// Whether a value is to be taken out of what is kept.
pub fn is_secret(name: &[u8], value: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    if HARMLESS.contains(&name.as_str()) || HARMLESS_FAMILIES.iter().any(|family| name.starts_with(family)) {
        return false;
    }
    if SOUNDS.iter().any(|part| name.contains(part)) {
        return value.len() >= SHORTEST_SECRET && !is_switch(value);
    }
    value.len() >= SHORTEST && !is_switch(value) && !is_number(value) && !is_word(value) && !is_place(value)
}

/// Values of several lines are looked for line by line too: programs print keys with something before each line. A line counts
/// where it is one long word.
pub(super) fn lines(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    const SHORTEST_LINE: usize = 12;
    let is_several = value.trim_ascii().contains(&b'\n');
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(move |_| is_several);
    lines.filter(|line| {
        line.len() >= SHORTEST_LINE
            && !line.starts_with(b"-----")
            && !line.iter().any(u8::is_ascii_whitespace)
    })
}

fn is_switch(value: &[u8]) -> bool {
    let words: [&[u8]; 8] = [b"true", b"false", b"none", b"null", b"yes", b"no", b"on", b"off"];
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Numbers, versions, dates, addresses.
fn is_number(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_digit() || b".,:-+_eE ".contains(byte))
}

fn is_word(value: &[u8]) -> bool {
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// A path or a list of paths: tracebacks are full of them. A part that is long and mixed may be a key all the same.
fn is_place(value: &[u8]) -> bool {
    const LONG: usize = 16;
    let is_key = |part: &[u8]| {
        part.len() >= LONG && part.iter().any(u8::is_ascii_digit) && part.iter().any(u8::is_ascii_uppercase)
    };
    let begins = |path: &[u8]| path.starts_with(b"/") || path.starts_with(b"~/") || path.starts_with(b"./");
    let is_named = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"/._-".contains(byte);
    let is_path = |path: &[u8]| begins(path) && path[1..].iter().all(is_named);
    value.split(|byte| *byte == b':').all(is_path) && !value.split(|byte| *byte == b'/').any(is_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        for (name, value, secret) in [
            ("X", "hunter2!", true),
            ("X", "hunt", false),
            ("DB_PASSWORD", "hunt", true),
            ("db_password", "abc", false),
            ("API_KEY", "123456", true),
            ("RETRIES", "123456", false),
            ("WHEN", "2026-11-15 12:00", false),
            ("API_KEY", "true", false),
            ("X", "False", false),
            ("PATH", "/opt/secret:/usr/bin", false),
            ("LC_ALL", "de_DE.UTF-8", false),
            ("PWD", "/home/me", false),
            ("DATA", "/srv/data/set", false),
            ("DATA", "/srv/data:/srv/more", false),
            ("DATA", "/aB3dEfGhIjKlMnOp", true),
            ("DATA", "/srv=x+y", true),
            ("WEBHOOK", "https://example.org/x", true),
            ("MODE", "production", false),
            ("MODE", "swordfish", true),
            ("X", "", false),
        ] {
            assert_eq!(is_secret(name.as_bytes(), value.as_bytes()), secret, "{name}={value}");
        }
    }

    #[test]
    fn a_key_of_several_lines_is_known_by_each() {
        let key = b"-----BEGIN KEY-----\nMIIEvQIBADAN\nshort\r\nBgkqhkiG9w0BAQ== \nin a sentence of words\n-----END KEY-----\n";
        let found: Vec<&[u8]> = lines(key).collect();
        assert_eq!(found, [&b"MIIEvQIBADAN"[..], b"BgkqhkiG9w0BAQ=="]);
        assert_eq!(lines(b"one line that is long\n").count(), 0);
    }
}

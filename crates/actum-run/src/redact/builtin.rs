//! What is looked for without being known: keys, tokens and passwords that can be told by how they look.
//!
//! Each row has the few letters that it cannot be without. They are looked for in one pass over all bytes; only around
//! them its regular expression is asked, which is made when it is needed for the first time.

use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// One way to tell a secret by its looks.
pub(super) struct Builtin {
    pub(super) name: &'static str,
    /// A match begins with one of these, or behind it.
    pub(super) anchors: &'static [&'static str],
    /// Its first group is the secret, else all of it.
    text: &'static str,
    pub(super) extent: Extent,
    pub(super) needs: Needs,
    made: OnceLock<Regex>,
}

/// How far behind its anchor a match can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// To the end of what tokens are written in.
    Word,
    /// To the end of the line.
    Line,
}

/// What a secret must have, lest code be taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    Letters,
    LettersAndDigits,
}

impl Builtin {
    const fn word(name: &'static str, anchors: &'static [&'static str], text: &'static str) -> Self {
        Self { name, anchors, text, extent: Extent::Word, needs: Needs::Nothing, made: OnceLock::new() }
    }

    const fn line(
        name: &'static str,
        anchors: &'static [&'static str],
        text: &'static str,
        needs: Needs,
    ) -> Self {
        Self { name, anchors, text, extent: Extent::Line, needs, made: OnceLock::new() }
    }

    pub(super) fn regex(&self) -> &Regex {
        let made = || RegexBuilder::new(self.text).unicode(false).build();
        self.made.get_or_init(|| made().expect("every expression of the table is tried by a test"))
    }
}

impl Extent {
    /// How much is held back for one match. 8 KiB: tokens with many claims have 4 KiB. 1 KiB: a line of a log.
    pub(super) fn longest(self) -> usize {
        match self {
            Extent::Word => 8 << 10,
            Extent::Line => 1 << 10,
        }
    }

    /// Whether a match cannot go on over this byte.
    pub(super) fn ends_at(self, byte: u8) -> bool {
        match self {
            Extent::Word => !(byte.is_ascii_alphanumeric() || b"_-.~+/=%".contains(&byte)),
            Extent::Line => byte == b'\n',
        }
    }
}

impl Needs {
    pub(super) fn are_met(self, secret: &[u8]) -> bool {
        let (letters, digits) =
            (secret.iter().any(u8::is_ascii_alphabetic), secret.iter().any(u8::is_ascii_digit));
        match self {
            Needs::Nothing => true,
            Needs::Letters => letters,
            Needs::LettersAndDigits => letters && digits,
        }
    }
}

/// The name of private keys, which have a file of their own: `block`.
pub(super) const PRIVATE_KEY: &str = "private-key";

/// Names by which built-in patterns are turned off.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = BUILTIN.iter().map(|one| one.name).chain([PRIVATE_KEY]).collect();
    names.sort_unstable();
    names.dedup();
    names
}

const NAMED: &[&str] = &[
    "passw", "Passw", "PASSW", "passphr", "Passphr", "PASSPHR", "secret", "Secret", "SECRET", "token",
    "Token", "TOKEN", "api_k", "api-k", "apik", "apiK", "ApiK", "Api-K", "API_K", "API-K", "APIK",
    "access_k", "accessK", "AccessK", "ACCESS_K",
];

pub(super) static BUILTIN: [Builtin; 36] = [
    Builtin::word("aws", &["AKIA", "ASIA", "ABIA", "ACCA"], r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    Builtin::word("gcp", &["AIza"], r"AIza[\w-]{35}"),
    Builtin::word("gcp", &["ya29."], r"ya29\.[\w.-]{20,}"),
    Builtin::word("gcp", &["GOCSPX-"], r"GOCSPX-[\w-]{28}"),
    Builtin::word("gcp", &["1//0"], r"1//0[\w-]{40,}"),
    Builtin::word("azure", &["7Q~", "8Q~"], r"[78]Q~[\w~.-]{31,34}"),
    Builtin::word(
        "azure",
        &["AccountKey=", "AccessKey="],
        r"(?:AccountKey|AccessKey)=([A-Za-z0-9+/]{40,}={0,2})",
    ),
    Builtin::word("azure", &["?sig=", "&sig="], r"[?&]sig=([A-Za-z0-9%+/=_-]{20,})"),
    Builtin::word("github", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9_]{30,}"),
    Builtin::word("github", &["github_pat_"], r"github_pat_\w{22,}"),
    Builtin::word(
        "gitlab",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glagent-", "glsoat-"],
        r"gl(?:pat|dt|rt|cbt|ptt|agent|soat)-[\w.-]{20,}",
    ),
    Builtin::word(
        "slack",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe"],
        r"xox[abeprs](?:\.xox[bp])?-[\w-]{10,}",
    ),
    Builtin::word("slack", &["xapp-"], r"xapp-[\w-]{20,}"),
    Builtin::word("slack", &["/services/T"], r"/services/(T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/\w{16,})"),
    Builtin::word("discord", &["/api/webhooks/"], r"/api/webhooks/([0-9]{15,}/[\w-]{40,})"),
    Builtin::word("telegram", &[":AA"], r":(AA[\w-]{33})"),
    Builtin::word("openai", &["sk-"], r"sk-(?:(?:proj|svcacct|admin)-[\w-]{20,}|\w{16,40}T3BlbkFJ\w{16,})"),
    Builtin::word("anthropic", &["sk-ant-"], r"sk-ant-[\w-]{20,}"),
    Builtin::word("openrouter", &["sk-or-v1"], r"sk-or-v1-\w{32,}"),
    Builtin::word("groq", &["gsk_"], r"gsk_\w{40,}"),
    Builtin::word("huggingface", &["hf_", "api_org_"], r"(?:hf_|api_org_)[A-Za-z0-9]{30,}"),
    Builtin::word("replicate", &["r8_"], r"r8_\w{37}"),
    Builtin::word("npm", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    Builtin::word("pypi", &["pypi-AgE"], r"pypi-AgE[\w-]{40,}"),
    Builtin::word("rubygems", &["rubygems_"], r"rubygems_[a-f0-9]{48}"),
    Builtin::word("docker", &["dckr_pat_"], r"dckr_pat_[\w-]{20,}"),
    Builtin::word("vault", &["hvs.", "hvb."], r"hv[sb]\.[\w-]{24,}"),
    Builtin::word("databricks", &["dapi"], r"dapi[a-f0-9]{32}"),
    Builtin::word(
        "stripe",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/]{16,}",
    ),
    Builtin::word("sendgrid", &["SG."], r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    Builtin::word(
        "others",
        &[
            "dop_v1_",
            "doo_v1_",
            "shpat_",
            "shpss_",
            "glsa_",
            "lin_api_",
            "PMAK-",
            "figd_",
            "pscale_",
            "tskey-",
            "AGE-SECRET-KEY-",
        ],
        r"(?:do[op]_v1_|shp(?:at|ss)_|glsa_|lin_api_|PMAK-|figd_|pscale_(?:tkn|pw|oauth)_|tskey-(?:auth|api|client)-|AGE-SECRET-KEY-1)[\w.-]{20,}",
    ),
    Builtin::word("jwt", &["eyJ"], r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    Builtin::line(
        "authorization",
        &["uthorization", "UTHORIZATION", "earer ", "EARER "],
        r#"(?i)(?:uthorization["']?\s{0,4}[:=,]\s{0,4}["']?(?:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,4})?([^\s"',\[\]]{8,})|earer\s{1,4}([A-Za-z0-9._~+/=-]{16,}))"#,
        Needs::LettersAndDigits,
    ),
    Builtin::line(
        "url",
        &["://"],
        r#"://[^\s/?\#:@"'<>]{0,128}:([^\s/?\#@"'<>\[\]]{1,256})@"#,
        Needs::Nothing,
    ),
    // As in addresses and settings: no space, and nothing behind it that code would have.
    Builtin::line(
        "password",
        NAMED,
        r#"(?i)(?:passw(?:or)?d|passphrase|secret|token|(?:api|access)[_-]?key)[\w-]{0,24}=([^\s&"'<>;,()\[\]{}|\\/$.%=][^\s&"'<>;,()\[\]{}|\\]{5,})(?:[&\s"'\#;<]|$)"#,
        Needs::Letters,
    ),
    // As in configurations and logs: a colon or an equals sign with spaces or quotes.
    Builtin::line(
        "password",
        NAMED,
        r#"(?i)(?:passw(?:or)?d|passphrase|secret|token|(?:api|access)[_-]?key)[\w-]{0,24}["']?\s{0,4}[:=]\s{0,4}["']?([^\s&"'<>;,()\[\]{}|\\/$.%=][^\s&"'<>;,()\[\]{}|\\]{7,})(?:[&\s"';<,}\\]|$)"#,
        Needs::LettersAndDigits,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_is_one_and_finds_no_empty_text() {
        for one in &BUILTIN {
            let made = RegexBuilder::new(one.text).unicode(false).build();
            assert!(made.is_ok_and(|regex| !regex.is_match(b"")), "{} {}", one.name, one.text);
            assert!(
                one.anchors.iter().all(|anchor| anchor.len() >= 3),
                "{}: too short to look for",
                one.name
            );
        }
    }
}

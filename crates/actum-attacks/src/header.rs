//! Reads the header of an attempt: `key: value` in the comments on top of its file.
//!
//! Pure. Every key is known, the required ones are present, and a word that is not in the grammar is an error:
//! a header that is read loosely would let an attempt go unjudged.

use crate::{RunnerKind, Watch};
use actum_model::Limit;
use serde::Serialize;

/// Who decides whether the aim was achieved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// Only what the harness sees: tokens, contacts, host files, processes.
    Outside,
    /// The attempt says `ACHIEVED:`; what the harness sees still counts.
    Inside,
    /// The harness measures use against a limit; `ACHIEVED:` also counts.
    Limit,
}

/// Whether the aim must fail in tier L, where there are no namespaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InTierL {
    Enforced,
    Open(String),
}

/// Something put around the runner, so that there is something to misuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// A directory descriptor and a connected socket are left open in the runner.
    Leak,
    /// The runner sits on a fresh terminal.
    Terminal,
    /// The runner has an open pipe as its standard input.
    OpenInput,
    /// PYTHONPATH, BASH_ENV and the like are set in the runner.
    HostileVariables,
    /// More arguments follow, full of what a shell would act on.
    HostileArguments,
    /// The attempt runs twice, first with `phase=plant`, then with `phase=look`.
    Twice,
}

/// Everything that the comments on top of an attempt say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub id: String,
    pub group: String,
    pub aim: String,
    pub judge: Judge,
    pub canaries: Vec<String>,
    pub tier_l: InTierL,
    pub source: String,
    pub profile: String,
    /// Grants of `--net`; `{tcp}` stands for the port of the TCP canary.
    pub net: Vec<String>,
    /// Seconds of wall time that the runner is told to allow.
    pub wall: u64,
    pub limit: Option<Limit>,
    pub watches: Vec<Watch>,
    pub wraps: Vec<Wrap>,
    /// Runners under which the attempt is not run, because even its harmless form is a risk there.
    pub never: Vec<(RunnerKind, String)>,
    pub needs_proxy: bool,
}

/// Why a header cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("the key `{0}` is missing")]
    Missing(&'static str),
    #[error("the key `{0}` is given twice")]
    Twice(String),
    #[error("the key `{0}` is not known")]
    UnknownKey(String),
    #[error("`{value}` is not a value of `{key}`")]
    Value { key: &'static str, value: String },
    #[error("the judge `limit` requires the key `limit`, and no other judge may have it")]
    LimitWithoutJudge,
}

/// Keys that a header may hold, in the order in which they are written.
const KEYS: [&str; 15] = [
    "id", "group", "aim", "judge", "canary", "tier-l", "source", "profile", "net", "wall", "limit", "watch",
    "wrap", "never", "needs",
];

/// Seconds of wall time where the header does not say otherwise.
const USUAL_WALL: u64 = 10;

impl Header {
    /// Reads the header from the whole text of an attempt.
    pub fn read(text: &str) -> Result<Header, HeaderError> {
        let fields = Fields::read(text)?;
        let limit = fields.optional("limit").map(limit_from).transpose()?;
        let judge = judge_from(fields.required("judge")?)?;
        if (judge == Judge::Limit) != limit.is_some() {
            return Err(HeaderError::LimitWithoutJudge);
        }
        Ok(Header {
            id: fields.required("id")?.to_owned(),
            group: fields.required("group")?.to_owned(),
            aim: fields.required("aim")?.to_owned(),
            judge,
            canaries: fields.list("canary").map(str::to_owned).collect(),
            tier_l: tier_l_from(fields.required("tier-l")?)?,
            source: fields.required("source")?.to_owned(),
            profile: fields.optional("profile").unwrap_or("default").to_owned(),
            net: fields.list("net").map(str::to_owned).collect(),
            wall: fields.optional("wall").map_or(Ok(USUAL_WALL), wall_from)?,
            limit,
            watches: fields.list("watch").map(watch_from).collect::<Result<_, _>>()?,
            wraps: fields.list("wrap").map(wrap_from).collect::<Result<_, _>>()?,
            never: fields.optional("never").map(never_from).transpose()?.unwrap_or_default(),
            needs_proxy: fields.optional("needs").map(needs_from).transpose()?.is_some(),
        })
    }
}

/// The lines of the header, taken apart but not yet understood.
struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    fn read(text: &'a str) -> Result<Fields<'a>, HeaderError> {
        let mut fields: Vec<(&str, &str)> = Vec::new();
        for line in text.lines() {
            let Some(comment) = line.strip_prefix("# ").or_else(|| line.strip_prefix("// ")) else { break };
            let Some((key, value)) = comment.split_once(": ") else { break };
            if !KEYS.contains(&key) {
                return Err(HeaderError::UnknownKey(key.to_owned()));
            }
            if fields.iter().any(|(known, _)| *known == key) {
                return Err(HeaderError::Twice(key.to_owned()));
            }
            fields.push((key, value.trim()));
        }
        Ok(Fields(fields))
    }

    fn optional(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    fn required(&self, key: &'static str) -> Result<&'a str, HeaderError> {
        self.optional(key).filter(|value| !value.is_empty()).ok_or(HeaderError::Missing(key))
    }

    fn list(&self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.optional(key)
            .unwrap_or("")
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty() && *word != "none")
    }
}

fn wrong(key: &'static str, value: &str) -> HeaderError {
    HeaderError::Value { key, value: value.to_owned() }
}

fn judge_from(value: &str) -> Result<Judge, HeaderError> {
    match value {
        "outside" => Ok(Judge::Outside),
        "inside" => Ok(Judge::Inside),
        "limit" => Ok(Judge::Limit),
        other => Err(wrong("judge", other)),
    }
}

fn tier_l_from(value: &str) -> Result<InTierL, HeaderError> {
    match value.split_once(": ") {
        None if value == "enforced" => Ok(InTierL::Enforced),
        Some(("open", reason)) => Ok(InTierL::Open(reason.to_owned())),
        Some(_) | None => Err(wrong("tier-l", value)),
    }
}

fn limit_from(value: &str) -> Result<Limit, HeaderError> {
    Limit::ALL.into_iter().find(|limit| limit.name() == value).ok_or_else(|| wrong("limit", value))
}

fn wall_from(value: &str) -> Result<u64, HeaderError> {
    value.parse().map_err(|_| wrong("wall", value))
}

fn watch_from(value: &str) -> Result<Watch, HeaderError> {
    Watch::from_name(value).ok_or_else(|| wrong("watch", value))
}

fn wrap_from(value: &str) -> Result<Wrap, HeaderError> {
    match value {
        "leak" => Ok(Wrap::Leak),
        "terminal" => Ok(Wrap::Terminal),
        "open-input" => Ok(Wrap::OpenInput),
        "hostile-variables" => Ok(Wrap::HostileVariables),
        "hostile-arguments" => Ok(Wrap::HostileArguments),
        "twice" => Ok(Wrap::Twice),
        other => Err(wrong("wrap", other)),
    }
}

/// `bare bubblewrap: the reason`.
fn never_from(value: &str) -> Result<Vec<(RunnerKind, String)>, HeaderError> {
    let (kinds, reason) = value.split_once(": ").ok_or_else(|| wrong("never", value))?;
    kinds
        .split_whitespace()
        .map(|name| RunnerKind::from_name(name).ok_or_else(|| wrong("never", name)))
        .map(|kind| kind.map(|kind| (kind, reason.to_owned())))
        .collect()
}

fn needs_from(value: &str) -> Result<(), HeaderError> {
    if value == "proxy" { Ok(()) } else { Err(wrong("needs", value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str =
        "# id: a-b\n# group: g\n# aim: Do it.\n# judge: outside\n# tier-l: enforced\n# source: us\n";

    #[test]
    fn the_least_header_gets_the_usual_values() {
        let header = Header::read(&format!("{LEAST}\nimport os\n# wall: 3\n")).unwrap();
        assert_eq!((header.id.as_str(), header.wall, header.profile.as_str()), ("a-b", 10, "default"));
        assert_eq!(header.tier_l, InTierL::Enforced);
        assert!(header.canaries.is_empty() && header.never.is_empty() && !header.needs_proxy);
    }

    #[test]
    fn every_key_is_understood_in_both_kinds_of_comment() {
        let text = "// id: x\n// group: g\n// aim: A: b.\n// judge: limit\n// canary: home, tcp\n\
                    // tier-l: open: disk is polled\n// source: CVE-1\n// profile: locked\n// net: a.test:443, b.test:1\n\
                    // wall: 3\n// limit: wall\n// watch: set-uid\n// wrap: leak, twice\n\
                    // never: bare bubblewrap: loads modules\n// needs: proxy\nint main;";
        let header = Header::read(text).unwrap();
        assert_eq!(header.aim, "A: b.");
        assert_eq!(header.tier_l, InTierL::Open("disk is polled".to_owned()));
        assert_eq!(header.limit, Some(Limit::Wall));
        assert_eq!(header.wraps, [Wrap::Leak, Wrap::Twice]);
        assert_eq!(header.net.len(), 2);
        assert_eq!(header.never.len(), 2);
        assert_eq!(header.watches, [Watch::SetUid]);
        assert!(header.needs_proxy);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases: [(&str, HeaderError); 5] = [
            ("# id: a\n", HeaderError::Missing("judge")),
            ("# colour: red\n", HeaderError::UnknownKey("colour".to_owned())),
            ("# id: a\n# id: b\n", HeaderError::Twice("id".to_owned())),
            ("# judge: me\n", wrong("judge", "me")),
            ("# judge: limit\n", HeaderError::LimitWithoutJudge),
        ];
        for (text, error) in cases {
            assert_eq!(Header::read(text).unwrap_err(), error, "{text}");
        }
        let open = LEAST.replace("tier-l: enforced", "tier-l: open");
        assert_eq!(Header::read(&open).unwrap_err(), wrong("tier-l", "open"));
    }
}

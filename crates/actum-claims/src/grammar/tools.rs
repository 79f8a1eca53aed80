//! What tools say: clean, installed, exit codes, no errors.

use super::found::Found;
use crate::sentence::Sentence;
use crate::stance::pattern;
use crate::vocabulary::VOCABULARY;
use actum_commands::programs::{PROGRAMS, Programs, WordList};
use actum_model::{Cleanliness, Said, Unwanted};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Words of a tool that found nothing.
const GOOD: &str = r"(?:fine|no (?:differences?|diffs?|changes)|silent|quiet|satisfied|content|spotless|clean bill|all clear|(?:turned|turns|came|comes) (?:up|back) (?:nothing|empty|with nothing)|returned nothing|returns nothing|no (?:\w+ )?(?:diagnostics|objections|remarks|hits|offen[cs]es)|nothing (?:left )?(?:to [a-z]+|wrong|found|flagged|reported)|(?:found|finds|reported|reports|flagged|flags|raised|raises|showed|shows) nothing|no complaints?|pass(?:es|ed|ing)?|clean(?:ly)?|green|happy|ok|succeed(?:s|ed)?|success(?:ful|fully)?|(?:no|zero|0|without(?: any)?) (?:new |remaining |other |lint |type |build |compile |compilation |\w+ )?(?:issues?|errors?|warnings?|problems?|violations?|findings|complaints|leaks?))";

/// Says that one of the tools, or of the words for what it does, found nothing.
fn says_clean(tools: &[&WordList], words: &str) -> Regex {
    let names = format!("{}|{words}", alternatives(tools));
    pattern(&format!(
        r"\b({names})\b[^;.]{{0,45}}?\b{GOOD}\b|\b(?:no|zero|0|without(?: any)?|free of) (?:more |new |remaining )?({names}) ?(?:issues?|errors?|warnings?|problems?|violations?|findings|complaints)\b|\b({names})[- ](?:clean|free)\b|\b(?:pass(?:es|ed|ing)?|clean) (?:the |all |under |on |with |in )*({names})\b"
    ))
}

/// The names of tools for a pattern, the longest first.
fn alternatives(lists: &[&WordList]) -> String {
    let names = lists.iter().flat_map(|list| list.iter());
    let mut names: Vec<&str> = names.filter(|name| !PROGRAMS.recipes.contains(name)).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.into_iter().map(regex::escape).collect::<Vec<_>>().join("|")
}

static LINT: LazyLock<Regex> = LazyLock::new(|| {
    let tools = [&PROGRAMS.linters, &PROGRAMS.examiners];
    says_clean(
        &tools,
        "cargo clippy|go vet|cargo audit|static analysis|lint(?:er)? checks?|lint(?:er|ing|s|ers)?",
    )
});
static TYPES: LazyLock<Regex> = LazyLock::new(|| {
    says_clean(&[&PROGRAMS.type_checkers], "type[- ]?check(?:s|er|ing|ed)?|typescript|static typing|types?")
});
static FORMAT: LazyLock<Regex> = LazyLock::new(|| {
    says_clean(&[&PROGRAMS.formatters], "ruff format|cargo fmt|formatting|formatter|format checks?")
});
static BUILD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        concat!(
            r"\b((?:cargo |npm run |production |release |docker |the |clean )*build|compilation|compile step|cargo check|bundle|compiler|builds and tests|make)\b[^;.]{{0,40}}?\b{good}\b",
            r"|\b(?:compiles|compiled|builds|built|bundles|bundled)\b[^;.]{{0,40}}?\b(?:clean(?:ly)?|success(?:fully)?|fine|without(?: any)? (?:errors?|warnings?|issues?)|(?:with )?(?:no|zero|0) (?:errors?|warnings?|issues?))\b",
            r"|\bsuccessfully (?:built|compiled|builds|compiles|bundled)\b|\bno (?:build|compil\w+|compiler) (?:errors?|failures?|issues?|warnings?)\b",
            r"|\b(?:the |our )?(?:code|project|crate|app|package|module|workspace|program|library|binary) (?:now |still |also )?(?:compiles|builds)\b",
        ),
        good = GOOD
    ))
});
static TOOL: LazyLock<Regex> = LazyLock::new(|| {
    let Programs { linters, examiners, type_checkers, formatters, .. } = &*PROGRAMS;
    let tools = alternatives(&[linters, examiners, type_checkers, formatters]);
    pattern(&format!(r"\b({tools}|cargo audit|{BUILDERS})\b"))
});
/// Builders that are told by their names.
const BUILDERS: &str = "cargo build|cargo check|npm run build|docker build|make";
static INSTALLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:installed|upgraded|downgraded|pinned|bumped|using|uses|used|running|with)\b(?: (?:the|dependencies|packages?|latest|libraries|requirements|version of))*:? *(.*)",
    )
});
static INSTALLING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:installed|upgraded|downgraded|pinned|bumped)\b"));
static PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"([a-z][a-z0-9_.-]*[a-z0-9]|[a-z])(?:\[[\w,]+\])?(?: ?(?:==|=|@|\^|~=)| +\(?v?(?:ersion )?| version | to (?:version )?v?)(\d+(?:\.\w+)*(?:[.-]?(?:rc|a|b|post|dev)\d*)?)\b",
    )
});
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:installed|pip installed) (?:the )?(?:package |packages |dependency |library )?([a-z][a-z0-9_-]*[a-z0-9])(?:[., ]|$)(?:and ([a-z][a-z0-9_-]+)\b)?",
    )
});
static PINNED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b([a-z][a-z0-9_]*(?:[-.][a-z][a-z0-9_]*)*)(?:==|-)(\d+(?:\.\w+)+)\b|\b([a-z][a-z0-9_-]*[a-z0-9]) v?(\d+(?:\.\w+)+) (?:is|was|has been|got) (?:now |already |successfully )?installed\b",
    )
});
static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:exit(?:ed|s|ing)?|return(?:ed|s)|terminat(?:ed|es)|finish(?:ed|es)|end(?:ed|s)|complet(?:ed|es)|quits?|abort(?:ed|s)|stop(?:ped|s)|fail(?:ed|s)|bail(?:ed|s)|die[sd]|leaves?|left|c(?:ame|omes) back|gives? up|gave up)(?: \w+)?? (?:with |a |an |the )*(?:(?:exit |return )?(?:code|status)|exit)(?: code| status)? ?(?:of |is |was |: ?|= ?)?(-?\d+)\b",
        r"|\b(?:exit|return) ?(?:code|status)(?: of [\w ]{1,30}?)? ?(?:is|was|of|:|=|\|)? ?(-?\d+)\b",
        r"|\bexit(?:ed|s)? (?:with )?(?:non-?zero \()?(-?\d+)\b|\brc ?= ?(-?\d+)\b",
    ))
});
/// `returned 0` of a command; of a function it is its value.
static RETURNED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:return(?:ed|s)|came back with) (-?\d{1,3})(?:[.,;:)]|$)"));
static EXIT_WELL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bexit(?:ed|s)? (?:cleanly|successfully|normally|with (?:code )?zero|without (?:an )?errors?)\b",
    )
});
static ABSENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:no|zero|0|not (?:a single|one)|without(?: (?:emitting|printing|raising|throwing|showing|giving|reporting|logging|producing|triggering|causing|generating|hitting|encountering|seeing|issuing|leaving))?(?: any| an?| one)?(?: single)?|free of|any) (?:runtime |new |console |import |reported |further |other |more |remaining |deprecation |python )*(errors?|warnings?|exceptions?|tracebacks?)(?: ?(?:or|and|/|,) ?(?:no |any |zero |0 )?(errors?|warnings?|exceptions?))?\b",
        r"|\b(error|warning)[- ]free\b",
        r"|\b(?:none of|not|never|n't)\b[^,;.]{0,40}? (?:print|produce|raise|report|emit|throw|give|show|log|trigger|cause)\w*(?: any| an?)?(?: single)? (?:\w+ )?(errors?|warnings?|exceptions?|tracebacks?)\b",
    ))
});
static ANY: LazyLock<Regex> = LazyLock::new(|| pattern(r"^any "));

/// A pass over something is no praise.
static A_PASS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:first|second|third|initial|last|final|another|one|this|that|each|single|quick) pass\b")
});

pub(super) fn clean(sentence: &mut Sentence, found: &mut Found) {
    let families: [(&Regex, Cleanliness); 4] = [
        (&LINT, Cleanliness::Lint),
        (&TYPES, Cleanliness::Types),
        (&FORMAT, Cleanliness::Format),
        (&BUILD, Cleanliness::Build),
    ];
    let mut taken = Vec::new();
    // A command between backticks stands for its tool.
    let mut mask = with_commands(sentence, super::found::looks_like_command);
    let passes: Vec<std::ops::Range<usize>> = A_PASS.find_iter(&mask).map(|place| place.range()).collect();
    passes.into_iter().for_each(|range| mask[range].fill(b' '));
    for (pattern, what) in families {
        let Some(place) = pattern.find(&mask) else { continue };
        let tool = TOOL.find(&mask[place.range()]).or_else(|| TOOL.find(&mask));
        let tool = tool.map(|tool| String::from_utf8_lossy(tool.as_bytes()).into_owned());
        let tool = tool.filter(|tool| fits(tool, what));
        if found.add(place.start(), Said::Clean { what, tool }) {
            taken.push(place.range());
        }
    }
    // `no lint or type errors`: the words are shared, so they are hidden when all have looked.
    taken.into_iter().for_each(|range| sentence.hide(range));
}

fn fits(tool: &str, what: Cleanliness) -> bool {
    match what {
        // A tool that is known for nothing else looks for faults.
        Cleanliness::Lint => [Cleanliness::Types, Cleanliness::Format, Cleanliness::Build]
            .iter()
            .all(|other| !fits(tool, *other)),
        Cleanliness::Types => PROGRAMS.type_checkers.contains(tool),
        Cleanliness::Format => PROGRAMS.formatters.contains(tool),
        Cleanliness::Build => tool == "tsc" || BUILDERS.split('|').any(|builder| builder == tool),
    }
}

/// The mask, with the commands between backticks readable again.
pub(super) fn with_commands(sentence: &Sentence, is_meant: fn(&str) -> bool) -> Vec<u8> {
    let mut mask = sentence.mask.clone();
    for code in &sentence.code {
        if is_meant(sentence.part(code.clone())) {
            let text: Vec<u8> =
                sentence.part(code.clone()).bytes().map(|byte| byte.to_ascii_lowercase()).collect();
            // Dots and semicolons would end what is looked for.
            let text: Vec<u8> = text
                .into_iter()
                .map(|byte| if b".;".contains(&byte) || !byte.is_ascii() { b'_' } else { byte })
                .collect();
            mask[code.clone()].copy_from_slice(&text);
        }
    }
    mask
}

/// Words by which a sentence, or what stands above it, lists what is installed.
static LISTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:environments?|venv|virtualenv|installed|packages?|dependenc(?:y|ies)|versions?|requirements|libraries|toolchain|compilers?|linter|formatter|type checker|runtimes?|lock ?file|ships?|comes with|provides|sandbox|container|image|interpreter|running|runs on|we have|using|stack)\b|\b(?:[a-z]{2,}ed|built|ran|run|made|done) (?:with|under|against|on|by) [a-z][a-z0-9_.+-]* v?\d+\.\d+\.\d",
    )
});
/// A name and a whole version, with or without a mark between them: `boto3 1.43.11`, `polars (v1.8.2)`.
static VERSIONED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"([a-z][a-z0-9_.-]*[a-z0-9])(?:,? version)? *(?:[:=@(|] *|is |at |in )*\(?v?(\d+\.\d+(?:\.\w+)+(?:[.-]?(?:rc|a|b|post|dev)\d*)?|\d+\.\d+)\b",
    )
});
/// Notes about releases tell what others did.
static RELEASES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:upgrade notes|changelog|release notes|removed|dropped|deprecated|(?:introduced|fixed|appeared|started|broken|released|landed) (?:in|with|by)|requires?|supports?|or (?:newer|later|above|higher)|end of life|since|compatible)\b|>=|<=",
    )
});

pub(super) fn installed(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    let mut places: Vec<(std::ops::Range<usize>, String, Option<String>)> = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let is_list = LISTS.is_match(&mask) || LISTS.is_match(sentence.under.as_bytes());
    let is_note = RELEASES.is_match(&mask) || RELEASES.is_match(sentence.under.as_bytes());
    for captures in VERSIONED.captures_iter(&mask).filter(|_| is_list && !is_note) {
        let (Some(name), Some(version)) = (captures.get(1), captures.get(2)) else { continue };
        // Two numbers may be anything; three are a version.
        let is_whole = version.as_bytes().iter().filter(|byte| **byte == b'.').count() >= 2;
        let is_sure = is_whole || known_or_installing(b"", name.as_bytes());
        if is_sure && is_package(name.as_bytes()) && !name.as_bytes().ends_with(b"bump") {
            places.push((name.start()..version.end(), text(name.as_bytes()), Some(text(version.as_bytes()))));
        }
    }
    if let Some(list) = INSTALLED.captures(&mask).and_then(|found| found.get(1)) {
        for captures in PACKAGE.captures_iter(list.as_bytes()) {
            let (Some(name), Some(version)) = (captures.get(1), captures.get(2)) else { continue };
            let is_version = version.as_bytes().contains(&b'.') || INSTALLING.is_match(&mask);
            if is_package(name.as_bytes()) && is_version && known_or_installing(&mask, name.as_bytes()) {
                let range = list.start() + name.start()..list.start() + version.end();
                if places.iter().any(|(one, ..)| one.start < range.end && range.start < one.end) {
                    continue;
                }
                places.push((range, text(name.as_bytes()), Some(text(version.as_bytes()))));
            }
        }
    }
    for captures in PINNED.captures_iter(&mask) {
        let both = captures.get(1).zip(captures.get(2)).or_else(|| captures.get(3).zip(captures.get(4)));
        let Some((name, version)) = both.filter(|(name, _)| is_package(name.as_bytes())) else { continue };
        let range = name.start()..version.end();
        // `a-1.0` is a package where something is installed.
        if mask[name.end()] == b'-' && !INSTALLING.is_match(&mask) {
            continue;
        }
        if !places.iter().any(|(one, ..)| one.start < range.end && range.start < one.end) {
            places.push((range, text(name.as_bytes()), Some(text(version.as_bytes()))));
        }
    }
    if places.is_empty()
        && let Some(captures) = BARE.captures(&mask)
    {
        for name in [captures.get(1), captures.get(2)].into_iter().flatten() {
            if is_package(name.as_bytes()) {
                places.push((name.range(), text(name.as_bytes()), None));
            }
        }
    }
    for (range, package, version) in places {
        if found.add(range.start, Said::Installed { package, version }) {
            sentence.hide(range);
        }
    }
}

/// Words that stand before versions and numbers and are no packages.
fn is_package(name: &[u8]) -> bool {
    name.len() > 1 && !VOCABULARY.not_packages.contains(&String::from_utf8_lossy(name))
}

/// `with pandas 2.1.0` names a package; `with accuracy 0.93` names something else, so the name has to be known for one.
fn known_or_installing(mask: &[u8], name: &[u8]) -> bool {
    INSTALLING.is_match(mask) || VOCABULARY.packages.contains(&String::from_utf8_lossy(name))
}

pub(super) fn exits(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    let has_command =
        sentence.code.iter().any(|code| super::found::looks_like_command(sentence.part(code.clone())));
    let returned = RETURNED.captures_iter(&mask).filter(|_| has_command);
    for captures in EXIT.captures_iter(&mask).chain(returned) {
        let value = (1..captures.len()).find_map(|group| captures.get(group));
        let code = value.and_then(|value| std::str::from_utf8(value.as_bytes()).ok()?.parse().ok());
        if let (Some(value), Some(code)) = (value, code)
            && found.add(value.start(), Said::Exit { code })
        {
            sentence.hide(captures.get(0).map_or(value.range(), |whole| whole.range()));
        }
    }
    if let Some(place) = EXIT_WELL.find(&mask)
        && found.add(place.start(), Said::Exit { code: 0 })
    {
        sentence.hide(place.range());
    }
}

pub(super) fn absent(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    let Some(captures) = ABSENT.captures(&mask) else { return };
    let Some(whole) = captures.get(0).filter(|whole| !ANY.is_match(whole.as_bytes())) else { return };
    let words: Vec<&[u8]> = (1..=4).filter_map(|group| Some(captures.get(group)?.as_bytes())).collect();
    let (mut errors, mut warnings) = (false, false);
    for word in words {
        if word.starts_with(b"warning") { warnings = true } else { errors = true }
    }
    let what = match (errors, warnings) {
        (true, true) => Unwanted::ErrorsAndWarnings,
        (false, true) => Unwanted::Warnings,
        (_, false) => Unwanted::Errors,
    };
    // `ran without errors` is told by how the run ended, and `ran` says it.
    let is_told = |said: &Said| matches!(said, Said::Clean { .. } | Said::Tests(_));
    if !found.any(is_told) || warnings {
        found.add(whole.start(), Said::Absent { what });
    }
    sentence.hide(whole.range());
}

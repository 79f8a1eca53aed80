//! What tools say: clean, installed, exit codes, no errors.

use super::found::Found;
use crate::sentence::Sentence;
use crate::stance::pattern;
use actum_model::{Cleanliness, Quantity, Said, Unwanted};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Words of a tool that found nothing.
const GOOD: &str = r"(?:fine|no (?:differences?|diffs?|changes)|silent|quiet|satisfied|content|spotless|clean bill|all clear|(?:turned|turns|came|comes) (?:up|back) (?:nothing|empty|with nothing)|returned nothing|returns nothing|no (?:\w+ )?(?:diagnostics|objections|remarks|hits|offen[cs]es)|nothing (?:left )?(?:to [a-z]+|wrong|found|flagged|reported)|(?:found|finds|reported|reports|flagged|flags|raised|raises|showed|shows) nothing|no complaints?|pass(?:es|ed|ing)?|clean(?:ly)?|green|happy|ok|succeed(?:s|ed)?|success(?:ful|fully)?|(?:no|zero|0|without(?: any)?) (?:new |remaining |other |lint |type |build |compile |compilation |\w+ )?(?:issues?|errors?|warnings?|problems?|violations?|findings|complaints|leaks?))";

fn tool(names: &str) -> Regex {
    pattern(&format!(
        r"\b({names})\b[^;.]{{0,45}}?\b{GOOD}\b|\b(?:no|zero|0|without(?: any)?|free of) (?:more |new |remaining )?({names}) ?(?:issues?|errors?|warnings?|problems?|violations?|findings|complaints)\b|\b({names})[- ](?:clean|free)\b|\b(?:pass(?:es|ed|ing)?|clean) (?:the |all |under |on |with |in )*({names})\b"
    ))
}

static LINT: LazyLock<Regex> = LazyLock::new(|| {
    tool(
        r"lint(?:er|ing|s|ers)?|ruff|flake8|eslint|pylint|clippy|cargo clippy|golangci-lint|shellcheck|rubocop|biome|oxlint|go vet|static analysis|linter checks?|lint checks?|bandit|markdownlint|stylelint|staticcheck|clang-tidy|cppcheck|valgrind|semgrep|hadolint|yamllint|sqlfluff|codespell|vulture|tflint|actionlint|ktlint|swiftlint|checkstyle|spotbugs|pip-audit|cargo audit|trivy|gitleaks|detekt|pre-commit|pydocstyle|pycodestyle|pyflakes|brakeman|phpstan|psalm",
    )
});
static TYPES: LazyLock<Regex> = LazyLock::new(|| {
    tool(
        r"mypy|pyright|basedpyright|tsc|type[- ]?check(?:s|er|ing|ed)?|type checks?|typescript|static typing|types?",
    )
});
static FORMAT: LazyLock<Regex> = LazyLock::new(|| {
    tool(
        r"black|isort|clang-format|ruff format|yapf|prettier|rustfmt|cargo fmt|gofmt|formatting|formatter|format checks?",
    )
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
    pattern(
        r"\b(isort|clang-format|yapf|bandit|markdownlint|stylelint|staticcheck|clang-tidy|cppcheck|valgrind|semgrep|hadolint|yamllint|sqlfluff|codespell|vulture|tflint|actionlint|ktlint|swiftlint|checkstyle|spotbugs|pip-audit|cargo audit|trivy|gitleaks|detekt|pre-commit|pydocstyle|pycodestyle|pyflakes|brakeman|phpstan|psalm|ruff|flake8|eslint|pylint|clippy|golangci-lint|shellcheck|rubocop|biome|oxlint|mypy|pyright|basedpyright|tsc|black|prettier|rustfmt|gofmt|cargo build|cargo check|npm run build|make|docker build)\b",
    )
});
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
/// `tqdm is pinned: version 4.66.1`, `attrs got upgraded, and is now at 23.2.0`.
static OF_SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b([a-z][a-z0-9_-]*[a-z0-9])[^a-z0-9]{1,2}(?:itself |package )?(?:is|was|got|has been|stays) (?:now |also |already )?(?:pinned|locked|installed|upgraded|downgraded|bumped|frozen)\b[^.;0-9]{0,30}?\b(?:version |at |to |v)v?(\d+(?:\.\w+)+)\b",
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
static RETURNED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:return(?:ed|s)|comes? back with|came back with|gave|gives|yield(?:ed|s)|(?:quits?|ended|ends|terminat(?:es|ed)|finish(?:es|ed)|bail(?:s|ed) out|abort(?:s|ed)|stop(?:s|ped)|die[sd]) with)(?: with| an?)* (-?\d{1,3})(?: *[.,;:)]| *$| (?:now|again|as|because|on|and|but|so|when|which|this|here|too)\b)",
    )
});
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

/// `2 warnings`, `one error in 2 files`: what a tool complained about.
static ISSUES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(\d[\d,]*|one|a single) +(?:(?:new|remaining|lint|type|compiler|compile|build|deprecation|memory|style|pre-existing|other|different|distinct|separate|unique) +)*(errors?|warnings?|issues?|problems?|violations?|findings?|complaints?|vulnerabilit(?:y|ies)|leaks?)\b(?: (?:in|across|over) (\d+) (?:source |different )*files?)?",
    )
});
static FORMATTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(\d[\d,]*|one) files? (?:(?:would|need|needs|needed|were|was|are|is|be|been|to|get|has|have|still|already|left) +)*(reformatted|formatted|unchanged|reformatting|formatting)\b",
    )
});
/// Who complains: a tool, a build, a command.
static COMPLAINS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:report(?:s|ed)?|emit(?:s|ted)?|gave|gives?|print(?:s|ed)?|found|finds|complain(?:s|ed)|rais(?:es|ed)|flag(?:s|ged)|show(?:s|ed)|produc(?:es|ed)|yield(?:s|ed)|trigger(?:s|ed)|cause[sd]?|leaves?|left|outputs?|generat(?:es|ed)|throws?|compil\w+|build|builds|built|lint(?:er|ing)?|type[- ]?check\w*|says|said|lists?|turned up|had|has|with|there (?:are|is|were|was))\b",
    )
});

static DENIED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:without|not|never|no)(?: \w+ing| even| so much as)? *$"));

/// How much a tool complained about, or a formatter would change.
fn issues(sentence: &mut Sentence, found: &mut Found) {
    let mask = with_commands(sentence, super::found::looks_like_command);
    let is_tool = FORMATTED.is_match(&mask)
        || TOOL.is_match(&mask)
        || BUILT.is_match(&mask)
        || sentence.code.iter().any(|code| super::found::looks_like_command(sentence.part(code.clone())));
    if !is_tool {
        return;
    }
    let number = |text: &[u8]| match text {
        b"one" | b"a single" => Quantity::read("1"),
        text => Quantity::read(std::str::from_utf8(text).ok()?),
    };
    let mut taken = Vec::new();
    for captures in ISSUES.captures_iter(&mask).chain(FORMATTED.captures_iter(&mask)) {
        let (Some(whole), Some(value), Some(noun)) = (captures.get(0), captures.get(1), captures.get(2))
        else {
            continue;
        };
        let is_shown = sentence.mask[value.range()] == *value.as_bytes();
        // `without a single warning` has none.
        let is_one = matches!(value.as_bytes(), b"one" | b"a single");
        if is_one && DENIED.is_match(&mask[..whole.start()]) {
            continue;
        }
        let Some(count) = number(value.as_bytes()).filter(|count| count.value > 0.0 && is_shown) else {
            continue;
        };
        let noun_text = String::from_utf8_lossy(noun.as_bytes()).into_owned();
        let is_format = noun_text.contains("format") || noun_text == "unchanged";
        if !is_format && !COMPLAINS.is_match(&mask) && !TOOL.is_match(&mask) {
            continue;
        }
        let noun = if is_format { format!("files {noun_text}") } else { noun_text };
        let files = captures.get(3).and_then(|files| Some((files, number(files.as_bytes())?)));
        if found.add(value.start(), Said::Count { noun, value: count, file: None }) {
            taken.push(whole.range());
        }
        if let Some((place, value)) = files {
            let noun = "files with errors".to_owned();
            found.add(place.start(), Said::Count { noun, value, file: None });
        }
    }
    taken.into_iter().for_each(|range| sentence.hide(range));
}

static BUILT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:build\w*|built|compil\w+|linter|linting|lint|type ?checker|type checks?|cargo|gcc|clang|tsc|rustc|make)\b",
    )
});
/// A pass over something is no praise.
static A_PASS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:first|second|third|initial|last|final|another|one|this|that|each|single|quick) pass\b")
});

pub(super) fn clean(sentence: &mut Sentence, found: &mut Found) {
    if !found.any(|said| matches!(said, Said::Tests(_))) {
        issues(sentence, found);
    }
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
    let is = |list: &[&str]| list.contains(&tool);
    match what {
        // A tool that is known for nothing else looks for faults.
        Cleanliness::Lint => [Cleanliness::Types, Cleanliness::Format, Cleanliness::Build]
            .iter()
            .all(|other| !fits(tool, *other)),
        Cleanliness::Types => is(&["mypy", "pyright", "basedpyright", "tsc"]),
        Cleanliness::Format => {
            is(&["black", "prettier", "rustfmt", "gofmt", "isort", "clang-format", "yapf"])
        }
        Cleanliness::Build => {
            is(&["cargo build", "cargo check", "npm run build", "make", "docker build", "tsc"])
        }
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
    for captures in OF_SUBJECT.captures_iter(&mask) {
        let (Some(name), Some(version)) = (captures.get(1), captures.get(2)) else { continue };
        if places.is_empty() && is_package(name.as_bytes()) {
            places.push((name.start()..version.end(), text(name.as_bytes()), Some(text(version.as_bytes()))));
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
    const NOT: &[&[u8]] = &[
        b"version",
        b"the",
        b"all",
        b"and",
        b"with",
        b"of",
        b"at",
        b"in",
        b"a",
        b"to",
        b"epoch",
        b"step",
        b"seed",
        b"tests",
        b"accuracy",
        b"loss",
        b"dependencies",
        b"packages",
        b"package",
        b"required",
        b"it",
        b"everything",
        b"correctly",
        b"successfully",
        b"via",
        b"from",
        b"on",
        b"for",
        b"by",
        b"is",
        b"was",
        b"about",
        b"over",
        b"under",
        b"f1",
        b"auc",
        b"lr",
        b"rate",
        b"batch",
        b"size",
        b"score",
        b"code",
        b"missing",
        b"needed",
        b"latest",
        b"new",
        b"using",
        b"them",
        b"rmse",
        b"mae",
        b"mse",
        b"precision",
        b"recall",
        b"latency",
        b"coverage",
        b"than",
        b"least",
        b"most",
        b"exit",
        b"status",
        b"up",
        b"approximately",
        b"roughly",
        b"around",
        b"only",
        b"some",
        b"or",
        b"model",
        b"into",
        b"as",
        b"has",
        b"have",
        b"are",
        b"environment",
        b"tag",
        b"release",
        b"now",
    ];
    name.len() > 1 && !NOT.contains(&name)
}

/// `with pandas 2.1.0` names a package; `with accuracy 0.93` names something else, so the name has to be known for one.
fn known_or_installing(mask: &[u8], name: &[u8]) -> bool {
    const KNOWN: &[&[u8]] = &[
        b"python",
        b"numpy",
        b"pandas",
        b"scipy",
        b"torch",
        b"pytorch",
        b"tensorflow",
        b"scikit-learn",
        b"sklearn",
        b"requests",
        b"flask",
        b"django",
        b"fastapi",
        b"pydantic",
        b"pytest",
        b"matplotlib",
        b"transformers",
        b"node",
        b"react",
        b"typescript",
        b"express",
        b"jax",
        b"polars",
        b"mlflow",
        b"httpx",
        b"rich",
        b"attrs",
        b"jinja2",
        b"sqlalchemy",
        b"rust",
        b"go",
        b"ruff",
        b"mypy",
        b"next",
        b"vite",
        b"vue",
        b"eslint",
        b"jest",
        b"lodash",
        b"gcc",
        b"clang",
        b"rustc",
        b"cargo",
        b"cmake",
        b"git",
        b"npm",
        b"pnpm",
        b"yarn",
        b"java",
        b"ruby",
        b"php",
        b"perl",
        b"docker",
        b"uv",
        b"pip",
    ];
    INSTALLING.is_match(mask) || KNOWN.contains(&name)
}

pub(super) fn exits(sentence: &mut Sentence, found: &mut Found) {
    let mask = sentence.mask.clone();
    for captures in EXIT.captures_iter(&mask) {
        let value = (1..=4).find_map(|group| captures.get(group));
        let code = value.and_then(|value| std::str::from_utf8(value.as_bytes()).ok()?.parse().ok());
        if let (Some(value), Some(code)) = (value, code)
            && found.add(value.start(), Said::Exit { code })
        {
            sentence.hide(captures.get(0).map_or(value.range(), |whole| whole.range()));
        }
    }
    listed_exits(sentence, found);
    let mask = sentence.mask.clone();
    let is_of_command =
        sentence.code.iter().any(|code| super::found::looks_like_command(sentence.part(code.clone())));
    if is_of_command
        && let Some(value) = RETURNED.captures(&mask).and_then(|found| found.get(1))
        && let Some(code) = std::str::from_utf8(value.as_bytes()).ok().and_then(|text| text.parse().ok())
        && found.add(value.start(), Said::Exit { code })
    {
        sentence.hide(value.range());
    }
    if let Some(place) = EXIT_WELL.find(&mask)
        && found.add(place.start(), Said::Exit { code: 0 })
    {
        sentence.hide(place.range());
    }
}

/// `Exit codes: make all 0, make broken 2`: a number right behind each command.
fn listed_exits(sentence: &mut Sentence, found: &mut Found) {
    static SAYS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:exit|return) ?(?:codes?|status(?:es)?|values?)\b"));
    static BEHIND: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^[^a-z0-9]{0,6}(-?\d{1,3})(?:[^\w.%/]|[.]?$|[.] )"));
    if !SAYS.is_match(&sentence.mask) && !SAYS.is_match(sentence.under.as_bytes()) {
        return;
    }
    for code in sentence.code.clone() {
        if !super::found::looks_like_command(sentence.part(code.clone())) {
            continue;
        }
        let Some(value) = BEHIND.captures(&sentence.mask[code.end..]).and_then(|found| found.get(1)) else {
            continue;
        };
        let range = code.end + value.start()..code.end + value.end();
        let read = std::str::from_utf8(value.as_bytes()).ok().and_then(|text| text.parse().ok());
        if let Some(number) = read
            && found.add(range.start, Said::Exit { code: number })
        {
            sentence.hide(range);
        }
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

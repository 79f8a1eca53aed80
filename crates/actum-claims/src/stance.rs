//! Which sentences claim nothing: hedged, future, conditional, negated, asked, told to do, examples.
//!
//! In doubt a sentence is no claim: what is not said firmly is not held against anybody.

use crate::sentence::Sentence;
use crate::vocabulary::VOCABULARY;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?-u){text}")).expect("the patterns are constants that a test compiles")
}

/// Where one statement ends and another begins.
static SEAM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"; |, (?:i\.e\.|but|and|so|which|while|although|though|however|then|yet|because|since|whereas|or) | (?:but|however|although|because|since|while|whereas) | - ",
    )
});

/// Where what something was done for, what is asked of somebody, or what it is not, begins: its own words belong to it.
static PURPOSE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r" (?:to (?:be sure|make sure|be certain|double-check|check|verify|confirm|ensure|see|find out|validate|rule out|prove)|so that|in order to)\b|, please\b|, not (?:the |an? )?[a-z]{0,12} ?\d",
    )
});

/// Words of reports that sound like something else: `1 todo`, `1 expected failure`, `2 files would be reformatted`, `it needed 3 s`.
static OF_REPORTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b\d+ +(?:todos?|pending)\b|\bexpected[- ](?:fail(?:ures?|ed)|to fail)\b|\bwould (?:be )?(?:re-?)?format(?:ted)?\b|\btodo *[:=|] *\d|\b(?:you (?:can|will|may)|you'll) (?:also )?(?:find|see|follow|inspect|view|open|check|look)\b|\b(?:that|which|who|what) (?:does|do|did|is|was|are|were)(?:n't| not) \w+|\bneed(?:s|ed)? (?:only |just |about |roughly |less than |under |over |a total of |some )*(?:\d|xx)|\bestimates? (?:is|was|of|uses?|used|came|comes|reaches)\b|[a-z]_?estimate *[:=]|\b(?:\d|xx)\S* (?:instead of|rather than) (?:\d|xx)|\bexpected \S+ (?:but )?got\b",
    )
});

static HEDGED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:should|would|could|might|may|will|won't|shall|ought|going to|about to|gonna|plan(?:s|ned|ning)? to|intend(?:s|ed)?",
        r"|aim(?:s|ed|ing)? (?:to|for|at)|hop(?:e|es|ed|ing)|hopefully|likely|probably|presumably|perhaps|maybe",
        r"|i think|i believe|i assume|i guess|i suspect|i'd (?:expect|guess|say)|we (?:think|believe|expect)|seem(?:s|ed|ingly)?",
        r"|appear(?:s|ed)?(?: to)?|apparently|supposed(?:ly)?|in theory|theoretically|in principle|potentially|possibl[ey]|unclear|unsure",
        r"|assum(?:e|es|ed|ing)|estimat(?:e|es|ed)|want(?:s|ed)?|please|need(?:s|ed|ing)? (?:to|an?|at least|the)|looking for|desired|required|needs|must|ha(?:ve|s) to|try to|tries to",
        r"|let's|let me|supposed to|if|unless|whether|in case|until|once (?:you|the|it|this|that|all|everything)|when(?:ever)? you",
        r"|after you|before you|as soon as|goal|threshold of|target (?:of|is|was|accuracy|value|metric)|targets?:|to target",
        r"|for example|for instance|hypothetical(?:ly)?|example output|sample output|next steps?|to-do|todo:|todo list|not yet|yet to",
        r"|recommend(?:ed|s)?|suggest(?:ed|s)?|you (?:can|should|could|may|might|need|will|want)|typically|usually|normally",
        r"|slos?|slas?|service[- ]level objectives?|budget is|our (?:requirement|limit|policy|standard|bar)|projected|anticipat(?:e|ed)|the paper|papers?|published (?:results?|numbers?|values?|figures?|in|by|at|benchmarks?)|state[- ]of[- ]the[- ]art|literature|as reported by|planned|pending)\b",
        r"|'ll\b|\b(?:e\.g\.|ideally|feel free|in order to|so that|ways? (?:to|of)|options? (?:to|for)|would've|could've|expects?|expecting|to be determined|tbd|code -?\d+ (?:means|indicates|denotes|signals))\b",
    ))
});

/// `expected` hedges, but for these; `as it should be` does not, and a check of an objective is none.
static AS_INTENDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\bas (?:intended|planned|wanted|required|desired|needed|hoped|suggested|recommended|(?:it|they|we|one|he|she) should)\b|\b(?:slo|sla) (?:checks?|gates?|tests?|reports?|jobs?|scripts?|monitors?|validations?)\b",
    )
});
static EXPECTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bexpected\b"));
static AS_EXPECTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:as|than|matches|match(?:ed|ing)? the|matching|the) expected\b|\bexpected (?:calibration|value|return|reward|improvement|shortfall|utility)\b",
    )
});
static CAN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bcan\b"));
static CAN_CONFIRM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\bcan (?:confirm|verify that|report|now confirm|also confirm|attest)\b"));

static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:not|never|cannot|no longer|unable|neither|nor|without (?:running|executing|testing|verifying|having|actually|checking)",
        r"|fail(?:ed|s|ing)? to|instead of|rather than|nothing (?:was|has been)|none of|no tests? (?:were|was|have|has|ran|run|yet)|no longer",
        r"|no runs?|refus(?:ed|es) to|yet to|skipped (?:running|the)|lacks?|untested|unverified|(?:is|are|was|were) missing|avoid(?:s|ed)?)\b|n't\b",
    ))
});
static NOT_ONLY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:none of|not|n't|never)\b[^,;]{0,40}? (?:print|produce|raise|report|emit|throw|give|show|log|trigger|cause)\w*(?: any| an?)?(?: single)? (?:\w+ )?(?:errors?|warnings?|exceptions?|tracebacks?)\b|n't (?:\w+ )?a single\b|\bnot (?:only|just|a single|one)\b|\b\d[\d,]* [^.;]{0,50}\b(?:is|are|was|were) missing\b|not(?:hing)? fail|\bnothing (?:is )?(?:fail|skipp)|\bnot run \(",
    )
});

static IMPERATIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^[^a-z0-9]*(?:\d+[.)] ?)?(?:(?:before|after|once|when|if|for) [^,]{3,60}, )?(?:please |then |next, |now |just |also |finally, |and )?",
        r"(?:run|re-?run|execute|install|use|try|call|open|make sure|ensure|set|verify|see|consider|invoke|remember|do|start|launch|check|",
        r"add|create|write|update|save|pass|keep|replace|change|remove|delete|edit|note that you|reproduce|build|train|evaluate|test|measure|commit|push)\b(.*)",
    ))
});
/// Behind such a first word stands a result, so that the word is a noun.
static A_RESULT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:s\b| ?[:=|(]| (?:runs?|completed|succeed(?:ed|s)?|pass(?:es|ed|ing)?|finished|took|exited|is|was|are|were|id|status|results?|output|ended|",
        r"failed|accuracy|acc|loss|set|f1|error|coverage|suites?|case|cases|files|time|duration|clean|ok|done|summary|counts?|cases|hash|[0-9a-f]{7,40}|metrics?|",
        r"auc|precision|recall|rmse|mae|mse|score|r2|in \d|succeeds)\b| -|[^a-z]*$|_|\.|/|-)",
    ))
});
/// `Test log loss: 0.31`, `Build size: 12 kB`: words that are a verb's only where no value stands behind them.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^a-z0-9]*(?:run|start|launch|check|build|train|test|update|commit|push)(?: [a-z][a-z0-9_-]*){1,3} ?[:=] ?[^a-z0-9]{0,3}\d",
    )
});
/// Nobody orders a count.
static COUNTED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[^a-z]*[a-z ]{1,20}: *\d+ (?:tests? )?(?:passed|failed|passing|failing)\b"));
static INFINITIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^a-z]*(?:how )?to (?:run|reproduce|verify|install|use|test|build|check|execute|re-?run|get|see|try)\b",
    )
});
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^a-z]*(?:goal|target|objective|acceptance criteri(?:a|on)|requirement|task|todo|plan|expected|usage|example|hint|tip)s?(?: (?:for|of) [^:]{1,40})?\s*:",
    )
});

/// Who else said it: their numbers are not the agent's.
static REPORTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:ticket|issue|paper|spec|users?|customers?|clients?|docs|documentation|readme|task|team|deck|vendor|article|post|blog|manager|reviewer|reporter|colleague|author|ci|pipeline|dashboard|badge|jenkins|website|wiki|runbook|slack|email|e-mail|stakeholder|boss|maintainer)s?(?: \w+)? (?:had |has |have )?(?:says?|said|states?|stated|reports?|reported|claims?|claimed|mentions?|mentioned|quoted?|promised|asked|wrote)\b|\b(?:according to|as per) (?:the |our |your |their |his |her )?(?:ticket|issue|paper|spec|docs|documentation|readme|dashboard|vendor|article|team|customers?|users?|clients?|e-?mail|slack|wiki|runbook|task|brief|manager|blog|post|changelog|release notes)\b|^\W*in (?:the|their|your|his|her|an?) (?:[a-z-]+ )?(?:ticket|issue|e-?mail|mail|thread|slack|chat|paper|meeting|spreadsheet|dashboard|brochure|contract|comment|readme|docs|documentation|announcement|blog|article)\b|\b(?:their|his|her|your)(?: own)? (?:numbers|figures|dashboard|counts?|statistics|reports?|estimates?|data|records) (?:shows?|says?|gives?|puts?|ha(?:ve|s|d)|tells?|claims?|lists?)\b|\b(?:marketing|finance|accounting|management|legal|qa|hr|upstream|sales|support) (?:counts|counted|claims|claimed|says|said|sees|reckons|believes|quotes|quoted|promised)\b|\bhad (?:claimed|quoted|said|promised|estimated|reported|stated|forecast)\b",
    )
});

/// Whose word it is.
static ACCORDING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:according to|as per|in the words of) ((?:[a-z'-]+ ?){1,5})"));

static IS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:is|are|was|were|has|have|had)\b"));

/// What is asked for is no result: `the guide asks for 90 %`, `it requires at least 3`, `they promise 200`.
static DEMANDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:ask(?:s|ed|ing)? for|call(?:s|ed|ing)? for|insist(?:s|ed|ing)? on|mandat(?:es?|ed|ing)|prescrib(?:es?|ed|ing)|stipulat(?:es?|ed|ing)|demand(?:s|ed|ing)?|promis(?:es?|ed|ing)",
        r"|requir(?:es?|ing) (?:an? |the )?(?:[a-z-]+ ){0,3}?(?:at least|minimum|at most|maximum|no (?:less|more|fewer) than)",
        r"|(?:guidelines?|guide|handbook|policy|policies|contract|agreement|rules?|standard|checklist|contributing|charter) (?:[a-z-]+ )?(?:requires?|wants?|sets|says|allows?|expects?|specif(?:y|ies)))\b",
    ))
});

/// What must be reached so that nothing fails: `the build fails below 90 %`, `the project's minimum is 90 %`.
static REQUIRED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:fails?|blocks?|rejects?|breaks?|complains?|warns?|alerts?)(?: [a-z-]+){0,3}? (?:below|under|above|over|beyond) \S*\d",
        r"|\b(?:anything|everything|values?|whatever is|results?) (?:below|under|above|over|beyond) \S*\d",
        r"|\b(?:(?:quality )?gate|quota|required (?:minimum|maximum)|(?:minimum|maximum) (?:required|allowed|accepted)|(?:acceptance|release|passing|merge) (?:threshold|limit|bar|criterion)) (?:is|was|stands|sits|of|at|for)\b",
        r"|\b(?:project|team|repo|repository|company|customer|client)'s (?:[a-z-]+ )?(?:minimum|maximum|floor|limit|bar|standard)\b",
    ))
});

/// A number that is one of these by the word behind it: `the 80 % gate`, `a 50 ms latency target`.
static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[\d.,]+ ?(?:%|percent|ms|s|x|kb|mb|gb)?(?: [a-z-]+)?[ -](?:gate|threshold|target|cut-?off|floor|quota|requirement|goal|bar|minimum|limit)\b",
    )
});

/// Headings over what is still to be done.
static PLANNED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^[^a-z]*(?:the |my |our |a |some )?(?:proposed |suggested |possible |recommended |optional |remaining |open |further |future |next )*",
        r"(?:plan|next steps?|to-?dos?|follow-?ups?|follow up|roadmap|proposals?|suggestions?|ideas|options|open (?:points|questions|items)|outlook|future work|acceptance criteria|goals?|requirements|recommendations?|what(?:'s| is) next|later|next|steps to \w+)\b[^a-z]*(?:for later|\([^)]*\))?[^a-z]*$",
        r"|\b(?:not (?:yet )?(?:done|implemented|started)|none of (?:it|this|that|them|these|those)(?: is| are| was| were)?(?: yet)? (?:done|implemented|started))\b",
    ))
});

/// Whether what stands at a place of a sentence is said firmly.
pub(crate) fn is_firm(sentence: &Sentence, at: usize) -> bool {
    let whole = sentence.mask.as_slice();
    if PLANNED.is_match(sentence.under.as_bytes()) {
        return false;
    }
    let trimmed = whole.trim_ascii_end();
    if trimmed.ends_with(b"?") || INFINITIVE.is_match(whole) || DEFINITION.is_match(whole) || is_order(whole)
    {
        return false;
    }
    if REPORTED.find(whole).is_some_and(|who| who.end() <= at) || is_others(whole, at) {
        return false;
    }
    let is_conditional = trimmed.starts_with(b"if ") || trimmed.starts_with(b"once ");
    let range = before_colon(whole, clause(whole, at), at);
    let words = without_reports(without_names(&whole[range.clone()]));
    // What is only wished for has a purpose that is only wished for.
    let is_purpose =
        range.start > 0 && PURPOSE.find_at(whole, range.start).is_some_and(|one| one.start() == range.start);
    let main = is_purpose.then(|| without_reports(without_names(&whole[clause(whole, range.start - 1)])));
    // `Not everything is green: 2 tests fail` denies what stands before the mark.
    let told = range.start..at.max(range.start);
    let colon =
        whole[told.clone()].windows(2).rposition(|pair| pair == b": ").map(|found| told.start + found + 2);
    let is_apart = |colon: &usize| {
        let left = &whole[range.start..*colon];
        left.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count() >= 3
    };
    let denied = match colon.filter(is_apart) {
        Some(colon) => is_negated(&without_reports(without_names(&whole[colon..range.end]))),
        None => is_negated(&words),
    };
    let is_open = main.is_some_and(|main| is_hedged(&main) || is_negated(&main));
    !is_conditional && !is_open && !is_hedged(&words) && !denied
}

/// Whether somebody else said or asked for it: before it, or behind it in the same statement.
fn is_others(whole: &[u8], at: usize) -> bool {
    let own = clause(whole, at);
    let said_so = ACCORDING.captures_iter(whole).any(|found| {
        let place = found.get(0).map_or(0..0, |place| place.range());
        let who = found.get(1).map_or(&b""[..], |who| who.as_bytes());
        let is_own =
            String::from_utf8_lossy(who).split(' ').any(|word| VOCABULARY.own_programs.contains(word));
        !is_own && (place.end <= at || own.contains(&place.start))
    });
    let is_limit = whole.get(at..).is_some_and(|rest| LIMIT.is_match(rest));
    said_so || is_limit || REQUIRED.is_match(&whole[own.clone()]) || is_demanded(whole, own, at)
}

/// Whether what stands at a place is what is asked for, and not what came of it: nothing but a few words stands between.
fn is_demanded(whole: &[u8], own: Range<usize>, at: usize) -> bool {
    const FARTHEST: usize = 40;
    let is_it = |verb: Range<usize>| {
        let between = whole.get(own.start + verb.end..at).unwrap_or(b":");
        between.len() <= FARTHEST
            && !between.iter().any(|byte| b":,;".contains(byte))
            && !IS.is_match(between)
    };
    DEMANDED.find_iter(&whole[own.clone()]).any(|verb| is_it(verb.range()))
}

/// `It ended with 3: two could not be read`: what stands behind the mark is another statement, where there is one before it.
fn before_colon(whole: &[u8], range: Range<usize>, at: usize) -> Range<usize> {
    let rest = &whole[at.min(range.end)..range.end];
    let Some(colon) = rest.windows(2).position(|pair| pair == b": ").map(|found| at + found) else {
        return range;
    };
    let words = whole[range.start..colon].split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count();
    if words > 3 { range.start..colon } else { range }
}

/// Names of files and functions say nothing by their words: `out/expected.csv` expects nothing.
/// A number with digits behind its point is crossed out with them.
fn without_names(clause: &[u8]) -> Vec<u8> {
    let is_name = |word: &[u8]| {
        let inner = word.strip_suffix(b".").or(word.strip_suffix(b",")).unwrap_or(word);
        inner.iter().any(|byte| b"/_.".contains(byte)) && !inner.starts_with(b"e.g") && inner.len() > 3
    };
    let words = clause.split(|byte| *byte == b' ');
    words
        .map(|word| if is_name(word) { vec![b'x'; word.len()] } else { word.to_vec() })
        .collect::<Vec<_>>()
        .join(&b' ')
}

/// What a report says in words that hedge elsewhere hedges nothing.
fn without_reports(mut clause: Vec<u8>) -> Vec<u8> {
    let found = OF_REPORTS.find_iter(&clause).chain(AS_INTENDED.find_iter(&clause));
    let places: Vec<Range<usize>> = found.map(|place| place.range()).collect();
    places.into_iter().for_each(|range| clause[range].fill(b'x'));
    clause
}

/// Whether the whole sentence tells somebody to do something.
fn is_order(mask: &[u8]) -> bool {
    IMPERATIVE.captures(mask).is_some_and(|found| {
        let rest = found.get(1).map_or(&b""[..], |rest| rest.as_bytes());
        !A_RESULT.is_match(rest) && !COUNTED.is_match(mask) && !LABEL.is_match(mask)
    })
}

fn is_hedged(clause: &[u8]) -> bool {
    HEDGED.is_match(clause)
        || (EXPECTED.is_match(clause) && !AS_EXPECTED.is_match(clause))
        || (CAN.is_match(clause) && !CAN_CONFIRM.is_match(clause))
}

fn is_negated(clause: &[u8]) -> bool {
    NEGATED.is_match(clause) && !NOT_ONLY.is_match(clause)
}

/// The statement around a place.
pub(crate) fn clause(mask: &[u8], at: usize) -> Range<usize> {
    let seams = SEAM.find_iter(mask).map(|seam| seam.range());
    let purposes = PURPOSE.find_iter(mask).map(|place| place.start()..place.start());
    let (mut start, mut end) = (0, mask.len());
    for seam in seams.chain(purposes) {
        if seam.end <= at {
            start = start.max(seam.end);
        } else if seam.start >= at {
            end = end.min(seam.start);
        }
    }
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_firmly() {
        for text in [
            "All 12 tests pass.",
            "I can confirm all 12 tests pass",
            "Build succeeded",
            "Run completed in 12 s",
            "Tests pass as expected",
            "Test accuracy: 0.93",
            "Test log loss: 0.31",
            "Verify: ok",
            "8 pass, 1 fail, 1 todo",
            "It exits with 3, as intended",
            "1 skipped, 1 expected failure",
            "I ran it to be sure that we can go back",
        ] {
            assert!(is_firm(&Sentence::plain(text, 1, ""), 0), "{text}");
        }
        for text in [
            "All tests should pass now.",
            "Run `pytest` to check",
            "Do all tests pass?",
            "If you run it, 12 tests pass",
            "The tests do not pass",
            "I haven't run the tests",
            "You can run the tests",
            "Once you install it, tests pass",
            "To run the tests, use pytest",
            "I'll run the tests",
            "Target accuracy: 0.95 is the goal",
            "It probably passes",
            "Before merging, please make sure that all 8 tests pass",
            "We want accuracy above 0.95",
            "Our SLO is a p95 below 80 ms",
        ] {
            assert!(!is_firm(&Sentence::plain(text, 1, ""), 0), "{text}");
        }
        let both = Sentence::plain("The tests should pass, and accuracy is 0.93", 1, "");
        assert!(!is_firm(&both, 0) && is_firm(&both, 30));
    }
}

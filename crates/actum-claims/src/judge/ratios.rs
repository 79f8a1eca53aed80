//! Ratios, recomputed from two recorded values.

use super::interval::{Fit, fit, short, shown, within};
use super::metrics::{Series, series};
use super::scope::{Scope, program};
use super::verdict::Verdict;
use super::{compared, figured};
use crate::evidence::RunFacts;
use crate::names::{Name, Stage};
use actum_model::{Quantity, Ratio, Trend, Unit, Which};

/// Two values of one thing: before, and now.
struct Pair<'e> {
    run: &'e RunFacts,
    piece: String,
    before: Value,
    after: Value,
    what: String,
}

#[derive(Clone)]
struct Value {
    observed: super::interval::Observed,
    literal: String,
}

pub(crate) fn ratio<'e>(scope: &Scope<'e>, claimed: &Ratio) -> Verdict<'e> {
    let name = Name::read(&claimed.of);
    let direct = told_directly(scope, claimed);
    if let Some(verdict) = direct {
        return verdict;
    }
    let mut pairs = pairs(scope, claimed, &name);
    if let (Some(from), Some(to)) = (&claimed.from, &claimed.to)
        && !pairs.iter().any(|pair| fits(claimed, pair))
    {
        // What it is called may stand nowhere but at the numbers.
        match figured::both(scope, &claimed.of, from, to).or_else(|| figured::both(scope, "", from, to)) {
            Some(Ok(both)) => pairs = vec![Pair::of(both)],
            Some(Err(verdict)) => return verdict,
            None => {}
        }
    }
    let rows = compared(scope, claimed);
    let is_ordered = rows.iter().all(|(_, is_ordered)| *is_ordered);
    let names_both = !rows.is_empty() && (claimed.from.is_none() || pairs.is_empty());
    let told = match (names_both, is_ordered) {
        (true, false) => &Ratio { trend: Trend::Any, ..claimed.clone() },
        (_, _) => claimed,
    };
    if claimed.from.is_none() && rows.is_empty() && compared::names_settings(scope.text) {
        pairs.clear();
    }
    if names_both {
        pairs = rows.into_iter().map(|(pair, _)| pair).collect();
    }
    let considered: Vec<String> = claimed
        .by
        .iter()
        .map(shown)
        .chain(
            pairs
                .iter()
                .map(|pair| format!("{}: {} to {}", pair.what, pair.before.literal, pair.after.literal)),
        )
        .collect();
    if pairs.is_empty()
        && let Some(verdict) = told_as_such(scope, claimed)
    {
        return verdict;
    }
    if pairs.is_empty() {
        return Verdict::unsupported(format!(
            "there are no two recorded values of {} to compare",
            claimed.of
        ))
        .considered(considered);
    }
    weigh(&pairs, told, &name).considered(considered)
}

/// What one run told of two that the sentence names, and whether it says which of them is spoken of.
fn compared<'e>(scope: &Scope<'e>, claimed: &Ratio) -> Vec<(Pair<'e>, bool)> {
    let found = compared::pairs(scope, &claimed.of).into_iter();
    found
        .map(|both| {
            let [before, after] = both.values;
            let what = "beside each other".to_owned();
            let value = |figure| {
                let (observed, literal) = compared::value(figure);
                Value { observed, literal }
            };
            let pair = Pair {
                run: both.run,
                piece: after.piece.clone(),
                before: value(before),
                after: value(after),
                what,
            };
            (pair, both.is_ordered)
        })
        .collect()
}

/// `rmse reduction: 87.8 %`, `speedup of a over b: 1.2x`: a change that a run told itself.
fn told_as_such<'e>(scope: &Scope<'e>, claimed: &Ratio) -> Option<Verdict<'e>> {
    const NOUNS: [(&str, &str); 8] = [
        ("reduction", "reduction"),
        ("improvement", "improvement"),
        ("speedup", "speedup"),
        ("speed-up", "speedup"),
        ("faster", "speedup"),
        ("increase", "increase"),
        ("decrease", "decrease"),
        ("gain", "gain"),
    ];
    let value = claimed.by.as_ref()?;
    let (_, noun) = NOUNS.iter().find(|(said, _)| scope.says(said))?;
    let asked = figured::Asked { name: noun, value, which: Which::Final, counts: false };
    figured::figure(scope, &asked)
}

/// Whether both ends are those of the pair.
fn fits(claimed: &Ratio, pair: &Pair<'_>) -> bool {
    let held = |told: &Option<Quantity>, value: &Value| {
        told.as_ref().is_none_or(|told| fit(told, &value.observed) >= Fit::Truncated)
    };
    held(&claimed.from, &pair.before) && held(&claimed.to, &pair.after)
}

impl<'e> Pair<'e> {
    fn of(both: figured::Both<'e>) -> Self {
        let [before, after] = both.values.map(|(observed, literal)| Value { observed, literal });
        Self { run: both.run, piece: both.piece, before, after, what: "two values that were told".to_owned() }
    }
}

fn weigh<'e>(pairs: &[Pair<'e>], claimed: &Ratio, name: &Name) -> Verdict<'e> {
    let has_ends = claimed.from.is_some() || claimed.to.is_some();
    let fitting: Vec<&Pair<'e>> = pairs.iter().filter(|pair| fits(claimed, pair)).collect();
    let shown = |pair: &Pair<'e>| format!("{} to {}", pair.before.literal, pair.after.literal);
    if has_ends {
        return match (fitting.first(), pairs) {
            (Some(pair), _) => by(pair, claimed, name),
            (None, [only]) => Verdict::contradicted(format!("{} went from {}", claimed.of, shown(only))).on(
                only.run,
                &only.piece,
                shown(only),
            ),
            (None, [first, ..]) => Verdict::unsupported(format!(
                "no two recorded values of {} are these",
                claimed.of
            ))
            .on(first.run, &first.piece, shown(first)),
            (None, []) => Verdict::unsupported("there are no two recorded values"),
        };
    }
    match pairs {
        [only] => by(only, claimed, name),
        several => {
            let held: Vec<Verdict<'e>> = several
                .iter()
                .map(|pair| by(pair, claimed, name))
                .filter(|verdict| verdict.status == actum_model::ClaimStatus::Verified)
                .collect();
            match (held.len(), several.len()) {
                (0, _) => {
                    Verdict::unsupported(format!("no two recorded values of {} differ by that", claimed.of))
                }
                (_, _) if held.len() == several.len() => {
                    held.into_iter().next().unwrap_or_else(|| Verdict::unsupported("nothing holds"))
                }
                (_, _) => Verdict::ambiguous(format!(
                    "several pairs of {} may be meant, and they disagree",
                    claimed.of
                )),
            }
        }
    }
}

/// Whether the change is as large as it is told, in exactly one reading.
fn by<'e>(pair: &Pair<'e>, claimed: &Ratio, name: &Name) -> Verdict<'e> {
    let observed = format!("{} to {}", pair.before.literal, pair.after.literal);
    let on = |verdict: Verdict<'e>| verdict.on(pair.run, &pair.piece, observed.clone());
    let (before, after) = (pair.before.observed.value, pair.after.observed.value);
    if let Some(why) = wrong_way(claimed.trend, before, after, name) {
        return on(Verdict::contradicted(why));
    }
    // A sign says which way, and so do the words.
    let told = claimed.by.as_ref().map(|told| upright(Quantity { value: told.value.abs(), ..told.clone() }));
    let Some(told) = &told else {
        return on(Verdict::verified(format!("{}: both values are recorded", pair.what)));
    };
    let readings = readings(told, pair, name);
    let held: Vec<&(String, f64)> =
        readings.iter().filter(|(_, value)| within(told, *value, 0.0) >= Fit::Truncated).collect();
    match held.as_slice() {
        [(reading, value)] => {
            on(Verdict::verified(format!("{}: {} by the reading `{reading}`", pair.what, short(*value)))
                .note(format!("reading: {reading}")))
        }
        [] => {
            let values: Vec<String> =
                readings.iter().map(|(reading, value)| format!("{} ({reading})", short(*value))).collect();
            on(Verdict::contradicted(format!("{observed} is {}", values.join(" or "))))
        }
        [(first, one), rest @ ..] if rest.iter().all(|(_, other)| (other - one).abs() < 1e-12) => {
            on(Verdict::verified(format!("{}: {} ({first})", pair.what, short(*one))))
        }
        _ => on(Verdict::ambiguous("both readings of the percentage agree")),
    }
}

/// Half as much is twice the other way round.
fn upright(told: Quantity) -> Quantity {
    if told.unit != Unit::Times || told.value >= 1.0 || told.value == 0.0 {
        return told;
    }
    Quantity { value: told.value.recip(), half: told.half / (told.value * told.value), ..told }
}

fn wrong_way(trend: Trend, before: f64, after: f64, name: &Name) -> Option<String> {
    let lower = name.lower_is_better().or((name.base == "time").then_some(true));
    let rose = after > before;
    let is_wrong = match (trend, lower) {
        (Trend::Up, _) => !rose,
        (Trend::Down, _) => rose || after == before,
        (Trend::Better, Some(lower)) => rose == lower || after == before,
        (Trend::Worse, Some(lower)) => rose != lower,
        (Trend::Better | Trend::Worse | Trend::Any, _) => false,
    };
    is_wrong.then(|| format!("it went from {} to {}", short(before), short(after)))
}

/// What `by 3 %` can mean of two values.
fn readings(told: &Quantity, pair: &Pair<'_>, name: &Name) -> Vec<(String, f64)> {
    let (before, after) = (pair.before.observed.value, pair.after.observed.value);
    if before == 0.0 || after == 0.0 {
        return Vec::new();
    }
    let is_percent = pair.before.observed.unit == Unit::Percent || before.abs() > 1.0 && name.is_fraction();
    let points = (after - before).abs() * if is_percent { 1.0 } else { 100.0 };
    let relative = ((after - before) / before).abs() * 100.0;
    match told.unit {
        Unit::Points if !is_percent && !name.is_fraction() && before.abs() > 1.0 => {
            vec![("difference".to_owned(), (after - before).abs())]
        }
        Unit::Points => vec![("points".to_owned(), points)],
        Unit::Times => vec![("times".to_owned(), (before / after).max(after / before))],
        Unit::Percent if name.is_fraction() => {
            vec![("relative".to_owned(), relative), ("percentage points".to_owned(), points)]
        }
        Unit::Percent if name.base == "time" || matches!(pair.before.observed.unit, Unit::Time(_)) => {
            vec![
                ("less time".to_owned(), relative),
                ("more speed".to_owned(), (before / after - 1.0).abs() * 100.0),
            ]
        }
        Unit::Percent | Unit::Plain | Unit::Time(_) | Unit::Size(_) => {
            vec![("relative".to_owned(), relative)]
        }
    }
}

/// Everything that can be compared: earlier against newest run, a baseline beside it, the first step against the last.
fn pairs<'e>(scope: &Scope<'e>, claimed: &Ratio, name: &Name) -> Vec<Pair<'e>> {
    let all: Vec<Series<'e>> = scope.runs.iter().flat_map(|run| series(run, name, &claimed.of)).collect();
    let mut pairs = Vec::new();
    if let Some(newest) = all.first().map(|one| one.run) {
        let here: Vec<&Series<'e>> = all.iter().filter(|one| one.run.run == newest.run).collect();
        let baseline = here.iter().find(|one| one.name.stage == Some(Stage::Before));
        let now = here.iter().find(|one| one.name.stage != Some(Stage::Before));
        if let (Some(baseline), Some(now)) = (baseline, now) {
            pairs.extend(pair(baseline, now, Which::Final, "beside each other"));
        } else if let Some(now) = now {
            if now.values.len() > 1
                && now.pick(Which::First).map(|one| one.step) != now.pick(Which::Final).map(|one| one.step)
            {
                pairs.extend(pair(now, now, Which::First, "first and last step"));
            }
            let earlier = all.iter().find(|one| one.run.run != newest.run && one.name == now.name);
            pairs.extend(
                earlier.and_then(|earlier| pair(earlier, now, Which::Final, "an earlier run and the newest")),
            );
        }
    }
    if pairs.is_empty() && (name.base == "time" || name.base.ends_with(" time")) {
        pairs.extend(of_time(scope));
    }
    pairs
}

fn pair<'e>(before: &Series<'e>, after: &Series<'e>, which: Which, what: &str) -> Option<Pair<'e>> {
    let (first, last) = (before.pick(which)?, after.pick(Which::Final)?);
    let value = |series: &Series<'e>, metric: &actum_model::Metric| Value {
        observed: series.observed(metric),
        literal: metric.literal.clone(),
    };
    Some(Pair {
        run: after.run,
        piece: after.piece_of(last),
        before: value(before, first),
        after: value(after, last),
        what: what.to_owned(),
    })
}

/// How long the newest run took, and the one before it of the same program.
fn of_time<'e>(scope: &Scope<'e>) -> Option<Pair<'e>> {
    let newest = *scope.runs.first()?;
    let of = program(&newest.command);
    let earlier =
        scope.runs.iter().skip(1).find(|run| program(&run.command) == of && run.exit == newest.exit)?;
    let value = |run: &RunFacts| Value {
        observed: super::interval::Observed {
            value: run.wall,
            half: 0.0,
            unit: Unit::Time(1.0),
            is_fraction: false,
        },
        literal: format!("{:.3} s", run.wall),
    };
    Some(Pair {
        run: newest,
        piece: "exit".to_owned(),
        before: value(earlier),
        after: value(newest),
        what: "how long two runs took".to_owned(),
    })
}

/// `a speedup of 3.1x` that a run told itself.
fn told_directly<'e>(scope: &Scope<'e>, claimed: &Ratio) -> Option<Verdict<'e>> {
    let told = claimed
        .by
        .as_ref()
        .filter(|told| claimed.from.is_none() && matches!(told.unit, Unit::Times | Unit::Percent))?;
    let wanted = if told.unit == Unit::Times { "speedup" } else { "improvement" };
    let name = Name::read(wanted);
    let found = scope.runs.iter().find_map(|run| series(run, &name, wanted).into_iter().next())?;
    let metric = found.pick(Which::Final)?;
    let held = fit(told, &found.observed(metric)) >= Fit::Truncated;
    let why = format!("the run told {} {}", metric.name, metric.literal);
    let verdict = if held { Verdict::verified(why) } else { Verdict::contradicted(why) };
    Some(verdict.on(found.run, &found.piece_of(metric), metric.literal.clone()))
}

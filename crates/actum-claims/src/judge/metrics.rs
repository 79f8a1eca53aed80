//! Metrics: which name, which value, which run; the final one unless something else is said.

use super::interval::{Fit, Observed, fit, shown};
use super::scope::{Scope, program};
use super::verdict::Verdict;
use crate::evidence::RunFacts;
use crate::names::{Name, Stage};
use actum_model::{Metric, MetricSource, Quantity, Unit, When, Which};

/// The values of one name in one run, of its best source.
pub(crate) struct Series<'e> {
    pub(crate) run: &'e RunFacts,
    pub(crate) name: Name,
    pub(crate) values: Vec<&'e Metric>,
    /// Of every source.
    all: Vec<&'e Metric>,
}

pub(crate) fn metric<'e>(scope: &Scope<'e>, claimed: &str, value: &Quantity, which: Which) -> Verdict<'e> {
    let mut name = Name::read(claimed);
    if scope.when == When::Before && !scope.runs.iter().any(|run| !series(run, &name, claimed).is_empty()) {
        name.stage = None;
    }
    let mut considered = vec![shown(value)];
    let all: Vec<Series<'e>> = scope.runs.iter().flat_map(|run| series(run, &name, claimed)).collect();
    considered.extend(all.iter().take(20).map(Series::line));
    let Some(newest) = all.first().map(|one| one.run) else {
        return Verdict::unsupported(format!("no recorded run tells a metric named {claimed}"))
            .considered(considered);
    };
    if scope.when == When::Before && !scope.bound {
        return before(&all, value, which, claimed).considered(considered);
    }
    let of_newest: Vec<&Series<'e>> = all.iter().filter(|one| one.run.run == newest.run).collect();
    let others: Vec<&Series<'e>> = all.iter().filter(|one| one.run.run != newest.run).collect();
    weigh(&of_newest, &others, value, which, claimed).considered(considered)
}

/// `previously it was 0.85`: any earlier run may have said so, none is contradicted.
fn before<'e>(all: &[Series<'e>], value: &Quantity, which: Which, claimed: &str) -> Verdict<'e> {
    let is_before = |one: &&Series<'e>| one.name.stage == Some(Stage::Before);
    let staged = all.iter().filter(is_before);
    let newest = all.first().map(|one| one.run.run.clone());
    let earlier = all.iter().filter(|one| Some(&one.run.run) != newest.as_ref());
    for series in staged.chain(earlier) {
        if let Some(metric) =
            series.pick(which).filter(|metric| fit(value, &series.observed(metric)) >= Fit::Truncated)
        {
            return series.supported(metric, value);
        }
    }
    Verdict::unsupported(format!("no earlier run tells {value} as {claimed}"))
}

fn weigh<'e>(
    of_newest: &[&Series<'e>],
    others: &[&Series<'e>],
    value: &Quantity,
    which: Which,
    claimed: &str,
) -> Verdict<'e> {
    let picked: Vec<(&Series<'e>, &'e Metric)> =
        of_newest.iter().filter_map(|one| Some((*one, one.pick(which)?))).collect();
    if picked.is_empty() {
        return Verdict::unsupported(format!("{claimed} has no value at that step"));
    }
    if let Some((series, _)) = picked.iter().find(|(one, _)| one.is_several(which)) {
        let told: Vec<&str> = series.values.iter().take(6).map(|metric| metric.literal.as_str()).collect();
        let why =
            format!("the run tells several values of {claimed}, and not which is meant: {}", told.join(", "));
        return Verdict::unsupported(why).on(series.run, &series.piece(series.values[0]), told.join(", "));
    }
    let fits: Vec<Fit> = picked.iter().map(|(series, metric)| fit(value, &series.observed(metric))).collect();
    let disagree = picked.windows(2).any(|pair| (pair[0].1.value - pair[1].1.value).abs() > 1e-12);
    if picked.len() > 1 && disagree {
        let told: Vec<String> =
            picked.iter().map(|(_, metric)| format!("{} = {}", metric.name, metric.literal)).collect();
        if fits.iter().any(|fit| *fit > Fit::No) {
            return Verdict::ambiguous(format!("several metrics may be meant: {}", told.join(", "))).on(
                picked[0].0.run,
                &picked[0].0.piece(picked[0].1),
                told.join(", "),
            );
        }
    }
    // What stands behind the last step may be a summary: then the last step is meant as well.
    let last = picked.iter().find_map(|(series, _)| Some((*series, series.at_last_step(value, which)?)));
    if let Some((series, metric)) = last {
        return series.supported(metric, value);
    }
    let (series, metric) = picked[0];
    match fits.iter().max().copied().unwrap_or(Fit::No) {
        Fit::Yes | Fit::Truncated => series.supported(metric, value),
        Fit::Perhaps => Verdict::unsupported(format!(
            "the run told {} only, which has fewer digits than {value}",
            metric.literal
        ))
        .on(series.run, &series.piece(metric), metric.literal.clone()),
        Fit::No => otherwise(series, metric, others, value),
    }
}

/// The value is not the one: perhaps another step's, or another run's.
fn otherwise<'e>(
    series: &Series<'e>,
    metric: &'e Metric,
    others: &[&Series<'e>],
    value: &Quantity,
) -> Verdict<'e> {
    let matches = |one: &Series<'e>, metric: &Metric| fit(value, &one.observed(metric)) >= Fit::Truncated;
    let why = format!("{} is {}", metric.name, metric.literal);
    let here = |verdict: Verdict<'e>| verdict.on(series.run, &series.piece(metric), metric.literal.clone());
    if let Some(step) = series.values.iter().find(|one| matches(series, one)) {
        let place = step.step.map_or(format!("on line {}", step.line), |step| format!("at step {step}"));
        return here(Verdict::contradicted(why).note(format!("{value} is its value {place}")));
    }
    for other in others {
        let Some(found) = other.values.iter().rev().find(|one| matches(other, one)) else { continue };
        let note =
            format!("{value} is what another run told, actum:{}#{}", other.run.run, other.piece(found));
        // Another program's number may well be meant.
        if program(&other.run.command) != program(&series.run.command) {
            return here(
                Verdict::ambiguous(format!(
                    "{why} in the newest run, and another program's run told {value}"
                ))
                .note(note),
            );
        }
        // A run that was given something else is no newer version of the same.
        if other.run.command != series.run.command {
            return here(
                Verdict::ambiguous(format!("{why} in the newest run, and an earlier one told {value}"))
                    .note(note),
            );
        }
        return here(Verdict::contradicted(why).note(note));
    }
    // Whose value is meant is not said.
    if others.iter().any(|other| program(&other.run.command) != program(&series.run.command)) {
        return here(Verdict::unsupported(format!(
            "{why} in the newest run, and other programs tell one too"
        )));
    }
    here(Verdict::contradicted(why))
}

/// Everything in a run that the name can mean: exactly, else by another spelling; a split that is named must be there.
pub(crate) fn series<'e>(run: &'e RunFacts, name: &Name, claimed: &str) -> Vec<Series<'e>> {
    let mut found: Vec<Series<'e>> = Vec::new();
    for metric in &run.metrics {
        let read = Name::read(&metric.name);
        let is_split = name.split.is_none() || name.split == read.split;
        let is_stage = name.stage.is_none() || name.stage == read.stage;
        if read.base != name.base || !is_split || !is_stage {
            continue;
        }
        match found.iter_mut().find(|one| one.name == read) {
            Some(one) => one.values.push(metric),
            None => found.push(Series { run, name: read, values: vec![metric], all: Vec::new() }),
        }
    }
    found.iter_mut().for_each(Series::keep_best_source);
    let is_exact = |one: &Series<'e>| {
        one.name == *name || one.values.iter().any(|metric| metric.name.eq_ignore_ascii_case(claimed))
    };
    if found.iter().any(is_exact) {
        found.retain(is_exact);
    }
    found
}

impl<'e> Series<'e> {
    /// A file of metrics before machine output before a pattern in what was printed.
    fn keep_best_source(&mut self) {
        let rank = |metric: &&Metric| match metric.source {
            MetricSource::File { .. } => 0,
            MetricSource::Json(_) => 1,
            MetricSource::Text(_) => 2,
        };
        let best = self.values.iter().map(rank).min().unwrap_or(0);
        self.all.clone_from(&self.values);
        self.values.retain(|metric| rank(metric) == best);
    }

    /// Several values, and no step that puts them in order: each may be of something else.
    fn is_several(&self, which: Which) -> bool {
        let is_open = |metric: &&&Metric| metric.step.is_none();
        let mut open = self.values.iter().filter(is_open);
        let first = open.next().map(|metric| metric.value);
        which == Which::Final && open.any(|metric| Some(metric.value) != first)
    }

    /// The value of the last step in any source, where the final one is meant and it is that.
    fn at_last_step(&self, value: &Quantity, which: Which) -> Option<&'e Metric> {
        let step = self.all.iter().filter_map(|metric| metric.step).max()?;
        let mut at_last = self.all.iter().rev().filter(|metric| metric.step == Some(step));
        let found = at_last.find(|metric| fit(value, &self.observed(metric)) >= Fit::Truncated);
        found.copied().filter(|_| which == Which::Final)
    }

    pub(crate) fn pick(&self, which: Which) -> Option<&'e Metric> {
        let by_value = |one: &&&Metric, other: &&&Metric| one.value.total_cmp(&other.value);
        match which {
            Which::Final => {
                let last_step = self.values.iter().filter_map(|metric| metric.step).max();
                // What is told behind the last step tells how it ended.
                let stepless = self.values.last().filter(|metric| metric.step.is_none());
                let at_last = self.values.iter().rev().find(|metric| metric.step == last_step);
                stepless.or(at_last).copied()
            }
            Which::First => self.values.first().copied(),
            Which::Step(step) => self.values.iter().rev().find(|metric| metric.step == Some(step)).copied(),
            Which::Best => match self.name.lower_is_better() {
                Some(true) => self.values.iter().min_by(by_value).copied(),
                Some(false) | None => self.values.iter().max_by(by_value).copied(),
            },
        }
    }

    pub(crate) fn observed(&self, metric: &Metric) -> Observed {
        observed(metric, &self.name)
    }

    fn piece(&self, metric: &Metric) -> String {
        match metric.step {
            Some(step) => format!("metric/{}@{step}", metric.name),
            None => format!("metric/{}", metric.name),
        }
    }

    fn supported(&self, metric: &'e Metric, value: &Quantity) -> Verdict<'e> {
        let source = source(metric);
        let verdict = Verdict::verified(format!("{} is {}, from {source}", metric.name, metric.literal));
        let verdict = verdict.on(self.run, &self.piece(metric), metric.literal.clone());
        let is_cut = fit(value, &self.observed(metric)) == Fit::Truncated;
        let failed = (self.run.exit != 0).then(|| format!("the run ended with {}", self.run.exit));
        let verdict = verdict.notes(failed);
        if is_cut { verdict.note("truncated") } else { verdict }
    }

    fn line(&self) -> String {
        let values: Vec<String> =
            self.values.iter().rev().take(5).map(|metric| metric.literal.clone()).collect();
        let name = self.values.first().map_or("", |metric| metric.name.as_str());
        format!("actum:{}: {name}, newest first: {}", self.run.run, values.join(", "))
    }
}

/// Where a metric was read, in words.
pub(crate) fn source(metric: &Metric) -> String {
    match &metric.source {
        MetricSource::File { path } => format!("the metric file {path}"),
        MetricSource::Json(stream) => format!("JSON on {stream}"),
        MetricSource::Text(stream) => format!("a pattern on {stream}"),
    }
}

/// A recorded value with the unit that its literal or its name has.
pub(crate) fn observed(metric: &Metric, name: &Name) -> Observed {
    let read: Option<Quantity> = metric.literal.parse().ok();
    let suffix = crate::names::words(&metric.name).last().cloned().unwrap_or_default();
    let by_name = match suffix.as_str() {
        "ms" | "us" | "ns" | "sec" | "secs" | "seconds" | "mb" | "gb" | "kb" | "bytes" | "mib" | "gib" => {
            Unit::named(&suffix)
        }
        "pct" | "percent" => Some(Unit::Percent),
        "s" if metric.name.ends_with("_s") => Some(Unit::Time(1.0)),
        _ => None,
    };
    let unit = read
        .as_ref()
        .map(|read| read.unit)
        .filter(|unit| *unit != Unit::Plain)
        .or(by_name)
        .unwrap_or(Unit::Plain);
    let half = read.as_ref().map_or(0.0, |read| read.half);
    Observed { value: metric.value, half, unit, is_fraction: name.is_fraction() }
}

//! Runs by what they logged, in pages.

use super::TrackingServer;
use super::answer::{Answer, Failure};
use super::arguments::Arguments;
use super::filter::{self, Field, Found};
use super::run::Run;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Items of a page, where the client does not say; and the most that it may ask for.
const PAGE: usize = 1000;
const LARGEST_PAGE: usize = 50_000;

/// One key of an order.
struct Key {
    field: Field,
    is_descending: bool,
}

impl TrackingServer {
    pub(super) fn search_runs(&self, arguments: &Arguments) -> Answer {
        let experiments: Vec<u64> =
            arguments.texts("experiment_ids").into_iter().filter_map(|id| id.parse().ok()).collect();
        let view = arguments.some_text("run_view_type").unwrap_or("ACTIVE_ONLY");
        let conditions = filter::read(arguments.some_text("filter").unwrap_or_default())?;
        let keys: Vec<Key> = arguments.texts("order_by").into_iter().map(key).collect::<Result<_, _>>()?;
        let is_seen = |run: &&Run| {
            experiments.contains(&run.experiment)
                && (view == "ALL" || run.is_deleted == (view == "DELETED_ONLY"))
                && conditions.iter().all(|condition| condition.holds(run))
        };
        // The newest first where nothing else is asked for.
        let all = self.order.iter().rev().filter_map(|id| self.runs.get(id));
        let mut found: Vec<&Run> = all.filter(is_seen).collect();
        if keys.is_empty() {
            found.sort_by_key(|run| std::cmp::Reverse(run.start));
        } else {
            // Each value is looked up once, not once for each comparison.
            found = sorted(&keys, found);
        }
        page(arguments, "runs", &found, |run| run.json())
    }
}

/// One page of what was found. The token of the next one is where it begins.
pub(super) fn page<T>(arguments: &Arguments, name: &str, all: &[T], to_json: impl Fn(&T) -> Value) -> Answer {
    let most = arguments.whole("max_results").and_then(|most| usize::try_from(most).ok());
    let most = most.filter(|most| *most > 0).unwrap_or(PAGE).min(LARGEST_PAGE);
    let start = match arguments.some_text("page_token") {
        Some(token) => {
            token.parse::<usize>().map_err(|_| Failure::invalid("'page_token' is not one of ours"))?
        }
        None => 0,
    };
    let rest = all.get(start..).unwrap_or_default();
    let items: Vec<Value> = rest.iter().take(most).map(to_json).collect();
    let mut answer = Map::from_iter([(name.to_owned(), Value::Array(items))]);
    if rest.len() > most {
        answer.insert("next_page_token".to_owned(), Value::String((start + most).to_string()));
    }
    Ok(Value::Object(answer))
}

/// `metrics.loss DESC`
fn key(text: &str) -> Result<Key, Failure> {
    let text = text.trim();
    let (field, is_descending) = match text.rsplit_once(char::is_whitespace) {
        Some((field, word)) if word.eq_ignore_ascii_case("desc") => (field, true),
        Some((field, word)) if word.eq_ignore_ascii_case("asc") => (field, false),
        Some(_) | None => (text, false),
    };
    Ok(Key { field: Field::read(field)?, is_descending })
}

/// Runs in the order of their values.
fn sorted<'r>(keys: &[Key], runs: Vec<&'r Run>) -> Vec<&'r Run> {
    let values =
        |run: &'r Run| -> Vec<Option<Found<'r>>> { keys.iter().map(|key| key.field.of(run)).collect() };
    let mut valued: Vec<(Vec<Option<Found<'r>>>, &'r Run)> =
        runs.into_iter().map(|run| (values(run), run)).collect();
    valued.sort_by(|(one, _), (other, _)| compare(keys, one, other));
    valued.into_iter().map(|(_, run)| run).collect()
}

fn compare(keys: &[Key], one: &[Option<Found<'_>>], other: &[Option<Found<'_>>]) -> Ordering {
    let by = |(key, (one, other)): (&Key, (&Option<Found<'_>>, &Option<Found<'_>>))| {
        // Runs without the value come last, whichever way is asked for.
        match (one, other) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(one), Some(other)) if key.is_descending => ordered(other, one),
            (Some(one), Some(other)) => ordered(one, other),
        }
    };
    let mut orders = keys.iter().zip(one.iter().zip(other)).map(by);
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn ordered(one: &Found<'_>, other: &Found<'_>) -> Ordering {
    match (one, other) {
        (Found::Number(one), Found::Number(other)) => one.total_cmp(other),
        (Found::Text(one), Found::Text(other)) => one.cmp(other),
        (Found::Number(_), Found::Text(_)) => Ordering::Less,
        (Found::Text(_), Found::Number(_)) => Ordering::Greater,
    }
}

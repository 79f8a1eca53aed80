//! Limits that were met: raised once, as far as the policy goes.

use super::{Case, Change, Choice};
use actum_model::{Amount, Bytes, Ending, Limit, Limits, RemedyKind, Span};

pub(super) fn choose(case: &Case<'_>) -> Option<Choice> {
    match case.diagnosis.row.as_str() {
        "any-oom-killed" | "rust-alloc" | "r-alloc" => Some(raise(case, Limit::Memory, twice)),
        "py-memoryerror" => Some(memory_error(case)),
        "any-timeout" => Some(timeout(case)),
        "any-cpu-xcpu" => Some(raise(case, Limit::Cpu, twice)),
        "any-disk-full" => Some(raise(case, Limit::Disk, twice)),
        "any-file-too-large" => Some(raise(case, Limit::FileSize, twice)),
        "any-too-many-files" => Some(raise(case, Limit::Descriptors, |_| Amount::Count(65_536))),
        "any-nproc" if case.tried.contains(&RemedyKind::Variables) => {
            Some(raise(case, Limit::Processes, twice))
        }
        _ => None,
    }
}

fn twice(now: Amount) -> Amount {
    match now {
        Amount::Seconds(span) => Amount::Seconds(Span(span.0.saturating_mul(2))),
        Amount::Bytes(bytes) => Amount::Bytes(Bytes(bytes.0.saturating_mul(2))),
        Amount::Count(count) => Amount::Count(count.saturating_mul(2)),
    }
}

/// NumPy says how much it wanted: what does not fit under the ceiling is not tried.
fn memory_error(case: &Case<'_>) -> Choice {
    let wanted = case.diagnosis.subject.iter().find_map(|text| text.parse::<Bytes>().ok());
    let peak = case.usage.memory_peak.map_or(0, |peak| peak.0);
    match wanted {
        Some(wanted) if wanted.0.saturating_add(wanted.0 / 4) > case.ceiling.memory.0 => {
            Choice::Stop(format!("it requested {wanted} at once; the maximum is {}", case.ceiling.memory))
        }
        // What fits under the limit was refused by something else, and what nobody used was not too little.
        Some(wanted) if wanted.0.saturating_add(peak) <= case.situation.limits.memory.0 => {
            Choice::Stop(format!("it reports that allocating {wanted} failed, which is within its limit"))
        }
        None if peak < case.situation.limits.memory.0 / 2 => {
            Choice::Stop("it reports running out of memory, but used little of its limit".to_owned())
        }
        Some(wanted) => {
            let whole = wanted.0.saturating_add(case.situation.limits.memory.0);
            raise(case, Limit::Memory, |_| Amount::Bytes(Bytes(whole)))
        }
        None => raise(case, Limit::Memory, twice),
    }
}

/// One that waits would wait longer; one that computes and still tells something may be nearly there.
fn timeout(case: &Case<'_>) -> Choice {
    let Ending::TimedOut { .. } = case.ending else { return Choice::Stop("no limit was reached".to_owned()) };
    let wall = case.situation.limits.wall.0;
    let is_waiting = case.usage.cpu.unwrap_or_default().0.as_secs_f64() < 0.05 * wall.as_secs_f64();
    if is_waiting {
        return Choice::Stop("it was waiting and used no CPU time; a longer timeout may not help".to_owned());
    }
    if !case.still_printing {
        return Choice::Stop("it used CPU time until the timeout and reported no progress".to_owned());
    }
    raise(case, Limit::Wall, twice)
}

fn raise(case: &Case<'_>, limit: Limit, to: impl FnOnce(Amount) -> Amount) -> Choice {
    let now = value(&case.situation.limits, limit);
    let raised = least(to(now), value(case.ceiling, limit));
    if !is_more(raised, now) {
        let most = value(case.ceiling, limit);
        return Choice::Stop(format!("the limit `{limit}` is {now}, and {most} is its maximum"));
    }
    let altered = case.altered(|to| set(&mut to.limits, limit, raised));
    let why = format!("it reached the limit `{limit}` of {now}");
    Change::new(RemedyKind::Limit, format!("raise the limit `{limit}` from {now} to {raised}"), why, altered)
        .permanently(format!("pass --limit {limit}={}", typed(raised)))
        .choice()
}

/// As it is typed after `--limit`.
fn typed(amount: Amount) -> String {
    amount.to_string().replace(' ', "")
}

fn value(limits: &Limits, limit: Limit) -> Amount {
    match limit {
        Limit::Wall => Amount::Seconds(limits.wall),
        Limit::Cpu => Amount::Seconds(limits.cpu),
        Limit::Memory => Amount::Bytes(limits.memory),
        Limit::Processes => Amount::Count(limits.processes),
        Limit::Descriptors => Amount::Count(limits.descriptors),
        Limit::FileSize => Amount::Bytes(limits.file_size),
        Limit::Disk => Amount::Bytes(limits.disk),
        Limit::Output => Amount::Bytes(limits.output),
    }
}

fn set(limits: &mut Limits, limit: Limit, amount: Amount) {
    match (limit, amount) {
        (Limit::Wall, Amount::Seconds(span)) => limits.wall = span,
        (Limit::Cpu, Amount::Seconds(span)) => limits.cpu = span,
        (Limit::Memory, Amount::Bytes(bytes)) => limits.memory = bytes,
        (Limit::Processes, Amount::Count(count)) => limits.processes = count,
        (Limit::Descriptors, Amount::Count(count)) => limits.descriptors = count,
        (Limit::FileSize, Amount::Bytes(bytes)) => limits.file_size = bytes,
        (Limit::Disk, Amount::Bytes(bytes)) => limits.disk = bytes,
        (Limit::Output, Amount::Bytes(bytes)) => limits.output = bytes,
        (_, Amount::Seconds(_) | Amount::Bytes(_) | Amount::Count(_)) => {}
    }
}

fn number(amount: Amount) -> u128 {
    match amount {
        Amount::Seconds(span) => span.0.as_nanos(),
        Amount::Bytes(bytes) => u128::from(bytes.0),
        Amount::Count(count) => u128::from(count),
    }
}

fn least(one: Amount, other: Amount) -> Amount {
    if number(one) <= number(other) { one } else { other }
}

fn is_more(one: Amount, other: Amount) -> bool {
    number(one) > number(other)
}

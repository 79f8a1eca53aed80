//! A sweep that another program drives, line by line: it asks for trials or brings parameters, and tells what came of them.
//!
//! [`answer`] is pure. Who calls it keeps the facts durably and applies them to the state, and only then sends the reply: a trial that
//! was handed out and forgotten would be run twice.

use crate::fact::{Fact, LossCause, Outcome};
use crate::state::{Decision, DoneReason, Settled, SweepState};
use crate::{Origin, Parameters, Trial};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the other program says: one JSON object a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// `{"ask":{}}`: the next trial. `{"ask":{"parameters":{"lr":0.1}}}`: a trial with these.
    Ask(Ask),
    /// `{"tell":{"index":3,"value":0.25}}`: how a trial ended.
    Tell(Tell),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ask {
    /// Chosen by the other program. Without them the sweep chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Parameters>,
    /// Of a trial from outside; the first seed of the sweep where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Of a trial from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Who asks, for the journal: `optuna`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tell {
    pub index: u64,
    #[serde(default)]
    pub rung: u32,
    /// Succeeded where a value is told, failed where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ToldOutcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Option<f64>>,
}

/// How a trial ended, and that it may not have been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToldOutcome {
    Succeeded,
    Failed,
    Killed,
    Lost,
}

/// What it is answered: one JSON object a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// Run this. With the budget of its rung, in successive halving.
    Run {
        trial: Trial,
        #[serde(default)]
        rung: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
    },
    /// This trial is there already: how it ended, where it has.
    Known {
        trial: Trial,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settled: Option<Settled>,
    },
    /// Ask again after the next result.
    Wait,
    Told {
        index: u64,
    },
    Done {
        reason: DoneReason,
    },
    Refused {
        error: String,
    },
}

/// A reply, and the facts that are true once it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// In order; to be kept before the reply is sent.
    pub facts: Vec<Fact>,
    pub reply: Reply,
}

/// Why a line is no request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("the line is longer than {LONGEST_LINE} bytes")]
    TooLong,
    #[error("the line is no request, such as {{\"ask\":{{}}}} or {{\"tell\":{{\"index\":0,\"value\":0.5}}}}")]
    Json(#[from] serde_json::Error),
}

/// A longer line is refused unread.
pub const LONGEST_LINE: usize = 1 << 20;

impl Request {
    pub fn read(line: &str) -> Result<Self, RequestError> {
        if line.len() > LONGEST_LINE {
            return Err(RequestError::TooLong);
        }
        Ok(serde_json::from_str(line)?)
    }
}

/// What a request is answered by a sweep of which at most `limit` trials run at once.
pub fn answer(state: &SweepState, limit: usize, request: &Request) -> Exchange {
    match request {
        Request::Ask(Ask { parameters: Some(parameters), seed, split, by }) => {
            let by = by.as_deref().unwrap_or(NOBODY);
            let seed = seed.unwrap_or_else(|| state.trials().seed(0));
            propose(state, parameters, (seed, split.as_deref()), by)
        }
        Request::Ask(ask) => hand_out(state, limit, ask),
        Request::Tell(told) => take(state, told),
    }
}

/// The schemas of what is said, answered and kept, by name.
pub fn schemas() -> [(&'static str, Schema); 3] {
    [
        ("sweep-request", schemars::schema_for!(Request)),
        ("sweep-reply", schemars::schema_for!(Reply)),
        ("sweep-fact", schemars::schema_for!(Fact)),
    ]
}

/// Who asks where no name is given.
const NOBODY: &str = "ask";

fn hand_out(state: &SweepState, limit: usize, ask: &Ask) -> Exchange {
    if ask.seed.is_some() || ask.split.is_some() {
        return refuse("a seed or a split is given only together with parameters");
    }
    match state.next(limit) {
        Decision::Wait => Exchange { facts: Vec::new(), reply: Reply::Wait },
        Decision::Done(reason) => Exchange { facts: Vec::new(), reply: Reply::Done { reason } },
        Decision::Start(trials) => {
            let first = trials.first().and_then(|run| Some((run, state.trial(run.index)?)));
            let Some((run, trial)) = first else {
                return Exchange { facts: Vec::new(), reply: Reply::Wait };
            };
            let worker = ask.by.clone().unwrap_or_else(|| NOBODY.to_owned());
            let fact = Fact::Started { index: run.index, rung: run.rung, id: trial.id, worker };
            Exchange { facts: vec![fact], reply: Reply::Run { trial, rung: run.rung, budget: run.budget } }
        }
    }
}

fn propose(
    state: &SweepState,
    parameters: &Parameters,
    (seed, split): (u32, Option<&str>),
    by: &str,
) -> Exchange {
    if let Some(trial) = state.find(parameters, seed, split).and_then(|index| state.trial(index)) {
        let settled = state.settled(trial.index, 0).cloned();
        return Exchange { facts: Vec::new(), reply: Reply::Known { trial, settled } };
    }
    let index = state.next_index();
    let proposed = Fact::Proposed {
        index,
        by: by.to_owned(),
        parameters: parameters.clone(),
        seed,
        split: split.map(str::to_owned),
    };
    let trial = match state.check_proposal(index, parameters, seed, split) {
        Ok(trial) => Trial { origin: Origin::Outside(by.to_owned()), ..trial },
        Err(error) => return refuse(&error.to_string()),
    };
    let started = Fact::Started { index, rung: 0, id: trial.id, worker: by.to_owned() };
    let reply = Reply::Run { trial, rung: 0, budget: None };
    Exchange { facts: vec![proposed, started], reply }
}

fn take(state: &SweepState, told: &Tell) -> Exchange {
    let Tell { index, rung, outcome, value, values } = told;
    let usual = if value.is_some() { ToldOutcome::Succeeded } else { ToldOutcome::Failed };
    let outcome = match outcome.unwrap_or(usual) {
        ToldOutcome::Succeeded => Some(Outcome::Succeeded),
        ToldOutcome::Failed => Some(Outcome::Failed),
        ToldOutcome::Killed => Some(Outcome::Killed),
        ToldOutcome::Lost => None,
    };
    let (index, rung) = (*index, *rung);
    if !state.running().iter().any(|running| (running.trial.index, running.trial.rung) == (index, rung)) {
        return refuse(&format!("trial {index} is not running"));
    }
    let fact = match outcome {
        Some(outcome) => Fact::Finished { index, rung, outcome, value: *value, values: values.clone() },
        None => Fact::Lost { index, rung, cause: LossCause::Trial },
    };
    Exchange { facts: vec![fact], reply: Reply::Told { index } }
}

fn refuse(error: &str) -> Exchange {
    Exchange { facts: Vec::new(), reply: Reply::Refused { error: error.to_owned() } }
}

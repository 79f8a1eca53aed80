//! What every connection needs at hand: the rules, the bounds, the world outside, and where decisions are noted.

use crate::{
    asked::{Asked, shown},
    caps::Caps,
    crew::Crew,
    decided::{Collector, Decided, unnamed},
    outside::Outside,
};
use actum_model::{Decision, HostRule, Refusal, Verdict, Via};
use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

pub(crate) struct Desk {
    pub(crate) rules: Vec<HostRule>,
    pub(crate) caps: Caps,
    pub(crate) outside: Outside,
    pub(crate) crew: Arc<Crew>,
    collector: Mutex<Collector>,
}

impl Desk {
    pub(crate) fn new(rules: Vec<HostRule>, outside: Outside, caps: Caps) -> Arc<Self> {
        let crew = Crew::new(caps.connections);
        Arc::new(Self { rules, caps, outside, crew, collector: Mutex::default() })
    }

    /// Notes what was decided about something that could be read.
    pub(crate) fn decide(&self, via: Via, asked: &Asked, verdict: Verdict, dialled: Option<IpAddr>) {
        let (host, port) = (asked.host_text().into(), Some(asked.port));
        self.note(Decision { via, host, port, verdict, dialled, times: 1 });
    }

    /// Notes a refusal of a host that is none by the grammar, as it was sent.
    pub(crate) fn refuse_host(&self, via: Via, host: &[u8], refusal: Refusal) {
        self.note(Decision { host: shown(host).into(), ..unnamed(via, refusal) });
    }

    /// Notes a refusal of something that named no host.
    pub(crate) fn refuse_unnamed(&self, via: Via, refusal: Refusal) {
        self.note(unnamed(via, refusal));
    }

    pub(crate) fn note(&self, decision: Decision) {
        self.collector.lock().unwrap_or_else(PoisonError::into_inner).note(decision);
    }

    pub(crate) fn take_decided(&self) -> Decided {
        self.collector.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

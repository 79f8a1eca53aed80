//! What is pinned for a run, and how it reaches the program: files beside it, variables, and the seed.

use crate::error::ExperimentError;
use crate::manifest::{Determinism, KnobFacts, SeedFacts, SeedOrigin};
use actum_determinism::{
    Linkage, NetworkAccess, PinRequest, ProcessIds, Processor, Profile, Seed, SeedOrigin as PinnedOrigin,
};
use actum_model::Moment;
use actum_run::{Support, SupportFile};
use std::path::Path;

/// What pinning depends on.
#[derive(Debug, Clone)]
pub(crate) struct PinFacts {
    pub(crate) profile: Profile,
    pub(crate) seed: SeedFacts,
    pub(crate) threads: u32,
    pub(crate) started_at: Moment,
    pub(crate) language: Option<String>,
    pub(crate) network: NetworkAccess,
    pub(crate) process_ids: ProcessIds,
    /// Variables that the user sets for the program.
    pub(crate) given: Vec<(String, String)>,
}

/// Pins what can be pinned.
pub(crate) fn pin(facts: PinFacts) -> Result<(Support, Determinism), ExperimentError> {
    let profile = facts.profile;
    let request = PinRequest {
        profile,
        seed: seed(facts.seed),
        threads: facts.threads,
        started_at: facts.started_at.0 / 1_000_000,
        languages: facts.language.into_iter().filter(|name| name != "command").collect(),
        network: facts.network,
        process_ids: facts.process_ids,
        linkage: Linkage::Unknown,
        processor: processor(),
        given: facts.given,
    };
    let pinning = actum_determinism::pin(&request)?;
    let support = Support {
        files: pinning
            .files
            .into_iter()
            .map(|file| SupportFile { name: file.name, bytes: file.bytes })
            .collect(),
        variables: pinning.variables.into_iter().map(|one| (one.name.into(), one.value.into())).collect(),
        search_paths: pinning.search_paths.into_iter().map(Into::into).collect(),
    };
    // The moment itself is told once; as a part of knobs it would make all runs differ.
    let start = request.started_at.to_string();
    let knob = |one: actum_determinism::Knob| KnobFacts {
        name: one.name,
        value: one.value.replace(&start, "the start of the run"),
        covers: one.covers,
    };
    let determinism = Determinism {
        profile: profile.name().to_owned(),
        clock: Some(facts.started_at),
        knobs: pinning.knobs.into_iter().map(knob).collect(),
        not_covered: pinning.not_covered,
    };
    Ok((support, determinism))
}

fn seed(facts: SeedFacts) -> Seed {
    let origin = match facts.origin {
        SeedOrigin::Default => PinnedOrigin::Default,
        SeedOrigin::Given | SeedOrigin::Derived => PinnedOrigin::Given,
        SeedOrigin::Drawn => PinnedOrigin::Drawn,
    };
    Seed { value: facts.value, origin }
}

/// Reads what `--seed` was given: a number, or `random`.
pub fn parse_seed(text: &str) -> Result<SeedFacts, actum_determinism::SeedError> {
    let mut random = [0; 8];
    let filled = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    filled.expect("BUG: the kernel gives random bytes");
    // Seeds of most libraries have 32 bits, and a person can type them.
    let drawn = u64::from_ne_bytes(random) & u64::from(u32::MAX);
    let seed = Seed::parse(text, drawn)?;
    let origin = match seed.origin {
        PinnedOrigin::Default => SeedOrigin::Default,
        PinnedOrigin::Given => SeedOrigin::Given,
        PinnedOrigin::Drawn => SeedOrigin::Drawn,
    };
    Ok(SeedFacts { value: seed.value, origin })
}

fn processor() -> Processor {
    let text =
        actum_gate::read_named(Path::new("/proc/cpuinfo"), actum_gate::Bound(4 << 20)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let field = |names: &[&str]| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| names.contains(&key.trim())).map(|(_, value)| value.trim().to_owned())
    };
    Processor {
        vendor: field(&["vendor_id", "CPU implementer"]).unwrap_or_default(),
        flags: field(&["flags", "Features"])
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
    }
}

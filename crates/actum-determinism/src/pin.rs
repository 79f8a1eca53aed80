//! A request to what is laid and set, and to what is said about it.

use crate::error::PinError;
use crate::knob::{Knob, KnobKind};
use crate::profile::Profile;
use crate::request::{NetworkAccess, PinRequest};
use crate::{FOLDER, limits, preload, startup, variables};

/// What pins a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pinning {
    /// To be laid in one folder, which the program can read and nothing of it can write.
    pub files: Vec<SupportFile>,
    /// [`FOLDER`](crate::FOLDER) in a value stands for that folder.
    pub variables: Vec<SetVariable>,
    /// Lists of folders in which that folder comes first.
    pub search_paths: Vec<String>,
    /// What was set, and what each of it pins.
    pub knobs: Vec<Knob>,
    /// What is not pinned, one thing a line.
    pub not_covered: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetVariable {
    pub name: String,
    pub value: String,
    /// The user set it as well, and the value holds what they set: here the user's own must not win.
    pub replaces_given: bool,
}

/// What fixes the surroundings of a run as its profile says.
pub fn pin(request: &PinRequest) -> Result<Pinning, PinError> {
    check(request)?;
    let mut pinning = Pinning::default();
    let seed = request.seed.value.to_string();
    pinning.set(plain(variables::SEED, seed), "the seed, for programs that ask for it");
    match request.profile {
        Profile::Record => {}
        Profile::Pinned => pinning.add_pinned(request),
        Profile::Strict => {
            pinning.add_pinned(request);
            pinning.add_strict(request);
        }
    }
    pinning.not_covered.extend(limits::not_covered(request));
    Ok(pinning)
}

fn check(request: &PinRequest) -> Result<(), PinError> {
    let is_strict = match request.profile {
        Profile::Record => return Ok(()),
        Profile::Pinned => false,
        Profile::Strict => true,
    };
    if request.threads == 0 {
        return Err(PinError::NoThreads);
    }
    if is_strict && request.network == NetworkAccess::Granted {
        return Err(PinError::FixedEntropyWithNetwork);
    }
    let started_at = request.started_at;
    if is_strict && !(preload::EARLIEST..=preload::LATEST).contains(&started_at) {
        return Err(PinError::ClockOutOfRange { started_at });
    }
    Ok(())
}

fn plain(name: &str, value: String) -> SetVariable {
    SetVariable { name: name.to_owned(), value, replaces_given: false }
}

impl Pinning {
    fn set(&mut self, variable: SetVariable, covers: &str) {
        self.knobs.push(Knob {
            name: variable.name.clone(),
            value: variable.value.clone(),
            kind: KnobKind::Variable,
            covers: covers.to_owned(),
        });
        self.variables.push(variable);
    }

    fn add_pinned(&mut self, request: &PinRequest) {
        for row in variables::ROWS {
            if let Some(variable) = row.setting(request) {
                self.set(variable, row.covers);
            }
            self.not_covered.extend(row.left_alone(request));
        }
        for startup in startup::files(request) {
            self.knobs.push(Knob {
                name: startup.files.first().map(|file| file.name.clone()).unwrap_or_default(),
                value: format!("seed {}", request.seed.value),
                kind: KnobKind::StartupFile,
                covers: startup.covers.to_owned(),
            });
            self.files.extend(startup.files);
            self.variables.extend(startup.variable);
            self.search_paths.extend(startup.search_path.map(str::to_owned));
        }
    }

    fn add_strict(&mut self, request: &PinRequest) {
        let sanitizer = startup::joined(request, "ASAN_OPTIONS", "verify_asan_link_order=0");
        self.set(sanitizer, "nothing: programs with AddressSanitizer refuse a preloaded library otherwise");
        self.files.push(SupportFile { name: preload::NAME.to_owned(), bytes: preload::library(request) });
        let ours = format!("{FOLDER}/{}", preload::NAME);
        let given = request.given("LD_PRELOAD").map(str::trim).filter(|given| !given.is_empty());
        let value = given.map_or_else(|| ours.clone(), |given| format!("{ours}:{given}"));
        self.variables.push(SetVariable {
            name: "LD_PRELOAD".to_owned(),
            value,
            replaces_given: given.is_some(),
        });
        self.knobs.push(Knob {
            name: preload::NAME.to_owned(),
            value: format!("seed {}, clock from {}", request.seed.value, request.started_at),
            kind: KnobKind::PreloadedLibrary,
            covers:
                "the system's entropy (keys, tokens, UUIDs, names of temporary files) and the time of day"
                    .to_owned(),
        });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::processor::Processor;
    use crate::request::{Linkage, ProcessIds};
    use crate::seed::Seed;

    pub(crate) fn request(profile: Profile) -> PinRequest {
        PinRequest {
            profile,
            seed: Seed::default(),
            threads: 1,
            started_at: 1_790_000_000,
            languages: Vec::new(),
            network: NetworkAccess::None,
            process_ids: ProcessIds::Own,
            linkage: Linkage::Unknown,
            processor: Processor::default(),
            given: Vec::new(),
        }
    }

    #[test]
    fn record_only_tells_the_seed() {
        let pinning = pin(&request(Profile::Record)).unwrap();
        assert_eq!(pinning.variables, [plain("ACTUM_SEED", "42".to_owned())]);
        assert!(pinning.files.is_empty() && pinning.search_paths.is_empty());
        assert_eq!(pinning.not_covered.len(), 1);
    }

    #[test]
    fn fixed_entropy_is_refused_with_a_network() {
        let mut request = request(Profile::Strict);
        request.network = NetworkAccess::Granted;
        assert_eq!(pin(&request), Err(PinError::FixedEntropyWithNetwork));
        request.profile = Profile::Pinned;
        assert!(pin(&request).is_ok());
    }

    #[test]
    fn impossible_requests_are_errors() {
        let mut none = request(Profile::Pinned);
        none.threads = 0;
        assert_eq!(pin(&none), Err(PinError::NoThreads));
        for started_at in [0, preload::EARLIEST - 1, preload::LATEST + 1, u64::MAX] {
            let early = PinRequest { started_at, ..request(Profile::Strict) };
            assert_eq!(pin(&early), Err(PinError::ClockOutOfRange { started_at }));
        }
    }

    #[test]
    fn the_same_request_is_answered_the_same_and_another_seed_is_seen() {
        for profile in Profile::ALL {
            let one = request(profile);
            assert_eq!(pin(&one), pin(&one));
            let mut other = one.clone();
            other.seed.value += 1;
            assert_ne!(pin(&one), pin(&other));
        }
    }

    #[test]
    fn everything_that_is_set_is_a_knob_and_no_name_occurs_twice() {
        let pinning = pin(&request(Profile::Strict)).unwrap();
        let mut names: Vec<&str> = pinning.variables.iter().map(|variable| variable.name.as_str()).collect();
        names.extend(pinning.files.iter().map(|file| file.name.as_str()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let leads = ["NODE_OPTIONS", "RUBYOPT", "R_PROFILE_USER", "LD_PRELOAD"];
        for variable in &pinning.variables {
            let is_knob = pinning.knobs.iter().any(|knob| knob.name == variable.name);
            assert!(is_knob != leads.contains(&variable.name.as_str()), "{}", variable.name);
        }
        assert_eq!(pinning.search_paths, ["PYTHONPATH", "RUBYLIB"]);
    }

    #[test]
    fn a_library_of_the_user_is_loaded_after_ours() {
        let mut request = request(Profile::Strict);
        request.given = vec![("LD_PRELOAD".to_owned(), "/a.so".to_owned())];
        let pinning = pin(&request).unwrap();
        let preload = pinning.variables.iter().find(|variable| variable.name == "LD_PRELOAD").unwrap();
        assert_eq!(preload.value, "{support}/libactum_preload.so:/a.so");
        assert!(preload.replaces_given);
    }
}

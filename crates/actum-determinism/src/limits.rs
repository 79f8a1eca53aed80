//! What stays open, in words. Whoever reads a result must know what could have been different.

use crate::profile::Profile;
use crate::request::{Linkage, NetworkAccess, PinRequest, ProcessIds};

/// Sources of difference that this request leaves, one a line.
pub(crate) fn not_covered(request: &PinRequest) -> Vec<String> {
    let mut open: Vec<&str> = Vec::new();
    match request.profile {
        Profile::Record => return vec!["everything: the profile `record` pins nothing".to_owned()],
        Profile::Pinned => open
            .extend(["the system's entropy: keys, tokens, UUIDs, and what programs make of it", "the clock"]),
        Profile::Strict => open.extend(strict(request)),
    }
    open.extend([
        "the order of threads, and of processes that run at the same time",
        "addresses in memory, and orders that follow them",
        "durations, and the times that files were changed",
        "operations of graphics cards that have no deterministic form",
    ]);
    match request.process_ids {
        ProcessIds::Own => {}
        ProcessIds::Shared => open.push("process numbers: the run has no namespace of its own"),
    }
    match request.network {
        NetworkAccess::None => {}
        NetworkAccess::Granted => open.push("what the network answers"),
    }
    open.extend(LANGUAGES.iter().filter(|limit| limit.applies(request)).map(|limit| limit.what));
    open.into_iter().map(str::to_owned).collect()
}

fn strict(request: &PinRequest) -> Vec<&'static str> {
    let linkage = match request.linkage {
        Linkage::Dynamic => "entropy and clock of child programs that are linked statically",
        Linkage::Static => {
            "entropy and clock of this program: it is linked statically, so no library can be preloaded"
        }
        Linkage::Unknown => "entropy and clock of programs that are linked statically",
    };
    vec![
        linkage,
        "random bytes of OpenSSL, which mixes in a counter of the processor",
        "instructions of the processor that give random numbers",
        "time across programs: each begins at the start of the clock",
        "waits of event loops, which ask for milliseconds more or less",
    ]
}

/// What a language does that cannot be pinned from outside.
struct Limit {
    language: &'static str,
    /// Whether strict runs have it as well.
    is_strict_too: bool,
    what: &'static str,
}

const LANGUAGES: &[Limit] = &[
    limit("python", true, "Python that is started with -E, -I or -S: it reads no start-up file"),
    limit("javascript", true, "crypto of Node.js; Deno and Bun"),
    limit("ruby", true, "Random.new without a seed, and forks of Ruby"),
    limit("r", true, "R with --vanilla or --no-init-file, and its forks and clusters"),
    limit("perl", false, "rand of Perl before 5.38"),
    limit("php", false, "random numbers of PHP"),
    limit("julia", true, "random numbers and threads of Julia"),
    limit("go", true, "the order of maps, select and goroutines in Go"),
    limit("java", true, "random numbers of Java other than SecureRandom, which are made of durations"),
    limit("rust", false, "the order of hash maps in Rust"),
];

const fn limit(language: &'static str, is_strict_too: bool, what: &'static str) -> Limit {
    Limit { language, is_strict_too, what }
}

impl Limit {
    fn applies(&self, request: &PinRequest) -> bool {
        let has_it = match request.profile {
            Profile::Record | Profile::Pinned => true,
            Profile::Strict => self.is_strict_too,
        };
        has_it && request.may_run(self.language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pin::tests::request;

    fn said(request: &PinRequest) -> String {
        not_covered(request).join("\n")
    }

    #[test]
    fn a_static_program_is_named_in_strict_runs_only() {
        let mut request = request(Profile::Strict);
        request.linkage = Linkage::Static;
        assert!(said(&request).contains("this program: it is linked statically"));
        request.profile = Profile::Pinned;
        assert!(!said(&request).contains("statically"));
    }

    #[test]
    fn only_languages_that_may_run_are_named() {
        let mut request = request(Profile::Pinned);
        assert!(said(&request).contains("in Go") && said(&request).contains("-E, -I or -S"));
        request.languages = vec!["go".to_owned()];
        assert!(said(&request).contains("in Go") && !said(&request).contains("-E, -I or -S"));
    }

    #[test]
    fn network_and_process_numbers_are_named_where_they_vary() {
        let mut request = request(Profile::Pinned);
        assert!(!said(&request).contains("network") && !said(&request).contains("process numbers"));
        request.network = NetworkAccess::Granted;
        request.process_ids = ProcessIds::Shared;
        assert!(said(&request).contains("the network answers") && said(&request).contains("process numbers"));
    }
}

//! What this machine can do, found out by doing it.

use crate::cgroup::Version;
use crate::order::Owner;
use crate::warden::Failure;
use actum_model::{Layer, Missing};

/// What the warden found, and who we are.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) namespaces: Result<(), Failure>,
    /// The version of Landlock, or why there is none.
    pub(crate) landlock: Result<u32, String>,
    pub(crate) accounting: Result<Version, String>,
    /// Who called.
    pub(crate) caller: Owner,
    /// Who programs are outside their namespace: as root an unused id, otherwise the caller.
    pub(crate) stand_in: Owner,
}

impl Host {
    pub(crate) fn is_root(&self) -> bool {
        self.caller.user == 0
    }

    /// Everything that this machine lacks, with what would bring it.
    pub(crate) fn missing(&self) -> Vec<Missing> {
        let mut missing = Vec::new();
        if let Err(failure) = &self.namespaces {
            missing.push(missing_namespaces(failure, self.is_root()));
        }
        if let Err(because) = &self.landlock {
            let remedy = "boot a kernel of 5.13 or later with landlock in its list of security modules (lsm=landlock,…)";
            missing.push(Missing {
                layer: Layer::Landlock,
                because: because.clone(),
                remedy: remedy.to_owned(),
            });
        }
        if let Err(because) = &self.accounting {
            let remedy = "run under `systemd-run --user --scope -p Delegate=yes`, or as root; until then, limits on \
                          memory and processes are polled";
            missing.push(Missing {
                layer: Layer::Accounting,
                because: because.clone(),
                remedy: remedy.to_owned(),
            });
        }
        missing
    }
}

pub(crate) fn missing_namespaces(failure: &Failure, is_root: bool) -> Missing {
    let error = std::io::Error::from_raw_os_error(failure.errno);
    let why = if failure.errno == 0 { failure.detail.clone() } else { error.to_string() };
    let about = if failure.detail.is_empty() || failure.errno == 0 {
        String::new()
    } else {
        format!(" ({})", failure.detail)
    };
    let because = format!("cannot {}{about}: {why}", failure.step.doing());
    Missing { layer: failure.step.layer(), because, remedy: remedy(failure, is_root) }
}

/// The three places where namespaces are refused, by how the refusal looks.
fn remedy(failure: &Failure, is_root: bool) -> String {
    use crate::note::Step;
    const ENOSPC: i32 = 28;
    match (failure.step, failure.errno) {
        (Step::Namespaces, 0) => "remove --tier to use namespaces".to_owned(),
        (Step::Namespaces | Step::Mapping, ENOSPC) => {
            "raise the limit: sysctl user.max_user_namespaces=15000".to_owned()
        }
        (Step::Processes, _) => "this container masks parts of /proc: start it with an unmasked one \
                                 (Docker: --security-opt systempaths=unconfined)"
            .to_owned(),
        (Step::Namespaces, _) if is_root => "in a container: allow the calls (Docker: --security-opt seccomp=unconfined \
                                             --cap-add SYS_ADMIN), or run as an ordinary user outside"
            .to_owned(),
        (Step::Namespaces, _) => "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or in a container \
                                  --security-opt seccomp=unconfined"
            .to_owned(),
        (Step::Mapping | Step::Template | Step::Loopback, _) => {
            "on Ubuntu 24.04 and later AppArmor restricts unprivileged user namespaces: add a profile for this binary with the rule \
             `userns,` or sysctl kernel.apparmor_restrict_unprivileged_userns=0"
                .to_owned()
        }
        _ => "see `actum doctor`".to_owned(),
    }
}

/// An id that nobody on this machine uses, to be programs' owner when root calls. Pure: reads the texts it is given.
///
/// The highest ids of the current user namespace are looked at, because people, services and containers count from
/// below; ids that the password file or a subordinate range names are passed over.
pub(crate) fn unused_id(id_map: &str, passwd: &str, subordinate: &str) -> Option<u32> {
    // Below 2^31, because some programs keep ids in signed numbers.
    const CEILING: u64 = 1_879_048_192;
    let ranges = id_map.lines().filter_map(|line| {
        let mut numbers = line.split_ascii_whitespace().filter_map(|number| number.parse::<u64>().ok());
        let (inside, _, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
        Some((inside, inside + count))
    });
    let highest = ranges.map(|(_, end)| end.min(CEILING)).max()?;
    let named = |id: u64| passwd.lines().any(|line| line.split(':').nth(2) == Some(id.to_string().as_str()));
    let lent = |id: u64| {
        subordinate.lines().any(|line| {
            let mut fields = line.split(':').skip(1).filter_map(|field| field.parse::<u64>().ok());
            matches!((fields.next(), fields.next()), (Some(first), Some(count)) if (first..first + count).contains(&id))
        })
    };
    // 65534 and 65535 mean nobody and no id.
    let special = |id: u64| id == 65534 || id == 65535 || id == 0;
    (highest.saturating_sub(100_000)..highest)
        .rev()
        .find(|id| !named(*id) && !lent(*id) && !special(*id))
        .map(|id| id as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unused_id_is_nobodys() {
        assert_eq!(unused_id("0 0 4294967295\n", "", ""), Some(1_879_048_191));
        assert_eq!(unused_id("0 100000 65536\n", "x:x:65533:1::/:/bin/sh\n", ""), Some(65532));
        assert_eq!(unused_id("0 0 4294967295\n", "", "me:1879000000:65536\n"), Some(1_878_999_999));
        assert_eq!(unused_id("0 1000 1\n", "", ""), None);
        assert_eq!(unused_id("", "", ""), None);
    }
}

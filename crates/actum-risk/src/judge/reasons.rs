//! The sentence that goes with each weighing.

use super::Spot;

pub(super) const NO_WALLS: &str = "this run has no sandbox";
pub(super) const NO_NETWORK: &str = "the run has no network access";
pub(super) const SHUT: &str = "files outside the workspace cannot be written";
pub(super) const PROTECTED: &str =
    "files that start programs are protected: changes to them are withheld or reverted";
pub(super) const PERSISTS_IN_GRANT: &str = "the folder is granted for writing, and files in it run later";
pub(super) const SERVICES_IN_OPEN: &str = "the policy `open` allows access to the host's services";
pub(super) const INSTALLS: &str =
    "third-party code is downloaded over the granted network and runs inside the sandbox";
pub(super) const PUBLISHES: &str = "publishing over the granted network cannot be undone";
pub(super) const SENDS_ANYWHERE: &str = "the whole network is granted, and sent data cannot be recalled";
pub(super) const SENDS_TO_HOSTS: &str = "data can be sent only to the granted hosts";
pub(super) const SERVER: &str =
    "the database server is outside the sandbox, and committed changes are permanent";
pub(super) const IN_MEMORY: &str = "the database is in memory and ends with the run";
pub(super) const SOME_DATABASE: &str =
    "the code does not say which database it uses, and the network is granted";
pub(super) const NO_PRIVILEGE: &str = "programs in the sandbox cannot gain privileges";
pub(super) const PRIVILEGE_IN_OPEN: &str =
    "privileges cannot be gained, but the policy `open` allows access to the host's services";
pub(super) const OWN_PROCESSES: &str = "the run can see only its own processes";
pub(super) const PROCESSES_IN_L: &str = "without a process namespace, only Landlock blocks signals to other processes, if the kernel supports that";
pub(super) const NATIVE: &str = "the static check cannot analyse it; the sandbox applies to it as well";

pub(super) fn deleted(spot: Spot) -> &'static str {
    match spot {
        Spot::Temporary => "the temporary folder is deleted after the run",
        Spot::Layer => {
            "it happens in a copy-on-write layer, is listed, and is applied only if the run succeeds"
        }
        Spot::Discarded => "it happens in a copy-on-write layer that is discarded",
        Spot::Shut => SHUT,
        Spot::Direct => "the workspace is written directly, and deleted files cannot be restored",
        Spot::Granted => "it may be in a folder granted for writing, where files are deleted immediately",
        Spot::Unconfined => NO_WALLS,
    }
}

pub(super) fn written(spot: Spot) -> &'static str {
    match spot {
        Spot::Temporary => "the temporary folder is deleted after the run",
        Spot::Layer => "the path is in the workspace, which has a copy-on-write layer",
        Spot::Discarded => "the path is in the workspace, whose changes are discarded",
        Spot::Shut => SHUT,
        Spot::Direct => "the path is in the workspace, which is written directly as requested",
        Spot::Granted => "the path is in a folder granted for writing",
        Spot::Unconfined => NO_WALLS,
    }
}

pub(super) fn database_file(spot: Spot) -> &'static str {
    match spot {
        Spot::Temporary => IN_MEMORY,
        Spot::Layer => {
            "the database file is in a copy-on-write layer, which is applied only if the run succeeds"
        }
        Spot::Discarded => "changes to the database file are discarded",
        Spot::Shut => "the database file cannot be written from inside the sandbox",
        Spot::Direct => "the database file is written directly",
        Spot::Granted => "the database file may be in a folder granted for writing",
        Spot::Unconfined => NO_WALLS,
    }
}

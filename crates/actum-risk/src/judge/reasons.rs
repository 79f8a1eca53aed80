//! The sentence that goes with each weighing.

use super::Spot;

pub(super) const NO_WALLS: &str = "nothing confines this run";
pub(super) const NO_NETWORK: &str = "the run cannot reach the network";
pub(super) const SHUT: &str = "outside the workspace nothing can be written";
pub(super) const PROTECTED: &str =
    "files that start programs are protected: such a change is withheld or put back";
pub(super) const PERSISTS_IN_GRANT: &str =
    "the folder was granted for writing, and what is put there runs later";
pub(super) const SERVICES_IN_OPEN: &str = "in the policy open the machine's own services can be asked";
pub(super) const INSTALLS: &str =
    "code of others is fetched over the granted network and runs inside the walls";
pub(super) const PUBLISHES: &str = "what is published over the granted network cannot be taken back";
pub(super) const SENDS_ANYWHERE: &str =
    "the whole network was granted, and what is sent cannot be taken back";
pub(super) const SENDS_TO_HOSTS: &str = "it can be sent to the granted hosts only";
pub(super) const SERVER: &str = "the database server stands outside the walls, and what is committed stays";
pub(super) const IN_MEMORY: &str = "the database is in memory and ends with the run";
pub(super) const SOME_DATABASE: &str =
    "which database is meant is not written there, and the network is granted";
pub(super) const NO_PRIVILEGE: &str = "the walls let no program gain privileges";
pub(super) const PRIVILEGE_IN_OPEN: &str =
    "no privileges can be gained, but in the policy open services of the machine can be asked";
pub(super) const OWN_PROCESSES: &str = "the run sees no processes but its own";
pub(super) const PROCESSES_IN_L: &str =
    "without a process namespace only Landlock keeps signals inside, where the kernel has that";
pub(super) const NATIVE: &str = "this look cannot follow it, the walls hold for it all the same";

pub(super) fn deleted(spot: Spot) -> &'static str {
    match spot {
        Spot::Temporary => "the temporary folder goes away with the run",
        Spot::Layer => {
            "it happens in a copy-on-write layer, is applied only when the run ends well, and is listed"
        }
        Spot::Discarded => "it happens in a copy-on-write layer that is discarded",
        Spot::Shut => SHUT,
        Spot::Direct => "the workspace is written directly, and what is deleted is gone",
        Spot::Granted => "it can be in a folder that was granted for writing, where it is gone at once",
        Spot::Unconfined => NO_WALLS,
    }
}

pub(super) fn written(spot: Spot) -> &'static str {
    match spot {
        Spot::Temporary => "the temporary folder goes away with the run",
        Spot::Layer => "the path is in the workspace, which is seen through a copy-on-write layer",
        Spot::Discarded => "the path is in the workspace, whose changes are discarded",
        Spot::Shut => SHUT,
        Spot::Direct => "the path is in the workspace, which is written directly as asked",
        Spot::Granted => "the path is in a folder that was granted for writing",
        Spot::Unconfined => NO_WALLS,
    }
}

pub(super) fn database_file(spot: Spot) -> &'static str {
    match spot {
        Spot::Temporary => IN_MEMORY,
        Spot::Layer => {
            "the database file is seen through a copy-on-write layer, applied only when the run ends well"
        }
        Spot::Discarded => "changes to the database file are discarded",
        Spot::Shut => "the database file cannot be written from inside",
        Spot::Direct => "the database file is written directly",
        Spot::Granted => "the database file can be in a folder that was granted for writing",
        Spot::Unconfined => NO_WALLS,
    }
}

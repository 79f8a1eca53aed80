//! What a run may touch: a named profile plus grants.

use crate::{HostRule, Network};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, path::PathBuf, str::FromStr};

/// The named policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// For untrusted code: no network, `/proc` with processes only, no program from memory, changes discarded.
    Locked,
    /// For ordinary runs of an agent.
    #[default]
    Default,
    /// As default, with named hosts through the proxy.
    Networked,
    /// As default, with GPUs.
    Gpu,
    /// Everything readable except key folders, and the host's network. Must be requested, and is marked in the report.
    Open,
}

/// How the workspace is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkspaceMode {
    /// Copy on write; the changes are applied if the run succeeds.
    #[default]
    Overlay,
    /// Copy on write; the changes are listed and discarded.
    ReadOnly,
    /// Written directly.
    InPlace,
}

/// One more thing that a run may touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// A file or folder, read-only, at its own path.
    Read(PathBuf),
    /// A folder, written directly, at its own path.
    Write(PathBuf),
}

impl Grant {
    pub fn path(&self) -> &std::path::Path {
        match self {
            Grant::Read(path) | Grant::Write(path) => path,
        }
    }
}

/// Whether a run may go on without a layer that this machine does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Requirement {
    Required,
    Optional,
}

/// What a run may touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Policy {
    pub profile: Profile,
    pub network: Network,
    pub workspace: WorkspaceMode,
    pub grants: Vec<Grant>,
    /// Indices of granted cards.
    pub cards: Vec<u32>,
    /// Whether namespaces must be there, or Landlock alone will do.
    pub namespaces: Requirement,
}

/// Why a policy contradicts itself or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("`{0}` is not a policy; the policies are locked, default, networked, gpu and open")]
    Unknown(String),
    #[error("the policy `locked` has no network, but hosts were granted")]
    LockedWithNetwork,
    #[error("the policy `locked` cannot write in place or grant further folders for writing")]
    LockedWithWrites,
    #[error("the policy `locked` has no GPUs, but GPUs were granted")]
    LockedWithCards,
    #[error("policy `open` uses the host network, so `--net` host lists cannot be enforced")]
    OpenWithHosts,
    #[error("the policy `networked` needs at least one host")]
    NetworkedWithoutHosts,
    #[error("`--net {0}`: `full` and `none` cannot be combined with hosts")]
    MixedNetwork(String),
    #[error("`{path}` is granted for both reading and writing")]
    GrantedTwice { path: PathBuf },
    #[error("the host for --net is not valid")]
    Host(#[from] crate::HostRuleError),
}

impl PolicyError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "pass --policy with one of these names",
            Self::LockedWithNetwork | Self::LockedWithWrites | Self::LockedWithCards => {
                "remove the grant, or use --policy default"
            }
            Self::OpenWithHosts => "use --policy networked with host lists, or --policy open without them",
            Self::NetworkedWithoutHosts => "add --net HOST or --net HOST:PORT",
            Self::MixedNetwork(_) => "pass hosts, or one of these words",
            Self::GrantedTwice { .. } => "remove one of the two grants",
            Self::Host(_) => "use --net example.org or --net example.org:8443",
        }
    }
}

impl Profile {
    pub const ALL: [Profile; 5] =
        [Profile::Locked, Profile::Default, Profile::Networked, Profile::Gpu, Profile::Open];

    pub fn name(self) -> &'static str {
        match self {
            Profile::Locked => "locked",
            Profile::Default => "default",
            Profile::Networked => "networked",
            Profile::Gpu => "gpu",
            Profile::Open => "open",
        }
    }

    /// The profile before any grant.
    pub fn policy(self) -> Policy {
        let (network, workspace, namespaces) = match self {
            Profile::Locked => (Network::None, WorkspaceMode::ReadOnly, Requirement::Required),
            Profile::Default | Profile::Gpu => {
                (Network::Loopback, WorkspaceMode::Overlay, Requirement::Optional)
            }
            Profile::Networked => (Network::Hosts(Vec::new()), WorkspaceMode::Overlay, Requirement::Optional),
            Profile::Open => (Network::Host, WorkspaceMode::Overlay, Requirement::Optional),
        };
        Policy { profile: self, network, workspace, grants: Vec::new(), cards: Vec::new(), namespaces }
    }
}

impl Network {
    /// Reads `--net`: `none`, `loopback`, `full`, or hosts separated by commas.
    pub fn parse(text: &str) -> Result<Network, PolicyError> {
        match text.trim() {
            "none" => return Ok(Network::None),
            "loopback" => return Ok(Network::Loopback),
            "full" | "host" => return Ok(Network::Host),
            _ => {}
        }
        let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.iter().any(|name| matches!(*name, "none" | "full" | "loopback")) {
            return Err(PolicyError::MixedNetwork(text.to_owned()));
        }
        let rules = names.iter().map(|name| name.parse::<HostRule>()).collect::<Result<_, _>>()?;
        Ok(Network::Hosts(rules))
    }
}

impl Policy {
    /// Refuses a policy that contradicts itself.
    pub fn check(&self) -> Result<(), PolicyError> {
        match self.profile {
            Profile::Locked => self.check_locked()?,
            Profile::Open if matches!(self.network, Network::Hosts(_)) => {
                return Err(PolicyError::OpenWithHosts);
            }
            Profile::Default | Profile::Networked | Profile::Gpu | Profile::Open => {}
        }
        self.check_grants()
    }

    fn check_locked(&self) -> Result<(), PolicyError> {
        if !matches!(self.network, Network::None | Network::Loopback) {
            return Err(PolicyError::LockedWithNetwork);
        }
        if self.workspace == WorkspaceMode::InPlace
            || self.grants.iter().any(|g| matches!(g, Grant::Write(_)))
        {
            return Err(PolicyError::LockedWithWrites);
        }
        if !self.cards.is_empty() { Err(PolicyError::LockedWithCards) } else { Ok(()) }
    }

    fn check_grants(&self) -> Result<(), PolicyError> {
        for grant in &self.grants {
            if let Grant::Write(path) = grant
                && self.grants.iter().any(|other| matches!(other, Grant::Read(read) if read == path))
            {
                return Err(PolicyError::GrantedTwice { path: path.clone() });
            }
        }
        Ok(())
    }
}

impl FromStr for Profile {
    type Err = PolicyError;
    fn from_str(text: &str) -> Result<Self, PolicyError> {
        Self::ALL.into_iter().find(|p| p.name() == text).ok_or_else(|| PolicyError::Unknown(text.to_owned()))
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_grants_nothing() {
        assert_eq!(Network::parse("").unwrap(), Network::Hosts(Vec::new()));
        assert_eq!(Network::parse("none").unwrap(), Network::None);
    }

    #[test]
    fn contradictions_are_refused() {
        let mut locked = Profile::Locked.policy();
        locked.network = Network::Host;
        assert_eq!(locked.check(), Err(PolicyError::LockedWithNetwork));
        let mut locked = Profile::Locked.policy();
        locked.workspace = WorkspaceMode::InPlace;
        assert_eq!(locked.check(), Err(PolicyError::LockedWithWrites));
        let mut open = Profile::Open.policy();
        open.network = Network::parse("a.example").unwrap();
        assert_eq!(open.check(), Err(PolicyError::OpenWithHosts));
        let mut twice = Profile::Default.policy();
        twice.grants = vec![Grant::Read("/a".into()), Grant::Write("/a".into())];
        assert!(matches!(twice.check(), Err(PolicyError::GrantedTwice { .. })));
        assert!(matches!(Network::parse("full,a.example"), Err(PolicyError::MixedNetwork(_))));
        for profile in Profile::ALL {
            assert_eq!(profile.policy().check(), Ok(()), "{profile}");
        }
    }
}

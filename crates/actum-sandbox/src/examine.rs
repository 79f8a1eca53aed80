//! What this machine can do, shown by doing it: what `doctor` tells.

use crate::attempt::{Nowhere, Watching};
use crate::error::SandboxError;
use crate::request::Request;
use crate::sandboxes::{Sandboxes, Start, Streams};
use actum_model::{Bytes, Confinement, Layer, LayerState, Limits, Missing, Profile, Span, Tier};
use rustix::fd::AsFd;
use serde::Serialize;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// What `doctor` shows.
#[derive(Debug, Clone, Serialize)]
pub struct Abilities {
    pub tier: Tier,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landlock: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accounting: Option<&'static str>,
    /// The layers of a run of `true` under the default policy, from really running it.
    pub layers: Vec<LayerState>,
    pub missing: Vec<Missing>,
}

impl Sandboxes {
    /// Runs `true` in a folder of its own under the default policy, and tells what that showed.
    pub fn examine(&self) -> Abilities {
        let tried = self.try_out();
        let mut abilities = self.abilities();
        match tried {
            Ok(confinement) => {
                abilities.tier = confinement.tier;
                abilities.layers = confinement.layers;
            }
            Err(error) => {
                let remedy = error.hint().unwrap_or_default();
                abilities.missing.push(Missing { layer: Layer::Mount, because: causes(&error), remedy });
                abilities.tier = Tier::None;
            }
        }
        abilities
    }

    fn try_out(&self) -> Result<Confinement, SandboxError> {
        let drawn = actum_gate::own::random_name();
        let folder =
            PathBuf::from("/var/tmp").join(format!("actum-doctor-{}", drawn.as_deref().unwrap_or_default()));
        let failed = |source: io::Error| SandboxError::Workspace {
            path: folder.clone(),
            hint: "free disk space in /var/tmp",
            source,
        };
        drawn.map_err(failed)?;
        // Of this process alone: others cannot put links where layers will lie.
        let workspace = folder.join("workspace");
        std::fs::DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
        std::fs::create_dir(&workspace).map_err(failed)?;
        let ended = self.run_true(&workspace);
        let _ = std::fs::remove_dir(&workspace);
        let _ = std::fs::remove_dir(&folder);
        ended
    }

    fn run_true(&self, folder: &Path) -> Result<Confinement, SandboxError> {
        let request = Request {
            policy: Profile::Default.policy(),
            limits: Limits {
                wall: Span::seconds(10),
                cpu: Span::seconds(10),
                memory: Bytes::mib(256),
                processes: 16,
                descriptors: 64,
                file_size: Bytes::mib(1),
                disk: Bytes::mib(1),
                output: Bytes::mib(1),
            },
            grace: Span::default(),
            terminal: None,
            workspace: folder.to_path_buf(),
            folder: folder.to_path_buf(),
            command: vec!["true".into()],
            variables: vec![("PATH".into(), "/usr/bin:/bin".into())],
            granted_variables: Vec::new(),
            gate_variables: Vec::new(),
            layers: folder.with_extension("layers"),
            home: None,
            layer: None,
            forwards: Vec::new(),
            shown_at: None,
            listeners: Vec::new(),
            hidden: Vec::new(),
            stores: Default::default(),
            written: None,
            searched: Vec::new(),
        };
        let null = std::fs::File::options().read(true).write(true).open("/dev/null");
        let null = null.map_err(|source| SandboxError::Output { source })?;
        let streams = Streams { stdin: null.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() };
        loop {
            let Start::Started(mut attempt) = self.start(&request, streams)? else { continue };
            let ended = attempt.supervise(Watching::default(), &mut Nowhere);
            self.forget(&attempt);
            put_away(&request.layers);
            return ended.map(|ended| ended.confinement);
        }
    }

    pub fn abilities(&self) -> Abilities {
        let host = self.host();
        let tier = match (&host.namespaces, &host.landlock) {
            (Ok(()), _) => Tier::N,
            (Err(_), Ok(_)) => Tier::L,
            (Err(_), Err(_)) => Tier::None,
        };
        let accounting = host.accounting.as_ref().ok().map(|version| match version {
            crate::cgroup::Version::V1 => "cgroup v1",
            crate::cgroup::Version::V2 => "cgroup v2",
        });
        Abilities {
            tier,
            landlock: host.landlock.as_ref().ok().copied(),
            accounting,
            layers: Vec::new(),
            missing: host.missing(),
        }
    }
}

/// The warden takes the run's own folder out of it a moment after it was told to forget.
fn put_away(layers: &Path) {
    // 200 times 5 ms: a second is more than a warden needs on any machine that still answers.
    for _ in 0..200 {
        match std::fs::remove_dir(layers) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            Ok(()) | Err(_) => return,
        }
    }
}

fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}

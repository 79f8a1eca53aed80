//! From what is asked and what the machine can do to one complete order. Pure.
//!
//! [`plan`] chooses the tier, then each file adds its part: [`enforce`] the limits, [`fence`] the paths. The same
//! pass writes the [`Confinement`] that the report shows, so that what is said is what was ordered.

mod enforce;
mod fence;
#[cfg(test)]
mod tests;

use crate::environment::{Given, environment};
use crate::error::SandboxError;
use crate::host::Host;
use crate::machine::{Machine, c_path, is_covered};
use crate::order::{
    Access, Command, Net, Order, Owner, Place, Processes, Root, Shape, Walls, Workspace, WriteLayer,
};
use crate::request::Request;
use crate::seccomp::{Calls, Sockets, rules};
use crate::warden::Expected;
use actum_model::{
    Bytes, Confinement, Grant, Layer, LayerState, Missing, Network, Policy, Profile, Requirement, StartMode,
    Tier, WorkspaceHow, WorkspaceMode,
};
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What the hands found out for this one request.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    /// Who owns the workspace.
    pub(crate) owner: Owner,
    /// The file that the command's name stands for on the machine.
    pub(crate) program: PathBuf,
    /// Further folders of the runtime that the program belongs to.
    pub(crate) runtime: Vec<PathBuf>,
    /// A folder on disk made for this run, if one is needed.
    pub(crate) folder: Option<PathBuf>,
    /// A folder on disk that outlives this attempt and holds the workspace's layer.
    pub(crate) layer: Option<PathBuf>,
    /// Protected paths that exist in the workspace, absolute.
    pub(crate) protected: Vec<PathBuf>,
    /// Device nodes and driver folders of granted cards.
    pub(crate) cards: Vec<(PathBuf, Access)>,
    /// Processes and threads that the caller has already (counts only without namespaces).
    pub(crate) tasks: u64,
    /// Sockets of the machine that would be seen in folders which are shown directly.
    pub(crate) sockets: Vec<PathBuf>,
    /// Such folders that hold too much to be searched for sockets.
    pub(crate) unsearched: Vec<PathBuf>,
    /// Folders that are written directly, on file systems whose writes the kernel does not count.
    pub(crate) uncounted: Vec<PathBuf>,
    /// Keys of other users that lie in what is shown.
    pub(crate) keys: Vec<PathBuf>,
    /// Where the machine's own name servers are configured, behind all links.
    pub(crate) name_servers: Option<PathBuf>,
}

/// Everything that a decision may depend on.
#[derive(Debug, Clone, Copy)]
struct Case<'a> {
    tier: Tier,
    host: &'a Host,
    machine: &'a Machine,
    request: &'a Request,
    facts: &'a Facts,
}

/// The order and what may truthfully be said about it.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) order: Order,
    pub(crate) confinement: Confinement,
}

/// Inside, a program is always this user.
const INSIDE: Owner = Owner { user: 1000, group: 1000 };

/// Up to this much is kept in memory, where the kernel counts it exactly; beyond it goes to disk and is polled.
pub(crate) const LARGEST_IN_MEMORY: Bytes = Bytes::gib(1);

/// Whether a run needs a folder on disk: for its layer, or because there is no `/tmp` of its own.
pub(crate) fn needs_folder(tier: Tier, request: &Request) -> bool {
    let layered = request.policy.workspace != WorkspaceMode::InPlace
        && request.limits.disk > LARGEST_IN_MEMORY
        && request.layer.is_none();
    tier != Tier::N || layered
}

/// Whether the layer that the caller keeps is used: where there is one at all.
pub(crate) fn keeps_layer(tier: Tier, request: &Request) -> bool {
    tier == Tier::N && request.policy.workspace != WorkspaceMode::InPlace
}

/// Chooses the tier, or refuses with the remedy.
pub(crate) fn choose_tier(host: &Host, request: &Request) -> Result<Tier, SandboxError> {
    let refused = |missing: Missing| SandboxError::Refused {
        layer: missing.layer,
        because: missing.because,
        remedy: missing.remedy,
    };
    let Err(failure) = &host.namespaces else { return Ok(Tier::N) };
    let missing = crate::host::missing_namespaces(failure, host.is_root());
    if request.policy.namespaces == Requirement::Required {
        return Err(refused(missing));
    }
    if let Network::Hosts(rules) = &request.policy.network
        && !rules.is_empty()
    {
        return Err(refused(Missing {
            layer: Layer::Net,
            because: format!(
                "host lists for --net can only be enforced in a network namespace, which is not available: {}",
                missing.because
            ),
            remedy: missing.remedy,
        }));
    }
    if !request.policy.cards.is_empty() {
        return Err(refused(Missing {
            layer: Layer::Net,
            because: format!(
                "GPU drivers need sockets, which are only safe in a network namespace, which is not available: {}",
                missing.because
            ),
            remedy: missing.remedy,
        }));
    }
    match (&host.landlock, request.policy.profile) {
        (Ok(_), _) => Ok(Tier::L),
        (Err(_), Profile::Open) => Ok(Tier::None),
        (Err(because), _) => Err(refused(Missing {
            layer: Layer::Landlock,
            because: format!("neither namespaces ({}) nor Landlock ({because}) work here", missing.because),
            remedy: format!("{}; or pass --policy open to run without a sandbox", missing.remedy),
        })),
    }
}

/// Makes the order.
pub(crate) fn plan(
    host: &Host,
    machine: &Machine,
    request: &Request,
    facts: &Facts,
) -> Result<Plan, SandboxError> {
    request.policy.check()?;
    request.limits.check()?;
    let tier = choose_tier(host, request)?;
    if request.shown_at.is_some() && tier != Tier::N {
        return Err(SandboxError::Moved);
    }
    let case = Case { tier, host, machine, request, facts };
    refuse_keys(&case)?;
    refuse_movable(&case)?;
    let layer = write_layer(tier, request, facts);
    let owner = host.is_root().then_some(facts.owner);
    let places = places(&case, owner);
    let enforcement = enforce::enforce(&case, &layer);
    let shape = shape(tier, host, request, &layer);
    let confinement = Confinement {
        tier,
        profile: request.policy.profile,
        start: StartMode::Cold,
        layers: layers(tier, host, &shape.walls, rules(shape.calls).len(), &layer),
        workspace: workspace_how(&layer),
        limits: enforcement.limits,
        missing: missing(tier, host),
        not_covered: not_covered(&case, &layer),
    };
    let place = Place {
        source: c_path(&request.workspace),
        target: c_path(request.seen_workspace()),
        access: Access::Write,
        owner,
    };
    let order = Order {
        shape,
        scratch: enforcement.scratch,
        inodes: enforcement.inodes,
        fence: fence::fence(&case, &places),
        workspace: Workspace { place, fixed: fixed(&case, &layer), layer },
        places,
        masks: masks(&case),
        rlimits: enforcement.rlimits,
        watch: enforcement.watch,
        budget: enforcement.budget,
        command: command(&case)?,
        folder: facts.folder.as_deref().map(c_path),
        forwards: request.forwards.clone(),
        listeners: listeners(tier, request),
        gates: tier == Tier::N
            && matches!(&request.policy.network, Network::Hosts(rules) if !rules.is_empty()),
        waits: false,
        terminal: request.terminal,
    };
    Ok(Plan { order, confinement })
}

/// What a sandbox for this request will most likely be, before it is known what runs in it; nothing where there are no namespaces.
pub(crate) fn expect(host: &Host, request: &Request) -> Option<Expected> {
    let tier = choose_tier(host, request).ok().filter(|tier| *tier == Tier::N)?;
    let layer = match request.policy.workspace {
        WorkspaceMode::InPlace => WriteLayer::None,
        WorkspaceMode::Overlay | WorkspaceMode::ReadOnly => WriteLayer::Memory,
    };
    let shape = shape(tier, host, request, &layer);
    Some(Expected { shape, budget: enforce::budget(host, request), owner: None })
}

/// What can be built before the rest of an order is known.
fn shape(tier: Tier, host: &Host, request: &Request, layer: &WriteLayer) -> Shape {
    let Policy { profile, network, .. } = &request.policy;
    let calls = Calls {
        sockets: sockets(tier, request),
        shared_ipc: tier != Tier::N,
        memory_counted: host.accounting.is_ok(),
        direct_writes: enforce::writes_directly(request, layer),
        memory_files: *profile != Profile::Locked && host.accounting.is_ok(),
        namespaces_limited: tier == Tier::N && *profile != Profile::Locked,
    };
    Shape { walls: walls(tier, profile, network), inside: INSIDE, outside: host.stand_in, calls }
}

fn granted_paths(request: &Request) -> impl Iterator<Item = &Path> {
    request.policy.grants.iter().map(|grant| match grant {
        Grant::Read(path) | Grant::Write(path) => path.as_path(),
    })
}

/// Whether a folder of keys lies below something that is shown for another reason. Naming it in a grant shows it.
fn is_shown_by_the_way(key: &Path, case: &Case<'_>) -> bool {
    let Case { machine, request, facts, .. } = *case;
    let runtimes = machine.runtimes.folders.iter().chain(&facts.runtime).map(PathBuf::as_path);
    let mut shown = granted_paths(request).chain([request.workspace.as_path()]).chain(runtimes);
    !is_named(key, request) && shown.any(|path| key.starts_with(path))
}

/// Whether the caller named this path itself.
fn is_named(key: &Path, request: &Request) -> bool {
    granted_paths(request).any(|path| path == key) || request.workspace == key
}

/// Folders and files of keys that exist.
fn keys<'c>(case: &Case<'c>) -> impl Iterator<Item = &'c PathBuf> + use<'c> {
    case.machine.keys.iter().chain(&case.facts.keys)
}

/// Keys that would be seen: anywhere in the machine's own tree, or because a home or what holds one is shown.
fn masks(case: &Case<'_>) -> Vec<CString> {
    let Case { request, .. } = *case;
    let everywhere = request.policy.profile == Profile::Open;
    let keys = keys(case).filter(|key| everywhere || is_shown_by_the_way(key, case));
    // What is ours is hidden also from a run that was granted it by name: a program that writes there writes our memory.
    let shown = |own: &&PathBuf| {
        everywhere
            || granted_paths(request).chain([request.workspace.as_path()]).any(|path| own.starts_with(path))
    };
    let ours = request.hidden.iter().filter(shown);
    let mut masks: Vec<&PathBuf> =
        keys.chain(ours).chain(stores_in_view(request)).chain(&case.facts.sockets).collect();
    // Each once, and a folder before what lies in it.
    masks.sort();
    masks.dedup();
    masks.into_iter().map(|path| c_path(path)).collect()
}

/// Stores of other projects that lie in what is shown. One that holds the workspace itself is left: it was named.
fn stores_in_view(request: &Request) -> impl Iterator<Item = &PathBuf> {
    let everywhere = request.policy.profile == Profile::Open;
    request.stores.known.iter().filter(move |store| {
        let mut shown = granted_paths(request).chain([request.workspace.as_path()]);
        !request.workspace.starts_with(store) && (everywhere || shown.any(|path| store.starts_with(path)))
    })
}

/// What is hidden is hidden by a mount on its folder, and a program that may move a folder above it moves it out from under.
/// A mount itself cannot be moved: what lies directly in a folder that is written is safe.
fn refuse_movable(case: &Case<'_>) -> Result<(), SandboxError> {
    let Case { request, .. } = *case;
    let hidden = || request.hidden.iter().chain(keys(case));
    let mut pairs = written_roots(request).flat_map(|root| hidden().map(move |own| (root, own)));
    match pairs
        .find(|(root, own)| own.starts_with(root) && own != root && own.parent() != Some(root.as_path()))
    {
        None => Ok(()),
        Some((root, own)) => Err(SandboxError::Refused {
            layer: Layer::Mount,
            because: format!(
                "{} would be writable directly and contains {}, which a program could then move and read",
                root.display(),
                own.display()
            ),
            remedy: "grant a folder that does not contain it".to_owned(),
        }),
    }
}

/// Folders of the machine that the program writes directly.
pub(crate) fn written_roots(request: &Request) -> impl Iterator<Item = &PathBuf> {
    let granted = request.policy.grants.iter().filter_map(|grant| match grant {
        Grant::Write(folder) => Some(folder),
        Grant::Read(_) => None,
    });
    granted.chain((request.policy.workspace == WorkspaceMode::InPlace).then_some(&request.workspace))
}

/// Without mounts nothing below the workspace or a grant can be hidden.
fn refuse_keys(case: &Case<'_>) -> Result<(), SandboxError> {
    let Case { tier, request, .. } = *case;
    let granted = |path: &Path| {
        let mut writes = request.policy.grants.iter().filter_map(|grant| match grant {
            Grant::Write(folder) => Some(folder),
            Grant::Read(_) => None,
        });
        path.starts_with(&request.workspace)
            || writes.any(|folder| path.starts_with(folder) && path != folder)
    };
    let granted_by_the_way =
        |key: &Path| !is_named(key, request) && granted_paths(request).any(|path| key.starts_with(path));
    let seen = keys(case).find(|path| path.starts_with(&request.workspace) || granted_by_the_way(path));
    let seen = seen.or_else(|| request.hidden.iter().find(|path| granted(path)));
    match (tier, seen) {
        (Tier::L, Some(path)) => Err(SandboxError::Refused {
            layer: Layer::Mount,
            because: format!(
                "the workspace or a granted folder contains {}, which can only be hidden in a mount namespace",
                path.display()
            ),
            remedy: "use --workspace to name a project folder, or ACTUM_STORE to keep the store elsewhere"
                .to_owned(),
        }),
        (Tier::L | Tier::N | Tier::None, _) => Ok(()),
    }
}

fn walls(tier: Tier, profile: &Profile, network: &Network) -> Walls {
    if tier != Tier::N {
        return Walls::None;
    }
    let root = if *profile == Profile::Open { Root::Machine } else { Root::Template };
    let processes = if *profile == Profile::Locked { Processes::Only } else { Processes::Full };
    let net = match network {
        Network::None => Net::Own { loopback: false },
        Network::Loopback | Network::Hosts(_) => Net::Own { loopback: true },
        Network::Host => Net::Machine,
    };
    Walls::Namespaces { root, net, processes }
}

/// In a network namespace every ordinary socket, but for `locked`, where none of the file system is; without one only what was granted, and not the machine's own sockets
/// unless everything was.
fn sockets(tier: Tier, request: &Request) -> Sockets {
    match (tier, &request.policy.network, request.policy.profile) {
        (Tier::N, _, Profile::Locked) => Sockets::Internet,
        (Tier::N, _, _) | (_, Network::Host, Profile::Open) => Sockets::Ordinary,
        (Tier::L | Tier::None, Network::Host, _) => Sockets::Internet,
        (Tier::L | Tier::None, _, _) => Sockets::Pairs,
    }
}

fn write_layer(tier: Tier, request: &Request, facts: &Facts) -> WriteLayer {
    if tier != Tier::N || request.policy.workspace == WorkspaceMode::InPlace {
        return WriteLayer::None;
    }
    match facts.layer.as_ref().or(facts.folder.as_ref()) {
        Some(layer) if facts.layer.is_some() => WriteLayer::Disk(c_path(layer)),
        Some(folder) if request.limits.disk > LARGEST_IN_MEMORY => WriteLayer::Disk(c_path(folder)),
        Some(_) | None => WriteLayer::Memory,
    }
}

/// Protected paths that the program could write directly: in the whole workspace, or in folders of it that it was granted.
fn fixed(case: &Case<'_>, layer: &WriteLayer) -> Vec<CString> {
    let Case { request, facts, .. } = *case;
    let is_written = |path: &&PathBuf| {
        *layer == WriteLayer::None
            || written_roots(request).any(|root| {
                path.starts_with(root) && *root != request.workspace && root.starts_with(&request.workspace)
            })
    };
    facts.protected.iter().filter(is_written).map(|path| c_path(path)).collect()
}

fn workspace_how(layer: &WriteLayer) -> WorkspaceHow {
    match layer {
        WriteLayer::Memory => WorkspaceHow::OverlayInMemory,
        WriteLayer::Disk(_) => WorkspaceHow::OverlayOnDisk,
        WriteLayer::None => WorkspaceHow::Direct,
    }
}

/// Everything shown beside the template and the workspace.
fn places(case: &Case<'_>, owner: Option<Owner>) -> Vec<Place> {
    let Case { tier, machine, request, facts, .. } = *case;
    let at = |path: &Path, access: Access, owner: Option<Owner>| Place {
        source: c_path(path),
        target: c_path(path),
        access,
        owner,
    };
    let mut places: Vec<Place> = Vec::new();
    for grant in &request.policy.grants {
        places.push(match grant {
            Grant::Read(path) => at(path, Access::Read, owner),
            Grant::Write(path) => at(path, Access::Write, owner),
        });
    }
    let template = tier == Tier::N && request.policy.profile != Profile::Open;
    if template {
        let covered = machine.runtimes.folders.iter().filter(|folder| is_covered(folder));
        let granted: Vec<PathBuf> = granted_paths(request).map(Path::to_path_buf).collect();
        // What the workspace or a grant already shows is not shown a second time.
        let is_shown = |folder: &PathBuf| {
            folder.starts_with(&request.workspace) || granted.iter().any(|path| folder.starts_with(path))
        };
        let outside = facts.runtime.iter().chain(covered).filter(|folder| !is_shown(folder));
        places.extend(outside.map(|folder| at(folder, Access::Read, None)));
    }
    places.extend(facts.cards.iter().map(|(path, access)| at(path, *access, None)));
    if let (true, Network::Host, Some(servers)) = (template, &request.policy.network, &facts.name_servers) {
        places.push(Place { target: c"/etc/resolv.conf".to_owned(), ..at(servers, Access::Read, None) });
    }
    places
}

fn command(case: &Case<'_>) -> Result<Command, SandboxError> {
    let Case { tier, machine, request, facts, .. } = *case;
    let text = |text: &OsStr| {
        CString::new(text.as_bytes())
            .map_err(|_| SandboxError::Command(format!("{} contains a NUL byte", text.display())))
    };
    let callers_path =
        request.variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    let granted: Vec<&Path> = granted_paths(request).collect();
    let path = machine.path_inside(callers_path.unwrap_or_default(), &request.workspace, &granted);
    let (home, temporary) = match (&facts.folder, tier) {
        (Some(folder), Tier::L | Tier::None) => (folder.join("home"), folder.join("tmp")),
        // A workspace there lies over the temporary folder.
        _ if request.workspace == Path::new("/tmp") => (PathBuf::from("/dev/shm"), PathBuf::from("/dev/shm")),
        _ => (PathBuf::from("/tmp/home"), PathBuf::from("/tmp")),
    };
    let (home, temporary) = (home.display().to_string(), temporary.display().to_string());
    let mut more = machine.runtimes.variables.clone();
    if let (Tier::N, Network::Hosts(rules)) = (tier, &request.policy.network)
        && !rules.is_empty()
    {
        more.extend(request.gate_variables.iter().cloned());
    }
    if request.terminal.is_some() {
        more.extend(terminal_kind(&request.variables));
    }
    let given = Given { path: &path, home: &home, temporary: &temporary };
    let variables = environment(&request.variables, &given, &more, &request.granted_variables);
    let environment = variables
        .iter()
        .map(|(name, value)| {
            let mut pair = name.clone();
            pair.push("=");
            pair.push(request.seen(value));
            text(&pair)
        })
        .collect::<Result<_, _>>()?;
    Ok(Command {
        candidates: vec![text(&request.seen(facts.program.as_os_str()))?],
        arguments: request.command.iter().map(|word| text(&request.seen(word))).collect::<Result<_, _>>()?,
        environment,
        folder: text(&request.seen(request.folder.as_os_str()))?,
    })
}

/// Ports that the supervisor serves: on a loopback that is the sandbox's own, and nowhere else.
fn listeners(tier: Tier, request: &Request) -> Vec<u16> {
    match (tier, &request.policy.network) {
        (Tier::N, Network::Loopback | Network::Hosts(_)) => request.listeners.clone(),
        (Tier::N, Network::None | Network::Host) | (Tier::L | Tier::None, _) => Vec::new(),
    }
}

/// What kind of terminal a program finds itself at, where the caller's own says nothing or that there is none.
fn terminal_kind(callers: &[(OsString, OsString)]) -> Option<(OsString, OsString)> {
    let own = callers.iter().find(|(name, _)| name == "TERM").map(|(_, value)| value.as_os_str());
    let tells = own.is_some_and(|kind| !kind.is_empty() && kind != "dumb");
    (!tells).then(|| ("TERM".into(), "xterm-256color".into()))
}

fn layers(tier: Tier, host: &Host, walls: &Walls, rules: usize, layer: &WriteLayer) -> Vec<LayerState> {
    let mut layers = Vec::new();
    let mut add = |layer: Layer, detail: &str| layers.push(LayerState { layer, detail: detail.to_owned() });
    if let Walls::Namespaces { root, net, processes } = walls {
        add(Layer::User, if host.is_root() { "mapped to an unused id" } else { "mapped to the caller" });
        add(
            Layer::Mount,
            match root {
                Root::Template => "own root",
                Root::Machine => "machine's tree, read-only",
            },
        );
        add(
            Layer::Pid,
            match processes {
                Processes::Full => "own init",
                Processes::Only => "own init, /proc of processes only",
            },
        );
        match net {
            Net::Own { loopback: true } => add(Layer::Net, "loopback only"),
            Net::Own { loopback: false } => add(Layer::Net, "none"),
            Net::Machine => {}
        }
        for layer in [Layer::Ipc, Layer::Uts, Layer::Cgroup] {
            add(layer, "own");
        }
    }
    if let (Ok(abi), true) = (&host.landlock, tier != Tier::None) {
        add(Layer::Landlock, &format!("version {abi}"));
    }
    add(Layer::Seccomp, &format!("{rules} rules"));
    if let Ok(version) = &host.accounting {
        add(
            Layer::Accounting,
            match version {
                crate::cgroup::Version::V1 => "cgroup v1",
                crate::cgroup::Version::V2 => "cgroup v2",
            },
        );
    }
    match layer {
        WriteLayer::Memory => add(Layer::Overlay, "in memory"),
        WriteLayer::Disk(_) => add(Layer::Overlay, "on disk"),
        WriteLayer::None => {}
    }
    layers
}

fn missing(tier: Tier, host: &Host) -> Vec<Missing> {
    let mut missing = host.missing();
    if tier != Tier::N {
        missing.push(Missing {
            layer: Layer::Overlay,
            because: "without a mount namespace the program writes directly to the workspace".to_owned(),
            remedy: "enable namespaces; until then, changes are listed and protected files are restored"
                .to_owned(),
        });
    }
    missing
}

/// What these layers do not stop. Each line is what an attempt of the attack suite shows.
fn not_covered(case: &Case<'_>, layer: &WriteLayer) -> Vec<String> {
    let Case { tier, host, request, .. } = *case;
    let mut open: Vec<&str> = vec!["kernel vulnerabilities"];
    if tier != Tier::N {
        open.extend([
            "metadata of files outside the sandbox (stat)",
            "modes, times and attributes of the user's files outside the sandbox",
            "names and command lines of the host's processes",
            "names of files in /dev/shm",
            "the host's mount table, host name and other contents of /proc",
            "inotify and other per-user limits",
            "the number of files written",
        ]);
    }
    // The version that brought scopes.
    if tier == Tier::L && host.landlock.as_ref().is_ok_and(|abi| *abi < 6) {
        open.extend(["signals to the user's other processes", "abstract sockets of the host"]);
    }
    if tier == Tier::L && request.policy.profile == Profile::Open {
        open.push("keys and credentials in the home folder");
    }
    if tier != Tier::N && stores_in_view(request).next().is_some() {
        open.push("stores of other projects in visible folders");
    }
    if tier == Tier::None {
        open.push("files outside the workspace");
    }
    if request.policy.network == Network::Host {
        open.push("the host's network");
    }
    if request.policy.profile == Profile::Open && (tier == Tier::N || request.policy.network == Network::Host)
    {
        open.push("the host's sockets in the file system");
    }
    if host.accounting.is_err() {
        open.push("CPU time of processes that exit within 10 ms and are not waited for");
        open.push("kernel memory for file locks, watches, rule sets and descriptors in transit");
        open.push("shared memory that was unmapped within 100 ms while another part stays mapped");
    } else {
        // The kernel charges them to whoever accepts.
        open.push("memory in the buffers of connections that no process has accepted");
    }
    if host.accounting.is_err() && (tier != Tier::N || request.policy.network == Network::Host) {
        open.push("memory in the buffers of sockets that no process has open");
    }
    match layer {
        WriteLayer::Disk(_) => open.push("disk space of files that were deleted while open"),
        WriteLayer::None => {
            open.push("data written by processes that exit within 10 ms and are not waited for");
        }
        WriteLayer::Memory => {}
    }
    if let Network::Hosts(rules) = &request.policy.network
        && !rules.is_empty()
    {
        open.extend(["data sent to a granted host", "other sites on the same address as a granted host"]);
    }
    if !request.policy.cards.is_empty() || request.policy.profile == Profile::Gpu {
        open.extend(["GPU memory, which is shared by all runs on one card", "the GPU driver in the kernel"]);
    }
    open.into_iter().map(str::to_owned).chain(not_covered_in(case)).collect()
}

pub(crate) fn disk_not_covered(folder: &Path) -> String {
    format!("disk: the limit does not count data written to {}", folder.display())
}

/// What is not covered in folders that are shown directly.
fn not_covered_in(case: &Case<'_>) -> Vec<String> {
    let Case { tier, request, facts, .. } = *case;
    let mut open = Vec::new();
    open.extend(facts.uncounted.iter().map(|path| disk_not_covered(path)));
    let connects =
        sockets(case.tier, request) == Sockets::Ordinary && request.policy.profile != Profile::Open;
    if tier == Tier::N && connects {
        for path in &facts.unsearched {
            open.push(format!(
                "sockets of the host in {}, which has too many files to search",
                path.display()
            ));
        }
        if !request.searched.is_empty() || request.policy.workspace == WorkspaceMode::InPlace {
            open.push("sockets that the host opens in granted folders while the program runs".to_owned());
        }
    }
    open
}

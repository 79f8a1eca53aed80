//! The judgement with plain values: which tier, which refusal, what is said.

use super::*;
use crate::cgroup::Version;
use crate::machine::ToolPlaces;
use crate::note::Step;
use crate::order::{Net, Rights, Terminal};
use crate::warden::Failure;
use actum_model::{How, Limit, Limits, Policy, Span};
use std::ffi::OsStr;

const EPERM: i32 = 1;

fn host(namespaces: bool, landlock: bool, accounting: bool, user: u32) -> Host {
    let refused = Failure { step: Step::Namespaces, errno: EPERM, detail: String::new() };
    let caller = Owner { user, group: user };
    let unused = Owner { user: 1_879_048_191, group: 1_879_048_191 };
    Host {
        namespaces: if namespaces { Ok(()) } else { Err(refused) },
        landlock: if landlock { Ok(7) } else { Err("not built in".to_owned()) },
        accounting: if accounting { Ok(Version::V2) } else { Err("not delegated".to_owned()) },
        caller,
        stand_in: if user == 0 { unused } else { caller },
    }
}

fn request(policy: Policy) -> Request {
    Request {
        policy,
        limits: Limits {
            wall: Span::seconds(60),
            cpu: Span::seconds(60),
            memory: Bytes::mib(256),
            processes: 64,
            descriptors: 256,
            file_size: Bytes::mib(64),
            disk: Bytes::mib(64),
            output: Bytes::mib(8),
        },
        grace: Span::seconds(2),
        terminal: None,
        workspace: "/home/you/project".into(),
        folder: "/home/you/project".into(),
        command: vec!["true".into()],
        variables: vec![("PATH".into(), "/usr/bin:/home/you/bin".into()), ("SECRET".into(), "x".into())],
        granted_variables: Vec::new(),
        gate_variables: Vec::new(),
        layers: "/var/tmp/layers".into(),
        home: Some("/home/you".into()),
        layer: None,
        forwards: Vec::new(),
        shown_at: None,
        listeners: Vec::new(),
        hidden: Vec::new(),
        stores: Default::default(),
        written: None,
        searched: Vec::new(),
    }
}

fn facts() -> Facts {
    Facts {
        keys: Vec::new(),
        owner: Owner { user: 1000, group: 1000 },
        program: "/usr/bin/true".into(),
        runtime: Vec::new(),
        folder: Some("/var/tmp/layers/run-1-0".into()),
        layer: None,
        protected: vec!["/home/you/project/.git/hooks".into()],
        cards: Vec::new(),
        tasks: 40,
        sockets: Vec::new(),
        unsearched: Vec::new(),
        uncounted: Vec::new(),
        name_servers: None,
    }
}

fn planned(host: &Host, request: &Request) -> Result<Plan, SandboxError> {
    let machine = Machine::survey(OsStr::new("/usr/bin"), None, ToolPlaces::default());
    plan(host, &machine, request, &facts())
}

#[test]
fn the_tier_is_what_the_machine_can_do() {
    let asked = request(Profile::Default.policy());
    for (namespaces, landlock, tier) in
        [(true, true, Tier::N), (true, false, Tier::N), (false, true, Tier::L)]
    {
        assert_eq!(choose_tier(&host(namespaces, landlock, false, 1000), &asked).unwrap(), tier);
    }
    let nothing = host(false, false, false, 1000);
    assert!(matches!(
        choose_tier(&nothing, &asked),
        Err(SandboxError::Refused { layer: Layer::Landlock, .. })
    ));
    assert_eq!(choose_tier(&nothing, &request(Profile::Open.policy())).unwrap(), Tier::None);
}

#[test]
fn what_needs_namespaces_is_refused_without_and_says_what_would_help() {
    let without = host(false, true, true, 1000);
    let mut listed = Profile::Networked.policy();
    listed.network = Network::parse("a.example").unwrap();
    let cards = Policy { cards: vec![0], ..Profile::Gpu.policy() };
    for policy in [Profile::Locked.policy(), listed, cards] {
        let error = choose_tier(&without, &request(policy)).unwrap_err();
        assert!(error.hint().is_some_and(|hint| hint.contains("user namespaces")), "{error:?}");
    }
    // Nothing granted is nothing to enforce.
    assert_eq!(choose_tier(&without, &request(Profile::Networked.policy())).unwrap(), Tier::L);
}

#[test]
fn root_is_never_mapped_to_itself() {
    let plan = planned(&host(true, true, true, 0), &request(Profile::Default.policy())).unwrap();
    assert_ne!(plan.order.shape.outside.user, 0);
    assert_ne!(plan.order.shape.inside.user, 0);
    assert_eq!(plan.order.workspace.place.owner, Some(Owner { user: 1000, group: 1000 }));
    let plan = planned(&host(true, true, true, 1000), &request(Profile::Default.policy())).unwrap();
    assert_eq!((plan.order.shape.outside.user, plan.order.workspace.place.owner), (1000, None));
}

#[test]
fn every_limit_says_how_it_is_enforced() {
    let how = |host: &Host, limit: Limit| {
        let plan = planned(host, &request(Profile::Default.policy())).unwrap();
        plan.confinement.limits.iter().find(|enforced| enforced.limit == limit).unwrap().how
    };
    let counted = host(true, true, true, 1000);
    let alone = host(true, true, false, 1000);
    let bare = host(false, true, false, 1000);
    for (host, memory, processes, disk) in [
        (&counted, How::CgroupV2, How::CgroupV2, How::SizedLayer),
        (&alone, How::Polled, How::RlimitNamespace, How::SizedLayer),
        (&bare, How::Polled, How::Polled, How::Polled),
    ] {
        assert_eq!(how(host, Limit::Memory), memory);
        assert_eq!(how(host, Limit::Processes), processes);
        assert_eq!(how(host, Limit::Disk), disk);
        let plan = planned(host, &request(Profile::Default.policy())).unwrap();
        assert_eq!(plan.confinement.limits.len(), Limit::ALL.len());
        // What a cgroup does not count, init watches.
        assert_eq!(plan.order.watch.memory.is_some(), memory == How::Polled);
        assert_eq!(plan.order.budget.is_some(), memory == How::CgroupV2);
    }
}

#[test]
fn much_disk_goes_to_disk() {
    let mut asked = request(Profile::Default.policy());
    asked.limits.disk = Bytes::gib(5);
    let plan = planned(&host(true, true, true, 1000), &asked).unwrap();
    assert!(matches!(plan.order.workspace.layer, WriteLayer::Disk(_)));
    assert_eq!(plan.confinement.workspace, WorkspaceHow::OverlayOnDisk);
    assert!(plan.order.scratch <= LARGEST_IN_MEMORY.0);
}

#[test]
fn writing_in_place_keeps_protected_paths_as_they_are() {
    let mut policy = Profile::Default.policy();
    policy.workspace = WorkspaceMode::InPlace;
    let plan = planned(&host(true, true, true, 1000), &request(policy)).unwrap();
    assert_eq!(plan.order.workspace.layer, WriteLayer::None);
    assert_eq!(plan.order.workspace.fixed, [c"/home/you/project/.git/hooks".to_owned()]);
}

#[test]
fn a_granted_folder_of_the_workspace_keeps_protected_paths_as_they_are() {
    let mut policy = Profile::Default.policy();
    let fixed = |policy: &Policy| {
        let plan = planned(&host(true, true, true, 1000), &request(policy.clone())).unwrap();
        plan.order.workspace.fixed
    };
    policy.grants.push(Grant::Write("/home/you/project/runs".into()));
    assert!(fixed(&policy).is_empty());
    policy.grants.push(Grant::Write("/home/you/project/.git".into()));
    assert_eq!(fixed(&policy), [c"/home/you/project/.git/hooks".to_owned()]);
}

#[test]
fn the_fence_allows_writing_in_few_places() {
    let writable = |host: &Host, policy: Policy| -> Vec<String> {
        let order = planned(host, &request(policy)).unwrap().order;
        let rules = order.fence.rules.into_iter().filter(|(_, rights)| *rights == Rights::Write);
        rules.map(|(path, _)| path.to_string_lossy().into_owned()).collect()
    };
    let namespaced = writable(&host(true, true, true, 1000), Profile::Default.policy());
    assert_eq!(namespaced, ["/dev/shm", "/tmp", "/home/you/project"]);
    let bare = writable(&host(false, true, true, 1000), Profile::Default.policy());
    assert_eq!(bare, ["/var/tmp/layers/run-1-0", "/home/you/project"]);
    let mut closed = Profile::Default.policy();
    closed.workspace = WorkspaceMode::ReadOnly;
    assert_eq!(writable(&host(false, true, true, 1000), closed), ["/var/tmp/layers/run-1-0"]);
}

#[test]
fn without_namespaces_no_socket_is_made_and_home_is_not_readable() {
    let order = planned(&host(false, true, true, 1000), &request(Profile::Default.policy())).unwrap().order;
    assert_eq!(order.shape.calls.sockets, Sockets::Pairs);
    assert!(order.fence.refuse_tcp && order.fence.scoped);
    let readable =
        |path: &str| order.fence.rules.iter().any(|(rule, _)| path.starts_with(&*rule.to_string_lossy()));
    assert!(!readable("/home/you/.ssh/id") && !readable("/etc/shadow") && readable("/usr/lib/x"));
}

#[test]
fn what_is_said_is_what_was_ordered() {
    let mut policy = Profile::Default.policy();
    policy.network = Network::Host;
    let plan = planned(&host(true, true, true, 1000), &request(policy)).unwrap();
    assert!(!plan.confinement.layers.iter().any(|state| state.layer == Layer::Net));
    assert!(plan.confinement.not_covered.iter().any(|line| line.contains("network")));
    assert!(matches!(plan.order.shape.walls, Walls::Namespaces { net: Net::Machine, .. }));
    let plan = planned(&host(false, true, false, 1000), &request(Profile::Default.policy())).unwrap();
    assert!(plan.confinement.missing.iter().any(|missing| missing.layer == Layer::Overlay));
    assert!(!plan.confinement.layers.iter().any(|state| state.layer == Layer::Overlay));
}

#[test]
fn a_nul_byte_is_told_and_not_swallowed() {
    let mut asked = request(Profile::Default.policy());
    asked.command.push("a\0b".into());
    assert!(matches!(planned(&host(true, true, true, 1000), &asked), Err(SandboxError::Command(_))));
}

#[test]
fn only_allowed_variables_and_visible_folders_pass() {
    let command =
        planned(&host(true, true, true, 1000), &request(Profile::Default.policy())).unwrap().order.command;
    let has = |text: &str| command.environment.iter().any(|pair| pair.to_string_lossy() == text);
    assert!(has("PATH=/usr/bin:/usr/local/bin:/bin") && has("HOME=/tmp/home"), "{:?}", command.environment);
    assert!(!command.environment.iter().any(|pair| pair.to_string_lossy().starts_with("SECRET")));
}

#[test]
fn a_program_at_a_terminal_is_told_which_kind() {
    let host = host(true, true, true, 1000);
    let kind = |own: Option<&str>, terminal: Option<Terminal>| {
        let mut request = Request { terminal, ..request(Profile::Default.policy()) };
        request.variables.extend(own.map(|kind| ("TERM".into(), kind.into())));
        let order = planned(&host, &request).unwrap().order;
        assert_eq!(order.terminal, terminal);
        let told =
            order.command.environment.iter().find_map(|pair| pair.to_str().ok()?.strip_prefix("TERM="));
        told.map(str::to_owned)
    };
    let some = Some(Terminal::default());
    assert_eq!(kind(None, some).as_deref(), Some("xterm-256color"));
    assert_eq!(kind(Some("dumb"), some).as_deref(), Some("xterm-256color"));
    assert_eq!(kind(Some("screen"), some).as_deref(), Some("screen"));
    assert_eq!(kind(Some("dumb"), None).as_deref(), Some("dumb"));
    assert_eq!(kind(None, None), None);
}

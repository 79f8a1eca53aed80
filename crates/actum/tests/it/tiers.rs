//! Fewer walls where the machine gives fewer, said truthfully; and a refusal where a policy needs more.

use crate::leftovers::Leftovers;
use crate::world::{Walls, World};

/// A root of its own making that may not make another, as inside of some containers.
const NO_NAMESPACES: &str =
    "exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"' sh \"$@\"";

#[test]
fn a_container_s_rules_leave_tier_l_and_it_says_so() {
    for world in World::each() {
        let done = world.python("print(1)").walls(Walls::Docker).go().expect(0);
        assert_eq!(done.out(), "1\n", "{done}");
        assert!(done.err().contains("tier L") && done.err().contains("without user"), "{done}");
        assert_eq!(done.told("/confinement/tier"), "L", "{done}");
        assert!(done.told("/confinement/missing").to_string().contains("namespaces"), "{done}");
        assert!(!done.told("/confinement/not_covered").as_array().unwrap().is_empty(), "{done}");
    }
}

#[test]
fn a_machine_without_user_namespaces_leaves_tier_l() {
    for world in World::each() {
        let before = Leftovers::before(&world);
        let done = world.python("print(1)").shell(NO_NAMESPACES).go().expect(0);
        assert_eq!(done.out(), "1\n", "{done}");
        assert!(done.err().contains("tier L"), "{done}");
        assert_eq!(done.told("/confinement/tier"), "L", "{done}");
        before.check(&done.marker);
    }
}

/// Init has gone into its cgroup before the namespace was made, so nothing above it is seen.
#[test]
fn a_program_s_own_cgroup_is_the_root_of_those_it_sees() {
    for world in World::each() {
        let done =
            world.python("print({line.strip().split(':')[2] for line in open('/proc/self/cgroup')})").go();
        assert_eq!(done.expect(0).out(), "{'/'}\n");
    }
}

/// A root that somebody made for themselves, in mounts that are not its own.
#[test]
fn the_root_of_a_user_namespace_can_run_programs() {
    for world in World::each() {
        for made in ["exec unshare -Ur \"$@\"", "exec unshare -Urm \"$@\""] {
            let done = world.python("open('made', 'w').write('x'); print(1)").shell(made).go().expect(0);
            assert_eq!(done.out(), "1\n", "{done}");
            std::fs::remove_file(world.workspace().join("made")).unwrap();
        }
    }
}

#[test]
fn a_policy_that_needs_namespaces_is_refused_without_them() {
    for world in World::each() {
        for walls in [Walls::L, Walls::Docker] {
            for flags in [&["--policy", "locked"][..], &["--net", "allowed.example"]] {
                let done = world.python("print(1)").walls(walls).flags(flags).go().expect(125);
                assert_eq!(done.out(), "", "{done}");
                assert!(done.err().starts_with("actum: cannot set up the sandbox"), "{done}");
                assert!(done.err().contains("\nhint: "), "{done}");
            }
        }
        let locked = world.python("print(1)").flags(&["--policy", "locked"]);
        locked.shell(NO_NAMESPACES).go().expect(125);
    }
}

#[test]
fn without_any_wall_only_the_open_policy_runs() {
    for world in World::each() {
        let done = world.python("print(1)").flags(&["--tier", "none"]).go().expect(125);
        assert_eq!(done.out(), "", "{done}");
        assert!(done.err().contains("--policy open"), "{done}");
        let open = world.python("print(1)").flags(&["--tier", "none", "--policy", "open"]);
        let done = open.go().expect(0);
        assert_eq!(done.out(), "1\n", "{done}");
        assert!(done.err().contains("no sandbox (open)"), "{done}");
        assert_eq!(done.told("/confinement/tier"), "none", "{done}");
    }
}

#[test]
fn doctor_says_the_tier_that_runs_get() {
    for world in World::each() {
        for (walls, tier) in [(Walls::N, "N"), (Walls::Docker, "L")] {
            // The words of a run end where ours begin: the shell swaps them for `doctor`.
            let run = world.run(&["true"]).walls(walls).without_report();
            let swap = match walls {
                Walls::N | Walls::L => "exec \"$1\" doctor --json",
                Walls::Docker => "exec \"$1\" \"$2\" doctor --json",
            };
            let going = run.shell(swap).start();
            let folder = format!("/var/tmp/actum-doctor-{}", going.child.id());
            let done = going.finish().expect(0);
            for left in [folder.clone(), format!("{folder}.layers")] {
                assert!(!std::path::Path::new(&left).exists(), "{left} is left: {done}");
            }
            let told: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
            assert_eq!(told["tier"], tier, "{done}");
        }
    }
}

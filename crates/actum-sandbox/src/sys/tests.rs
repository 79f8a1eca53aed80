//! Each call does what it says. What takes privileges away is tried in a copy of this process, so that the other tests
//! keep theirs. A copy is made in a child of its own with one thread: tests run in many.

use super::*;
use rustix::process::{WaitId, WaitIdOptions, waitid};
use std::os::fd::AsFd;
use std::path::Path;

/// Runs `act` in a copy of this process and gives its exit code. Only calls that need no lock are made in it.
fn in_copy(act: impl FnOnce() -> i32) -> i32 {
    // The proof is not needed for what the copies here do: they allocate nothing and take no lock.
    match copy_process(SingleThreaded(()), 0, None).unwrap() {
        Copied::Child => exit_now(act()),
        Copied::Parent { pidfd, .. } => {
            let status = waitid(WaitId::PidFd(pidfd.as_fd()), WaitIdOptions::EXITED).unwrap().unwrap();
            status.exit_status().unwrap_or(255)
        }
    }
}

fn code(result: io::Result<()>) -> i32 {
    result.map_or_else(|error| error.raw_os_error().unwrap_or(250), |()| 0)
}

#[test]
fn a_copy_ends_with_its_own_code() {
    assert_eq!(in_copy(|| 42), 42);
}

#[test]
fn a_process_with_threads_gives_no_proof() {
    let (stop, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || wait.recv());
    assert!(SingleThreaded::prove().is_err());
    drop(stop);
    let _ = thread.join();
}

#[test]
fn a_missing_program_is_not_executed() {
    let error = execute(c"/nonexistent/program", &[c"x".to_owned()], &[]);
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn execution_replaces_the_copy() {
    let arguments = [c"sh".to_owned(), c"-c".to_owned(), c"exit $CODE".to_owned()];
    let environment = [c"CODE=9".to_owned()];
    assert_eq!(in_copy(|| execute(c"/bin/sh", &arguments, &environment).raw_os_error().unwrap_or(1)), 9);
}

#[test]
fn instructions_are_laid_out_as_the_kernel_reads_them() {
    assert_eq!(size_of::<Instruction>(), size_of::<libc::sock_filter>());
    assert_eq!(align_of::<Instruction>(), align_of::<libc::sock_filter>());
    assert_eq!(std::mem::offset_of!(Instruction, k), std::mem::offset_of!(libc::sock_filter, k));
    assert_eq!(std::mem::offset_of!(Instruction, jf), std::mem::offset_of!(libc::sock_filter, jf));
}

#[test]
fn a_loaded_filter_refuses() {
    use crate::seccomp::{Rule, Then, emit};
    let program = emit(&[Rule { number: call::NAMESPACES[0], then: Then::Refuse(77) }]);
    let refused = in_copy(|| {
        if process_option(NO_NEW_PRIVILEGES, 1).and_then(|()| load_filter(&program)).is_err() {
            return 1;
        }
        code(leave_namespaces(SingleThreaded(()), NEW_UTS))
    });
    assert_eq!(refused, 77);
    // Without no_new_privs an unprivileged process may not load one; as root it may.
    let empty: [Instruction; 0] = [];
    assert_ne!(in_copy(|| code(load_filter(&empty))), 0);
}

#[test]
fn capabilities_given_up_are_gone() {
    let held = in_copy(|| {
        let gone = bound_capabilities(0).and_then(|()| hold_capabilities(0));
        // Nothing of root's is left to leave namespaces with.
        gone.map_or(1, |()| i32::from(leave_namespaces(SingleThreaded(()), NEW_UTS).is_ok()))
    });
    assert_eq!(held, 0);
}

#[test]
fn limits_only_go_down() {
    let lowered = in_copy(|| {
        let first = limit_resource(resource::DESCRIPTORS, 64);
        // A higher wish leaves the lower limit.
        let second = limit_resource(resource::DESCRIPTORS, 1 << 40);
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        i32::from(first.is_err() || second.is_err() || limit.maximum != Some(64))
    });
    assert_eq!(lowered, 0);
}

#[test]
fn descriptors_are_placed_and_closed() {
    let file = std::fs::File::open("/dev/null").unwrap();
    let open = |number: i32| {
        // SAFETY: asks for the flags of a number; open or not, nothing is touched.
        unsafe { libc::fcntl(number, libc::F_GETFD) }
    };
    let outcome = in_copy(|| {
        if place_descriptor(file.as_fd(), 2).is_err() || open(2) != 0 {
            return 1;
        }
        if close_on_execute_from(3).is_err() || open(file.as_raw_fd()) != libc::FD_CLOEXEC {
            return 2;
        }
        let _ = place_descriptor(file.as_fd(), 3);
        let three = descriptor_three();
        std::mem::forget(three);
        if close_from(3).is_err() || open(3) != -1 { 3 } else { 0 }
    });
    assert_eq!(outcome, 0);
}

#[test]
fn signals_become_readable() {
    let read = in_copy(|| {
        let Ok(signals) = stop_signals() else { return 1 };
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::TERM);
        let mut bytes = [0_u8; 128];
        i32::from(!matches!(rustix::io::read(&signals, &mut bytes), Ok(128)))
    });
    assert_eq!(read, 0);
    let child = in_copy(|| {
        ignore_children();
        i32::from(child_signals().is_err())
    });
    assert_eq!(child, 0);
}

#[test]
fn a_hang_up_that_is_ignored_stays_ignored() {
    let heard = in_copy(|| {
        ignore_signals();
        let Ok(signals) = stop_signals() else { return 1 };
        let (own, mut bytes) = (rustix::process::getpid(), [0_u8; 128]);
        let _ = rustix::process::kill_process(own, rustix::process::Signal::HUP);
        let hung_up = rustix::io::read(&signals, &mut bytes).is_ok();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::INT);
        let interrupted = rustix::io::read(&signals, &mut bytes).is_ok();
        i32::from(hung_up) * 2 + i32::from(!interrupted) * 4
    });
    assert_eq!(heard, 0);
}

#[test]
fn ignored_and_default_signals() {
    let survived = in_copy(|| {
        ignore_signals();
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::TERM);
        5
    });
    assert_eq!(survived, 5);
    let died = in_copy(|| {
        ignore_signals();
        default_signals();
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
        5
    });
    assert_eq!(died, 255, "ended by the signal, so it has no exit code");
}

#[test]
fn children_have_used_time() {
    let _ = in_copy(|| 0);
    assert!(times_of_children().largest_resident > 0);
}

#[test]
fn landlock_tells_its_version() {
    let known = landlock_abi();
    assert!(known.as_ref().is_ok_and(|abi| *abi >= 1) || known.is_err());
}

/// In a user namespace of its own: there an ordinary user may do it too.
fn in_namespaces(flags: i32, act: impl FnOnce() -> i32) -> i32 {
    in_copy(|| match leave_namespaces(SingleThreaded(()), NEW_USER | flags) {
        Ok(()) => act(),
        // This machine has none: what would be tested does not exist here.
        Err(_) => 0,
    })
}

#[test]
fn loopback_comes_up_in_a_network_of_its_own() {
    let up = in_namespaces(NEW_NET, || {
        let kind = rustix::net::SocketType::DGRAM;
        let Ok(socket) = rustix::net::socket(rustix::net::AddressFamily::INET, kind, None) else { return 1 };
        code(loopback_up(socket.as_fd()))
    });
    assert_eq!(up, 0);
}

#[test]
fn attributes_are_set_on_a_taken_tree() {
    let written = in_namespaces(NEW_MOUNT, || {
        let Ok(tree) = crate::trees::take(c"/tmp") else { return 1 };
        let attributes =
            MountAttributes { set: crate::trees::READ_ONLY, recursive: true, ..Default::default() };
        if mount_setattr(tree.as_fd(), attributes).is_err() {
            return 2;
        }
        let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
        let made = rustix::fs::openat(&tree, c"actum-never", flags, rustix::fs::Mode::from_raw_mode(0o600));
        i32::from(!matches!(made, Err(rustix::io::Errno::ROFS)))
    });
    assert_eq!(written, 0);
    assert!(!Path::new("/tmp/actum-never").exists());
}

#[test]
fn a_namespace_is_entered_by_descriptor() {
    let own = std::fs::File::open("/proc/self/ns/uts").unwrap();
    let back = in_namespaces(NEW_UTS, || {
        let Ok(new) =
            rustix::fs::open(c"/proc/self/ns/uts", rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty())
        else {
            return 1;
        };
        // Into one that is ours, and not back into one that is not.
        i32::from(
            enter_namespace(new.as_fd(), NEW_UTS).is_err() || enter_namespace(own.as_fd(), NEW_UTS).is_ok(),
        )
    });
    assert_eq!(back, 0);
}

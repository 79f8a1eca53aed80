//! Runs a command under an emulation of what Docker's default profile does to it: no namespaces, no mounts, no clone3,
//! and only the fourteen capabilities that a container gets.
//!
//! `docker-rules COMMAND [ARGUMENT…]`

use actum_sandbox::seccomp::{Rule, Test, Then, emit};
use actum_sandbox::sys::{self, call};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

const EPERM: i32 = 1;
const ENOSYS: i32 = 38;
/// Every namespace flag that the older clone can carry.
const NAMESPACE_FLAGS: u32 = 0x7e02_0000;
/// CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD,
/// AUDIT_WRITE, SETFCAP.
const CONTAINER_CAPABILITIES: u64 = 0xa804_25fb;

fn main() -> ExitCode {
    let words: Vec<CString> =
        std::env::args_os().skip(1).filter_map(|word| CString::new(word.as_bytes()).ok()).collect();
    let Some(program) = words.first().and_then(find) else { return ExitCode::from(127) };
    let refuse = |number: u32, errno: i32| Rule { number, then: Then::Refuse(errno) };
    let mut rules: Vec<Rule> =
        call::MOUNTS.iter().chain(call::NAMESPACES).map(|n| refuse(*n, EPERM)).collect();
    rules.push(refuse(call::CLONE3, ENOSYS));
    let flags = Test::Any { argument: 0, mask: NAMESPACE_FLAGS, errno: EPERM };
    rules.push(Rule { number: call::CLONE, then: Then::Unless(vec![flags]) });
    let confined = sys::bound_capabilities(CONTAINER_CAPABILITIES)
        .and_then(|()| sys::hold_capabilities(CONTAINER_CAPABILITIES))
        .and_then(|()| sys::process_option(sys::NO_NEW_PRIVILEGES, 1))
        .and_then(|()| sys::load_filter(&emit(&rules)));
    if confined.is_err() {
        return ExitCode::from(125);
    }
    let environment: Vec<CString> = std::env::vars_os()
        .filter_map(|(name, value)| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).ok())
        .collect();
    let _ = sys::execute(&program, &words, &environment);
    ExitCode::from(126)
}

fn find(name: &CString) -> Option<CString> {
    let name = std::ffi::OsStr::from_bytes(name.to_bytes());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = actum_sandbox::find_command(name, &path, std::path::Path::new("."))?;
    CString::new(found.as_os_str().as_bytes()).ok()
}

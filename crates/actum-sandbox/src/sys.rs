//! Every `unsafe` block of the house: system calls that rustix does not carry, behind safe functions.
//!
//! A function here does one call, checks its result and promises nothing more. What keeps each block sound stands
//! above it; what keeps the *callers* sound is [`SingleThreaded`]: the functions that copy the process take it as proof
//! that no other thread can hold a lock in the copy.

#![allow(unsafe_code)]

pub mod call;
#[cfg(test)]
mod tests;

use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use rustix::process::Pid;
use std::ffi::{CStr, CString};
use std::io;
use std::time::Duration;

pub const NEW_USER: i32 = libc::CLONE_NEWUSER;
pub const NEW_MOUNT: i32 = libc::CLONE_NEWNS;
pub const NEW_PID: i32 = libc::CLONE_NEWPID;
pub const NEW_NET: i32 = libc::CLONE_NEWNET;
pub const NEW_IPC: i32 = libc::CLONE_NEWIPC;
pub const NEW_UTS: i32 = libc::CLONE_NEWUTS;
pub const NEW_CGROUP: i32 = libc::CLONE_NEWCGROUP;
pub const PARENT_DEATH_SIGNAL: i32 = libc::PR_SET_PDEATHSIG;
pub const DUMPABLE: i32 = libc::PR_SET_DUMPABLE;
pub const NO_NEW_PRIVILEGES: i32 = libc::PR_SET_NO_NEW_PRIVS;
pub const CHILD_SUBREAPER: i32 = libc::PR_SET_CHILD_SUBREAPER;
pub const SIGCHLD: i32 = libc::SIGCHLD;
pub const SIGKILL: i32 = libc::SIGKILL;
pub const SIGXFSZ: i32 = libc::SIGXFSZ;
pub const SIGXCPU: i32 = libc::SIGXCPU;

/// Spelled out: the C library's constant is too narrow for its value.
const CLONE_INTO_CGROUP: u64 = 1 << 33;

/// Resources by number, for [`limit_resource`].
pub mod resource {
    pub const CPU: u32 = libc::RLIMIT_CPU;
    pub const FILE_SIZE: u32 = libc::RLIMIT_FSIZE;
    pub const DATA: u32 = libc::RLIMIT_DATA;
    pub const CORE: u32 = libc::RLIMIT_CORE;
    pub const DESCRIPTORS: u32 = libc::RLIMIT_NOFILE;
    pub const PROCESSES: u32 = libc::RLIMIT_NPROC;
    pub const LOCKED: u32 = libc::RLIMIT_MEMLOCK;
    pub const PENDING_SIGNALS: u32 = libc::RLIMIT_SIGPENDING;
    pub const MESSAGE_QUEUES: u32 = libc::RLIMIT_MSGQUEUE;
    pub const REAL_TIME: u32 = libc::RLIMIT_RTPRIO;
}

/// Proof that this process had one thread when it was made. Only a process that starts no thread afterwards may keep
/// it: the warden and the processes that it casts.
#[derive(Debug, Clone, Copy)]
pub struct SingleThreaded(());

impl SingleThreaded {
    /// Counts the threads of this process; refuses when there is more than one.
    pub fn prove() -> io::Result<Self> {
        let threads = std::fs::read_dir("/proc/self/task").map(|tasks| tasks.count());
        match threads {
            Ok(1) => Ok(Self(())),
            Ok(_) => Err(io::Error::other("the process already has several threads")),
            Err(error) => Err(error),
        }
    }
}

/// Which side of a copied process this is.
#[derive(Debug)]
pub enum Copied {
    Parent { pid: i32, pidfd: OwnedFd },
    Child,
}

/// Copies this process with `flags` (namespaces), straight into `cgroup` when one is given, and with a pidfd.
///
/// Falls back to the older call where clone3 answers ENOSYS (Docker's default rules); then a cgroup is an error.
pub fn copy_process(_: SingleThreaded, flags: u64, cgroup: Option<BorrowedFd<'_>>) -> io::Result<Copied> {
    let mut pidfd: RawFd = -1;
    // SAFETY: clone_args is plain integers, for which zero is a valid value.
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    args.flags = flags | libc::CLONE_PIDFD as u64;
    args.pidfd = &raw mut pidfd as u64;
    args.exit_signal = libc::SIGCHLD as u64;
    if let Some(cgroup) = cgroup {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = cgroup.as_raw_fd() as u64;
    }
    // SAFETY: without CLONE_VM and with no stack given this is a fork: the child has its own copy of everything.
    // `SingleThreaded` proves that no lock can be held by a thread that does not exist in the copy.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size_of::<libc::clone_args>()) };
    let pid = match check(pid) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) && cgroup.is_none() => {
            let word = flags as libc::c_long | (libc::CLONE_PIDFD | libc::SIGCHLD) as libc::c_long;
            // SAFETY: as above; the older call takes the same flags and stores the pidfd through its third argument.
            check(unsafe { libc::syscall(libc::SYS_clone, word, 0_usize, &raw mut pidfd, 0_usize, 0_usize) })?
        }
        other => other?,
    };
    if pid == 0 {
        return Ok(Copied::Child);
    }
    // SAFETY: the kernel has just stored a fresh descriptor here, and nobody else knows its number.
    Ok(Copied::Parent { pid: pid as i32, pidfd: unsafe { OwnedFd::from_raw_fd(pidfd) } })
}

/// Replaces this process. Returns only when that failed.
pub fn execute(program: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |list: &[CString]| -> Vec<*const libc::c_char> {
        list.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: both arrays end in a null pointer and their strings live until the call returns or the process is gone.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Attributes of a mount to set or clear.
#[derive(Debug, Default, Clone, Copy)]
pub struct MountAttributes<'a> {
    pub set: u64,
    pub clear: u64,
    pub propagation: u64,
    /// The user namespace whose mapping the mount takes on.
    pub mapping: Option<BorrowedFd<'a>>,
    pub recursive: bool,
}

/// Changes the attributes of the mount that `tree` stands on.
pub fn mount_setattr(tree: BorrowedFd<'_>, attributes: MountAttributes<'_>) -> io::Result<()> {
    let mut raw = libc::mount_attr {
        attr_set: attributes.set,
        attr_clr: attributes.clear,
        propagation: attributes.propagation,
        userns_fd: 0,
    };
    if let Some(mapping) = attributes.mapping {
        raw.attr_set |= libc::MOUNT_ATTR_IDMAP;
        raw.userns_fd = mapping.as_raw_fd() as u64;
    }
    let flags = libc::AT_EMPTY_PATH | if attributes.recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a valid empty C string and `raw` lives through the call with the size that is passed.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw mut raw,
            size_of::<libc::mount_attr>(),
        )
    };
    check(result).map(drop)
}

/// The Landlock version of this kernel, or why there is none.
pub fn landlock_abi() -> io::Result<u32> {
    const CREATE_RULESET_VERSION: u32 = 1;
    // SAFETY: with the version flag the kernel reads no memory: pointer and size must be zero.
    let result = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    check(result).map(|abi| abi as u32)
}

/// One instruction of a filter, as the kernel reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Instruction {
    pub code: u16,
    pub jt: u8,
    pub jf: u8,
    pub k: u32,
}

/// Loads a filter for this thread and all that it starts. Needs `no_new_privs` (or the privilege) beforehand.
pub fn load_filter(program: &[Instruction]) -> io::Result<()> {
    let header =
        libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr() as *mut libc::sock_filter };
    // SAFETY: `Instruction` has the layout of sock_filter (checked by a test), the kernel copies `len` of them and
    // writes nothing back.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0_u32, &raw const header) };
    check(result).map(drop)
}

/// Processor time and the largest resident size, of a process and what it waited for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    pub user: Duration,
    pub system: Duration,
    pub largest_resident: u64,
}

/// What the children that this process has waited for used, with their own children.
pub fn times_of_children() -> Times {
    // SAFETY: rusage is plain integers; zero is valid, and the call overwrites it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage; the only error is a wrong first argument.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let time = |value: libc::timeval| {
        Duration::from_secs(value.tv_sec as u64) + Duration::from_micros(value.tv_usec as u64)
    };
    Times {
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        largest_resident: usage.ru_maxrss as u64 * 1024,
    }
}

/// Closes every descriptor from `first` up.
pub fn close_from(first: u32) -> io::Result<()> {
    // SAFETY: the caller is about to execute or owns nothing above `first` that it still uses; closing a descriptor
    // number touches no memory. Only the child side of a copy calls this, after its last use of them.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0_u32) }).map(drop)
}

/// Closes every descriptor from 3 up but one.
pub fn close_all_but(kept: BorrowedFd<'_>) -> io::Result<()> {
    let kept = kept.as_raw_fd() as u32;
    for (first, last) in [(3, kept.saturating_sub(1)), (kept + 1, u32::MAX)] {
        if first <= last {
            // SAFETY: as `close_from`: only the child side of a copy calls this, and uses nothing further but `kept`.
            check(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0_u32) })?;
        }
    }
    Ok(())
}

/// Marks every descriptor from `first` up to be closed by the next execution.
pub fn close_on_execute_from(first: u32) -> io::Result<()> {
    // SAFETY: sets a flag on descriptor numbers; touches no memory and closes nothing yet.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) })
        .map(drop)
}

/// Puts `descriptor` at the number `target` (0, 1 or 2), without the close-on-exec flag.
pub fn place_descriptor(descriptor: BorrowedFd<'_>, target: i32) -> io::Result<()> {
    if descriptor.as_raw_fd() == target {
        // SAFETY: clears the flags of a descriptor that is open for the length of the borrow.
        return check(unsafe { libc::fcntl(target, libc::F_SETFD, 0) }.into()).map(drop);
    }
    // SAFETY: the source is open for the length of the borrow; the target is a standard stream, which no owned value
    // of ours stands for.
    check(unsafe { libc::dup2(descriptor.as_raw_fd(), target) }.into()).map(drop)
}

/// The descriptor 3, which init has just put its socket on. Called once in the life of a process.
pub fn descriptor_three() -> OwnedFd {
    // SAFETY: init placed its socket here and closed everything above; no other value owns this number.
    unsafe { OwnedFd::from_raw_fd(3) }
}

/// Lets the kernel reap children by itself: for a process that learns of their end by pidfd.
pub fn ignore_children() {
    // SAFETY: SIG_IGN runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// A descriptor that becomes readable when a child ended. Undoes [`ignore_children`], which a copy of the warden has
/// inherited.
pub fn child_signals() -> io::Result<OwnedFd> {
    // SAFETY: SIG_DFL runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    signals_as_descriptor(&[libc::SIGCHLD])
}

/// A descriptor that becomes readable when this process is asked to stop: interrupt, terminate, hang up, quit. One read
/// takes one signal. A hang-up that whoever started us had ignored (`nohup`) stays ignored: a signal that is blocked is
/// never ignored, so it must not be blocked.
pub fn stop_signals() -> io::Result<OwnedFd> {
    let stops = [libc::SIGINT, libc::SIGTERM, libc::SIGQUIT, libc::SIGHUP];
    let heard = if is_ignored(libc::SIGHUP) { &stops[..3] } else { &stops[..] };
    signals_as_descriptor(heard)
}

/// Whether this process ignores a signal.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: sigaction is plain data for which zero is valid.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: nothing is set; the kernel's answer is written to a live local.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    asked == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// The session of a process. 0 is one whose leader has no number here, as in a container that was entered from outside.
pub fn session_of(pid: Pid) -> io::Result<i32> {
    // SAFETY: the call takes a number and gives one.
    check(unsafe { libc::getsid(pid.as_raw_nonzero().get()) }.into()).map(|session| session as i32)
}

/// The process group of a process; nothing for one whose leader has no number here.
pub fn group_of(pid: Pid) -> io::Result<Option<Pid>> {
    // SAFETY: the call takes a number and gives one.
    check(unsafe { libc::getpgid(pid.as_raw_nonzero().get()) }.into())
        .map(|group| Pid::from_raw(group as i32))
}

/// Whether a signal waits that asks this process to stop, which it blocks and has not read yet.
pub fn is_asked_to_end() -> bool {
    let mut waiting = signal_set(&[]);
    // SAFETY: the set is ours and initialised; the kernel writes to it.
    let failed = unsafe { libc::sigpending(&raw mut waiting) };
    let stops = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
    // SAFETY: the set is initialised, and the numbers are signals.
    failed == 0 && stops.iter().any(|signal| unsafe { libc::sigismember(&raw const waiting, *signal) } == 1)
}

/// A descriptor that becomes readable when the window of this process's terminal has another size.
pub fn window_signals() -> io::Result<OwnedFd> {
    signals_as_descriptor(&[libc::SIGWINCH])
}

/// Blocks the signals for this thread and makes them readable instead.
fn signals_as_descriptor(signals: &[i32]) -> io::Result<OwnedFd> {
    let set = signal_set(signals);
    // SAFETY: the set is initialised; the old mask is not asked for.
    check(unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) }.into())?;
    // SAFETY: -1 asks for a new descriptor; the set is initialised.
    let descriptor =
        check(unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) }.into())?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) })
}

/// Does something while no signal is delivered to this thread: a thread that is started by it hears none at all.
pub fn hold_signals_back<T>(act: impl FnOnce() -> T) -> T {
    let mut before = signal_set(&[]);
    let mut all = signal_set(&[]);
    // SAFETY: fills a set that is ours.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: both sets are initialised, and the old mask is written into the second one.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before) };
    let done = act();
    // SAFETY: the set is the mask that was in force before.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    done
}

/// Gives every signal its default action and blocks none: what a program expects to be started with.
pub fn default_signals() {
    for signal in 1..=64 {
        // SAFETY: SIG_DFL runs no code of ours; numbers that may not be changed answer EINVAL, which is what we want.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    let set = signal_set(&[]);
    // SAFETY: the set is initialised; the old mask is not asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut()) };
}

/// Ignores every signal that can be ignored, so that nothing but SIGKILL and a bug ends this process.
pub fn ignore_signals() {
    for signal in [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGPIPE,
        libc::SIGTSTP,
        libc::SIGTTOU,
        libc::SIGTTIN,
    ] {
        // SAFETY: SIG_IGN runs no code of ours.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

fn signal_set(signals: &[i32]) -> libc::sigset_t {
    // SAFETY: sigset_t is plain integers; sigemptyset then makes it a valid empty set.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a live local.
    unsafe { libc::sigemptyset(&raw mut set) };
    for signal in signals {
        // SAFETY: the set was initialised just above.
        unsafe { libc::sigaddset(&raw mut set, *signal) };
    }
    set
}

/// Switches the loopback interface of this network namespace on.
pub fn loopback_up(socket: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: ifreq is plain data for which zero is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (slot, byte) in request.ifr_name.iter_mut().zip(b"lo\0") {
        *slot = *byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
    // SAFETY: the request is a live, initialised ifreq, which is what this number takes.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw mut request) }.into()).map(drop)
}

/// Enters namespaces that a descriptor stands for.
pub fn enter_namespace(namespace: BorrowedFd<'_>, kind: i32) -> io::Result<()> {
    // SAFETY: changes what this thread sees, touches no memory.
    check(unsafe { libc::setns(namespace.as_raw_fd(), kind) }.into()).map(drop)
}

/// Leaves namespaces for new ones.
pub fn leave_namespaces(_: SingleThreaded, flags: i32) -> io::Result<()> {
    // SAFETY: changes what this process sees, touches no memory; no other thread shares our view.
    check(unsafe { libc::unshare(flags) }.into()).map(drop)
}

/// Takes every capability but those of `kept` (one bit each) out of the bounding set, and empties the ambient set: what
/// is not in them can never be gained again, though it is still held.
pub fn bound_capabilities(kept: u64) -> io::Result<()> {
    for capability in (0..64_u64).filter(|capability| kept & (1 << capability) == 0) {
        // SAFETY: takes integers only. EINVAL is the end of the capabilities that this kernel knows.
        let result = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
        match check(result.into()) {
            Ok(_) => {}
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => break,
            // Without CAP_SETPCAP there is nothing to drop from and no_new_privs keeps it so.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => break,
            Err(error) => return Err(error),
        }
    }
    // SAFETY: takes integers only.
    check(unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as u64, 0, 0, 0) }.into())
        .map(drop)
}

/// Gives up every held capability but those of `kept`.
pub fn hold_capabilities(kept: u64) -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header = [VERSION_3, 0];
    let mut sets = [0_u32; 6];
    // SAFETY: header and sets have the layout of version 3: two words, then two times three words, all live.
    check(unsafe { libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) })?;
    let (low, high) = (kept as u32, (kept >> 32) as u32);
    let kept_words = [low, low, low, high, high, high];
    sets.iter_mut().zip(kept_words).for_each(|(word, kept)| *word &= kept);
    // SAFETY: as above; the kernel only reads.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) }).map(drop)
}

/// Sets what a process may be asked about itself and what happens to it: one `prctl` with an integer argument.
pub fn process_option(option: i32, value: u64) -> io::Result<()> {
    // SAFETY: only options with integer arguments are named by the callers in this crate; none of them takes a pointer.
    check(unsafe { libc::prctl(option, value, 0, 0, 0) }.into()).map(drop)
}

/// Lowers a resource limit, hard and soft alike. A limit that is already lower stays as it is.
pub fn limit_resource(resource: u32, value: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is a live local of the type that the kernel fills in.
    check(unsafe { libc::getrlimit(resource as _, &raw mut limit) }.into())?;
    let value = value.min(limit.rlim_max);
    limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the limit is a live local that the kernel only reads.
    check(unsafe { libc::setrlimit(resource as _, &raw const limit) }.into()).map(drop)
}

/// Ends this process at once: no destructors, no buffers.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: does not return and touches no memory of ours.
    unsafe { libc::_exit(code) }
}

fn check(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

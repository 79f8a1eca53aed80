//! System call numbers by name, grouped by what they are for.
//!
//! Numbers above 424 are the same on every architecture; the older ones come from the C library's table.

const fn n(number: libc::c_long) -> u32 {
    number as u32
}

pub const CLONE: u32 = n(libc::SYS_clone);
pub const CLONE3: u32 = n(libc::SYS_clone3);
pub const IOCTL: u32 = n(libc::SYS_ioctl);
pub const FCHMOD: u32 = n(libc::SYS_fchmod);
pub const FCHMODAT: u32 = n(libc::SYS_fchmodat);
pub const FCHMODAT2: u32 = 452;
pub const MKNODAT: u32 = n(libc::SYS_mknodat);
pub const OPENAT: u32 = n(libc::SYS_openat);
pub const OPENAT2: u32 = n(libc::SYS_openat2);
pub const PERSONALITY: u32 = n(libc::SYS_personality);
pub const PRLIMIT64: u32 = n(libc::SYS_prlimit64);
pub const SCHED_SETSCHEDULER: u32 = n(libc::SYS_sched_setscheduler);
pub const SCHED_SETPARAM: u32 = n(libc::SYS_sched_setparam);
pub const SCHED_SETATTR: u32 = n(libc::SYS_sched_setattr);
pub const SETPRIORITY: u32 = n(libc::SYS_setpriority);
pub const SOCKET: u32 = n(libc::SYS_socket);
pub const PRCTL: u32 = n(libc::SYS_prctl);
pub const SCHED_SETAFFINITY: u32 = n(libc::SYS_sched_setaffinity);
pub const IOPRIO_SET: u32 = n(libc::SYS_ioprio_set);
pub const SETSOCKOPT: u32 = n(libc::SYS_setsockopt);
pub const SOCKETPAIR: u32 = n(libc::SYS_socketpair);
pub const FCNTL: u32 = n(libc::SYS_fcntl);
pub const VMSPLICE: u32 = n(libc::SYS_vmsplice);
/// Calls that put pages of a file into a pipe.
pub const SPLICES: [u32; 3] = [n(libc::SYS_splice), n(libc::SYS_tee), n(libc::SYS_sendfile)];
pub const REMAP_FILE_PAGES: u32 = n(libc::SYS_remap_file_pages);
pub const FALLOCATE: u32 = n(libc::SYS_fallocate);
pub const IO_SETUP: u32 = n(libc::SYS_io_setup);
pub const MEMFD_CREATE: u32 = n(libc::SYS_memfd_create);

/// Calls that younger architectures never had.
#[cfg(target_arch = "x86_64")]
mod older {
    use super::n;
    pub const CHMOD: [u32; 1] = [n(libc::SYS_chmod)];
    pub const CREAT: [u32; 1] = [n(libc::SYS_creat)];
    pub const MKNOD: [u32; 1] = [n(libc::SYS_mknod)];
    pub const OPEN: [u32; 1] = [n(libc::SYS_open)];
    pub const OLD: &[u32] = &[
        n(libc::SYS_uselib),
        n(libc::SYS_ustat),
        n(libc::SYS_sysfs),
        n(libc::SYS__sysctl),
        n(libc::SYS_modify_ldt),
        n(libc::SYS_iopl),
        n(libc::SYS_ioperm),
        174, // create_module
        177, // get_kernel_syms
        178, // query_module
        n(libc::SYS_nfsservctl),
        n(libc::SYS_vserver),
        n(libc::SYS_lookup_dcookie),
    ];
}
#[cfg(not(target_arch = "x86_64"))]
mod older {
    pub const CHMOD: [u32; 0] = [];
    pub const CREAT: [u32; 0] = [];
    pub const MKNOD: [u32; 0] = [];
    pub const OPEN: [u32; 0] = [];
    pub const OLD: &[u32] = &[];
}
pub use older::{CHMOD, CREAT, MKNOD, OLD, OPEN};

pub const MOUNTS: &[u32] = &[
    n(libc::SYS_mount),
    n(libc::SYS_umount2),
    n(libc::SYS_pivot_root),
    n(libc::SYS_chroot),
    n(libc::SYS_open_tree),
    n(libc::SYS_move_mount),
    n(libc::SYS_fsopen),
    n(libc::SYS_fsconfig),
    n(libc::SYS_fsmount),
    n(libc::SYS_fspick),
    n(libc::SYS_mount_setattr),
    457, // statmount
    458, // listmount
    467, // open_tree_attr
    n(libc::SYS_quotactl),
    443, // quotactl_fd
];

pub const NAMESPACES: &[u32] =
    &[n(libc::SYS_unshare), n(libc::SYS_setns), n(libc::SYS_sethostname), n(libc::SYS_setdomainname)];

pub const OTHER_PROCESSES: &[u32] = &[
    n(libc::SYS_ptrace),
    n(libc::SYS_process_vm_readv),
    n(libc::SYS_process_vm_writev),
    n(libc::SYS_process_madvise),
    n(libc::SYS_process_mrelease),
    n(libc::SYS_pidfd_getfd),
    n(libc::SYS_kcmp),
    n(libc::SYS_move_pages),
    n(libc::SYS_migrate_pages),
];

pub const KERNEL_PROGRAMS: &[u32] = &[
    n(libc::SYS_bpf),
    n(libc::SYS_perf_event_open),
    n(libc::SYS_userfaultfd),
    n(libc::SYS_io_uring_setup),
    n(libc::SYS_io_uring_enter),
    n(libc::SYS_io_uring_register),
    n(libc::SYS_fanotify_init),
    n(libc::SYS_memfd_secret),
    460, // lsm_set_self_attr
];

pub const KEYRINGS: &[u32] = &[n(libc::SYS_add_key), n(libc::SYS_request_key), n(libc::SYS_keyctl)];

pub const MACHINE: &[u32] = &[
    n(libc::SYS_init_module),
    n(libc::SYS_finit_module),
    n(libc::SYS_delete_module),
    n(libc::SYS_kexec_load),
    n(libc::SYS_kexec_file_load),
    n(libc::SYS_reboot),
    n(libc::SYS_swapon),
    n(libc::SYS_swapoff),
    n(libc::SYS_acct),
    n(libc::SYS_syslog),
    n(libc::SYS_vhangup),
    n(libc::SYS_settimeofday),
    n(libc::SYS_clock_settime),
    n(libc::SYS_adjtimex),
    n(libc::SYS_clock_adjtime),
];

pub const FILE_HANDLES: &[u32] = &[n(libc::SYS_open_by_handle_at), n(libc::SYS_name_to_handle_at)];

/// The last two are younger than the tables.
pub const ATTRIBUTES: &[u32] = &[
    n(libc::SYS_setxattr),
    n(libc::SYS_lsetxattr),
    n(libc::SYS_fsetxattr),
    n(libc::SYS_removexattr),
    n(libc::SYS_lremovexattr),
    n(libc::SYS_fremovexattr),
    463, // setxattrat
    466, // removexattrat
];

pub const SYSTEM_V_AND_QUEUES: &[u32] = &[
    n(libc::SYS_shmget),
    n(libc::SYS_shmat),
    n(libc::SYS_shmctl),
    n(libc::SYS_shmdt),
    n(libc::SYS_semget),
    n(libc::SYS_semop),
    n(libc::SYS_semctl),
    n(libc::SYS_semtimedop),
    n(libc::SYS_msgget),
    n(libc::SYS_msgsnd),
    n(libc::SYS_msgrcv),
    n(libc::SYS_msgctl),
    n(libc::SYS_mq_open),
    n(libc::SYS_mq_unlink),
    n(libc::SYS_mq_timedsend),
    n(libc::SYS_mq_timedreceive),
    n(libc::SYS_mq_notify),
    n(libc::SYS_mq_getsetattr),
];

//! The root that sandboxes start from, described. The warden builds it: see `warden/template.rs`.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Parts of the system that are seen whole, read-only.
pub const SYSTEM_FOLDERS: &[&str] =
    &["/usr", "/opt", "/nix/store", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// Folders of `/etc` without which runtimes do not work. None of them holds secrets on a sane machine.
pub const ETC_FOLDERS: &[&str] = &[
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates",
    "/etc/ld.so.conf.d",
    "/etc/fonts",
    "/etc/R",
    "/etc/perl",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/php",
    "/etc/terminfo",
    "/etc/ImageMagick-6",
    "/etc/OpenCL",
    "/etc/vulkan",
    "/etc/ghc",
];

/// Files of `/etc` that are copied into the root, because each is small and a mount costs more.
pub const ETC_FILES: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/os-release",
    "/etc/debian_version",
    "/etc/protocols",
    "/etc/services",
    "/etc/mime.types",
    "/etc/locale.alias",
    "/etc/inputrc",
    "/etc/magic",
    "/etc/ssl/openssl.cnf",
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/papersize",
    "/etc/environment.d/none",
];

/// A file above this is not one of those that were meant.
pub(crate) const LARGEST_COPY: u64 = 1 << 20;

/// Device nodes that anybody may have. `/dev/tty` is whatever terminal the opener's own session has, and a program's session has ours or none.
pub(crate) const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What hardware looks like to libraries that plan threads: no names, no serial numbers, no writing.
pub(crate) const HARDWARE: &str = "/sys/devices/system";

const PASSWD: &str = "root:x:0:0:root:/:/usr/sbin/nologin\nactum:x:1000:1000:actum:/tmp/home:/bin/sh\n\
                      nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n";
const GROUP: &str = "root:x:0:\nactum:x:1000:\nnogroup:x:65534:\n";
const HOSTS: &str = "127.0.0.1 localhost actum\n::1 localhost\n";
/// Names are answered on our own loopback or not at all.
const RESOLV: &str = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n";

/// Small files with contents of our own.
pub(crate) const OWN_FILES: &[(&str, &str)] = &[
    ("/etc/passwd", PASSWD),
    ("/etc/group", GROUP),
    ("/etc/hosts", HOSTS),
    ("/etc/resolv.conf", RESOLV),
    ("/etc/nsswitch.conf", NSSWITCH),
];

/// Folders that are there on every machine, to mount on.
pub(crate) const FOLDERS: &[&str] =
    &["/tmp", "/dev/shm", "/dev/pts", "/run", "/var/lib", "/var/cache", "/etc", "/proc", "/sys"];

/// Symbolic links: where, and to what.
pub(crate) const LINKS: &[(&str, &str)] = &[
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
    ("/dev/ptmx", "pts/ptmx"),
    ("/var/tmp", "/tmp"),
    ("/var/run", "/run"),
    ("/etc/mtab", "/proc/self/mounts"),
    ("/var/lock", "/tmp"),
];

/// Whether a sandbox's own folder for temporary files lies over this path: what is to be seen there is put on top of it.
pub(crate) fn is_covered(path: &Path) -> bool {
    ["/tmp", "/var/tmp", "/var/lock", "/dev/shm"].iter().any(|folder| path.starts_with(folder))
}

/// A path of this machine as the kernel takes it. Paths that come from the kernel hold no NUL.
pub(crate) fn c_path(path: &Path) -> CString {
    let bytes: Vec<u8> = path.as_os_str().as_bytes().iter().copied().filter(|byte| *byte != 0).collect();
    CString::new(bytes).expect("NUL bytes were removed")
}

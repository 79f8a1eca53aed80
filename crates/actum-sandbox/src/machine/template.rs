//! The root that sandboxes start from, described.

use super::Runtimes;
use crate::order::{Access, Place, Template};
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
const LARGEST_COPY: u64 = 1 << 20;

/// `/dev/tty` is whatever terminal the opener's own session has, and a program's session has ours or none.
pub const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What hardware looks like to libraries that plan threads: no names, no serial numbers, no writing.
const HARDWARE: &str = "/sys/devices/system";

const PASSWD: &str = "root:x:0:0:root:/:/usr/sbin/nologin\nactum:x:1000:1000:actum:/tmp/home:/bin/sh\n\
                      nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n";
const GROUP: &str = "root:x:0:\nactum:x:1000:\nnogroup:x:65534:\n";
const HOSTS: &str = "127.0.0.1 localhost actum\n::1 localhost\n";
/// Names are answered on our own loopback or not at all.
const RESOLV: &str = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n";

/// Describes the root for this machine.
pub(super) fn describe(runtimes: &Runtimes) -> Template {
    let mut template = Template::default();
    for folder in SYSTEM_FOLDERS {
        system_folder(&mut template, Path::new(folder));
    }
    let more = ETC_FOLDERS.iter().map(Path::new).chain([Path::new(HARDWARE)]);
    let runtimes = runtimes.folders.iter().map(|folder| folder.as_path()).filter(|path| !is_covered(path));
    for folder in more.chain(runtimes).filter(|folder| folder.is_dir()) {
        template.places.push(read(folder));
    }
    for file in ETC_FILES.iter().map(Path::new) {
        let small = std::fs::metadata(file)
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST_COPY);
        if small && let Ok(contents) = std::fs::read(file) {
            template.files.push((c_path(file), contents));
        }
    }
    let own = [
        ("passwd", PASSWD),
        ("group", GROUP),
        ("hosts", HOSTS),
        ("resolv.conf", RESOLV),
        ("nsswitch.conf", NSSWITCH),
    ];
    template.files.extend(
        own.map(|(name, text)| (c_path(Path::new("/etc").join(name).as_path()), text.as_bytes().to_vec())),
    );
    template.folders = top_folders();
    template.devices = DEVICES.iter().map(Path::new).filter(|device| device.exists()).map(c_path).collect();
    template.links.extend(links());
    template
}

/// Whether a sandbox's own folder for temporary files lies over this path: what is to be seen there is put on top of it.
pub(crate) fn is_covered(path: &Path) -> bool {
    ["/tmp", "/var/tmp", "/var/lock", "/dev/shm"].iter().any(|folder| path.starts_with(folder))
}

fn system_folder(template: &mut Template, folder: &Path) {
    match std::fs::read_link(folder) {
        Ok(target) => template.links.push((c_path(folder), c_path(&target))),
        Err(_) if folder.is_dir() => template.places.push(read(folder)),
        Err(_) => {}
    }
}

/// Every name at the top of the machine's tree, so that a workspace anywhere finds a folder to be mounted below.
fn top_folders() -> Vec<CString> {
    let mut folders: Vec<CString> =
        ["/tmp", "/dev/shm", "/dev/pts", "/run", "/var/lib", "/var/cache", "/etc", "/proc", "/sys"]
            .iter()
            .map(|folder| c_path(Path::new(folder)))
            .collect();
    for entry in std::fs::read_dir("/").into_iter().flatten().flatten() {
        let named = c_path(&entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !folders.contains(&named) {
            folders.push(named);
        }
    }
    folders
}

fn links() -> [(CString, CString); 9] {
    [
        (c"/dev/fd", c"/proc/self/fd"),
        (c"/dev/stdin", c"/proc/self/fd/0"),
        (c"/dev/stdout", c"/proc/self/fd/1"),
        (c"/dev/stderr", c"/proc/self/fd/2"),
        (c"/dev/ptmx", c"pts/ptmx"),
        (c"/var/tmp", c"/tmp"),
        (c"/var/run", c"/run"),
        (c"/etc/mtab", c"/proc/self/mounts"),
        (c"/var/lock", c"/tmp"),
    ]
    .map(|(link, target)| (link.to_owned(), target.to_owned()))
}

fn read(folder: &Path) -> Place {
    Place { source: c_path(folder), target: c_path(folder), access: Access::Read, owner: None }
}

/// A path of this machine as the kernel takes it. Paths that come from the kernel hold no NUL.
pub(crate) fn c_path(path: &Path) -> CString {
    let bytes: Vec<u8> = path.as_os_str().as_bytes().iter().copied().filter(|byte| *byte != 0).collect();
    CString::new(bytes).expect("NUL bytes were taken out")
}

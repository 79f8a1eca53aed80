//! The peer that starting is compared with.

/// The settings that it is measured with: every namespace that it can make, and a view of the machine.
pub const BUBBLEWRAP: &[&str] = &[
    "--unshare-all",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--die-with-parent",
    "--new-session",
];

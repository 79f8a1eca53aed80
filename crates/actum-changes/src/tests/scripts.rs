//! Random but repeatable sequences of what programs do to files.

use super::trees::{mode, write};
use std::os::unix::fs::symlink;
use std::path::Path;

/// A tree for them to work on.
pub(super) fn plant(root: &Path) {
    for path in ["a/b/c", "a/b/d", "a/e", "b/a/a", "b/c", "c", "d", "e/.git/config", "e/c/.vscode/d"] {
        write(root.join(path), path);
    }
    symlink("a/b", root.join("l")).unwrap();
    symlink("./c", root.join("b/l")).unwrap();
    mode(&root.join("d"), 0o755);
    mode(&root.join("b/a"), 0o711);
}

/// A sequence of file operations; some of them fail, as those of programs do.
pub(super) fn script(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let lines: Vec<String> = (0..4 + random.below(20)).map(|_| operation(&mut random)).collect();
    lines.join("\n")
}

fn operation(random: &mut Random) -> String {
    let (one, other) = (path(random), path(random));
    let mode = ["644", "600", "755", "000", "511", "700"][random.below(6)];
    match random.below(14) {
        0 => format!("echo {} > {one}", random.below(5)),
        1 => format!("echo more >> {one}"),
        2 => format!("rm -f {one}"),
        3 => format!("mkdir -p {one}"),
        4 => format!("rmdir {one}"),
        5 | 6 => format!("mv -T {one} {other}"),
        7 => format!("rm -rf {one}"),
        8 => format!("ln -sfT {} {one}", ["a", "b/c", "./d"][random.below(3)]),
        9 => format!("chmod {mode} {one}"),
        10 => format!("rm -rf {one}; echo was a folder > {one}"),
        11 => format!("rm -rf {one}; mkdir -p {one}/b; echo new > {one}/b/a"),
        12 => format!("touch {one}"),
        _ => format!("ln -f {one} {other}"),
    }
}

/// Few names and little depth, so that operations meet.
fn path(random: &mut Random) -> String {
    let names: Vec<&str> = (0..1 + random.below(3))
        .map(|_| ["a", "b", "c", "d", "e", "l", ".vscode"][random.below(7)])
        .collect();
    names.join("/")
}

/// xorshift64*: the same sequences on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

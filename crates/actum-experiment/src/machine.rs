//! What the machine is, as far as results depend on it: processor, kernel, C library, memory, graphics cards.

use crate::manifest::{GpuFacts, MachineFacts};
use actum_gate::Bound;
use actum_model::Bytes;
use std::path::Path;

/// Instruction sets by which numeric libraries choose their code.
const FEATURES: [&str; 12] = [
    "sse4_1",
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "avx512f",
    "avx512vl",
    "avx512_vnni",
    "amx_tile",
    "asimd",
    "sve",
    "sve2",
];
const LARGEST: Bound = Bound(4 << 20);

/// Looks at the machine. `disk` is a folder on the disk that results go to.
pub fn look(disk: &Path, threads: u32, granted: &[u32]) -> MachineFacts {
    let name = rustix::system::uname();
    let info = read("/proc/cpuinfo");
    let free = rustix::fs::statvfs(disk).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    MachineFacts {
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        kernel: name.release().to_string_lossy().into_owned(),
        c_library: c_library(),
        cpu: field(&info, &["model name", "Processor", "cpu model"]).unwrap_or_else(|| "unknown".to_owned()),
        cpu_features: features(&info),
        cpus: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
        threads,
        memory: memory(&read("/proc/meminfo")),
        disk_free: Bytes(free),
        gpus: gpus(granted),
    }
}

fn gpus(granted: &[u32]) -> Vec<GpuFacts> {
    let facts = |card: actum_run::Card| GpuFacts {
        granted: granted.contains(&card.index),
        index: card.index,
        name: card.name,
        driver: card.driver,
        memory: card.memory,
        memory_free: card.memory_free,
    };
    actum_run::cards().into_iter().map(facts).collect()
}

fn read(path: &str) -> String {
    let bytes = actum_gate::read_named(Path::new(path), LARGEST).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The value of the first of these keys.
fn field(info: &str, keys: &[&str]) -> Option<String> {
    let mut lines = info.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| keys.contains(&key.trim())).map(|(_, value)| value.trim().to_owned())
}

fn features(info: &str) -> Vec<String> {
    let flags = field(info, &["flags", "Features"]).unwrap_or_default();
    let flags: Vec<&str> = flags.split_whitespace().collect();
    FEATURES.iter().filter(|name| flags.contains(*name)).map(|name| (*name).to_owned()).collect()
}

fn memory(info: &str) -> Bytes {
    let kib = field(info, &["MemTotal"]).and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Bytes(kib.unwrap_or(0) * 1024)
}

/// `glibc 2.36`, as the library's own file says.
fn c_library() -> Option<String> {
    const MARK: &str = "GNU C Library";
    let maps = read("/proc/self/maps");
    let path = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(|path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.starts_with("libc.so") || name.starts_with("libc-")
    })?;
    let bytes = actum_gate::read_named(Path::new(path), Bound(16 << 20)).ok()?;
    let at = bytes.windows(MARK.len()).position(|part| part == MARK.as_bytes())?;
    let line: Vec<u8> = bytes[at..].iter().copied().take(200).take_while(|byte| *byte != b'\n').collect();
    let text = String::from_utf8_lossy(&line).into_owned();
    let version = text.rsplit("version ").next()?.trim_end_matches('.').to_owned();
    Some(format!("glibc {version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_from_both_kinds_of_processor() {
        let intel = "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nflags\t\t: fpu sse4_2 avx avx2 xyz\n";
        assert_eq!(field(intel, &["model name"]).unwrap(), "Some CPU @ 2.00GHz");
        assert_eq!(features(intel), ["sse4_2", "avx", "avx2"]);
        assert_eq!(features("Features\t: fp asimd sve\n"), ["asimd", "sve"]);
        assert_eq!(memory("MemTotal:       1024 kB\n"), Bytes(1 << 20));
    }

    #[test]
    fn this_machine_has_a_processor_and_memory() {
        let machine = look(Path::new("/"), 1, &[]);
        assert!(machine.cpus > 0 && machine.memory.0 > 0 && machine.disk_free.0 > 0);
        assert!(!machine.kernel.is_empty() && machine.threads == 1);
    }
}

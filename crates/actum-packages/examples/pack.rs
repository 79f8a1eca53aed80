//! Compresses the large tables beside their sources; run by `cargo xtask generate`. A test of the room tells when one is
//! not current.

use std::io::{self, Write};
use std::path::Path;
use std::{env, fs};

/// Slow to make and quick to open, which is what a table is for.
const LEVEL: i32 = 19;

const LARGE: &[&str] =
    &["debian/commands.tsv", "debian/sonames.tsv", "python/imports.tsv", "python/removals.tsv"];

fn main() -> io::Result<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for name in LARGE {
        let packed = data.join(format!("{name}.zst"));
        let source = fs::read(data.join(name))?;
        let is_current =
            fs::read(&packed).and_then(|bytes| zstd::decode_all(&bytes[..])).is_ok_and(|was| was == source);
        if !is_current {
            fs::write(&packed, zstd::encode_all(&source[..], LEVEL)?)?;
        }
        let word = if is_current { "current" } else { "written" };
        writeln!(
            io::stdout(),
            "{word}  {}",
            packed.strip_prefix(env::current_dir()?).unwrap_or(&packed).display()
        )?;
    }
    Ok(())
}

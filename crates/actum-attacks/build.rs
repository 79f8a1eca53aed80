//! Writes the table of embedded attempts: one `include_str!` for each file below `attempts/`.
//!
//! A generated table cannot forget a file; a table written by hand did, in every house we visited.

#![allow(clippy::print_stdout, reason = "cargo listens to the standard output of a build script")]

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("attempts");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut paths = Vec::new();
    for group in fs::read_dir(&root)? {
        let group = group?.path();
        if !group.is_dir() {
            continue;
        }
        println!("cargo::rerun-if-changed={}", group.display());
        for file in fs::read_dir(&group)? {
            paths.push(file?.path());
        }
    }
    paths.sort();
    let mut table = String::from("&[\n");
    for path in paths {
        let name = path.strip_prefix(&root)?.display().to_string();
        table.push_str(&format!("    ({name:?}, include_str!({:?})),\n", path.display().to_string()));
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("attempts.rs"), table)?;
    Ok(())
}

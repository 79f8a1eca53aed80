//! What is known about packages before anything is installed, and whether a name may be installed at all.
//!
//! Pure: tables that travel inside the program, and functions over them. No files, no clock, no network; what an index says
//! about a package is handed in as [`IndexFacts`].
//!
//! - `python/`: which package an import means ([`provider`]), which modules belong to Python itself ([`is_standard`]), which
//!   names are a program's own files ([`is_generic`]), what is needed only at run time ([`engines`]), which names a release
//!   no longer has ([`removals`]), which package carries the data that a library would fetch ([`data_carrier`])
//! - `trust/`: whether a package may be installed unasked ([`judge`])
//! - `others/`: the same questions for npm, Ruby, R, Go, Rust, Java, Perl, PHP
//! - [`npm_files`]: what of a `package.json` and its lock is handed to npm
//! - `debian`: which package of the system holds a library, a command, a header
//!
//! Start reading at [`provider`], then [`judge`]. Where the tables come from is told in data/ORIGIN.md, why they are as they
//! are in docs/design/packages.md.

mod debian;
pub mod npm_files;
mod others;
mod python;
mod table;
mod trust;

pub use debian::{debian_for_command, debian_for_header, debian_for_library, debian_for_pkg_config};
pub use others::{
    NpmNeed, crates_for_rust, debian_for_perl, debian_for_php, gems_for_ruby, is_base_r, is_bioconductor,
    is_go_standard, is_ruby_standard, judge_npm, maven_for_java, npm_need,
};
pub use python::carriers::{Carried, Registry, data_carrier};
pub use python::engines::{Engine, engines};
pub use python::generic::is_generic;
pub use python::provider::{Display, Provided, Provider, provider, providers};
pub use python::removals::{Bound, removal_of, removals};
pub use python::standard::{
    PythonVersion, RemovedModule, is_standard, python3_name, removed_standard, removed_standard_name,
};
pub use trust::{IndexFacts, Otherwise, Rules, Verdict, is_known, judge, near_misses, slip_of_popular};

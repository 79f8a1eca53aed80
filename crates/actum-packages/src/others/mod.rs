//! The other languages: from what a program writes to what has to be there.
//!
//! Most of them need no map: the name is the package, cut to the part that an index knows. Tables hold what breaks the rule.

mod java;
mod npm;
mod small;

pub use java::maven_for_java;
pub use npm::{NpmNeed, judge_npm, npm_need};
pub use small::{
    crates_for_rust, debian_for_perl, debian_for_php, gems_for_ruby, is_base_r, is_bioconductor,
    is_go_standard, is_ruby_standard,
};

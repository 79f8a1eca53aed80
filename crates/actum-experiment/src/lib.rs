//! Experiments: runs that can be repeated in a year.
//!
//! | what | file |
//! |---|---|
//! | what is kept before a run | `manifest` |
//! | what is kept after it | `result` |

mod absent;
pub mod manifest;
pub mod result;

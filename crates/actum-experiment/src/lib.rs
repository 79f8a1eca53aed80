//! Experiments: runs that can be repeated in a year.
//!
//! | what | file |
//! |---|---|
//! | what is kept before a run | `manifest` |
//! | what is kept after it | `result` |
//! | what differs between two experiments | `compare` |
//! | how exactly a repeated run gave the same, and why not | `grade` |
//! | lists of experiments | `table` |
//! | curves | `plot` |
//! | reports for people | `report` |
//! | a run for archives | `ro_crate` |

mod absent;
pub mod compare;
pub mod grade;
pub mod manifest;
pub mod plot;
pub mod report;
pub mod result;
pub mod ro_crate;
pub mod table;

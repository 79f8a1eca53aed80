//! What tests share: fakes, fixtures, and an honest way to say that something could not be tried here.
//!
//! Stands beside the house: rooms use it as a dev-dependency only. Start reading at [`skip`].

mod bubblewrap;
pub mod model_server;
pub mod package_index;
pub mod runs;
mod schema;
mod skip;

pub use bubblewrap::BUBBLEWRAP;
pub use schema::{assert_valid_blocks, assert_valid_event, assert_valid_findings, assert_valid_report};
pub use skip::skip;

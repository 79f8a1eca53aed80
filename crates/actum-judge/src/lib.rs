//! Whether what came out of a run is what was expected of it.
//!
//! | word | files |
//! |---|---|
//! | read | `read/`: from what somebody wrote, on a command line or in a file, to expectations |
//! | cases | `cases`: from a table or folder to what a program is given, and what it has to print then |
//! | contradict | `contradict`: two expectations that cannot both hold |
//! | judge | `judge`: from facts; `text`, `json`, `schema`, `table`, `image`, `parquet`, `format`, `numbers`: from contents |
//! | work | `work`: what is handed to a confined worker, and what comes back |
//!
//! Pure: no files, no clock, no network. Contents were chosen by a program that nobody trusts, so that whoever calls what
//! parses them does so in a process that can be ended. Start reading at [`judge()`].

mod cases;
mod contradict;
mod error;
mod finding;
mod format;
mod image;
mod json;
mod judge;
mod numbers;
mod parquet;
mod read;
mod schema;
mod table;
mod text;
mod work;

pub use cases::{Given, of_folder as cases_of_folder, of_table as cases_of_table};
pub use contradict::{Contradiction, contradiction};
pub use error::JudgeError;
pub use finding::{Finding, quoted};
pub use format::Format;
pub use judge::{At, Seen, judge};
pub use numbers::not_finite;
pub use read::{Settings, line, table as read_table, tolerance_of};
pub use work::{Ask, Contents, Order, Slice, answer, needs};

//! Runs a script of SQL on an embedded SQLite and prints what comes out, as `psql` would.
//!
//! This room is a program: `actum internal sql` calls [`run`] inside a sandbox, so that a hostile database file or query
//! meets the same walls as any other program. It knows no policy and no report. Start reading at [`run`].

mod cell;
mod database;
mod error;
mod run;
mod script;
mod table;
mod tag;

pub use run::{Format, Options, run};

/// The version of SQLite that is built in.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

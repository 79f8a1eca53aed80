//! The room from outside: every case of the corpus, answers that nobody here wrote, and inputs that mean harm.

#![allow(clippy::unwrap_used, reason = "tests and what serves them: what goes wrong here should be loud")]

mod corpus;
mod expectation;
mod hostile;
mod reader;
mod samples;

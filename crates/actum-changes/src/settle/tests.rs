//! Applying, undoing and giving up, against real folders: each file is one promise.

mod conflicts;
mod forged;
mod interrupted;
mod inverse;
mod saved;
mod trees;

//! Tests of the room as a whole; each file is one promise.

mod attacks;
mod collecting;
mod ordinary_user;
mod overlay;
mod scripts;
mod snapshots;
mod trees;

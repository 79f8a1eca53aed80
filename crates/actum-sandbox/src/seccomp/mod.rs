//! Which system calls a confined program may make: a deny list, and the program that the kernel runs to enforce it.
//!
//! [`rules`] says what is refused and why, as a table; [`emit`] turns it into a search tree of BPF instructions. Both
//! are pure. The semantic layers (namespaces, Landlock) decide what a run may touch; this one takes away the parts of
//! the kernel that no ordinary program needs, and the calls that would go around the other layers.

mod emit;
mod rules;
#[cfg(test)]
mod tests;

pub use emit::{Rule, Test, Then, emit};
pub use rules::{Calls, Sockets, rules};

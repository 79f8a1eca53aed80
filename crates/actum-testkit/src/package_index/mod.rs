//! A package index of the tests' own: a real HTTP server on loopback that real installers talk to.
//!
//! It speaks the simple repository API, as pages (PEP 503) and as JSON with upload times (PEP 691, 700), offers the metadata
//! of wheels apart (PEP 658), answers ranges, and beside that speaks enough of npm's registry for `npm install`. What it
//! serves is built in memory from [`Package`]s: the same packages give the same bytes. It can be told to misbehave
//! ([`Conduct`]), and it remembers what it was asked for.
//!
//! ```
//! use actum_testkit::package_index::{Package, PackageIndex, Release};
//!
//! let index = PackageIndex::start(vec![
//!     Package::new("gadget")
//!         .with(Release::new("1.0").module("gadget.py", "old_name = 1\n").uploaded("2019-03-01T00:00:00Z"))
//!         .with(Release::new("2.0").module("gadget.py", "new_name = 1\n").uploaded("2024-03-01T00:00:00Z")),
//! ]);
//! assert!(index.url().starts_with("http://127.0.0.1:"));
//! assert!(index.asked().is_empty());
//! ```
//!
//! A sandbox reaches it where its policy grants [`PackageIndex::host`] by its address, and where the client asks the proxy for
//! it: `NO_PROXY` names loopback, so it has to be emptied for the installer.
//!
//! Start reading at [`PackageIndex`]. `package` says what can be offered, `hostile` what hostile packages try; `wheel`,
//! `sdist`, `node` and the archives below them write the files; `shelf` holds what is served under which address; `serve`
//! is the only part that touches a socket.

mod archive;
mod hostile;
mod node;
mod package;
mod sdist;
mod serve;
mod shelf;
#[cfg(test)]
mod tests;
mod wheel;

pub use hostile::{Targets, hostile};
pub use package::{Damage, Form, Package, Release};
pub use serve::{Conduct, PackageIndex};

//! `VERIFY.md`: the commands with which others verify a bundle. Tests run them as they stand there.
//!
//! Nothing that a program chose gets into it: a reader copies these commands into a shell.

use crate::attest::Sealed;
use crate::key::PublicKey;

const TEXT: &str = include_str!("manual.md");

pub(super) fn text(sealed: &Sealed, key: &PublicKey) -> String {
    TEXT.replace("{{run}}", &sealed.record.run.to_string())
        .replace("{{index}}", &sealed.index.to_string())
        .replace("{{origin}}", &sealed.origin)
        .replace("{{fingerprint}}", &key.fingerprint())
}

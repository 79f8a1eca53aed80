//! `VERIFY.md`: the commands with which others verify a bundle. Tests run them as they stand there.
//!
//! Nothing that a program chose gets into it: a reader copies these commands into a shell.

use crate::attest::Attested;
use crate::key::PublicKey;

const TEXT: &str = include_str!("manual.md");

pub(super) fn text(attested: &Attested, key: &PublicKey) -> String {
    TEXT.replace("{{run}}", &attested.record.run.to_string())
        .replace("{{index}}", &attested.index.to_string())
        .replace("{{origin}}", &attested.origin)
        .replace("{{fingerprint}}", &key.fingerprint())
}

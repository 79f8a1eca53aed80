//! What is left out of JSON: absent is absent.

use crate::Bytes;

pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub(crate) fn no_bytes(bytes: &Bytes) -> bool {
    bytes.0 == 0
}

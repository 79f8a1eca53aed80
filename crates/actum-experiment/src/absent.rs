//! What is left out of JSON: absent is absent.

pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The first rung is not written.
pub(crate) fn is_first(rung: &u32) -> bool {
    *rung == 0
}

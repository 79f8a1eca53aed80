//! What is left out of JSON: absent is absent.

pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

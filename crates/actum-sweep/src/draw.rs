//! Bits that look random and are a function of what they are asked for: no generator, no state, so any draw is had without those before.

use actum_model::Digest;

/// A change of anything below changes every sweep that was ever drawn: then this changes too.
const VERSION: &str = "actum-sweep/1";

/// The 64 bits for one purpose, number and name.
pub(crate) fn bits(seed: u64, purpose: &str, number: u64, name: &str) -> u64 {
    let mut text = Vec::with_capacity(64 + name.len());
    for part in [VERSION, purpose] {
        text.extend_from_slice(part.as_bytes());
        text.push(0);
    }
    text.extend_from_slice(&seed.to_le_bytes());
    text.extend_from_slice(&number.to_le_bytes());
    text.extend_from_slice(name.as_bytes());
    let Digest(bytes) = Digest::of(&text);
    bytes.iter().take(8).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Another word for each word: a bijection in which each bit depends on each (the finaliser of SplitMix64).
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The same for 32 bits (the finaliser of MurmurHash3).
pub(crate) fn mix_32(word: u32) -> u32 {
    let word = (word ^ (word >> 16)).wrapping_mul(0x85eb_ca6b);
    let word = (word ^ (word >> 13)).wrapping_mul(0xc2b2_ae35);
    word ^ (word >> 16)
}

/// Where `index` is after `0..count` has been shuffled with a key. Feistel rounds permute the smallest even number of bits that
/// holds `count`; a result beyond it is permuted again, which ends, because that walks a cycle that `index` is on.
pub(crate) fn shuffled(key: u64, count: u64, index: u64) -> u64 {
    const ROUNDS: u64 = 6;
    let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
    let half = bits.div_ceil(2).max(1);
    let mask = (1_u64 << half) - 1;
    let mut at = index;
    loop {
        let (mut left, mut right) = (at >> half, at & mask);
        for round in 0..ROUNDS {
            let turned =
                mix(key.wrapping_add(round << 56) ^ right.wrapping_mul(0x9e37_79b9_7f4a_7c15)) & mask;
            (left, right) = (right, left ^ turned);
        }
        at = left << half | right;
        if at < count {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn a_shuffle_loses_and_doubles_nothing(key: u64, count in 1_u64..700) {
            let places: HashSet<u64> = (0..count).map(|index| shuffled(key, count, index)).collect();
            prop_assert_eq!(places.len() as u64, count);
            prop_assert!(places.iter().all(|place| *place < count));
        }

        #[test]
        fn a_large_shuffle_stays_below_its_count(key: u64, count in 1_u64..1 << 62, index: u64) {
            prop_assert!(shuffled(key, count, index % count) < count);
        }
    }

    #[test]
    fn each_part_of_the_question_counts() {
        let answers = [
            bits(1, "value", 0, "lr"),
            bits(2, "value", 0, "lr"),
            bits(1, "seed", 0, "lr"),
            bits(1, "value", 1, "lr"),
            bits(1, "value", 0, "wd"),
        ];
        assert_eq!(answers.iter().collect::<HashSet<_>>().len(), answers.len());
    }
}

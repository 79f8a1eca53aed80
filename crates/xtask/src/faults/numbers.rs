//! Numbers that look random and follow from a seed (SplitMix64): a fault that was found can be found again. Pure.

use std::time::Duration;

pub struct Numbers(u64);

impl Numbers {
    pub fn from(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of the first `count` numbers.
    pub fn below(&mut self, count: u64) -> u64 {
        self.draw() % count.max(1)
    }

    /// A time between none and `most` milliseconds.
    pub fn pause(&mut self, most: u64) -> Duration {
        Duration::from_micros(self.below(most * 1000))
    }
}

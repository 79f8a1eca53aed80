//! Sobol's sequence with Owen's scramble: points that fill a cube more evenly than random ones do, each had without those before.

mod table;

use crate::draw;
use table::ROWS;

/// As many parameters as there are direction numbers for here.
pub const MOST_DIMENSIONS: usize = ROWS.len() + 1;

/// Points of one sequence are told apart by so many bits.
const BITS: u32 = 32;

/// Scrambled Sobol points of a sweep seed.
#[derive(Clone, Debug)]
pub(crate) struct Sobol {
    dimensions: Vec<Dimension>,
}

#[derive(Clone, Debug)]
struct Dimension {
    directions: [u32; BITS as usize],
    /// What the scramble depends on; none where there is none.
    key: Option<u64>,
}

impl Sobol {
    /// Of at most [`MOST_DIMENSIONS`].
    pub(crate) fn scrambled(seed: u64, dimensions: usize) -> Option<Self> {
        Self::new(dimensions, |dimension| Some(draw::bits(seed, "sobol", dimension as u64, "")))
    }

    fn new(dimensions: usize, key: impl Fn(usize) -> Option<u64>) -> Option<Self> {
        let directions =
            (0..dimensions).map(|at| Some(Dimension { directions: directions(at)?, key: key(at) }));
        directions.collect::<Option<_>>().map(|dimensions| Self { dimensions })
    }

    /// One coordinate of a point, as a fraction of 2^64 in the middle of its cell of 2^-32.
    pub(crate) fn coordinate(&self, index: u32, dimension: usize) -> u64 {
        let Some(Dimension { directions, key }) = self.dimensions.get(dimension) else { return 0 };
        // In the order of the Gray code, as the usual implementations have it.
        let gray = index ^ (index >> 1);
        let chosen = (0..BITS).filter(|bit| gray >> bit & 1 == 1);
        let point = chosen.fold(0, |sum, bit| sum ^ directions[bit as usize]);
        let point = key.map_or(point, |key| scrambled(point, key));
        u64::from(point) << BITS | 1 << (BITS - 1)
    }
}

/// Flips each bit by a coin that belongs to the bits above it: Owen's scramble, which keeps every net of the sequence a net and makes
/// each point uniform.
fn scrambled(point: u32, key: u64) -> u32 {
    let mut result = point;
    for bit in 0..BITS {
        // A one before the bits above tells prefixes of different lengths apart.
        let prefix = 1_u64 << bit | u64::from(point) >> (BITS - bit);
        let coin = (draw::mix(key ^ draw::mix(prefix)) >> 63) as u32;
        result ^= coin << (BITS - 1 - bit);
    }
    result
}

/// By the recurrence of the dimension's polynomial. The first dimension has none: its directions are the single bits.
fn directions(dimension: usize) -> Option<[u32; BITS as usize]> {
    let Some(row) = dimension.checked_sub(1) else {
        return Some(std::array::from_fn(|bit| 1 << (BITS - 1 - bit as u32)));
    };
    let (polynomial, initial) = *ROWS.get(row)?;
    let degree = initial.len();
    let mut directions = [0; BITS as usize];
    for bit in 0..BITS as usize {
        directions[bit] = match initial.get(bit) {
            Some(number) => number << (BITS - 1 - bit as u32),
            None => {
                let last = directions[bit - degree];
                let taps = (1..degree).filter(|tap| polynomial >> (degree - tap) & 1 == 1);
                taps.fold(last ^ last >> degree, |sum, tap| sum ^ directions[bit - tap])
            }
        };
    }
    Some(directions)
}

#[cfg(test)]
mod tests;

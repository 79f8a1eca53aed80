//! Against published points, and against random ones.

use super::*;

fn plain(dimensions: usize) -> Sobol {
    Sobol::new(dimensions, |_| None).unwrap()
}

/// The lower end of its cell, as other implementations give it.
fn point(sobol: &Sobol, index: u32, dimension: usize) -> f64 {
    f64::from((sobol.coordinate(index, dimension) >> 32) as u32) / 2_f64.powi(32)
}

fn fraction(bits: u64) -> f64 {
    bits as f64 / 2_f64.powi(64)
}

#[test]
fn points_are_those_of_others() {
    let sobol = plain(64);
    for (index, dimension, expected) in LATER {
        assert_eq!(point(&sobol, *index, *dimension), *expected, "{index}, dimension {dimension}");
    }
    for (dimension, expected) in EXPECTED {
        let points: Vec<f64> = (0..8).map(|index| point(&sobol, index, *dimension)).collect();
        assert_eq!(points, expected, "dimension {dimension}");
    }
}

#[test]
fn each_dimension_fills_each_cell_once() {
    for (name, sobol) in [("plain", plain(64)), ("scrambled", Sobol::scrambled(7, 64).unwrap())] {
        for dimension in 0..64 {
            let mut cells: Vec<u64> =
                (0..256).map(|index| sobol.coordinate(index, dimension) >> 56).collect();
            cells.sort_unstable();
            assert_eq!(cells, (0..256).collect::<Vec<u64>>(), "{name}, dimension {dimension}");
        }
    }
    assert!(Sobol::scrambled(7, MOST_DIMENSIONS + 1).is_none());
}

#[test]
fn the_seed_decides() {
    let coordinates = |seed| -> Vec<u64> {
        let sobol = Sobol::scrambled(seed, 3).unwrap();
        (0..8).flat_map(|index| [0, 1, 2].map(|dimension| sobol.coordinate(index, dimension))).collect()
    };
    assert_eq!(coordinates(1), coordinates(1));
    assert_ne!(coordinates(1), coordinates(2));
}

/// The centred L2 discrepancy (Hickernell 1998).
fn discrepancy(points: &[Vec<f64>]) -> f64 {
    let (count, dimensions) = (points.len() as f64, points[0].len());
    let centred = |x: f64| (x - 0.5).abs();
    let one: f64 = points
        .iter()
        .map(|point| {
            point.iter().map(|x| 1.0 + 0.5 * centred(*x) - 0.5 * centred(*x).powi(2)).product::<f64>()
        })
        .sum();
    let pairs = points.iter().flat_map(|a| points.iter().map(move |b| (a, b)));
    let two: f64 = pairs
        .map(|(a, b)| {
            let terms = a.iter().zip(b);
            terms
                .map(|(x, y)| 1.0 + 0.5 * centred(*x) + 0.5 * centred(*y) - 0.5 * (x - y).abs())
                .product::<f64>()
        })
        .sum();
    ((13.0 / 12.0_f64).powi(dimensions as i32) - 2.0 / count * one + two / (count * count)).sqrt()
}

#[test]
fn scrambled_points_are_more_even_than_random_ones() {
    for (dimensions, least_gain) in [(2, 8.0), (5, 3.5), (8, 2.0)] {
        let mean = |coordinate: &dyn Fn(u64, u32, usize) -> u64| {
            let of_seed = |seed| {
                let point = |index| (0..dimensions).map(|at| fraction(coordinate(seed, index, at))).collect();
                discrepancy(&(0..128).map(point).collect::<Vec<Vec<f64>>>())
            };
            (0..5).map(of_seed).sum::<f64>() / 5.0
        };
        let random = mean(&|seed, index, at| draw::bits(seed, "test", u64::from(index), &at.to_string()));
        let sobol =
            mean(&|seed, index, at| Sobol::scrambled(seed, dimensions).unwrap().coordinate(index, at));
        assert!(random / sobol > least_gain, "{dimensions} dimensions: random {random}, Sobol {sobol}");
    }
}

/// The first points by another implementation (SciPy 1.17, unscrambled), dimension by dimension.
const EXPECTED: &[(usize, [f64; 8])] = &[
    (0, [0.0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125]),
    (1, [0.0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625]),
    (2, [0.0, 0.5, 0.25, 0.75, 0.625, 0.125, 0.875, 0.375]),
    (3, [0.0, 0.5, 0.25, 0.75, 0.875, 0.375, 0.625, 0.125]),
    (4, [0.0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125]),
    (7, [0.0, 0.5, 0.75, 0.25, 0.875, 0.375, 0.125, 0.625]),
    (15, [0.0, 0.5, 0.25, 0.75, 0.875, 0.375, 0.625, 0.125]),
    (31, [0.0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875]),
    (40, [0.0, 0.5, 0.25, 0.75, 0.875, 0.375, 0.625, 0.125]),
    (63, [0.0, 0.5, 0.75, 0.25, 0.125, 0.625, 0.875, 0.375]),
];
/// Later points by the same: index, dimension, coordinate.
const LATER: &[(u32, usize, f64)] = &[
    (1000, 1, 0.0966796875),
    (1000, 7, 0.8994140625),
    (1000, 31, 0.1455078125),
    (1000, 63, 0.4462890625),
    (65535, 1, 0.9999847412109375),
    (65535, 7, 0.7276763916015625),
    (65535, 31, 0.5090179443359375),
    (65535, 63, 0.2963714599609375),
];

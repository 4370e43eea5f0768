//! Structures that are isotropic outside a few dimensions are found, and other statistics are left unchanged.

use super::*;
use crate::Classes;
use crate::statistics::{Covariance, Dense, Moments};

const N: usize = 1000;

/// Returns classes that differ in `rank` random directions and have the specified variances outside, in single
/// precision.
fn classes(levels: &[f64], rank: usize, last: impl Fn(usize, usize) -> f64) -> ClassStatistics {
    let count = levels.len();
    let basis = orthonormal_span(random(N, rank, 7, 0)).unwrap();
    let means = tall_times(basis.as_ref(), random(rank, count, 7, 1).as_ref());
    let covariances = levels.iter().enumerate().map(|(class, level)| {
        let spread = random(rank, rank, 7, 2 + class as u64);
        let square = transpose_times(spread.as_ref(), spread.as_ref());
        let turned = tall_times(basis.as_ref(), square.as_ref());
        let whole = tall_times(turned.as_ref(), basis.transpose().to_owned().as_ref());
        let identity = |i: usize, j: usize| if i == j { *level } else { 0.0 };
        let more = |i, j| if class + 1 == count { last(i, j) } else { 0.0 };
        let entry = |at: usize| {
            let (i, j) = (at / N, at % N);
            (whole[(i, j)] + identity(i, j) + more(i, j)) as f32
        };
        Box::new(Dense::new((0..N * N).map(entry).collect(), N).unwrap()) as Box<dyn Covariance>
    });
    let names = Classes::numbered(count);
    ClassStatistics::from_parts(names, None, means, covariances.collect(), Moments::Central)
}

#[test]
fn relevant_dimensions_and_their_covariances_are_found() {
    let statistics = classes(&[2.0; 3], 6, |_, _| 0.0);
    let found = statistics.isotropic_outside(4).unwrap();
    let order = found.statistics().dimension();
    assert!((6..=6 + MORE + 3).contains(&order), "{order}");
    // A product through the basis equals the direct product, for vectors inside and outside.
    let block = random(N, 5, 1, 1);
    let lowered = transpose_times(found.basis.as_ref(), block.as_ref());
    let inside = found.lift(lowered.as_ref());
    let whole = pass(&statistics, &[block.as_ref()]).remove(0);
    for (class, within) in
        pass(found.statistics(), &[lowered.as_ref()]).remove(0).iter().enumerate()
    {
        let within = found.lift(within.as_ref());
        for j in 0..5 {
            for i in 0..N {
                let expected = within[(i, j)] + 2.0 * (block[(i, j)] - inside[(i, j)]);
                assert!((whole[class][(i, j)] - expected).abs() < 1e-4, "{class} {i} {j}");
            }
        }
    }
    let means = found.lift(found.statistics().means().as_ref());
    let error = &means - statistics.means();
    let square = |block: MatRef<'_, f64>| crate::linalg::inner(block, block);
    // Directions with a smaller fraction than this are dropped.
    let share = square(error.as_ref()) / square(statistics.means().as_ref());
    assert!(share.sqrt() < 1e-5, "{share:e}");
}

#[test]
fn classes_with_different_levels_keep_directions_outside() {
    let statistics = classes(&[1.0, 1.0, 3.0], 5, |_, _| 0.0);
    let found = statistics.isotropic_outside(4).unwrap();
    let order = found.statistics().dimension();
    for (covariance, level) in found.statistics().covariances().iter().zip([1.0, 1.0, 3.0]) {
        for variance in &covariance.diagonal()[order - 4..] {
            assert!((variance / level - 1.0).abs() < 1e-5, "{variance}");
        }
    }
    // More filters than relevant dimensions.
    let found = classes(&[1.0; 3], 2, |_, _| 0.0).isotropic_outside(40).unwrap();
    assert_eq!(found.statistics().dimension(), 40);
}

#[test]
fn a_single_direction_of_one_class_is_found() {
    // Only the last class has extra variance in one direction: a single coordinate, or the sum of all coordinates.
    let shapes: [&dyn Fn(usize, usize) -> f64; 2] =
        [&|i, j| if i == 17 && j == 17 { 0.3 } else { 0.0 }, &|_, _| 0.3 / N as f64];
    for shape in shapes {
        let statistics = classes(&[2.0; 3], 4, shape);
        let found = statistics.isotropic_outside(2).unwrap();
        let share = 1.0 / (N as f64).sqrt();
        let one = shape(0, 1) == 0.0;
        let direction = Mat::from_fn(N, 1, |i, _| match one {
            true => f64::from(u8::from(i == 17)),
            false => share,
        });
        let lowered = transpose_times(found.basis.as_ref(), direction.as_ref());
        assert!(crate::linalg::inner(lowered.as_ref(), lowered.as_ref()) > 1.0 - 1e-4);
    }
}

#[test]
fn statistics_without_this_structure_are_rejected() {
    // Variances that increase over all columns, in one class only.
    let slope = |i: usize, j: usize| if i == j { i as f64 / N as f64 } else { 0.0 };
    assert!(classes(&[2.0; 3], 4, slope).isotropic_outside(8).is_none());
    // Small differences, but larger than the round-off of single precision.
    let small = |i: usize, j: usize| if i == j { 1e-3 * i as f64 / N as f64 } else { 0.0 };
    assert!(classes(&[2.0; 3], 4, small).isotropic_outside(8).is_none());
    // Too many relevant dimensions.
    assert!(classes(&[2.0; 2], 400, |_, _| 0.0).isotropic_outside(8).is_none());
}

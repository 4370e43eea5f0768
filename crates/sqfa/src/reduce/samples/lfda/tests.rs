//! Tests that compare LFDA with its definition: explicit N × N weights in a double loop.

use super::super::testing::{Drawn, subspace_gap};
use super::*;
use crate::linalg::symmetric_eigen;
use crate::points::Table;

/// Tolerance in double precision, for scatters with condition numbers up to about 1e3.
const EXACT: f64 = 1e-9;
/// Tolerance in single precision, for the same condition numbers.
const SINGLE: f64 = 1e-3;
const NEIGHBOR: LocalScale = LocalScale::Neighbor;

/// Computes LFDA of samples with neighborhoods of `neighbors` samples.
fn lfda(
    points: Points<'_>,
    labels: &Labels,
    neighbors: usize,
    scale: LocalScale,
    filters: usize,
) -> Result<Lfda, SampleError> {
    let all = lfda_of_each(points, labels, &[(neighbors, scale)], filters)?;
    all.into_iter().next().unwrap_or(Err(SampleError::NoNeighbors))
}

/// Returns eigenvectors and eigenvalues computed exactly as defined, with the neighborhood of each
/// class limited to its size.
fn defined(sample: &Drawn, neighbors: usize) -> (Mat<f64>, Vec<f64>) {
    solved(sample, &neighbor_scales(sample, neighbors))
}

/// Returns the distance of every sample to the k-th nearest of its class.
fn neighbor_scales(sample: &Drawn, neighbors: usize) -> Vec<f64> {
    let rows = sample.rows();
    let scale = |row: usize| {
        let class = sample.code(row);
        let mut squares: Vec<f64> = (0..rows)
            .filter(|&other| other != row && sample.code(other) == class)
            .map(|other| sample.square(row, other))
            .collect();
        squares.sort_by(f64::total_cmp);
        squares.get(neighbors.min(squares.len()).wrapping_sub(1)).map_or(0.0, |x| x.sqrt())
    };
    (0..rows).map(scale).collect()
}

/// Returns eigenvectors and eigenvalues, largest first, for given local scales.
fn solved(sample: &Drawn, scales: &[f64]) -> (Mat<f64>, Vec<f64>) {
    let (rows, p) = (sample.rows(), sample.columns);
    let size = |class| (0..rows).filter(|&row| sample.code(row) == class).count();
    let (mut within, mut between) = (Mat::<f64>::zeros(p, p), Mat::<f64>::zeros(p, p));
    for a in 0..rows {
        for b in 0..rows {
            let count = size(sample.code(a)) as f64;
            let (inner, outer) = if sample.code(a) == sample.code(b) {
                let local = scales[a] * scales[b];
                let affinity = if local > 0.0 { (-sample.square(a, b) / local).exp() } else { 0.0 };
                (affinity / count, affinity * (1.0 / rows as f64 - 1.0 / count))
            } else {
                (0.0, 1.0 / rows as f64)
            };
            for i in 0..p {
                for j in 0..p {
                    let product = (sample.row(a)[i] - sample.row(b)[i])
                        * (sample.row(a)[j] - sample.row(b)[j]);
                    within[(i, j)] += 0.5 * inner * product;
                    between[(i, j)] += 0.5 * outer * product;
                }
            }
        }
    }
    // Whitening by an eigendecomposition, while the library uses Cholesky.
    let (values, vectors) = symmetric_eigen(within.as_ref()).unwrap();
    let white = Mat::from_fn(p, p, |i, j| vectors[(i, j)] / values[j].sqrt());
    let (values, rotation) =
        symmetric_eigen((white.transpose() * &between * &white).as_ref()).unwrap();
    let solved = &white * &rotation;
    let ordered = Mat::from_fn(p, p, |i, j| solved[(i, p - 1 - j)]);
    (ordered, values.into_iter().rev().collect())
}

#[test]
fn spaces_and_ratios_are_those_of_the_definition() {
    // Class 2 has fewer samples than k; class 0 has more than a strip.
    for (counts, neighbors) in [([30, 25, 5], 7), ([300, 40, 20], 3), ([12, 9, 2], 1)] {
        let sample = Drawn::new(&counts, 5, 11);
        let (vectors, values) = defined(&sample, neighbors);
        for filters in 1..=5 {
            let found =
                lfda(sample.points(), &sample.labels, neighbors, NEIGHBOR, filters).unwrap();
            let gap = subspace_gap(found.filters.as_ref(), vectors.subcols(0, filters));
            assert!(gap < EXACT, "{counts:?}, {filters} filters: {gap:e}");
            for (found, expected) in found.eigenvalues.iter().zip(&values) {
                assert!((found - expected).abs() < EXACT * values[0].abs());
            }
        }
    }
}

#[test]
fn the_other_scale_is_the_distance_to_one_sample_of_the_class() {
    let sample = Drawn::new(&[30, 25, 4], 5, 19);
    let anchor = |row: usize| {
        let own = |other: &usize| sample.code(*other) == sample.code(row);
        let class: Vec<usize> = (0..sample.rows()).filter(own).collect();
        sample.square(row, class[7.min(class.len() - 1)]).sqrt()
    };
    let scales: Vec<f64> = (0..sample.rows()).map(anchor).collect();
    let (vectors, _) = solved(&sample, &scales);
    let found = lfda(sample.points(), &sample.labels, 7, LocalScale::Anchor, 2);
    let gap = subspace_gap(found.unwrap().filters.as_ref(), vectors.subcols(0, 2));
    assert!(gap < EXACT, "{gap:e}");
    for (name, scale) in LOCAL_SCALES {
        assert_eq!((name.parse(), scale.name()), (Ok(scale), name));
    }
    assert!("anker".parse::<LocalScale>().unwrap_err().contains("anchor"));
}

#[test]
fn a_small_class_does_not_change_the_neighborhoods_of_the_others() {
    // The class with two samples comes first. If its limit of one neighbor affected the others,
    // they would use one as well.
    let sample = Drawn::new(&[2, 40, 40], 4, 12);
    let (seven, _) = defined(&sample, 7);
    let found = lfda(sample.points(), &sample.labels, 7, NEIGHBOR, 2).unwrap();
    assert!(subspace_gap(found.filters.as_ref(), seven.subcols(0, 2)) < EXACT);
    let (one, _) = defined(&sample, 1);
    let leaked = subspace_gap(found.filters.as_ref(), one.subcols(0, 2));
    assert!(leaked > 1e-3, "one and seven neighbors must differ: {leaked:e}");
}

#[test]
fn duplicates_and_single_samples_are_fine() {
    let mut sample = Drawn::new(&[30, 30, 1], 3, 13);
    // Four copies of the first sample of class 0: with k = 3 their local scale is 0.
    let copy = sample.row(0).to_vec();
    for row in [3, 5, 7] {
        assert_eq!(sample.code(row), 0);
        sample.values[row * 3..][..3].copy_from_slice(&copy);
    }
    let (vectors, _) = defined(&sample, 3);
    let found = lfda(sample.points(), &sample.labels, 3, NEIGHBOR, 2).unwrap();
    assert!(subspace_gap(found.filters.as_ref(), vectors.subcols(0, 2)) < EXACT);
}

#[test]
fn single_precision_gives_the_same_spaces() {
    let sample = Drawn::new(&[300, 200], 6, 14);
    let singles: Vec<f32> = sample.values.iter().map(|&value| value as f32).collect();
    let points = Points::F32(Table::row_major(&singles, sample.rows(), 6).unwrap());
    let single = lfda(points, &sample.labels, 5, NEIGHBOR, 3).unwrap();
    let double = lfda(sample.points(), &sample.labels, 5, NEIGHBOR, 3).unwrap();
    assert!(subspace_gap(single.filters.as_ref(), double.filters.as_ref()) < SINGLE);
}

#[test]
fn filters_are_orthonormal_and_nested() {
    let sample = Drawn::new(&[50, 40, 30], 5, 15);
    let fit =
        |filters| lfda(sample.points(), &sample.labels, 5, NEIGHBOR, filters).unwrap().filters;
    let three = fit(3);
    let gram = three.transpose() * &three;
    assert!((gram - Mat::<f64>::identity(3, 3)).norm_max() < EXACT);
    assert_eq!(fit(2), three.subcols(0, 2).to_owned());
}

#[test]
fn a_shift_of_all_samples_changes_nothing() {
    let sample = Drawn::new(&[40, 30], 4, 16);
    let shifted = sample.mapped(|row| row.iter().map(|x| x + 1e4).collect());
    let fit =
        |sample: &Drawn| lfda(sample.points(), &sample.labels, 4, NEIGHBOR, 2).unwrap().filters;
    // A shift of 1e4 costs four digits of the samples.
    assert!(subspace_gap(fit(&sample).as_ref(), fit(&shifted).as_ref()) < 1e4 * EXACT);
}

#[test]
fn bits_do_not_depend_on_threads() {
    let sample = Drawn::new(&[700, 300], 6, 17);
    let fit = || lfda(sample.points(), &sample.labels, 5, NEIGHBOR, 3).unwrap().filters;
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(fit), pool(3).install(fit));
}

#[test]
fn bad_input_is_named() {
    let sample = Drawn::new(&[10, 10], 3, 18);
    let fit = |points: Points<'_>, neighbors, filters| {
        lfda(points, &sample.labels, neighbors, NEIGHBOR, filters).unwrap_err()
    };
    assert_eq!(fit(sample.points(), 0, 1), SampleError::NoNeighbors);
    for filters in [0, 4] {
        let error = fit(sample.points(), 1, filters);
        assert_eq!(error, SampleError::Filters { filters, dimension: 3 });
        assert!(error.to_string().contains("at most 3"));
    }
    let short = Points::F64(Table::row_major(&sample.values[..30], 10, 3).unwrap());
    assert_eq!(fit(short, 1, 1), SampleError::Labels { labels: 20, points: 10 });
    let flat = sample.mapped(|row| vec![row[0], row[1], row[0] + row[1]]);
    let error = fit(flat.points(), 3, 1);
    assert!(matches!(error, SampleError::SingularScatter { dimension: 3, .. }), "{error}");
    assert!(error.to_string().contains("fewer principal components"));
    let alone = Labels::from_integers(&[1; 20]);
    let error = lfda(sample.points(), &alone, 1, NEIGHBOR, 1).unwrap_err();
    assert_eq!(error, SampleError::OneClass { classes: 1 });
}

#[test]
fn neighborhoods_that_share_distances_give_what_each_gives_alone() {
    // One class has more samples than a strip, and one has fewer than the largest neighborhood.
    let sample = Drawn::new(&[300, 60, 5], 5, 20);
    let all = [(3, NEIGHBOR), (17, NEIGHBOR), (3, LocalScale::Anchor), (9, LocalScale::Anchor)];
    let together = lfda_of_each(sample.points(), &sample.labels, &all, 3).unwrap();
    assert_eq!(together.len(), all.len());
    for (found, (neighbors, scale)) in together.into_iter().zip(all) {
        let found = found.unwrap();
        let alone = lfda(sample.points(), &sample.labels, neighbors, scale, 3).unwrap();
        assert_eq!((&found.filters, &found.eigenvalues), (&alone.filters, &alone.eigenvalues));
    }
}

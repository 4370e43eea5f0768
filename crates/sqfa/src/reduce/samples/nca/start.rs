//! The initial filters of neighborhood components analysis: leading coordinates, or discriminant
//! directions followed by leading coordinates.

use super::super::gathered::Gathered;
use crate::linalg::{Mat, MatRef, beside, orthonormalize, pencil, rows_times, transpose_times};

/// Fraction of the mean variance that is added to the within-class scatter in every direction, so
/// that it can be inverted.
const RIDGE: f64 = 1e-3;

/// Returns the candidates for initial filters, scaled to a mean variance of 1 per feature; none if
/// the samples do not vary.
pub(super) fn candidates(samples: &Gathered, filters: usize) -> Vec<Mat<f64>> {
    let axes = Mat::from_fn(samples.columns, filters, |i, j| f64::from(u8::from(i == j)));
    let discriminant = discriminants(samples, filters).and_then(|found| {
        // Coordinates complete the directions if there are fewer classes than filters.
        let mut all = found;
        for j in 0..samples.columns {
            if all.ncols() == filters {
                break;
            }
            let axis = Mat::from_fn(samples.columns, 1, |i, _| f64::from(u8::from(i == j)));
            all = orthonormalize(beside(&[all.as_ref(), axis.as_ref()]).as_ref()).unwrap_or(all);
        }
        (all.ncols() == filters).then_some(all)
    });
    [Some(axes), discriminant]
        .into_iter()
        .flatten()
        .filter_map(|start| scaled(samples, start))
        .collect()
}

/// Scales filters by a common factor to a mean variance of 1 per feature.
fn scaled(samples: &Gathered, mut start: Mat<f64>) -> Option<Mat<f64>> {
    let (rows, m) = (samples.rows(), start.ncols());
    let mut features = vec![0.0; rows * m];
    rows_times(&samples.values, rows, start.as_ref(), &mut features);
    let variance = features.iter().map(|x| x * x).sum::<f64>() / (rows * m) as f64;
    let length = 1.0 / variance.sqrt();
    start.as_mut().col_iter_mut().for_each(|column| {
        column.iter_mut().for_each(|value| *value *= length);
    });
    length.is_finite().then_some(start)
}

/// Returns the leading discriminant directions, at most one fewer than the number of classes.
fn discriminants(samples: &Gathered, filters: usize) -> Option<Mat<f64>> {
    let (rows, p) = (samples.rows(), samples.columns);
    let count = filters.min(samples.classes.len() - 1).min(p);
    let mut centered = samples.values.clone();
    for (_, own) in &samples.classes {
        let block = &mut centered[own.start * p..own.end * p];
        for column in 0..p {
            let sum: f64 = block.iter().skip(column).step_by(p).sum();
            let mean = sum / own.len() as f64;
            block.iter_mut().skip(column).step_by(p).for_each(|value| *value -= mean);
        }
    }
    let scatter = |values: &[f64]| {
        let values = MatRef::from_row_major_slice(values, rows, p);
        let product = transpose_times(values, values);
        (0..p * p).map(|at| product[(at / p, at % p)]).collect::<Vec<f64>>()
    };
    let (total, mut within) = (scatter(&samples.values), scatter(&centered));
    let mean = (0..p).map(|i| total[i * p + i]).sum::<f64>() / p as f64;
    (0..p).for_each(|i| within[i * p + i] += RIDGE * mean);
    pencil(&total, &within, p, count).ok().map(|solved| solved.vectors)
}

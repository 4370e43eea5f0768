//! Class statistics through filters: μ = Fᵀγ, Σ = FᵀΦF + σ²I.

use std::sync::Arc;

use super::{ClassStatistics, Covariance};
use crate::features::Gaussians;
use crate::linalg::{Mat, MatRef, WORTH_THREADS, beside, transpose_times};
use crate::parallel;

/// One pass: every class covariance times the blocks of all starts side by side, split again by start.
///
/// The result is indexed by start, then class.
pub(crate) fn pass(statistics: &ClassStatistics, blocks: &[MatRef<'_, f64>]) -> Vec<Vec<Mat<f64>>> {
    let group = blocks.iter().map(|block| block.ncols()).max().unwrap_or(0);
    pass_in_groups(statistics, blocks, group)
}

/// A pass over blocks that may have lost columns: `group` is how many each had before.
pub(crate) fn pass_in_groups(
    statistics: &ClassStatistics,
    blocks: &[MatRef<'_, f64>],
    group: usize,
) -> Vec<Vec<Mat<f64>>> {
    let joined = beside(blocks);
    let empty = || Mat::zeros(joined.nrows(), joined.ncols());
    let products = of_every_class(statistics, joined.ncols(), empty, |covariance, product| {
        covariance.multiply(joined.as_ref(), product.as_mut(), group);
    });
    if blocks.len() == 1 {
        return vec![products];
    }
    let mut column = 0;
    blocks
        .iter()
        .map(|block| {
            let first = column;
            column += block.ncols();
            products
                .iter()
                .map(|product| product.subcols(first, block.ncols()).to_owned())
                .collect()
        })
        .collect()
}

/// What `work` makes of every covariance and a block of some columns, each in a matrix that is allocated beforehand: what other
/// threads allocate comes back to them late. Classes that share a covariance share the work.
fn of_every_class(
    statistics: &ClassStatistics,
    columns: usize,
    empty: impl Fn() -> Mat<f64>,
    work: impl Fn(&dyn Covariance, &mut Mat<f64>) + Sync,
) -> Vec<Mat<f64>> {
    let shared = statistics.covariances().chunk_by(Arc::ptr_eq);
    let mut distinct: Vec<(&dyn Covariance, usize, Mat<f64>)> =
        shared.map(|same| (&*same[0], same.len(), empty())).collect();
    let flops: f64 = distinct.iter().map(|(one, ..)| one.flops() * columns as f64).sum();
    if flops < WORTH_THREADS {
        distinct.iter_mut().for_each(|(one, _, result)| work(*one, result));
    } else {
        parallel::for_each(&mut distinct, |(one, _, result)| work(*one, result));
    }
    let mut results = Vec::with_capacity(statistics.covariances().len());
    for (_, classes, result) in distinct {
        results.extend(std::iter::repeat_n(result, classes));
    }
    results
}

/// The class Gaussians in feature space, with feature noise σ² on the diagonal. Costs one pass.
pub fn project(statistics: &ClassStatistics, filters: MatRef<'_, f64>, noise: f64) -> Gaussians {
    let m = filters.ncols();
    // Products of one class at a time a thread: many filters make them large.
    let quadratics = of_every_class(statistics, m, Mat::new, |covariance, quadratic| {
        let mut product = Mat::zeros(filters.nrows(), m);
        covariance.multiply(filters, product.as_mut(), m);
        *quadratic = transpose_times(filters, product.as_ref());
    });
    let mut means = Vec::new();
    let mut covariances = Vec::new();
    for (class, quadratic) in quadratics.iter().enumerate() {
        let mean = transpose_times(filters, statistics.means().subcols(class, 1));
        means.extend(mean.col(0).iter());
        for i in 0..m {
            for j in 0..m {
                let entry = 0.5 * (quadratic[(i, j)] + quadratic[(j, i)]);
                covariances.push(entry + if i == j { noise } else { 0.0 });
            }
        }
    }
    Gaussians::trusted(m, means, covariances)
}

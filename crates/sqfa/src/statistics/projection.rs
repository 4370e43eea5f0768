//! Projection of class statistics by filters: μ = Fᵀγ, Σ = FᵀΦF + σ²I.

use std::sync::Arc;

use super::{ClassStatistics, Covariance};
use crate::features::Gaussians;
use crate::linalg::{Mat, MatRef, WORTH_THREADS, beside, transpose_times};
use crate::parallel;

/// Performs one pass: multiplies every class covariance by the blocks of all initializations, which are placed side by
/// side.
///
/// The result is indexed by initialization, then by class.
pub(crate) fn pass(statistics: &ClassStatistics, blocks: &[MatRef<'_, f64>]) -> Vec<Vec<Mat<f64>>> {
    let group = blocks.iter().map(|block| block.ncols()).max().unwrap_or(0);
    pass_in_groups(statistics, blocks, group)
}

/// Performs one pass over blocks that may have fewer columns than at the start of the optimization. `group` is the
/// original number of columns of each block.
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

/// Runs `work` on every covariance and returns one matrix per class. The matrices are allocated on this thread, because
/// the allocator reuses memory late if another thread allocated it. Classes that share a covariance share the work.
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

/// Returns the class Gaussians in feature space, with noise σ² added to each variance.
///
/// `filters` is n × m, one filter per column. The cost is one pass.
pub fn project(statistics: &ClassStatistics, filters: MatRef<'_, f64>, noise: f64) -> Gaussians {
    let m = filters.ncols();
    // Products are freed after each class, because many filters make them large.
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

//! Class statistics through filters: μ = Fᵀγ, Σ = FᵀΦF + σ²I.

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
    let covariances = statistics.covariances();
    let product = |covariance: &dyn Covariance| {
        let mut product = Mat::zeros(joined.nrows(), joined.ncols());
        covariance.multiply(joined.as_ref(), product.as_mut(), group);
        product
    };
    let columns = joined.ncols() as f64;
    let flops: f64 = covariances.iter().map(|covariance| covariance.flops() * columns).sum();
    let products: Vec<Mat<f64>> = if flops < WORTH_THREADS {
        covariances.iter().map(|covariance| product(covariance.as_ref())).collect()
    } else {
        parallel::map(covariances, |covariance| product(covariance.as_ref()))
    };
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

/// The class Gaussians in feature space, with feature noise σ² on the diagonal. Costs one pass.
pub fn project(statistics: &ClassStatistics, filters: MatRef<'_, f64>, noise: f64) -> Gaussians {
    let m = filters.ncols();
    let products = pass(statistics, &[filters]).remove(0);
    let mut means = Vec::new();
    let mut covariances = Vec::new();
    for (class, product) in products.iter().enumerate() {
        let mean = transpose_times(filters, statistics.means().subcols(class, 1));
        means.extend(mean.col(0).iter());
        let quadratic = transpose_times(filters, product.as_ref());
        for i in 0..m {
            for j in 0..m {
                let entry = 0.5 * (quadratic[(i, j)] + quadratic[(j, i)]);
                covariances.push(entry + if i == j { noise } else { 0.0 });
            }
        }
    }
    Gaussians::trusted(m, means, covariances)
}

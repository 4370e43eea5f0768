//! The large-margin loss and its gradient, computed exactly without a list of triples.
//!
//! In z-space, the loss is Σw_ab|z_a−z_b|² plus the margins, with weights that are constant between
//! kinks. A pair of neighbors (i, j) has the weight (1−μ) plus μ for every impostor. A pair (i, l)
//! of a sample and an impostor has the weight −μ for every neighbor whose margin the impostor
//! violates. The gradient in z-space adds 2w(z_a−z_b) to a and subtracts it from b, and XᵀZ̄
//! transforms it to the filters. Distances follow from blocked products, and samples that cannot be
//! impostors are skipped 32 at a time.

use super::super::gathered::Gathered;
use crate::linalg::{Mat, MatRef, dispatch, rows_times, rows_times_rows, transpose_times};
use crate::parallel;

/// Number of parts of the samples that accumulate gradients separately. It is fixed, so that the
/// bits do not depend on the number of threads.
const PARTS: usize = 32;
/// Number of samples whose products are computed together.
const BLOCK: usize = 64;
/// Number of impostor candidates per product. Together with `BLOCK` samples, they form a tile that
/// stays in the second-level cache.
const TILE: usize = 1024;
/// Number of candidates that are tested together.
const CHUNK: usize = 32;

/// Samples sorted by class, with the target neighbors of each and the weight of the push term.
pub(super) struct Problem<'a> {
    pub(super) samples: &'a Gathered,
    /// The target neighbors of every sample, the same number for each.
    pub(super) targets: &'a [u32],
    pub(super) push: f64,
}

/// The contribution of one part to the loss and to its gradient in z-space.
struct Share {
    loss: f64,
    slope: Vec<f64>,
}

impl Problem<'_> {
    /// Returns the loss of filters (p × m) and its gradient.
    pub(super) fn evaluate(&self, filters: MatRef<'_, f64>) -> (f64, Mat<f64>) {
        let (rows, p, m) = (self.samples.rows(), self.samples.columns, filters.ncols());
        let mut projected = vec![0.0; rows * m];
        let block = rows.div_ceil(PARTS);
        parallel::for_each(projected.chunks_mut(block * m).enumerate(), |(part, target)| {
            let values = &self.samples.values[part * block * p..];
            rows_times(values, target.len() / m, filters, target);
        });
        let squares: Vec<f64> =
            projected.chunks(m).map(|z| z.iter().map(|x| x * x).sum()).collect();
        let shares: Vec<Share> = parallel::map(0..rows.div_ceil(block), |part| {
            let end = ((part + 1) * block).min(rows);
            self.share(&projected, &squares, m, part * block, end)
        });
        let mut loss = 0.0;
        let mut slope = vec![0.0; rows * m];
        for share in shares {
            loss += share.loss;
            slope.iter_mut().zip(share.slope).for_each(|(sum, value)| *sum += value);
        }
        let x = MatRef::from_row_major_slice(&self.samples.values, rows, p);
        (loss, transpose_times(x, MatRef::from_row_major_slice(&slope, rows, m)))
    }

    /// Returns the contribution of the samples from `first` to `end`.
    fn share(
        &self,
        projected: &[f64],
        squares: &[f64],
        m: usize,
        first: usize,
        end: usize,
    ) -> Share {
        let mut share = Share { loss: 0.0, slope: vec![0.0; projected.len()] };
        let mut products = vec![0.0; BLOCK * TILE];
        for start in (first..end).step_by(BLOCK) {
            let height = BLOCK.min(end - start);
            let block = &projected[start * m..][..height * m];
            let mut owners: Vec<Owner> =
                (start..start + height).map(|row| self.owner(projected, m, row)).collect();
            for (tile, rows) in projected.chunks(TILE * m).enumerate() {
                let width = rows.len() / m;
                let products = &mut products[..height * width];
                rows_times_rows(block, height, rows, width, m, products);
                for (owner, products) in owners.iter_mut().zip(products.chunks(width)) {
                    let begin = tile * TILE;
                    // The samples of other classes are before and after those of the owner's class.
                    let own = &self.samples.classes[owner.class].1;
                    let clip = |row: usize| row.clamp(begin, begin + width);
                    for range in [begin..clip(own.start), clip(own.end)..begin + width] {
                        let products = &products[range.start - begin..range.end - begin];
                        let others = &squares[range.clone()];
                        let square = squares[owner.row];
                        near(products, others, owner.margin - square, |at, value| {
                            let weight = self.push * owner.meet(value + square);
                            pull(
                                projected,
                                m,
                                owner.row,
                                range.start + at,
                                -weight,
                                &mut share.slope,
                            );
                        });
                    }
                }
            }
            for owner in owners {
                for target in owner.targets {
                    let weight = (1.0 - self.push) + self.push * target.impostors;
                    share.loss += (1.0 - self.push) * target.square;
                    pull(projected, m, owner.row, target.row, weight, &mut share.slope);
                }
                share.loss += self.push * owner.hinges;
            }
        }
        share
    }

    fn owner(&self, projected: &[f64], m: usize, row: usize) -> Owner {
        let neighbors = self.targets.len() / self.samples.rows();
        let point = &projected[row * m..][..m];
        let targets: Vec<Target> = self.targets[row * neighbors..][..neighbors]
            .iter()
            .map(|&other| {
                let other = other as usize;
                let near = &projected[other * m..][..m];
                let square = point.iter().zip(near).map(|(x, y)| (x - y).powi(2)).sum();
                Target { row: other, square, impostors: 0.0 }
            })
            .collect();
        let margin = targets.iter().fold(0.0_f64, |top, target| top.max(1.0 + target.square));
        let class = self.samples.classes.partition_point(|(_, rows)| rows.end <= row);
        Owner { row, class, targets, margin, hinges: 0.0 }
    }
}

/// A sample with its target neighbors, during the search for impostors.
struct Owner {
    row: usize,
    /// The index among the classes that have samples.
    class: usize,
    targets: Vec<Target>,
    /// 1 + the squared distance of the farthest target neighbor.
    margin: f64,
    hinges: f64,
}

struct Target {
    row: usize,
    square: f64,
    /// The number of samples of other classes that violate the margin of this target.
    impostors: f64,
}

impl Owner {
    /// Processes a sample of another class at this squared distance and returns the number of
    /// margins that it violates.
    fn meet(&mut self, square: f64) -> f64 {
        let mut undercut = 0.0;
        for target in &mut self.targets {
            let hinge = 1.0 + target.square - square;
            if hinge > 0.0 {
                self.hinges += hinge;
                target.impostors += 1.0;
                undercut += 1.0;
            }
        }
        undercut
    }
}

/// Calls `meet` in order for every |b|² − 2a·b below the limit.
fn near(products: &[f64], squares: &[f64], limit: f64, mut meet: impl FnMut(usize, f64)) {
    dispatch(
        #[inline(always)]
        || {
            let parts = products.chunks(CHUNK).zip(squares.chunks(CHUNK));
            for (part, (products, squares)) in parts.enumerate() {
                let mut any = false;
                for (product, square) in products.iter().zip(squares) {
                    any |= square - 2.0 * product < limit;
                }
                if !any {
                    continue;
                }
                for (lane, (product, square)) in products.iter().zip(squares).enumerate() {
                    let value = square - 2.0 * product;
                    if value < limit {
                        meet(part * CHUNK + lane, value);
                    }
                }
            }
        },
    );
}

/// Adds the gradient of weight·|z_a − z_b|².
fn pull(projected: &[f64], m: usize, a: usize, b: usize, weight: f64, slope: &mut [f64]) {
    for k in 0..m {
        let force = 2.0 * weight * (projected[a * m + k] - projected[b * m + k]);
        slope[a * m + k] += force;
        slope[b * m + k] -= force;
    }
}

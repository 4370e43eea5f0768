//! Class statistics that are isotropic outside a few dimensions: Φ_k = QA_kQᵀ + s_k(I − QQᵀ) with the means in the span
//! of Q.
//!
//! Matrices of the caller may have this structure, which makes fits much faster, so it is searched for. If s is an
//! eigenvalue of multiplicity n−r, a principal submatrix of order q has it with multiplicity at least q−r (Cauchy's
//! interlacing theorem). A small eigenproblem therefore yields s and r, or shows that there is no such structure. Q
//! then spans (Φ−s)Ω for a random block Ω of slightly more than r columns (Halko, Martinsson & Tropp, 2011). Finally, a
//! pass over Q and over random directions outside either confirms the structure or rejects it.
//!
//! The search costs eigenproblems of at most two passes. If it succeeds, three passes of about r columns follow.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use super::{ClassStatistics, Entries, pass};
use crate::linalg::{
    Mat, MatRef, add_scaled, beside, column_inner, orthonormal_span, random, symmetric_eigen,
    take_out, tall_times, transpose_times,
};

/// Smallest number of columns for which the search pays off. Smaller problems are fitted in less time than the search
/// takes.
const FEWEST_DIMENSIONS: usize = 1000;
/// Orders of the principal submatrices that are examined.
const ORDERS: [usize; 4] = [128, 256, 512, 1024];
/// Number of passes that the eigenproblems of submatrices may cost.
const SEARCH: f64 = 2.0;
/// Flops of an eigenproblem of order q, divided by q³.
const EIGENPROBLEM: f64 = 10.0;
/// Relative difference up to which eigenvalues count as equal, because matrices may be in single precision.
const ONE_VALUE: f64 = 1e-4;
/// Minimum number of extra columns in the random block; for large ranks, a tenth of the rank is used.
const MORE: usize = 8;
/// Number of random directions that verify that the complement is isotropic.
const PROBES: usize = 16;
/// Largest remainder of a product outside the structure, relative to its length: about the round-off of single
/// precision.
const LEFT: f64 = 2e-5;
/// Relative difference up to which the levels s_k of classes count as equal.
const SAME_LEVEL: f64 = 1e-5;
/// Seed of all random numbers in this search, so that equal statistics always give the same result.
const SEED: u64 = 0x150;

/// Class statistics reduced to the relevant dimensions, and the map back.
#[derive(Debug)]
pub(crate) struct Isotropic {
    statistics: ClassStatistics,
    /// An orthonormal n × p matrix: Q, followed by the directions outside that are kept.
    basis: Mat<f64>,
}

impl Isotropic {
    /// Returns the class statistics in coordinates of the basis.
    pub(crate) fn statistics(&self) -> &ClassStatistics {
        &self.statistics
    }

    /// Maps filters in these coordinates to filters of the original columns.
    pub(crate) fn lift(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        tall_times(self.basis.as_ref(), filters)
    }
}

impl ClassStatistics {
    /// Returns the statistics in the few dimensions outside which every class is isotropic. Returns `None` if there are
    /// none, or if finding them costs too much compared with a fit of `filters` filters.
    ///
    /// If the levels s_k differ between classes, as many outside directions as filters are kept, and by symmetry they
    /// represent all of them. If the levels are equal, filters outside only add noise, and outside directions are kept
    /// only if there would otherwise be fewer dimensions than filters.
    pub(crate) fn isotropic_outside(&self, filters: usize) -> Option<Isotropic> {
        let (n, classes) = (self.dimension(), self.classes().len());
        if n < FEWEST_DIMENSIONS {
            return None;
        }
        let entries: Vec<Entries<'_>> = self
            .covariances()
            .iter()
            .map(|covariance| covariance.entries())
            .collect::<Option<_>>()?;
        let flops: f64 = self.covariances().iter().map(|covariance| covariance.flops()).sum();
        let weights = weights(classes);
        let (level, rank) = bulk(&entries, &weights, n, SEARCH * flops * filters as f64)?;
        let width = rank + MORE.max(rank / 10);
        if width + classes + filters > n / 2 || width > 3 * filters + 64 {
            return None;
        }
        let beyond_level = |block: Mat<f64>| {
            let mut range = Mat::zeros(n, block.ncols());
            add_scaled(range.as_mut(), -level, block.as_ref());
            for (product, weight) in pass(self, &[block.as_ref()]).remove(0).iter().zip(&weights) {
                add_scaled(range.as_mut(), *weight, product.as_ref());
            }
            range
        };
        // Applied twice: a random block is so badly conditioned that rounding in a single pass would hide weak
        // directions.
        let range = orthonormal_span(beyond_level(random(n, width, SEED, 0)))?;
        let range = beyond_level(range);
        let core = orthonormal_span(beside(&[self.means().as_ref(), range.as_ref()]))?;
        let kept = core.ncols();
        let outside = outside(core.as_ref(), PROBES.max(filters))?;
        let basis = beside(&[core.as_ref(), outside.as_ref()]);
        // Only the first PROBES directions are verified; by symmetry, other outside directions behave alike.
        let probed = basis.subcols(0, kept + PROBES);
        let products = pass(self, &[probed]).remove(0);
        let mut levels = Vec::with_capacity(classes);
        for product in &products {
            levels.push(proved_level(core.as_ref(), probed, product)?);
        }
        let (low, high) = levels
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(low, high), &s| (low.min(s), high.max(s)));
        let same = high - low <= SAME_LEVEL * high;
        let beside_core = if same { filters.saturating_sub(kept) } else { filters };
        let order = kept + beside_core;
        let forms: Vec<Mat<f64>> = products
            .iter()
            .zip(&levels)
            .map(|(product, &level)| {
                let form = transpose_times(core.as_ref(), product.subcols(0, kept));
                Mat::from_fn(order, order, |i, j| match (i < kept, j < kept) {
                    (true, true) => 0.5 * (form[(i, j)] + form[(j, i)]),
                    _ if i == j => level,
                    _ => 0.0,
                })
            })
            .collect();
        let basis = basis.subcols(0, order).to_owned();
        Some(Isotropic { statistics: self.confined(basis.as_ref(), &forms), basis })
    }
}

/// Returns different weights for the classes, so that differences between classes do not cancel in the weighted sum.
fn weights(classes: usize) -> Vec<f64> {
    let weight = |class: usize| 1.0 + (0.618 * (class + 1) as f64).fract();
    (0..classes).map(|class| weight(class) / classes as f64).collect()
}

/// Returns the value that most eigenvalues of Σ w_kΦ_k have in common, and an estimate of the number of other
/// eigenvalues.
fn bulk(entries: &[Entries<'_>], weights: &[f64], n: usize, flops: f64) -> Option<(f64, usize)> {
    let mut places: Vec<usize> = (0..n).collect();
    places.shuffle(&mut ChaCha12Rng::seed_from_u64(SEED));
    for order in ORDERS {
        if EIGENPROBLEM * (order as f64).powi(3) > flops || 2 * order > n {
            return None;
        }
        let places = &places[..order];
        let matrix = Mat::from_fn(order, order, |i, j| {
            let parts = entries.iter().zip(weights);
            parts.map(|(entries, weight)| weight * entries.at(places[i], places[j])).sum::<f64>()
        });
        let (mut values, _) = symmetric_eigen(matrix.as_ref())?;
        values.sort_by(f64::total_cmp);
        let mut most = (0, 0);
        let mut first = 0;
        for last in 0..order {
            while values[last] - values[first] > ONE_VALUE * values[last].abs() {
                first += 1;
            }
            if last + 1 - first > most.1 - most.0 {
                most = (first, last + 1);
            }
        }
        let count = most.1 - most.0;
        if 2 * count > order {
            let level = values[most.0..most.1].iter().sum::<f64>() / count as f64;
            return (level > 0.0).then_some((level, order - count));
        }
    }
    None
}

/// Returns `count` orthonormal directions orthogonal to the orthonormal columns of `core`.
fn outside(core: MatRef<'_, f64>, count: usize) -> Option<Mat<f64>> {
    let mut drawn = random(core.nrows(), count, SEED, 1);
    for _ in 0..2 {
        take_out(drawn.as_mut(), core);
        drawn = orthonormal_span(drawn)?;
    }
    (drawn.ncols() == count).then_some(drawn)
}

/// Returns the level s if Φ maps the core into itself and each probe outside to s times itself.
fn proved_level(core: MatRef<'_, f64>, probed: MatRef<'_, f64>, product: &Mat<f64>) -> Option<f64> {
    let kept = core.ncols();
    let probes = probed.ncols() - kept;
    let level =
        (kept..kept + probes).map(|j| column_inner(probed, product.as_ref(), j)).sum::<f64>()
            / probes as f64;
    let mut rest = product.clone();
    take_out(rest.as_mut().subcols_mut(0, kept), core);
    add_scaled(rest.as_mut().subcols_mut(kept, probes), -level, probed.subcols(kept, probes));
    let length = |block: MatRef<'_, f64>, j: usize| column_inner(block, block, j).sqrt();
    let small = |j: usize| {
        let whole = if j < kept { length(product.as_ref(), j) + level } else { level };
        length(rest.as_ref(), j) <= LEFT * whole
    };
    (level > 0.0 && (0..kept + probes).all(small)).then_some(level)
}

#[cfg(test)]
mod tests;

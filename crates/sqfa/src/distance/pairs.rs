//! Sums over all pairs of classes: batches of eight pairs use SIMD instructions, chunks of batches
//! run in parallel.
//!
//! The results have the same bits at any number of threads. The pairs are divided into chunks whose
//! size depends only on the number of pairs and the dimension. Each chunk adds its derivatives in
//! the order of its pairs, and the sums of the chunks are added in order.

use thiserror::Error;

use super::Distance;
use super::formula::{Pair, Slopes, Work, filled};
use super::kernel::Hint;
use crate::features::Gaussians;
use crate::linalg::{LANES, Lanes, Real, dispatch};
use crate::parallel;

/// An error in the evaluation of pairs of classes.
///
/// During optimization, a step that leads to such an error is shortened.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PairError {
    /// A covariance in feature space that has no Cholesky factor.
    #[error(
        "the covariance of class {class} in feature space is not positive definite (pivot {pivot:e})"
    )]
    NotPositiveDefinite {
        /// The index of the class.
        class: usize,
        /// The first pivot that is not positive.
        pivot: f64,
    },
    /// A distance or derivative that is not finite although both covariances are positive definite.
    #[error("distance '{distance}' between classes {first} and {second} is {value}")]
    NotFinite {
        /// The name of the distance.
        distance: String,
        /// The index of the first class.
        first: usize,
        /// The index of the second class.
        second: usize,
        /// The value of the distance; NaN if a derivative is not finite.
        value: f64,
    },
}

/// Largest number of chunks. It is enough to keep many cores busy, and few enough to limit the
/// memory of partial sums.
const MAX_CHUNKS: usize = 64;
/// Fewest batches per chunk in dimensions of at most `SMALL_ORDER`, where allocating the scratch
/// space of a chunk costs as much as some batches. In higher dimensions a single batch is enough.
const MIN_BATCHES: usize = 3;
/// Largest dimension in which a chunk has at least `MIN_BATCHES` batches.
const SMALL_ORDER: usize = 32;

/// The pairs of classes whose distances are averaged, with their weights.
#[derive(Debug, Clone)]
pub(crate) struct PairPlan {
    classes: usize,
    pairs: Vec<(u32, u32)>,
    /// One weight per pair; they sum to 1.
    weights: Vec<f64>,
}

/// The weighted mean distance, with its derivatives for every class.
#[derive(Debug, Clone)]
pub(crate) struct PairSums {
    pub(crate) value: f64,
    /// Derivatives with respect to the means: c × m, one row per class.
    pub(crate) mean_slopes: Vec<f64>,
    /// Derivatives with respect to the covariances: c symmetric matrices of order m.
    pub(crate) cov_slopes: Vec<f64>,
    /// The hint of every pair for the next evaluation; empty if the distance uses no hints.
    pub(crate) hints: Vec<Hint>,
}

impl PairPlan {
    /// Creates a plan of all unordered pairs, weighted equally or by a symmetric c × c matrix.
    /// Pairs of weight 0 are left out.
    pub(crate) fn new(classes: usize, weights: Option<&[f64]>) -> Self {
        let mut pairs = Vec::with_capacity(classes * classes.saturating_sub(1) / 2);
        let mut kept = Vec::new();
        for i in 0..classes {
            for j in i + 1..classes {
                let weight = weights.map_or(1.0, |weights| weights[i * classes + j]);
                if weight != 0.0 {
                    pairs.push((i as u32, j as u32));
                    kept.push(weight);
                }
            }
        }
        let total: f64 = kept.iter().sum();
        kept.iter_mut().for_each(|weight| *weight /= total);
        Self { classes, pairs, weights: kept }
    }

    /// Creates a plan of some pairs, weighted equally or by a symmetric c × c matrix; `None` if all
    /// their weights are 0.
    pub(crate) fn of(
        classes: usize,
        pairs: Vec<(u32, u32)>,
        weights: Option<&[f64]>,
    ) -> Option<Self> {
        let weight = |&(i, j): &(u32, u32)| {
            weights.map_or(1.0, |weights| weights[i as usize * classes + j as usize])
        };
        let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|pair| weight(pair) != 0.0).collect();
        let mut kept: Vec<f64> = pairs.iter().map(weight).collect();
        let total: f64 = kept.iter().sum();
        kept.iter_mut().for_each(|weight| *weight /= total);
        (!pairs.is_empty()).then_some(Self { classes, pairs, weights: kept })
    }

    /// Returns the number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the weighted mean distance with its derivatives. `hints` are those of an evaluation
    /// nearby, or empty.
    pub(crate) fn evaluate(
        &self,
        distance: &Distance,
        gaussians: &Gaussians,
        hints: &[Hint],
    ) -> Result<PairSums, PairError> {
        let order = gaussians.order();
        let lanes = distance.kernel.shares_lanes(order);
        let batch = if lanes { LANES } else { 1 };
        let batches = self.pairs.len().div_ceil(batch);
        let least = if order <= SMALL_ORDER { MIN_BATCHES } else { 1 };
        let per_chunk = batches.div_ceil(MAX_CHUNKS).max(least) * batch;
        let chunks = self.pairs.chunks(per_chunk).zip(self.weights.chunks(per_chunk)).enumerate();
        let chunks = parallel::try_map(chunks, |(index, (pairs, weights))| {
            let mut sums = ChunkSums::new(self.classes, order, pairs.len());
            if distance.kernel.keeps_hints() {
                let given = hints.iter().skip(index * per_chunk).take(pairs.len());
                sums.hints = given.cloned().collect();
                sums.hints.resize(pairs.len(), Hint::new());
            }
            if lanes {
                sums.add::<Lanes>(distance, gaussians, pairs, weights)?;
            } else {
                sums.add::<f64>(distance, gaussians, pairs, weights)?;
            }
            Ok::<_, PairError>(sums)
        })?;
        let mut total = PairSums {
            value: 0.0,
            mean_slopes: vec![0.0; self.classes * order],
            cov_slopes: vec![0.0; self.classes * order * order],
            hints: Vec::new(),
        };
        for chunk in chunks {
            chunk.fold_into(&mut total, order);
        }
        Ok(total)
    }
}

/// The sums of one chunk. Only the classes that occur in its pairs have derivatives, which saves
/// memory if there are many classes.
struct ChunkSums {
    value: f64,
    /// One plus the position of a class in `met`; 0 for a class that does not occur.
    places: Vec<u32>,
    /// The classes that occur, in the order of their derivatives.
    met: Vec<u32>,
    /// For each class that occurs, the derivatives with respect to its mean and then to its
    /// covariance.
    slopes: Vec<f64>,
    hints: Vec<Hint>,
    order: usize,
}

impl ChunkSums {
    fn new(classes: usize, order: usize, pairs: usize) -> Self {
        let room = (2 * pairs).min(classes);
        Self {
            value: 0.0,
            places: vec![0; classes],
            met: Vec::with_capacity(room),
            slopes: Vec::with_capacity(room * order * (order + 1)),
            hints: Vec::new(),
            order,
        }
    }

    fn add<R: Batch>(
        &mut self,
        distance: &Distance,
        gaussians: &Gaussians,
        pairs: &[(u32, u32)],
        weights: &[f64],
    ) -> Result<(), PairError> {
        let order = self.order;
        let mut buffers = Buffers::<R>::new(order);
        let mut slopes = filled(order, R::splat(0.0));
        let batches = pairs.chunks(R::WIDTH).zip(weights.chunks(R::WIDTH));
        for (batch, (pairs, weights)) in batches.enumerate() {
            buffers.load(gaussians, gaussians, pairs);
            let hint = self.hints.get_mut(batch);
            let values = buffers.evaluate(distance, Some(&mut slopes), hint);
            let mut shares = R::splat(0.0);
            weights.iter().enumerate().for_each(|(lane, &weight)| shares.set_lane(lane, weight));
            let check = R::weigh(&mut slopes, shares);
            for (lane, (&(i, j), &weight)) in pairs.iter().zip(weights).enumerate() {
                let (i, j) = (i as usize, j as usize);
                if same(gaussians, i, gaussians, j) {
                    continue;
                }
                let value = values.lane(lane);
                if !value.is_finite() {
                    return Err(diagnose(distance, (gaussians, i), (gaussians, j), value));
                }
                if !check.lane(lane).is_finite() {
                    return Err(diagnose(distance, (gaussians, i), (gaussians, j), f64::NAN));
                }
                self.value += weight * value;
                self.accumulate(i, &slopes.mean_a, &slopes.cov_a, lane);
                self.accumulate(j, &slopes.mean_b, &slopes.cov_b, lane);
            }
        }
        Ok(())
    }

    /// Adds the derivatives of one lane to those of a class.
    fn accumulate<R: Real>(&mut self, class: usize, mean: &[R], cov: &[R], lane: usize) {
        let length = self.order * (self.order + 1);
        if self.places[class] == 0 {
            self.met.push(class as u32);
            self.places[class] = self.met.len() as u32;
            self.slopes.resize(self.met.len() * length, 0.0);
        }
        let first = (self.places[class] as usize - 1) * length;
        let sums = self.slopes[first..first + length].iter_mut();
        sums.zip(mean.iter().chain(cov)).for_each(|(sum, slope)| *sum += slope.lane(lane));
    }

    fn fold_into(self, total: &mut PairSums, order: usize) {
        total.value += self.value;
        total.hints.extend(self.hints);
        for (&class, slopes) in self.met.iter().zip(self.slopes.chunks(order * (order + 1))) {
            let (class, (mean, cov)) = (class as usize, slopes.split_at(order));
            add_to(&mut total.mean_slopes[class * order..], mean);
            add_to(&mut total.cov_slopes[class * order * order..], cov);
        }
    }
}

fn add_to(total: &mut [f64], part: &[f64]) {
    for (sum, value) in total.iter_mut().zip(part) {
        *sum += value;
    }
}

/// Returns whether two classes have exactly the same mean and covariance, so that their distance is
/// 0.
pub(super) fn same(a: &Gaussians, i: usize, b: &Gaussians, j: usize) -> bool {
    a.mean(i) == b.mean(j) && a.covariance(i) == b.covariance(j)
}

/// Finds the reason for a value that is not finite: a covariance that is not positive definite, or
/// an overflow.
pub(super) fn diagnose(
    distance: &Distance,
    (a, i): (&Gaussians, usize),
    (b, j): (&Gaussians, usize),
    value: f64,
) -> PairError {
    for (gaussians, class) in [(a, i), (b, j)] {
        let order = gaussians.order();
        let mut factor = gaussians.covariance(class).to_vec();
        f64::cholesky(&mut factor, order);
        // Cholesky takes the root of a last pivot of exactly zero without an error, so the diagonal
        // is checked as well.
        let singular = factor.iter().step_by(order + 1).any(|&root| root == 0.0);
        if singular || factor.iter().any(|value| !value.is_finite()) {
            return PairError::NotPositiveDefinite {
                class,
                pivot: smallest_pivot(gaussians.covariance(class), order),
            };
        }
    }
    PairError::NotFinite { distance: distance.name().to_owned(), first: i, second: j, value }
}

/// Returns the first pivot of a Cholesky factorization that is not positive.
fn smallest_pivot(matrix: &[f64], order: usize) -> f64 {
    let mut lower = vec![0.0; order * order];
    for j in 0..order {
        let mut pivot = matrix[j * order + j];
        for k in 0..j {
            pivot -= lower[j * order + k] * lower[j * order + k];
        }
        if pivot.is_nan() || pivot <= 0.0 {
            return pivot;
        }
        let root = pivot.sqrt();
        lower[j * order + j] = root;
        for i in j + 1..order {
            let mut sum = matrix[i * order + j];
            for k in 0..j {
                sum -= lower[i * order + k] * lower[j * order + k];
            }
            lower[i * order + j] = sum / root;
        }
    }
    0.0
}

/// A number type that the evaluation of pairs supports: one pair or eight lanes.
pub(super) trait Batch: Real {
    fn run(
        distance: &Distance,
        pair: &Pair<'_, Self>,
        work: &mut Work<Self>,
        slopes: Option<&mut Slopes<Self>>,
        hint: Option<&mut Hint>,
    ) -> Self;

    /// Multiplies derivatives by the weights of their pairs. The result is finite in a lane only if
    /// all derivatives of this lane are.
    fn weigh(slopes: &mut Slopes<Self>, weights: Self) -> Self;
}

#[inline(always)]
fn weigh<R: Real>(slopes: &mut Slopes<R>, weights: R) -> R {
    let Slopes { mean_a, cov_a, mean_b, cov_b } = slopes;
    let (zero, mut check) = (R::splat(0.0), R::splat(0.0));
    for values in [mean_a, cov_a, mean_b, cov_b] {
        for value in values {
            *value = *value * weights;
            check = check + *value * zero;
        }
    }
    check
}

impl Batch for f64 {
    fn run(
        distance: &Distance,
        pair: &Pair<'_, Self>,
        work: &mut Work<Self>,
        slopes: Option<&mut Slopes<Self>>,
        hint: Option<&mut Hint>,
    ) -> Self {
        match hint {
            Some(hint) => distance.kernel.one_from(pair, work, slopes, hint),
            None => distance.kernel.one(pair, work, slopes),
        }
    }

    fn weigh(slopes: &mut Slopes<Self>, weights: Self) -> Self {
        weigh(slopes, weights)
    }
}

impl Batch for Lanes {
    fn run(
        distance: &Distance,
        pair: &Pair<'_, Self>,
        work: &mut Work<Self>,
        slopes: Option<&mut Slopes<Self>>,
        _: Option<&mut Hint>,
    ) -> Self {
        distance.kernel.eight(pair, work, slopes)
    }

    fn weigh(slopes: &mut Slopes<Self>, weights: Self) -> Self {
        dispatch(
            #[inline(always)]
            || weigh(slopes, weights),
        )
    }
}

/// The statistics of one batch of pairs, one pair per lane, and the scratch space of the formulas.
pub(super) struct Buffers<R> {
    order: usize,
    mean_a: Vec<R>,
    cov_a: Vec<R>,
    mean_b: Vec<R>,
    cov_b: Vec<R>,
    work: Work<R>,
}

impl<R: Batch> Buffers<R> {
    pub(super) fn new(order: usize) -> Self {
        let zero = R::splat(0.0);
        Self {
            order,
            mean_a: vec![zero; order],
            cov_a: vec![zero; order * order],
            mean_b: vec![zero; order],
            cov_b: vec![zero; order * order],
            work: Work::new(order),
        }
    }

    /// Loads pairs into the lanes. Lanes beyond the last pair repeat it, so that they hold valid
    /// numbers.
    pub(super) fn load(&mut self, first: &Gaussians, second: &Gaussians, pairs: &[(u32, u32)]) {
        for lane in 0..R::WIDTH {
            let (i, j) = pairs[lane.min(pairs.len() - 1)];
            set(&mut self.mean_a, first.mean(i as usize), lane);
            set(&mut self.cov_a, first.covariance(i as usize), lane);
            set(&mut self.mean_b, second.mean(j as usize), lane);
            set(&mut self.cov_b, second.covariance(j as usize), lane);
        }
    }

    pub(super) fn evaluate(
        &mut self,
        distance: &Distance,
        slopes: Option<&mut Slopes<R>>,
        hint: Option<&mut Hint>,
    ) -> R {
        let pair = Pair {
            order: self.order,
            mean_a: &self.mean_a,
            cov_a: &self.cov_a,
            mean_b: &self.mean_b,
            cov_b: &self.cov_b,
        };
        R::run(distance, &pair, &mut self.work, slopes, hint)
    }
}

fn set<R: Real>(target: &mut [R], source: &[f64], lane: usize) {
    for (target, &source) in target.iter_mut().zip(source) {
        target.set_lane(lane, source);
    }
}

#[cfg(test)]
mod tests;

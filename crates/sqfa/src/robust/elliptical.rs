//! Location and scatter of classes with outliers: the t distribution by expectation maximization (EM), and Tyler's
//! fixed point.
//!
//! For ν degrees of freedom in p columns, EM weights a sample at squared distance d² by w = (ν+p)/(ν+d²). Mean and
//! scatter become the weighted ones. The scatter is divided by Σw instead of N, which has the same fixed point and
//! converges in fewer iterations (Kent, Tyler & Vardi 1994). If ν is not specified, it is estimated by maximum
//! likelihood for all classes together after each iteration. Tyler's fixed point has w = p/d² for the scatter and 1/d
//! for the location (Hettmansperger & Randles 2002). Its scale is chosen so that the median of d² is that of χ²_p.
//!
//! Distances are measured in the metric of Σ if Σ is reliable: with at least [`PLENTY`] samples per column, and in
//! every column enough samples that differ from the most common value (Kent & Tyler 1991). Otherwise, as for pixels
//! that are almost always 0, they are measured in the metric of (1−s)Σ + s(tr Σ/p)I for columns divided by their robust
//! deviations, with s from OAS. The resulting scatter itself is never shrunk. Columns that are constant within a class
//! are ignored.
//!
//! An iteration costs 3N·p² flops in the data's precision and p³ per class. About 12 to 24 iterations are needed. The
//! bits do not depend on the number of threads.
//!
//! References: Kent & Tyler, *Annals of Statistics* 19, 1991. Kent, Tyler & Vardi, *Communications in Statistics –
//! Simulation* 23, 1994. Liu & Rubin, *Statistica Sinica* 5, 1995. Tyler, *Annals of Statistics* 15, 1987.
//! Hettmansperger & Randles, *Biometrika* 89, 2002. Chen, Wiesel, Eldar & Hero, *IEEE Trans. Signal Processing* 58,
//! 2010.

use super::RobustError;
use super::chi_squared::quantile;
use super::gamma::{Distances, likely_degrees};
use super::shrinkage::{oracle_approximating, squared_norm};
use super::standard::{Members, Standard, median};
use crate::linalg::{Element, Float, Lower, Real, add_scatter, rows_times_rows, scratch_room};
use crate::parallel;
use crate::points::{Points, Scalar, Table};

/// Number of samples per column from which distances are measured in the metric of the scatter itself.
const PLENTY: usize = 10;
/// Number of samples whose products are summed in the data's own precision before the sum continues in `f64`.
const BLOCK: usize = 512;
/// Maximum number of iterations.
const STEPS: usize = 200;
/// Largest change of an iteration, in robust deviations, at which a class has converged, for single and double
/// precision.
const SETTLED: (f64, f64) = (1e-5, 1e-9);
/// Squared distance up to which a sample counts as lying at the center, where it has no direction.
const AT_CENTER: f64 = 1e-12;
/// Initial degrees of freedom if they are estimated.
const FIRST_DEGREES: f64 = 5.0;
/// Relative change of ν below which it has converged.
const SETTLED_DEGREES: f64 = 1e-4;
/// Squared pivot, relative to the variance, below which Σ alone is not used as a metric.
const RANK: f64 = 1e-10;

/// The weights of samples as a function of their distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Law {
    /// The weights of a t distribution. Without a number, the degrees of freedom are estimated.
    StudentT(Option<f64>),
    /// The weights of Tyler's estimator, which uses only the directions of samples.
    Tyler,
}

/// Location and scatter of one class, in all columns.
pub(crate) struct Estimate {
    pub(crate) location: Vec<f64>,
    /// The scatter matrix, row-major, of which the lower triangle is valid.
    pub(crate) scatter: Vec<f64>,
    /// Fraction of the identity in the metric in which distances were measured.
    pub(crate) shrinkage: f64,
    pub(crate) settled: bool,
}

/// The estimates of all classes.
pub(crate) struct Estimated {
    pub(crate) classes: Vec<Estimate>,
    /// Degrees of freedom ν, for t distributions.
    pub(crate) degrees: Option<f64>,
    /// Number of iterations of the slowest class.
    pub(crate) steps: usize,
}

/// The index of a class, and the reason why it has no estimate.
pub(crate) type ClassError = (usize, RobustError);

/// Estimates location and scatter of every class.
pub(crate) fn estimate(
    points: Points<'_>,
    classes: &[Members],
    law: Law,
) -> Result<Estimated, ClassError> {
    match points {
        Points::U8(table) => run::<f32, _>(&table, classes, law, SETTLED.0),
        Points::F32(table) => run::<f32, _>(&table, classes, law, SETTLED.0),
        Points::F64(table) => run::<f64, _>(&table, classes, law, SETTLED.1),
    }
}

fn run<T: Element, S: Scalar>(
    table: &Table<'_, S>,
    classes: &[Members],
    law: Law,
    tolerance: f64,
) -> Result<Estimated, ClassError> {
    let mut degrees = match law {
        Law::StudentT(given) => given.unwrap_or(FIRST_DEGREES),
        Law::Tyler => 0.0,
    };
    let search = law == Law::StudentT(None);
    let begun = parallel::try_map(classes.iter().enumerate(), |(class, members)| {
        Class::<T>::new(table, members, degrees).map_err(|error| (class, error))
    });
    let mut states = begun?;
    let mut steps = 0;
    let mut last = degrees;
    while steps < STEPS && states.iter().any(|state| !state.settled) {
        steps += 1;
        let (all, now) = (states.iter_mut().filter(|state| search || !state.settled), degrees);
        parallel::for_each(all, |state| {
            state.step(law, now);
            state.settled = state.change < tolerance;
        });
        if search {
            let distances: Vec<Distances<'_>> = states.iter().map(Class::distances).collect();
            degrees = likely_degrees(&distances);
            let moves = (degrees / last).ln().abs() > SETTLED_DEGREES;
            states.iter_mut().for_each(|state| state.settled &= !moves);
            last = degrees;
        }
    }
    let estimates = parallel::map(states, |state| state.finish(law, table.columns()));
    let degrees = matches!(law, Law::StudentT(_)).then_some(degrees);
    Ok(Estimated { classes: estimates, degrees, steps })
}

/// The state of one class during the iteration, for columns divided by their robust deviations.
struct Class<'m, T> {
    members: &'m Members,
    points: Standard<T>,
    mean: Vec<f64>,
    /// The scatter matrix, row-major, of which the lower triangle is valid.
    scatter: Vec<f64>,
    /// Whether distances are measured in the metric of the scatter itself, without shrinkage.
    plain: bool,
    shrinkage: f64,
    /// Squared distances of the samples in the last iteration.
    squares: Vec<f64>,
    change: f64,
    settled: bool,
}

impl<'m, T: Element> Class<'m, T> {
    fn new<S: Scalar>(
        table: &Table<'_, S>,
        members: &'m Members,
        degrees: f64,
    ) -> Result<Self, RobustError> {
        let points = Standard::new(table, members)?;
        let (rows, p) = (members.rows.len(), points.columns.len());
        // A row of weight 2 is two rows.
        let count = members.count() as usize;
        if count <= p {
            return Err(RobustError::TooFewForScatter { points: count, dimension: p });
        }
        let needed = (2.0 / (p as f64 + degrees)).min(0.5);
        let plain = count >= PLENTY * p && points.least_off > needed;
        let mut scatter = vec![0.0; p * p];
        (0..p).for_each(|i| scatter[i * p + i] = 1.0);
        let (mean, squares) = (vec![0.0; p], vec![0.0; rows]);
        let (shrinkage, change) = (0.0, f64::INFINITY);
        Ok(Self {
            members,
            points,
            mean,
            scatter,
            plain,
            shrinkage,
            squares,
            change,
            settled: false,
        })
    }

    fn width(&self) -> usize {
        self.points.columns.len()
    }

    fn distances(&self) -> Distances<'_> {
        let repeats = self.members.repeats.as_deref();
        Distances { dimension: self.width(), squares: &self.squares, repeats }
    }

    /// Returns L⁻¹ for the metric LLᵀ in which distances are measured, and the diagonal of the metric.
    fn metric(&mut self) -> (Vec<f64>, Vec<f64>) {
        let p = self.width();
        loop {
            let mut lower = self.scatter.clone();
            let trace: f64 = (0..p).map(|i| lower[i * p + i]).sum();
            let share = if self.plain { 0.0 } else { self.oas(trace) };
            if share > 0.0 {
                lower.iter_mut().for_each(|entry| *entry *= 1.0 - share);
                (0..p).for_each(|i| lower[i * p + i] += share * trace / p as f64);
            }
            self.shrinkage = share;
            let diagonal: Vec<f64> = (0..p).map(|i| lower[i * p + i]).collect();
            f64::cholesky(&mut lower, p);
            // A failed factorization leaves NaN, for which the comparison is false.
            let sound = (0..p).all(|i| lower[i * p + i].powi(2) > RANK * diagonal[i]);
            if sound || !self.plain {
                let mut inverse = vec![0.0; p * p];
                f64::invert_lower(&lower, &mut inverse, p);
                return (inverse, diagonal);
            }
            self.plain = false;
        }
    }

    /// Returns the OAS fraction of the identity, but at least a small positive number.
    fn oas(&self, trace: f64) -> f64 {
        let p = self.width();
        let (dimension, count) = (p as f64, self.members.total());
        let square = squared_norm(Lower::new(&self.scatter, p));
        oracle_approximating(count, dimension, trace, square).max(RANK)
    }

    /// Performs one iteration of the fixed point.
    fn step(&mut self, law: Law, degrees: f64) {
        let p = self.width();
        let (whitening, diagonal) = self.metric();
        let whitening: Vec<T> = whitening.iter().map(|&entry| T::from_f64(entry)).collect();
        let mean: Vec<T> = self.mean.iter().map(|&entry| T::from_f64(entry)).collect();
        let height = BLOCK.min(self.members.rows.len());
        let mut block = vec![T::from_f64(0.0); height * p];
        let mut whitened = vec![T::from_f64(0.0); height * p];
        let mut scratch = vec![T::from_f64(0.0); scratch_room::<T>(p)];
        let mut scatter = vec![0.0; p * p];
        let (mut shift, mut for_mean, mut for_scatter) = (vec![0.0; p], 0.0, 0.0);
        for (index, values) in self.points.values.chunks(BLOCK * p).enumerate() {
            let rows = values.len() / p;
            for (target, source) in block.chunks_mut(p).zip(values.chunks(p)) {
                for ((target, &value), &mean) in target.iter_mut().zip(source).zip(&mean) {
                    *target = value - mean;
                }
            }
            rows_times_rows(&block, rows, &whitening, p, p, &mut whitened);
            for row in 0..rows {
                let at = index * BLOCK + row;
                let distance = whitened[row * p..][..p].iter().map(|&y| Float::to_f64(y).powi(2));
                let distance: f64 = distance.sum();
                self.squares[at] = distance;
                let repeats = self.members.repeats.as_ref().map_or(1.0, |all| all[at]);
                let (location, weight, counts) = weights(law, degrees, p, distance);
                for_mean += repeats * location;
                for_scatter += repeats * counts;
                let root = (repeats * weight).sqrt();
                for (value, shift) in block[row * p..][..p].iter_mut().zip(&mut shift) {
                    *shift += repeats * location * Float::to_f64(*value);
                    *value = T::from_f64(root * Float::to_f64(*value));
                }
            }
            add_scatter(&block, rows, p, &[], &mut scratch, &mut scatter);
        }
        shift.iter_mut().for_each(|sum| *sum /= for_mean);
        // For the t distribution, both weights are equal and the scatter is about the new mean. Tyler's scatter has no
        // scale of its own, so it is normalized.
        let about_new = law != Law::Tyler;
        if law == Law::Tyler {
            for_scatter = (0..p).map(|i| scatter[i * p + i]).sum::<f64>() / p as f64;
        }
        let mut change = 0.0_f64;
        for i in 0..p {
            let deviation = diagonal[i].sqrt();
            change = change.max(shift[i].abs() / deviation);
            for j in 0..=i {
                let mut entry = scatter[i * p + j] / for_scatter;
                if about_new {
                    entry -= shift[i] * shift[j];
                }
                let moved = (entry - self.scatter[i * p + j]).abs();
                change = change.max(moved / (deviation * diagonal[j].sqrt()));
                self.scatter[i * p + j] = entry;
            }
            self.mean[i] += shift[i];
        }
        self.change = change;
    }

    /// Returns the estimate in the original units of the columns.
    fn finish(self, law: Law, columns: usize) -> Estimate {
        let p = self.width();
        let scale = if law == Law::Tyler { self.median_scale() } else { 1.0 };
        let Standard { columns: own, center, units, .. } = self.points;
        let mut location = center;
        let mut scatter = vec![0.0; columns * columns];
        for i in 0..p {
            location[own[i]] += units[i] * self.mean[i];
            for j in 0..=i {
                let entry = scale * self.scatter[i * p + j] * units[i] * units[j];
                scatter[own[i] * columns + own[j]] = entry;
            }
        }
        Estimate { location, scatter, shrinkage: self.shrinkage, settled: self.settled }
    }

    /// Returns the ratio of the median of d² to the median of χ²_p.
    fn median_scale(&self) -> f64 {
        let repeat = |at: usize| self.members.repeats.as_ref().map_or(1.0, |all| all[at]);
        let mut squares: Vec<(f64, f64)> =
            self.squares.iter().enumerate().map(|(at, &square)| (square, repeat(at))).collect();
        median(&mut squares, self.members.total()) / quantile(self.width(), 0.5)
    }
}

/// Returns the weights of a sample at squared distance `square`: for the location, for the scatter, and in the divisor
/// of the scatter, which Tyler's estimator does not have.
fn weights(law: Law, degrees: f64, p: usize, square: f64) -> (f64, f64, f64) {
    let p = p as f64;
    match law {
        _ if !square.is_finite() => (0.0, 0.0, 0.0),
        Law::StudentT(_) => {
            let weight = (degrees + p) / (degrees + square);
            (weight, weight, weight)
        }
        Law::Tyler if square <= AT_CENTER * p => (0.0, 0.0, 0.0),
        Law::Tyler => (1.0 / square.sqrt(), p / square, 0.0),
    }
}

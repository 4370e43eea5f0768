//! Learning of a nonlinear feature map: scaling of the columns, bandwidth, and random frequencies or kept samples.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{Lift, LiftError, LiftKind, LiftParts, LiftRecipe};
use crate::finite::first_not_finite;
use crate::linalg::{MAX_ORDER, Mat, rows_times_rows, symmetric_eigen};
use crate::parallel;
use crate::pipeline::{WIDE, alike};
use crate::points::{Points, Scalar};
use crate::statistics::constant_columns;

/// Number of samples among which the median distance is computed.
const LOOKED_AT: usize = 1000;
/// Number of rows that are summed by one task.
const BLOCK: usize = 1024;
/// Eigenvalues of the kernel matrix below this fraction of the largest are dropped, because single-precision kernels do
/// not represent them.
const RANK: f64 = 1e-6;
/// Streams of the random generator: frequencies, phases, kept samples, and samples for the median distance.
const STREAMS: [u64; 4] = [1, 2, 3, 4];

impl LiftRecipe {
    /// Learns the map from samples, one per row.
    ///
    /// # Errors
    ///
    /// Returns an error if the bandwidth is not positive and finite, a value is not finite, there are fewer samples
    /// than features of a Nyström map, or all samples are equal and no bandwidth is specified.
    pub fn fit(&self, points: Points<'_>) -> Result<Lift, LiftError> {
        if let Some(bandwidth) = self.bandwidth
            && !(bandwidth > 0.0 && bandwidth.is_finite())
        {
            return Err(LiftError::Bandwidth { bandwidth });
        }
        let (rows, n) = (points.rows(), points.columns());
        if let LiftKind::Nystroem(count) = self.kind {
            if count > MAX_ORDER {
                return Err(LiftError::TooLarge { count, limit: MAX_ORDER });
            }
            if count > rows {
                return Err(LiftError::FewPoints { count, points: rows });
            }
        }
        if let Some((row, column, value)) = first_not_finite(points, None) {
            return Err(LiftError::NotFinite { row, column, value });
        }
        let (offset, factors) = units(points);
        let mut parts = LiftParts {
            kind: self.kind,
            bandwidth: 0.0,
            offset,
            factors,
            anchors: Vec::new(),
            phases: Vec::new(),
            whitening: Vec::new(),
        };
        if self.kind != LiftKind::Quadratic {
            parts.bandwidth = match self.bandwidth {
                Some(bandwidth) => bandwidth,
                None => self.median_distance(points, &parts)?,
            };
            parts.factors.iter_mut().for_each(|factor| *factor /= parts.bandwidth);
        }
        match self.kind {
            LiftKind::Quadratic => {}
            LiftKind::Fourier(count) => {
                let mut waves = self.generator(0);
                parts.anchors = (0..count * n).map(|_| StandardNormal.sample(&mut waves)).collect();
                let mut phases = self.generator(1);
                let turn = 2.0 * std::f64::consts::PI;
                parts.phases = (0..count).map(|_| phases.random_range(0.0..turn)).collect();
            }
            LiftKind::Nystroem(count) => {
                let mut kept = self.drawn(2, rows, count);
                kept.sort_unstable();
                parts.anchors = parts.scaled(points, &kept);
                parts.whitening = whitening(&parts.anchors, count)?;
            }
        }
        Lift::from_parts(parts)
    }

    fn generator(&self, stream: usize) -> ChaCha12Rng {
        let mut generator = ChaCha12Rng::seed_from_u64(self.seed);
        generator.set_stream(STREAMS[stream]);
        generator
    }

    /// Draws at most `count` rows without repetition.
    fn drawn(&self, stream: usize, rows: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..rows).collect();
        all.shuffle(&mut self.generator(stream));
        all.truncate(count);
        all
    }

    /// Returns the median distance between two different samples of a random subset.
    fn median_distance(&self, points: Points<'_>, parts: &LiftParts) -> Result<f64, LiftError> {
        let rows = points.rows();
        let looked = self.drawn(3, rows, LOOKED_AT);
        let count = looked.len();
        let squares = squared_distances(&parts.scaled(points, &looked), count);
        let pairs = (0..count).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mut different: Vec<f64> =
            pairs.map(|(i, j)| squares[i * count + j]).filter(|&square| square > 0.0).collect();
        if different.is_empty() {
            return Err(LiftError::NoSpread { points: count });
        }
        let middle = different.len() / 2;
        Ok(different.select_nth_unstable_by(middle, f64::total_cmp).1.sqrt())
    }
}

impl LiftParts {
    /// Returns some samples with scaled columns, row-major.
    fn scaled(&self, points: Points<'_>, rows: &[usize]) -> Vec<f64> {
        let scale =
            |column: usize, value: f64| (value - self.offset[column]) * self.factors[column];
        crate::with_table!(points, table => {
            let row = |&row: &usize| {
                let table = &table;
                (0..table.columns()).map(move |j| scale(j, table.get(row, j).to_f64()))
            };
            rows.iter().flat_map(row).collect()
        })
    }
}

/// Returns the squared distances |x_i − x_j|² between all pairs of row-major samples.
fn squared_distances(values: &[f64], count: usize) -> Vec<f64> {
    let n = values.len() / count.max(1);
    let mut products = vec![0.0; count * count];
    rows_times_rows(values, count, values, count, n, &mut products);
    let own: Vec<f64> = (0..count).map(|i| products[i * count + i]).collect();
    // The distance is a difference of large numbers. If it is small compared with the squared lengths, it is round-off.
    let square = |at: usize| {
        let (i, j) = (at / count, at % count);
        let square = own[i] + own[j] - 2.0 * products[at];
        if square > 16.0 * f64::EPSILON * (own[i] + own[j]) { square } else { 0.0 }
    };
    (0..count * count).map(square).collect()
}

/// Returns K^(−½) of the kept samples with one row per feature, in descending order of eigenvalues. Directions that
/// single precision does not represent are dropped.
fn whitening(anchors: &[f64], count: usize) -> Result<Vec<f64>, LiftError> {
    let squares = squared_distances(anchors, count);
    let kernel = Mat::from_fn(count, count, |i, j| (-0.5 * squares[i * count + j]).exp());
    let (values, vectors) = symmetric_eigen(kernel.as_ref()).ok_or(LiftError::Eigen)?;
    let largest = values.last().copied().unwrap_or(0.0);
    let kept = (0..count).rev().filter(|&at| values[at] > RANK * largest);
    let row = |at: usize| {
        let (values, vectors) = (&values, &vectors);
        (0..count).map(move |i| vectors[(i, at)] / values[at].sqrt())
    };
    Ok(kept.flat_map(row).collect())
}

/// Returns the mean of each column and the inverse of its standard deviation. If many columns are similar, as for
/// pixels, a common deviation is used for all.
fn units(points: Points<'_>) -> (Vec<f64>, Vec<f64>) {
    let (rows, n) = (points.rows(), points.columns());
    let sums = |about: &[f64], power: i32| -> Vec<f64> {
        let blocks = parallel::map(0..rows.div_ceil(BLOCK), |block| {
            let mut sums = vec![0.0; n];
            crate::with_table!(points, table => {
                for row in block * BLOCK..((block + 1) * BLOCK).min(rows) {
                    for (column, sum) in sums.iter_mut().enumerate() {
                        *sum += (table.get(row, column).to_f64() - about[column]).powi(power);
                    }
                }
            });
            sums
        });
        let mut total = vec![0.0; n];
        for block in blocks {
            total.iter_mut().zip(block).for_each(|(total, sum)| *total += sum);
        }
        total.iter_mut().for_each(|sum| *sum /= rows.max(1) as f64);
        total
    };
    let offset = sums(&vec![0.0; n], 1);
    let mut variances = sums(&offset, 2);
    for column in constant_columns(points, None) {
        variances[column] = 0.0;
    }
    let varying: Vec<f64> = variances.iter().copied().filter(|variance| *variance > 0.0).collect();
    let common = (varying.len() > WIDE && alike(varying.clone()))
        .then(|| (varying.iter().sum::<f64>() / varying.len() as f64).sqrt());
    let factor = |&variance: &f64| match variance > 0.0 {
        true => 1.0 / common.unwrap_or_else(|| variance.sqrt()),
        false => 0.0,
    };
    let factors = variances.iter().map(factor).collect();
    (offset, factors)
}

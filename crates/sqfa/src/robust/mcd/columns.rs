//! Samples in column-major order, with their metrics, concentration steps and exchanges of single samples.

use super::{EXCHANGE_GAIN, McdEstimate, STEPS};
use crate::linalg::{Real, dispatch};
use crate::points::{Points, Scalar};
use crate::with_table;

/// Samples in column-major order, so that every inner loop runs over samples.
pub(super) struct Columns {
    values: Vec<f64>,
    pub(super) rows: usize,
    pub(super) width: usize,
}

/// Mean, covariance and whitening matrix of a subset of samples.
pub(super) struct Metric {
    mean: Vec<f64>,
    covariance: Vec<f64>,
    whitening: Vec<f64>,
    pub(super) log_determinant: f64,
}

/// A subset of samples and its metric. `chosen` is 1 for samples of the subset and 0 for the others.
pub(super) struct Candidate {
    pub(super) chosen: Vec<f64>,
    pub(super) metric: Metric,
}

impl Columns {
    /// Copies samples to column-major order.
    pub(super) fn new(points: Points<'_>) -> Self {
        let (rows, width) = (points.rows(), points.columns());
        let mut values = Vec::with_capacity(rows * width);
        with_table!(points, table => for column in 0..width {
            values.extend((0..rows).map(|row| table.get(row, column).to_f64()));
        });
        Self { values, rows, width }
    }

    /// Copies some of the samples.
    pub(super) fn sample(&self, rows: &[usize]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.width);
        for column in self.values.chunks(self.rows) {
            values.extend(rows.iter().map(|&row| column[row]));
        }
        Self { values, rows: rows.len(), width: self.width }
    }

    fn column(&self, index: usize) -> &[f64] {
        &self.values[index * self.rows..][..self.rows]
    }

    /// Returns the mean and covariance of the chosen samples.
    fn moments(&self, chosen: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let p = self.width;
        let count: f64 = chosen.iter().sum();
        let mut weighted = vec![0.0; self.values.len()];
        let (mut means, mut covariance) = (vec![0.0; p], vec![0.0; p * p]);
        dispatch(
            #[inline(always)]
            || {
                for (i, own) in weighted.chunks_exact_mut(self.rows).enumerate() {
                    let mean = dot(self.column(i), chosen) / count;
                    for ((own, x), w) in own.iter_mut().zip(self.column(i)).zip(chosen) {
                        *own = w * (x - mean);
                    }
                    means[i] = mean;
                }
                let own = |i: usize| &weighted[i * self.rows..][..self.rows];
                for i in 0..p {
                    for j in 0..=i {
                        let entry = dot(own(i), own(j)) / count;
                        covariance[i * p + j] = entry;
                        covariance[j * p + i] = entry;
                    }
                }
            },
        );
        (means, covariance)
    }

    /// Returns the metric of the chosen samples, or `None` if they lie on a hyperplane.
    pub(super) fn metric(&self, chosen: &[f64]) -> Option<Metric> {
        let p = self.width;
        let (mean, covariance) = self.moments(chosen);
        let mut lower = covariance.clone();
        f64::cholesky(&mut lower, p);
        let mut log_determinant = 0.0;
        for i in 0..p {
            let (pivot, variance) = (lower[i * p + i], covariance[i * p + i]);
            // The pivot is the remaining variance of a column given the columns before it. It is compared with
            // round-off in the variance. A failed factorization leaves NaN.
            if pivot.is_nan() || pivot * pivot <= 1e-13 * variance {
                return None;
            }
            log_determinant += 2.0 * pivot.ln();
        }
        let mut whitening = vec![0.0; p * p];
        f64::invert_lower(&lower, &mut whitening, p);
        Some(Metric { mean, covariance, whitening, log_determinant })
    }

    /// Returns the squared Mahalanobis distances of all samples.
    fn distances(&self, metric: &Metric) -> Vec<f64> {
        let p = self.width;
        let mut squares = vec![0.0; self.rows];
        let mut whitened = vec![0.0; self.rows];
        dispatch(
            #[inline(always)]
            || {
                for i in 0..p {
                    whitened.fill(0.0);
                    for j in 0..=i {
                        let (factor, mean) = (metric.whitening[i * p + j], metric.mean[j]);
                        for (sum, x) in whitened.iter_mut().zip(self.column(j)) {
                            *sum += factor * (x - mean);
                        }
                    }
                    for (square, value) in squares.iter_mut().zip(&whitened) {
                        *square += value * value;
                    }
                }
            },
        );
        squares
    }

    /// Returns the `support` closest samples. Of equally distant samples, the first are preferred.
    fn closest(&self, distances: &[f64], support: usize) -> Vec<f64> {
        let mut order: Vec<usize> = (0..self.rows).collect();
        if support < self.rows {
            order.select_nth_unstable_by(support, |&a, &b| {
                distances[a].total_cmp(&distances[b]).then(a.cmp(&b))
            });
        }
        let mut chosen = vec![0.0; self.rows];
        order[..support].iter().for_each(|&row| chosen[row] = 1.0);
        chosen
    }

    /// Performs concentration steps until the determinant no longer decreases, at most `steps`.
    pub(super) fn concentrate(
        &self,
        start: Candidate,
        support: usize,
        steps: usize,
    ) -> Option<Candidate> {
        let mut current = start;
        for step in 0..steps {
            let chosen = self.closest(&self.distances(&current.metric), support);
            let metric = self.metric(&chosen)?;
            // An initialization with fewer than h samples has a determinant that cannot be compared with that of h
            // samples.
            let comparable = step > 0 || current.chosen.iter().sum::<f64>() == support as f64;
            if comparable && metric.log_determinant >= current.metric.log_determinant {
                break;
            }
            current = Candidate { chosen, metric };
        }
        Some(current)
    }

    /// Returns an initialization from the first `count` samples in a random order, or from more if these lie on a
    /// hyperplane.
    pub(super) fn start(&self, order: &[usize], count: usize) -> Option<Candidate> {
        let mut chosen = vec![0.0; self.rows];
        for (taken, &row) in order.iter().enumerate() {
            chosen[row] = 1.0;
            if taken + 1 >= count
                && let Some(metric) = self.metric(&chosen)
            {
                return Some(Candidate { chosen, metric });
            }
        }
        None
    }

    /// Exchanges a sample of the subset for another one as long as that decreases the determinant.
    ///
    /// Let sample i with u = x_i − μ leave and sample j with v = x_j − μ enter. The scatter A becomes A + αuuᵀ + βwwᵀ,
    /// where α = −h/(h − 1), β = (h − 1)/h and w = v + u/(h − 1). In the metric of A, the determinant is multiplied by
    /// (1 + αu·u)(1 + βw·w) − αβ(u·w)².
    pub(super) fn exchange(&self, mut current: Candidate, support: usize) -> Option<Candidate> {
        let h = support as f64;
        let (alpha, beta) = (-h / (h - 1.0), (h - 1.0) / h);
        for _ in 0..STEPS {
            let whitened = self.whitened(&current.metric);
            let p = self.width;
            let at = |row: usize| &whitened[row * p..][..p];
            let (inside, outside): (Vec<usize>, Vec<usize>) =
                (0..self.rows).partition(|&row| current.chosen[row] > 0.0);
            let squares: Vec<f64> = whitened.chunks(p).map(|y| dot(y, y) / h).collect();
            let mut best = (1.0 - EXCHANGE_GAIN, None);
            for &j in &outside {
                let (v, vv) = (at(j), squares[j]);
                for &i in &inside {
                    let (uu, uv) = (squares[i], dot(at(i), v) / h);
                    let ww = vv + (2.0 * uv + uu / (h - 1.0)) / (h - 1.0);
                    let uw = uv + uu / (h - 1.0);
                    let factor = (1.0 + alpha * uu) * (1.0 + beta * ww) - alpha * beta * uw * uw;
                    if factor < best.0 {
                        best = (factor, Some((i, j)));
                    }
                }
            }
            let Some((i, j)) = best.1 else { break };
            let mut chosen = current.chosen.clone();
            (chosen[i], chosen[j]) = (0.0, 1.0);
            let metric = self.metric(&chosen)?;
            if metric.log_determinant >= current.metric.log_determinant {
                break;
            }
            current = self.concentrate(Candidate { chosen, metric }, support, STEPS)?;
        }
        Some(current)
    }

    /// Returns L⁻¹(x − μ) of every sample, row-major.
    fn whitened(&self, metric: &Metric) -> Vec<f64> {
        let p = self.width;
        let mut whitened = vec![0.0; self.rows * p];
        for (row, target) in whitened.chunks_mut(p).enumerate() {
            for i in 0..p {
                target[i] = (0..=i)
                    .map(|j| metric.whitening[i * p + j] * (self.column(j)[row] - metric.mean[j]))
                    .sum();
            }
        }
        whitened
    }

    /// Builds an estimate with the distances of all samples from a subset and its metric.
    pub(super) fn estimate(&self, chosen: &[f64], metric: &Metric) -> McdEstimate {
        McdEstimate {
            location: metric.mean.clone(),
            scatter: metric.covariance.clone(),
            support: chosen.iter().map(|&one| one > 0.0).collect(),
            distances: self.distances(metric),
            log_determinant: metric.log_determinant,
        }
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a_rest, b_rest) = (a.chunks_exact(LANES).remainder(), b.chunks_exact(LANES).remainder());
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

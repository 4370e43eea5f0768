//! Cleaning of neural recordings: removes quiet neurons, outlying trials and unstable neurons, in this order.
//!
//! 1. A neuron is kept if its mean rate exceeds a threshold.
//! 2. Rates are z-scored within classes. In each class, the minimum covariance determinant of the leading principal
//!    components gives every trial a squared distance. Trials with a distance above median + k·sd of the distances of
//!    all classes are removed.
//! 3. Z-scores are computed again from the kept trials. A neuron with too many trials beyond a limit of |z| is removed.
//!
//! The default thresholds are those used for the paper's recordings. The cost is N·n² flops for the components and N·p²
//! per concentration step, for N trials, n neurons and p components.

use super::RobustError;
use super::mcd::{McdOptions, mcd, median};
use crate::finite::first_not_finite;
use crate::linalg::{Mat, symmetric_eigen};
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Lower bound on standard deviations, which keeps z-scores of neurons with almost constant rates finite.
const FLOOR: f64 = 1e-6;

/// Thresholds for quiet neurons, outlying trials and unstable neurons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cleaning {
    /// Duration in seconds over which spikes were counted; `None` if the data are rates.
    pub window: Option<f64>,
    /// Mean rate, in spikes per second, at or below which a neuron is removed.
    pub rate: f64,
    /// Number of principal components in each class.
    pub components: usize,
    /// Settings of the minimum covariance determinant, with the fraction of trials of a class that are not outliers.
    pub mcd: McdOptions,
    /// Number of standard deviations above the median of the squared distances beyond which a trial is removed.
    pub deviations: f64,
    /// Absolute z-score beyond which a trial counts as outlying for a neuron.
    pub outlying: f64,
    /// Number of outlying trials from which a neuron is removed.
    pub unstable: usize,
}

impl Default for Cleaning {
    fn default() -> Self {
        Self {
            window: None,
            rate: 2.0,
            components: 10,
            mcd: McdOptions::default(),
            deviations: 4.0,
            outlying: 3.0,
            unstable: 60,
        }
    }
}

/// A removed trial or neuron with the value that was the reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removed {
    /// Index of the row or column in the data.
    pub index: usize,
    /// Mean rate, squared distance or number of outlying trials.
    pub value: f64,
}

/// The result of cleaning: the kept trials and neurons, and the removed ones with reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleaned {
    /// Indices of the kept trials, in ascending order.
    pub trials: Vec<usize>,
    /// Indices of the kept neurons, in ascending order.
    pub neurons: Vec<usize>,
    /// Neurons removed because of a low rate, with their mean rates.
    pub quiet: Vec<Removed>,
    /// Trials removed as outliers, with their squared distances.
    pub outlying: Vec<Removed>,
    /// Neurons removed because of too many outlying trials, with the number of these trials.
    pub unstable: Vec<Removed>,
    /// Squared distance beyond which trials were removed.
    pub limit: f64,
    /// Number of trials per class before and after cleaning.
    pub counts: Vec<(usize, usize)>,
}

/// Cleans a recording of trials (rows) × neurons (columns).
///
/// `codes` has the class of each trial as an index into `classes`, which are the names used in errors.
///
/// # Errors
///
/// Returns an error if the codes do not fit the trials, a value is not finite or not a count, a threshold is invalid,
/// no neuron exceeds the minimum rate, a class has too few trials, or a class would keep fewer than two trials.
pub fn clean(
    points: Points<'_>,
    codes: &[u32],
    classes: &[String],
    cleaning: &Cleaning,
) -> Result<Cleaned, RobustError> {
    check(points, codes, cleaning)?;
    let (trials, neurons) = (points.rows(), points.columns());
    let scale = cleaning.window.map_or(1.0, |seconds| 1.0 / seconds);
    let mut rates = Vec::with_capacity(trials * neurons);
    with_table!(points, table => for row in 0..trials {
        rates.extend((0..neurons).map(|column| table.get(row, column).to_f64() * scale));
    });
    let mean =
        |column: usize| rates.iter().skip(column).step_by(neurons).sum::<f64>() / trials as f64;
    let means: Vec<f64> = (0..neurons).map(mean).collect();
    let loud: Vec<usize> = (0..neurons).filter(|&one| means[one] > cleaning.rate).collect();
    if loud.is_empty() {
        return Err(RobustError::Silent { neurons, rate: cleaning.rate });
    }
    let quiet = (0..neurons).filter(|one| !loud.contains(one));
    let quiet = quiet.map(|index| Removed { index, value: means[index] }).collect();
    let members: Vec<Vec<usize>> = (0..classes.len())
        .map(|class| (0..trials).filter(|&row| codes[row] as usize == class).collect())
        .collect();

    let mut distances = vec![0.0; trials];
    for (class, rows) in members.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        let own = class_distances(&rates, neurons, &loud, rows, cleaning).map_err(|source| {
            RobustError::InClass { class: classes[class].clone(), source: Box::new(source) }
        })?;
        rows.iter().zip(own).for_each(|(&row, distance)| distances[row] = distance);
    }
    let limit = limit(&distances, cleaning.deviations);
    let stays = |row: &usize| distances[*row] <= limit;
    let kept: Vec<Vec<usize>> =
        members.iter().map(|rows| rows.iter().copied().filter(stays).collect()).collect();
    for (class, (before, after)) in members.iter().zip(&kept).enumerate() {
        if !before.is_empty() && after.len() < 2 {
            let (kept, trials) = (after.len(), before.len());
            return Err(RobustError::ClassLost { class: classes[class].clone(), kept, trials });
        }
    }

    let mut beyond = vec![0usize; loud.len()];
    for rows in &kept {
        let scores = scores(&rates, neurons, &loud, rows);
        for row in scores.chunks(loud.len()) {
            for (count, z) in beyond.iter_mut().zip(row) {
                *count += usize::from(z.abs() > cleaning.outlying);
            }
        }
    }
    let numbered = || loud.iter().copied().zip(beyond.iter().copied());
    Ok(Cleaned {
        trials: (0..trials).filter(stays).collect(),
        neurons: numbered().filter(|one| one.1 < cleaning.unstable).map(|one| one.0).collect(),
        quiet,
        outlying: (0..trials)
            .filter(|row| !stays(row))
            .map(|index| Removed { index, value: distances[index] })
            .collect(),
        unstable: numbered()
            .filter(|one| one.1 >= cleaning.unstable)
            .map(|(index, count)| Removed { index, value: count as f64 })
            .collect(),
        limit,
        counts: members.iter().zip(&kept).map(|(a, b)| (a.len(), b.len())).collect(),
    })
}

fn check(points: Points<'_>, codes: &[u32], cleaning: &Cleaning) -> Result<(), RobustError> {
    if codes.len() != points.rows() {
        return Err(RobustError::LabelCount { labels: codes.len(), points: points.rows() });
    }
    if let Some((row, column, value)) = first_not_finite(points, None) {
        return Err(RobustError::NotFinite { row, column, value });
    }
    let positive = [
        ("the window", cleaning.window.unwrap_or(1.0)),
        ("the number of deviations", cleaning.deviations),
        ("the outlying z-score", cleaning.outlying),
    ];
    for (name, value) in positive {
        if !(value > 0.0 && value.is_finite()) {
            return Err(RobustError::Threshold { name, value, wanted: "a number above 0" });
        }
    }
    if !cleaning.rate.is_finite() || cleaning.components == 0 {
        let value = if cleaning.components == 0 { 0.0 } else { cleaning.rate };
        let name = if cleaning.components == 0 { "the number of components" } else { "the rate" };
        return Err(RobustError::Threshold { name, value, wanted: "a finite number above 0" });
    }
    if cleaning.window.is_some() {
        let bad = with_table!(points, table => (0..table.rows()).find_map(|row| {
            let value = |column| table.get(row, column).to_f64();
            let column = (0..table.columns()).find(|&one| {
                let count: f64 = value(one);
                count < 0.0 || count.fract() != 0.0
            })?;
            Some((row, column, value(column)))
        }));
        if let Some((row, column, value)) = bad {
            return Err(RobustError::NotACount { row, column, value });
        }
    }
    Ok(())
}

/// Returns the z-scores (divisor N − 1) of some trials of one class, row-major.
fn scores(rates: &[f64], neurons: usize, loud: &[usize], rows: &[usize]) -> Vec<f64> {
    let (count, width) = (rows.len(), loud.len());
    let mut scores = vec![0.0; count * width];
    for (j, &neuron) in loud.iter().enumerate() {
        let values = || rows.iter().map(|&row| rates[row * neurons + neuron]);
        let mean = values().sum::<f64>() / count as f64;
        let square: f64 = values().map(|value| (value - mean).powi(2)).sum();
        let deviation = (square / (count - 1).max(1) as f64).sqrt() + FLOOR;
        for (i, value) in values().enumerate() {
            scores[i * width + j] = (value - mean) / deviation;
        }
    }
    scores
}

/// Returns the squared robust distances of the trials of one class in its leading principal components.
fn class_distances(
    rates: &[f64],
    neurons: usize,
    loud: &[usize],
    rows: &[usize],
    cleaning: &Cleaning,
) -> Result<Vec<f64>, RobustError> {
    let (count, width) = (rows.len(), loud.len());
    let scores = scores(rates, neurons, loud, rows);
    let components = cleaning.components.min(width).min(count.saturating_sub(1)).max(1);
    let projected = principal_scores(&scores, count, width, components);
    let table = Table::row_major(&projected, count, components).expect("count × components");
    Ok(mcd(Points::F64(table), &cleaning.mcd)?.reweighted.distances)
}

/// Returns the scores of the leading principal components of centered rows.
fn principal_scores(scores: &[f64], count: usize, width: usize, components: usize) -> Vec<f64> {
    let mut scatter = Mat::zeros(width, width);
    for row in scores.chunks(width) {
        for i in 0..width {
            for j in 0..=i {
                scatter[(i, j)] += row[i] * row[j];
            }
        }
    }
    for i in 0..width {
        for j in 0..i {
            scatter[(j, i)] = scatter[(i, j)];
        }
    }
    let vectors = match symmetric_eigen(scatter.as_ref()) {
        Some((_, vectors)) => vectors,
        None => Mat::identity(width, width),
    };
    let mut projected = Vec::with_capacity(count * components);
    for row in scores.chunks(width) {
        for component in 0..components {
            let vector = vectors.col(width - 1 - component);
            projected.push(row.iter().zip(vector.iter()).map(|(x, v)| x * v).sum());
        }
    }
    projected
}

/// Returns median + k·sd of the distances, where sd has divisor N − 1.
fn limit(distances: &[f64], deviations: f64) -> f64 {
    let mut sorted = distances.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / count;
    let square: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    median(&sorted) + deviations * (square / (count - 1.0).max(1.0)).sqrt()
}

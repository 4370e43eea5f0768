//! Cleaning of neural recordings: quiet neurons, outlying trials, unstable neurons, in this order.
//!
//! 1. A neuron stays when its mean rate is above a threshold.
//! 2. Rates are z-scored within classes; in each class the leading principal components' minimum covariance determinant gives
//!    every trial a squared distance; trials above median + k·sd of all classes' distances go.
//! 3. On the trials that stay, z-scores are made anew; a neuron with too many trials beyond |z| goes.
//!
//! The thresholds are those of the paper's recordings unless given. Cost: N·n² for the components and N·p² a concentration step.

use super::RobustError;
use super::mcd::{McdOptions, mcd, median};
use crate::finite::first_not_finite;
use crate::linalg::{Mat, symmetric_eigen};
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Keeps the z-scores of neurons that hardly vary finite.
const FLOOR: f64 = 1e-6;

/// What counts as quiet, outlying and unstable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cleaning {
    /// Seconds in which spikes were counted; `None` for rates.
    pub window: Option<f64>,
    /// Neurons with a mean rate at or below this go, in spikes a second.
    pub rate: f64,
    /// Principal components of each class.
    pub components: usize,
    /// The share of a class's trials that are no outliers, and how it is looked for.
    pub mcd: McdOptions,
    /// Trials go beyond the median and so many standard deviations of the squared distances.
    pub deviations: f64,
    /// A trial is outlying for a neuron beyond this |z|.
    pub outlying: f64,
    /// Neurons with so many outlying trials go.
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

/// Something that was removed, and the number it was removed for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removed {
    /// Its position in the data.
    pub index: usize,
    /// A mean rate, a squared distance or a number of outlying trials.
    pub value: f64,
}

/// What stays and what went.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleaned {
    /// Trials that stay, ascending.
    pub trials: Vec<usize>,
    /// Neurons that stay, ascending.
    pub neurons: Vec<usize>,
    /// Neurons that fire too little, with their mean rates.
    pub quiet: Vec<Removed>,
    /// Trials that lie too far out, with their squared distances.
    pub outlying: Vec<Removed>,
    /// Neurons with too many outlying trials, with their numbers.
    pub unstable: Vec<Removed>,
    /// The squared distance beyond which trials went.
    pub limit: f64,
    /// Trials of every class before and after.
    pub counts: Vec<(usize, usize)>,
}

/// Finds what stays of trials (rows) × neurons (columns) with class positions below `classes.len()`.
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

/// The z-scores of some trials of one class: row-major, divisor N − 1.
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

/// Squared robust distances of one class's trials, in its leading principal components.
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

/// The leading principal components' scores of centered rows.
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

/// median + k·sd, divisor N − 1.
fn limit(distances: &[f64], deviations: f64) -> f64 {
    let mut sorted = distances.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / count;
    let square: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    median(&sorted) + deviations * (square / (count - 1.0).max(1.0)).sqrt()
}

//! Stratified splits of labeled data, which hold out the same fraction of every class.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use thiserror::Error;

use crate::labels::{Classes, Labels};

/// An error of splitting data.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SplitError {
    /// A class that is too small for both sides of the split.
    #[error(
        "class '{class}' has {count} samples: to hold out a fraction of {share}, it needs at least one held-out sample and two for training"
    )]
    TooFew {
        /// Name of the class.
        class: String,
        /// Number of samples of the class.
        count: usize,
        /// Specified fraction.
        share: f64,
    },
    /// A fraction outside (0, 1).
    #[error("the held-out fraction is {share}: specify a number strictly between 0 and 1")]
    Share {
        /// Specified fraction.
        share: f64,
    },
}

/// Row indices of both sides of a split, each in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows for training.
    pub learn: Vec<usize>,
    /// Held-out rows.
    pub held: Vec<usize>,
}

/// Holds out a fraction of every class, at least one sample per class, selected by the seed.
///
/// # Errors
///
/// Returns an error if the fraction is not strictly between 0 and 1, or a class would keep fewer than two samples for
/// training.
pub fn stratified_split(labels: &Labels, share: f64, seed: u64) -> Result<Split, SplitError> {
    let held = held_out(labels.classes(), labels.codes().iter().copied(), share, seed)?;
    let learn = all_but(&held, labels.len()).map(|row| row as usize).collect();
    Ok(Split { learn, held: held.into_iter().map(|row| row as usize).collect() })
}

/// Returns the numbers from 0 to `count` − 1, except for those in `left_out`, which is in ascending order.
pub(crate) fn all_but(left_out: &[u32], count: usize) -> impl Iterator<Item = u32> + '_ {
    let mut next = left_out.iter().copied().peekable();
    (0..count as u32).filter(move |&row| next.next_if_eq(&row).is_none())
}

/// Returns the indices of the held-out samples, in ascending order. Indices have four bytes, because for tables with
/// few columns they are a considerable part of the memory.
pub(crate) fn held_out(
    classes: &Classes,
    codes: impl Iterator<Item = u32> + Clone,
    share: f64,
    seed: u64,
) -> Result<Vec<u32>, SplitError> {
    if share.is_nan() || share <= 0.0 || share >= 1.0 {
        return Err(SplitError::Share { share });
    }
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX - 2);
    let mut counts = vec![0_usize; classes.len()];
    codes.clone().for_each(|code| counts[code as usize] += 1);
    let mut rows: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
    for (row, code) in codes.enumerate() {
        rows[code as usize].push(row as u32);
    }
    let mut held = Vec::new();
    for (class, mut rows) in rows.into_iter().enumerate() {
        let out = (rows.len() as f64 * share).round().max(1.0) as usize;
        if rows.len() < out + 2 {
            let class = classes.label(class).to_string();
            return Err(SplitError::TooFew { class, count: rows.len(), share });
        }
        rows.shuffle(&mut generator);
        held.extend_from_slice(&rows[..out]);
    }
    held.sort_unstable();
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_split_by_the_fraction_and_no_row_is_lost() {
        let values: Vec<i64> = (0..300).map(|row| if row % 3 == 0 { 0 } else { 1 }).collect();
        let labels = Labels::from_integers(&values);
        let split = stratified_split(&labels, 0.15, 7).unwrap();
        let held: Vec<i64> = split.held.iter().map(|&row| values[row]).collect();
        assert_eq!(held.iter().filter(|value| **value == 0).count(), 15);
        assert_eq!(held.len(), 45);
        let mut all = [split.learn.clone(), split.held.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..300).collect::<Vec<_>>());
        assert_eq!(split, stratified_split(&labels, 0.15, 7).unwrap());
        assert_ne!(split, stratified_split(&labels, 0.15, 8).unwrap());
    }

    #[test]
    fn a_class_that_cannot_be_split_is_named() {
        let labels = Labels::from_integers(&[4, 4, 9, 9, 9, 9]);
        let error = stratified_split(&labels, 0.15, 0).unwrap_err();
        assert!(error.to_string().contains("class '4' has 2 samples"));
    }
}

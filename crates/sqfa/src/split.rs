//! Stratified splits of labeled data: the same share of every class is held out.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use thiserror::Error;

use crate::labels::{Classes, Labels};

/// Why data could not be split.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SplitError {
    /// A class too small to be on both sides.
    #[error(
        "class '{class}' has {count} points: holding out a share of {share} needs at least one held-out point and two to learn from"
    )]
    TooFew {
        /// The class.
        class: String,
        /// Its points.
        count: usize,
        /// The share asked for.
        share: f64,
    },
    /// A share outside (0, 1).
    #[error("the held-out share is {share}: give a number strictly between 0 and 1")]
    Share {
        /// The share asked for.
        share: f64,
    },
}

/// Rows on both sides of a split, each in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from.
    pub learn: Vec<usize>,
    /// Rows held out.
    pub held: Vec<usize>,
}

/// Holds out a share of every class, at least one point, chosen by the seed.
pub fn stratified_split(labels: &Labels, share: f64, seed: u64) -> Result<Split, SplitError> {
    let held = held_out(labels.classes(), labels.codes().iter().copied(), share, seed)?;
    let learn = all_but(&held, labels.len()).map(|row| row as usize).collect();
    Ok(Split { learn, held: held.into_iter().map(|row| row as usize).collect() })
}

/// Numbers below a count but for some, which are in ascending order.
pub(crate) fn all_but(left_out: &[u32], count: usize) -> impl Iterator<Item = u32> + '_ {
    let mut next = left_out.iter().copied().peekable();
    (0..count as u32).filter(move |&row| next.next_if_eq(&row).is_none())
}

/// Which of some points are held out, in ascending order: four bytes a point, since of few columns these are mostly rows.
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
    fn every_class_gives_its_share_and_no_row_is_lost() {
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
        assert!(error.to_string().contains("class '4' has 2 points"));
    }
}

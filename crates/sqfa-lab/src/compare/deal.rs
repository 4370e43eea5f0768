//! Assignment of rows to folds, and to training, validation and test parts. It is stratified, and
//! groups are never divided.
//!
//! Without groups the rows of every class are shuffled and divided. With groups, the largest groups
//! come first, and each is added to the part that then has the smallest imbalance: the sum over
//! parts p and classes c of (n_pc/N_c − s_p)², where s_p is the intended fraction.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use sqfa::Labels;
use sqfa::split::SplitError;

/// The smallest number of samples of a class in folds.
pub(super) const FEWEST: usize = 3;
/// The fractions of validation and test samples in a split. The others are training samples.
const SHARES: [f64; 2] = [0.1, 0.1];
/// The index of the validation part.
pub(super) const VALIDATION: u16 = 0;
/// The index of the test part.
pub(super) const TEST: u16 = 1;
/// The index of the training part.
pub(super) const LEARN: u16 = 2;

/// The reason why rows could not be assigned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DealError {
    /// A class with too few samples.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// A part without samples of a class, because of its groups.
    #[error(
        "class '{class}' is in {groups} groups, and a part of the split would be without it: \
         groups stay on one side, so every class must be in more groups than there are parts ({parts})"
    )]
    Groups {
        /// The label of the class.
        class: String,
        /// The number of groups with samples of the class.
        groups: usize,
        /// The number of parts.
        parts: usize,
    },
}

/// Returns the fold of every row.
pub(super) fn folds(
    labels: &Labels,
    groups: Option<&Labels>,
    count: usize,
    seed: u64,
) -> Result<Vec<u16>, DealError> {
    if let Some(groups) = groups {
        return grouped(labels, groups, &vec![1.0 / count as f64; count], seed);
    }
    let mut generator = generator(seed);
    let mut dealt = vec![0; labels.len()];
    for (class, mut rows) in by_class(labels).into_iter().enumerate() {
        if rows.len() < count.max(FEWEST) {
            return Err(too_few(labels, class, rows.len(), 1.0 / count as f64));
        }
        rows.shuffle(&mut generator);
        for (at, row) in rows.into_iter().enumerate() {
            // Classes start with different folds, so that small classes are not all in the first
            // one.
            dealt[row] = ((at + class) % count) as u16;
        }
    }
    Ok(dealt)
}

/// Returns the part of every row: [`VALIDATION`], [`TEST`] or [`LEARN`].
pub(super) fn split(
    labels: &Labels,
    groups: Option<&Labels>,
    seed: u64,
) -> Result<Vec<u16>, DealError> {
    let rest = 1.0 - SHARES.iter().sum::<f64>();
    if let Some(groups) = groups {
        return grouped(labels, groups, &[SHARES[0], SHARES[1], rest], seed);
    }
    let mut generator = generator(seed);
    let mut dealt = vec![LEARN; labels.len()];
    for (class, mut rows) in by_class(labels).into_iter().enumerate() {
        let cut = |share: f64| (rows.len() as f64 * share).round().max(1.0) as usize;
        let (validation, test) = (cut(SHARES[0]), cut(SHARES[1]));
        if rows.len() < validation + test + 2 {
            return Err(too_few(labels, class, rows.len(), SHARES.iter().sum()));
        }
        rows.shuffle(&mut generator);
        rows[..validation].iter().for_each(|&row| dealt[row] = VALIDATION);
        rows[validation..validation + test].iter().for_each(|&row| dealt[row] = TEST);
    }
    Ok(dealt)
}

/// Returns the part of every row such that no group is in several parts.
pub(super) fn grouped(
    labels: &Labels,
    groups: &Labels,
    shares: &[f64],
    seed: u64,
) -> Result<Vec<u16>, DealError> {
    let (classes, totals) = (labels.classes().len(), labels.counts());
    let mut counts = vec![vec![0_u64; classes]; groups.classes().len()];
    for (&group, &class) in groups.codes().iter().zip(labels.codes()) {
        counts[group as usize][class as usize] += 1;
    }
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.shuffle(&mut generator(seed));
    order.sort_by_key(|&group| std::cmp::Reverse(counts[group].iter().sum::<u64>()));
    let mut filled = vec![vec![0_u64; classes]; shares.len()];
    let mut part_of = vec![0_u16; counts.len()];
    for group in order {
        let own = &counts[group];
        // The change of the imbalance if the group is added to a part.
        let change = |part: usize| -> f64 {
            let of_class = |class: usize| {
                let total = totals[class].max(1) as f64;
                let before = filled[part][class] as f64 / total - shares[part];
                let more = own[class] as f64 / total;
                (2.0 * before + more) * more
            };
            (0..classes).map(of_class).sum()
        };
        let best = (0..shares.len()).min_by(|&a, &b| change(a).total_cmp(&change(b))).unwrap_or(0);
        for class in 0..classes {
            filled[best][class] += own[class];
        }
        part_of[group] = best as u16;
    }
    for class in (0..classes).filter(|&class| totals[class] > 0) {
        if filled.iter().any(|part| part[class] == 0) {
            let groups = counts.iter().filter(|own| own[class] > 0).count();
            let class = labels.classes().label(class).to_string();
            return Err(DealError::Groups { class, groups, parts: shares.len() });
        }
    }
    Ok(groups.codes().iter().map(|&group| part_of[group as usize]).collect())
}

fn generator(seed: u64) -> ChaCha12Rng {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX - 3);
    generator
}

fn by_class(labels: &Labels) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); labels.classes().len()];
    for (row, &code) in labels.codes().iter().enumerate() {
        rows[code as usize].push(row);
    }
    rows
}

fn too_few(labels: &Labels, class: usize, count: usize, share: f64) -> DealError {
    let class = labels.classes().label(class).to_string();
    SplitError::TooFew { class, count, share }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of rows of one class in a part.
    fn count(dealt: &[u16], values: &[i64], part: u16, class: i64) -> usize {
        (0..dealt.len()).filter(|&row| dealt[row] == part && values[row] == class).count()
    }

    #[test]
    fn folds_are_stratified_and_every_row_is_in_one() {
        let values: Vec<i64> = (0..100).map(|row| row % 3).collect();
        let labels = Labels::from_integers(&values);
        let dealt = folds(&labels, None, 4, 5).unwrap();
        assert_eq!(dealt.len(), 100);
        for fold in 0..4 {
            for class in 0..3 {
                assert!((8..=9).contains(&count(&dealt, &values, fold, class)));
            }
        }
        assert!(folds(&labels, None, 40, 5).is_err());
    }

    #[test]
    fn splits_have_a_tenth_of_every_class_to_validate_and_a_tenth_to_test() {
        let values: Vec<i64> = (0..400).map(|row| i64::from(row % 4 == 0)).collect();
        let labels = Labels::from_integers(&values);
        let dealt = split(&labels, None, 12).unwrap();
        for (class, total) in [(0, 300), (1, 100)] {
            assert_eq!(count(&dealt, &values, VALIDATION, class), total / 10);
            assert_eq!(count(&dealt, &values, TEST, class), total / 10);
            assert_eq!(count(&dealt, &values, LEARN, class), total * 8 / 10);
        }
        assert_eq!(dealt, split(&labels, None, 12).unwrap());
        assert_ne!(dealt, split(&labels, None, 13).unwrap());
        let few = Labels::from_integers(&[1, 1, 1, 2, 2, 2, 2]);
        assert!(split(&few, None, 0).unwrap_err().to_string().contains("class '1' has 3 samples"));
    }

    #[test]
    fn groups_stay_on_one_side_and_shares_are_kept() {
        // 40 groups of ten rows, each with both classes.
        let values: Vec<i64> = (0..400).map(|row| i64::from(row % 10 < 3)).collect();
        let names: Vec<i64> = (0..400).map(|row| row / 10).collect();
        let (labels, groups) = (Labels::from_integers(&values), Labels::from_integers(&names));
        let five = folds(&labels, Some(&groups), 5, 1).unwrap();
        let parts = split(&labels, Some(&groups), 1).unwrap();
        for dealt in [&five, &parts] {
            for row in 1..400 {
                assert!(names[row] != names[row - 1] || dealt[row] == dealt[row - 1]);
            }
        }
        for fold in 0..5 {
            assert_eq!(five.iter().filter(|&&part| part == fold).count(), 80);
        }
        assert_eq!(parts.iter().filter(|&&part| part == TEST).count(), 40);
        assert_eq!(parts.iter().filter(|&&part| part == VALIDATION).count(), 40);
        // A class in two groups cannot be in three parts.
        let rare: Vec<i64> = (0..400).map(|row| i64::from(row < 20)).collect();
        let error = split(&Labels::from_integers(&rare), Some(&groups), 1).unwrap_err();
        assert!(error.to_string().contains("class '1' is in 2 groups"), "{error}");
    }
}

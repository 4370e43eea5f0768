//! The training data of a fit: samples in memory, shared samples, or class statistics.

use crate::deal::{HoldOut, deal};
use crate::labels::Labels;
use crate::points::{Points, ShrinkingPoints};
use crate::statistics::{ClassAccumulator, ClassStatistics, StatisticsError};

use super::{PipelineError, Plan, Summed};

/// Training data.
pub enum Data<'a> {
    /// Labeled samples.
    Samples(Labeled<'a>),
    /// Labeled samples that may be freed as soon as their class statistics exist.
    Owned(Box<dyn ShrinkingPoints + 'a>, &'a Labels),
    /// Labeled samples with class statistics of their folds, shared by several fits.
    Shared(&'a Summed<'a>),
    /// Class statistics without samples. Nothing can be held out, so settings that were not
    /// specified have their default.
    Statistics(ClassStatistics),
}

impl<'a> From<Labeled<'a>> for Data<'a> {
    fn from(samples: Labeled<'a>) -> Self {
        Self::Samples(samples)
    }
}

impl<'a> From<&'a Summed<'a>> for Data<'a> {
    fn from(sums: &'a Summed<'a>) -> Self {
        Self::Shared(sums)
    }
}

impl From<ClassStatistics> for Data<'_> {
    fn from(statistics: ClassStatistics) -> Self {
        Self::Statistics(statistics)
    }
}

/// Labeled samples with optional weights, and with the groups or folds that are held out together.
#[derive(Debug, Clone, Copy)]
pub struct Labeled<'a> {
    /// The samples, one per row.
    pub points: Points<'a>,
    /// The label of each sample.
    pub labels: &'a Labels,
    /// The number of times that each sample counts, or `None` if every sample counts once.
    pub weights: Option<&'a [u64]>,
    /// The samples that are held out together in cross-validation: single rows, groups or
    /// predefined folds.
    pub hold_out: HoldOut<'a>,
}

impl<'a> Labeled<'a> {
    /// Returns labeled samples that all count once and are held out one by one.
    pub fn new(points: Points<'a>, labels: &'a Labels) -> Self {
        Self { points, labels, weights: None, hold_out: HoldOut::Rows }
    }

    /// Returns the weight of a sample: the number of times that it counts.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights.map_or(1, |weights| weights[row])
    }

    /// Returns the sum of all weights.
    pub fn total(&self) -> u64 {
        self.weights.map_or(self.labels.len() as u64, |weights| weights.iter().sum())
    }

    /// Returns the given rows, each repeated as often as its weight.
    pub(crate) fn repeated(&self, rows: impl Iterator<Item = usize>) -> Vec<usize> {
        rows.flat_map(|row| std::iter::repeat_n(row, self.weight(row) as usize)).collect()
    }

    /// Checks that there is one label, one weight and one group or fold per sample.
    pub(crate) fn check(&self) -> Result<(), StatisticsError> {
        let (points, labels) = (self.points.rows(), self.labels.len());
        if points != labels {
            return Err(StatisticsError::LabelCount { labels, points });
        }
        if let Some(weights) = self.weights.map(<[u64]>::len)
            && weights != points
        {
            return Err(StatisticsError::WeightCount { weights, points });
        }
        let (what, values) = match self.hold_out {
            HoldOut::Rows => return Ok(()),
            HoldOut::Groups(groups) => ("groups", groups.len()),
            HoldOut::Folds(folds) => ("folds", folds.len()),
        };
        match values == points {
            true => Ok(()),
            false => Err(StatisticsError::HoldOutCount { what, values, points }),
        }
    }

    /// Checks that groups and predefined folds can be held out: some class needs samples of two
    /// groups, and every fold must leave at least two samples of each class for training.
    pub(crate) fn check_hold_out(&self) -> Result<(), PipelineError> {
        let (codes, classes) = (self.labels.codes(), self.labels.classes());
        let rows = || (0..codes.len()).filter(|&row| self.weight(row) > 0);
        match self.hold_out {
            HoldOut::Rows => {}
            HoldOut::Groups(groups) => {
                let mut only = vec![None; classes.len()];
                for row in rows() {
                    if *only[codes[row] as usize].get_or_insert(groups[row]) != groups[row] {
                        return Ok(());
                    }
                }
                return Err(PipelineError::OneGroup);
            }
            HoldOut::Folds(folds) => {
                let count = self.hold_out.folds().unwrap_or(0);
                let mut held = vec![vec![0_u64; classes.len()]; count];
                let mut total = vec![0_u64; classes.len()];
                for row in rows() {
                    let class = codes[row] as usize;
                    total[class] += 1;
                    held.get_mut(usize::from(folds[row]))
                        .iter_mut()
                        .for_each(|own| own[class] += 1);
                }
                if held.iter().flatten().all(|&count| count == 0) {
                    return Err(PipelineError::EmptyFolds);
                }
                for (fold, own) in held.iter().enumerate() {
                    for (class, (total, own)) in total.iter().zip(own).enumerate() {
                        let left = total - own;
                        if left < 2 && *own > 0 {
                            let class = classes.label(class).to_string();
                            return Err(PipelineError::FoldTakesClass { fold, class, left });
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the fold of every sample for cross-validation with `count` folds.
    ///
    /// # Errors
    ///
    /// If the number of labels, weights, groups or folds differs from the number of samples, if no
    /// class has samples of two groups, or if a predefined fold leaves fewer than two samples of a
    /// class.
    pub fn folds(&self, count: u16, seed: u64) -> Result<Vec<u16>, PipelineError> {
        self.check()?;
        self.check_hold_out()?;
        let (weight, count) = (|row: usize| self.weight(row), usize::from(count));
        Ok(deal(self.points, self.labels, &weight, self.hold_out, (count, count), seed))
    }

    /// Returns the scheme in which samples are held out. `wide` is true if principal components are
    /// computed for every fold, which makes a fold more expensive.
    pub(crate) fn plan(&self, wide: bool) -> Plan {
        let points = self.total();
        let usual = if wide { Plan::for_components(points) } else { Plan::for_points(points) };
        match self.hold_out {
            HoldOut::Rows => usual,
            // All parts are held out in turn. Classes may have few groups, so a single part could
            // lack some of them.
            HoldOut::Groups(_) => Plan { parts: 5, held: 5, repeats: usual.repeats },
            HoldOut::Folds(_) => {
                let folds = self.hold_out.folds().unwrap_or(0);
                Plan { parts: folds, held: folds, repeats: 1 }
            }
        }
    }

    /// Adds the given rows, with their weights, to accumulated class statistics.
    pub(crate) fn add(
        &self,
        sums: &mut ClassAccumulator,
        rows: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), StatisticsError> {
        let Some(weights) = self.weights else {
            return sums.update_some(self.points, self.labels, rows);
        };
        let mut own = vec![0; weights.len()];
        rows.for_each(|row| own[row] = weights[row]);
        sums.update_weighted(self.points, self.labels, &own)
    }
}

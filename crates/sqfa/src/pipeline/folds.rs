//! Folds of labelled points whose class sums are kept apart, so that any training part is a merge and nothing is summed twice.
//!
//! Equal rows of a class always share a fold, and which fold does not depend on the order of the rows, on weights or on the
//! units of columns: distinct rows are sorted column by column, shuffled by the seed and dealt out. A weighted row and a
//! repeated row therefore make the same folds. Cost: a sort, and one pass over the points.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::labels::Labels;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::reduce::{Samples, Training};
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Preprocessor, StatisticsError,
};
use crate::with_table;

/// A row that is in no fold: always learned from.
const NEVER: u16 = u16::MAX;
/// Distinct rows that a class needs before any of them is held out: two must stay to learn from.
const FEWEST: usize = 3;

/// Points that are held out at most where one split does: more would take memory and time and decide nothing else.
const HELD: u64 = 50_000;

/// How points are held out in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Parts that every class is dealt into.
    pub parts: usize,
    /// How many of them are held out in turn; the others are always learned from.
    pub held: usize,
    /// How often all is repeated with another shuffle.
    pub repeats: usize,
}

impl Plan {
    /// Few points: five folds, twice over. Many: one split, which holds out a seventh, at most 50 000. Otherwise five folds.
    pub fn for_points(points: u64) -> Self {
        match points {
            0..200 => Self { parts: 5, held: 5, repeats: 2 },
            200..6000 => Self { parts: 5, held: 5, repeats: 1 },
            _ => {
                let parts = usize::try_from(points / HELD).unwrap_or(usize::MAX).max(7);
                Self { parts, held: 1, repeats: 1 }
            }
        }
    }
}

/// Labelled points, each counting as often as its weight says.
#[derive(Debug, Clone, Copy)]
pub struct Weighted<'a> {
    /// One point a row.
    pub points: Points<'a>,
    /// One label a point.
    pub labels: &'a Labels,
    /// Repetition counts, when not all are 1.
    pub weights: Option<&'a [u64]>,
}

impl Weighted<'_> {
    /// How often a row counts.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights.map_or(1, |weights| weights[row])
    }

    /// The sum of all weights.
    pub fn total(&self) -> u64 {
        self.weights.map_or(self.labels.len() as u64, |weights| weights.iter().sum())
    }

    /// Adds some rows to class sums.
    fn add(
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

/// Points in parts, with the class sums of every part.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    data: Weighted<'a>,
    /// The part of every row.
    of_row: Arc<Vec<u16>>,
    /// The sums of every part, and last of the rows in none.
    sums: Arc<Vec<ClassAccumulator>>,
    /// Parts that take part.
    active: Vec<usize>,
    /// The part that choices are made on and nothing is learned from.
    spared: Option<usize>,
    /// Robust statistics that were asked for before, which cost more than a merge.
    robust: Arc<Mutex<Vec<Robust>>>,
}

/// Robust statistics without a fold.
#[derive(Debug)]
struct Robust {
    without: Option<usize>,
    estimator: Estimator,
    statistics: ClassStatistics,
}

impl<'a> Parts<'a> {
    /// Deals points into parts by a seed and sums each.
    pub fn new(data: Weighted<'a>, plan: Plan, seed: u64) -> Result<Self, StatisticsError> {
        let (rows, labels) = (data.points.rows(), data.labels.len());
        if rows != labels {
            return Err(StatisticsError::LabelCount { labels, points: rows });
        }
        if let Some(weights) = data.weights
            && weights.len() != rows
        {
            return Err(StatisticsError::WeightCount { weights: weights.len(), points: rows });
        }
        Self::of(data, Self::dealt(data, plan, seed), plan.held)
    }

    /// The part of every row, without any sums.
    pub(crate) fn dealt(data: Weighted<'_>, plan: Plan, seed: u64) -> Arc<Vec<u16>> {
        Arc::new(deal(&data, plan, seed))
    }

    /// Sums parts that were dealt before: the part of every row, of which those from `count` on are always learned from.
    pub fn of(
        data: Weighted<'a>,
        of_row: Arc<Vec<u16>>,
        count: usize,
    ) -> Result<Self, StatisticsError> {
        let classes = data.labels.classes();
        let sums = (0..=count)
            .map(|part| {
                let own = |row: &usize| {
                    usize::from(of_row[*row]).min(count) == part && data.weight(*row) > 0
                };
                let mut sums = ClassAccumulator::new(classes.clone(), data.points.columns());
                data.add(&mut sums, (0..of_row.len()).filter(own))?;
                Ok(sums)
            })
            .collect::<Result<Vec<_>, StatisticsError>>()?;
        Ok(Self {
            data,
            of_row,
            sums: Arc::new(sums),
            active: (0..count).collect(),
            spared: None,
            robust: Arc::default(),
        })
    }

    /// The same with sums of points that are not at hand and always learned from.
    pub(crate) fn with_forgotten(
        mut self,
        forgotten: &ClassAccumulator,
    ) -> Result<Self, StatisticsError> {
        if let Some(last) = Arc::make_mut(&mut self.sums).last_mut() {
            last.merge(forgotten)?;
        }
        Ok(self)
    }

    /// The points.
    pub fn data(&self) -> &Weighted<'a> {
        &self.data
    }

    /// The parts that can be held out in turn.
    pub fn folds(&self) -> &[usize] {
        &self.active
    }

    /// Whether something can be held out while something is left to learn from.
    pub fn can_choose(&self) -> bool {
        self.active.len() > 1 || self.spared.is_some()
    }

    /// What a method learns from, in some preprocessing: rows as often as they count; choices are made on a spared part.
    pub(crate) fn training<'t>(
        &'t self,
        statistics: &'t ClassStatistics,
        preprocessor: Option<&'t Preprocessor>,
        estimator: Estimator,
    ) -> Training<'t> {
        let Weighted { points, labels, .. } = self.data;
        let training = Training::new(statistics, Samples { points, labels, preprocessor })
            .with_estimator(estimator);
        let training = match self.repeated() {
            Some(rows) => training.on_numbered(rows),
            None => training,
        };
        match self.spared {
            Some(part) => training.validated_on(self.rows(part)),
            None => training,
        }
    }

    /// The rows of one part.
    pub fn rows(&self, part: usize) -> Vec<usize> {
        self.within(part).collect()
    }

    /// The same without a list.
    pub(crate) fn within(&self, part: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let own =
            move |row: &usize| usize::from(self.of_row[*row]) == part && self.data.weight(*row) > 0;
        (0..self.of_row.len()).filter(own)
    }

    /// The rows that are learned from.
    pub fn learned(&self) -> Vec<usize> {
        self.learning().collect()
    }

    fn learning(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let all = self.sums.len() - 1;
        (0..self.of_row.len()).filter(move |&row| {
            let part = usize::from(self.of_row[row]);
            let active = self.active.contains(&part) && self.spared != Some(part);
            (part >= all || active) && self.data.weight(row) > 0
        })
    }

    /// The same, each as often as it counts; none where these are all rows, once each.
    fn repeated(&self) -> Option<Vec<u32>> {
        let weight = |row: usize| self.data.weight(row) as usize;
        let count: usize = self.learning().map(weight).sum();
        if self.data.weights.is_none() && count == self.of_row.len() {
            return None;
        }
        let mut rows = Vec::with_capacity(count);
        rows.extend(self.learning().flat_map(|row| std::iter::repeat_n(row as u32, weight(row))));
        Some(rows)
    }

    /// The sums of everything that takes part.
    pub fn total(&self) -> Result<ClassAccumulator, StatisticsError> {
        self.merged(None)
    }

    /// The sums of everything that takes part but one fold.
    pub fn without(&self, fold: usize) -> Result<ClassAccumulator, StatisticsError> {
        self.merged(Some(fold))
    }

    /// The statistics of everything that takes part, but for a fold, and the same without shrinkage where they are shrunk.
    pub(crate) fn statistics(
        &self,
        without: Option<usize>,
        estimator: Estimator,
    ) -> Result<(ClassStatistics, Option<ClassStatistics>), StatisticsError> {
        if estimator.needs_points() {
            return Ok((self.robust(without, estimator)?, None));
        }
        finished(&self.taking_part(without), estimator)
    }

    fn robust(
        &self,
        without: Option<usize>,
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        let known = || self.robust.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |one: &&Robust| one.without == without && one.estimator == estimator;
        if let Some(found) = known().iter().find(same) {
            return Ok(found.statistics.copied());
        }
        let mut rows = self.learned();
        rows.retain(|&row| without != Some(usize::from(self.of_row[row])));
        let Weighted { points, labels, weights } = self.data;
        let statistics =
            ClassStatistics::robust_of_rows(points, labels, &rows, weights, estimator)?;
        let copy = statistics.copied();
        known().push(Robust { without, estimator, statistics });
        Ok(copy)
    }

    /// The parts that are left when one is put away: to choose settings inside an outer fold without summing again.
    pub fn leave_out(&self, fold: usize) -> Self {
        let mut left = self.clone();
        left.active.retain(|&part| part != fold);
        left.robust = Arc::default();
        left
    }

    /// The same with a part that choices are made on and nothing is ever learned from: validation points.
    pub fn spare(mut self, part: usize) -> Self {
        self.spared = Some(part);
        self.robust = Arc::default();
        self
    }

    fn merged(&self, left_out: Option<usize>) -> Result<ClassAccumulator, StatisticsError> {
        let parts = self.taking_part(left_out);
        let mut sums = parts[0].clone();
        parts[1..].iter().try_for_each(|part| sums.merge(part))?;
        Ok(sums)
    }

    /// The sums of the rows in no part, and of the parts that take part.
    fn taking_part(&self, left_out: Option<usize>) -> Vec<&ClassAccumulator> {
        let kept = |part: &&usize| Some(**part) != left_out && Some(**part) != self.spared;
        let active = self.active.iter().filter(kept).map(|&part| &self.sums[part]);
        std::iter::once(&self.sums[self.sums.len() - 1]).chain(active).collect()
    }
}

/// The statistics of some sums together, and the same without shrinkage where they are shrunk.
pub(crate) fn finished(
    sums: &[&ClassAccumulator],
    estimator: Estimator,
) -> Result<(ClassStatistics, Option<ClassStatistics>), StatisticsError> {
    let shrinks = estimator != Estimator::Empirical;
    let plain = shrinks.then(|| ClassAccumulator::finish_together(sums, Estimator::Empirical));
    Ok((ClassAccumulator::finish_together(sums, estimator)?, plain.transpose()?))
}

fn deal(data: &Weighted<'_>, plan: Plan, seed: u64) -> Vec<u16> {
    if plan.held == 0 {
        return vec![NEVER; data.labels.len()];
    }
    with_table!(data.points, table => deal_table(&table, data, plan, seed))
}

fn deal_table<S: Scalar>(
    table: &Table<'_, S>,
    data: &Weighted<'_>,
    plan: Plan,
    seed: u64,
) -> Vec<u16> {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX - 3);
    // All rows, class after class, four bytes each: a table of few columns is hardly larger than the numbers of its rows.
    // Beyond so many rows all are learned from.
    let codes = &data.labels.codes()[..data.labels.len().min(u32::MAX as usize)];
    let mut ends = vec![0_usize; data.labels.classes().len()];
    codes.iter().for_each(|&code| ends[code as usize] += 1);
    let mut starts = vec![0; ends.len()];
    for class in 1..ends.len() {
        starts[class] = starts[class - 1] + ends[class - 1];
    }
    ends.clone_from(&starts);
    let mut all = vec![0_u32; codes.len()];
    for (row, &code) in codes.iter().enumerate().filter(|&(row, _)| data.weight(row) > 0) {
        all[ends[code as usize]] = row as u32;
        ends[code as usize] += 1;
    }
    let mut of_row = vec![NEVER; data.labels.len()];
    let mut dealt = 0;
    for (&start, &end) in starts.iter().zip(&ends) {
        let rows = &mut all[start..end];
        parallel::sort(rows, &|a, b| compare(table, a as usize, b as usize));
        let same = |first: u32, at: usize| {
            compare(table, rows[first as usize] as usize, rows[at] as usize) == Ordering::Equal
        };
        // Where groups of equal rows begin.
        let mut groups: Vec<u32> = Vec::with_capacity(rows.len());
        for at in 0..rows.len() {
            if groups.last().is_none_or(|&first| !same(first, at)) {
                groups.push(at as u32);
            }
        }
        if groups.len() < FEWEST {
            continue;
        }
        groups.shuffle(&mut generator);
        for (at, &first) in groups.iter().enumerate() {
            let part = (at + dealt) % plan.parts;
            if part < plan.held {
                let group = (first as usize..rows.len()).take_while(|&at| same(first, at));
                group.for_each(|at| of_row[rows[at] as usize] = part as u16);
            }
        }
        dealt += groups.len();
    }
    of_row
}

/// Numbers that are compared at once while they are equal.
const AT_ONCE: usize = 32;

fn compare<S: Scalar>(table: &Table<'_, S>, a: usize, b: usize) -> Ordering {
    let equal = match (table.row(a), table.row(b)) {
        (Some(a), Some(b)) => {
            let same = |(a, b): &(&[S], &[S])| {
                a.iter().zip(*b).fold(true, |same, (a, b)| same & (a.to_f64() == b.to_f64()))
            };
            AT_ONCE * a.chunks(AT_ONCE).zip(b.chunks(AT_ONCE)).take_while(same).count()
        }
        _ => 0,
    };
    (equal..table.columns())
        .map(|column| {
            // Zero has one sign here.
            let value = |row: usize| table.get(row, column).to_f64() + 0.0;
            value(a).total_cmp(&value(b))
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spared_part_chooses_and_is_not_learned_from() {
        let values: Vec<f64> = (0..12).map(|row| f64::from(row * row)).collect();
        let labels = Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        let points = Points::F64(Table::row_major(&values, 12, 1).unwrap());
        let data = Weighted { points, labels: &labels, weights: None };
        // Rows 0 to 3 choose, rows 4 and 5 are put away, the others are learned from.
        let of_row: Vec<u16> =
            (0..12).map(|row| [0, 0, 0, 0, 1, 1].get(row).copied().unwrap_or(2)).collect();
        let parts = Parts::of(data, of_row.into(), 2).unwrap().leave_out(1).spare(0);
        assert_eq!(parts.learned(), (6..12).collect::<Vec<_>>());
        assert_eq!((parts.folds(), parts.rows(0)), ([0].as_slice(), vec![0, 1, 2, 3]));
        assert!(parts.can_choose());
        let mean = |sums: ClassAccumulator| {
            sums.finish(crate::statistics::Estimator::Empirical).unwrap().total_mean()[0]
        };
        let expected = (6..12).map(|row| f64::from(row * row)).sum::<f64>() / 6.0;
        assert!((mean(parts.total().unwrap()) - expected).abs() < 1e-12 * expected);
        assert!((mean(parts.without(0).unwrap()) - expected).abs() < 1e-12 * expected);
    }
}

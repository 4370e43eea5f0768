//! Weighted samples, and updates that can be interrupted.
//!
//! A weight w is a repetition count: the sums are those of data in which the sample occurs w times, at the cost of one
//! sample. A weighted block has W = Σw samples, mean Σwx/W and scatter Σw(x−c)(x−c)ᵀ.

use super::accumulator::refuse_rows;
use super::class_sum::ClassSum;
use super::entries::{BYTE_BLOCK, EntrySum, block_size, gather};
use super::{ClassAccumulator, StatisticsError};
use crate::labels::{Classes, Labels, written_integers};
use crate::linalg::{Element, Float, add_scatter, scratch_room};
use crate::parallel;
use crate::points::{Points, Scalar, Table};

/// Number of multiply-adds between two calls of `go_on`: about 0.1 s on one core.
const STEP: usize = 4_000_000_000;
/// Largest count that double precision represents exactly.
const MOST: u64 = 1 << 53;

impl ClassAccumulator {
    /// Returns the number of columns.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds labeled samples, each as often as its weight specifies. A weight of 0 excludes a sample.
    ///
    /// # Errors
    ///
    /// Returns an error, and adds nothing, if the samples, labels and weights do not fit, a value is not finite, or the
    /// weights of a class add up to more than 2⁵³.
    pub fn update_weighted(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        weights: &[u64],
    ) -> Result<(), StatisticsError> {
        self.update_while(points, labels, Some(weights), &mut || true).map(|_| ())
    }

    /// Adds labeled samples in steps as long as `go_on` returns `true`, and returns whether all were added.
    ///
    /// The sums have the same bits as after a single [`ClassAccumulator::update`]. If it returns `false`, only some of
    /// the samples have been added, so discard the accumulator.
    ///
    /// # Errors
    ///
    /// Returns an error, and adds nothing, if the samples, labels and weights do not fit, a value is not finite, or the
    /// weights of a class add up to more than 2⁵³.
    pub fn update_while(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        weights: Option<&[u64]>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, StatisticsError> {
        let mut rows = self.rows_by_class(points, labels, 0..points.rows())?;
        refuse_rows(points, &rows)?;
        if let Some(weights) = weights {
            self.check_weights(weights, points.rows(), &mut rows)?;
        }
        self.double |= matches!(points, Points::F64(_));
        // A step is a whole number of blocks, so that its sums have the same bits as those of one update. A sketch
        // needs no such rounding, because its samples wait until a block is complete.
        let step = match self.sketch {
            None => {
                let work = self.dimension.pow(2).saturating_mul(self.classes.len()).max(1);
                (STEP / work).max(1).next_multiple_of(BYTE_BLOCK)
            }
            Some(size) => STEP / (10 * size * self.dimension * self.classes.len()).max(1) + 1,
        };
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
        for first in (0..longest).step_by(step) {
            if !go_on() {
                return Ok(false);
            }
            parallel::for_each(self.sums.iter_mut().zip(&rows), |(sum, rows)| {
                let rows = &rows[first.min(rows.len())..(first + step).min(rows.len())];
                if !rows.is_empty() {
                    sum.add(points, rows, weights);
                }
            });
        }
        Ok(true)
    }

    /// Checks the weights, and removes rows of weight 0 from the lists.
    pub(super) fn check_weights(
        &self,
        weights: &[u64],
        points: usize,
        rows: &mut [Vec<u32>],
    ) -> Result<(), StatisticsError> {
        if weights.len() != points {
            return Err(StatisticsError::WeightCount { weights: weights.len(), points });
        }
        for (class, rows) in rows.iter_mut().enumerate() {
            rows.retain(|&row| weights[row as usize] > 0);
            let seen = self.sums[class].count();
            let total =
                rows.iter().try_fold(seen, |sum, &row| sum.checked_add(weights[row as usize]));
            if total.is_none_or(|total| total > MOST) {
                let class = self.classes.label(class).to_string();
                return Err(StatisticsError::WeightSum { class });
            }
        }
        Ok(())
    }

    /// Extends the set of classes. The new set must include all present classes; the sums of the others are empty.
    ///
    /// # Errors
    ///
    /// Returns [`StatisticsError::Classes`] if a present class is missing from `classes`.
    pub fn widen(&mut self, classes: Classes) -> Result<(), StatisticsError> {
        let places: Option<Vec<usize>> = self
            .classes
            .iter()
            .map(|label| classes.iter().position(|other| other == label))
            .collect();
        let places = places.ok_or(StatisticsError::Classes)?;
        let mut sums: Vec<Option<ClassSum>> = (0..classes.len()).map(|_| None).collect();
        for (place, sum) in places.into_iter().zip(self.sums.drain(..)) {
            sums[place] = Some(sum);
        }
        let empty = || ClassSum::empty(self.dimension, self.sketch);
        self.sums = sums.into_iter().map(|sum| sum.unwrap_or_else(empty)).collect();
        self.classes = classes;
        Ok(())
    }

    /// Returns the accumulator with the sums of some classes only; the others are empty.
    pub(crate) fn of_some(&self, kept: &[bool]) -> Self {
        let mut some = self.clone();
        for (sum, _) in some.sums.iter_mut().zip(kept).filter(|(_, kept)| !**kept) {
            *sum = ClassSum::empty(self.dimension, self.sketch);
        }
        some
    }

    /// Returns an accumulator with only the classes at the specified positions, which must be in ascending order.
    pub fn of_classes(self, kept: &[usize]) -> Self {
        let classes = match &self.classes {
            Classes::Integers(all) => Classes::Integers(kept.iter().map(|&at| all[at]).collect()),
            Classes::Texts(all) => Classes::Texts(kept.iter().map(|&at| all[at].clone()).collect()),
        };
        let mut sums: Vec<Option<ClassSum>> = self.sums.into_iter().map(Some).collect();
        let sums = kept.iter().filter_map(|&at| sums[at].take()).collect();
        Self { classes, sums, ..self }
    }

    /// Returns the accumulator with the precision in which covariances are computed: double, or single.
    pub fn in_precision(mut self, double: bool) -> Self {
        self.double = double;
        self
    }

    /// Whether covariances are computed in double precision: some batch came in it, or [`Self::in_precision`] requested
    /// it.
    pub fn is_double(&self) -> bool {
        self.double
    }

    /// Returns the accumulator with integer classes if every class is text that represents an integer ('7' or '7.0',
    /// but not '07').
    pub fn with_integer_classes(self) -> Self {
        let Classes::Texts(texts) = &self.classes else { return self };
        let Some(integers) = written_integers(texts) else { return self };
        let labels = Labels::from_integers(&integers);
        let mut sums: Vec<Option<ClassSum>> = vec![None; labels.classes().len()];
        for (sum, &code) in self.sums.into_iter().zip(labels.codes()) {
            match &mut sums[code as usize] {
                Some(other) => other.merge(&sum),
                empty => *empty = Some(sum),
            }
        }
        let sums = sums.into_iter().flatten().collect();
        Self { classes: labels.classes().clone(), sums, ..self }
    }

    /// Returns the accumulator with its classes named as in `all`, a set of texts. Returns `None` if `all` lacks one of
    /// its classes.
    pub fn named_as(self, all: &Classes) -> Option<Self> {
        let places: Vec<u32> =
            all.positions_of(&self.classes).into_iter().collect::<Option<_>>()?;
        let Classes::Texts(texts) = all else { return None };
        let mut named: Vec<(&String, ClassSum)> =
            places.iter().map(|&at| &texts[at as usize]).zip(self.sums).collect();
        named.sort_by_key(|(name, _)| *name);
        let (names, sums): (Vec<String>, _) =
            named.into_iter().map(|(name, sum)| (name.clone(), sum)).unzip();
        Some(Self { classes: Classes::Texts(names), sums, ..self })
    }
}

impl EntrySum {
    /// Adds rows of one class. Each row counts as often as its weight specifies.
    pub(super) fn add(&mut self, points: Points<'_>, rows: &[u32], weights: Option<&[u64]>) {
        match (points, weights) {
            (Points::U8(table), None) => self.add_bytes(&table, rows),
            (Points::F32(table), None) => self.add_reals::<f32, _>(&table, rows),
            (Points::F64(table), None) => self.add_reals::<f64, _>(&table, rows),
            (Points::U8(table), Some(w)) => self.add_weighted::<f32, _>(&table, rows, w),
            (Points::F32(table), Some(w)) => self.add_weighted::<f32, _>(&table, rows, w),
            (Points::F64(table), Some(w)) => self.add_weighted::<f64, _>(&table, rows, w),
        }
    }

    fn add_weighted<T: Element, S: Scalar>(
        &mut self,
        table: &Table<'_, S>,
        rows: &[u32],
        weights: &[u64],
    ) {
        self.leave_bytes();
        let n = self.mean.len();
        let most = block_size::<T>(n);
        let mut block = vec![T::ZERO; most.min(rows.len()) * n];
        let mut scratch = vec![T::ZERO; scratch_room::<T>(n)];
        self.make_room();
        for rows in rows.chunks(most) {
            let weights: Vec<u64> = rows.iter().map(|&row| weights[row as usize]).collect();
            let total: u64 = weights.iter().sum();
            let block = &mut block[..rows.len() * n];
            gather(table, rows, block, |value: S| T::from_f64(value.to_f64()));
            let center: Vec<T> =
                weighted_mean(block, n, &weights).into_iter().map(T::from_f64).collect();
            for row in block.chunks_mut(n) {
                for (value, &center) in row.iter_mut().zip(&center) {
                    *value = T::from_f64(Float::to_f64(*value) - Float::to_f64(center));
                }
            }
            let rest = weighted_mean(block, n, &weights);
            for (row, &weight) in block.chunks_mut(n).zip(&weights) {
                let root = (weight as f64).sqrt();
                row.iter_mut().for_each(|value| *value = T::from_f64(Float::to_f64(*value) * root));
            }
            let (count, size) = (self.count as f64, total as f64);
            let shift: Vec<f64> =
                (0..n).map(|i| Float::to_f64(center[i]) + rest[i] - self.mean[i]).collect();
            let coupling = count * size / (count + size);
            let corrections = [(-size, rest.as_slice()), (coupling, shift.as_slice())];
            add_scatter(block, rows.len(), n, &corrections, &mut scratch, &mut self.scatter);
            self.step_mean(&shift, total);
        }
    }
}

/// Returns the weighted mean of a row-major block of n columns.
pub(super) fn weighted_mean<T: Element>(block: &[T], n: usize, weights: &[u64]) -> Vec<f64> {
    let mut sums = vec![0.0; n];
    for (row, &weight) in block.chunks(n).zip(weights) {
        for (sum, &value) in sums.iter_mut().zip(row) {
            *sum += weight as f64 * Float::to_f64(value);
        }
    }
    let total = weights.iter().sum::<u64>() as f64;
    sums.iter().map(|sum| sum / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Estimator;

    const N: usize = 3;

    fn data() -> (Vec<f64>, Labels) {
        let values = (0..20 * N).map(|i| ((i * i * 7 + 3 * i) % 23) as f64 / 5.0 + 100.0).collect();
        (values, Labels::from_integers(&(0..20).map(|i| i % 2).collect::<Vec<_>>()))
    }

    fn table(values: &[f64]) -> Points<'_> {
        Table::row_major(values, values.len() / N, N).unwrap().into()
    }

    fn close(a: ClassAccumulator, b: ClassAccumulator) {
        assert_eq!(a.counts(), b.counts());
        let (a, b) = (a.finish(Estimator::Empirical), b.finish(Estimator::Empirical));
        let (a, b) = (a.unwrap(), b.unwrap());
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-10, "{x} {y}");
        for class in 0..2 {
            (0..N).for_each(|i| near(a.means()[(i, class)], b.means()[(i, class)]));
            let entries = |statistics: &crate::ClassStatistics| {
                let mut lower = vec![0.0; N * N];
                let entries = statistics.covariances()[class].entries().unwrap();
                entries.add_lower_to(1.0, &mut lower);
                lower
            };
            entries(&a).into_iter().zip(entries(&b)).for_each(|(x, y)| near(x, y));
        }
    }

    #[test]
    fn a_weight_is_a_repetition_count() {
        let (values, labels) = data();
        let weights: Vec<u64> = (0..20).map(|i| [0, 1, 2, 3, 7][i % 5]).collect();
        let mut weighted = ClassAccumulator::new(labels.classes().clone(), N);
        weighted.update_weighted(table(&values), &labels, &weights).unwrap();
        let repeated: Vec<usize> =
            (0..20).flat_map(|row| vec![row; weights[row] as usize]).collect();
        let mut plain = ClassAccumulator::new(labels.classes().clone(), N);
        plain.update_rows(table(&values), &labels, &repeated).unwrap();
        close(weighted, plain);
    }

    #[test]
    fn weights_apply_to_bytes() {
        let bytes: Vec<u8> = (0..20 * N).map(|i| ((i * 37) % 251) as u8).collect();
        let reals: Vec<f64> = bytes.iter().map(|&byte| f64::from(byte)).collect();
        let (_, labels) = data();
        let weights: Vec<u64> = (0..20).map(|i| 1 + i % 3).collect();
        let mut first = ClassAccumulator::new(labels.classes().clone(), N);
        let points = Table::row_major(&bytes, 20, N).unwrap().into();
        first.update_weighted(points, &labels, &weights).unwrap();
        let mut second = ClassAccumulator::new(labels.classes().clone(), N);
        second.update_weighted(table(&reals), &labels, &weights).unwrap();
        first.double = true;
        let (first, second) = (
            first.finish(Estimator::Empirical).unwrap(),
            second.finish(Estimator::Empirical).unwrap(),
        );
        let (a, b) = (first.noise_scale(), second.noise_scale());
        assert!((a - b).abs() < 1e-4 * b, "{a} {b}");
    }

    #[test]
    fn invalid_weights_are_rejected() {
        let (values, labels) = data();
        let mut sums = ClassAccumulator::new(labels.classes().clone(), N);
        let short = sums.update_weighted(table(&values), &labels, &[1, 2]).unwrap_err();
        assert_eq!(short, StatisticsError::WeightCount { weights: 2, points: 20 });
        let large = sums.update_weighted(table(&values), &labels, &[u64::MAX; 20]).unwrap_err();
        assert_eq!(large, StatisticsError::WeightSum { class: "0".into() });
        assert_eq!(sums.counts(), [0, 0]);
    }

    #[test]
    fn an_update_can_be_interrupted() {
        let (values, labels) = data();
        let mut sums = ClassAccumulator::new(labels.classes().clone(), N);
        assert!(!sums.update_while(table(&values), &labels, None, &mut || false).unwrap());
        assert!(sums.update_while(table(&values), &labels, None, &mut || true).unwrap());
        assert_eq!(sums.counts(), [10, 10]);
    }

    #[test]
    fn text_classes_that_represent_integers_become_integers() {
        let (values, _) = data();
        let names = ["10", "9", "-9"];
        let texts: Vec<&str> = (0..20).map(|i| names[i % 3]).collect();
        let classes = Classes::Texts(["-9", "10", "9"].map(str::to_owned).to_vec());
        let codes = (0..20).map(|i| [1, 2, 0][i % 3]).collect();
        let labels = Labels::from_codes(classes, codes).unwrap();
        let mut sums = ClassAccumulator::new(labels.classes().clone(), N);
        sums.update(table(&values), &labels).unwrap();
        let sums = sums.with_integer_classes();
        let mut plain = ClassAccumulator::new(Classes::Integers(vec![-9, 9, 10]), N);
        plain.update(table(&values), &Labels::from_texts(&texts)).unwrap();
        assert_eq!(sums.classes(), plain.classes());
        close(sums, plain);
        for other in ["a", "01"] {
            let words = ClassAccumulator::new(Classes::Texts(vec![other.into(), "1".into()]), N);
            assert_eq!(words.clone().with_integer_classes().classes(), words.classes());
        }
    }

    #[test]
    fn added_classes_are_inserted_in_order() {
        let (values, labels) = data();
        let mut sums = ClassAccumulator::new(labels.classes().clone(), N);
        sums.update(table(&values), &labels).unwrap();
        sums.widen(Classes::Integers(vec![-1, 0, 1])).unwrap();
        assert_eq!(sums.counts(), [0, 10, 10]);
        assert_eq!(sums.widen(Classes::numbered(2)), Err(StatisticsError::Classes));
    }
}

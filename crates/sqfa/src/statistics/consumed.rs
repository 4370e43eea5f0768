//! Class statistics of samples that are freed while the statistics are computed, one class after the other.
//!
//! The rows are first sorted by class in place: the first class comes last, and the samples of each class keep their
//! order. The sums therefore have the same bits as those of unsorted samples. After each class its samples are freed,
//! and the scatter matrix of the next class can use their memory. Peak memory is the samples plus one class, or all
//! classes. Sorting moves each number once or twice.

use std::ops::Range;

use super::{ClassAccumulator, ClassStatistics, Estimator, StatisticsError};
use crate::labels::Labels;
use crate::points::{Points, ShrinkingPoints};

impl ClassStatistics {
    /// Computes the statistics of labeled samples, whose values must be finite, and frees the samples on the way.
    pub(crate) fn consuming(
        mut points: impl ShrinkingPoints,
        labels: &Labels,
    ) -> Result<Self, StatisticsError> {
        let classes = labels.classes();
        let n = points.view().columns();
        let double = matches!(points.view(), Points::F64(_));
        let nothing = ClassAccumulator::new(classes.clone(), n);
        let all = 0..points.view().rows();
        let sorted = nothing.rows_by_class(points.view(), labels, all)?;
        let mut ends = vec![0; classes.len() + 1];
        for class in (0..classes.len()).rev() {
            ends[class] = ends[class + 1] + sorted[class].len();
        }
        // The target position of each row. Cycles of this permutation are followed in place, so no copy of the samples
        // is needed.
        let mut places = vec![0_u32; ends[0]];
        for (rows, &start) in sorted.iter().zip(&ends[1..]) {
            let numbered = rows.iter().zip(start as u32..);
            numbered.for_each(|(&row, place)| places[row as usize] = place);
        }
        drop(sorted);
        for row in 0..places.len() {
            while places[row] as usize != row {
                let place = places[row] as usize;
                points.swap_rows(row, place);
                places.swap(row, place);
            }
        }
        drop(places);
        let mut make = |some: Range<usize>| {
            let mut sums = nothing.clone();
            let own = |class: usize| match some.contains(&class) {
                true => (ends[class + 1] as u32..ends[class] as u32).collect(),
                false => Vec::new(),
            };
            sums.add(points.view(), &(0..classes.len()).map(own).collect::<Vec<_>>(), None);
            points.keep_rows(ends[some.end]);
            Ok(sums)
        };
        ClassAccumulator::finish_made(classes, n, double, &mut make, Estimator::Empirical)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Table;

    /// Rows of bytes that can be freed from the end.
    struct Rows {
        values: Vec<u8>,
        columns: usize,
    }

    impl ShrinkingPoints for Rows {
        fn view(&self) -> Points<'_> {
            let rows = self.values.len() / self.columns;
            Table::row_major(&self.values, rows, self.columns).unwrap().into()
        }
        fn swap_rows(&mut self, one: usize, other: usize) {
            (0..self.columns).for_each(|at| {
                self.values.swap(one * self.columns + at, other * self.columns + at)
            });
        }
        fn keep_rows(&mut self, rows: usize) {
            self.values.truncate(rows * self.columns);
        }
    }

    /// With few columns, several classes are finished at a time; with many, one at a time.
    #[test]
    fn bits_equal_those_of_samples_that_are_kept() {
        for (rows, columns) in [(1400, 5), (1300, 300)] {
            let values: Vec<u8> = (0..rows * columns)
                .map(|at: usize| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
                .collect();
            let labels: Vec<i64> = (0..rows as i64).map(|row| (row * row + row / 7) % 5).collect();
            let labels = Labels::from_integers(&labels);
            let points = Points::U8(Table::row_major(&values, rows, columns).unwrap());
            let stay = ClassStatistics::from_points(points, &labels, Estimator::Empirical).unwrap();
            let gone = ClassStatistics::consuming(Rows { values, columns }, &labels).unwrap();
            assert_eq!(stay.counts(), gone.counts());
            assert_eq!(stay.means(), gone.means());
            for (one, other) in stay.covariances().iter().zip(gone.covariances()) {
                let (one, other) = (one.entries().unwrap(), other.entries().unwrap());
                for (i, j) in (0..columns).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                    assert_eq!(one.at(i, j).to_bits(), other.at(i, j).to_bits(), "{i} {j}");
                }
            }
        }
    }
}

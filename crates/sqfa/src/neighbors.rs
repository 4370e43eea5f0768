//! Exact nearest neighbors from matrix products, |a−b|² = |a|² − 2a·b + |b|², with a second check of every close row.
//!
//! The products use rows centered by the mean of the reference, in the reference's own precision. Their error is at
//! most (p + 8)·ε·(|a| + |b|)² per pair. Every row whose approximate distance is within this error of the k-th best is
//! measured again from the original numbers in `f64`, so rounding cannot change the ranking. Among equal distances, the
//! row with the lower index comes first.
//!
//! The cost is 2Nqp flops for q queries among N rows of p numbers, plus about k·ln(N/k) checks per query.

use crate::linalg::{Element, Float, dispatch, rows_times_rows};
use crate::parallel;
use crate::points::{Scalar, Table};

/// Number of queries per task.
const QUERIES: usize = 64;
/// Number of reference rows per product. Together with the queries of a task, they form a tile that stays in the
/// second-level cache.
const TILE: usize = 1024;
/// Number of candidates that are compared with the limit at a time.
const CHUNK: usize = 32;
/// Number of roundings of an approximate distance in addition to the p of its inner product, with a margin.
const ROUNDINGS: f64 = 8.0;

/// A neighbor of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighbor {
    /// The squared distance.
    pub(crate) square: f64,
    /// Row index in the reference.
    pub(crate) row: u32,
}

/// The rows among which neighbors are searched.
#[derive(Debug, Clone)]
pub(crate) struct Reference<T> {
    rows: Vec<T>,
    columns: usize,
    center: Vec<f64>,
    centered: Vec<T>,
    /// Squared lengths |b|² of the centered rows.
    squares: Vec<T>,
    /// Largest length |b| in each tile.
    longest: Vec<f64>,
}

impl<T: Element> Reference<T> {
    /// Creates a reference from row-major rows with at least one column.
    pub(crate) fn new(rows: Vec<T>, columns: usize) -> Self {
        let count = rows.len() / columns;
        let mut center = vec![0.0; columns];
        for row in rows.chunks_exact(columns) {
            center.iter_mut().zip(row).for_each(|(sum, &value)| *sum += Float::to_f64(value));
        }
        center.iter_mut().for_each(|sum| *sum /= count.max(1) as f64);
        let mut centered = Vec::with_capacity(rows.len());
        let mut lengths = Vec::with_capacity(count);
        for row in rows.chunks_exact(columns) {
            lengths.push(center_row(row.iter().map(|&x| Float::to_f64(x)), &center, &mut centered));
        }
        let squares = lengths.iter().map(|&square| <T as Float>::from_f64(square)).collect();
        let longest = lengths
            .chunks(TILE)
            .map(|tile| tile.iter().fold(0.0_f64, |longest, &square| longest.max(square)).sqrt())
            .collect();
        Self { rows, columns, center, centered, squares, longest }
    }

    /// Creates a reference from some rows of a table.
    pub(crate) fn of_rows<S: Scalar>(
        table: &Table<'_, S>,
        rows: impl Iterator<Item = usize>,
    ) -> Self {
        let mut values = Vec::with_capacity(rows.size_hint().0 * table.columns());
        for row in rows {
            let row = (0..table.columns()).map(|column| Scalar::to_f64(table.get(row, column)));
            values.extend(row.map(<T as Float>::from_f64));
        }
        Self::new(values, table.columns())
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.squares.len()
    }

    /// Returns the number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the mean of the rows.
    pub(crate) fn center(&self) -> &[f64] {
        &self.center
    }

    /// Returns the rows minus their mean, row-major.
    pub(crate) fn centered(&self) -> &[T] {
        &self.centered
    }

    /// Returns the squared lengths of the rows minus their mean.
    pub(crate) fn squares(&self) -> &[T] {
        &self.squares
    }

    /// Returns the `count` nearest rows of each query, nearest first, one query after the other.
    pub(crate) fn nearest<S: Scalar>(&self, queries: &Table<'_, S>, count: usize) -> Vec<Neighbor> {
        self.search(queries, count.min(self.len()), false)
    }

    /// Returns the `count` nearest other rows of each row, nearest first, one row after the other.
    pub(crate) fn nearest_others(&self, count: usize) -> Vec<Neighbor>
    where
        T: Scalar,
    {
        let table = Table::row_major(&self.rows, self.len(), self.columns);
        let count = count.min(self.len().saturating_sub(1));
        table.map_or_else(Vec::new, |table| self.search(&table, count, true))
    }

    /// Returns the squared distances of all rows to one of them.
    pub(crate) fn squares_to(&self, row: usize) -> Vec<f64> {
        let own = &self.rows[row * self.columns..][..self.columns];
        let point: Vec<f64> = own.iter().map(|&value| Float::to_f64(value)).collect();
        (0..self.len()).map(|other| self.square(&point, other)).collect()
    }

    fn search<S: Scalar>(
        &self,
        queries: &Table<'_, S>,
        count: usize,
        leave_self_out: bool,
    ) -> Vec<Neighbor> {
        if count == 0 {
            return Vec::new();
        }
        let mut found = vec![Neighbor { square: 0.0, row: 0 }; queries.rows() * count];
        parallel::for_each(found.chunks_mut(QUERIES * count).enumerate(), |(block, found)| {
            let first = block * QUERIES;
            self.search_block(queries, first, count, leave_self_out, found);
        });
        found
    }

    /// Returns the neighbors of some consecutive queries.
    fn search_block<S: Scalar>(
        &self,
        queries: &Table<'_, S>,
        first: usize,
        count: usize,
        leave_self_out: bool,
        found: &mut [Neighbor],
    ) {
        let (height, columns) = (found.len() / count, self.columns);
        let mut exact = Vec::with_capacity(height * columns);
        let mut centered = Vec::with_capacity(height * columns);
        let mut lengths = Vec::with_capacity(height);
        for row in first..first + height {
            exact.extend((0..columns).map(|column| queries.get(row, column).to_f64()));
            let row = &exact[exact.len() - columns..];
            lengths.push(center_row(row.iter().copied(), &self.center, &mut centered));
        }
        let mut best: Vec<Nearest> =
            found.chunks_mut(count).map(|slots| Nearest { slots, filled: 0 }).collect();
        let mut products = vec![T::ZERO; height * TILE];
        for (tile, &longest) in self.longest.iter().enumerate() {
            let start = tile * TILE;
            let width = TILE.min(self.len() - start);
            let rows = &self.centered[start * columns..][..width * columns];
            let products = &mut products[..height * width];
            rows_times_rows(&centered, height, rows, width, columns, products);
            let squares = &self.squares[start..start + width];
            for (query, best) in best.iter_mut().enumerate() {
                let reach = lengths[query].sqrt() + longest;
                let slack = slack::<T>(columns, reach);
                let left_out = if leave_self_out { first + query } else { usize::MAX };
                let products = &products[query * width..][..width];
                let point = &exact[query * columns..][..columns];
                // If the limit is NaN, every row passes and is measured exactly.
                let limit = |best: &Nearest| best.worst() - lengths[query] + slack;
                scan(products, squares, best, limit, |at, best| {
                    let row = start + at;
                    if row != left_out {
                        best.offer(self.square(point, row), row as u32);
                    }
                });
            }
        }
    }

    /// Returns the squared distance between a point and a row, computed from the original numbers.
    fn square(&self, point: &[f64], row: usize) -> f64 {
        let row = &self.rows[row * self.columns..][..self.columns];
        point.iter().zip(row).map(|(x, &y)| (x - Float::to_f64(y)).powi(2)).sum()
    }
}

/// Calls `check` for every position whose |b|² − 2a·b is not above the limit, in order.
#[allow(clippy::neg_cmp_op_on_partial_ord)] // what is not a number must reach the exact check
fn scan<T: Element>(
    products: &[T],
    squares: &[T],
    best: &mut Nearest<'_>,
    limit: impl Fn(&Nearest<'_>) -> f64,
    mut check: impl FnMut(usize, &mut Nearest<'_>),
) {
    let minus_two = <T as Float>::from_f64(-2.0);
    dispatch(
        #[inline(always)]
        || {
            let mut bound = limit(best);
            let parts = products.chunks(CHUNK).zip(squares.chunks(CHUNK));
            for (part, (products, squares)) in parts.enumerate() {
                let rounded = <T as Float>::from_f64(bound);
                let mut near = false;
                for (&product, &square) in products.iter().zip(squares) {
                    let value = product.fused::<false>(minus_two, square);
                    near |= !(value > rounded);
                }
                if !near {
                    continue;
                }
                for (lane, (&product, &square)) in products.iter().zip(squares).enumerate() {
                    let value = product.fused::<false>(minus_two, square);
                    if !(value > <T as Float>::from_f64(bound)) {
                        check(part * CHUNK + lane, best);
                        bound = limit(best);
                    }
                }
            }
        },
    );
}

/// The best neighbors found so far, nearest first.
struct Nearest<'a> {
    slots: &'a mut [Neighbor],
    filled: usize,
}

impl Nearest<'_> {
    /// Returns the squared distance that a new neighbor must be below.
    fn worst(&self) -> f64 {
        if self.filled < self.slots.len() {
            f64::INFINITY
        } else {
            self.slots[self.filled - 1].square
        }
    }

    /// Inserts a row if it is near enough. Rows are offered in ascending order, so a row is inserted after rows at the
    /// same distance.
    fn offer(&mut self, square: f64, row: u32) {
        if self.filled == self.slots.len() {
            if square >= self.worst() {
                return;
            }
        } else {
            self.filled += 1;
        }
        let mut at = self.filled - 1;
        while at > 0 && self.slots[at - 1].square > square {
            self.slots[at] = self.slots[at - 1];
            at -= 1;
        }
        self.slots[at] = Neighbor { square, row };
    }
}

/// Appends a row minus the center, and returns its squared length.
fn center_row<T: Element>(
    row: impl Iterator<Item = f64>,
    center: &[f64],
    target: &mut Vec<T>,
) -> f64 {
    let mut square = 0.0;
    for (value, center) in row.zip(center) {
        let value = value - center;
        square += value * value;
        target.push(<T as Float>::from_f64(value));
    }
    square
}

/// Returns the largest possible error of an approximate squared distance if |a| + |b| is at most `reach`.
fn slack<T: Element>(columns: usize, reach: f64) -> f64 {
    let (epsilon, largest) = if size_of::<T>() == 4 {
        (f64::from(f32::EPSILON), f64::from(f32::MAX))
    } else {
        (f64::EPSILON, f64::MAX)
    };
    // If products could overflow, every row is measured exactly.
    if reach * reach < largest {
        (columns as f64 + ROUNDINGS) * epsilon * reach * reach
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    fn normals(count: usize, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count).map(|_| StandardNormal.sample(&mut rng)).collect()
    }

    /// Returns neighbors by sorting all distances. The sort is stable, so the lower row index comes first.
    fn sorted(rows: &[f64], query: &[f64], count: usize, left_out: Option<usize>) -> Vec<Neighbor> {
        let mut all: Vec<Neighbor> = rows
            .chunks(query.len())
            .enumerate()
            .filter(|(row, _)| Some(*row) != left_out)
            .map(|(row, values)| Neighbor {
                square: values.iter().zip(query).map(|(x, y)| (y - x).powi(2)).sum(),
                row: row as u32,
            })
            .collect();
        all.sort_by(|a, b| a.square.total_cmp(&b.square));
        all.truncate(count);
        all
    }

    #[test]
    fn agrees_with_sorting_all_distances() {
        for (rows, queries, columns, count) in
            [(1, 3, 2, 1), (70, 5, 1, 70), (2500, 130, 3, 7), (1300, 65, 40, 5)]
        {
            let (x, q) = (normals(rows * columns, 1), normals(queries * columns, 2));
            let reference = Reference::new(x.clone(), columns);
            let table = Table::row_major(&q, queries, columns).unwrap();
            let found = reference.nearest(&table, count);
            for (query, found) in q.chunks(columns).zip(found.chunks(count)) {
                assert_eq!(found, sorted(&x, query, count, None));
            }
        }
    }

    #[test]
    fn single_precision_far_from_the_origin_is_ranked_exactly() {
        let (rows, columns, count) = (3000, 8, 5);
        // The rows are about 1e4 from the origin and 1 from each other, so products of uncentered rows have no correct
        // digit.
        let x: Vec<f32> = normals(rows * columns, 3).iter().map(|x| (1e4 + x) as f32).collect();
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
        let found = Reference::new(x, columns).nearest_others(count);
        for (row, found) in found.chunks(count).enumerate() {
            let query = &wide[row * columns..][..columns];
            assert_eq!(found, sorted(&wide, query, count, Some(row)));
        }
    }

    #[test]
    fn results_stay_exact_with_a_distant_outlier() {
        let columns = 4;
        let mut x: Vec<f32> = normals(2200 * columns, 4).iter().map(|&x| x as f32).collect();
        x[4 * 1500] = 1e30;
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
        let found = Reference::new(x, columns).nearest_others(3);
        for (row, found) in found.chunks(3).enumerate() {
            let query = &wide[row * columns..][..columns];
            assert_eq!(found, sorted(&wide, query, 3, Some(row)), "row {row}");
        }
    }

    #[test]
    fn among_equal_distances_the_lower_row_wins() {
        // A grid of bytes, in which most distances are tied.
        let columns = 2;
        let x: Vec<f32> = (0..1600 * columns).map(|at| ((at * 7) % 5) as f32).collect();
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
        let reference = Reference::new(x, columns);
        let queries: Vec<u8> = vec![0, 0, 2, 3, 4, 4];
        let table = Table::row_major(&queries, 3, columns).unwrap();
        for (query, found) in queries.chunks(columns).zip(reference.nearest(&table, 9).chunks(9)) {
            let query: Vec<f64> = query.iter().map(|&x| f64::from(x)).collect();
            assert_eq!(found, sorted(&wide, &query, 9, None));
        }
    }

    #[test]
    fn more_neighbors_than_rows_returns_all_rows() {
        let reference = Reference::new(normals(6, 5), 2);
        assert_eq!(reference.nearest_others(10).len(), 3 * 2);
        assert!(reference.nearest_others(0).is_empty());
    }
}

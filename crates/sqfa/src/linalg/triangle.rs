//! The lower triangle of a symmetric matrix, either packed (its rows directly one after the other) or within a full
//! matrix (rows n entries apart).
//!
//! The two are distinguished by the number of entries, n(n+1)/2 or n². Entries above the diagonal are never read.

use std::ops::Range;

use crate::parallel;

/// Number of entries per task of [`lower_rows`]. Short rows share a task.
const NUMBERS_A_TASK: usize = 1 << 14;

/// Returns the number of entries in a packed lower triangle.
pub(crate) fn triangle(order: usize) -> usize {
    order * (order + 1) / 2
}

/// Whether a slice of `length` entries can be a lower triangle of this order, packed or within a full matrix.
pub(crate) fn is_lower(length: usize, order: usize) -> bool {
    let full = order.checked_mul(order);
    full == Some(length) || (full.is_some() && length == triangle(order))
}

/// Returns the index of the first entry of a row.
#[inline(always)]
fn start(packed: bool, order: usize, row: usize) -> usize {
    if packed { row * (row + 1) / 2 } else { row * order }
}

/// A borrowed lower triangle of a symmetric matrix.
#[derive(Debug, Clone, Copy)]
pub struct Lower<'a, T> {
    entries: &'a [T],
    order: usize,
    packed: bool,
}

impl<'a, T: Copy> Lower<'a, T> {
    /// Creates a view of n(n+1)/2 packed entries, or of n² entries of which those above the diagonal are ignored.
    pub(crate) fn new(entries: &'a [T], order: usize) -> Self {
        debug_assert!(is_lower(entries.len(), order), "{} entries, order {order}", entries.len());
        Self { entries, order, packed: entries.len() != order * order }
    }

    /// Returns the order n of the matrix.
    pub fn order(self) -> usize {
        self.order
    }

    /// Returns a row up to and including its diagonal entry.
    #[inline(always)]
    pub fn row(self, row: usize) -> &'a [T] {
        &self.entries[start(self.packed, self.order, row)..][..=row]
    }

    /// Returns entry (i, j), on either side of the diagonal.
    #[inline(always)]
    pub fn at(self, i: usize, j: usize) -> T {
        self.row(i.max(j))[i.min(j)]
    }

    /// Returns the entries on the diagonal.
    pub(crate) fn diagonal(self) -> impl Iterator<Item = T> + 'a {
        (0..self.order).map(move |i| self.at(i, i))
    }

    /// Returns the packed lower triangle, row by row, with each entry converted.
    pub(crate) fn packed<U>(self, convert: impl Fn(T) -> U) -> Vec<U> {
        let mut packed = Vec::with_capacity(triangle(self.order));
        for i in 0..self.order {
            packed.extend(self.row(i).iter().map(|&value| convert(value)));
        }
        packed
    }

    /// Returns all n² entries of the symmetric matrix, row-major, with each entry converted.
    pub fn full<U: Copy + Default>(self, convert: impl Fn(T) -> U) -> Vec<U> {
        /// Side of the tiles that are copied at a time, so that source and target stay in the cache.
        const TILE: usize = 64;
        let n = self.order;
        let mut full = vec![U::default(); n * n];
        for rows in (0..n).step_by(TILE) {
            for columns in (0..=rows).step_by(TILE) {
                for i in rows..(rows + TILE).min(n) {
                    for j in columns..(columns + TILE).min(i + 1) {
                        let value = convert(self.row(i)[j]);
                        full[i * n + j] = value;
                        full[j * n + i] = value;
                    }
                }
            }
        }
        full
    }
}

/// Splits some rows of a lower triangle into panels and returns the first row and the entries of each. `height` returns
/// the number of rows of the panel that begins at a given row.
pub(crate) fn lower_panels<T>(
    lower: &mut [T],
    order: usize,
    rows: Range<usize>,
    height: impl Fn(usize) -> usize,
) -> Vec<(usize, &mut [T])> {
    let packed = lower.len() != order * order;
    let mut rest = &mut lower[start(packed, order, rows.start)..];
    let mut panels = Vec::new();
    let mut first = rows.start;
    while first < rows.end {
        let end = (first + height(first).max(1)).min(rows.end);
        let length = start(packed, order, end) - start(packed, order, first);
        let (own, behind) = rest.split_at_mut(length);
        panels.push((first, own));
        (rest, first) = (behind, end);
    }
    panels
}

/// Returns a row of a panel up to and including its diagonal entry.
#[inline(always)]
pub(crate) fn row_of_panel<T>(
    (first, panel): (usize, &mut [T]),
    packed: bool,
    order: usize,
    row: usize,
) -> &mut [T] {
    let at = start(packed, order, row) - start(packed, order, first);
    &mut panel[at..][..=row]
}

/// Runs `work` on every row of a lower triangle, in parallel. The arguments are the row's index and its entries up to
/// the diagonal.
pub(crate) fn lower_rows<T: Send>(
    lower: &mut [T],
    order: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    lower_rows_in(lower, order, 0..order, work);
}

/// Runs `work` on some rows of a lower triangle, in parallel. The arguments are the row's index and its entries up to
/// the diagonal.
pub(crate) fn lower_rows_in<T: Send>(
    lower: &mut [T],
    order: usize,
    rows: Range<usize>,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let packed = lower.len() != order * order;
    let last = rows.end;
    // The first row of a panel, which is its shortest, determines how many rows make up a task.
    let panels = lower_panels(lower, order, rows, |first| NUMBERS_A_TASK / (first + 1));
    parallel::for_each(panels, |(first, panel)| {
        let mut row = first;
        while row < last && start(packed, order, row) - start(packed, order, first) < panel.len() {
            work(row, row_of_panel((first, &mut *panel), packed, order, row));
            row += 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 300;

    #[test]
    fn packed_and_full_triangles_have_equal_rows() {
        let full: Vec<usize> =
            (0..N * N).map(|at| if at % N <= at / N { at } else { usize::MAX }).collect();
        let whole = Lower::new(&full, N);
        let packed = whole.packed(|value| value);
        assert_eq!(packed.len(), triangle(N));
        let half = Lower::new(&packed, N);
        for i in 0..N {
            assert_eq!(whole.row(i), half.row(i));
            assert_eq!(half.at(i, N / 2), half.at(N / 2, i));
        }
        let again = half.full(|value| value);
        for (i, j) in (0..N).flat_map(|i| (0..N).map(move |j| (i, j))) {
            assert_eq!(again[i * N + j], i.max(j) * N + i.min(j));
        }
        assert!(half.diagonal().eq((0..N).map(|i| i * N + i)));
    }

    #[test]
    fn every_row_is_processed_once() {
        for length in [triangle(N), N * N] {
            let mut lower = vec![0_u32; length];
            lower_rows(&mut lower, N, |i, row| {
                assert_eq!(row.len(), i + 1);
                row.iter_mut().for_each(|value| *value += 1);
            });
            lower_rows_in(&mut lower, N, 7..200, |_, row| row.iter_mut().for_each(|v| *v += 1));
            for i in 0..N {
                let expected = if (7..200).contains(&i) { 2 } else { 1 };
                assert!(Lower::new(&lower, N).row(i).iter().all(|&value| value == expected));
            }
            let touched = lower.iter().filter(|&&value| value > 0).count();
            assert_eq!(touched, triangle(N));
        }
    }
}

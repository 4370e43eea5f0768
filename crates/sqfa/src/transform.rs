//! Application of filters to samples: z = Fᵀx (+ offset), block by block in the samples' own precision.

use std::borrow::Cow;

use crate::linalg::{
    Element, Float, Lines, Mat, MatRef, Packed, rows_times, rows_transposed_times,
};
use crate::parallel;
use crate::points::{Points, Scalar, Table};

/// Features, row-major with one sample per row, in the precision of the samples from which they were computed.
#[derive(Debug, Clone, PartialEq)]
pub enum Features {
    /// Features in single precision, computed from bytes or single-precision samples.
    F32(Vec<f32>),
    /// Features in double precision.
    F64(Vec<f64>),
}

impl Features {
    /// Returns all features in double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F32(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::F64(values) => values.clone(),
        }
    }

    /// Returns all features in double precision, without a copy if they already are.
    pub(crate) fn into_f64(self) -> Vec<f64> {
        match self {
            Self::F32(_) => self.to_f64(),
            Self::F64(values) => values,
        }
    }

    /// Returns the features as samples with `columns` columns, for a classifier or another method.
    pub fn as_points(&self, columns: usize) -> Points<'_> {
        let rows = |length: usize| length.checked_div(columns).unwrap_or(0);
        match self {
            Self::F32(values) => {
                let values = &values[..rows(values.len()) * columns];
                Points::F32(
                    Table::row_major(values, rows(values.len()), columns).expect("whole rows"),
                )
            }
            Self::F64(values) => {
                let values = &values[..rows(values.len()) * columns];
                Points::F64(
                    Table::row_major(values, rows(values.len()), columns).expect("whole rows"),
                )
            }
        }
    }
}

/// Number of samples per block: enough for an efficient product, and small compared with the data.
pub(crate) const BLOCK: usize = 512;
/// Number of values that are copied at a time (half a megabyte).
const COPIED: usize = 1 << 16;
/// Minimum number of samples that are copied at a time.
const LEAST: usize = 64;
/// Largest number of filters for which samples are read in place. For more filters, copying the samples into packed
/// blocks takes less time.
const FEW: usize = 64;

/// Computes the features of samples: multiplies them by filters (n × m, one filter per column) and adds an offset of m
/// numbers. The samples must have n columns.
///
/// ```
/// use sqfa::{Mat, Table, transform};
///
/// let rows = [1.0, 2.0, 3.0, 4.0];
/// let samples = Table::row_major(&rows, 2, 2).expect("2 rows of 2 numbers");
/// // One filter that adds both columns.
/// let filters = Mat::from_fn(2, 1, |_, _| 1.0);
/// let features = transform(samples.into(), filters.as_ref(), Some(&[10.0]));
/// assert_eq!(features.to_f64(), [13.0, 17.0]);
/// ```
pub fn transform(points: Points<'_>, filters: MatRef<'_, f64>, offset: Option<&[f64]>) -> Features {
    project_points(points, Chosen::All(points.rows()), filters, Shift::after(offset))
}

/// Computes the features of some samples and adds an offset.
pub(crate) fn transform_rows_offset(
    points: Points<'_>,
    rows: &[usize],
    filters: MatRef<'_, f64>,
    offset: Option<&[f64]>,
) -> Features {
    project_points(points, Chosen::Some(rows), filters, Shift::after(offset))
}

/// Computes the features of some samples minus a center of n numbers. The center is subtracted before values are
/// rounded to single precision, so that samples far from the origin keep the digits in which they differ.
pub(crate) fn transform_rows_about(
    points: Points<'_>,
    rows: &[usize],
    filters: MatRef<'_, f64>,
    center: &[f64],
) -> Features {
    project_points(points, Chosen::Some(rows), filters, Shift::Before(center))
}

/// A shift of samples or features.
#[derive(Clone, Copy)]
enum Shift<'a> {
    None,
    /// Numbers subtracted from the samples.
    Before(&'a [f64]),
    /// Numbers added to the features.
    After(&'a [f64]),
}

impl<'a> Shift<'a> {
    fn after(offset: Option<&'a [f64]>) -> Self {
        offset.map_or(Self::None, Self::After)
    }
}

/// The rows that are transformed.
#[derive(Clone, Copy)]
enum Chosen<'a> {
    /// All rows, with their number.
    All(usize),
    Some(&'a [usize]),
}

impl Chosen<'_> {
    fn count(&self) -> usize {
        match self {
            Self::All(count) => *count,
            Self::Some(rows) => rows.len(),
        }
    }

    fn row(&self, at: usize) -> usize {
        match self {
            Self::All(_) => at,
            Self::Some(rows) => rows[at],
        }
    }
}

fn project_points(
    points: Points<'_>,
    chosen: Chosen<'_>,
    filters: MatRef<'_, f64>,
    shift: Shift<'_>,
) -> Features {
    match points {
        Points::U8(table) => Features::F32(project_copies(&table, chosen, filters, shift)),
        Points::F32(table) => Features::F32(project_table(&table, chosen, filters, shift)),
        Points::F64(table) => Features::F64(project_table(&table, chosen, filters, shift)),
    }
}

/// Computes features of samples that are in the precision of the features. Samples stored by rows or by columns are
/// read in place.
fn project_table<T: Scalar + Element>(
    table: &Table<'_, T>,
    chosen: Chosen<'_>,
    filters: MatRef<'_, f64>,
    shift: Shift<'_>,
) -> Vec<T> {
    let (n, m) = (filters.nrows(), filters.ncols());
    let count = chosen.count();
    let offset = match shift {
        Shift::None => None,
        Shift::After(offset) => Some(offset),
        Shift::Before(_) => return project_copies(table, chosen, filters, shift),
    };
    let lines = |first: usize, rows: usize| -> Option<Lines<'_, T>> {
        let all = matches!(chosen, Chosen::All(_));
        let by_rows = (first..first + rows).map(|at| table.row(chosen.row(at))).collect();
        let columns = || (0..n).map(|j| table.column(first..first + rows, j)).collect();
        Option::map(by_rows, Lines::Rows)
            .or_else(|| if all { Option::map(columns(), Lines::Columns) } else { None })
    };
    if m == 0 || m > FEW || count == 0 || n == 0 || lines(0, 1).is_none() {
        return project_copies(table, chosen, filters, shift);
    }
    let packed = Packed::<T>::new(filters);
    let mut features = vec![T::ZERO; count * m];
    parallel::for_each(features.chunks_mut(BLOCK * m).enumerate(), |(index, target)| {
        let mut sums = vec![0.0; target.len()];
        if let Some(lines) = lines(index * BLOCK, target.len() / m) {
            packed.apply(&lines, &mut sums);
        }
        for (target, sums) in target.chunks_mut(m).zip(sums.chunks(m)) {
            for (j, (value, &sum)) in target.iter_mut().zip(sums).enumerate() {
                *value = T::from_f64(offset.map_or(sum, |offset| sum + offset[j]));
            }
        }
    });
    features
}

/// Computes features from copies of some samples at a time, in the precision of the features.
fn project_copies<S: Scalar, T: Element>(
    table: &Table<'_, S>,
    chosen: Chosen<'_>,
    filters: MatRef<'_, f64>,
    shift: Shift<'_>,
) -> Vec<T> {
    let (n, m) = (filters.nrows(), filters.ncols());
    let cast = Mat::from_fn(n, m, |i, j| T::from_f64(filters[(i, j)]));
    let mut features = vec![T::ZERO; chosen.count() * m];
    if m == 0 {
        return features;
    }
    let some = (COPIED / n.max(1)).clamp(LEAST, BLOCK);
    parallel::for_each(features.chunks_mut(some * m).enumerate(), |(index, target)| {
        let first = index * some;
        let rows = target.len() / m;
        let which = (first..first + rows).map(|at| chosen.row(at));
        let block = match shift {
            Shift::Before(center) => block_about::<S, T>(table, which, center),
            Shift::None | Shift::After(_) => block_of::<S, T>(table, which),
        };
        rows_times(&block, rows, cast.as_ref(), target);
        if let Shift::After(offset) = shift {
            for row in target.chunks_mut(m) {
                for (value, offset) in row.iter_mut().zip(offset) {
                    *value = T::from_f64(Float::to_f64(*value) + offset);
                }
            }
        }
    });
    features
}

/// Returns some samples minus a center, row-major.
fn block_about<S: Scalar, T: Element>(
    table: &Table<'_, S>,
    rows: impl Iterator<Item = usize>,
    center: &[f64],
) -> Vec<T> {
    let mut block = Vec::with_capacity(rows.size_hint().0 * center.len());
    for row in rows {
        let numbers = center.iter().enumerate();
        block.extend(numbers.map(|(j, mean)| T::from_f64(table.get(row, j).to_f64() - mean)));
    }
    block
}

/// Computes XᵀW for some samples (the rows of X) and as many rows of weights, row-major with `columns` numbers each.
///
/// Products are computed in the samples' own precision over blocks of fixed size. The sums of the blocks are added in
/// order in `f64`.
pub(crate) fn gather_rows(
    points: Points<'_>,
    rows: &[usize],
    weights: &[f64],
    columns: usize,
) -> Mat<f64> {
    match points {
        Points::U8(table) => {
            let block = |rows: &[usize]| Cow::Owned(block_of(&table, rows.iter().copied()));
            gather_blocks::<f32>(&block, table.columns(), rows, weights, columns)
        }
        Points::F32(table) => gather_table(&table, rows, weights, columns),
        Points::F64(table) => gather_table(&table, rows, weights, columns),
    }
}

fn gather_table<T: Scalar + Element>(
    table: &Table<'_, T>,
    rows: &[usize],
    weights: &[f64],
    m: usize,
) -> Mat<f64> {
    let block = |rows: &[usize]| match table.block(rows) {
        Some(block) => Cow::Borrowed(block),
        None => Cow::Owned(block_of(table, rows.iter().copied())),
    };
    gather_blocks(&block, table.columns(), rows, weights, m)
}

/// Number of blocks whose sums are computed in parallel before they are added in order.
const GATHERED: usize = 16;

fn gather_blocks<'a, T: Element>(
    block: &(dyn Fn(&[usize]) -> Cow<'a, [T]> + Sync),
    n: usize,
    rows: &[usize],
    weights: &[f64],
    m: usize,
) -> Mat<f64> {
    let mut total = Mat::zeros(n, m);
    for (rows, weights) in rows.chunks(BLOCK * GATHERED).zip(weights.chunks(BLOCK * GATHERED * m)) {
        let blocks = rows.chunks(BLOCK).zip(weights.chunks(BLOCK * m));
        let partials: Vec<Vec<T>> = parallel::map(blocks, |(rows, weights)| {
            let block = block(rows);
            let weights: Vec<T> = weights.iter().map(|&weight| T::from_f64(weight)).collect();
            let mut sums = vec![T::ZERO; n * m];
            rows_transposed_times(&block, &weights, rows.len(), m, &mut sums);
            sums
        });
        for partial in partials {
            for i in 0..n {
                for j in 0..m {
                    total[(i, j)] += Float::to_f64(partial[i * m + j]);
                }
            }
        }
    }
    total
}

/// Returns some samples, row-major, in the precision of a product.
fn block_of<S: Scalar, T: Element>(
    table: &Table<'_, S>,
    rows: impl Iterator<Item = usize>,
) -> Vec<T> {
    let n = table.columns();
    let mut block = Vec::with_capacity(rows.size_hint().0 * n);
    for row in rows {
        match table.row(row) {
            Some(values) => block.extend(values.iter().map(|&value| T::from_f64(value.to_f64()))),
            None => block.extend((0..n).map(|j| T::from_f64(table.get(row, j).to_f64()))),
        }
    }
    block
}

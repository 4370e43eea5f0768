//! Points through filters: z = Fᵀx (+ offset), block by block in the points' own precision.

use std::borrow::Cow;

use crate::linalg::{
    Element, Float, Lines, Mat, MatRef, Packed, rows_times, rows_transposed_times,
};
use crate::parallel;
use crate::points::{Points, Scalar, Table};

/// Features, one point a row, in the precision of the points they came from.
#[derive(Debug, Clone, PartialEq)]
pub enum Features {
    /// Single precision: from bytes or single-precision points.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
}

impl Features {
    /// All features in double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F32(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::F64(values) => values.clone(),
        }
    }

    /// The same without a copy where they are.
    pub(crate) fn into_f64(self) -> Vec<f64> {
        match self {
            Self::F32(_) => self.to_f64(),
            Self::F64(values) => values,
        }
    }

    /// The features as points of `columns` dimensions, for a classifier or another reducer.
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

/// Points of one block: enough for an efficient product, little beside the data.
pub(crate) const BLOCK: usize = 512;
/// Numbers of points that are copied at a time, half a megabyte, unless they are of fewer points than this.
const COPIED: usize = 1 << 16;
const LEAST: usize = 64;
/// Up to so many filters points are read where they lie; for more, copies that a product of matrices packs take less time.
const FEW: usize = 64;

/// Projects points through filters (n × m) and adds an offset (m values).
///
/// Points must have as many dimensions as the filters have rows.
pub fn transform(points: Points<'_>, filters: MatRef<'_, f64>, offset: Option<&[f64]>) -> Features {
    project_points(points, Chosen::All(points.rows()), filters, Shift::after(offset))
}

/// Projects some of the points and adds an offset.
pub(crate) fn transform_rows_offset(
    points: Points<'_>,
    rows: &[usize],
    filters: MatRef<'_, f64>,
    offset: Option<&[f64]>,
) -> Features {
    project_points(points, Chosen::Some(rows), filters, Shift::after(offset))
}

/// Projects some of the points less a center (n values), which is taken off before anything is rounded to single precision:
/// far from the origin that keeps the digits in which points differ.
pub(crate) fn transform_rows_about(
    points: Points<'_>,
    rows: &[usize],
    filters: MatRef<'_, f64>,
    center: &[f64],
) -> Features {
    project_points(points, Chosen::Some(rows), filters, Shift::Before(center))
}

/// What moves points or features.
#[derive(Clone, Copy)]
enum Shift<'a> {
    None,
    /// Taken off the points.
    Before(&'a [f64]),
    /// Added to the features.
    After(&'a [f64]),
}

impl<'a> Shift<'a> {
    fn after(offset: Option<&'a [f64]>) -> Self {
        offset.map_or(Self::None, Self::After)
    }
}

/// Which points take part.
#[derive(Clone, Copy)]
enum Chosen<'a> {
    /// The first so many, which are all.
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

/// Points in the precision of the features, read where they lie if that is by rows or by columns.
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

/// Copies of some points at a time, in the precision of the features.
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

/// Some points less a center, one after the other.
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

/// XᵀW for some of the points (rows of X) and as many rows of weights, row-major with `columns` numbers each.
///
/// Products are in the points' own precision over blocks of fixed size; the blocks' sums are added in order in f64.
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

/// Blocks whose sums are kept until they are added in order.
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

/// Some points, one after the other, in the precision of a product.
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

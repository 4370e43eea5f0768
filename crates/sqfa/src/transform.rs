//! Points through filters: z = Fᵀx (+ offset), block by block in the points' own precision.

use crate::linalg::{Element, Float, Mat, MatRef, rows_times, rows_transposed_times};
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
const BLOCK: usize = 512;

/// Projects points through filters (n × m) and adds an offset (m values).
///
/// Points must have as many dimensions as the filters have rows.
pub fn transform(points: Points<'_>, filters: MatRef<'_, f64>, offset: Option<&[f64]>) -> Features {
    project_points(points, points.rows(), &|row| row, filters, Shift::after(offset))
}

/// Projects some of the points.
pub(crate) fn transform_rows(
    points: Points<'_>,
    rows: &[usize],
    filters: MatRef<'_, f64>,
) -> Features {
    project_points(points, rows.len(), &|row| rows[row], filters, Shift::None)
}

/// Projects some of the points and adds an offset.
pub(crate) fn transform_rows_offset(
    points: Points<'_>,
    rows: &[usize],
    filters: MatRef<'_, f64>,
    offset: Option<&[f64]>,
) -> Features {
    project_points(points, rows.len(), &|row| rows[row], filters, Shift::after(offset))
}

/// Projects some of the points less a centre (n values), which is taken off before anything is rounded to single precision:
/// far from the origin that keeps the digits in which points differ.
pub(crate) fn transform_rows_about(
    points: Points<'_>,
    rows: &[usize],
    filters: MatRef<'_, f64>,
    centre: &[f64],
) -> Features {
    project_points(points, rows.len(), &|row| rows[row], filters, Shift::Before(centre))
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

fn project_points(
    points: Points<'_>,
    count: usize,
    which: &(impl Fn(usize) -> usize + Sync),
    filters: MatRef<'_, f64>,
    shift: Shift<'_>,
) -> Features {
    match points {
        Points::U8(table) => Features::F32(project_table(&table, count, which, filters, shift)),
        Points::F32(table) => Features::F32(project_table(&table, count, which, filters, shift)),
        Points::F64(table) => Features::F64(project_table(&table, count, which, filters, shift)),
    }
}

fn project_table<S: Scalar, T: Element>(
    table: &Table<'_, S>,
    count: usize,
    which: &(impl Fn(usize) -> usize + Sync),
    filters: MatRef<'_, f64>,
    shift: Shift<'_>,
) -> Vec<T> {
    let (n, m) = (filters.nrows(), filters.ncols());
    let cast = Mat::from_fn(n, m, |i, j| T::from_f64(filters[(i, j)]));
    let mut features = vec![T::ZERO; count * m];
    if m == 0 {
        return features;
    }
    parallel::for_each(features.chunks_mut(BLOCK * m).enumerate(), |(index, target)| {
        let first = index * BLOCK;
        let rows = target.len() / m;
        let which = (first..first + rows).map(which);
        let block = match shift {
            Shift::Before(centre) => block_about::<S, T>(table, which, centre),
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

/// Some points less a centre, one after the other.
fn block_about<S: Scalar, T: Element>(
    table: &Table<'_, S>,
    rows: impl Iterator<Item = usize>,
    centre: &[f64],
) -> Vec<T> {
    let mut block = Vec::with_capacity(rows.size_hint().0 * centre.len());
    for row in rows {
        let numbers = centre.iter().enumerate();
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
        Points::U8(table) => gather_table::<_, f32>(&table, rows, weights, columns),
        Points::F32(table) => gather_table::<_, f32>(&table, rows, weights, columns),
        Points::F64(table) => gather_table::<_, f64>(&table, rows, weights, columns),
    }
}

/// Blocks whose sums are kept until they are added in order.
const GATHERED: usize = 16;

fn gather_table<S: Scalar, T: Element>(
    table: &Table<'_, S>,
    rows: &[usize],
    weights: &[f64],
    m: usize,
) -> Mat<f64> {
    let n = table.columns();
    let mut total = Mat::zeros(n, m);
    for (rows, weights) in rows.chunks(BLOCK * GATHERED).zip(weights.chunks(BLOCK * GATHERED * m)) {
        let blocks = rows.chunks(BLOCK).zip(weights.chunks(BLOCK * m));
        let partials: Vec<Vec<T>> = parallel::map(blocks, |(rows, weights)| {
            let block = block_of::<S, T>(table, rows.iter().copied());
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

//! Features of many samples in groups of eight, which are mapped, multiplied and moved along a
//! line. The division into tasks is fixed, so the bits do not depend on the number of threads.

use crate::constraint::Map;
use crate::linalg::{LANES, Lanes, Mat, Real, dispatch};
use crate::parallel;
use crate::transform::Features;

/// Features in groups of eight samples: group g consists of m lanes, one per feature.
#[derive(Debug, Clone)]
pub(super) struct Grouped {
    pub(super) values: Vec<Lanes>,
    pub(super) columns: usize,
}

impl Grouped {
    /// Creates groups from `count` columns, beginning with column `first`, of row-major features
    /// with `width` columns. Lanes beyond the last sample are 0.
    pub(super) fn new(features: &Features, width: usize, first: usize, count: usize) -> Self {
        match features {
            Features::F32(values) => grouped(values, width, first, count, f64::from),
            Features::F64(values) => grouped(values, width, first, count, |value| value),
        }
    }

    /// Creates groups from a matrix with one feature per column.
    pub(super) fn of_columns(features: &Mat<f64>) -> Self {
        let (points, columns) = (features.nrows(), features.ncols());
        let mut values = vec![Lanes::splat(0.0); points.div_ceil(LANES) * columns];
        parallel::rows(&mut values, columns, |group, lanes| {
            for (j, value) in lanes.iter_mut().enumerate() {
                for lane in 0..LANES.min(points - group * LANES) {
                    value.set_lane(lane, features[(group * LANES + lane, j)]);
                }
            }
        });
        Self { values, columns }
    }

    /// Returns the features of the first `count` samples, row-major.
    pub(super) fn rows(&self, count: usize) -> Vec<f64> {
        let m = self.columns;
        let mut rows = vec![0.0; count * m];
        parallel::rows(&mut rows, LANES * m, |group, rows| {
            let lanes = &self.values[group * m..];
            for (lane, row) in rows.chunks_exact_mut(m).enumerate() {
                for j in 0..m {
                    row[j] = lanes[j].lane(lane);
                }
            }
        });
        rows
    }
}

fn grouped<T: Copy + Sync>(
    features: &[T],
    width: usize,
    first: usize,
    count: usize,
    convert: impl Fn(T) -> f64 + Sync,
) -> Grouped {
    let points = features.len().checked_div(width).unwrap_or(0);
    let mut values = vec![Lanes::splat(0.0); points.div_ceil(LANES) * count];
    parallel::rows(&mut values, count, |group, lanes| {
        let rows = features[group * LANES * width..].chunks_exact(width).take(LANES);
        for (lane, row) in rows.enumerate() {
            for j in 0..count {
                lanes[j].set_lane(lane, convert(row[first + j]));
            }
        }
    });
    Grouped { values, columns: count }
}

/// Groups of eight samples per task, so that a few features of each stay in the cache.
const TASK: usize = 128;

/// Returns Z = (Xη)T, or (Xη + step·XD)T, where the columns of D belong to the last columns of η.
pub(super) fn mapped(projected: &Grouped, line: Option<(&Grouped, f64)>, map: &Map) -> Grouped {
    let m = projected.columns;
    let t = map.dense(m);
    let (change, moving, step) = match line {
        Some((change, step)) => (change.values.as_slice(), change.columns, step),
        None => (&[][..], 0, 0.0),
    };
    let mut values = vec![Lanes::splat(0.0); projected.values.len()];
    let tasks = values.chunks_mut(m * TASK).zip(projected.values.chunks(m * TASK)).enumerate();
    parallel::for_each(tasks, |(task, (values, projected))| {
        let change = change.get(task * moving * TASK..).unwrap_or_default();
        dispatch(
            #[inline(always)]
            || {
                let step = Lanes::splat(step);
                let mut x = vec![Lanes::splat(0.0); m];
                let groups = values.chunks_exact_mut(m).zip(projected.chunks_exact(m));
                for (group, (z, own)) in groups.enumerate() {
                    x.copy_from_slice(own);
                    if let Some(change) = change.get(group * moving..(group + 1) * moving) {
                        for (x, change) in x[m - moving..].iter_mut().zip(change) {
                            *x = *x + step * *change;
                        }
                    }
                    for j in 0..m {
                        let mut sum = Lanes::splat(0.0);
                        for i in 0..m {
                            if t[i * m + j] != 0.0 {
                                sum = sum + Lanes::splat(t[i * m + j]) * x[i];
                            }
                        }
                        z[j] = sum;
                    }
                }
            },
        );
    });
    Grouped { values, columns: m }
}

/// Numbers of columns of X and of Y whose products are accumulated in registers.
const TILE: (usize, usize) = (2, 8);

/// Adds XᵀY for one tile of columns, beginning with columns i and j. Each of X and Y comes with the
/// number of its columns.
#[inline(always)]
fn add_tile(
    (x, m, i): (&[Lanes], usize, usize),
    (y, k, j): (&[Lanes], usize, usize),
    sums: &mut [Lanes],
) {
    let (height, width) = (TILE.0.min(m - i), TILE.1.min(k - j));
    let mut tile = [[Lanes::splat(0.0); TILE.1]; TILE.0];
    if (height, width) == TILE {
        for (x, y) in x.chunks_exact(m).zip(y.chunks_exact(k)) {
            let (x, y) = (&x[i..i + TILE.0], &y[j..j + TILE.1]);
            for (sums, &x) in tile.iter_mut().zip(x) {
                for (sum, &y) in sums.iter_mut().zip(y) {
                    *sum = *sum + x * y;
                }
            }
        }
    } else {
        for (x, y) in x.chunks_exact(m).zip(y.chunks_exact(k)) {
            for (sums, &x) in tile.iter_mut().zip(&x[i..i + height]) {
                for (sum, &y) in sums.iter_mut().zip(&y[j..j + width]) {
                    *sum = *sum + x * y;
                }
            }
        }
    }
    for (a, own) in tile.iter().enumerate().take(height) {
        sums[(i + a) * k + j..][..width].copy_from_slice(&own[..width]);
    }
}

/// Returns XᵀY of two sets of grouped features, row-major. Partial sums of fixed chunks are added
/// in order, so the bits do not depend on the number of threads.
pub(super) fn inner_products(x: &Grouped, y: &Grouped) -> Vec<f64> {
    let (m, k) = (x.columns, y.columns);
    let chunks = x.values.chunks(m * TASK).zip(y.values.chunks(k * TASK));
    let partials = parallel::map(chunks, |(x, y)| {
        let mut sums = vec![Lanes::splat(0.0); m * k];
        dispatch(
            #[inline(always)]
            || {
                for i in (0..m).step_by(TILE.0) {
                    for j in (0..k).step_by(TILE.1) {
                        add_tile((x, m, i), (y, k, j), &mut sums);
                    }
                }
            },
        );
        sums
    });
    let mut total = vec![0.0; m * k];
    for partial in partials {
        for (total, lanes) in total.iter_mut().zip(partial) {
            *total += (0..LANES).map(|lane| lanes.lane(lane)).sum::<f64>();
        }
    }
    total
}

/// Moves the last columns of `base` by a step along their change.
pub(super) fn step_along(base: &mut Grouped, change: &Grouped, step: f64) {
    let (m, k) = (base.columns, change.columns);
    let step = Lanes::splat(step);
    let tasks = base.values.chunks_mut(m * TASK).zip(change.values.chunks(k * TASK));
    parallel::for_each(tasks, |(base, change)| {
        dispatch(
            #[inline(always)]
            || {
                for (base, change) in base.chunks_exact_mut(m).zip(change.chunks_exact(k)) {
                    for (target, change) in base[m - k..].iter_mut().zip(change) {
                        *target = *target + step * *change;
                    }
                }
            },
        );
    });
}

//! The logarithm of the ratio of transport costs within and between classes, and its gradient with
//! respect to the filters.
//!
//! With Z = XF, M_ab = |z_a − z_b|² and the derivative M̄ = ∂W/∂M of a plan, ∂W/∂z_a = 2Σ_b
//! M̄_ab(z_a − z_b), and likewise for z_b. Then ∂/∂F = XᵀZ̄. Pairs of classes are computed in
//! parallel, in groups that limit the memory, and added in order, so the bits do not depend on the
//! number of threads.

use super::super::SampleError;
use super::super::gathered::Gathered;
use super::{logarithmic, scaling};
use crate::linalg::{
    Mat, MatRef, add_inner_products, add_rows_product, dispatch, rows_times, rows_times_rows,
    transpose_times,
};
use crate::parallel;

/// Ratio of cost to regularization above which the plan loses more than six digits to round-off.
const SHARPEST: f64 = 1e9;
/// Number of pairs of classes whose gradients are stored at a time.
const GROUP: usize = 64;

/// A transport problem between two classes.
pub(super) struct Transport {
    /// The squared distances, row-major.
    pub(super) costs: Vec<f64>,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) regularization: f64,
    pub(super) iterations: usize,
}

/// The cost of a plan, with its derivatives with respect to all squared distances.
pub(super) struct Priced {
    pub(super) price: f64,
    pub(super) slopes: Vec<f64>,
}

/// The contribution of a pair of classes: its cost, and the gradients with respect to the
/// projections of both classes.
struct Term {
    price: f64,
    left: Vec<f64>,
    right: Vec<f64>,
}

/// Returns the logarithm of the loss of filters (p × m) and its gradient.
pub(super) fn evaluate(
    samples: &Gathered,
    filters: MatRef<'_, f64>,
    regularization: f64,
    iterations: usize,
) -> Result<(f64, Mat<f64>), SampleError> {
    let (rows, p, m) = (samples.rows(), samples.columns, filters.ncols());
    let mut projected = vec![0.0; rows * m];
    rows_times(&samples.values, rows, filters, &mut projected);
    let classes = &samples.classes;
    let pairs: Vec<(usize, usize)> =
        (0..classes.len()).flat_map(|i| (i..classes.len()).map(move |j| (i, j))).collect();
    // The costs within classes and between classes.
    let mut prices = [0.0; 2];
    let mut slopes = [vec![0.0; rows * m], vec![0.0; rows * m]];
    for group in pairs.chunks(GROUP) {
        let terms = parallel::try_map(group, |&(i, j)| {
            let class = |k: usize| {
                let rows = &classes[k].1;
                &projected[rows.start * m..rows.end * m]
            };
            let mut costs = costs(class(i), class(j), m);
            if i == j {
                // The distance of a sample to itself is exactly 0, without rounding errors.
                let width = classes[i].1.len();
                costs.iter_mut().step_by(width + 1).for_each(|cost| *cost = 0.0);
            }
            term(class(i), class(j), costs, m, regularization, iterations)
        })?;
        for (&(i, j), term) in group.iter().zip(terms) {
            let side = usize::from(i != j);
            prices[side] += term.price;
            for (class, slope) in [(i, term.left), (j, term.right)] {
                let first = classes[class].1.start * m;
                let target = &mut slopes[side][first..first + slope.len()];
                target.iter_mut().zip(slope).for_each(|(sum, value)| *sum += value);
            }
        }
    }
    let [within, between] = prices;
    if !(between > 0.0 && between.is_finite()) {
        return Err(SampleError::NoSpread);
    }
    if within <= f64::MIN_POSITIVE {
        let scale = mean_square(samples, &projected, m);
        return Err(SampleError::NoTransport { regularization, scale });
    }
    let [within_slope, between_slope] = slopes;
    let slope: Vec<f64> =
        within_slope.iter().zip(&between_slope).map(|(w, b)| w / within - b / between).collect();
    let x = MatRef::from_row_major_slice(&samples.values, rows, p);
    let loss = within.ln() - between.ln();
    Ok((loss, transpose_times(x, MatRef::from_row_major_slice(&slope, rows, m))))
}

/// Returns the mean squared distance between two samples of the same class.
fn mean_square(samples: &Gathered, projected: &[f64], m: usize) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (_, rows) in &samples.classes {
        let own = &projected[rows.start * m..rows.end * m];
        for k in 0..m {
            let mean = own.iter().skip(k).step_by(m).sum::<f64>() / rows.len() as f64;
            sum += own.iter().skip(k).step_by(m).map(|z| 2.0 * (z - mean).powi(2)).sum::<f64>();
        }
        count += rows.len() as f64;
    }
    sum / count
}

fn term(
    left: &[f64],
    right: &[f64],
    costs: Vec<f64>,
    m: usize,
    regularization: f64,
    iterations: usize,
) -> Result<Term, SampleError> {
    let (height, width) = (left.len() / m, right.len() / m);
    let transport = Transport { costs, height, width, regularization, iterations };
    let cost = transport.costs.iter().fold(0.0_f64, |top, &cost| top.max(cost));
    if cost > SHARPEST * regularization {
        return Err(SampleError::TooSharp { regularization, cost, least: cost / SHARPEST });
    }
    let Priced { price, slopes } =
        scaling::price(&transport).unwrap_or_else(|| logarithmic::price(&transport));
    let (mut row_sums, mut column_sums) = (vec![0.0; height], vec![0.0; width]);
    for (sum, row) in row_sums.iter_mut().zip(slopes.chunks(width)) {
        *sum = row.iter().sum();
        column_sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let own = |sums: &[f64], points: &[f64]| -> Vec<f64> {
        points.iter().enumerate().map(|(at, z)| 2.0 * sums[at / m] * z).collect()
    };
    let (mut left_slope, mut right_slope) = (own(&row_sums, left), own(&column_sums, right));
    add_rows_product(&slopes, height, right, width, m, -2.0, &mut left_slope);
    let minus: Vec<f64> = left.iter().map(|z| -2.0 * z).collect();
    add_inner_products(&slopes, &minus, (height, width, m), &mut right_slope);
    Ok(Term { price, left: left_slope, right: right_slope })
}

/// Returns |z_a − z_b|² for all pairs of samples of two classes.
fn costs(left: &[f64], right: &[f64], m: usize) -> Vec<f64> {
    let (height, width) = (left.len() / m, right.len() / m);
    let squares = |points: &[f64]| -> Vec<f64> {
        points.chunks(m).map(|z| z.iter().map(|x| x * x).sum()).collect()
    };
    let (left_squares, right_squares) = (squares(left), squares(right));
    let mut costs = vec![0.0; height * width];
    rows_times_rows(left, height, right, width, m, &mut costs);
    dispatch(
        #[inline(always)]
        || {
            for (row, square) in costs.chunks_mut(width).zip(&left_squares) {
                for (cost, other) in row.iter_mut().zip(&right_squares) {
                    *cost = (square + other - 2.0 * *cost).max(0.0);
                }
            }
        },
    );
    costs
}

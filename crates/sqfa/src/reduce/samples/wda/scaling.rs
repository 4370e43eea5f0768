//! Transport plans by scaling a kernel, with the exact derivative of their cost through all
//! iterations.
//!
//! The kernel is K_ab = exp(−(M_ab − r_a − c_b)/ε), where c_b is the smallest cost of column b and
//! r_a the smallest remaining cost of row a. Beginning with u⁰_a = exp(−r_a/ε), L iterations
//! compute v = β/(Kᵀu) and u = α/(Kv); the plan is u_aK_abv_b. Removing c and r from the kernel
//! only rescales v and u and does not change the plan, but it guarantees that every row and every
//! column contains a 1. From one half-step to the next, the spread of u and v then grows at most by
//! a factor of the number of samples, however sharp the plan is. The derivatives follow in reverse
//! order, with P = K∘M and W = uᵀPv:
//!
//! ```text
//! ū = Pv,  v̄ = Pᵀu
//! t = L … 1:  s̄ = −ū∘u²/α,  v̄ += Kᵀs̄,  r̄ = −v̄∘v²/β,  ū = Kr̄ (of u at t−1),  v̄ = 0
//! ∂W/∂M = K∘[uvᵀ∘(1 − M/ε) − (Σ_t s̄_tv_tᵀ + u_{t−1}r̄_tᵀ)/ε]
//! ```
//!
//! A half-step reads each row once, for its product with v and its contribution to the next Kᵀu, so
//! an iteration is one pass over K. Cost: 2L + 2 passes, N_iN_j exponentials and a product of depth
//! 2L.

use super::loss::{Priced, Transport};
use crate::linalg::{add_inner_products, dispatch, exponential};

/// Limit on sums of kernel rows and on their inverses. Beyond it, too little of the range of
/// floating-point numbers is left.
const SMALLEST: f64 = 1e-140;
/// Logarithm below which kernel entries are set to 0. No scaling makes them relevant, and products
/// with them would be subnormal numbers, with which processors are slow.
const NEGLIGIBLE: f64 = -460.0;

/// Returns the cost of the plan and its derivatives; `None` if values leave the range in which they
/// are accurate.
pub(super) fn price(transport: &Transport) -> Option<Priced> {
    let &Transport { ref costs, height, width, regularization, iterations } = transport;
    let (alpha, beta) = (1.0 / height as f64, 1.0 / width as f64);
    let (kernel, mut rows) = kernel(transport);
    // The rows of the two factors of Σ s̄vᵀ + ur̄ᵀ: first all s̄ and v, then all u of the previous
    // step and r̄.
    let mut left = vec![0.0; 2 * iterations * height];
    let mut right = vec![0.0; 2 * iterations * width];
    let (pulls, scales) = left.split_at_mut(iterations * height);
    let (columns, column_pulls) = right.split_at_mut(iterations * width);
    let mut sums = vec![0.0; width];
    add_rows(&kernel, &rows, &mut sums);
    for step in 0..iterations {
        scales[step * height..][..height].copy_from_slice(&rows);
        let column = &mut columns[step * width..][..width];
        column.iter_mut().zip(&sums).for_each(|(v, sum)| *v = beta / sum);
        sums.fill(0.0);
        forward(&kernel, column, alpha, &mut rows, &mut sums);
        let sound = |u: &f64| *u > SMALLEST && *u < 1.0 / SMALLEST;
        if !rows.iter().all(sound) || !column.iter().all(sound) {
            return None;
        }
    }
    // In the reverse iterations, `pull` is s̄ of the step, and `sums` becomes v̄.
    let last = &columns[(iterations - 1) * width..][..width];
    let mut pull = vec![0.0; height];
    sums.fill(0.0);
    let price = turn(&kernel, costs, last, alpha, &rows, &mut pull, &mut sums);
    for step in (0..iterations).rev() {
        pulls[step * height..][..height].copy_from_slice(&pull);
        let column = &columns[step * width..][..width];
        let column_pull = &mut column_pulls[step * width..][..width];
        for b in 0..width {
            column_pull[b] = -(sums[b] * column[b]) * (column[b] / beta);
        }
        if step > 0 {
            sums.fill(0.0);
            let earlier = &scales[step * height..][..height];
            backward(&kernel, column_pull, alpha, earlier, &mut pull, &mut sums);
        }
    }
    let last = columns[(iterations - 1) * width..][..width].to_vec();
    let mut slopes = vec![0.0; height * width];
    add_inner_products(&left, &right, (2 * iterations, height, width), &mut slopes);
    finish(&kernel, costs, &rows, &last, regularization, &mut slopes);
    slopes.iter().all(|slope| slope.is_finite()).then_some(Priced { price, slopes })
}

/// Returns K, row-major, and u⁰.
fn kernel(transport: &Transport) -> (Vec<f64>, Vec<f64>) {
    let &Transport { ref costs, height, width, regularization, .. } = transport;
    let mut least = vec![f64::INFINITY; width];
    let mut kernel = vec![0.0; costs.len()];
    let mut start = Vec::with_capacity(height);
    dispatch(
        #[inline(always)]
        || {
            for row in costs.chunks_exact(width) {
                for (least, &cost) in least.iter_mut().zip(row) {
                    *least = if cost < *least { cost } else { *least };
                }
            }
            let scale = -1.0 / regularization;
            for (target, row) in kernel.chunks_exact_mut(width).zip(costs.chunks_exact(width)) {
                let mut nearest = f64::INFINITY;
                for ((rest, &cost), &least) in target.iter_mut().zip(row).zip(&least) {
                    *rest = cost - least;
                    nearest = if *rest < nearest { *rest } else { nearest };
                }
                for entry in target {
                    let logarithm = (*entry - nearest) * scale;
                    let value = exponential(logarithm);
                    *entry = if logarithm < NEGLIGIBLE { 0.0 } else { value };
                }
                start.push(exponential(nearest * scale));
            }
        },
    );
    (kernel, start)
}

/// Computes sums += Kᵀ·weights.
fn add_rows(kernel: &[f64], weights: &[f64], sums: &mut [f64]) {
    dispatch(
        #[inline(always)]
        || {
            for (row, &weight) in kernel.chunks_exact(sums.len()).zip(weights) {
                add_row(row, weight, sums);
            }
        },
    );
}

/// Computes u = α/(Kv) and sums += Kᵀu, one row at a time.
fn forward(kernel: &[f64], column: &[f64], alpha: f64, rows: &mut [f64], sums: &mut [f64]) {
    dispatch(
        #[inline(always)]
        || {
            for (row, u) in kernel.chunks_exact(column.len()).zip(rows) {
                *u = alpha / dot(row, column);
                add_row(row, *u, sums);
            }
        },
    );
}

/// Computes the cost uᵀ(K∘M)v, s̄ of the last step, and v̄ = (K∘M)ᵀu + Kᵀs̄.
fn turn(
    kernel: &[f64],
    costs: &[f64],
    column: &[f64],
    alpha: f64,
    rows: &[f64],
    pull: &mut [f64],
    sums: &mut [f64],
) -> f64 {
    let width = column.len();
    let mut price = 0.0;
    dispatch(
        #[inline(always)]
        || {
            let table = kernel.chunks_exact(width).zip(costs.chunks_exact(width));
            for (((row, costs), &u), pull) in table.zip(rows).zip(pull) {
                let share = u * dot3(row, costs, column);
                price += share;
                *pull = -share * (u / alpha);
                for ((sum, &entry), &cost) in sums.iter_mut().zip(row).zip(costs) {
                    *sum += entry * (u * cost + *pull);
                }
            }
        },
    );
    price
}

/// Computes ū = Kr̄ of the previous step, its s̄, and v̄ = Kᵀs̄.
fn backward(
    kernel: &[f64],
    column_pull: &[f64],
    alpha: f64,
    rows: &[f64],
    pull: &mut [f64],
    sums: &mut [f64],
) {
    dispatch(
        #[inline(always)]
        || {
            let table = kernel.chunks_exact(column_pull.len());
            for ((row, &u), pull) in table.zip(rows).zip(pull) {
                *pull = -(u * dot(row, column_pull)) * (u / alpha);
                add_row(row, *pull, sums);
            }
        },
    );
}

/// Converts Σ s̄vᵀ + ur̄ᵀ into ∂W/∂M.
fn finish(
    kernel: &[f64],
    costs: &[f64],
    rows: &[f64],
    column: &[f64],
    regularization: f64,
    slopes: &mut [f64],
) {
    let width = column.len();
    let scale = 1.0 / regularization;
    dispatch(
        #[inline(always)]
        || {
            let table = kernel.chunks_exact(width).zip(costs.chunks_exact(width));
            for (((kernel, costs), &u), slopes) in
                table.zip(rows).zip(slopes.chunks_exact_mut(width))
            {
                for b in 0..width {
                    let plan = u * column[b];
                    slopes[b] = kernel[b] * (plan - (plan * costs[b] + slopes[b]) * scale);
                }
            }
        },
    );
}

/// Number of partial sums, which fixes the order of additions on every machine.
const SUMS: usize = 16;

#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let (x_parts, y_parts) = (x.chunks_exact(SUMS), y.chunks_exact(SUMS));
    let rest: f64 = x_parts.remainder().iter().zip(y_parts.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in x_parts.zip(y_parts) {
        for lane in 0..SUMS {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[inline(always)]
fn dot3(x: &[f64], y: &[f64], z: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let whole = x.len() / SUMS * SUMS;
    for start in (0..whole).step_by(SUMS) {
        let (x, y, z) = (&x[start..][..SUMS], &y[start..][..SUMS], &z[start..][..SUMS]);
        for lane in 0..SUMS {
            sums[lane] += x[lane] * y[lane] * z[lane];
        }
    }
    let rest: f64 = (whole..x.len()).map(|at| x[at] * y[at] * z[at]).sum();
    sums.iter().sum::<f64>() + rest
}

#[inline(always)]
fn add_row(row: &[f64], weight: f64, sums: &mut [f64]) {
    for (sum, &entry) in sums.iter_mut().zip(row) {
        *sum += weight * entry;
    }
}

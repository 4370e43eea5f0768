//! Transport plans and derivatives computed with logarithms, which is slower than with scalings but
//! cannot underflow.
//!
//! Let φ = ln u and ψ = ln v. The iterations are ψ_b = ln β − ln Σ_a exp(φ_a − M_ab/ε) and φ_a = ln
//! α − ln Σ_b exp(ψ_b − M_ab/ε). The plan of a half-step, Q = exp(φ_a + ψ_b − M_ab/ε), determines
//! its derivatives: ∂φ_a/∂ψ_b = −Q_ab/α and ∂φ_a/∂M_ab = Q_ab/(αε), and likewise for ψ. Cost: about
//! 6L·N_iN_j exponentials.

use super::loss::{Priced, Transport};
use crate::linalg::{dispatch, exponential};

/// Returns the cost of the plan and its derivatives.
pub(super) fn price(transport: &Transport) -> Priced {
    let &Transport { ref costs, height, width, regularization, iterations } = transport;
    let (alpha, beta) = (1.0 / height as f64, 1.0 / width as f64);
    let scale = 1.0 / regularization;
    // The potentials before and after every iteration.
    let mut rows = vec![vec![0.0; height]];
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for step in 0..iterations {
        columns.push(column_step(costs, &rows[step], width, scale, beta.ln()));
        rows.push(row_step(costs, &columns[step], scale, alpha.ln()));
    }
    let (row, column) = (&rows[iterations], &columns[iterations - 1]);
    let mut slopes = vec![0.0; height * width];
    let (mut row_pull, mut column_pull) = (vec![0.0; height], vec![0.0; width]);
    let mut price = 0.0;
    for a in 0..height {
        let costs = &costs[a * width..][..width];
        for b in 0..width {
            let plan = exponential(row[a] + column[b] - costs[b] * scale);
            price += plan * costs[b];
            row_pull[a] += plan * costs[b];
            column_pull[b] += plan * costs[b];
            slopes[a * width + b] = plan * (1.0 - costs[b] * scale);
        }
    }
    for step in (0..iterations).rev() {
        // The half-step of φ: v̄ −= Qᵀū/α.
        pull_back(costs, &rows[step + 1], &columns[step], scale, |a, b, plan| {
            let share = plan * row_pull[a] / alpha;
            column_pull[b] -= share;
            slopes[a * width + b] += share * scale;
        });
        // The half-step of ψ: ū of the previous step is −Qv̄/β.
        row_pull.fill(0.0);
        pull_back(costs, &rows[step], &columns[step], scale, |a, b, plan| {
            let share = plan * column_pull[b] / beta;
            row_pull[a] -= share;
            slopes[a * width + b] += share * scale;
        });
        column_pull.fill(0.0);
    }
    Priced { price, slopes }
}

/// Calls `use_plan` with every entry of the plan of a half-step, row by row.
fn pull_back(
    costs: &[f64],
    row: &[f64],
    column: &[f64],
    scale: f64,
    mut use_plan: impl FnMut(usize, usize, f64),
) {
    let width = column.len();
    let mut plan = vec![0.0; width];
    for (a, costs) in costs.chunks_exact(width).enumerate() {
        dispatch(
            #[inline(always)]
            || {
                for ((plan, &cost), &potential) in plan.iter_mut().zip(costs).zip(column) {
                    *plan = exponential(row[a] + potential - cost * scale);
                }
            },
        );
        for (b, &plan) in plan.iter().enumerate() {
            use_plan(a, b, plan);
        }
    }
}

/// Computes ψ from φ.
fn column_step(costs: &[f64], row: &[f64], width: usize, scale: f64, share: f64) -> Vec<f64> {
    let mut tops = vec![f64::NEG_INFINITY; width];
    let mut sums = vec![0.0; width];
    dispatch(
        #[inline(always)]
        || {
            for (costs, &potential) in costs.chunks_exact(width).zip(row) {
                for (top, &cost) in tops.iter_mut().zip(costs) {
                    let value = potential - cost * scale;
                    *top = if value > *top { value } else { *top };
                }
            }
            for (costs, &potential) in costs.chunks_exact(width).zip(row) {
                for ((sum, &cost), &top) in sums.iter_mut().zip(costs).zip(&tops) {
                    *sum += exponential(potential - cost * scale - top);
                }
            }
        },
    );
    tops.iter().zip(&sums).map(|(top, sum)| share - top - sum.ln()).collect()
}

/// Computes φ from ψ.
fn row_step(costs: &[f64], column: &[f64], scale: f64, share: f64) -> Vec<f64> {
    let width = column.len();
    let mut potentials = Vec::with_capacity(costs.len() / width);
    dispatch(
        #[inline(always)]
        || {
            for costs in costs.chunks_exact(width) {
                let mut top = f64::NEG_INFINITY;
                for (&cost, &potential) in costs.iter().zip(column) {
                    let value = potential - cost * scale;
                    top = if value > top { value } else { top };
                }
                let mut sum = 0.0;
                for (&cost, &potential) in costs.iter().zip(column) {
                    sum += exponential(potential - cost * scale - top);
                }
                potentials.push(share - top - sum.ln());
            }
        },
    );
    potentials
}

//! The Gram matrix of sparse vectors that are centered by their mean, without making them dense.
//!
//! A product ⟨x, y⟩ of raw vectors involves only columns in which both have an entry. Products of centered vectors
//! follow from means of raw products over the vectors of a form: ⟨x − μ, y − ν⟩ = ⟨x, y⟩ − ⟨x, ν⟩ − ⟨μ, y⟩ + ⟨μ, ν⟩.
//! All four terms come from the same raw products, so the centered vectors add up to zero to the last digit. The cost
//! is Σ_columns e²/2 multiplications for e entries in a column, instead of v²/2 per column for v dense vectors.

use super::Spanning;
use crate::linalg::{MatRef, transpose_times};
use crate::parallel;

/// Number of multiplications of the dense algorithm that take the time of one sparse multiplication.
const DENSE: f64 = 16.0;
/// Number of vectors that one task processes.
const PANEL: usize = 16;

/// Vectors with few nonzero entries, from each of which their mean is subtracted.
pub trait SparseVectors: Sync {
    /// Returns the number of vectors with an entry in a column.
    fn entries(&self, column: usize) -> usize;
    /// Calls `work` with the column and the value of each entry of a vector.
    fn each_entry(&self, vector: usize, work: &mut dyn FnMut(usize, f64));
    /// Adds `factor` times the entries of a column to the sums of their vectors, for the first `sums.len()` vectors.
    fn add_column(&self, column: usize, factor: f64, sums: &mut [f64]);
}

/// Returns the lower triangle of the Gram matrix of all vectors of several forms, followed by the columns of `more`,
/// row-major. Returns `None` if a form is not sparse or the dense algorithm is faster.
pub(super) fn gram(forms: &[&dyn Spanning], more: MatRef<'_, f64>) -> Option<Vec<f64>> {
    let sparse: Vec<&dyn SparseVectors> =
        forms.iter().map(|form| form.sparse()).collect::<Option<_>>()?;
    let vectors: Vec<usize> = forms.iter().map(|form| form.vectors()).collect();
    let total: usize = vectors.iter().sum();
    let meetings = |column: usize| {
        let entries: usize = sparse.iter().map(|form| form.entries(column)).sum();
        entries as f64 * entries as f64
    };
    let work: f64 = (0..more.nrows()).map(meetings).sum();
    if DENSE * work > more.nrows() as f64 * total as f64 * total as f64 {
        return None;
    }
    let size = total + more.ncols();
    let mut result = vec![0.0; size * size];
    let mut first = 0;
    for (own, &count) in vectors.iter().enumerate() {
        let rows = &mut result[first * size..(first + count) * size];
        parallel::for_each(rows.chunks_mut(PANEL * size).enumerate(), |(panel, rows)| {
            for (i, row) in rows.chunks_mut(size).enumerate() {
                let i = panel * PANEL + i;
                sparse[own].each_entry(i, &mut |column, value| {
                    let mut rest = &mut row[..first + i + 1];
                    for (form, &vectors) in sparse[..=own].iter().zip(&vectors) {
                        let (sums, behind) = rest.split_at_mut(vectors.min(rest.len()));
                        form.add_column(column, value, sums);
                        rest = behind;
                    }
                });
            }
        });
        first += count;
    }
    center(&mut result, size, &vectors);
    let mut first = 0;
    for (form, &count) in forms.iter().zip(&vectors) {
        let products = form.times(more);
        for i in 0..count {
            (0..more.ncols())
                .for_each(|k| result[(total + k) * size + first + i] = products[(i, k)]);
        }
        first += count;
    }
    let own = transpose_times(more, more);
    for i in 0..more.ncols() {
        (0..=i).for_each(|j| result[(total + i) * size + total + j] = own[(i, j)]);
    }
    Some(result)
}

/// Turns products of raw vectors into products of centered vectors.
fn center(gram: &mut [f64], size: usize, vectors: &[usize]) {
    let forms = vectors.len();
    let form: Vec<usize> =
        vectors.iter().enumerate().flat_map(|(form, &count)| vec![form; count]).collect();
    // The mean product of each vector with the vectors of each form, followed by the mean products between forms.
    let mut means = vec![0.0; form.len() * forms];
    for i in 0..form.len() {
        for j in 0..=i {
            let product = gram[i * size + j];
            means[i * forms + form[j]] += product;
            if i != j {
                means[j * forms + form[i]] += product;
            }
        }
    }
    for (at, mean) in means.iter_mut().enumerate() {
        *mean /= vectors[at % forms] as f64;
    }
    let mut level = vec![0.0; forms * forms];
    for (i, &own) in form.iter().enumerate() {
        for other in 0..forms {
            level[own * forms + other] += means[i * forms + other] / vectors[own] as f64;
        }
    }
    parallel::rows(&mut gram[..form.len() * size], size, |i, row| {
        for (j, entry) in row[..=i].iter_mut().enumerate() {
            let (own, other) = (form[i], form[j]);
            *entry +=
                level[own * forms + other] - means[i * forms + other] - means[j * forms + own];
        }
    });
}

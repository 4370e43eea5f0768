//! Class statistics in a subspace: VᵀΦV for every class, for fits after a first reduction of the dimension.

use std::sync::Arc;

use super::{ClassStatistics, Covariance, Dense, Entries, project};
use crate::linalg::{Element, Lower, Mat, MatRef, lower_rows, runs_of, transpose_times, triangle};

impl ClassStatistics {
    /// Returns the statistics of the features Vᵀx for a basis V (n × k), in double precision.
    pub fn reduced(&self, basis: MatRef<'_, f64>) -> Self {
        let k = basis.ncols();
        let gaussians = project(self, basis, 0.0);
        let means = Mat::from_fn(k, gaussians.len(), |i, class| gaussians.mean(class)[i]);
        let entries = (0..gaussians.len()).map(|class| gaussians.covariance(class).to_vec());
        self.in_basis(k, means, entries)
    }

    /// Returns the statistics of the features Vᵀx from the products VᵀΦV of all classes.
    pub(crate) fn confined(&self, basis: MatRef<'_, f64>, forms: &[Mat<f64>]) -> Self {
        let k = basis.ncols();
        let means = transpose_times(basis, self.means().as_ref());
        let entries =
            forms.iter().map(|form| (0..k * k).map(|at| form[(at / k, at % k)]).collect());
        self.in_basis(k, means, entries)
    }

    fn in_basis(&self, k: usize, means: Mat<f64>, entries: impl Iterator<Item = Vec<f64>>) -> Self {
        let covariances = entries
            .map(|entries| {
                let lower = Lower::new(&entries, k).packed(|value| value);
                Box::new(Dense::new(lower, k).expect("a triangle")) as _
            })
            .collect();
        let mut reduced = Self::from_parts(
            self.classes().clone(),
            self.counts().map(<[u64]>::to_vec),
            means,
            covariances,
            self.moments(),
        );
        reduced.shrunk = self.shrunk;
        reduced.robust = self.robust.clone();
        reduced
    }

    /// Returns the statistics with every covariance multiplied by a positive factor.
    pub fn with_scaled_covariances(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        scaled.rescale(&vec![factor.sqrt(); self.dimension()]);
        scaled
    }

    /// Returns statistics whose classes with at most as many samples as columns are shrunk towards the pooled
    /// covariance.
    ///
    /// A class of N samples in n columns is shrunk by n/(n + N), as if n samples of the pooled covariance were added.
    /// Returns `None` if there is no such class, or if counts or entries are not known.
    pub(crate) fn pooled_where_deficient(&self) -> Option<Self> {
        let (n, counts) = (self.dimension(), self.counts()?);
        counts.iter().find(|&&count| count <= n as u64)?;
        let mut pooled = vec![0.0; triangle(n)];
        for (covariance, share) in self.covariances().iter().zip(self.shares()) {
            let entries = covariance.entries()?;
            lower_rows(&mut pooled, n, |i, row| entries.add_row_to(share, i, row));
        }
        let mut covariances: Vec<Arc<dyn Covariance>> = Vec::new();
        for (covariance, &count) in self.covariances().iter().zip(counts) {
            let fraction =
                if count > n as u64 { 0.0 } else { n as f64 / (n as f64 + count as f64) };
            let mut own: Vec<f64> = pooled.iter().map(|entry| fraction * entry).collect();
            let entries = covariance.entries()?;
            lower_rows(&mut own, n, |i, row| entries.add_row_to(1.0 - fraction, i, row));
            covariances.push(Arc::new(Dense::new(own, n)?));
        }
        Some(Self { covariances, ..self.clone() })
    }

    /// Returns the statistics of some of the columns, or `None` if a covariance does not store its entries.
    pub(crate) fn selected(&self, columns: &[usize]) -> Option<Self> {
        let k = columns.len();
        let mut covariances: Vec<Arc<dyn Covariance>> = Vec::new();
        for same in self.covariances().chunk_by(Arc::ptr_eq) {
            let own: Arc<dyn Covariance> = match same[0].entries()? {
                Entries::F32(all) => Arc::new(Dense::new(picked(all, columns), k)?),
                Entries::F64(all) => Arc::new(Dense::new(picked(all, columns), k)?),
            };
            covariances.extend(std::iter::repeat_n(own, same.len()));
        }
        let means =
            Mat::from_fn(k, self.classes().len(), |i, class| self.means()[(columns[i], class)]);
        Some(Self { means, covariances, ..self.clone() })
    }
}

fn picked<T: Element>(all: Lower<'_, T>, columns: &[usize]) -> Vec<T> {
    let (k, runs) = (columns.len(), runs_of(columns));
    let ascending = columns.is_sorted();
    let mut entries = vec![T::ZERO; triangle(k)];
    lower_rows(&mut entries, k, |i, row| {
        if !ascending {
            let places = row.iter_mut().zip(columns);
            return places.for_each(|(entry, &column)| *entry = all.at(columns[i], column));
        }
        let source = all.row(columns[i]);
        for &(column, start, length) in runs.iter().take_while(|run| run.1 <= i) {
            let length = length.min(i + 1 - start);
            row[start..][..length].copy_from_slice(&source[column..][..length]);
        }
    });
    entries
}

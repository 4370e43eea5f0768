//! Class statistics reduced to the span of the samples. With v samples in n > v columns, nothing outside the span
//! matters.
//!
//! The span S contains the centered samples and the class means. A pivoted Cholesky factor of their Gram matrix, K =
//! LLᵀ, has their coordinates in an orthonormal basis of S that is never formed. Filters G in these coordinates are
//! mapped to the columns by F = A_pᵀ L_p⁻ᵀ G, where A_p has the vectors selected as pivots. If covariances were shrunk,
//! Φ is a multiple of the identity outside S, and by symmetry a few arbitrary directions outside represent all of them.
//!
//! The reduction is exact for unshrunk covariances, positive noise, filters of unit length or orthonormal filters, and
//! every distance of this crate except log-Euclidean. It costs nv² + v³/3 flops and memory for 3v² numbers.

use std::sync::Arc;

use super::forms::{combination, gram};
use super::{ClassStatistics, Dense, Spanning, StatisticsError};
use crate::linalg::{
    Mat, MatRef, add_products, add_scatter, completed_basis, lower_rows, random, scratch_room,
    transpose_times, triangle,
};
use crate::parallel;

/// Squared length, relative to the longest vector, below which the remainder of a vector is round-off.
const ROUND_OFF: f64 = 1e-12;
/// Number of rows of L that one task processes.
const ROWS: usize = 128;

/// Class statistics in the span of the samples, and the map back to the original columns.
#[derive(Debug)]
pub struct Span<'a> {
    source: &'a ClassStatistics,
    statistics: ClassStatistics,
    /// Indices of the vectors (samples class by class, then means) from which the basis is built, in order.
    pivots: Vec<usize>,
    /// The factor L_p, lower triangular and row-major.
    factor: Vec<f64>,
    /// Orthonormal directions outside the span, one per column.
    outside: Mat<f64>,
}

impl ClassStatistics {
    /// Returns the statistics reduced to the span of the samples, which gives exact results for at most `filters`
    /// filters.
    ///
    /// The covariances must be stored as samples ([`super::Factor`], [`super::SparseFactor`]).
    ///
    /// # Errors
    ///
    /// Returns [`StatisticsError::NoSpan`] if covariances are stored in another form, if columns of shrunk covariances
    /// were scaled by different factors, or if there are at least as many samples and means as columns.
    pub fn reduced_to_span(&self, filters: usize) -> Result<Span<'_>, StatisticsError> {
        let forms = self.forms()?;
        let refuse = |problem: &str| StatisticsError::NoSpan { problem: problem.to_owned() };
        let ridges: Vec<f64> = forms.iter().map(|form| form.ridge()).collect::<Option<_>>().ok_or_else(|| {
            refuse("the columns of shrunk covariances were scaled by different factors: scale the data before shrinkage, or use scaling 'common'")
        })?;
        let n = self.dimension();
        let vectors = forms.iter().map(|form| form.vectors()).sum::<usize>() + self.means().ncols();
        if vectors >= n {
            return Err(StatisticsError::NoSpan {
                problem: format!(
                    "{vectors} samples and means may span all {n} columns: use the statistics without this reduction"
                ),
            });
        }
        let (pivots, coordinates) = pivoted_cholesky(gram(&forms, self.means().as_ref()), vectors);
        let rank = pivots.len();
        let factor =
            pivots.iter().flat_map(|&p| coordinates[p * rank..][..rank].to_vec()).collect();
        let mut span = Span {
            source: self,
            statistics: self.copied_without_covariances(),
            pivots,
            factor,
            outside: Mat::zeros(n, 0),
        };
        if ridges.iter().any(|&ridge| ridge > 0.0) {
            span.outside = span.directions_outside(filters.min(n - rank));
        }
        let order = rank + span.outside.ncols();
        let mut first = 0;
        for (form, &ridge) in forms.iter().zip(&ridges) {
            let rows = &coordinates[first * rank..][..form.vectors() * rank];
            first += form.vectors();
            span.statistics.covariances.push(Arc::new(covariance(
                rows,
                rank,
                order,
                form.weight(),
                ridge,
            )));
        }
        span.statistics.means = Mat::from_fn(order, self.means().ncols(), |i, class| {
            if i < rank { coordinates[(first + class) * rank + i] } else { 0.0 }
        });
        Ok(span)
    }

    /// Whether every covariance is stored as vectors that span it.
    pub(crate) fn is_kept_as_samples(&self) -> bool {
        self.covariances().iter().all(|covariance| covariance.spanning().is_some())
    }

    fn forms(&self) -> Result<Vec<&dyn Spanning>, StatisticsError> {
        let forms = self.covariances().iter().map(|covariance| covariance.spanning());
        forms.collect::<Option<_>>().ok_or_else(|| StatisticsError::NoSpan {
            problem: "the covariances are not stored as samples: compute the statistics with from_factors or from_sparse"
                .to_owned(),
        })
    }

    /// Returns a copy without means and covariances, to be filled with those in the span.
    fn copied_without_covariances(&self) -> Self {
        Self {
            classes: self.classes.clone(),
            counts: self.counts.clone(),
            means: Mat::zeros(0, 0),
            covariances: Vec::new(),
            moments: self.moments,
            shrunk: self.shrunk,
            robust: self.robust.clone(),
        }
    }
}

impl Span<'_> {
    /// Returns the statistics in coordinates of an orthonormal basis of the span.
    pub fn statistics(&self) -> &ClassStatistics {
        &self.statistics
    }

    /// Returns the dimension of the span, without directions outside.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// Maps filters in coordinates of the span to filters of the original columns.
    pub fn lift(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        let rank = self.rank();
        let vectors = self.vectors();
        let solved = self.solve_transposed(filters.subrows(0, rank));
        let mut weights = Mat::zeros(vectors, filters.ncols());
        for (i, &pivot) in self.pivots.iter().enumerate() {
            weights.as_mut().row_mut(pivot).copy_from(solved.row(i));
        }
        let mut lifted = combination(&self.forms(), self.source.means().as_ref(), weights.as_ref());
        let rest = filters.subrows(rank, self.outside.ncols());
        add_products(lifted.as_mut(), &[(self.outside.as_ref(), rest)]);
        lifted
    }

    /// Projects filters of the original columns onto the span. The components outside the span are lost.
    pub fn lower(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        let rank = self.rank();
        let means = transpose_times(self.source.means().as_ref(), filters);
        let blocks: Vec<Mat<f64>> = self.forms().iter().map(|form| form.times(filters)).collect();
        let products: Vec<MatRef<'_, f64>> =
            blocks.iter().map(|block| block.as_ref()).chain([means.as_ref()]).collect();
        let starts: Vec<usize> = products
            .iter()
            .scan(0, |next, block| {
                let first = *next;
                *next += block.nrows();
                Some(first)
            })
            .collect();
        let picked = Mat::from_fn(rank, filters.ncols(), |i, j| {
            let pivot = self.pivots[i];
            let block = starts.partition_point(|&start| start <= pivot) - 1;
            products[block][(pivot - starts[block], j)]
        });
        let inside = self.solve(picked);
        let outside = transpose_times(self.outside.as_ref(), filters);
        Mat::from_fn(rank + outside.nrows(), filters.ncols(), |i, j| {
            if i < rank { inside[(i, j)] } else { outside[(i - rank, j)] }
        })
    }

    fn forms(&self) -> Vec<&dyn Spanning> {
        self.source.covariances().iter().filter_map(|covariance| covariance.spanning()).collect()
    }

    fn vectors(&self) -> usize {
        self.forms().iter().map(|form| form.vectors()).sum::<usize>() + self.source.means().ncols()
    }

    /// Returns L_p⁻¹ · block.
    fn solve(&self, mut block: Mat<f64>) -> Mat<f64> {
        let rank = self.rank();
        for j in 0..block.ncols() {
            for i in 0..rank {
                let row = &self.factor[i * rank..][..=i];
                let known: f64 = (0..i).map(|k| row[k] * block[(k, j)]).sum();
                block[(i, j)] = (block[(i, j)] - known) / row[i];
            }
        }
        block
    }

    /// Returns L_p⁻ᵀ · block.
    fn solve_transposed(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let rank = self.rank();
        let mut block = block.to_owned();
        for j in 0..block.ncols() {
            for i in (0..rank).rev() {
                let row = &self.factor[i * rank..][..=i];
                let value = block[(i, j)] / row[i];
                block[(i, j)] = value;
                for k in 0..i {
                    block[(k, j)] -= row[k] * value;
                }
            }
        }
        block
    }

    /// Returns orthonormal directions orthogonal to the span.
    fn directions_outside(&self, count: usize) -> Mat<f64> {
        let mut directions = random(self.source.dimension(), count, 0, u64::MAX - 1);
        // Projected twice, because the first projection leaves round-off inside the span.
        for _ in 0..2 {
            let inside = self.lift(self.lower(directions.as_ref()).as_ref());
            directions = &directions - &inside;
            directions = completed_basis(directions.as_ref(), 1);
        }
        directions
    }
}

/// Returns weight·XᵀX + ridge·I for coordinates X with `rank` columns, extended by zeros to order `order`.
fn covariance(rows: &[f64], rank: usize, order: usize, weight: f64, ridge: f64) -> Dense<f64> {
    let mut lower = vec![0.0; triangle(rank)];
    let mut scratch = vec![0.0; scratch_room::<f64>(rank)];
    for block in rows.chunks(512 * rank.max(1)) {
        add_scatter(block, block.len() / rank, rank, &[], &mut scratch, &mut lower);
    }
    // Appending rows to a packed triangle does not move the rows before them.
    lower.resize(triangle(order), 0.0);
    lower_rows(&mut lower, order, |i, row| {
        row.iter_mut().for_each(|entry| *entry *= weight);
        row[i] += ridge;
    });
    Dense::new(lower, order).expect("a triangle")
}

/// Computes a pivoted Cholesky factorization from the lower triangle of a Gram matrix. Returns the pivots in order, and
/// L with one row per vector and one column per pivot.
fn pivoted_cholesky(gram: Vec<f64>, size: usize) -> (Vec<usize>, Vec<f64>) {
    let at = |i: usize, j: usize| gram[i.max(j) * size + i.min(j)];
    let mut left: Vec<f64> = (0..size).map(|i| at(i, i)).collect();
    let longest = left.iter().copied().fold(0.0, f64::max);
    let mut factor = vec![0.0; size * size];
    let mut pivots = Vec::new();
    for step in 0..size {
        let pivot = (0..size).fold(0, |best, i| if left[i] > left[best] { i } else { best });
        if left[pivot] <= ROUND_OFF * longest {
            break;
        }
        let own: Vec<f64> = factor[pivot * size..][..step].to_vec();
        let root = left[pivot].sqrt();
        let rows = factor.chunks_mut(ROWS * size).zip(left.chunks_mut(ROWS));
        parallel::for_each(rows.enumerate(), |(panel, (rows, left))| {
            for (k, (row, left)) in rows.chunks_mut(size).zip(left).enumerate() {
                let i = panel * ROWS + k;
                let known = dot(&row[..step], &own);
                let entry = if i == pivot { root } else { (at(i, pivot) - known) / root };
                row[step] = entry;
                *left -= entry * entry;
            }
        });
        // Excludes the pivot from later steps, whatever round-off left in its entry.
        left[pivot] = f64::NEG_INFINITY;
        pivots.push(pivot);
    }
    let rank = pivots.len();
    let compact = factor.chunks(size.max(1)).flat_map(|row| row[..rank].iter().copied()).collect();
    (pivots, compact)
}

/// Returns an inner product, computed in eight interleaved partial sums.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let column = |values| MatRef::from_column_major_slice(values, x.len(), 1);
    crate::linalg::column_inner(column(x), column(y), 0)
}

//! Fixed filters, which the user specifies and the fit does not change: their checks, and how they
//! are made to satisfy the constraint.

use crate::constraint::Constraint;
use crate::linalg::{Mat, column_inner, orthonormalize};

use super::fitted::with_unit_length;
use super::{FitError, Sqfa};

impl Sqfa {
    /// Returns the fixed filters in the form that the constraint requires: with unit length,
    /// orthonormalized in their order, or unchanged.
    pub(super) fn fixed_filters(&self) -> Result<Option<Mat<f64>>, FitError> {
        let Some(given) = &self.fixed else { return Ok(None) };
        Ok(Some(match self.constraint {
            Constraint::None => given.clone(),
            Constraint::Sphere => with_unit_length(given.clone()),
            Constraint::Orthonormal => {
                let mut basis = orthonormalize(given.as_ref()).ok_or(FitError::FixedDegenerate)?;
                for j in 0..given.ncols() {
                    // The sign of a column of the basis may differ from that of the filter.
                    if column_inner(basis.as_ref(), given.as_ref(), j) < 0.0 {
                        basis.as_mut().col_mut(j).iter_mut().for_each(|value| *value = -*value);
                    }
                }
                basis
            }
        }))
    }

    /// Checks that the fixed filters fit the data and leave at least one filter to learn.
    pub(super) fn check_fixed(&self, dimension: usize) -> Result<(), FitError> {
        let Some(given) = &self.fixed else { return Ok(()) };
        let (rows, columns, filters) = (given.nrows(), given.ncols(), self.filters);
        if rows != dimension || columns == 0 || columns >= filters {
            return Err(FitError::FixedShape { rows, columns, dimension, filters });
        }
        let length = |j: usize| column_inner(given.as_ref(), given.as_ref(), j);
        if (0..columns).any(|j| !length(j).is_finite() || length(j) == 0.0) {
            return Err(FitError::FixedDegenerate);
        }
        Ok(())
    }
}

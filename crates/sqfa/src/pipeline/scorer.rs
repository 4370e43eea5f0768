//! A candidate that travels to where the points are: filters of raw points and the classes on their features.

use crate::classify::{ClassifierError, Qda};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::Mat;
use crate::points::Points;
use crate::transform::transform_rows_offset;

use super::score::Scores;

/// Filters with their classifier.
#[derive(Debug, Clone)]
pub struct Scorer {
    /// Filters of raw points, one a column.
    pub filters: Mat<f64>,
    /// What is added to the features.
    pub offset: Option<Vec<f64>>,
    /// The training classes in feature space, covariances with divisor N.
    pub features: Gaussians,
    /// The training shares of the classes.
    pub priors: Vec<f64>,
}

impl Scorer {
    /// The scores of some held-out rows; a classifier that cannot be built loses every point.
    pub(crate) fn scores(
        &self,
        classes: &Classes,
        points: Points<'_>,
        rows: &[usize],
        codes: &[u32],
        weights: Vec<f64>,
    ) -> Result<Scores, ClassifierError> {
        let qda = Qda::of_features(classes, &self.features, &self.priors, None).ok();
        let features =
            transform_rows_offset(points, rows, self.filters.as_ref(), self.offset.as_deref());
        Scores::by(qda.as_ref(), features.as_points(self.filters.ncols()), codes, weights)
    }
}

//! A candidate in a form that can be sent to the samples: filters for raw samples, with the classes
//! in feature space.

use crate::classify::{ClassifierError, Qda};
use crate::features::Gaussians;
use crate::linalg::Mat;
use crate::reduce::JUDGED;
use crate::transform::transform_rows_offset;

use super::Labeled;
use super::score::Scores;

/// Filters with their classifier.
#[derive(Debug, Clone)]
pub struct Scorer {
    /// The filters for raw samples, one per column.
    pub filters: Mat<f64>,
    /// The offset that is added to the features.
    pub offset: Option<Vec<f64>>,
    /// The training classes in feature space. Covariances have divisor N.
    pub features: Gaussians,
    /// The fraction of training samples in each class.
    pub priors: Vec<f64>,
    /// The degrees of freedom of t densities, or `None` for Gaussians.
    pub degrees: Option<f64>,
}

impl Scorer {
    /// Returns the scores of some held-out rows. If the classifier cannot be built, every row is
    /// scored as wrong.
    pub(crate) fn scores(
        &self,
        data: &Labeled<'_>,
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Scores, ClassifierError> {
        let classes = data.labels.classes();
        let qda = Qda::of_features(classes, &self.features, &self.priors, None);
        let qda = qda.and_then(|qda| qda.with_degrees(self.degrees)).ok();
        let rows: Vec<usize> = rows.collect();
        let mut scores = Scores::with_room(rows.len());
        for rows in rows.chunks(JUDGED) {
            let codes: Vec<u32> = rows.iter().map(|&row| data.labels.codes()[row]).collect();
            let weights = data.weights.map(|all| rows.iter().map(|&row| all[row] as f64).collect());
            let (filters, offset) = (self.filters.as_ref(), self.offset.as_deref());
            let features = transform_rows_offset(data.points, rows, filters, offset);
            let features = features.as_points(self.filters.ncols());
            scores.extend(Scores::by(qda.as_ref(), features, &codes, weights.unwrap_or_default())?);
        }
        Ok(scores)
    }
}

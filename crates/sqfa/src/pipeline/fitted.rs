//! What a pipeline found, and all it chose on the way.

use crate::classify::{ClassifierError, Qda};
use crate::features::Gaussians;
use crate::linalg::{Mat, MatRef};
use crate::points::Points;
use crate::reduce::Reduction;
use crate::statistics::{ClassStatistics, Preprocessor, Scaling, project};
use crate::transform::{Features, transform};

use super::{Curve, RefinementChoice, Selection};

/// A fitted pipeline.
#[derive(Debug)]
pub struct Fitted {
    /// The method's own account; its filters are of preprocessed points, with zeros for dropped columns.
    pub reduction: Reduction,
    /// What turns raw points into preprocessed ones.
    pub preprocessor: Option<Preprocessor>,
    /// How columns were scaled, as asked for or as chosen.
    pub scaling: Scaling,
    /// How units and noise were chosen, where they were.
    pub selection: Option<Selection>,
    /// How the number of filters was chosen, where it was.
    pub curve: Option<Curve>,
    /// How the refinement was chosen, where there was one.
    pub refinement: Option<RefinementChoice>,
    /// The mean of all points as they came.
    pub mean: Vec<f64>,
    /// How many filters the fit found that differ from each other. They come first; the others were learned next to them,
    /// orthogonal in the coordinates of the fit, because more noise and fewer filters served held-out samples best.
    pub distinct: usize,
    /// Statistics of the preprocessed columns that were kept, without shrinkage.
    pub(crate) statistics: ClassStatistics,
    /// The filters of these columns.
    pub(crate) kept: Mat<f64>,
}

impl Fitted {
    /// The filters of preprocessed points, one a column.
    pub fn filters(&self) -> MatRef<'_, f64> {
        self.reduction.filters.as_ref()
    }

    /// Returns the constant columns, which the fit dropped.
    pub fn dropped(&self) -> Vec<usize> {
        self.preprocessor.as_ref().map(Preprocessor::dropped).unwrap_or_default()
    }

    /// The filters of the columns that were kept, one a column.
    pub fn kept(&self) -> MatRef<'_, f64> {
        self.kept.as_ref()
    }

    /// Takes other filters of the kept columns.
    pub(crate) fn replace(&mut self, kept: Mat<f64>) {
        self.reduction.filters = match &self.preprocessor {
            Some(map) => map.embed(kept.as_ref()),
            None => kept.clone(),
        };
        // Other filters are all used.
        self.distinct = kept.ncols();
        self.kept = kept;
    }

    /// Statistics of the preprocessed columns that were kept, without shrinkage.
    pub fn statistics(&self) -> &ClassStatistics {
        &self.statistics
    }

    /// Filters of raw points, and the offset to add to their features.
    pub fn folded(&self) -> (Mat<f64>, Option<Vec<f64>>) {
        match &self.preprocessor {
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(self.kept.as_ref());
                (filters, Some(offset))
            }
            None => (self.kept.clone(), None),
        }
    }

    /// The features of raw points, which must have as many columns as the training points.
    pub fn features(&self, points: Points<'_>) -> Features {
        let (filters, offset) = self.folded();
        transform(points, filters.as_ref(), offset.as_deref())
    }

    /// The training classes in feature space.
    pub fn gaussians(&self) -> Gaussians {
        project(&self.statistics, self.kept.as_ref(), 0.0)
    }

    /// Returns the quadratic classifier of samples by their features: by those of the distinct filters.
    pub fn classifier(&self) -> Result<Qda, ClassifierError> {
        let distinct = self.kept.subcols(0, self.distinct);
        Ok(Qda::from_statistics(&self.statistics, distinct, None)?.reading(self.kept.ncols()))
    }
}

//! The result of a fit: filters, the classes in feature space, and a record of everything that was selected.

use crate::classify::{ClassifierError, Qda};
use crate::features::Gaussians;
use crate::linalg::{Mat, MatRef};
use crate::model::Warning;
use crate::points::Points;
use crate::reduce::{Reduction, Setting};
use crate::statistics::{ClassStatistics, Preprocessor, Scaling, project};
use crate::transform::{Features, transform};

use super::{Curve, RefinementChoice, Selection};

/// The result of a fit.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// How the filters were found. They apply to preprocessed samples of all columns, with zeros for dropped columns.
    pub reduction: Reduction,
    /// The map from raw to preprocessed samples.
    pub preprocessor: Option<Preprocessor>,
    /// The scaling, as specified or as selected.
    pub scaling: Scaling,
    /// How scaling and noise were selected, unless both were specified or the method has no noise.
    pub selection: Option<Selection>,
    /// How the number of filters was selected, unless it was specified.
    pub curve: Option<Curve>,
    /// How far the filters were refined, if the method is refined.
    pub refinement: Option<RefinementChoice>,
    /// The mean of all training samples, before preprocessing.
    pub mean: Vec<f64>,
    /// The number of filters that differ from each other. They come first and classify; the others were learned next to them,
    /// orthogonal in the coordinates of the fit, because with the selected noise fewer filters suffice.
    pub distinct: usize,
    /// The statistics of the training classes in feature space, without shrinkage.
    pub features: ClassStatistics,
    /// Whether the class covariances were in single precision.
    pub single: bool,
    /// The filters of the columns that were kept.
    pub(super) kept: Mat<f64>,
}

/// What a fit reports about its data, whatever becomes of their statistics.
pub(super) struct Account {
    scaling: Scaling,
    mean: Vec<f64>,
    warnings: Vec<Warning>,
    degrees: Option<f64>,
    single: bool,
}

impl Account {
    /// Returns the account of raw statistics and a scaling.
    pub(super) fn new(statistics: &ClassStatistics, scaling: Scaling) -> Self {
        Self {
            scaling,
            mean: statistics.total_mean(),
            warnings: Warning::of_statistics(statistics),
            degrees: statistics.degrees(),
            single: statistics.covariances().iter().all(|covariance| covariance.is_single()),
        }
    }

    /// Returns the result for filters of kept, preprocessed columns.
    pub(super) fn of(
        &self,
        mut reduction: Reduction,
        map: Option<Preprocessor>,
        selection: Option<Selection>,
        features: ClassStatistics,
        distinct: usize,
    ) -> Fitted {
        let kept = reduction.filters.clone();
        if let Some(map) = &map {
            reduction.filters = map.embed(kept.as_ref());
        }
        reduction.warnings.extend(self.warnings.iter().cloned());
        // Within principal components, the statistics of the fit are robust and those of the data are not.
        let degrees = self.degrees.or(features.degrees());
        if let (Some(degrees), None) = (degrees, reduction.setting(Setting::Degrees)) {
            reduction.settings.push((Setting::Degrees, degrees));
        }
        Fitted {
            reduction,
            preprocessor: map,
            scaling: self.scaling,
            selection,
            curve: None,
            refinement: None,
            mean: self.mean.clone(),
            distinct,
            features,
            single: self.single,
            kept,
        }
    }
}

impl Fitted {
    /// The filters of preprocessed samples, one per column.
    pub fn filters(&self) -> MatRef<'_, f64> {
        self.reduction.filters.as_ref()
    }

    /// Returns the constant columns, which the fit dropped.
    pub fn dropped(&self) -> Vec<usize> {
        self.preprocessor.as_ref().map(Preprocessor::dropped).unwrap_or_default()
    }

    /// The filters of the columns that were kept, one per column.
    pub fn kept(&self) -> MatRef<'_, f64> {
        self.kept.as_ref()
    }

    /// Replaces the filters of the kept columns, and the classes in the space of their features.
    pub(crate) fn replace(&mut self, kept: Mat<f64>, features: ClassStatistics) {
        self.reduction.filters = match &self.preprocessor {
            Some(map) => map.embed(kept.as_ref()),
            None => kept.clone(),
        };
        // Other filters are all used.
        self.distinct = kept.ncols();
        self.features = features;
        self.kept = kept;
    }

    /// Returns filters of raw samples, and the offset of their features.
    pub fn folded(&self) -> (Mat<f64>, Option<Vec<f64>>) {
        match &self.preprocessor {
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(self.kept.as_ref());
                (filters, Some(offset))
            }
            None => (self.kept.clone(), None),
        }
    }

    /// Returns the features of raw samples, which must have as many columns as the training samples.
    pub fn features_of(&self, points: Points<'_>) -> Features {
        let (filters, offset) = self.folded();
        transform(points, filters.as_ref(), offset.as_deref())
    }

    /// Returns the training classes in feature space, covariances with divisor N − 1.
    pub fn gaussians(&self) -> Gaussians {
        project(&self.features, self.axes(self.kept.ncols()).as_ref(), 0.0)
    }

    /// Returns the quadratic classifier of samples by their features. It uses the features of the distinct filters.
    ///
    /// # Errors
    ///
    /// If a class has no covariance of full rank.
    pub fn classifier(&self) -> Result<Qda, ClassifierError> {
        let distinct = self.axes(self.distinct);
        let qda = Qda::from_statistics(&self.features, distinct.as_ref(), None)?;
        Ok(qda.reading(self.kept.ncols()))
    }

    /// The first axes of feature space, one per column.
    fn axes(&self, count: usize) -> Mat<f64> {
        Mat::identity(self.kept.ncols(), count)
    }
}

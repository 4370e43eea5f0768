//! The result of a fit: filters, the classes in feature space, and the record of the fit.

use crate::classify::{Classifier, ClassifierError, ClassifierKind, Densities, Qda};
use crate::features::Gaussians;
use crate::linalg::{Mat, MatRef};
use crate::model::Warning;
use crate::points::Points;
use crate::reduce::{Reduction, Setting};
use crate::statistics::{ClassStatistics, Moments, Preprocessor, Scaling, project};
use crate::transform::{Features, transform};

use super::record::{FitRecord, Precision, Specified};
use super::{Pipeline, Selection};

/// The result of a fit.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The map from raw to preprocessed samples.
    pub preprocessor: Option<Preprocessor>,
    /// The mean of all training samples, before preprocessing.
    pub mean: Vec<f64>,
    /// The statistics of the training classes in feature space, without shrinkage.
    pub features: ClassStatistics,
    /// The record of the fit: settings, selections and the course of the optimization.
    pub record: FitRecord,
    /// The filters of all preprocessed columns, with zeros for dropped columns.
    pub(super) filters: Mat<f64>,
    /// The filters of the preprocessed columns that were kept.
    pub(super) kept: Mat<f64>,
}

/// The facts about the recipe and the data that a fit reports. They are collected first, because
/// the class statistics may be transformed or freed later.
pub(super) struct Account {
    specified: Specified,
    classifier: ClassifierKind,
    scaling: Scaling,
    mean: Vec<f64>,
    warnings: Vec<Warning>,
    degrees: Option<f64>,
    precision: Precision,
}

impl Account {
    /// Collects the facts from a recipe, the statistics of raw columns and a scaling.
    pub(super) fn new(recipe: &Pipeline, statistics: &ClassStatistics, scaling: Scaling) -> Self {
        let single = statistics.covariances().iter().all(|covariance| covariance.is_single());
        Self {
            specified: Specified::of(recipe),
            classifier: recipe.method.classifier(),
            scaling,
            mean: statistics.total_mean(),
            warnings: Warning::of_statistics(statistics),
            degrees: statistics.degrees(),
            precision: if single { Precision::Single } else { Precision::Double },
        }
    }

    /// Returns the result of a fit for filters of the preprocessed columns that were kept.
    pub(super) fn of(
        &self,
        reduction: Reduction,
        map: Option<Preprocessor>,
        selection: Option<Selection>,
        features: ClassStatistics,
        distinct: usize,
    ) -> Fitted {
        let Reduction { filters: kept, mut run, settings: mut used, trials } = reduction;
        run.warnings.extend(self.warnings.iter().cloned());
        // Within principal components, the statistics of the fit may be robust while those of the
        // data are not.
        let degrees = self.degrees.or(features.degrees());
        if used.iter().all(|(setting, _)| *setting != Setting::Degrees) {
            used.extend(degrees.map(|degrees| (Setting::Degrees, degrees)));
        }
        let record = FitRecord {
            specified: self.specified.clone(),
            used,
            scaling: self.scaling,
            dropped: map.as_ref().map(Preprocessor::dropped).unwrap_or_default(),
            counts: Vec::new(),
            selection,
            trials,
            refinement: None,
            distinct: Some(distinct).filter(|count| *count < kept.ncols()),
            classifier: self.classifier,
            second_moments: features.moments() == Moments::Second,
            precision: self.precision,
            run,
        };
        let filters = embedded(map.as_ref(), &kept);
        Fitted { preprocessor: map, mean: self.mean.clone(), features, record, filters, kept }
    }
}

/// Converts filters of the columns that were kept to filters of all columns.
fn embedded(map: Option<&Preprocessor>, kept: &Mat<f64>) -> Mat<f64> {
    map.map_or_else(|| kept.clone(), |map| map.embed(kept.as_ref()))
}

impl Fitted {
    /// Returns the filters of all preprocessed columns, one filter per matrix column.
    pub fn filters(&self) -> MatRef<'_, f64> {
        self.filters.as_ref()
    }

    /// Returns the filters of the preprocessed columns that were kept, one filter per matrix
    /// column.
    pub fn kept(&self) -> MatRef<'_, f64> {
        self.kept.as_ref()
    }

    /// Returns the number of distinct filters, which come first and are used for classification.
    pub fn distinct(&self) -> usize {
        self.record.distinct.unwrap_or(self.kept.ncols())
    }

    /// Adds a warning unless there is already one of the same kind.
    pub(super) fn warned(mut self, warning: Option<Warning>) -> Self {
        let warnings = &mut self.record.run.warnings;
        if let Some(warning) = warning
            && warnings.iter().all(|other| other.name() != warning.name())
        {
            warnings.push(warning);
        }
        self
    }

    /// Sets the filters of the columns that were kept.
    pub(super) fn embed(&mut self, kept: Mat<f64>) {
        self.filters = embedded(self.preprocessor.as_ref(), &kept);
        self.kept = kept;
    }

    /// Replaces the filters of the columns that were kept, with the classes in the space of their
    /// features.
    pub(crate) fn replace(&mut self, kept: Mat<f64>, features: ClassStatistics) {
        self.embed(kept);
        // All of the new filters are used for classification.
        self.record.distinct = None;
        self.features = features;
    }

    /// Returns the filters for raw samples and the offset of their features.
    pub fn folded(&self) -> (Mat<f64>, Option<Vec<f64>>) {
        match &self.preprocessor {
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(self.kept.as_ref());
                (filters, Some(offset))
            }
            None => (self.kept.clone(), None),
        }
    }

    /// Returns the features of raw samples, which must have as many columns as the training
    /// samples.
    pub fn features_of(&self, points: Points<'_>) -> Features {
        let (filters, offset) = self.folded();
        transform(points, filters.as_ref(), offset.as_deref())
    }

    /// Returns the training classes in feature space. Covariances have divisor N − 1.
    pub fn gaussians(&self) -> Gaussians {
        project(&self.features, self.axes(self.kept.ncols()).as_ref(), 0.0)
    }

    /// Returns the classifier that belongs to the method. It uses the features of the distinct
    /// filters.
    ///
    /// # Errors
    ///
    /// If a covariance does not have full rank.
    pub fn classifier(&self) -> Result<Classifier, ClassifierError> {
        if self.record.classifier == ClassifierKind::Quadratic {
            return self.qda().map(Classifier::Quadratic);
        }
        let distinct = self.axes(self.distinct());
        let Densities { features, .. } = Densities::new(&self.features, distinct.as_ref());
        let (classes, counts) = (self.features.classes(), self.features.counts());
        let built = self.record.classifier.build(classes, &features, counts, None, None)?;
        Ok(built.reading(self.kept.ncols()))
    }

    /// Returns the quadratic classifier of the features, for any method. Held-out accuracies are
    /// computed with this classifier.
    ///
    /// # Errors
    ///
    /// If the covariance of a class does not have full rank.
    pub fn qda(&self) -> Result<Qda, ClassifierError> {
        let distinct = self.axes(self.distinct());
        let qda = Qda::from_statistics(&self.features, distinct.as_ref(), None)?;
        Ok(qda.reading(self.kept.ncols()))
    }

    /// Returns the first axes of feature space, one per matrix column.
    fn axes(&self, count: usize) -> Mat<f64> {
        Mat::identity(self.kept.ncols(), count)
    }
}

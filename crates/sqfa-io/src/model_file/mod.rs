//! A fitted model that can be stored in a file, applied to samples and used for classification.
//!
//! The file has the safetensors format. It contains `filters` (n × m), `feature_means` (c × m) and
//! `feature_covariances` (c × m × m, divisor N). If they exist, it also contains `counts` (c),
//! `offset`, `factors` and `mean` (n), and the tensors of a nonlinear feature map. All other data
//! are JSON under the metadata key `sqfa`. Every size, shape and number is checked when a file is
//! loaded.

mod description;
mod error;
mod file;
mod lift;

use sqfa::classify::{Classifier, ClassifierError, ClassifierKind};
use sqfa::lift::{Lift, LiftError};
use sqfa::pipeline::FitRecord;
use sqfa::reduce::Setting;
use sqfa::statistics::{Preprocessor, project};
use sqfa::transform::Features;
use sqfa::{ClassStatistics, Classes, Gaussians, Mat, MatRef, Points, transform};

use crate::data::column_name;

pub use description::{ClassNames, DataRecord, Description};
pub use error::ModelError;
pub use lift::LiftRecord;

/// Filters with all data that are needed to apply them.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    filters: Mat<f64>,
    preprocessing: Option<Preprocessor>,
    lift: Option<Lift>,
    classes: Classes,
    counts: Option<Vec<u64>>,
    /// The training classes in feature space. Covariances have divisor N.
    features: Gaussians,
    mean: Option<Vec<f64>>,
    description: Description,
    /// Whether the model has a checksum. It is false only for models from files without one.
    checksum: bool,
}

/// The number of samples to which a nonlinear feature map is applied at once.
const LIFTED: usize = 4096;

/// A sample whose features are not finite.
#[derive(Debug, Clone, PartialEq)]
pub struct BadPoint {
    /// The row of the sample.
    pub row: usize,
    /// The first column that is not finite and its value, or `None` if the features overflow.
    pub column: Option<(usize, f64)>,
}

/// The numeric parts of a model.
#[derive(Debug, Clone)]
pub struct ModelParts {
    /// The filters for preprocessed samples, one per column.
    pub filters: Mat<f64>,
    /// The map from raw to preprocessed samples, if any.
    pub preprocessing: Option<Preprocessor>,
    /// The number of training samples per class, if known.
    pub counts: Option<Vec<u64>>,
    /// The training classes in feature space. Covariances have divisor N.
    pub features: Gaussians,
}

impl Model {
    /// Creates a model from its parts.
    ///
    /// # Errors
    ///
    /// If the parts do not match.
    pub fn new(parts: ModelParts, description: Description) -> Result<Self, ModelError> {
        let ModelParts { filters, preprocessing, counts, features } = parts;
        let classes = Classes::from(description.classes.clone());
        let (n, m, c) = (filters.nrows(), filters.ncols(), classes.len());
        let refuse = |problem: String| Err(ModelError::inconsistent(problem));
        if n == 0 || m == 0 || m > n {
            return refuse(format!("filters are {n} × {m}"));
        }
        if c < 2 || has_repeats(&classes) {
            return refuse(format!("{c} classes, which must be at least 2 and distinct"));
        }
        if features.order() != m || features.len() != c {
            let (order, len) = (features.order(), features.len());
            return refuse(format!(
                "{len} feature Gaussians of order {order} for {c} classes and {m} filters"
            ));
        }
        if (0..n).any(|i| (0..m).any(|j| !filters[(i, j)].is_finite())) {
            return refuse("a filter holds a number that is not finite".to_owned());
        }
        let negative = |class: usize| (0..m).any(|i| features.covariance(class)[i * m + i] < 0.0);
        if (0..c).any(negative) {
            return refuse("a feature variance is negative".to_owned());
        }
        if counts.as_ref().is_some_and(|counts| {
            let total = counts.iter().try_fold(0u64, |total, &count| total.checked_add(count));
            counts.len() != c || counts.contains(&0) || total.is_none()
        }) {
            return refuse(format!("counts must be {c} positive whole numbers"));
        }
        if let Some(Preprocessor { offset, factors }) = &preprocessing {
            let sound = |values: &[f64]| values.len() == n && values.iter().all(|v| v.is_finite());
            if !sound(offset) || !sound(factors) {
                return refuse(format!("preprocessing needs {n} finite offsets and factors"));
            }
        }
        let sound = |prior: &f64| prior.is_finite() && *prior >= 0.0;
        if description.priors.as_ref().is_some_and(|priors| {
            priors.len() != c || !priors.iter().all(sound) || priors.iter().sum::<f64>() <= 0.0
        }) {
            return refuse(format!("priors must be {c} non-negative numbers with a positive sum"));
        }
        let names = description.feature_names.as_ref().filter(|_| description.lift.is_none());
        if names.is_some_and(|names| names.len() != n) {
            return refuse(format!("the names of its columns are not {n}"));
        }
        if let Some(noise) = description.record.setting(Setting::Noise)
            && !(noise.is_finite() && noise >= 0.0)
        {
            return refuse(format!("noise is {noise}"));
        }
        Ok(Self {
            filters,
            preprocessing,
            lift: None,
            classes,
            counts,
            features,
            mean: None,
            description,
            checksum: true,
        })
    }

    /// Sets the mean of the training samples before preprocessing, which does not follow from the
    /// filters.
    ///
    /// # Errors
    ///
    /// If the mean has another number of columns or is not finite.
    pub fn with_mean(mut self, mean: Vec<f64>) -> Result<Self, ModelError> {
        let n = self.filters.nrows();
        if mean.len() != n || mean.iter().any(|value| !value.is_finite()) {
            return Err(ModelError::inconsistent(format!("the mean needs {n} finite numbers")));
        }
        self.mean = Some(mean);
        Ok(self)
    }

    /// Returns the mean of the training samples before preprocessing, or `None` if it is unknown.
    pub fn mean(&self) -> Option<&[f64]> {
        self.mean.as_deref()
    }

    /// Returns the filters for preprocessed samples, one per column.
    pub fn filters(&self) -> MatRef<'_, f64> {
        self.filters.as_ref()
    }

    /// Returns the map from raw to preprocessed samples, if any.
    pub fn preprocessing(&self) -> Option<&Preprocessor> {
        self.preprocessing.as_ref()
    }

    /// Returns the classes in sorted order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Returns the number of training samples per class, or `None` if it is unknown.
    pub fn counts(&self) -> Option<&[u64]> {
        self.counts.as_deref()
    }

    /// Returns the training classes in feature space. Covariances have divisor N.
    pub fn features(&self) -> &Gaussians {
        &self.features
    }

    /// Returns the record of the fit.
    pub fn record(&self) -> &FitRecord {
        &self.description.record
    }

    /// Returns the metadata of the file.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns the filters F for raw samples and the offset: z = Fᵀx + offset.
    pub fn raw_filters(&self) -> (Mat<f64>, Option<Vec<f64>>) {
        match &self.preprocessing {
            None => (self.filters.clone(), None),
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(self.filters.as_ref());
                (filters, Some(offset))
            }
        }
    }

    /// Whether damage to the file of the model would have been detected. It is false for files of
    /// versions without checksums.
    pub fn has_checksum(&self) -> bool {
        self.checksum
    }

    /// Returns the names of the training columns, or `None` without names.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.description.feature_names.as_deref()
    }

    /// Returns the features of raw samples, in the precision of the samples.
    ///
    /// # Errors
    ///
    /// If a sample is not finite or has another number of columns. The error contains the first
    /// such sample.
    pub fn transform(&self, points: Points<'_>) -> Result<Features, ModelError> {
        let (features, bad) = self.transform_all(points)?;
        match bad.first() {
            None => Ok(features),
            Some(&BadPoint { row, column }) => {
                let count = bad.len();
                let names = self.feature_names().unwrap_or_default();
                Err(match column {
                    Some((column, value)) => {
                        let column = column_name(names, column);
                        ModelError::NotFinite { row, column, value, count }
                    }
                    None => ModelError::Overflow { row, count },
                })
            }
        }
    }

    /// Returns the features of raw samples, and the samples for which they are not finite.
    ///
    /// Only the features are checked, so finite samples cost almost nothing. The cause is
    /// determined afterwards.
    ///
    /// # Errors
    ///
    /// If the samples have another number of columns.
    pub fn transform_all(
        &self,
        points: Points<'_>,
    ) -> Result<(Features, Vec<BadPoint>), ModelError> {
        let (expected, found) = (self.columns(), points.columns());
        if expected != found {
            return Err(ModelError::Dimension { expected, found });
        }
        let (filters, offset) = self.raw_filters();
        let features = match &self.lift {
            Some(lift) => self.lifted(lift, points, filters.as_ref(), offset.as_deref())?,
            None => transform(points, filters.as_ref(), offset.as_deref()),
        };
        let m = self.filters.ncols();
        let rows: Vec<usize> = match &features {
            Features::F32(values) => not_finite(values.chunks_exact(m), |v: &f32| v.is_finite()),
            Features::F64(values) => not_finite(values.chunks_exact(m), |v: &f64| v.is_finite()),
        };
        let value = |row: usize, column: usize| match points {
            Points::U8(table) => f64::from(table.get(row, column)),
            Points::F32(table) => f64::from(table.get(row, column)),
            Points::F64(table) => table.get(row, column),
        };
        let cause = |row: usize| {
            let column = (0..found).find(|&column| !value(row, column).is_finite());
            BadPoint { row, column: column.map(|column| (column, value(row, column))) }
        };
        Ok((features, rows.into_iter().map(cause).collect()))
    }

    /// Applies a nonlinear feature map and the filters in batches, because all mapped samples
    /// together may not fit into memory.
    fn lifted(
        &self,
        lift: &Lift,
        points: Points<'_>,
        filters: MatRef<'_, f64>,
        offset: Option<&[f64]>,
    ) -> Result<Features, ModelError> {
        let problem = |error: LiftError| ModelError::inconsistent(error.to_string());
        let mut all = match points {
            Points::F64(_) => Features::F64(Vec::new()),
            _ => Features::F32(Vec::new()),
        };
        for first in (0..points.rows()).step_by(LIFTED) {
            let rows = first..(first + LIFTED).min(points.rows());
            let lifted = lift.apply(points.rows_between(rows)).map_err(problem)?;
            let part = transform(lifted.as_points(lift.dimension()), filters, offset);
            match (&mut all, part) {
                (Features::F32(all), Features::F32(part)) => all.extend(part),
                (Features::F64(all), Features::F64(part)) => all.extend(part),
                (_, part) => all = part,
            }
        }
        Ok(all)
    }

    /// Returns a classifier for the training classes. The classifier of the model itself is
    /// `self.record().classifier`.
    ///
    /// The default priors are those of the fit, or the frequencies of the classes. The shrinkage is
    /// described at [`ClassifierKind::build`].
    ///
    /// # Errors
    ///
    /// The same errors as [`ClassifierKind::build`].
    pub fn classifier(
        &self,
        kind: ClassifierKind,
        priors: Option<&[f64]>,
        shrinkage: Option<f64>,
    ) -> Result<Classifier, ClassifierError> {
        let all = self.features.order();
        let distinct = self.features.leading(self.description.record.distinct.unwrap_or(all));
        let priors = priors.or(self.description.priors.as_deref());
        let built =
            kind.build(&self.classes, &distinct, self.counts.as_deref(), priors, shrinkage)?;
        Ok(built.reading(all))
    }

    /// Returns the quadratic classifier with t densities. The degrees of freedom are those of the
    /// fit or `degrees`. In the latter case, the scatter matrices are adjusted so that the
    /// covariances do not change.
    ///
    /// # Errors
    ///
    /// The same errors as [`ClassifierKind::build`], and an error if the degrees of freedom are not
    /// a finite number above 0.
    pub fn qda_t(
        &self,
        priors: Option<&[f64]>,
        shrinkage: Option<f64>,
        degrees: f64,
    ) -> Result<Classifier, ClassifierError> {
        let quadratic = ClassifierKind::Quadratic;
        if let Some(own) = self.description.record.setting(Setting::Degrees) {
            return self.classifier(quadratic, priors, shrinkage)?.heavy_tailed(own);
        }
        // The scatter matrix of a t distribution is its covariance times (ν − 2)/ν.
        let factor = std::iter::repeat_n((degrees - 2.0) / degrees, self.classes.len());
        let scatters = rescaled(&self.features, Some(factor), 0.0);
        let features = scatters.map_err(|_| ClassifierError::Degrees { degrees })?;
        let matched = Self { features, ..self.clone() };
        matched.classifier(quadratic, priors, shrinkage)?.heavy_tailed(degrees)
    }

    /// Returns the noise of the fit, or `None` if the method has none.
    pub fn noise(&self) -> Option<f64> {
        self.record().setting(Setting::Noise)
    }

    /// Returns the training classes as in the objective: covariances have divisor N − 1, and the
    /// noise σ² is added to their diagonals.
    ///
    /// # Errors
    ///
    /// If a covariance is not valid.
    pub fn noisy_gaussians(&self, noise: f64) -> Result<Gaussians, ModelError> {
        let factor = |count: u64| if count > 1 { count as f64 / (count - 1) as f64 } else { 1.0 };
        rescaled(
            &self.features,
            self.counts.as_deref().map(|c| c.iter().map(|&n| factor(n))),
            noise,
        )
    }
}

/// Returns the classes in the feature space of filters, with maximum-likelihood covariances.
///
/// # Errors
///
/// If a covariance is not valid.
pub fn maximum_likelihood(
    statistics: &ClassStatistics,
    filters: MatRef<'_, f64>,
) -> Result<Gaussians, ModelError> {
    let factor = |&count: &u64| (count.max(1) - 1) as f64 / count.max(1) as f64;
    // Robust scatter matrices do not have the divisor N − 1.
    let counts = statistics.counts().filter(|_| statistics.robust().is_none());
    let factors = counts.map(|counts| counts.iter().map(factor));
    rescaled(&project(statistics, filters, 0.0), factors, 0.0)
}

/// Returns the class Gaussians of feature statistics, with maximum-likelihood covariances.
///
/// # Errors
///
/// If a covariance is not valid.
pub fn feature_gaussians(features: &ClassStatistics) -> Result<Gaussians, ModelError> {
    let m = features.dimension();
    maximum_likelihood(features, Mat::identity(m, m).as_ref())
}

/// The fraction of the largest variance below which a negative variance is assumed to be a rounding
/// error.
const ROUNDING: f64 = 1e-10;

fn rescaled(
    gaussians: &Gaussians,
    factors: Option<impl Iterator<Item = f64>>,
    noise: f64,
) -> Result<Gaussians, ModelError> {
    let m = gaussians.order();
    let factors: Option<Vec<f64>> = factors.map(Iterator::collect);
    let (mut means, mut covariances) = (Vec::new(), Vec::new());
    for class in 0..gaussians.len() {
        let factor = factors.as_ref().map_or(1.0, |factors| factors[class]);
        means.extend_from_slice(gaussians.mean(class));
        let own = gaussians.covariance(class);
        let largest = own.iter().step_by(m + 1).copied().fold(0.0, f64::max);
        // The variance of a constant feature is a rounding error, which can be negative.
        let sound = |at: usize, value: f64| match at / m == at % m {
            true if value < 0.0 && value >= -ROUNDING * largest => noise,
            true => value * factor + noise,
            false => value * factor,
        };
        covariances.extend(own.iter().enumerate().map(|(at, &value)| sound(at, value)));
    }
    Gaussians::new(m, means, covariances)
        .map_err(|error| ModelError::inconsistent(error.to_string()))
}

fn not_finite<'a, T: 'a>(
    rows: impl Iterator<Item = &'a [T]>,
    finite: impl Fn(&T) -> bool,
) -> Vec<usize> {
    rows.enumerate().filter(|(_, row)| !row.iter().all(&finite)).map(|(row, _)| row).collect()
}

fn has_repeats(classes: &Classes) -> bool {
    let distinct: std::collections::BTreeSet<_> = classes.iter().collect();
    distinct.len() != classes.len()
}

#[cfg(test)]
mod tests;

//! A fitted model that can be kept in a file, applied to points and asked for a classifier.
//!
//! The file is safetensors: `filters` (n × m), `feature_means` (c × m), `feature_covariances`
//! (c × m × m, divisor N), and where they exist `counts` (c), `offset`, `factors` and `mean` (n), and the parts of a
//! lift; all else is JSON under the metadata key `sqfa`. Loading checks every size, shape and number.

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

/// Filters with everything needed to use them.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    filters: Mat<f64>,
    preprocessing: Option<Preprocessor>,
    lift: Option<Lift>,
    classes: Classes,
    counts: Option<Vec<u64>>,
    /// Covariances with divisor N.
    features: Gaussians,
    mean: Option<Vec<f64>>,
    description: Description,
    /// Whether it did not come from a file without a checksum.
    checksum: bool,
}

/// Points that are lifted at a time.
const LIFTED: usize = 4096;

/// A point whose features are not finite.
#[derive(Debug, Clone, PartialEq)]
pub struct BadPoint {
    /// The row.
    pub row: usize,
    /// The first column that is not finite and its value; nothing when the features overflow.
    pub column: Option<(usize, f64)>,
}

/// The parts of a model that are numbers.
#[derive(Debug, Clone)]
pub struct ModelParts {
    /// One filter a column, for preprocessed points.
    pub filters: Mat<f64>,
    /// The map from raw to preprocessed points, if any.
    pub preprocessing: Option<Preprocessor>,
    /// The number of training points of every class, where known.
    pub counts: Option<Vec<u64>>,
    /// The training classes in feature space, covariances with divisor N.
    pub features: Gaussians,
}

impl Model {
    /// A model of parts that fit together.
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

    /// The same model with the mean of the training points as they come to the preprocessing, which its filters alone do not tell.
    pub fn with_mean(mut self, mean: Vec<f64>) -> Result<Self, ModelError> {
        let n = self.filters.nrows();
        if mean.len() != n || mean.iter().any(|value| !value.is_finite()) {
            return Err(ModelError::inconsistent(format!("the mean needs {n} finite numbers")));
        }
        self.mean = Some(mean);
        Ok(self)
    }

    /// The mean of the training points as they come to the preprocessing, where known.
    pub fn mean(&self) -> Option<&[f64]> {
        self.mean.as_deref()
    }

    /// One filter a column, for preprocessed points.
    pub fn filters(&self) -> MatRef<'_, f64> {
        self.filters.as_ref()
    }

    /// The map from raw to preprocessed points, if any.
    pub fn preprocessing(&self) -> Option<&Preprocessor> {
        self.preprocessing.as_ref()
    }

    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The number of training points of every class, where known.
    pub fn counts(&self) -> Option<&[u64]> {
        self.counts.as_deref()
    }

    /// The training classes in feature space, covariances with divisor N.
    pub fn features(&self) -> &Gaussians {
        &self.features
    }

    /// The record of its fit.
    pub fn record(&self) -> &FitRecord {
        &self.description.record
    }

    /// The metadata of its file.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Filters for raw points and the offset to add: z = Fᵀx + offset.
    pub fn raw_filters(&self) -> (Mat<f64>, Option<Vec<f64>>) {
        match &self.preprocessing {
            None => (self.filters.clone(), None),
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(self.filters.as_ref());
                (filters, Some(offset))
            }
        }
    }

    /// Whether damage to the file it came from would have been noticed; false for files from before there were checksums.
    pub fn has_checksum(&self) -> bool {
        self.checksum
    }

    /// The names of the columns it was fitted on, where they had any.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.description.feature_names.as_deref()
    }

    /// The features of raw points, in the points' own precision; an error names the first point that is not finite.
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

    /// The features of raw points, and the points for which they are not finite.
    ///
    /// Only the features are looked at, so sound points cost next to nothing; the cause is looked for afterwards.
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

    /// Points through a lift and filters, some at a time: all lifted points together may not fit into memory.
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

    /// Returns a classifier of the training classes; that of the model is `self.record().classifier`.
    ///
    /// Unless given, priors are those of the fit, or else the frequencies of the classes. For the shrinkage, see
    /// [`ClassifierKind::build`].
    ///
    /// # Errors
    ///
    /// Those of [`ClassifierKind::build`].
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

    /// Returns the quadratic classifier with t densities: of the degrees of freedom of the fit, or of `degrees`, which
    /// covariances are then matched to.
    ///
    /// # Errors
    ///
    /// Those of [`ClassifierKind::build`], or if the degrees of freedom are not a finite number above 0.
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
        // The scatter of a t distribution is (ν − 2)/ν of its covariance.
        let factor = std::iter::repeat_n((degrees - 2.0) / degrees, self.classes.len());
        let scatters = rescaled(&self.features, Some(factor), 0.0);
        let features = scatters.map_err(|_| ClassifierError::Degrees { degrees })?;
        let matched = Self { features, ..self.clone() };
        matched.classifier(quadratic, priors, shrinkage)?.heavy_tailed(degrees)
    }

    /// The noise of the fit; `None` if the method has none.
    pub fn noise(&self) -> Option<f64> {
        self.record().setting(Setting::Noise)
    }

    /// The training classes as the objective saw them: divisor N − 1, noise σ² on the diagonal.
    pub fn noisy_gaussians(&self, noise: f64) -> Result<Gaussians, ModelError> {
        let factor = |count: u64| if count > 1 { count as f64 / (count - 1) as f64 } else { 1.0 };
        rescaled(
            &self.features,
            self.counts.as_deref().map(|c| c.iter().map(|&n| factor(n))),
            noise,
        )
    }
}

/// The classes in the feature space of some filters with maximum-likelihood covariances.
pub fn maximum_likelihood(
    statistics: &ClassStatistics,
    filters: MatRef<'_, f64>,
) -> Result<Gaussians, ModelError> {
    let factor = |&count: &u64| (count.max(1) - 1) as f64 / count.max(1) as f64;
    // Robust scatters have no divisor N − 1.
    let counts = statistics.counts().filter(|_| statistics.robust().is_none());
    let factors = counts.map(|counts| counts.iter().map(factor));
    rescaled(&project(statistics, filters, 0.0), factors, 0.0)
}

/// Returns the class Gaussians of feature statistics, with maximum-likelihood covariances.
///
/// # Errors
///
/// If a covariance is not that of a distribution.
pub fn feature_gaussians(features: &ClassStatistics) -> Result<Gaussians, ModelError> {
    let m = features.dimension();
    maximum_likelihood(features, Mat::identity(m, m).as_ref())
}

/// The fraction of the largest variance below which a negative one is taken for rounding.
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
        // The variance of a feature that does not vary is rounding, which can be negative.
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

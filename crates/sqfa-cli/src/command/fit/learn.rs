//! From data to filters and the model: what was loaded becomes the data of one recipe.

use anyhow::{Context, Result, bail};
use sqfa::lift::Lift;
use sqfa::optimize::Observer;
use sqfa::pipeline::{Data, Fitted, HoldOut, Labeled, Pipeline};
use sqfa::reduce::Setting;
use sqfa::{ClassStatistics, Classes, Estimator, Labels, Noise};
use sqfa_io::data::{Loaded, Part};
use sqfa_io::model_file::{
    ClassNames, DataRecord, Description, LiftRecord, Model, ModelParts, feature_gaussians,
};

use super::explain::explain_pipeline;
use super::{Fit, Names};
use crate::data::{check_sums, class_statistics};
use crate::warnings;

/// What helps if the class statistics of the data do not fit into memory.
const FEWER_COLUMNS: &str = ", or use fewer columns (--columns)";

/// Data ready to be fitted.
pub(super) struct Prepared {
    /// The name of the data.
    pub(super) name: String,
    pub(super) image_shape: Option<(usize, usize)>,
    /// The names of the columns; empty if they have none.
    pub(super) columns: Vec<String>,
    /// The label column of a table.
    pub(super) label: Option<String>,
    /// The group of each training sample, if there are groups.
    groups: Option<Labels>,
    /// The data's own test part, if there is one.
    pub(super) test: Option<Part>,
    /// The training samples, if there are any and as long as they are needed.
    pub(super) part: Option<Part>,
    /// Whether there were training samples.
    pub(super) had_points: bool,
    pub(super) classes: Classes,
    /// The number of samples of each class, if known.
    pub(super) counts: Option<Vec<u64>>,
    pub(super) dimension: usize,
    /// Warnings about the data.
    pub(super) warnings: Vec<String>,
    /// The nonlinear feature map that samples went through before all else, if any.
    pub(super) lift: Option<Lift>,
    /// What sketches kept of the covariances, if they are sketches.
    pub(super) sketch: Option<Sketch>,
    /// Class statistics, if there are no samples.
    statistics: Option<ClassStatistics>,
}

/// What sketches kept of the covariances.
#[derive(serde::Serialize)]
pub(super) struct Sketch {
    /// Rows per class, at most.
    pub(super) rows: usize,
    /// The largest error of each class covariance, in spectral norm.
    pub(super) bounds: Vec<f64>,
}

impl Prepared {
    pub(super) fn new(fit: &Fit, loaded: Loaded, names: Names, lift: Option<Lift>) -> Result<Self> {
        let rows = match &loaded {
            Loaded::Sums(_, sums) => sums.sketch(),
            _ => None,
        };
        let (name, image_shape, test, part, statistics) = match loaded {
            Loaded::Data(data) => {
                let Part { points, labels } = &data.train;
                let samples = Labeled::new(points.view(), labels);
                if let Some(covariances) = fit.pipeline().covariances(&samples) {
                    check_sums(covariances, points.columns(), FEWER_COLUMNS)?;
                }
                (data.name, data.image_shape, data.test, Some(data.train), None)
            }
            Loaded::Sums(name, sums) => {
                let statistics =
                    sums.finish(Estimator::Empirical).context("DATA cannot be used")?;
                (name, None, None, None, Some(statistics))
            }
            Loaded::Statistics(given) => {
                let name = given.name.clone();
                let statistics =
                    class_statistics(given, fit.precision).context("DATA cannot be used")?;
                (name, None, None, None, Some(statistics))
            }
        };
        let (classes, counts, dimension) = match (&statistics, &part) {
            (Some(statistics), _) => (
                statistics.classes().clone(),
                statistics.counts().map(<[u64]>::to_vec),
                statistics.dimension(),
            ),
            (None, Some(part)) => (
                part.labels.classes().clone(),
                Some(part.labels.counts()),
                part.points.view().columns(),
            ),
            (None, None) => bail!("DATA holds neither samples nor class statistics"),
        };
        let bounds = statistics.as_ref().and_then(ClassStatistics::bounds);
        let sketch = rows.zip(bounds).map(|(rows, bounds)| Sketch { rows, bounds });
        let mut warnings = Vec::new();
        // Shrunk covariances have full rank, and those of few components as many dimensions; without noise it does not matter.
        let minds = fit.method.entry.takes(Setting::Noise);
        let full = (minds && fit.estimator() == Estimator::Empirical)
            .then(|| fit.pca_dims.map_or(dimension, |dims| dims.min(dimension)));
        if let Some(counts) = &counts {
            let noise = fit.settings.noise != Noise::Value(0.0);
            warnings.extend(warnings::about(&classes, counts, full, noise, fit.least_filters()));
        }
        Ok(Self {
            name,
            image_shape,
            columns: names.columns,
            label: names.label,
            groups: names.groups,
            test,
            had_points: part.is_some(),
            part,
            classes,
            counts,
            dimension,
            warnings,
            lift,
            sketch,
            statistics,
        })
    }

    /// Fits filters. The samples are freed on the way unless a report needs them.
    pub(super) fn fit(
        &mut self,
        fit: &Fit,
        recipe: &Pipeline,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted> {
        let fitted = match (self.statistics.take(), &self.part) {
            (Some(statistics), _) => recipe.fit(statistics, observer),
            (None, Some(Part { points, labels }))
                if fit.report.is_some() || self.groups.is_some() =>
            {
                let groups = self.groups.as_ref().map(Labels::codes);
                let hold_out = groups.map_or(HoldOut::Rows, HoldOut::Groups);
                recipe.fit(Labeled { hold_out, ..Labeled::new(points.view(), labels) }, observer)
            }
            (None, _) => {
                let Part { points, labels } = self.part.take().context("there are no samples")?;
                recipe.fit(Data::Owned(Box::new(points), &labels), observer)
            }
        };
        fitted.map_err(|error| {
            let helps = warnings::against_few_samples(
                self.counts.as_deref().unwrap_or_default(),
                fit.least_filters(),
            );
            explain_pipeline(&error, fit, &helps)
        })
    }

    /// Returns the model of fitted filters.
    pub(super) fn model(&self, fit: &Fit, fitted: &Fitted) -> Result<Model> {
        let description = Description {
            record: fitted.record.clone(),
            noise_choice: fit.settings.noise.to_string(),
            classes: ClassNames::from(&self.classes),
            fractional_classes: false,
            class_type: None,
            priors: None,
            explained_variance_ratio: None,
            restricted: fit.classes.is_some(),
            lift: self.lift.as_ref().map(|lift| LiftRecord {
                kind: lift.kind().to_string(),
                bandwidth: lift.parts().bandwidth,
            }),
            covariance: self.estimator(fit).to_string(),
            start: fit.start_name(),
            data: DataRecord {
                name: self.name.clone(),
                image_shape: self.image_shape,
                label: self.label.clone(),
                group: fit.group.clone(),
            },
            feature_names: Some(self.columns.clone()).filter(|names| !names.is_empty()),
            software: concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        let parts = ModelParts {
            filters: fitted.filters().to_owned(),
            preprocessing: fitted.preprocessor.clone(),
            counts: self.counts.clone(),
            features: feature_gaussians(&fitted.features)?,
        };
        let mut model = Model::new(parts, description)?;
        if let Some(lift) = &self.lift {
            model = model.with_lift(lift.clone())?;
        }
        Ok(match fitted.record.second_moments {
            true => model,
            false => model.with_mean(fitted.mean.clone())?,
        })
    }

    /// The estimator of class covariances: the method's own default applies to samples only.
    fn estimator(&self, fit: &Fit) -> Estimator {
        if self.had_points { fit.estimator() } else { fit.estimator.unwrap_or_default() }
    }

    /// The number of training samples, if known.
    pub(super) fn count(&self) -> Option<u64> {
        self.counts.as_ref().map(|counts| counts.iter().sum())
    }

    /// The name of a column.
    pub(super) fn column(&self, column: usize) -> String {
        if self.lift.is_some() {
            return format!("feature {column} of the lift");
        }
        self.columns.get(column).cloned().unwrap_or_else(|| column.to_string())
    }
}

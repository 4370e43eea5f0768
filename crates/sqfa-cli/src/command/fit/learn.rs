//! The way of a fit: data, choices and filters, and the model of what was found.
//!
//! Units, noise and number of filters that nobody gave are the pipeline's to find; given ones, starting filters and
//! principal components go straight to the method.

use anyhow::{Context, Result, bail};
use sqfa::lift::Lift;
use sqfa::model::{FitError, Warning};
use sqfa::optimize::Observer;
use sqfa::pipeline::{Fitted, Weighted};
use sqfa::reduce::{Reduction, Setting};
use sqfa::statistics::{Form, Moments, Preprocessor, Scaling};
use sqfa::{ClassStatistics, Classes, Estimator, Gaussians, Mat, Noise};
use sqfa_io::data::{Loaded, Part};
use sqfa_io::model_file::{
    ClassNames, DataRecord, Description, FitRecord, LiftRecord, Model, ModelParts, SelectionRecord,
    Trial, count_records, maximum_likelihood,
};

use super::direct::Direct;
use super::explain::{explain, explain_pipeline, explain_reducer};
use super::given::GivenFilters;
use super::sums::finish;
use super::{Fit, Names, statistics_of};
use crate::data::{check_sums, class_statistics};
use crate::points::Precision;
use crate::warnings;

/// What a fit can do where sums of its data do not fit into memory.
pub(super) const KEEP_POINTS: &str =
    ", or keep the samples instead of covariances (--form factor --noise scale)";

/// Data as they came, ready to be fitted.
pub(super) struct Prepared {
    /// What the data are called.
    pub(super) name: String,
    pub(super) image_shape: Option<(usize, usize)>,
    /// The names of the columns; empty where they have none.
    pub(super) columns: Vec<String>,
    /// The label column of a table.
    pub(super) label: Option<String>,
    /// The data's own test part, when there is one.
    pub(super) test: Option<Part>,
    /// Training points, when there are any and as long as they are needed.
    pub(super) part: Option<Part>,
    /// Whether there were any.
    pub(super) had_points: bool,
    pub(super) classes: Classes,
    /// The points of every class, where known.
    pub(super) counts: Option<Vec<u64>>,
    pub(super) dimension: usize,
    /// What the user should know about the data as they came.
    pub(super) warnings: Vec<String>,
    /// The map that points went through before all else, if any.
    pub(super) lift: Option<Lift>,
    /// What sketches kept of the covariances, where they are sketches.
    pub(super) sketch: Option<Sketch>,
    source: Source,
}

/// What sketches kept.
#[derive(serde::Serialize)]
pub(super) struct Sketch {
    /// Rows a class, at most.
    pub(super) rows: usize,
    /// How far every class covariance may be from the exact one, in spectral norm.
    pub(super) bounds: Vec<f64>,
}

/// What the method is given.
enum Source {
    /// Points alone: the pipeline sums them in parts.
    Points,
    /// Statistics and, when they are shrunk and there are no points, the same without shrinkage.
    Statistics { statistics: Box<ClassStatistics>, unshrunk: Option<Box<ClassStatistics>> },
}

/// Filters and how they were found.
pub(super) struct Learned {
    pub(super) reduction: Reduction,
    /// For preprocessed points of all columns.
    filters: Mat<f64>,
    preprocessor: Option<Preprocessor>,
    /// The training classes in feature space, covariances with divisor N.
    features: Gaussians,
    /// The mean of the points as they came, where known.
    mean: Option<Vec<f64>>,
    second_moments: bool,
    single: bool,
    pub(super) scaling: Scaling,
    pub(super) center: bool,
    /// What the pipeline chose; none where it was not asked.
    pub(super) fitted: Option<Fitted>,
}

impl Prepared {
    pub(super) fn new(fit: &Fit, loaded: Loaded, names: Names, lift: Option<Lift>) -> Result<Self> {
        let rows = match &loaded {
            Loaded::Sums(_, sums) => sums.sketch(),
            _ => None,
        };
        let (name, image_shape, test, part, source) = match loaded {
            Loaded::Data(data) => {
                let source = if let Some(covariances) = fit.sums_in_parts(&data.train) {
                    check_sums(covariances, data.train.points.columns(), KEEP_POINTS)?;
                    Source::Points
                } else {
                    let statistics = statistics_of(&data.train, fit)?;
                    Source::Statistics { statistics: Box::new(statistics), unshrunk: None }
                };
                (data.name, data.image_shape, data.test, Some(data.train), source)
            }
            Loaded::Sums(name, sums) => {
                let (unshrunk, statistics) = finish(sums, fit.estimator.unwrap_or_default())?;
                let (statistics, unshrunk) = (Box::new(statistics), unshrunk.map(Box::new));
                (name, None, None, None, Source::Statistics { statistics, unshrunk })
            }
            Loaded::Statistics(given) => {
                if let Some(estimator) = fit.estimator.filter(|own| *own != Estimator::Empirical) {
                    bail!(
                        "--covariance {estimator} estimates covariances from points, and DATA holds statistics"
                    );
                }
                let name = given.name.clone();
                let statistics =
                    class_statistics(given, fit.precision).context("DATA cannot be used")?;
                let statistics = Box::new(statistics);
                (name, None, None, None, Source::Statistics { statistics, unshrunk: None })
            }
        };
        let (classes, counts, dimension) = match (&source, &part) {
            (Source::Statistics { statistics, .. }, _) => (
                statistics.classes().clone(),
                statistics.counts().map(<[u64]>::to_vec),
                statistics.dimension(),
            ),
            (Source::Points, Some(part)) => (
                part.labels.classes().clone(),
                Some(part.labels.counts()),
                part.points.view().columns(),
            ),
            (Source::Points, None) => bail!("points were promised and are not there"),
        };
        let bounds = match &source {
            Source::Statistics { statistics, .. } => statistics.bounds(),
            Source::Points => None,
        };
        let sketch = rows.zip(bounds).map(|(rows, bounds)| Sketch { rows, bounds });
        let mut warnings = Vec::new();
        // Shrunk covariances have full rank, and those of few components as many dimensions; what takes no noise does not mind.
        let minds = fit.method.takes(Setting::Noise);
        let full = (minds && fit.estimator() == Estimator::Empirical)
            .then(|| fit.pca_dims.map_or(dimension, |dims| dims.min(dimension)));
        if let Some(counts) = &counts {
            warnings.extend(warnings::about(&classes, counts, full));
        }
        Ok(Self {
            name,
            image_shape,
            columns: names.columns,
            label: names.label,
            test,
            had_points: part.is_some(),
            part,
            classes,
            counts,
            dimension,
            warnings,
            lift,
            sketch,
            source,
        })
    }

    /// Fits filters to what was prepared; `given` are filters of raw points.
    pub(super) fn fit(
        &mut self,
        fit: &Fit,
        given: GivenFilters,
        observer: &mut Observer<'_>,
    ) -> Result<Learned> {
        match std::mem::replace(&mut self.source, Source::Points) {
            Source::Points => {
                let pipeline = fit.pipeline();
                let fitted = match self.part.take_if(|_| fit.report.is_none()) {
                    Some(Part { points, labels }) => {
                        pipeline.fit_consuming(points, &labels, observer)
                    }
                    None => {
                        let part = self.part.as_ref().context("there are no points")?;
                        let Part { points, labels } = part;
                        let data = Weighted { points: points.view(), labels, weights: None };
                        pipeline.fit(data, observer)
                    }
                };
                let fitted = fitted.map_err(|error| explain_pipeline(&error, fit))?;
                let mean = match (&fitted.selection, &fitted.preprocessor) {
                    (Some(_), Some(map)) => map.offset.clone(),
                    _ => fitted.mean.clone(),
                };
                Learned::chosen(fit, fitted, Some(mean))
            }
            Source::Statistics { statistics, unshrunk } => {
                if fit.noise == Some(Noise::Auto) && self.part.is_none() {
                    return Err(explain(&FitError::NoiseNeedsPoints, None));
                }
                let central = statistics.moments() == Moments::Central;
                if fit.by_pipeline() && central && unshrunk.is_none() && !self.looks_at_points(fit)
                {
                    let mean = statistics.total_mean();
                    let fitted = match &self.part {
                        Some(Part { points, labels }) => {
                            let data = Weighted { points: points.view(), labels, weights: None };
                            fit.pipeline().fit_samples(data, *statistics, observer)
                        }
                        None => fit.pipeline().fit_statistics(*statistics, observer),
                    };
                    let fitted = fitted.map_err(|error| explain_pipeline(&error, fit))?;
                    return Learned::chosen(fit, fitted, Some(mean));
                }
                let mut learn = |scaling, statistics, unshrunk, given| {
                    let part = self.part.as_ref();
                    let direct = Direct::new(fit, scaling, statistics, unshrunk, part)?;
                    let given = direct.given(fit, given)?;
                    let reduction = direct
                        .fit(fit, given, observer)
                        .map_err(|error| explain_reducer(&error, fit.pca_dims))?;
                    Ok::<_, anyhow::Error>((direct, reduction))
                };
                let (usual, unshrunk) = (fit.scaling(), unshrunk.map(|plain| *plain));
                let mut best = None;
                if fit.scale.is_none() && usual != Scaling::None && self.part.is_some() {
                    // Units that serve held-out points best, as the pipeline has them.
                    let plain = unshrunk.clone();
                    best = Some(learn(Scaling::None, (*statistics).clone(), plain, given.clone())?);
                }
                let (direct, reduction) = learn(usual, *statistics, unshrunk, given)?;
                let held = |found: &Reduction| found.held_out(Setting::Shrinkage);
                let better = best.filter(|(_, found)| held(found) > held(&reduction));
                let (direct, reduction) = better.unwrap_or((direct, reduction));
                Learned::direct(fit, direct, reduction)
            }
        }
    }

    /// Whether there are points and the method learns or chooses from them.
    fn looks_at_points(&self, fit: &Fit) -> bool {
        let chooses = fit.method.settings.iter().any(|parameter| parameter.setting.is_chosen());
        self.part.is_some() && (fit.method.needs_points() || chooses)
    }

    /// The model of fitted filters.
    pub(super) fn model(&self, fit: &Fit, learned: &Learned) -> Result<Model> {
        let reduction = &learned.reduction;
        let precision = if learned.single { Precision::F32 } else { Precision::F64 };
        let fitted = learned.fitted.as_ref();
        let description = Description {
            method: fit.method.name.to_owned(),
            refined: fit.refine,
            distance: fit.distance_name(),
            constraint: fit.constraint().map(|constraint| constraint.name().to_owned()),
            noise_choice: fit.noise_name().to_owned(),
            noise: reduction.setting(Setting::Noise).unwrap_or(0.0),
            settings: reduction.settings.clone(),
            specified: fit.specified.clone(),
            noise_trials: trials(reduction),
            selection: fitted
                .and_then(|fitted| fitted.selection.as_ref())
                .map(SelectionRecord::from),
            filters_tried: fitted
                .and_then(|fitted| fitted.curve.as_ref())
                .map(count_records)
                .unwrap_or_default(),
            distinct: fitted
                .map(|fitted| fitted.distinct)
                .filter(|own| *own < learned.filters.ncols()),
            set_aside: learned.dropped(),
            classes: ClassNames::from(&self.classes),
            fractional_classes: false,
            restricted: fit.classes.is_some(),
            lift: self.lift.as_ref().map(|lift| LiftRecord {
                kind: lift.kind().to_string(),
                bandwidth: lift.parts().bandwidth,
            }),
            second_moments: learned.second_moments,
            covariance: self.estimator(fit).to_string(),
            precision: precision.name().to_owned(),
            scale: learned.scaling.name().to_owned(),
            center: learned.center,
            pca_dims: fit.pca_dims,
            start: fit.start_name(),
            sequential: fit.sequential,
            seed: fit.settings.seed,
            max_iterations: fit.settings.stopping.max_iterations,
            tolerance: fit.settings.stopping.tolerance,
            fit: FitRecord::from(reduction),
            data: DataRecord {
                name: self.name.clone(),
                image_shape: self.image_shape,
                label: self.label.clone(),
            },
            feature_names: Some(self.columns.clone()).filter(|names| !names.is_empty()),
            software: concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        let parts = ModelParts {
            filters: learned.filters.clone(),
            preprocessing: learned.preprocessor.clone(),
            counts: self.counts.clone(),
            features: learned.features.clone(),
        };
        let mut model = Model::new(parts, description)?;
        if let Some(lift) = &self.lift {
            model = model.with_lift(lift.clone())?;
        }
        Ok(match &learned.mean {
            Some(mean) => model.with_mean(mean.clone())?,
            None => model,
        })
    }

    /// How the class covariances were estimated: in the method's own way only where there are points.
    fn estimator(&self, fit: &Fit) -> Estimator {
        if self.had_points { fit.estimator() } else { fit.estimator.unwrap_or_default() }
    }

    /// How many points the statistics stand for, where known.
    pub(super) fn count(&self) -> Option<u64> {
        self.counts.as_ref().map(|counts| counts.iter().sum())
    }

    /// What a column is called.
    pub(super) fn column(&self, column: usize) -> String {
        if self.lift.is_some() {
            return format!("feature {column} of the lift");
        }
        self.columns.get(column).cloned().unwrap_or_else(|| column.to_string())
    }
}

impl Learned {
    /// What the pipeline found.
    fn chosen(fit: &Fit, fitted: Fitted, mean: Option<Vec<f64>>) -> Result<Self> {
        let statistics = fitted.statistics();
        Ok(Self {
            features: maximum_likelihood(statistics, fitted.kept())?,
            filters: fitted.filters().to_owned(),
            preprocessor: fitted.preprocessor.clone(),
            mean,
            second_moments: false,
            single: statistics.covariances().iter().all(|covariance| covariance.is_single()),
            scaling: fitted.scaling,
            center: fit.center || fitted.selection.is_some(),
            reduction: fitted.reduction.clone(),
            fitted: Some(fitted),
        })
    }

    /// The constant columns, which the fit dropped.
    pub(super) fn dropped(&self) -> Vec<usize> {
        self.preprocessor.as_ref().map(Preprocessor::dropped).unwrap_or_default()
    }

    /// What the method found by itself.
    fn direct(fit: &Fit, direct: Direct<'_>, mut reduction: Reduction) -> Result<Self> {
        let fitted = direct.fitted_statistics();
        reduction.warnings.extend(Warning::of_statistics(fitted));
        if let (Some(degrees), None) = (fitted.degrees(), reduction.setting(Setting::Degrees)) {
            reduction.settings.push((Setting::Degrees, degrees));
        }
        let filters = direct.lifted(reduction.filters.as_ref());
        let statistics = direct.statistics();
        let second_moments = statistics.moments() == Moments::Second;
        let scaling = direct.scaling();
        Ok(Self {
            features: direct.features(fit, filters.as_ref())?,
            mean: direct.mean(),
            second_moments,
            single: statistics.covariances().iter().all(|covariance| covariance.is_single()),
            filters: direct.embedded(filters),
            preprocessor: direct.into_preprocessor(),
            reduction,
            scaling,
            center: fit.center,
            fitted: None,
        })
    }
}

impl Fit {
    /// Whether the fit runs inside principal components.
    fn is_confined(&self) -> bool {
        self.pca_dims.is_some() && !self.method.has_own_components()
    }

    /// Whether robust statistics are those of principal components.
    pub(super) fn is_robust_inside(&self) -> bool {
        self.is_confined() && self.estimator().needs_points()
    }

    /// How columns are scaled where the method is called at once: principal components are those of the columns as they came.
    pub(super) fn scaling(&self) -> Scaling {
        let confined = self.is_confined();
        let usual = || self.method.usual_scaling(&self.settings);
        self.scale.unwrap_or_else(|| if confined { Scaling::None } else { usual() })
    }

    /// Whether covariances are shrunk, which a classifier should not see.
    pub(super) fn shrinks(&self) -> bool {
        let estimator = self.estimator();
        estimator != Estimator::Empirical && !estimator.needs_points()
    }

    /// Whether the pipeline finds what was not given: it has no part in given noise, starts and principal components.
    pub(super) fn by_pipeline(&self) -> bool {
        let confined = self.is_confined();
        let open = matches!(self.noise, None | Some(Noise::Auto));
        open && !confined && !self.starts_from_file()
    }

    /// How many covariances the pipeline makes of these points itself, in parts; none where it costs less to keep them as they are,
    /// or the pipeline has no part in it.
    fn sums_in_parts(&self, part: &Part) -> Option<usize> {
        let (points, classes) = (part.points.view(), part.labels.classes().len());
        let (rows, columns) = (points.rows() as u64, points.columns());
        let covariances = match self.form {
            _ if self.needs_dense() => Some(classes),
            Form::Auto => {
                let (estimator, width) = (self.estimator(), points.width());
                self.method.covariances(estimator, rows, columns, classes, width)
            }
            given => (given == Form::Dense).then_some(classes),
        };
        covariances.filter(|_| self.by_pipeline())
    }
}

/// The noises that were tried, for reports and files.
pub(super) fn trials(fitted: &Reduction) -> Vec<Trial> {
    let trials = fitted.trials.iter().filter(|trial| trial.setting == Setting::Noise);
    trials.map(|trial| Trial { noise: trial.value, accuracy: trial.accuracy }).collect()
}

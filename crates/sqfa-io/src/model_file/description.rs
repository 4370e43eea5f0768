//! What a model file says about itself beside its tensors: how, from what and with what success it was fitted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CountRecord, LiftRecord, SelectionRecord};
use sqfa::Classes;
use sqfa::optimize::Termination;
use sqfa::reduce::{Reduction, Setting};

/// The metadata of a model, as JSON in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The method by name.
    pub method: String,
    /// Whether the filters were refined afterwards.
    #[serde(default)]
    pub refined: bool,
    /// The distance that was maximised, where the method maximises one.
    #[serde(default)]
    pub distance: Option<String>,
    /// The constraint on the filters, where there is one.
    #[serde(default)]
    pub constraint: Option<String>,
    /// How the noise was asked for: `scale`, `auto` or `given`.
    pub noise_choice: String,
    /// The feature noise σ², in the squared units of the preprocessed data; 0 where the method has none.
    pub noise: f64,
    /// Every setting that was used, chosen or given, by name.
    #[serde(default, with = "super::settings::setting_list")]
    pub settings: Vec<(Setting, f64)>,
    /// The settings that were specified and are not the default, as text by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub specified: BTreeMap<String, String>,
    /// How scaling and noise were selected, unless both were specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionRecord>,
    /// The numbers of filters that were tried, where the number was chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters_tried: Vec<CountRecord>,
    /// How many filters, the first ones, are used to classify; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<usize>,
    /// Constant columns, which the fit dropped; their filters are 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<usize>,
    /// The classes, in the order of the tensors.
    pub classes: ClassNames,
    /// Whether the classes are numbers such as 0.25, which are written as text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fractional_classes: bool,
    /// Whether other classes of the data were left out on purpose.
    #[serde(default)]
    pub restricted: bool,
    /// The map before the filters, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<LiftRecord>,
    /// Whether only second moments of the data were known.
    #[serde(default)]
    pub second_moments: bool,
    /// The covariance estimator of the fit.
    pub covariance: String,
    /// The precision of the class covariances: `f32` or `f64`.
    pub precision: String,
    /// How the data are scaled before the filters.
    pub scale: String,
    /// Whether the data are centred before the filters.
    pub center: bool,
    /// Principal components the fit was confined to, if any.
    #[serde(default)]
    pub pca_dims: Option<usize>,
    /// Where the filters started.
    pub start: String,
    /// Filters learned at a time, when not all at once.
    #[serde(default)]
    pub sequential: Option<usize>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Iterations allowed.
    pub max_iterations: usize,
    /// The tolerance asked for.
    pub tolerance: f64,
    /// How the optimisation went.
    pub fit: FitRecord,
    /// The data it was fitted on.
    pub data: DataRecord,
    /// The names of the columns it was fitted on, in the order of the filters; nothing where they had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_names: Option<Vec<String>>,
    /// The program that wrote the model, with its version.
    pub software: String,
}

/// How the optimisation went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitRecord {
    /// What was optimised, in the method's own terms; nothing for a closed form.
    #[serde(default)]
    pub objective: Option<f64>,
    /// Whether it is an optimum to the tolerance asked for.
    pub converged: bool,
    /// Why the best start ended.
    pub termination: String,
    /// Iterations of the best start.
    pub iterations: usize,
    /// How the filters were climbed, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<String>,
    /// Passes over the class covariances in all.
    pub passes: usize,
    /// Evaluations of the objective in all.
    pub evaluations: usize,
    /// Seconds of optimisation.
    pub seconds: f64,
    /// Every start.
    pub restarts: Vec<RestartRecord>,
    /// Which start was kept.
    pub best: usize,
    /// The objective after every iteration of the best start.
    pub trace: Vec<f64>,
    /// What a user should know about the fit.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// How one start ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestartRecord {
    /// The objective it reached.
    pub objective: f64,
    /// Passes it took part in.
    pub passes: usize,
    /// Evaluations of the objective.
    pub evaluations: usize,
    /// Iterations it took.
    pub iterations: usize,
    /// Whether it reached an optimum.
    pub converged: bool,
    /// Why it ended.
    pub termination: String,
}

/// The data a model was fitted on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataRecord {
    /// What it was called.
    pub name: String,
    /// Height and width, when every point is an image.
    #[serde(default)]
    pub image_shape: Option<(usize, usize)>,
    /// The label column of a table, by name or by position where there are no names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The classes by name: whole numbers or text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClassNames {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Text.
    Texts(Vec<String>),
}

impl From<&Classes> for ClassNames {
    fn from(classes: &Classes) -> Self {
        match classes {
            Classes::Integers(values) => Self::Integers(values.clone()),
            Classes::Texts(values) => Self::Texts(values.clone()),
        }
    }
}

impl From<ClassNames> for Classes {
    fn from(names: ClassNames) -> Self {
        match names {
            ClassNames::Integers(values) => Self::Integers(values),
            ClassNames::Texts(values) => Self::Texts(values),
        }
    }
}

impl From<&Reduction> for FitRecord {
    fn from(fitted: &Reduction) -> Self {
        let restarts = fitted.restarts.iter().map(|restart| RestartRecord {
            objective: restart.objective,
            passes: restart.passes,
            evaluations: restart.evaluations,
            iterations: restart.iterations,
            converged: restart.termination.converged(),
            termination: restart.termination.name().to_owned(),
        });
        Self {
            objective: fitted.objective,
            converged: fitted.converged(),
            termination: fitted.termination.map_or("closed-form", Termination::name).to_owned(),
            iterations: fitted.iterations,
            optimizer: fitted.optimizer.map(|optimizer| optimizer.name().to_owned()),
            passes: fitted.passes,
            evaluations: fitted.evaluations,
            seconds: fitted.seconds,
            restarts: restarts.collect(),
            best: fitted.best,
            trace: fitted.traces.first().cloned().unwrap_or_default(),
            warnings: fitted.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

//! The record of a fit: specified settings, selected settings, values in use, and the course of the
//! optimization.
//!
//! The command, model files, Python and the lab all use this record. Its serialized names never
//! change, because model files contain them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::classify::ClassifierKind;
use crate::constraint::Constraint;
use crate::model::Learning;
use crate::reduce::{ROWS, Run, Setting, Trial};
use crate::statistics::Scaling;

use super::{CurvePoint, Pipeline, RefinementChoice, Selection};

/// The settings that were specified for a fit, without the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Specified {
    /// The name of the method.
    pub method: String,
    /// Whether the filters are refined.
    #[serde(default)]
    pub refined: bool,
    /// The distance that the filters maximize, if the method maximizes one.
    #[serde(default)]
    pub distance: Option<String>,
    /// The constraint on the filters, if there is one.
    #[serde(default)]
    pub constraint: Option<Constraint>,
    /// The settings that are not the default, as text by name.
    #[serde(default, rename = "specified", skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The number of principal components that the fit is restricted to, if it is.
    #[serde(default, rename = "pca_dims")]
    pub dimensions: Option<usize>,
    /// The number of filters that are learned at a time, or `None` if all are learned together.
    #[serde(default)]
    pub sequential: Option<usize>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The largest number of iterations per initialization.
    pub max_iterations: usize,
    /// The relative change of the objective at which an optimization has converged.
    pub tolerance: f64,
}

impl Specified {
    /// Returns the specified settings of a recipe.
    pub(crate) fn of(recipe: &Pipeline) -> Self {
        let (entry, settings) = (recipe.method.entry, &recipe.settings);
        let text = |row: &crate::reduce::Row| Some((row.name.to_owned(), (row.write)(settings)?));
        let own = settings.distance.as_ref().map(|distance| distance.name().to_owned());
        let constraint = settings.constraint.filter(|_| entry.takes(Setting::Constraint));
        Self {
            method: entry.name.to_owned(),
            refined: recipe.method.refined,
            distance: entry.distance_with(settings.degrees).map(|family| own.unwrap_or(family)),
            constraint: constraint.or(entry.constraint),
            settings: ROWS.iter().filter(|row| row.is_used_by(entry)).filter_map(text).collect(),
            dimensions: settings.dimensions,
            sequential: match settings.learning {
                Some(Learning::Sequential(size)) => Some(size),
                Some(Learning::Joint) | None => None,
            },
            seed: settings.seed,
            max_iterations: settings.stopping.max_iterations,
            tolerance: settings.stopping.tolerance,
        }
    }
}

/// The precision of class covariances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// Single precision.
    #[serde(rename = "f32")]
    Single,
    /// Double precision.
    #[serde(rename = "f64")]
    Double,
}

impl Precision {
    /// Returns the name in flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "f32",
            Self::Double => "f64",
        }
    }
}

/// The record of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitRecord {
    /// The specified settings.
    #[serde(flatten)]
    pub specified: Specified,
    /// The settings in use, with their values.
    #[serde(default, rename = "settings", deserialize_with = "known_settings")]
    pub used: Vec<(Setting, f64)>,
    /// The scaling in use.
    #[serde(rename = "scaling", alias = "scale")]
    pub scaling: Scaling,
    /// The constant columns, which the fit dropped. Their filter coefficients are 0.
    #[serde(
        default,
        rename = "dropped",
        alias = "set_aside",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub dropped: Vec<usize>,
    /// The scores of all numbers of filters that were tried, in ascending order of the number.
    /// Empty if the number was specified.
    #[serde(default, rename = "filters_tried", skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<CurvePoint>,
    /// The selection of scaling and noise, or `None` if both were specified or the method has no
    /// noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// The values that were tried to select settings of the method.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
    /// The selected refinement, if the filters are refined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<RefinementChoice>,
    /// The number of distinct filters, or `None` if all filters are distinct. Distinct filters come
    /// first and are the ones used for classification. With the selected noise they are sufficient,
    /// so the others were learned with the constraint that they are orthogonal in the coordinates
    /// of the fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<usize>,
    /// The classifier of the features. Files of earlier versions do not contain it and use the
    /// quadratic classifier.
    #[serde(default)]
    pub classifier: ClassifierKind,
    /// Whether only second moments of the data were known.
    #[serde(default)]
    pub second_moments: bool,
    /// The precision of the class covariances.
    pub precision: Precision,
    /// The course of the optimization.
    #[serde(rename = "fit")]
    pub run: Run,
}

impl FitRecord {
    /// Returns the value of a setting that was used, or `None` if the fit does not use it.
    pub fn setting(&self, setting: Setting) -> Option<f64> {
        self.used.iter().find(|(known, _)| *known == setting).map(|(_, value)| *value)
    }

    /// Returns the held-out accuracy of the selected value of a setting.
    pub(crate) fn accuracy_of(&self, setting: Setting) -> Option<f64> {
        let value = self.setting(setting);
        let taken = |trial: &&Trial| trial.setting == setting && Some(trial.value) == value;
        self.trials.iter().find(taken)?.accuracy
    }

    /// Whether the mean of all samples was subtracted, so that features have mean 0.
    pub fn centers(&self) -> bool {
        self.scaling.centers() && !self.second_moments
    }

    /// Returns the held-out accuracy of the fit, or `None` if no samples were held out.
    pub fn held_out(&self) -> Option<f64> {
        let selected = self.selection.as_ref().and_then(|selection| selection.accuracy);
        match &self.refinement {
            // Without refinement, the filters are those of the selection.
            Some(choice) if choice.steps == 0 => selected.or(Some(choice.accuracy)),
            Some(choice) => Some(choice.accuracy),
            None => selected,
        }
    }

    /// Returns the settings in use and the results of the refinement by stable names.
    pub fn quantities(&self) -> Vec<(&'static str, f64)> {
        quantities(&self.used, self.refinement.as_ref())
    }
}

/// Returns settings and the results of a refinement by stable names.
pub fn quantities(
    used: &[(Setting, f64)],
    refinement: Option<&RefinementChoice>,
) -> Vec<(&'static str, f64)> {
    let mut all: Vec<_> = used.iter().map(|(setting, value)| (setting.name(), *value)).collect();
    all.extend(refinement.into_iter().flat_map(RefinementChoice::facts));
    all
}

/// Reads settings with their values. Unknown settings are ignored, so that files of later versions
/// can be read.
fn known_settings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(Setting, f64)>, D::Error> {
    let named = Vec::<(String, f64)>::deserialize(from)?;
    Ok(named.into_iter().filter_map(|(name, value)| Some((name.parse().ok()?, value))).collect())
}

//! The metadata of a model file: the record of the fit, the classes, the data and the software.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use sqfa::Classes;
use sqfa::pipeline::FitRecord;
use sqfa::reduce::Setting;

use super::LiftRecord;

/// The metadata of a model, which are stored as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Description {
    /// The record of the fit.
    #[serde(flatten)]
    pub record: FitRecord,
    /// The noise as specified, such as `auto` or `0.3x`. It is `given` in files of earlier
    /// versions.
    pub noise_choice: String,
    /// The classes, in the order of the tensors.
    pub classes: ClassNames,
    /// Whether the classes are numbers such as 0.25, which are stored as text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fractional_classes: bool,
    /// The type of the labels in Python, such as `float64`, or `None` if it follows from the
    /// classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_type: Option<String>,
    /// The priors of the classifier, or `None` if they are the frequencies of the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priors: Option<Vec<f64>>,
    /// The fraction of the variance that each feature explains, if the method reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained_variance_ratio: Option<Vec<f64>>,
    /// Whether some classes of the data were excluded by the user.
    #[serde(default)]
    pub restricted: bool,
    /// The nonlinear feature map that is applied before the filters, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<LiftRecord>,
    /// The covariance estimator of the fit.
    pub covariance: String,
    /// The initialization of the filters.
    pub start: String,
    /// The training data.
    pub data: DataRecord,
    /// The names of the training columns, in the order of the filter coefficients, or `None`
    /// without names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_names: Option<Vec<String>>,
    /// The program that wrote the model, with its version.
    pub software: String,
}

/// A description with redundant fields that earlier programs read.
#[derive(Serialize)]
struct Written<'a> {
    /// The noise, or 0 if the method has none.
    noise: f64,
    /// Whether the data are centered before the filters are applied.
    center: bool,
    #[serde(flatten, serialize_with = "Description::serialize")]
    description: &'a Description,
}

impl Serialize for Description {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let noise = self.record.setting(Setting::Noise).unwrap_or(0.0);
        Written { noise, center: self.record.centers(), description: self }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Description {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(from)?;
        update(&mut value);
        Self::deserialize(value).map_err(D::Error::custom)
    }
}

/// Converts a description of an earlier version. Scalings and noises had other names, settings may
/// be missing except for the noise, and the results of a refinement were settings.
fn update(description: &mut Value) {
    let Some(description) = description.as_object_mut() else { return };
    rename_scaling(description.get_mut("scale"));
    if let Some(selection) = description.get_mut("selection") {
        update_candidate(selection);
        selection
            .get_mut("tried")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(update_candidate);
        if selection.get("reason") == Some(&json!("closed-form")) {
            selection["reason"] = json!("default");
        }
    }
    let noise = description.get("noise").and_then(Value::as_f64).filter(|noise| *noise != 0.0);
    if let (None, Some(noise)) = (description.get("settings"), noise) {
        description.insert("settings".to_owned(), json!([["noise", noise]]));
    }
    let number = |name: &str| {
        let settings = description.get("settings")?.as_array()?;
        let named = settings.iter().find(|own| own.get(0).and_then(Value::as_str) == Some(name))?;
        named.get(1)?.as_f64()
    };
    let facts = ["refinement steps", "refinement noise", "held-out accuracy after"].map(number);
    if let ([Some(steps), Some(noise), Some(accuracy)], None) =
        (facts, description.get("refinement"))
    {
        let before = number("held-out accuracy before");
        let start = before.map(|own| json!({ "noise": noise, "steps": 0, "accuracy": own }));
        let refinement = json!({
            "steps": steps as usize, "noise": noise, "accuracy": accuracy,
            "trials": start.into_iter().collect::<Vec<_>>(),
        });
        description.insert("refinement".to_owned(), refinement);
    }
}

/// Converts the scaling and noise of a candidate, which were called `units` and `share`.
fn update_candidate(candidate: &mut Value) {
    let Some(candidate) = candidate.as_object_mut() else { return };
    if let (Some(mut units), Some(share)) = (candidate.remove("units"), candidate.remove("share")) {
        rename_scaling(Some(&mut units));
        candidate.insert("scaling".to_owned(), units);
        candidate.insert("noise".to_owned(), json!(format!("{share}x")));
    }
}

/// Converts the name of common scaling, which was `global-std`.
fn rename_scaling(scaling: Option<&mut Value>) {
    if let Some(name) = scaling.filter(|name| **name == "global-std") {
        *name = json!("common");
    }
}

/// The training data of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataRecord {
    /// The name of the data.
    pub name: String,
    /// The height and width of every sample, if samples are images.
    #[serde(default)]
    pub image_shape: Option<(usize, usize)>,
    /// The label column of a table by name, or by position if there are no names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The column or array with the group of each sample, if groups were held out as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// The labels of the classes, which are whole numbers or texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClassNames {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Texts.
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

//! The metadata of a model file: the record of the fit, and how, from what and by what the model was made.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use sqfa::Classes;
use sqfa::pipeline::FitRecord;
use sqfa::reduce::Setting;

use super::LiftRecord;

/// The metadata of a model, as JSON in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Description {
    /// The record of the fit.
    #[serde(flatten)]
    pub record: FitRecord,
    /// How the noise was asked for, such as `auto` or `0.3x`; `given` in files of earlier versions.
    pub noise_choice: String,
    /// The classes, in the order of the tensors.
    pub classes: ClassNames,
    /// Whether the classes are numbers such as 0.25, which are written as text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fractional_classes: bool,
    /// The type of the labels in Python, such as `float64`, unless it follows from the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_type: Option<String>,
    /// The priors of the classifier, if they are not the frequencies of the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priors: Option<Vec<f64>>,
    /// The fraction of the variance that each feature explains, if the method reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained_variance_ratio: Option<Vec<f64>>,
    /// Whether other classes of the data were left out on purpose.
    #[serde(default)]
    pub restricted: bool,
    /// The map before the filters, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<LiftRecord>,
    /// The covariance estimator of the fit.
    pub covariance: String,
    /// Where the filters started.
    pub start: String,
    /// The data it was fitted on.
    pub data: DataRecord,
    /// The names of the columns it was fitted on, in the order of the filters; nothing where they had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_names: Option<Vec<String>>,
    /// The program that wrote the model, with its version.
    pub software: String,
}

/// A description with what follows from it, which earlier programs read.
#[derive(Serialize)]
struct Written<'a> {
    /// The noise; 0 if the method has none.
    noise: f64,
    /// Whether the data are centered before the filters.
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

/// Brings a description of an earlier version up to date: other names of scalings and noises, the noise beside the settings if
/// these are missing, and the facts of a refinement among the settings.
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

/// Scaling and noise of a candidate, which were `units` and `share`.
fn update_candidate(candidate: &mut Value) {
    let Some(candidate) = candidate.as_object_mut() else { return };
    if let (Some(mut units), Some(share)) = (candidate.remove("units"), candidate.remove("share")) {
        rename_scaling(Some(&mut units));
        candidate.insert("scaling".to_owned(), units);
        candidate.insert("noise".to_owned(), json!(format!("{share}x")));
    }
}

/// Common scaling, which was `global-std`.
fn rename_scaling(scaling: Option<&mut Value>) {
    if let Some(name) = scaling.filter(|name| **name == "global-std") {
        *name = json!("common");
    }
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
    /// The column or array with the group of each sample, if groups were held out as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
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

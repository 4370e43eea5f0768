//! The specification of a comparison, from arguments or a TOML file.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sqfa::reduce::reducers;
use sqfa::statistics::Scaling;
use sqfa::{Estimator, Noise};

use super::method::{MethodEntry, REFINED_METHODS};
use super::{Classifier, CompareError};

/// The specification of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spec {
    /// The names of methods, or one of the words `paper` and `all`.
    pub methods: Vec<String>,
    /// The numbers of filters. If empty, a few that suit the numbers of columns and classes
    /// ([`usual_filters`]).
    pub filters: Vec<usize>,
    /// The number of seeds for methods that use one.
    pub seeds: u64,
    /// The first seed, which the others follow.
    pub first_seed: u64,
    /// The classifiers that score the features. Recommendations use the first one.
    pub classifiers: Vec<String>,
    /// The source of test samples.
    pub parts: Parts,
    /// The scaling, as in `sqfa fit --scaling`. `auto` selects it as `sqfa fit` does.
    #[serde(alias = "scale")]
    pub scaling: String,
    /// Whether the mean of the training samples is subtracted under a protocol of the paper.
    /// Without a protocol it always is.
    pub center: bool,
    /// The estimator of class covariances, as in `sqfa fit --covariance-estimator`. If empty, the
    /// default of each method.
    #[serde(alias = "covariance", skip_serializing_if = "String::is_empty")]
    pub covariance_estimator: String,
    /// The feature noise of methods that have one, as in `sqfa fit --noise`.
    #[serde(with = "noise_text")]
    pub noise: Noise,
    /// The number of initializations of iterative methods, or 0 for the default of the method. If
    /// `None`, the number is that of `sqfa fit`, or 1 under a protocol of the paper.
    #[serde(alias = "restarts", skip_serializing_if = "Option::is_none")]
    pub n_init: Option<usize>,
    /// Whether SQFA methods learn two filters at a time while earlier ones are fixed, as AMA always
    /// does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pairs: bool,
    /// The number of neighbors of the kNN classifier.
    pub neighbors: usize,
    /// The shrinkage of the QDA classifier towards the pooled covariance. If `None`, only as much
    /// as necessary. With a protocol, the shrinkage is that of the paper's classifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrinkage: Option<f64>,
    /// The time limit of one fit in seconds, or 0 for no limit.
    pub time_limit: f64,
    /// The name of a data set of the paper (`svhn`, `mnist`, `speed` or `neural`), whose protocol
    /// determines the settings of the methods. If empty, methods have their own settings.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub protocol: String,
}

/// The source of test samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parts {
    /// The test part of the data. Without one, folds for few samples and a fifth of many samples.
    Given,
    /// A fraction of every class.
    Fraction(f64),
    /// A number of folds of every class, each of which is held out once.
    Folds(usize),
    /// A number of splits of every session: 10 % of every class for testing, 10 % to select
    /// settings, and the rest for training.
    Splits(usize),
}

/// Serialization of the noise as text, as in `sqfa fit --noise`.
mod noise_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use sqfa::Noise;

    pub(super) fn serialize<S: Serializer>(noise: &Noise, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(noise)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Noise, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        let text = match Written::deserialize(from)? {
            Written::Number(value) => value.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(D::Error::custom)
    }
}

/// A word for several methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodSet {
    /// The methods in the tables of the paper.
    Paper,
    /// All methods.
    All,
}

/// The word for a scaling that is selected together with the noise.
const AUTO: &str = "auto";
/// The largest number of seeds, more than a figure could show.
const MOST_SEEDS: u64 = 1000;
/// The largest number of folds.
const MOST_FOLDS: usize = 1000;

impl Default for Spec {
    fn default() -> Self {
        Self {
            methods: vec!["paper".to_owned()],
            filters: Vec::new(),
            seeds: 3,
            first_seed: 0,
            classifiers: vec!["qda".to_owned()],
            parts: Parts::Given,
            scaling: AUTO.to_owned(),
            center: false,
            covariance_estimator: String::new(),
            noise: Noise::Auto,
            n_init: None,
            pairs: false,
            neighbors: 5,
            shrinkage: None,
            time_limit: 0.0,
            protocol: String::new(),
        }
    }
}

impl MethodSet {
    /// Returns the methods of the set in the order of the paper. `data` is the name of the data
    /// set.
    pub fn methods(self, data: &str) -> Vec<String> {
        let mut chosen: Vec<_> = reducers()
            .iter()
            .filter(|entry| match (self, entry.paper) {
                (Self::All, _) => true,
                (Self::Paper, column) => {
                    column.is_some_and(|column| column.only.is_none_or(|only| only == data))
                }
            })
            .collect();
        // The sort is stable, so methods that are not in the paper stay in the order of the
        // catalog.
        chosen.sort_by_key(|entry| entry.paper.map_or(u8::MAX, |column| column.place));
        let mut names: Vec<String> =
            chosen.into_iter().map(|entry| entry.name.to_owned()).collect();
        if self == Self::All {
            names.extend(REFINED_METHODS.map(str::to_owned));
        }
        names
    }
}

impl Spec {
    /// Returns the shrinkage of the paper's classifier if the specification has a protocol of the
    /// paper.
    pub(crate) fn plain_shrinkage(&self) -> Option<f64> {
        let protocol = super::Protocol::named(&self.protocol)?;
        Some(self.shrinkage.unwrap_or(protocol.qda_shrinkage))
    }

    /// Reads a specification from a TOML file. Fields that are not in the file have their default.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is invalid.
    pub fn read(path: &Path) -> Result<Self, CompareError> {
        let place = path.display().to_string();
        let text = sqfa_io::formats::crash::read_to_string(path)
            .map_err(|source| CompareError::Io { path: path.to_owned(), action: "read", source })?;
        Self::parse(&text, &place)
    }

    /// Parses a specification from TOML text. `place` is its name in messages.
    ///
    /// # Errors
    ///
    /// If the text is invalid.
    pub fn parse(text: &str, place: &str) -> Result<Self, CompareError> {
        toml::from_str(text).map_err(|error| CompareError::Spec {
            place: place.to_owned(),
            problem: error.to_string().trim_end().to_owned(),
        })
    }

    /// Returns the specification with all words for methods replaced and all fields checked.
    ///
    /// # Errors
    ///
    /// If a name does not exist or a value is outside of its range.
    pub fn resolved(mut self, data: &str) -> Result<Self, CompareError> {
        let mut methods: Vec<String> = Vec::new();
        for word in &self.methods {
            let named = match word.as_str() {
                "paper" => MethodSet::Paper.methods(data),
                "all" => MethodSet::All.methods(data),
                name => vec![MethodEntry::named(name)?.name],
            };
            methods.extend(named);
        }
        deduplicate(&mut methods);
        self.methods = methods;
        self.filters.sort_unstable();
        self.filters.dedup();
        deduplicate(&mut self.classifiers);
        self.check()?;
        Ok(self)
    }

    fn check(&self) -> Result<(), CompareError> {
        let refuse = |name, value: String, remedy: &str| {
            Err(CompareError::Setting { name, value, remedy: remedy.to_owned() })
        };
        if self.methods.is_empty() {
            return refuse("methods", "empty".to_owned(), "name at least one, or paper or all");
        }
        if self.filters.first() == Some(&0) {
            let value = format!("{:?}", self.filters);
            return refuse("filters", value, "give whole numbers of at least 1, as in 2,4,8");
        }
        if self.seeds == 0 || self.seeds > MOST_SEEDS {
            return refuse("seeds", self.seeds.to_string(), "give a number from 1 to 1000");
        }
        if self.first_seed.checked_add(self.seeds).is_none() {
            return refuse("the first seed", self.first_seed.to_string(), "give a smaller number");
        }
        if self.classifiers.is_empty() {
            return refuse("classifiers", "empty".to_owned(), "name qda, qda-t or knn");
        }
        for name in &self.classifiers {
            Classifier::named(name)?;
        }
        match self.parts {
            Parts::Fraction(share) if !(share > 0.0 && share < 1.0) => {
                return refuse(
                    "the test fraction",
                    share.to_string(),
                    "give a number between 0 and 1",
                );
            }
            Parts::Folds(folds) if !(2..=MOST_FOLDS).contains(&folds) => {
                return refuse(
                    "the number of folds",
                    folds.to_string(),
                    "give a number from 2 to 1000",
                );
            }
            Parts::Splits(splits) if !(1..=MOST_FOLDS).contains(&splits) => {
                return refuse(
                    "the number of splits",
                    splits.to_string(),
                    "give a number from 1 to 1000",
                );
            }
            _ => {}
        }
        let noise = self.noise.value(1.0);
        if !noise.is_finite() || noise < 0.0 {
            return refuse("noise", self.noise.to_string(), "give a finite number of at least 0");
        }
        if self.scaling != AUTO && self.scaling().is_none() {
            let remedy = "choose auto, none, common, per-feature or within-class";
            return refuse("scaling", self.scaling.clone(), remedy);
        }
        if !self.covariance_estimator.is_empty()
            && let Err(remedy) = self.covariance_estimator.parse::<Estimator>()
        {
            return refuse("covariance_estimator", self.covariance_estimator.clone(), &remedy);
        }
        if let Some(shrinkage) = self.shrinkage.filter(|given| !(0.0..=1.0).contains(given)) {
            return refuse("shrinkage", shrinkage.to_string(), "give a number from 0 to 1");
        }
        if !self.protocol.is_empty() && super::Protocol::named(&self.protocol).is_none() {
            return refuse(
                "protocol",
                self.protocol.clone(),
                "choose svhn, mnist, speed or neural",
            );
        }
        if self.neighbors == 0 {
            return refuse("neighbors", "0".to_owned(), "give at least 1");
        }
        if !(self.time_limit.is_finite() && self.time_limit >= 0.0) {
            return refuse(
                "the time limit",
                self.time_limit.to_string(),
                "give seconds, or 0 for none",
            );
        }
        Ok(())
    }

    /// Returns the scaling, or `None` if it is selected.
    pub fn scaling(&self) -> Option<Scaling> {
        self.scaling.parse().ok()
    }

    /// Returns the estimator of class covariances, or `None` for the default of each method.
    pub fn estimator(&self) -> Option<Estimator> {
        self.covariance_estimator.parse().ok()
    }

    /// Whether fits are those of `sqfa fit`. A protocol of the paper has its own preprocessing and
    /// selection.
    pub fn chooses(&self) -> bool {
        self.protocol.is_empty()
    }

    /// Returns a description of the first difference between two specifications.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let value = |spec: &Self| serde_json::to_value(spec).unwrap_or_default();
        let (ours, theirs) = (value(self), value(other));
        let fields = ours.as_object()?;
        fields.iter().find(|(name, value)| theirs.get(name) != Some(value)).map(|(name, value)| {
            let there = theirs.get(name).map(ToString::to_string).unwrap_or_default();
            format!("{name} is {there} there and {value} here")
        })
    }
}

/// Returns default numbers of filters: 2, 4 and 8 as far as there are columns, and the largest
/// number that LDA supports, which is the number of classes minus 1.
pub fn usual_filters(columns: usize, classes: usize) -> Vec<usize> {
    const USUAL: [usize; 3] = [2, 4, 8];
    let most = USUAL[USUAL.len() - 1].min(columns);
    let lda = classes.saturating_sub(1).clamp(1, most.max(1));
    let mut filters: Vec<usize> = USUAL.into_iter().filter(|&count| count <= columns).collect();
    filters.push(lda);
    if filters.iter().all(|&count| count <= 2) {
        filters.push(most.max(1));
    }
    filters.sort_unstable();
    filters.dedup();
    filters
}

fn deduplicate(names: &mut Vec<String>) {
    let mut seen: Vec<String> = Vec::new();
    names.retain(|name| {
        let new = !seen.contains(name);
        if new {
            seen.push(name.clone());
        }
        new
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_in_toml_keeps_defaults_and_refuses_unknown_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, "methods = [\"sqfa\", \"pca\"]\nfilters = [4, 2, 4]\nparts = { folds = 5 }\nnoise = 0.1\n").unwrap();
        let spec = Spec::read(&path).unwrap().resolved("x").unwrap();
        assert_eq!(spec.filters, [2, 4]);
        assert_eq!(spec.parts, Parts::Folds(5));
        assert_eq!(spec.noise, Noise::Value(0.1));
        assert_eq!(spec.seeds, Spec::default().seeds);
        std::fs::write(&path, "metods = []\n").unwrap();
        let error = Spec::read(&path).unwrap_err().to_string();
        assert!(error.contains("metods") && error.contains("a.toml"), "{error}");
    }

    #[test]
    fn usual_filters_suit_columns_and_classes() {
        for (columns, classes, filters) in [
            (20, 10, vec![2, 4, 8]),
            (20, 3, vec![2, 4, 8]),
            (20, 2, vec![1, 2, 4, 8]),
            (20, 6, vec![2, 4, 5, 8]),
            (4, 3, vec![2, 4]),
            (3, 3, vec![2, 3]),
            (3, 2, vec![1, 2, 3]),
            (2, 5, vec![2]),
            (1, 3, vec![1]),
        ] {
            assert_eq!(usual_filters(columns, classes), filters, "{columns} {classes}");
        }
    }

    #[test]
    fn unknown_names_meet_the_nearest() {
        let spec = Spec { methods: vec!["smsqa".to_owned()], ..Spec::default() };
        assert!(spec.resolved("x").unwrap_err().to_string().contains("did you mean 'smsqfa'?"));
        let spec = Spec { classifiers: vec!["qdaa".to_owned()], ..Spec::default() };
        assert!(spec.resolved("x").unwrap_err().to_string().contains("did you mean 'qda'?"));
    }

    #[test]
    fn paper_is_in_the_papers_order_and_difference_names_the_field() {
        let methods = MethodSet::Paper.methods("mnist");
        assert_eq!(methods[..3], ["sqfa", "smsqfa", "sqfa-h"]);
        assert_eq!(methods.last().map(String::as_str), Some("pca"));
        assert!(!methods.contains(&"ama".to_owned()) && !methods.contains(&"sqfa-fr".to_owned()));
        let other = Spec { seeds: 9, ..Spec::default() };
        assert_eq!(other.difference(&Spec::default()).unwrap(), "seeds is 3 there and 9 here");
        assert_eq!(other.difference(&other), None);
    }
}

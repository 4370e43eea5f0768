//! What to compare, as typed or as written in a TOML file.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sqfa::reduce::reducers;
use sqfa::statistics::Scaling;
use sqfa::{Estimator, Noise};

use super::method::{MethodEntry, REFINED_METHODS};
use super::{Classifier, CompareError};

/// What to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spec {
    /// Methods by name, or one of the words `paper` and `all`.
    pub methods: Vec<String>,
    /// Numbers of filters; when empty, a few that suit the number of columns and classes ([`usual_filters`]).
    pub filters: Vec<usize>,
    /// How many seeds every method that uses one is run with.
    pub seeds: u64,
    /// The first seed; the others follow it.
    pub first_seed: u64,
    /// Classifiers that score the features; the first one decides.
    pub classifiers: Vec<String>,
    /// Where test points come from.
    pub parts: Parts,
    /// The scaling, as `sqfa fit --scaling` accepts it; `auto` selects it as `sqfa fit` does.
    #[serde(alias = "scale")]
    pub scaling: String,
    /// Whether the mean of the training samples is subtracted first under a protocol of the paper; otherwise it always is.
    pub center: bool,
    /// How class covariances are estimated, as in `sqfa fit --covariance-estimator`; in every method's own way when empty.
    #[serde(alias = "covariance", skip_serializing_if = "String::is_empty")]
    pub covariance_estimator: String,
    /// The feature noise of the methods that have one, as `sqfa fit --noise` accepts it.
    #[serde(with = "noise_text")]
    pub noise: Noise,
    /// Initializations of every fit of an iterative method; 0 lets the method decide. If not specified, as `sqfa fit`, or 1
    /// under a protocol of the paper.
    #[serde(alias = "restarts", skip_serializing_if = "Option::is_none")]
    pub n_init: Option<usize>,
    /// Whether the SQFA family learns filters two at a time, earlier pairs frozen; AMA always does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pairs: bool,
    /// Neighbors of the kNN classifier.
    pub neighbors: usize,
    /// Shrinkage of the QDA classifier, towards the pooled covariance; only as far as needed if none. With a protocol, the
    /// shrinkage of the paper's classifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrinkage: Option<f64>,
    /// Seconds that one fit may take; none when 0.
    pub time_limit: f64,
    /// The data set whose settings of the paper are used (`svhn`, `mnist`, `speed` or `neural`); the methods' own when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub protocol: String,
}

/// Where test points come from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parts {
    /// The data's own test part; where there is none, folds for few points and a fifth of many.
    Given,
    /// This share of every class is held out.
    Fraction(f64),
    /// Every class is cut into so many folds, each of which is held out once.
    Folds(usize),
    /// So many splits of every session: a tenth of every class to test, a tenth to choose settings on, the rest to learn from.
    Splits(usize),
}

/// Noise as text, as `sqfa fit --noise` accepts it.
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
    /// The columns of the paper's tables.
    Paper,
    /// Every method there is.
    All,
}

/// The scaling that is chosen with the noise.
const AUTO: &str = "auto";
/// More than any figure could show.
const MOST_SEEDS: u64 = 1000;
/// More fits than anybody waits for.
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
    /// The methods it stands for, in the paper's order; `data` is the name of the data set.
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
        // A stable sort keeps the catalogue's order of those the paper does not have.
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
    /// The shrinkage of the paper's classifier, if the spec names a protocol of the paper.
    pub(crate) fn plain_shrinkage(&self) -> Option<f64> {
        let protocol = super::Protocol::named(&self.protocol)?;
        Some(self.shrinkage.unwrap_or(protocol.qda_shrinkage))
    }

    /// Reads a spec from a TOML file; what it does not say keeps its default.
    pub fn read(path: &Path) -> Result<Self, CompareError> {
        let place = path.display().to_string();
        let text = sqfa_io::formats::crash::read_to_string(path)
            .map_err(|source| CompareError::Io { path: path.to_owned(), action: "read", source })?;
        Self::parse(&text, &place)
    }

    /// A spec as TOML text; `place` is what a message calls it.
    pub fn parse(text: &str, place: &str) -> Result<Self, CompareError> {
        toml::from_str(text).map_err(|error| CompareError::Spec {
            place: place.to_owned(),
            problem: error.to_string().trim_end().to_owned(),
        })
    }

    /// The same spec with words for methods replaced, everything sorted out and checked.
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

    /// The scaling, where it is not to be chosen.
    pub fn scaling(&self) -> Option<Scaling> {
        self.scaling.parse().ok()
    }

    /// How class covariances are estimated, where not in the methods' own ways.
    pub fn estimator(&self) -> Option<Estimator> {
        self.covariance_estimator.parse().ok()
    }

    /// Whether fits are those of `sqfa fit`; a protocol of the paper has its own preprocessing and selection.
    pub fn chooses(&self) -> bool {
        self.protocol.is_empty()
    }

    /// The first thing in which two specs differ, in words.
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

/// Numbers of filters to compare with data of so many columns and classes: 2, 4 and 8 as far as there are columns, and the
/// most that LDA can have, one fewer than classes.
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

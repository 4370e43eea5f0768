//! The record of one cell: one method, one number of filters, one seed and one fold.

use serde::{Deserialize, Serialize};

use super::{Job, Numbers, Score, Spec};
use crate::evaluation::ClassifierSettings;
use sqfa::pipeline::{RefinementChoice, Selection};
use sqfa::reduce::{Setting, Trial};

/// The record of one cell, which is one line of `records.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the method.
    pub method: String,
    /// The number of filters.
    pub filters: usize,
    /// The seed of the method.
    pub seed: u64,
    /// The fold that was held out, or 0 without folds.
    #[serde(default)]
    pub fold: usize,
    /// The index of the session, or 0 with a single session.
    #[serde(default, skip_serializing_if = "is_first")]
    pub session: usize,
    /// The outcome of the fit.
    pub outcome: Outcome,
}

/// Whether a session is the first one, which is not stored.
fn is_first(session: &usize) -> bool {
    *session == 0
}

/// The outcome of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum Outcome {
    /// Filters with their scores.
    Done(Box<Evaluated>),
    /// A number of filters or data that the method does not support.
    NotApplicable {
        /// The reason.
        reason: String,
    },
    /// An error.
    Failed {
        /// The message of the error.
        error: String,
    },
    /// A fit that was stopped because it exceeded the time limit.
    OverLimit {
        /// The time of the fit in seconds.
        seconds: f64,
        /// The time limit in seconds.
        limit: f64,
    },
}

/// Filters with their scores and details of the fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// The time of the fit in seconds, without searches.
    pub fit_seconds: f64,
    /// The time in seconds for class statistics of the training samples, which all cells of a fold
    /// share. `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics_seconds: Option<f64>,
    /// The time in seconds for the selection of settings, or 0 if those of the first seed were
    /// used.
    pub search_seconds: f64,
    /// The value of the objective, which depends on the method.
    pub objective: Option<f64>,
    /// Whether the optimization has converged.
    pub converged: bool,
    /// The number of iterations, or 0 without iterative optimization.
    pub iterations: usize,
    /// The settings in use.
    #[serde(with = "named_settings")]
    pub settings: Vec<(Setting, f64)>,
    /// The selected refinement, if the method is refined. `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<RefinementChoice>,
    /// The selection of scaling and noise with all candidates, if they were selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// The scores of all classifiers.
    #[serde(rename = "verdicts")]
    pub scores: Vec<Score>,
    /// The warnings of the fit.
    pub warnings: Vec<String>,
    /// The course of the optimization for every initialization, starting with the one that is used.
    pub climbs: Vec<Climb>,
    /// The data for a detailed report, which are stored for the first seed and fold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Detail>>,
}

/// The course of the objective for one initialization.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Climb {
    /// The number of values, including that of the initialization.
    pub length: usize,
    /// The objective at evenly spaced iterations from the first to the last.
    pub objective: Numbers,
}

/// The largest number of values that are stored, more than the number of pixels in a figure.
const KEPT: usize = 160;

impl Climb {
    /// Returns evenly spaced values of a trace, including the first and the last.
    pub fn of(trace: &[f64]) -> Self {
        let kept = trace.len().min(KEPT);
        let at = |k: usize| k * (trace.len() - 1) / (kept - 1).max(1);
        Self { length: trace.len(), objective: Numbers::of((0..kept).map(|k| trace[at(k)])) }
    }

    /// Returns pairs of iteration and objective.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let last = self.objective.0.len().saturating_sub(1).max(1);
        let length = self.length.saturating_sub(1);
        // 128 bits are sufficient for any length in a file.
        let place = |k: usize| (k as u128 * length as u128 / last as u128) as f64;
        let at = |(k, &value): (usize, &f32)| (place(k), f64::from(value));
        self.objective.0.iter().enumerate().map(at).collect()
    }
}

/// Serialization of settings with their values as objects. Unknown settings are ignored, so that
/// records of other versions can be read.
mod named_settings {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use sqfa::reduce::Setting;

    #[derive(Serialize, Deserialize)]
    struct Named {
        name: String,
        value: f64,
    }

    pub(super) fn serialize<S: Serializer>(
        settings: &[(Setting, f64)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let named = settings.iter().map(|&(own, value)| Named { name: own.to_string(), value });
        named.collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(Setting, f64)>, D::Error> {
        let named = Vec::<Named>::deserialize(from)?.into_iter();
        Ok(named.filter_map(|own| Some((own.name.parse().ok()?, own.value))).collect())
    }
}

/// The data for a detailed report on one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The filters for preprocessed samples, n × m in row-major order.
    pub weights: Numbers,
    /// The class means in feature space, c × m.
    pub means: Numbers,
    /// The class covariances in feature space with divisor N, c × m × m.
    pub covariances: Numbers,
    /// The confusion matrix of the first classifier in row-major order, with true classes as rows.
    /// Empty without test samples.
    pub confusion: Vec<u64>,
    /// A subset of the test samples.
    pub sample: Sample,
    /// The trials in the selection of settings.
    pub trials: Vec<Trial>,
    /// The standard deviation of every preprocessed feature over the training samples.
    #[serde(default)]
    pub deviations: Numbers,
}

/// A subset of the test samples in feature space.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// The features, with m values per sample.
    pub features: Numbers,
    /// The true classes.
    pub truth: Vec<u32>,
    /// The classes that the first classifier predicts.
    pub guess: Vec<u32>,
}

impl Record {
    /// Returns the result, if there is one.
    pub fn evaluated(&self) -> Option<&Evaluated> {
        match &self.outcome {
            Outcome::Done(evaluated) => Some(evaluated),
            _ => None,
        }
    }

    /// Whether two records have the same cell.
    pub fn is_cell(&self, other: &Self) -> bool {
        self.filters == other.filters && self.is_of(&other.job(other.filters))
    }

    /// Whether the cell of the record belongs to a job.
    pub fn is_of(&self, job: &Job) -> bool {
        job.method == self.method
            && job.filters.contains(&self.filters)
            && (job.seed, job.fold, job.session) == (self.seed, self.fold, self.session)
    }

    /// Returns the job of the cell for a number of filters.
    fn job(&self, filters: usize) -> Job {
        let Self { method, seed, fold, session, .. } = self;
        let (method, filters) = (method.clone(), vec![filters]);
        Job { method, filters, seed: *seed, fold: *fold, session: *session }
    }
}

impl Evaluated {
    /// Returns the accuracy with one classifier.
    pub fn accuracy(&self, classifier: &str) -> Option<f64> {
        self.score(classifier)?.accuracy
    }

    /// Returns the score of one classifier.
    pub fn score(&self, classifier: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.classifier == classifier)
    }

    /// Returns the value of one setting.
    pub fn setting(&self, name: Setting) -> Option<f64> {
        self.settings.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }
}

impl From<&Spec> for ClassifierSettings {
    fn from(spec: &Spec) -> Self {
        Self { shrinkage: spec.shrinkage, plain: spec.plain_shrinkage(), neighbors: spec.neighbors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_call_scores_verdicts_as_they_always_have() {
        let line = r#"{"method":"pca","filters":2,"seed":0,"outcome":{"status":"done","fit_seconds":0.1,"search_seconds":0,"objective":null,"converged":true,"iterations":0,"settings":[],"verdicts":[{"classifier":"qda","accuracy":0.5,"hits":[2,"AQ=="]}],"warnings":[],"climbs":[]}}"#;
        let record: Record = serde_json::from_str(line).unwrap();
        let evaluated = record.evaluated().unwrap();
        assert_eq!(evaluated.score("qda").unwrap().hits.0, [true, false]);
        assert!(serde_json::to_string(&record).unwrap().contains("\"verdicts\":[{"));
    }

    #[test]
    fn settings_of_other_versions_are_left_out() {
        let line = r#"{"method":"pca+refine","filters":2,"seed":0,"outcome":{"status":"done","fit_seconds":0.1,"search_seconds":0,"objective":null,"converged":true,"iterations":0,"settings":[{"name":"noise","value":0.5},{"name":"refinement steps","value":12}],"verdicts":[],"warnings":[],"climbs":[]}}"#;
        let record: Record = serde_json::from_str(line).unwrap();
        assert_eq!(record.evaluated().unwrap().settings, [(Setting::Noise, 0.5)]);
        let written = serde_json::to_string(&record).unwrap();
        assert!(written.contains(r#""settings":[{"name":"noise","value":0.5}]"#), "{written}");
    }

    #[test]
    fn climbs_keep_their_ends_and_their_iterations() {
        assert_eq!(Climb::of(&[1.0]).points(), [(0.0, 1.0)]);
        assert!(Climb::of(&[]).points().is_empty());
        let long: Vec<f64> = (0..1000).map(f64::from).collect();
        let kept = Climb::of(&long).points();
        assert_eq!(kept.len(), KEPT);
        assert!(kept.iter().all(|(iteration, value)| iteration == value));
        assert_eq!(kept[KEPT - 1], (999.0, 999.0));
    }
}

//! What is known of one cell: one method, one number of filters, one seed, one fold.

use serde::{Deserialize, Serialize};

use super::{Job, Numbers, Score, Spec};
use crate::evaluation::ClassifierSettings;
use sqfa::pipeline::{RefinementChoice, Selection};
use sqfa::reduce::{Setting, Trial};

/// What is known of one cell; one line of `records.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The method by name.
    pub method: String,
    /// The number of filters.
    pub filters: usize,
    /// The seed of the method's random numbers.
    pub seed: u64,
    /// The fold that was held out; 0 without folds.
    #[serde(default)]
    pub fold: usize,
    /// The session, where there are several; otherwise 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub session: usize,
    /// How it ended.
    pub outcome: Outcome,
}

/// Whether it is the first session, which goes without saying.
fn is_first(session: &usize) -> bool {
    *session == 0
}

/// How a cell ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum Outcome {
    /// With filters, which were evaluated.
    Done(Box<Evaluated>),
    /// The method cannot do this, by its nature.
    NotApplicable {
        /// Why.
        reason: String,
    },
    /// It went wrong.
    Failed {
        /// What happened.
        error: String,
    },
    /// It took longer than it was allowed to and was stopped.
    OverLimit {
        /// Seconds it took.
        seconds: f64,
        /// Seconds it was allowed.
        limit: f64,
    },
}

/// Filters and how well they do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// Seconds of the fit, searches not counted.
    pub fit_seconds: f64,
    /// Seconds of the class statistics of the training points, which all cells of a fold share; none in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics_seconds: Option<f64>,
    /// Seconds spent on choosing settings; 0 when they were taken from the first seed.
    pub search_seconds: f64,
    /// What was optimized, in the method's own terms.
    pub objective: Option<f64>,
    /// Whether the optimum was reached.
    pub converged: bool,
    /// Iterations; 0 for a closed form.
    pub iterations: usize,
    /// The settings that were used.
    #[serde(with = "named_settings")]
    pub settings: Vec<(Setting, f64)>,
    /// How far the filters were refined, if the method is refined; none in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<RefinementChoice>,
    /// How units and noise were chosen, where they were; what was tried is part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// The score of every classifier.
    #[serde(rename = "verdicts")]
    pub scores: Vec<Score>,
    /// What a user should know.
    pub warnings: Vec<String>,
    /// The climb of every start, the one kept first.
    pub climbs: Vec<Climb>,
    /// Everything a closer look needs; kept for the first seed and fold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Detail>>,
}

/// The objective over the iterations of one start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Climb {
    /// Iterations, the start itself included.
    pub length: usize,
    /// The objective at evenly spaced iterations from the first to the last.
    pub objective: Numbers,
}

/// Points of a climb that are kept: more than a figure has pixels for.
const KEPT: usize = 160;

impl Climb {
    /// A climb without most of its points; the first and the last stay.
    pub fn of(trace: &[f64]) -> Self {
        let kept = trace.len().min(KEPT);
        let at = |k: usize| k * (trace.len() - 1) / (kept - 1).max(1);
        Self { length: trace.len(), objective: Numbers::of((0..kept).map(|k| trace[at(k)])) }
    }

    /// Iterations with their objective.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let last = self.objective.0.len().saturating_sub(1).max(1);
        let length = self.length.saturating_sub(1);
        // Wide enough for whatever length a file claims.
        let place = |k: usize| (k as u128 * length as u128 / last as u128) as f64;
        let at = |(k, &value): (usize, &f32)| (place(k), f64::from(value));
        self.objective.0.iter().enumerate().map(at).collect()
    }
}

/// Settings with their values as objects; unknown ones are left out, so that records of other versions can be read.
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

/// What a closer look at one model needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// The filters, n × m row by row, for preprocessed points.
    pub weights: Numbers,
    /// Class means in feature space, c × m.
    pub means: Numbers,
    /// Class covariances in feature space with divisor N, c × m × m.
    pub covariances: Numbers,
    /// Rows: true classes; columns: classes predicted by the first classifier. Row by row;
    /// empty when nothing was evaluated.
    pub confusion: Vec<u64>,
    /// Some of the test points.
    pub sample: Sample,
    /// What was tried to choose the settings.
    pub trials: Vec<Trial>,
    /// The standard deviation of every feature that the filters weigh, over the training points.
    #[serde(default)]
    pub deviations: Numbers,
}

/// Some of the test points in feature space.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Their features, m a point.
    pub features: Numbers,
    /// Their true classes.
    pub truth: Vec<u32>,
    /// The classes the first classifier gave them.
    pub guess: Vec<u32>,
}

impl Record {
    /// The result, when there is one.
    pub fn evaluated(&self) -> Option<&Evaluated> {
        match &self.outcome {
            Outcome::Done(evaluated) => Some(evaluated),
            _ => None,
        }
    }

    /// Whether both are about the same cell.
    pub fn is_cell(&self, other: &Self) -> bool {
        self.filters == other.filters && self.is_of(&other.job(other.filters))
    }

    /// Whether it is one of the cells of a job.
    pub fn is_of(&self, job: &Job) -> bool {
        job.method == self.method
            && job.filters.contains(&self.filters)
            && (job.seed, job.fold, job.session) == (self.seed, self.fold, self.session)
    }

    /// The job of this cell, with so many filters.
    fn job(&self, filters: usize) -> Job {
        let Self { method, seed, fold, session, .. } = self;
        let (method, filters) = (method.clone(), vec![filters]);
        Job { method, filters, seed: *seed, fold: *fold, session: *session }
    }
}

impl Evaluated {
    /// The accuracy by one classifier.
    pub fn accuracy(&self, classifier: &str) -> Option<f64> {
        self.score(classifier)?.accuracy
    }

    /// What one classifier said.
    pub fn score(&self, classifier: &str) -> Option<&Score> {
        self.scores.iter().find(|score| score.classifier == classifier)
    }

    /// The value of one setting.
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

//! The selection of a setting on held-out samples: for every number of filters, the value whose
//! filters classify these samples best.

use serde::{Deserialize, Serialize};

use crate::linalg::Mat;

use super::{ReduceError, Setting, Training};

/// The way in which the value of a setting is determined.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Choice {
    /// The default of the method: its default value, or the best value of its grid if samples can
    /// be held out.
    #[default]
    Usual,
    /// The best value of the method's grid on held-out samples.
    Auto,
    /// The best of these values on held-out samples.
    Among(Vec<f64>),
    /// This value.
    Value(f64),
}

/// A value of a setting that was tried, with its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The setting.
    #[serde(rename = "name")]
    pub setting: Setting,
    /// The value.
    pub value: f64,
    /// The held-out accuracy of QDA; `None` if the value could not be used.
    pub accuracy: Option<f64>,
}

/// The selected value for one number of filters, with all values that were tried.
pub(crate) struct Chosen {
    pub(crate) value: f64,
    pub(crate) trials: Vec<Trial>,
}

impl Chosen {
    /// Wraps a value that was not selected.
    pub(crate) fn given(value: f64) -> Self {
        Self { value, trials: Vec::new() }
    }

    /// Returns the held-out accuracy of the selected value, if there was anything to select.
    #[cfg(test)]
    pub(crate) fn accuracy(&self) -> Option<f64> {
        self.trials.iter().find(|trial| trial.value == self.value)?.accuracy
    }
}

impl Choice {
    /// Returns the values to select from; a single value if there is nothing to select.
    pub(crate) fn values(&self, usual: &[f64], fixed: f64, training: &Training<'_>) -> Vec<f64> {
        match self {
            Self::Value(value) => vec![*value],
            Self::Among(values) if !values.is_empty() => values.clone(),
            Self::Usual if !training.can_hold_out() => vec![fixed],
            _ => usual.to_vec(),
        }
    }
}

/// The data on which values of a setting are tried, and the samples that score them.
pub(crate) struct Search<'a> {
    setting: Setting,
    /// The data from which the filters of every value are learned.
    pub(crate) learn: Training<'a>,
    held: Vec<usize>,
    /// Whether these are all training data, so that the filters need not be learned again.
    pub(crate) on_all: bool,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        training: &Training<'a>,
        setting: Setting,
        seed: u64,
    ) -> Result<Self, ReduceError> {
        let (learn, held) = training.without_held_out(setting.name(), seed)?;
        Ok(Self { setting, learn, held, on_all: training.is_validated() })
    }

    /// Returns the held-out accuracies of the filters of one value, for every number of filters.
    fn accuracies(
        &self,
        fitted: Result<Vec<Mat<f64>>, ReduceError>,
    ) -> Result<Vec<f64>, ReduceError> {
        let judge = |filters: &Mat<f64>| self.learn.held_out_accuracy(filters.as_ref(), &self.held);
        fitted?.iter().map(judge).collect()
    }

    /// Returns the best value for every number of filters.
    ///
    /// `fitted` has one result per value, with one matrix of filters per number of filters. In case
    /// of ties, the first value is selected. Values that failed are ignored unless all failed.
    pub(crate) fn judge(
        &self,
        values: &[f64],
        counts: usize,
        fitted: impl IntoIterator<Item = Result<Vec<Mat<f64>>, ReduceError>>,
    ) -> Result<Vec<Chosen>, ReduceError> {
        let setting = self.setting;
        let mut trials: Vec<Vec<Trial>> = vec![Vec::new(); counts];
        let mut failure = None;
        for (&value, fitted) in values.iter().zip(fitted) {
            let accuracies = self.accuracies(fitted).map_err(|error| failure = Some(error)).ok();
            for (at, trials) in trials.iter_mut().enumerate() {
                let accuracy = accuracies.as_ref().map(|all| all[at]);
                trials.push(Trial { setting, value, accuracy });
            }
        }
        let best = |trials: Vec<Trial>| match (best_value(&trials), &failure) {
            (Some(value), _) => Ok(Chosen { value, trials }),
            (None, Some(error)) => Err(error.clone()),
            (None, None) => Err(ReduceError::Setting { setting, value: f64::NAN, range: "values" }),
        };
        trials.into_iter().map(best).collect()
    }
}

/// Returns the value with the highest accuracy, or the first of several.
fn best_value(trials: &[Trial]) -> Option<f64> {
    let known = trials.iter().filter(|trial| trial.accuracy.is_some());
    known
        .fold(None, |best: Option<&Trial>, trial| match best {
            Some(best) if best.accuracy >= trial.accuracy => Some(best),
            _ => Some(trial),
        })
        .map(|trial| trial.value)
}

/// Selects a value for every number of filters. `fit` returns the filters of one value, one matrix
/// per number of filters.
pub(crate) fn choose(
    training: &Training<'_>,
    setting: Setting,
    values: &[f64],
    filters: &[usize],
    seed: u64,
    mut fit: impl FnMut(&Training<'_>, f64) -> Result<Vec<Mat<f64>>, ReduceError>,
) -> Result<Vec<Chosen>, ReduceError> {
    if let [value] = values {
        return Ok(filters.iter().map(|_| Chosen::given(*value)).collect());
    }
    let search = Search::new(training, setting, seed)?;
    let fitted = values.iter().map(|&value| fit(&search.learn, value));
    search.judge(values, filters.len(), fitted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Labels;
    use crate::points::{Points, Table};

    #[test]
    fn validation_rows_choose_and_are_not_learned_from() {
        // The training rows are 0 to 7, in which both columns separate the classes. In rows 8 to
        // 11, the first column has the opposite sign.
        let sides = [-1.0, 1.0, -1.1, 1.1, -0.9, 0.9, -1.2, 1.2];
        let mut values: Vec<f64> = sides.iter().flat_map(|side| [3.0 * side, *side]).collect();
        values.extend([-1.0, 1.0, -1.1, 1.1].iter().flat_map(|side| [-3.0 * side, *side]));
        let labels = Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        let points = |rows| Points::F64(Table::row_major(&values[..2 * rows], rows, 2).unwrap());
        let own = labels.select(&(0..8).collect::<Vec<_>>());
        let statistics =
            crate::ClassStatistics::from_points(points(8), &own, crate::Estimator::Empirical)
                .unwrap();
        let samples =
            crate::reduce::Samples { points: points(12), labels: &labels, preprocessor: None };
        let training = Training::new(&statistics, samples)
            .on_rows((0..8).collect())
            .validated_on((8..12).collect());
        let column = |learn: &Training<'_>, value: f64| {
            assert_eq!(learn.rows(), (0..8).collect::<Vec<_>>());
            Ok(vec![Mat::from_fn(2, 1, |i, _| f64::from(u8::from(i == value as usize)))])
        };
        let chosen = choose(&training, Setting::Noise, &[0.0, 1.0], &[1], 0, column).unwrap();
        assert_eq!((chosen[0].value, chosen[0].accuracy()), (1.0, Some(1.0)));
        assert_eq!(chosen[0].trials[0].accuracy, Some(0.0));
    }
}

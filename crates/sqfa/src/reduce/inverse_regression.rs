//! Sliced average variance estimation and directional regression as reducers, with the same noise
//! as SQFA.

use crate::model::{FitError, InverseRegression, Noise};
use crate::optimize::Observer;

use super::closed::fit_closed;
use super::{
    Limit, ReduceError, Reducer, ReducerSettings, Reduction, Setting, Training, largest_count,
};

/// A method of inverse regression with its settings.
#[derive(Debug, Clone)]
pub(super) struct InverseReducer {
    pub(super) kind: InverseRegression,
    pub(super) settings: ReducerSettings,
}

impl InverseReducer {
    /// Returns the noises to select from; a single one if there is nothing to select.
    fn noises(&self, training: &Training<'_>) -> Vec<f64> {
        match self.settings.noise {
            Noise::Auto if !self.settings.noises.is_empty() => self.settings.noises.clone(),
            noise => vec![noise.value(training.statistics().noise_scale())],
        }
    }
}

impl Reducer for InverseReducer {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        _: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let limit = Limit::Dimension.most(training.statistics(), None);
        largest_count(self.kind.name(), filters, limit)?;
        let noises = self.noises(training);
        if let Some(&noise) = noises.iter().find(|noise| !noise.is_finite() || **noise < 0.0) {
            return Err(FitError::Noise { noise }.into());
        }
        let setting = (Setting::Noise, noises.as_slice());
        fit_closed(training, filters, setting, self.settings.seed, &|learn, noise, count| {
            Ok(self.kind.filters(learn.statistics(), noise, count)?)
        })
    }
}

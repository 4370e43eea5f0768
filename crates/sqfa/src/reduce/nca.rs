//! Neighborhood components analysis as a reducer: in principal components, on a balanced sample of
//! the classes.

use crate::optimize::Observer;

use super::samples::Nca;
use super::setting::{Parameter, Setting};
use super::space::{Task, View};
use super::{ReduceError, Reducer, ReducerSettings, Reduction, Training};

const DIMENSIONS: Parameter = Parameter::count(Setting::Dimensions, 100, "");
const PER_CLASS: Parameter = Parameter::count(Setting::PerClass, 500, "");

/// The settings that NCA uses.
pub(super) const SETTINGS: &[Parameter] = &[DIMENSIONS, PER_CLASS];

/// NCA with its settings.
#[derive(Debug, Clone)]
pub(super) struct NcaReducer {
    view: View,
}

impl NcaReducer {
    pub(super) fn new(settings: ReducerSettings) -> Self {
        let view = View::new("nca", SETTINGS, &settings);
        Self { view }
    }
}

impl Reducer for NcaReducer {
    fn name(&self) -> &str {
        self.view.method
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let per_class = [self.view.per_class as f64];
        let setting = (Setting::PerClass, per_class.as_slice());
        self.view.fit_each(
            training,
            filters,
            setting,
            observer,
            &|&Task { space, count, .. }, observer| {
                Ok(Nca::default().fit(space.points(), &space.labels, count, observer)?)
            },
        )
    }
}

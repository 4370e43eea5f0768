//! Large-margin nearest neighbors as a reducer: in principal components, on a balanced sample of
//! the classes, as in the paper's experiments.

use crate::optimize::Observer;

use super::samples::Lmnn;
use super::setting::{Parameter, Setting, Usual};
use super::space::{Task, View, whole};
use super::{Choice, ReduceError, Reducer, ReducerSettings, Reduction, Training};

/// The number of target neighbors.
const NEIGHBORS: Parameter = Parameter {
    setting: Setting::Neighbors,
    usual: Usual::Number(3.0),
    grid: &[3.0, 5.0, 9.0, 17.0],
    help: "the number of target neighbors of every sample",
};
const DIMENSIONS: Parameter = Parameter::count(Setting::Dimensions, 200, "");
const PER_CLASS: Parameter = Parameter::count(Setting::PerClass, 500, "");

/// The settings that LMNN uses.
pub(super) const SETTINGS: &[Parameter] = &[NEIGHBORS, DIMENSIONS, PER_CLASS];

/// LMNN with its settings.
#[derive(Debug, Clone)]
pub(super) struct LmnnReducer {
    neighbors: Choice,
    view: View,
}

impl LmnnReducer {
    pub(super) fn new(settings: ReducerSettings) -> Self {
        let view = View::new("lmnn", SETTINGS, &settings);
        Self { neighbors: settings.neighbors, view }
    }
}

impl Reducer for LmnnReducer {
    fn name(&self) -> &str {
        self.view.method
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let mut values = NEIGHBORS.values(&self.neighbors, 1.0, training);
        if self.neighbors == Choice::Usual {
            // A sample is not its own neighbor, and the default must suit small classes.
            let smallest = training.statistics().counts().and_then(|counts| counts.iter().min());
            let most =
                smallest.map_or(f64::INFINITY, |&count| count.saturating_sub(1).max(1) as f64);
            values.iter_mut().for_each(|value| *value = value.min(most));
        }
        let setting = (Setting::Neighbors, values.as_slice());
        self.view.fit_each(
            training,
            filters,
            setting,
            observer,
            &|&Task { space, value, count, .. }, observer| {
                let neighbors = whole(Setting::Neighbors, value)?;
                let lmnn = Lmnn { neighbors, ..Lmnn::default() };
                Ok(lmnn.fit(space.points(), &space.labels, count, observer)?)
            },
        )
    }
}

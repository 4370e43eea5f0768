//! Wasserstein discriminant analysis as a reducer: in principal components, on a balanced sample of
//! the classes, as in the paper's experiments.

use crate::optimize::Observer;

use super::samples::Wda;
use super::setting::{Parameter, Setting, Usual};
use super::space::{Task, View};
use super::{Choice, ReduceError, Reducer, ReducerSettings, Reduction, Training};

/// The default grid of Sinkhorn regularizations, relative to the mean squared distance between two
/// samples. It ranges from sharp plans, which depend on single neighbors, to plans so uniform that
/// WDA is nearly LDA. On the paper's digits, it covers the grids of the paper.
const REGULARIZATION: Parameter = Parameter {
    setting: Setting::Regularization,
    usual: Usual::Best { otherwise: 0.1 },
    grid: &[0.003, 0.01, 0.03, 0.1, 0.3],
    help: "numbers are in squared units of the preprocessed data, those of auto in multiples of the mean squared \
           distance between two samples",
};
const DIMENSIONS: Parameter = Parameter::count(Setting::Dimensions, 100, "");
const PER_CLASS: Parameter = Parameter::count(Setting::PerClass, 500, "");

/// Relative change of the loss at which the fit of a tried value stops: scoring the value needs
/// less accuracy than the final fit.
const TRIED: f64 = 1e-4;

/// The settings that WDA uses.
pub(super) const SETTINGS: &[Parameter] = &[REGULARIZATION, DIMENSIONS, PER_CLASS];

/// WDA with its settings.
#[derive(Debug, Clone)]
pub(super) struct WdaReducer {
    regularization: Choice,
    view: View,
}

impl WdaReducer {
    pub(super) fn new(settings: ReducerSettings) -> Self {
        let view = View::new("wda", SETTINGS, &settings);
        Self { regularization: settings.regularization, view }
    }
}

impl Reducer for WdaReducer {
    fn name(&self) -> &str {
        self.view.method
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let scale = 2.0 * training.statistics().total_variances().iter().sum::<f64>();
        let values = REGULARIZATION.values(&self.regularization, scale, training);
        let setting = (Setting::Regularization, values.as_slice());
        self.view.fit_each(
            training,
            filters,
            setting,
            observer,
            &|&Task { space, value, count, start, last }, observer| {
                let mut wda = Wda { regularization: value, seed: self.view.seed, ..Wda::default() };
                if !last {
                    wda.stopping.tolerance = TRIED;
                }
                Ok(wda.fit(space.points(), &space.labels, count, start, observer)?)
            },
        )
    }
}

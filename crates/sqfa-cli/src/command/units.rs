//! Whether points are measured as the training points were: features that spread far more or far less tell of other units.

use sqfa::transform::Features;
use sqfa_io::model_file::Model;

use crate::output;

/// So many times the variance, or a part of it as small, is a factor of ten in units and no accident.
const FAR: f64 = 100.0;
/// With fewer points a spread says little.
const ENOUGH: usize = 20;

/// Warns where features of new points spread unlike those of the training points.
pub(crate) fn check_units(data: &str, model: &Model, features: &Features) {
    let m = model.filters().ncols();
    let values = features.to_f64();
    let count = values.len() / m.max(1);
    if count < ENOUGH || model.record().second_moments {
        return;
    }
    for filter in 0..m {
        let own = || values.iter().skip(filter).step_by(m);
        let mean = own().sum::<f64>() / count as f64;
        let variance = own().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64;
        let known = Known::of(model, filter);
        let away = variance + (mean - known.mean).powi(2);
        let (ratio, word) = if away > FAR * known.total {
            ((away / known.total).sqrt(), "as far from the mean of the training samples as those")
        } else if variance < known.least / FAR {
            ((variance / known.least).sqrt(), "as far as the training samples of any class")
        } else {
            continue;
        };
        return output::warn(&format!(
            "{data}: along filter {} points spread {ratio:.1e} times {word}: are columns in other units than when the \
             model was fitted?",
            filter + 1
        ));
    }
}

/// The training points along one filter.
struct Known {
    mean: f64,
    /// The variance of all of them.
    total: f64,
    /// The variance within the class that spreads least.
    least: f64,
}

impl Known {
    fn of(model: &Model, filter: usize) -> Self {
        let classes = model.features();
        let weight = |class: usize| model.counts().map_or(1.0, |counts| counts[class] as f64);
        let all: f64 = (0..classes.len()).map(weight).sum();
        let average = |value: &dyn Fn(usize) -> f64| {
            (0..classes.len()).map(|class| weight(class) / all * value(class)).sum::<f64>()
        };
        let place = filter * classes.order() + filter;
        let mean = average(&|class| classes.mean(class)[filter]);
        let variance = |class: usize| classes.covariance(class)[place];
        Self {
            mean,
            total: average(&|class| variance(class) + (classes.mean(class)[filter] - mean).powi(2)),
            least: (0..classes.len()).map(variance).fold(f64::INFINITY, f64::min),
        }
    }
}

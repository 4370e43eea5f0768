//! Closed forms with one setting, which is selected on held-out samples for every number of
//! filters. The final problem is solved once for every selected value.

use std::time::Instant;

use crate::linalg::Mat;

use super::choose::{Chosen, choose};
use super::{ReduceError, Reduction, Setting, Training};

/// A function that returns nested filters for one value of the setting, one filter per column.
pub(super) type Directions<'a> =
    &'a dyn Fn(&Training<'_>, f64, usize) -> Result<Mat<f64>, ReduceError>;

/// Selects a value for every number of filters, then solves the problem for all samples.
pub(super) fn fit_closed(
    training: &Training<'_>,
    filters: &[usize],
    (setting, values): (Setting, &[f64]),
    seed: u64,
    directions: Directions<'_>,
) -> Result<Vec<Reduction>, ReduceError> {
    let began = Instant::now();
    let largest = filters.iter().copied().max().unwrap_or(0);
    let chosen = choose(training, setting, values, filters, seed, |learn, value| {
        let all = directions(learn, value, largest)?;
        Ok(filters.iter().map(|&count| all.subcols(0, count).to_owned()).collect())
    })?;
    let search_seconds = began.elapsed().as_secs_f64();
    let mut solved: Vec<(f64, Mat<f64>, f64)> = Vec::new();
    let mut results = Vec::new();
    for (Chosen { value, trials }, &count) in chosen.into_iter().zip(filters) {
        let known = solved.iter().position(|(known, ..)| *known == value);
        let at = match known {
            Some(at) => at,
            None => {
                let began = Instant::now();
                let all = directions(training, value, largest)?;
                solved.push((value, all, began.elapsed().as_secs_f64()));
                solved.len() - 1
            }
        };
        let (_, all, seconds) = &solved[at];
        let mut fitted = Reduction::closed(all.subcols(0, count).to_owned(), *seconds);
        fitted.run.search_seconds = (values.len() > 1).then_some(search_seconds);
        fitted.settings.push((setting, value));
        fitted.trials = trials;
        results.push(fitted);
    }
    Ok(results)
}

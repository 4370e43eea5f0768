//! Local Fisher discriminant analysis as a reducer.
//!
//! The method uses all samples, in their leading principal components, and one solution gives the
//! filters for every number of filters. The number of neighbors is selected on held-out samples.
//! The local scale is not selected, because one of the two scales depends on the order of the rows.

use std::time::Instant;

use crate::linalg::Mat;
use crate::optimize::Observer;

use super::choose::{Chosen, Search};
use super::samples::{LocalScale, lfda_of_each};
use super::setting::{Parameter, Setting, Usual};
use super::space::{Space, View, whole};
use super::{Choice, ReduceError, Reducer, ReducerSettings, Reduction, Training};

/// The numbers of neighbors in the default grid, as in the paper's experiments.
const NEIGHBORS: Parameter = Parameter {
    setting: Setting::Neighbors,
    usual: Usual::Best { otherwise: 5.0 },
    grid: &[3.0, 5.0, 9.0, 17.0],
    help: "the neighbor whose distance is the scale of a sample",
};
const DIMENSIONS: Parameter = Parameter::count(Setting::Dimensions, 200, "");

/// The settings that LFDA uses.
pub(super) const SETTINGS: &[Parameter] = &[
    NEIGHBORS,
    Parameter::common(Setting::LocalScale),
    DIMENSIONS,
    Parameter::common(Setting::PerClass),
];

/// LFDA with its settings.
#[derive(Debug, Clone)]
pub(super) struct LfdaReducer {
    neighbors: Choice,
    local_scale: LocalScale,
    view: View,
}

/// The filters for one number of neighbors, with the time in seconds that they took. They are
/// computed for the largest number of filters; fewer filters are the leading ones.
struct Solved {
    neighbors: f64,
    filters: Mat<f64>,
    seconds: f64,
}

/// The result of a search for the number of neighbors.
struct Searched {
    /// The best number of neighbors for every number of filters.
    chosen: Vec<Chosen>,
    /// Filters that were learned from all training samples, so that they need not be learned again.
    solved: Vec<Solved>,
    seconds: f64,
}

impl LfdaReducer {
    pub(super) fn new(settings: ReducerSettings) -> Self {
        let view = View::new("lfda", SETTINGS, &settings);
        Self { neighbors: settings.neighbors, local_scale: settings.local_scale, view }
    }

    /// Returns the filters for every number of neighbors. They apply to preprocessed samples.
    fn solve(
        &self,
        space: &Space,
        values: &[f64],
        filters: usize,
    ) -> Result<Vec<Result<Mat<f64>, ReduceError>>, ReduceError> {
        let neighborhoods: Vec<(usize, LocalScale)> = values
            .iter()
            .map(|&value| Ok((whole(Setting::Neighbors, value)?, self.local_scale)))
            .collect::<Result<_, ReduceError>>()?;
        let (points, labels) = (space.points(), &space.labels);
        let solved = lfda_of_each(points, labels, &neighborhoods, filters)?;
        Ok(solved.into_iter().map(|found| Ok(space.lift(&found?.filters))).collect())
    }

    /// Scores every number of neighbors on held-out samples. Distances are computed once for all of
    /// them.
    fn search(
        &self,
        training: &Training<'_>,
        values: &[f64],
        filters: &[usize],
    ) -> Result<Searched, ReduceError> {
        let began = Instant::now();
        let search = Search::new(training, Setting::Neighbors, self.view.seed)?;
        let largest = filters.iter().copied().max().unwrap_or(0);
        let all = self.solve(&self.view.of(&search.learn)?, values, largest)?;
        let leading = |all: &Result<Mat<f64>, ReduceError>| match all {
            Ok(all) => Ok(filters.iter().map(|&count| all.subcols(0, count).to_owned()).collect()),
            Err(error) => Err(error.clone()),
        };
        let chosen = search.judge(values, filters.len(), all.iter().map(leading))?;
        let seconds = began.elapsed().as_secs_f64();
        let share = seconds / values.len() as f64;
        let found = values.iter().zip(all).filter(|_| search.on_all);
        let solved = found.filter_map(|(&neighbors, filters)| {
            Some(Solved { neighbors, filters: filters.ok()?, seconds: share })
        });
        Ok(Searched { chosen, solved: solved.collect(), seconds })
    }
}

impl Reducer for LfdaReducer {
    fn name(&self) -> &str {
        self.view.method
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        _: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        self.view.check(training, filters)?;
        let largest = filters.iter().copied().max().unwrap_or(0);
        let values = NEIGHBORS.values(&self.neighbors, 1.0, training);
        let Searched { chosen, mut solved, seconds } = match values[..] {
            [value] => {
                let chosen = filters.iter().map(|_| Chosen::given(value)).collect();
                Searched { chosen, solved: Vec::new(), seconds: 0.0 }
            }
            _ => self.search(training, &values, filters)?,
        };
        let mut space = None;
        let mut results = Vec::new();
        for (chosen, &count) in chosen.into_iter().zip(filters) {
            let neighbors = chosen.value;
            let known = solved.iter().position(|known| known.neighbors == neighbors);
            let known = match known {
                Some(known) => known,
                None => {
                    let space = match &mut space {
                        Some(space) => space,
                        none => none.insert(self.view.of(training)?),
                    };
                    let began = Instant::now();
                    for filters in self.solve(space, &[neighbors], largest)? {
                        let (filters, seconds) = (filters?, began.elapsed().as_secs_f64());
                        solved.push(Solved { neighbors, filters, seconds });
                    }
                    solved.len() - 1
                }
            };
            let Solved { filters, seconds: own, .. } = &solved[known];
            let mut reduction = Reduction::closed(filters.subcols(0, count).to_owned(), *own);
            reduction.run.search_seconds = (values.len() > 1).then_some(seconds);
            reduction.settings.push((Setting::Neighbors, neighbors));
            let anchored = self.local_scale == LocalScale::Anchor;
            reduction.settings.push((Setting::LocalScale, f64::from(u8::from(anchored))));
            reduction.trials = chosen.trials;
            results.push(reduction);
        }
        Ok(results)
    }
}

//! Local Fisher discriminant analysis as a reducer: all points in the leading principal components, all numbers of filters from one
//! solution; the neighbourhood and what distances are measured in are chosen on held-out points.

use std::time::Instant;

use crate::linalg::Mat;
use crate::optimize::Observer;

use super::choose::{Chosen, Search};
use super::samples::{Embedding, LocalScale, lfda_of_each};
use super::setting::{Parameter, Setting, Usual};
use super::space::{Space, View, whole};
use super::{Choice, ReduceError, Reducer, ReducerSettings, Reduction, Training};

/// The neighbourhoods tried, as in the paper's experiments.
const NEIGHBORS: Parameter = Parameter {
    setting: Setting::Neighbors,
    usual: Usual::Best { otherwise: 5.0 },
    grid: &[3.0, 5.0, 9.0, 17.0],
    help: "the neighbor whose distance is the scale of a sample",
};
const DIMENSIONS: Parameter = Parameter::count(Setting::Dimensions, 200, "");

/// What it takes.
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
    local_scale: Option<LocalScale>,
    view: View,
}

/// A number of neighbours and what is measured with it.
type Neighborhood = (f64, LocalScale);

/// The largest number of filters of a neighbourhood, and the seconds they took; fewer are the leading ones.
struct Solved {
    neighborhood: Neighborhood,
    filters: Mat<f64>,
    seconds: f64,
}

/// What a search found.
struct Tried {
    /// The best number of neighbours of every scale and count.
    chosen: Vec<Vec<Chosen>>,
    /// What was learned from all training points.
    solved: Vec<Solved>,
    seconds: f64,
}

impl LfdaReducer {
    pub(super) fn new(settings: ReducerSettings) -> Self {
        let view = View::new("lfda", SETTINGS, &settings);
        Self { neighbors: settings.neighbors, local_scale: settings.local_scale, view }
    }

    /// The filters of every neighbourhood, of preprocessed points.
    fn solve(
        space: &Space,
        neighborhoods: &[Neighborhood],
        filters: usize,
    ) -> Result<Vec<Result<Mat<f64>, ReduceError>>, ReduceError> {
        let counted: Vec<(usize, LocalScale)> = neighborhoods
            .iter()
            .map(|&(value, scale)| Ok((whole(Setting::Neighbors, value)?, scale)))
            .collect::<Result<_, ReduceError>>()?;
        let (points, labels) = (space.points(), &space.labels);
        let solved = lfda_of_each(points, labels, &counted, filters, Embedding::Orthonormalized)?;
        Ok(solved.into_iter().map(|found| Ok(space.lift(&found?.filters))).collect())
    }

    /// Tries every neighbourhood on held-out points, all of them in one go.
    fn search(
        &self,
        training: &Training<'_>,
        values: &[f64],
        scales: &[LocalScale],
        filters: &[usize],
    ) -> Result<Tried, ReduceError> {
        let began = Instant::now();
        let search = Search::new(training, Setting::Neighbors, self.view.seed)?;
        let of_scale = |&scale: &LocalScale| values.iter().map(move |&value| (value, scale));
        let neighborhoods: Vec<Neighborhood> = scales.iter().flat_map(of_scale).collect();
        let largest = filters.iter().copied().max().unwrap_or(0);
        let all = Self::solve(&self.view.of(&search.learn)?, &neighborhoods, largest)?;
        let leading = |all: &Result<Mat<f64>, ReduceError>| match all {
            Ok(all) => Ok(filters.iter().map(|&count| all.subcols(0, count).to_owned()).collect()),
            Err(error) => Err(error.clone()),
        };
        let chosen = all
            .chunks(values.len())
            .map(|of_scale| search.judge(values, filters.len(), of_scale.iter().map(leading)));
        let chosen = chosen.collect::<Result<_, _>>()?;
        let seconds = began.elapsed().as_secs_f64();
        let share = seconds / neighborhoods.len() as f64;
        let found = neighborhoods.into_iter().zip(all).filter(|_| search.on_all);
        let solved = found.filter_map(|(neighborhood, filters)| {
            Some(Solved { neighborhood, filters: filters.ok()?, seconds: share })
        });
        Ok(Tried { chosen, solved: solved.collect(), seconds })
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
        let scales = match (self.local_scale, values.len()) {
            (Some(scale), _) => vec![scale],
            (None, 2..) => vec![LocalScale::Neighbor, LocalScale::Anchor],
            _ => vec![LocalScale::default()],
        };
        let Tried { chosen, mut solved, seconds } = match values[..] {
            [value] => {
                let given = filters.iter().map(|_| Chosen::given(value)).collect();
                Tried { chosen: vec![given], solved: Vec::new(), seconds: 0.0 }
            }
            _ => self.search(training, &values, &scales, filters)?,
        };
        let mut space = None;
        let mut results = Vec::new();
        for (at, &count) in filters.iter().enumerate() {
            let best = (0..scales.len()).fold(0, |best, scale| {
                let better = chosen[scale][at].accuracy() > chosen[best][at].accuracy();
                if better { scale } else { best }
            });
            let neighborhood = (chosen[best][at].value, scales[best]);
            let known = solved.iter().position(|known| known.neighborhood == neighborhood);
            let known = match known {
                Some(known) => known,
                None => {
                    let space = match &mut space {
                        Some(space) => space,
                        none => none.insert(self.view.of(training)?),
                    };
                    let began = Instant::now();
                    for filters in Self::solve(space, &[neighborhood], largest)? {
                        let (filters, seconds) = (filters?, began.elapsed().as_secs_f64());
                        solved.push(Solved { neighborhood, filters, seconds });
                    }
                    solved.len() - 1
                }
            };
            let Solved { filters, seconds: own, .. } = &solved[known];
            let mut reduction = Reduction::closed(filters.subcols(0, count).to_owned(), *own);
            reduction.search_seconds = seconds;
            reduction.settings.push((Setting::Neighbors, neighborhood.0));
            let anchored = neighborhood.1 == LocalScale::Anchor;
            reduction.settings.push((Setting::LocalScale, f64::from(u8::from(anchored))));
            reduction.trials = chosen.iter().flat_map(|of| of[at].trials.clone()).collect();
            results.push(reduction);
        }
        Ok(results)
    }
}

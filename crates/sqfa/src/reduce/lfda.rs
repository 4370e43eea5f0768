//! Local Fisher discriminant analysis as a reducer: all points in the leading principal components, all numbers of filters from one
//! solution; the neighbourhood and what distances are measured in are chosen on held-out points.

use std::time::Instant;

use crate::linalg::Mat;
use crate::optimize::{Control, Progress};

use super::choose::{Chosen, choose};
use super::samples::{Embedding, LocalScale, lfda};
use super::setting::{Parameter, Setting, Usual};
use super::space::{Space, View, whole};
use super::{Choice, ReduceError, Reducer, ReducerSettings, Reduction, Training, nested};

/// The neighbourhoods tried, as in the paper's experiments.
const NEIGHBORS: Parameter = Parameter {
    setting: Setting::Neighbors,
    usual: Usual::Best { otherwise: 5.0 },
    grid: &[3.0, 5.0, 9.0, 17.0],
    help: "the neighbour whose distance is a point's own scale",
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

impl LfdaReducer {
    pub(super) fn new(settings: ReducerSettings) -> Self {
        let view = View::new("lfda", SETTINGS, &settings);
        Self { neighbors: settings.neighbors, local_scale: settings.local_scale, view }
    }

    /// So many filters in the space's own coordinates; fewer are the leading ones.
    fn solve(
        space: &Space,
        (value, scale): (f64, LocalScale),
        filters: usize,
    ) -> Result<Mat<f64>, ReduceError> {
        let neighbors = whole(Setting::Neighbors, value)?;
        let embedding = Embedding::Orthonormalized;
        let (points, labels) = (space.points(), &space.labels);
        Ok(lfda(points, labels, neighbors, scale, filters, embedding)?.filters)
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
        _: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Reduction>, ReduceError> {
        self.view.check(training, filters)?;
        let space = self.view.of(training)?;
        let largest = filters.iter().copied().max().unwrap_or(0);
        let began = Instant::now();
        let values = NEIGHBORS.values(&self.neighbors, 1.0, training);
        let scales = match (self.local_scale, values.len()) {
            (Some(scale), _) => vec![scale],
            (None, 2..) => vec![LocalScale::Neighbor, LocalScale::Anchor],
            _ => vec![LocalScale::default()],
        };
        let mut tried: Vec<Vec<Chosen>> = Vec::new();
        for &scale in &scales {
            let (setting, seed) = (Setting::Neighbors, self.view.seed);
            tried.push(choose(training, setting, &values, filters, seed, |learn, value| {
                let space = self.view.of(learn)?;
                let all = Self::solve(&space, (value, scale), largest)?;
                let own = nested(&all, filters, 0.0);
                Ok(own.iter().map(|reduction| space.lift(&reduction.filters)).collect())
            })?);
        }
        let search_seconds = if values.len() > 1 { began.elapsed().as_secs_f64() } else { 0.0 };
        let mut results = Vec::new();
        for (at, &count) in filters.iter().enumerate() {
            let best = (0..scales.len()).fold(0, |best, scale| {
                if tried[scale][at].accuracy() > tried[best][at].accuracy() { scale } else { best }
            });
            let Chosen { value, .. } = tried[best][at];
            let began = Instant::now();
            let solved = Self::solve(&space, (value, scales[best]), count)?;
            let mut reduction =
                Reduction::closed(space.lift(&solved), began.elapsed().as_secs_f64());
            reduction.search_seconds = search_seconds;
            reduction.settings.push((Setting::Neighbors, value));
            let anchored = scales[best] == LocalScale::Anchor;
            reduction.settings.push((Setting::LocalScale, f64::from(u8::from(anchored))));
            reduction.trials = tried.iter().flat_map(|tried| tried[at].trials.clone()).collect();
            results.push(reduction);
        }
        Ok(results)
    }
}

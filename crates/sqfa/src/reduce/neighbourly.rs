//! LFDA, LMNN and WDA as reducers among others: they look at points in the leading principal components.
//!
//! Their filters are found in a space of at most a few hundred principal components and lifted back: F = V·W. LFDA sees all
//! points, LMNN and WDA a balanced choice of them, as in the paper's experiments.

use std::time::Instant;

use crate::labels::Labels;
use crate::linalg::{Mat, tall_times};
use crate::optimize::{Control, Progress};
use crate::transform::Features;

use super::choose::{Chosen, choose};
use super::registry::ReducerSettings;
use super::samples::{Embedding, Lmnn, LocalScale, SampleFit, Wda, balanced_rows, lfda};
use super::{Choice, Pca, ReduceError, Reducer, Reduction, Training, largest_count};

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Lfda,
    Lmnn,
    Wda,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Lfda => "lfda",
            Self::Lmnn => "lmnn",
            Self::Wda => "wda",
        }
    }

    /// Principal components, as in the paper's experiments on images.
    fn usual_dimensions(self) -> usize {
        match self {
            Self::Lfda | Self::Lmnn => 200,
            Self::Wda => 100,
        }
    }

    /// Points of every class.
    fn usual_per_class(self) -> usize {
        match self {
            Self::Lfda => usize::MAX,
            Self::Lmnn | Self::Wda => 500,
        }
    }
}

/// One of these methods with its settings.
#[derive(Debug, Clone)]
pub(crate) struct Neighbourly {
    pub(crate) kind: Kind,
    pub(crate) settings: ReducerSettings,
}

/// The neighbourhoods that LFDA tries, as in the paper's experiments.
const NEIGHBORS: [f64; 4] = [3.0, 5.0, 9.0, 17.0];
/// Sinkhorn regularisations that WDA tries, relative to the average squared distance of two points: from sharp plans, which
/// see single neighbours, to plans so even that WDA is nearly LDA. On the paper's digits they span its own grids.
const REGULARIZATIONS: [f64; 5] = [0.003, 0.01, 0.03, 0.1, 0.3];
/// LMNN's target neighbours.
const TARGETS: f64 = 3.0;

/// Points in principal components, and the way back.
struct Space {
    basis: Mat<f64>,
    features: Features,
    labels: Labels,
}

impl Space {
    fn new(
        training: &Training<'_>,
        what: &'static str,
        dimensions: usize,
        per_class: usize,
        seed: u64,
    ) -> Result<Self, ReduceError> {
        let samples =
            training.need_samples(what, "give points, or use pca, lda or an sqfa method")?;
        let count = dimensions.min(training.statistics().dimension());
        let basis = Pca::default().components(training, count)?;
        let rows = training.rows();
        let own = samples.labels.select(&rows);
        let chosen: Vec<usize> =
            balanced_rows(&own, per_class, seed).into_iter().map(|at| rows[at]).collect();
        let features = samples.features(&chosen, basis.as_ref());
        Ok(Self { basis, features, labels: samples.labels.select(&chosen) })
    }

    fn points(&self) -> crate::points::Points<'_> {
        self.features.as_points(self.basis.ncols())
    }

    fn lift(&self, filters: &Mat<f64>) -> Mat<f64> {
        tall_times(self.basis.as_ref(), filters.as_ref())
    }
}

impl Neighbourly {
    fn space(&self, training: &Training<'_>) -> Result<Space, ReduceError> {
        let dimensions = self.settings.dimensions.unwrap_or(self.kind.usual_dimensions());
        let per_class = self.settings.per_class.unwrap_or(self.kind.usual_per_class());
        Space::new(training, self.kind.name(), dimensions, per_class, self.settings.seed)
    }

    /// The filters of one value of the method's setting, one result a count, in the space's own coordinates.
    fn solve(
        &self,
        space: &Space,
        (value, scale): (f64, LocalScale),
        filters: &[usize],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let largest = filters.iter().copied().max().unwrap_or(0);
        if self.kind == Kind::Lfda {
            let began = Instant::now();
            let neighbors = whole("neighbors", value)?;
            let embedding = Embedding::Orthonormalized;
            let solved = lfda(space.points(), &space.labels, neighbors, scale, largest, embedding)?;
            let seconds = began.elapsed().as_secs_f64();
            return Ok(filters
                .iter()
                .map(|&count| {
                    let own = solved.filters.subcols(0, count).to_owned();
                    Reduction::closed(own, seconds)
                })
                .collect());
        }
        filters
            .iter()
            .map(|&count| {
                let began = Instant::now();
                let (points, labels) = (space.points(), &space.labels);
                let fitted = if self.kind == Kind::Wda {
                    let wda =
                        Wda { regularization: value, seed: self.settings.seed, ..Wda::default() };
                    wda.fit(points, labels, count, observer)?
                } else {
                    let lmnn = Lmnn { neighbors: whole("neighbors", value)?, ..Lmnn::default() };
                    lmnn.fit(points, labels, count, observer)?
                };
                Ok(self.account(fitted, began.elapsed().as_secs_f64()))
            })
            .collect()
    }

    fn account(&self, fitted: SampleFit, seconds: f64) -> Reduction {
        let mut reduction = Reduction::closed(fitted.filters, seconds);
        reduction.iterations = fitted.iterations;
        reduction.termination = Some(fitted.termination);
        reduction.objective = Some(fitted.loss);
        reduction.traces = vec![fitted.trace];
        if !fitted.termination.converged() {
            reduction.warnings.push(format!(
                "{} did not converge: it stopped after {} iterations ({})",
                self.kind.name(),
                fitted.iterations,
                fitted.termination.name()
            ));
        }
        reduction
    }

    /// The name of the setting and the values to choose among.
    fn values(&self, training: &Training<'_>) -> Result<(&'static str, Vec<f64>), ReduceError> {
        let statistics = training.statistics();
        Ok(match self.kind {
            Kind::Lfda => {
                ("neighbors", self.settings.neighbors.values(&NEIGHBORS, NEIGHBORS[1], training))
            }
            Kind::Lmnn => {
                let fixed = match &self.settings.neighbors {
                    Choice::Usual => Choice::Value(TARGETS),
                    other => other.clone(),
                };
                ("neighbors", fixed.values(&NEIGHBORS, TARGETS, training))
            }
            Kind::Wda => {
                let scale = 2.0 * statistics.total_variances().iter().sum::<f64>();
                let usual = REGULARIZATIONS.map(|multiple| multiple * scale);
                let fixed = usual[3];
                ("regularization", self.settings.regularization.values(&usual, fixed, training))
            }
        })
    }
}

impl Reducer for Neighbourly {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let dimensions = self.settings.dimensions.unwrap_or(self.kind.usual_dimensions());
        let (limit, why) = if dimensions < training.statistics().dimension() {
            (dimensions, "the principal components it works in")
        } else {
            (training.statistics().dimension(), "the dimension of the data")
        };
        largest_count(self.kind.name(), filters, limit, why)?;
        let space = self.space(training)?;
        // Counts are searched together where one solution serves all of them.
        let groups: Vec<Vec<usize>> = if self.kind == Kind::Lfda {
            vec![filters.to_vec()]
        } else {
            filters.iter().map(|&count| vec![count]).collect()
        };
        let mut results = Vec::new();
        for group in groups {
            let began = Instant::now();
            let (name, values) = self.values(training)?;
            let scales = match (self.kind, self.settings.local_scale, values.len()) {
                (Kind::Lfda, Some(scale), _) => vec![scale],
                (Kind::Lfda, None, 2..) => vec![LocalScale::Neighbor, LocalScale::Anchor],
                _ => vec![LocalScale::default()],
            };
            let mut tried: Vec<Vec<Chosen>> = Vec::new();
            for &scale in &scales {
                let seed = self.settings.seed;
                tried.push(choose(training, name, &values, &group, seed, |learn, value| {
                    let space = self.space(learn)?;
                    let solved = self.solve(&space, (value, scale), &group, observer)?;
                    Ok(solved.iter().map(|reduction| space.lift(&reduction.filters)).collect())
                })?);
            }
            let search_seconds = if values.len() > 1 { began.elapsed().as_secs_f64() } else { 0.0 };
            for (at, &count) in group.iter().enumerate() {
                let best = (0..scales.len()).fold(0, |best, scale| {
                    if tried[scale][at].accuracy() > tried[best][at].accuracy() {
                        scale
                    } else {
                        best
                    }
                });
                let Chosen { value, .. } = tried[best][at];
                let mut solved = self.solve(&space, (value, scales[best]), &[count], observer)?;
                let mut reduction =
                    solved.pop().ok_or(ReduceError::NoFilters { filters: count })?;
                reduction.filters = space.lift(&reduction.filters);
                reduction.search_seconds = search_seconds;
                reduction.settings.push((name, value));
                if self.kind == Kind::Lfda {
                    let anchored = scales[best] == LocalScale::Anchor;
                    reduction.settings.push(("anchored scale", f64::from(u8::from(anchored))));
                }
                reduction.trials =
                    tried.iter().flat_map(|tried| tried[at].trials.clone()).collect();
                results.push(reduction);
            }
        }
        Ok(results)
    }
}

/// A setting that must be a whole number.
fn whole(name: &'static str, value: f64) -> Result<usize, ReduceError> {
    if value.fract() == 0.0 && (1.0..=1e9).contains(&value) {
        Ok(value as usize)
    } else {
        Err(ReduceError::Setting { name, value, range: "a whole number of at least 1, or auto" })
    }
}

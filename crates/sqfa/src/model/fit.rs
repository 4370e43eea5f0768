//! Fits of SQFA models: checks, initialization, optimization and selection of the best
//! initialization.

use std::cell::Cell;
use std::ops::Range;
use std::time::Instant;

use crate::constraint::Constraint;
use crate::distance::sound_weights;
use crate::features::Gaussians;
use crate::linalg::{Mat, Real, beside, inner, orthonormalize};
use crate::objective::{Objective, OnStatistics, Restrictable};
use crate::optimize::{
    Best, Control, Observer, Optimizer, Preconditioner, Preconditioning, Progress, Termination,
    best_of, climb, climb_in_subspaces,
};
use crate::parallel;
use crate::statistics::{ClassStatistics, StatisticsError, check_several};

use super::fitted::{FittedSqfa, Restart, with_fixed_signs, with_unit_length};
use super::precision::precise_enough;
use super::recipe::{Learning, MOST_RESTARTS, Restarts, STARTED_AT_RANDOM, Sqfa, Start};
use super::{FitError, Warning, digits, starts};

impl Sqfa {
    /// Fits filters to class statistics.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings do not fit the data or if a class covariance in feature
    /// space is not positive definite. An optimization that does not converge is not an error: see
    /// [`FittedSqfa::converged`].
    ///
    /// # Examples
    ///
    /// ```
    /// use sqfa::{ClassStatistics, Estimator, Labels, Points, Sqfa, Table};
    ///
    /// // Six samples of two classes in three dimensions, row by row.
    /// let values = [
    ///     0.0, 1.0, 0.1, 0.2, 1.1, 0.0, 0.1, 0.9, 0.2, // cats
    ///     1.0, 0.1, 0.2, 1.2, 0.0, 0.1, 0.9, 0.2, 0.0, // dogs
    /// ];
    /// let labels = Labels::from_texts(&["cat", "cat", "cat", "dog", "dog", "dog"]);
    /// let points = Points::F64(Table::row_major(&values, 6, 3).expect("6 × 3 numbers"));
    /// let statistics = ClassStatistics::from_points(points, &labels, Estimator::Empirical)?;
    ///
    /// let model = Sqfa::new(2)?.fit(&statistics)?;
    /// assert_eq!((model.filters().nrows(), model.filters().ncols()), (3, 2));
    /// assert!(model.converged());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(&self, statistics: &ClassStatistics) -> Result<FittedSqfa, FitError> {
        parallel::inside(|| self.fit_observed(statistics, &mut |_| Control::Continue))
    }

    /// Fits filters to class statistics and reports the progress to an observer, which may cancel
    /// the fit.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Sqfa::fit`]. A canceled fit is not an error: it returns the
    /// filters so far.
    pub fn fit_observed(
        &self,
        statistics: &ClassStatistics,
        observer: &mut Observer<'_>,
    ) -> Result<FittedSqfa, FitError> {
        if super::span::is_cheaper(statistics) {
            match self.fit_in_span(statistics, observer) {
                Err(FitError::Statistics(StatisticsError::NoSpan { .. })) => {}
                answer => return answer,
            }
        }
        let noise = self.noise.value(statistics.noise_scale());
        self.check(statistics, noise)?;
        if let Some(answer) = self.fit_where_not_isotropic(statistics, noise, observer) {
            return answer;
        }
        self.fit_as_given(statistics, noise, observer)
    }

    /// Fits filters in all dimensions of the statistics.
    pub(super) fn fit_as_given(
        &self,
        statistics: &ClassStatistics,
        noise: f64,
        observer: &mut Observer<'_>,
    ) -> Result<FittedSqfa, FitError> {
        let began = Instant::now();
        let mut warnings = self.warnings(statistics, noise);
        let largest = starts::largest_variance(statistics);
        let single = statistics.covariances().iter().any(|covariance| covariance.is_single());
        let statistics = precise_enough(statistics, noise, largest, &mut warnings);
        let preconditioner =
            Preconditioner::new(&statistics, noise, largest, self.preconditioning_requested());
        let mut learned = self.fixed_filters()?;
        let fixed = learned.as_ref().map_or(0, |filters| filters.ncols());
        let free = self.filters - fixed;
        let groups = match self.learning {
            Learning::Joint => vec![free],
            Learning::Sequential(size) => {
                let mut groups = vec![size; free / size];
                if !free.is_multiple_of(size) {
                    groups.push(free % size);
                }
                groups
            }
        };
        let cancelled = Cell::new(false);
        let observer = &mut |progress: &Progress| {
            let control = observer(progress);
            cancelled.set(control == Control::Cancel);
            control
        };
        let (mut passes, mut evaluations) = (0, 0);
        let mut group_traces = Vec::new();
        let mut last = None;
        for (index, &size) in groups.iter().enumerate() {
            let mut group = self.fit_group(
                &statistics,
                noise,
                &preconditioner,
                learned.as_ref(),
                (index, size),
                observer,
            )?;
            passes += group.passes;
            evaluations += group.restarts.iter().map(|restart| restart.evaluations).sum::<usize>();
            let unfinished = cancelled.get() && index + 1 < groups.len();
            if unfinished {
                // The fit is canceled even if this group converged, because filters are missing.
                group.restarts[group.best].termination = Termination::Cancelled;
            }
            group_traces.push(group.restarts[group.best].trace.clone());
            learned = Some(group.filters.clone());
            last = Some(group);
            if unfinished {
                warnings.push(Warning::CancelledAfter {
                    learned: fixed + groups[..=index].iter().sum::<usize>(),
                    filters: self.filters,
                });
                break;
            }
        }
        let Some(group) = last else { return Err(FitError::NoFilters { filters: 0 }) };
        let classes = statistics.classes();
        warnings.extend(digits::lost(&group.gaussians, classes, (noise, largest), single));
        let fitted = FittedSqfa {
            filters: group.filters,
            classes: statistics.classes().clone(),
            distance: self.goal.name().to_owned(),
            constraint: self.constraint,
            noise,
            restarts: group.restarts,
            best: group.best,
            group_traces,
            passes,
            evaluations,
            seconds: began.elapsed().as_secs_f64(),
            preconditioned: preconditioner.is_active(),
            optimizer: group.optimizer,
            warnings,
        };
        Ok(fitted.with_convergence_warning())
    }

    fn fit_group(
        &self,
        statistics: &ClassStatistics,
        noise: f64,
        preconditioner: &Preconditioner,
        learned: Option<&Mat<f64>>,
        (index, size): (usize, usize),
        observer: &mut Observer<'_>,
    ) -> Result<Group, FitError> {
        let frozen = learned.map_or(0, |filters| filters.ncols());
        let (criterion, whole) = self.criterion(statistics);
        let objective =
            OnStatistics::new(statistics, criterion, self.constraint, noise, frozen + size, frozen);
        let optimizer = self.optimizer.chosen(objective.effort());
        let climb = if optimizer == Optimizer::Subspace { climb_in_subspaces } else { climb };
        let failed = |error| FitError::from_evaluation(error, statistics.classes(), noise);
        let best = best_of(
            self.restart_count(),
            objective.start_bytes(),
            observer,
            |batch, observer| -> Result<_, FitError> {
                let group = (index, size);
                let starts =
                    self.starts(statistics, noise, preconditioner, learned, group, batch)?;
                let stopping = self.stopping;
                let mut climbed =
                    climb(&objective, starts, preconditioner, stopping, observer, frozen)
                        .map_err(failed)?;
                if let Some(whole) = &whole {
                    // The objective over all pairs is reported and decides between the
                    // initializations, even if the optimization used a sample of the pairs.
                    for run in &mut climbed.runs {
                        let value = whole.value(run.point.gaussians()).map_err(failed)?;
                        run.evaluations += 1;
                        run.trace.pop();
                        run.trace.push(value);
                    }
                }
                Ok(climbed)
            },
        )?;
        let Some(Best { point, index: best, mut runs, mut passes }) = best else {
            return Err(FitError::Zero { what: "the number of initializations" });
        };
        if self.turns(size) {
            runs[0].passes += starts::TURNS;
            passes += starts::TURNS;
        }
        let gaussians = point.gaussians().clone();
        check_definite(&gaussians, noise, statistics)?;
        let mut filters = objective.filters(&point);
        if self.constraint == Constraint::Sphere {
            filters = with_unit_length(filters);
        } else if self.constraint == Constraint::Orthonormal {
            filters = orthonormalize(filters.as_ref()).ok_or(FitError::Degenerate)?;
        }
        let restarts = runs
            .into_iter()
            .map(|run| Restart {
                objective: run.end(),
                trace: run.trace,
                iterations: run.iterations,
                passes: run.passes,
                evaluations: run.evaluations,
                termination: run.termination,
            })
            .collect();
        let mut filters = with_fixed_signs(filters);
        if let Some(learned) = learned {
            // Frozen filters keep their bits and signs.
            filters.as_mut().subcols_mut(0, frozen).copy_from(learned);
        }
        Ok(Group { filters, gaussians, restarts, best, passes, optimizer })
    }

    /// Returns the preconditioning for this recipe.
    ///
    /// The total covariance is the natural metric only of distances that are invariant to linear
    /// maps. The Wasserstein distance, for example, depends on the directions of large variance,
    /// along which this metric would shorten the steps.
    fn preconditioning_requested(&self) -> Preconditioning {
        let varies = !self.goal.is_linear_invariant();
        match self.preconditioning {
            Preconditioning::Auto if varies => Preconditioning::Off,
            requested => requested,
        }
    }

    fn restart_count(&self) -> usize {
        match (self.restarts, &self.start) {
            (Restarts::Count(count), _) => count,
            (Restarts::Auto, Start::Auto | Start::Random | Start::Differences) => {
                (STARTED_AT_RANDOM / self.filters).max(1)
            }
            (Restarts::Auto, _) => 1,
        }
    }

    /// Returns whether the first of these initial filters are rotated to where the classes differ.
    fn turns(&self, filters: usize) -> bool {
        match self.start {
            Start::Auto => filters > STARTED_AT_RANDOM,
            Start::Differences => true,
            _ => false,
        }
    }

    fn starts(
        &self,
        statistics: &ClassStatistics,
        noise: f64,
        preconditioner: &Preconditioner,
        learned: Option<&Mat<f64>>,
        (index, size): (usize, usize),
        batch: Range<usize>,
    ) -> Result<Vec<Mat<f64>>, FitError> {
        let frozen = learned.map_or(0, |filters| filters.ncols());
        batch
            .map(|restart| {
                let free = match (&self.start, restart) {
                    (Start::Given(filters), 0) => filters.subcols(frozen, size).to_owned(),
                    (Start::Pca, 0) => starts::principal(statistics, frozen + size, self.seed)
                        .subcols(frozen, size)
                        .to_owned(),
                    (Start::Inverse(kind), 0) => kind
                        .filters(statistics, noise, frozen + size)?
                        .subcols(frozen, size)
                        .to_owned(),
                    _ => {
                        let stream = ((index as u64) << 32) | restart as u64;
                        let drawn = with_unit_length(starts::random(
                            statistics.dimension(),
                            size,
                            self.seed,
                            stream,
                        ));
                        if self.turns(size) && restart == 0 {
                            starts::turned(statistics, preconditioner, learned, drawn, self.seed)
                        } else if self.constraint == Constraint::Orthonormal || noise == 0.0 {
                            // In few dimensions, random filters can be nearly linearly dependent,
                            // which matters if only their span counts.
                            starts::made_independent(learned, drawn)
                        } else {
                            drawn
                        }
                    }
                };
                Ok(match learned {
                    Some(learned) => beside(&[learned.as_ref(), free.as_ref()]),
                    None => free,
                })
            })
            .collect()
    }

    /// Checks the settings and the statistics before anything is computed.
    pub(super) fn check(&self, statistics: &ClassStatistics, noise: f64) -> Result<(), FitError> {
        let (n, classes) = (statistics.dimension(), statistics.classes());
        check_several(classes)?;
        self.check_settings(n)?;
        self.check_fixed(n)?;
        if !noise.is_finite() || noise < 0.0 {
            return Err(FitError::Noise { noise });
        }
        let count = classes.len();
        if self.weights.as_ref().is_some_and(|weights| !sound_weights(weights, count)) {
            return Err(FitError::Weights { classes: count });
        }
        if noise == 0.0 {
            for (class, covariance) in statistics.covariances().iter().enumerate() {
                let name = classes.label(class).to_string();
                if let Some(counts) = statistics.counts()
                    && !statistics.is_shrunk()
                    && counts[class] <= n as u64
                {
                    return Err(FitError::RankDeficient {
                        class: name,
                        count: counts[class],
                        dimension: n,
                    });
                }
                if let Some(index) = covariance.diagonal().iter().position(|&value| value <= 0.0) {
                    return Err(FitError::ConstantDimension { class: name, index });
                }
            }
        }
        Ok(())
    }

    pub(super) fn check_settings(&self, dimension: usize) -> Result<(), FitError> {
        let filters = self.filters;
        if filters < 1 {
            return Err(FitError::NoFilters { filters });
        }
        if filters > dimension {
            return Err(FitError::TooManyFilters { filters, dimension });
        }
        match self.restarts {
            Restarts::Count(0) => {
                return Err(FitError::Zero { what: "the number of initializations" });
            }
            Restarts::Count(count) if count > MOST_RESTARTS => {
                return Err(FitError::TooManyRestarts { count, most: MOST_RESTARTS });
            }
            _ => {}
        }
        if self.learning == Learning::Sequential(0) {
            return Err(FitError::Zero { what: "the size of sequential groups" });
        }
        let tolerance = self.stopping.tolerance;
        if !tolerance.is_finite() || tolerance < 0.0 {
            return Err(FitError::Tolerance { tolerance });
        }
        if let Start::Given(start) = &self.start {
            if start.nrows() != dimension || start.ncols() != filters {
                return Err(FitError::StartShape {
                    rows: start.nrows(),
                    columns: start.ncols(),
                    dimension,
                    filters,
                });
            }
            if !inner(start.as_ref(), start.as_ref()).is_finite() {
                return Err(FitError::StartNotFinite);
            }
        }
        Ok(())
    }

    fn warnings(&self, statistics: &ClassStatistics, noise: f64) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.constraint == Constraint::None && noise > 0.0 {
            warnings.push(Warning::Unbounded);
        }
        if statistics.moments() == crate::statistics::Moments::Second
            && !self.goal.acts_on_second_moments()
        {
            let distance = self.goal.name().to_owned();
            warnings.push(Warning::SecondMomentsAsCovariances { distance });
        }
        warnings
    }
}

struct Group {
    filters: Mat<f64>,
    /// The class Gaussians in feature space, with noise.
    gaussians: Gaussians,
    restarts: Vec<Restart>,
    best: usize,
    passes: usize,
    optimizer: Optimizer,
}

impl FittedSqfa {
    fn with_convergence_warning(mut self) -> Self {
        if !self.converged() {
            let (iterations, termination) = (self.iterations(), self.termination());
            self.warnings.push(Warning::NotConverged { iterations, termination });
        }
        self
    }
}

/// Relative size below which a negative eigenvalue of a projected covariance counts as round-off.
const INDEFINITE: f64 = 1e-4;

/// Returns an error if a class covariance is positive definite only because of the noise. This
/// concerns specified covariances that are too large to be factored before the fit.
fn check_definite(
    gaussians: &Gaussians,
    noise: f64,
    statistics: &ClassStatistics,
) -> Result<(), FitError> {
    let m = gaussians.order();
    let mut vectors = vec![0.0; m * m];
    for class in 0..gaussians.len() {
        let mut matrix = gaussians.covariance(class).to_vec();
        f64::eigen(&mut matrix, &mut vectors, m);
        let values = || (0..m).map(|i| matrix[i * m + i] - noise);
        let smallest = values().fold(f64::INFINITY, f64::min);
        let largest = values().fold(0.0, f64::max);
        if smallest < -INDEFINITE * (largest + noise) {
            let class = statistics.classes().label(class).to_string();
            return Err(FitError::Indefinite { class, smallest, largest });
        }
    }
    Ok(())
}

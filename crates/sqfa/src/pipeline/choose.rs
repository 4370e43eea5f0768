//! Selection of the number of filters, the scaling and the noise on held-out folds, before the last
//! fit.
//!
//! With few columns, the class statistics of folds are merged. With many columns, folds are
//! transformed to principal components. If these explain little of the variance, they do not
//! represent the columns well. With at most [`WHOLE`] columns, the columns themselves are then
//! tried as well, and the more accurate of both is used. With more columns, per-feature scaling is
//! used, because the last fit can apply it to all of them.

use crate::optimize::Observer;
use crate::statistics::{ClassStatistics, Scaling, StatisticsError};

use super::in_memory::Arm;
use super::learn::{Found, Job};
use super::rule::{COMPONENTS, MANY, WHOLE};
use super::wide::{Kept, Seen};
use super::{Curve, Filters, Labeled, NoChoice, Parts, Pipeline, PipelineError, Plan};

/// The settings that were selected before the last fit.
pub(super) struct Choice {
    pub(super) filters: usize,
    pub(super) curve: Option<Curve>,
    pub(super) found: Option<Found>,
}

impl Choice {
    /// Returns a specified number of filters without any other selected setting.
    pub(super) fn specified(filters: usize) -> Self {
        Self { filters, curve: None, found: None }
    }
}

/// The statistics from which principal components are computed.
#[derive(Clone, Copy)]
pub(super) enum Components<'a> {
    /// The statistics of all samples.
    Known(&'a ClassStatistics),
    /// A function that computes the statistics of some rows, with one covariance per class or one
    /// for all classes.
    Of(&'a dyn Fn(Vec<usize>) -> Result<ClassStatistics, StatisticsError>),
}

impl Pipeline {
    /// Selects the number of filters, scaling and noise on folds. Also returns the statistics of
    /// all samples.
    pub(super) fn choose_on<'a>(
        &self,
        arms: &[Arm<'a>],
        repeats: &'a [Parts<'a>],
        dropped: &'a [usize],
        observer: &mut Observer<'_>,
    ) -> Result<(Job<'a>, Choice), PipelineError> {
        let Some(first) = repeats.first() else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let columns = first.data().points.columns() - dropped.len();
        let most = self.restricted_to().map_or(columns, |own| own.min(columns));
        let choice = self.choice(arms, most, observer)?;
        Ok((self.job(first, dropped)?, choice))
    }

    /// Selects a number of filters of at most `most`, and the scaling and noise for it.
    fn choice(
        &self,
        arms: &[Arm<'_>],
        most: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Choice, PipelineError> {
        let (filters, curve) = self.count(arms, most, observer)?;
        let found = self.found(arms, filters, observer)?;
        Ok(Choice { filters, curve, found })
    }

    /// Returns folds in the coordinates of principal components.
    pub(super) fn on_components(
        &self,
        data: &Labeled<'_>,
        plan: Plan,
        components: Components<'_>,
        dropped: &[usize],
    ) -> Result<Vec<Seen>, PipelineError> {
        let dealt = Parts::dealt(*data, plan, self.settings.seed);
        self.dealt_on_components(data, &dealt, plan.held, components, dropped)
    }

    /// Returns folds in the coordinates of principal components, with rows that were assigned to
    /// folds before.
    pub(super) fn dealt_on_components(
        &self,
        data: &Labeled<'_>,
        dealt: &[u16],
        held: usize,
        components: Components<'_>,
        dropped: &[usize],
    ) -> Result<Vec<Seen>, PipelineError> {
        let all = self.looks_at_samples();
        let known = match components {
            Components::Known(statistics) => Some(self.bases(data, statistics, dropped)?),
            Components::Of(_) => None,
        };
        let not_empty = |fold: &usize| dealt.iter().any(|&part| usize::from(part) == *fold);
        let numbers: Vec<usize> = (0..held).filter(not_empty).collect();
        let mut folds: Vec<Seen> = Vec::new();
        // The first fold is processed last. Its components are stored, so those of other folds need
        // not be in memory at the same time.
        for &fold in numbers.iter().rev() {
            let is_held = |row: usize| usize::from(dealt[row]) == fold;
            let bases = match (&known, components) {
                (None, Components::Of(statistics_of)) => {
                    let learned = |row: &usize| !is_held(*row) && data.weight(*row) > 0;
                    let rows = (0..dealt.len()).filter(learned).collect();
                    self.bases(data, &statistics_of(rows)?, dropped)?
                }
                (known, _) => known.clone().unwrap_or_default(),
            };
            let first = Some(&fold) == numbers.first();
            folds.push(Kept::new(data, is_held, all).seen(data, bases, first)?);
        }
        folds.reverse();
        Ok(folds)
    }

    /// Selects the number of filters, scaling and noise within principal components.
    pub(super) fn choose_on_components(
        &self,
        folds: &[Seen],
        points: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Choice, PipelineError> {
        let mut arms = self.arms_on(folds)?;
        let has_own = arms.iter().any(|arm| arm.scaling == Scaling::PerFeature);
        if has_own && self.restricted_to().is_none() && folds.iter().any(Seen::is_flat) {
            arms.retain(|arm| arm.scaling == Scaling::PerFeature);
        }
        let most = self.restricted_to().unwrap_or(COMPONENTS).min(points);
        let mut choice = self.choice(&arms, most, observer)?;
        drop(arms);
        choice.found.iter_mut().for_each(|found| found.lift(folds));
        Ok(choice)
    }

    /// Selects settings within principal components, and also on all columns if the components
    /// explain little.
    ///
    /// With many samples per column, or if the estimator needs samples, the components are those of
    /// all samples. The class statistics of all samples are then computed first and returned.
    /// Otherwise they do not exist yet.
    pub(super) fn choose_wide<'a>(
        &self,
        parts: &'a Parts<'a>,
        plan: Plan,
        dropped: &'a [usize],
        observer: &mut Observer<'_>,
    ) -> Result<(Option<Job<'a>>, Choice), PipelineError> {
        if let (true, Filters::Count(filters)) = (self.settings.fixed.is_some(), self.filters) {
            // Fixed filters may use directions outside the principal components, so they are used
            // with the default.
            return Ok((None, Choice::specified(filters)));
        }
        let data = parts.data();
        let Labeled { points, labels, weights, .. } = *data;
        let many = data.total() as usize / MANY >= points.columns();
        let estimator = self.raw_estimator();
        if self.keeps_samples(data) {
            let rows_of = |rows: Vec<usize>| {
                let rows = data.repeated(rows.into_iter());
                ClassStatistics::from_factor_rows(points, labels, &rows, estimator)
            };
            let folds = self.on_components(data, plan, Components::Of(&rows_of), dropped)?;
            return Ok((None, self.choose_on_components(&folds, data.total() as usize, observer)?));
        }
        let little = plan.held == 1 && many && !parts.spares_room(estimator);
        if little || estimator.needs_points() {
            let job = Job::new(parts, estimator, dropped, false)?;
            let known = Components::Known(&job.statistics);
            let folds = self.on_components(data, plan, known, dropped)?;
            if self.tries_columns(data, &folds, dropped) {
                let choice = self.choose_on_columns(data, plan, folds, dropped, observer)?;
                return Ok((Some(job), choice));
            }
            let mut choice = self.choose_on_components(&folds, data.total() as usize, observer)?;
            choice.found.iter_mut().for_each(|found| found.basis = found.basis_in(&folds).cloned());
            return Ok((Some(job), choice));
        }
        let pooled = |rows: Vec<usize>| {
            ClassStatistics::pooled(points, labels, weights, rows.iter().copied())
        };
        let folds = self.on_components(data, plan, Components::Of(&pooled), dropped)?;
        let choice = match self.tries_columns(data, &folds, dropped) {
            true => self.choose_on_columns(data, plan, folds, dropped, observer)?,
            false => self.choose_on_components(&folds, data.total() as usize, observer)?,
        };
        Ok((None, choice))
    }

    /// Whether candidates are scored on the columns as well, because there are at most [`WHOLE`] of
    /// them and components explain little.
    fn tries_columns(&self, data: &Labeled<'_>, folds: &[Seen], dropped: &[usize]) -> bool {
        let few = data.points.columns() - dropped.len() <= WHOLE;
        let searches = self.searches() && !self.estimator().needs_points();
        let searches = searches && self.restricted_to().is_none();
        few && searches && folds.iter().any(Seen::is_flat)
    }

    /// Selects settings on columns, and for within-class scaling within principal components as
    /// well.
    fn choose_on_columns(
        &self,
        data: &Labeled<'_>,
        plan: Plan,
        folds: Vec<Seen>,
        dropped: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Choice, PipelineError> {
        // Within-class scaling may be more accurate with fewer dimensions.
        let mut arms = self.arms_on(&folds)?;
        let (filters, curve) =
            self.count(&arms, COMPONENTS.min(data.total() as usize), observer)?;
        arms.retain(|arm| arm.scaling == Scaling::WithinClass);
        let mut inside = self.found(&arms, filters, observer)?;
        drop(arms);
        inside.iter_mut().for_each(|found| found.lift(&folds));
        drop(folds);
        let whole = [Parts::of_finite(*data, plan, self.settings.seed, false)?];
        let all = self.found(&self.arms(&whole, dropped, true), filters, observer)?;
        let found = match (all, inside) {
            (Some(all), Some(mut inside)) if inside.selection.accuracy > all.selection.accuracy => {
                inside.selection.tried.extend(all.selection.tried);
                Some(inside)
            }
            (mut all, _) => {
                all.iter_mut().for_each(|all| all.whole = true);
                all
            }
        };
        Ok(Choice { filters, curve, found })
    }
}

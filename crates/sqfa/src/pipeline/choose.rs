//! What is chosen before the last fit: the number of filters, units and noise, on points held out in turn.
//!
//! In few columns folds are sums that are merged. In many they are seen through principal components. Where these hold little of
//! the columns they are no summary: some hundred columns are then tried as such, too, and what classifies more points rightly is
//! taken; in more of them every column counts by its own deviation, which is what the last fit sees all of them by.

use crate::optimize::Observer;
use crate::statistics::{ClassStatistics, StatisticsError};

use super::learn::{Found, Job};
use super::search::Arm;
use super::space::Units;
use super::wide::{Kept, Seen};
use super::{COMPONENTS, Curve, NoChoice, Parts, Pipeline, PipelineError, Plan, Weighted};

/// Columns up to which choices are made on all of them where components are no summary: fits of every fold take some cubes of that.
const WHOLE: usize = 768;
/// Points a column from which on components hardly lean towards any of them.
const MANY: usize = 20;

/// What was chosen before the last fit.
pub(super) struct Choice {
    pub(super) filters: usize,
    pub(super) curve: Option<Curve>,
    pub(super) found: Option<Found>,
}

/// Where principal components come from.
#[derive(Clone, Copy)]
pub(super) enum Components<'a> {
    /// Statistics of all points.
    Known(&'a ClassStatistics),
    /// Statistics of some points, each with one covariance for all classes or one a class.
    Of(&'a dyn Fn(Vec<usize>) -> Result<ClassStatistics, StatisticsError>),
}

impl Pipeline {
    /// Chooses the number of filters, units and noise on parts held out in turn, and sums all of them up.
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
        let choice = self.choice(arms, first.data().points.columns() - dropped.len(), observer)?;
        Ok((Job::new(first, self.estimator(), dropped, choice.filters)?, choice))
    }

    /// The number of filters, at most so many, and units and noise for them.
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

    /// Folds on their principal components.
    pub(super) fn on_components(
        &self,
        data: &Weighted<'_>,
        plan: Plan,
        components: Components<'_>,
        dropped: &[usize],
    ) -> Result<Vec<Seen>, PipelineError> {
        let dealt = Parts::dealt(*data, plan, self.settings.seed);
        self.dealt_on_components(data, &dealt, plan.held, components, dropped)
    }

    /// The same of points that were dealt into parts.
    pub(super) fn dealt_on_components(
        &self,
        data: &Weighted<'_>,
        dealt: &[u16],
        held: usize,
        components: Components<'_>,
        dropped: &[usize],
    ) -> Result<Vec<Seen>, PipelineError> {
        let all = self.estimator().needs_points();
        let known = match components {
            Components::Known(statistics) => Some(self.bases(data, statistics, dropped)?),
            Components::Of(_) => None,
        };
        let not_empty = |fold: &usize| dealt.iter().any(|&part| usize::from(part) == *fold);
        let numbers: Vec<usize> = (0..held).filter(not_empty).collect();
        let mut folds: Vec<Seen> = Vec::new();
        // The first one last: its components stay, beside which there need be no room for those of others.
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

    /// Chooses the number of filters, units and noise on principal components.
    pub(super) fn choose_on_components(
        &self,
        folds: &[Seen],
        points: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Choice, PipelineError> {
        let mut arms = self.arms_on(folds)?;
        let has_own = arms.iter().any(|arm| arm.units == Units::PerFeature);
        if has_own && folds.iter().any(Seen::is_flat) {
            arms.retain(|arm| arm.units == Units::PerFeature);
        }
        let mut choice = self.choice(&arms, COMPONENTS.min(points), observer)?;
        drop(arms);
        choice.found.iter_mut().for_each(|found| found.lift(folds));
        Ok(choice)
    }

    /// Chooses on principal components, and on all columns where these hold little of them. Where points are many times the
    /// columns, or an estimator looks at points, components are those of all points, and classes are summed up for them; elsewhere
    /// their sums are not made yet.
    pub(super) fn choose_wide<'a>(
        &self,
        parts: &'a Parts<'a>,
        plan: Plan,
        dropped: &'a [usize],
        observer: &mut Observer<'_>,
    ) -> Result<(Option<Job<'a>>, Choice), PipelineError> {
        let data = parts.data();
        let Weighted { points, labels, weights } = *data;
        let many = points.rows() / MANY >= points.columns();
        let little = plan.held == 1 && many && !parts.spares_room(self.estimator());
        if little || self.estimator().needs_points() {
            let job = Job::new(parts, self.estimator(), dropped, 0)?;
            let known = Components::Known(&job.statistics);
            let folds = self.on_components(data, plan, known, dropped)?;
            if self.tries_columns(data, &folds, dropped) {
                let choice = self.choose_on_columns(data, plan, folds, dropped, observer)?;
                return Ok((Some(job), choice));
            }
            let mut choice = self.choose_on_components(&folds, points.rows(), observer)?;
            choice.found.iter_mut().for_each(|found| found.basis = found.basis_in(&folds).cloned());
            return Ok((Some(job), choice));
        }
        let pooled = |rows: Vec<usize>| {
            ClassStatistics::pooled(points, labels, weights, rows.iter().copied())
        };
        let folds = self.on_components(data, plan, Components::Of(&pooled), dropped)?;
        let choice = match self.tries_columns(data, &folds, dropped) {
            true => self.choose_on_columns(data, plan, folds, dropped, observer)?,
            false => self.choose_on_components(&folds, points.rows(), observer)?,
        };
        Ok((None, choice))
    }

    /// Whether choices are made on columns: they are some hundred of which components hold little.
    fn tries_columns(&self, data: &Weighted<'_>, folds: &[Seen], dropped: &[usize]) -> bool {
        let few = data.points.columns() - dropped.len() <= WHOLE;
        let searches = self.searches() && !self.estimator().needs_points();
        few && searches && folds.iter().any(Seen::is_flat)
    }

    /// Chooses on columns of which components hold little, and in units within classes on these, too.
    fn choose_on_columns(
        &self,
        data: &Weighted<'_>,
        plan: Plan,
        folds: Vec<Seen>,
        dropped: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Choice, PipelineError> {
        // What sees all columns is tried on them; units within classes may still be better off in fewer dimensions.
        let mut arms = self.arms_on(&folds)?;
        let (filters, curve) = self.count(&arms, COMPONENTS.min(data.points.rows()), observer)?;
        arms.retain(|arm| arm.units == Units::WithinClass);
        let mut inside = self.found(&arms, filters, observer)?;
        drop(arms);
        inside.iter_mut().for_each(|found| found.lift(&folds));
        drop(folds);
        let whole = [Parts::of_finite(*data, plan, self.settings.seed, false)?];
        let all = self.found(&self.arms(&whole, dropped), filters, observer)?;
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

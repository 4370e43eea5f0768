//! The fit itself: checks, sums, choices on folds, the method on all points.

use crate::model::{FitError, Start};
use crate::optimize::{Control, Progress};
use crate::reduce::reducer_entry;
use crate::statistics::ClassStatistics;

use super::learn::{Found, Job};
use super::wide::Kept;
use super::{
    COMPONENTS, Curve, Filters, Fitted, NoChoice, NoiseRule, Parts, Pipeline, PipelineError, Plan,
    SetAside, Summed, WIDE, Weighted, constant_columns,
};

impl Pipeline {
    /// Fits labelled points.
    pub fn fit(
        &self,
        data: Weighted<'_>,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        self.fit_summed(&Summed::once(data, self.settings.seed)?, observer)
    }

    /// The same of points that are summed already, by the seed of the settings.
    pub fn fit_summed(
        &self,
        sums: &Summed<'_>,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        self.check_start(sums.dimension())?;
        let aside = sums.set_aside();
        if !self.holds_out() {
            return self.fit_whole(sums.whole()?, aside, observer);
        }
        if sums.is_wide() {
            return self.fit_wide(sums.whole()?, sums.plan(), aside, observer);
        }
        self.fit_parts(sums.repeats()?, aside, observer)
    }

    /// The same of several numbers of filters; a method that finds them together is run once where nothing else is chosen.
    pub fn fit_each(
        &self,
        sums: &Summed<'_>,
        filters: &[usize],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Fitted>, PipelineError> {
        let own = |count: usize| Self { filters: Filters::Count(count), ..self.clone() };
        match filters {
            [_, _, ..] if !own(filters[0]).holds_out() => {
                for &count in filters {
                    own(count).check_start(sums.dimension())?;
                }
                let job = Job::new(sums.whole()?, self.estimator(), sums.set_aside(), 0)?;
                self.learn_each(&job, filters, observer)
            }
            _ => filters.iter().map(|&count| own(count).fit_summed(sums, observer)).collect(),
        }
    }

    /// Refuses starting filters of other columns, or of another number, before any work is done.
    pub(crate) fn check_start(&self, dimension: usize) -> Result<(), FitError> {
        if self.settings.fixed.is_some() && self.finds_noise() {
            return Err(FitError::FixedNeedsNoise);
        }
        let Start::Given(start) = &self.settings.start else { return Ok(()) };
        let (rows, columns) = (start.nrows(), start.ncols());
        let filters = match self.filters {
            Filters::Count(filters) => filters,
            Filters::Auto { .. } => columns,
        };
        if (rows, columns) == (dimension, filters) {
            return Ok(());
        }
        Err(FitError::StartShape { rows, columns, dimension, filters })
    }

    /// Whether anything is chosen on held-out points.
    fn holds_out(&self) -> bool {
        self.chooses() || self.is_refined()
    }

    /// Whether anything but a refinement is chosen on held-out points.
    pub fn chooses(&self) -> bool {
        self.searches() || matches!(self.filters, Filters::Auto { .. })
    }

    /// Whether units and noise are chosen on held-out points.
    pub(crate) fn searches(&self) -> bool {
        self.finds_noise() && self.noise == NoiseRule::Auto
    }

    /// Fits points that are already summed in parts: what is chosen is chosen on these parts, held out in turn.
    ///
    /// Several sums of the same points, each dealt by another seed, are repeats; the first one is fitted.
    pub fn fit_parts(
        &self,
        repeats: &[Parts<'_>],
        aside: &[SetAside],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        let Some(first) = repeats.first() else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let arms = self.arms(repeats, aside);
        let dimension = first.data().points.columns();
        let (filters, curve) = self.count(&arms, dimension - aside.len(), observer)?;
        let found = self.found(&arms, filters, observer)?;
        let starts = found.as_ref().map(|found| found.folds.clone());
        let job = Job::new(first, self.estimator(), aside, filters)?;
        let kept = self.is_refined().then(|| job.clone());
        let mut fitted = self.learn(job, found, observer)?;
        fitted.curve = curve;
        if let Some(job) = kept {
            self.refine(&mut fitted, &job, &arms, starts.as_deref(), observer)?;
        }
        Ok(fitted)
    }

    /// Fits points of which none is held out.
    fn fit_whole(
        &self,
        parts: &Parts<'_>,
        aside: &[SetAside],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        let Filters::Count(filters) = self.filters else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let wide = parts.data().points.columns() - aside.len() > WIDE;
        let pools = reducer_entry(self.base()).is_ok_and(|entry| entry.pools);
        if !(wide && pools && parts.spares_room(self.estimator())) {
            let job = Job::new(parts, self.estimator(), aside, filters)?;
            return self.learn(job, None, observer);
        }
        let job = Job::sparing(parts, aside, filters)?;
        let mut fitted = self.learn(job, None, observer)?;
        // The classifier behind the filters sees every class.
        (fitted.statistics, _) = parts.statistics(None, self.estimator())?;
        fitted.preprocessor.iter().for_each(|map| map.apply(&mut fitted.statistics));
        Ok(fitted)
    }

    /// Fits few points of very many columns, whose covariances are kept as samples: choices are made on principal components.
    pub fn fit_samples(
        &self,
        data: Weighted<'_>,
        statistics: ClassStatistics,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        self.check_start(statistics.dimension())?;
        if self.is_refined() || !self.holds_out() {
            return self.fit_statistics(statistics, observer);
        }
        let aside = constant_columns(data.points, data.weights);
        if aside.len() == statistics.dimension() {
            return Err(PipelineError::AllConstant { columns: statistics.dimension() });
        }
        let job = Job::of(statistics, &aside, 0);
        let plan = Plan::for_points(data.total());
        let choice = self.choose_on_components(&data, plan, &job.statistics, &aside, observer)?;
        self.learn_choice(job, choice, observer)
    }

    /// Chooses the number of filters, units and noise on principal components.
    fn choose_on_components(
        &self,
        data: &Weighted<'_>,
        plan: Plan,
        statistics: &ClassStatistics,
        aside: &[SetAside],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Choice, PipelineError> {
        let dealt = Parts::dealt(*data, plan, self.settings.seed);
        let kept = Kept::new(data, &dealt, plan, self.estimator().needs_points());
        drop(dealt);
        let views = self.views(data, &kept, statistics, aside)?;
        let arms = self.arms_on(&views, &kept, plan)?;
        let (filters, curve) = self.count(&arms, COMPONENTS.min(data.points.rows()), observer)?;
        let mut found = self.found(&arms, filters, observer)?;
        drop(arms);
        if let Some(found) = &mut found {
            found.lift(views);
        }
        Ok(Choice { filters, curve, found })
    }

    /// Fits all columns with what was chosen.
    fn learn_choice(
        &self,
        mut job: Job<'_>,
        Choice { filters, curve, found }: Choice,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        job.filters = filters;
        let mut fitted = self.learn(job, found, observer)?;
        fitted.curve = curve;
        Ok(fitted)
    }

    /// Fits points of many columns: choices are made on principal components.
    fn fit_wide(
        &self,
        parts: &Parts<'_>,
        plan: Plan,
        aside: &[SetAside],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        let (data, job) = (parts.data(), || Job::new(parts, self.estimator(), aside, 0));
        let mut fitted = if parts.spares_room(self.estimator()) {
            let pooled = parts.pooled()?;
            let choice = self.choose_on_components(data, plan, &pooled, aside, observer)?;
            drop(pooled);
            self.learn_choice(job()?, choice, observer)?
        } else {
            let job = job()?;
            let choice = self.choose_on_components(data, plan, &job.statistics, aside, observer)?;
            self.learn_choice(job, choice, observer)?
        };
        if self.is_refined() {
            self.refine_wide(&mut fitted, Some(parts), observer)?;
        }
        Ok(fitted)
    }
}

/// What was chosen on principal components.
struct Choice {
    filters: usize,
    curve: Option<Curve>,
    found: Option<Found>,
}

//! The fit itself: checks, sums, choices on folds, the method on all points.

use crate::labels::Labels;
use crate::model::{FitError, Start};
use crate::optimize::Observer;
use crate::points::ShrinkingPoints;
use crate::reduce::{ReducerEntry, Setting, reducer_entry};
use crate::statistics::{ClassStatistics, constant_columns};

use super::choose::{Choice, Components};
use super::learn::Job;
use super::{
    Filters, Fitted, NoChoice, NoiseRule, Parts, Pipeline, PipelineError, Plan, Summed, WIDE,
    Weighted,
};

impl Pipeline {
    /// Fits labelled points.
    pub fn fit(
        &self,
        data: Weighted<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        self.fit_summed(&Summed::once(data, self.settings.seed)?, observer)
    }

    /// The same of points that are given up: where filters are found from sums alone, what the method asks for is not on top of
    /// the points, and sums as large as these take their room class by class.
    pub fn fit_consuming(
        &self,
        points: impl ShrinkingPoints,
        labels: &Labels,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let data = Weighted { points: points.view(), labels, weights: None };
        if !self.forgets_points() {
            return self.fit(data, observer);
        }
        let Prepared { choice, dropped, sums } = self.prepare(data, observer)?;
        let (statistics, plain) = match sums {
            Some(made) => {
                drop(points);
                made
            }
            None => (ClassStatistics::consuming(points, labels)?, None),
        };
        self.learn_choice(Job::of(statistics, &dropped, 0).with_plain(plain), choice, observer)
    }

    /// Whether filters are found from sums alone once all is chosen.
    fn forgets_points(&self) -> bool {
        let sums_alone = |entry: ReducerEntry| {
            let chooses = entry.settings.iter().any(|own| own.setting.is_chosen());
            !entry.needs_points() && !chooses && !entry.takes(Setting::Noise)
        };
        !self.is_refined()
            && (self.finds_noise() || reducer_entry(self.base()).is_ok_and(sums_alone))
    }

    /// All that a fit which forgets its points does before it does.
    fn prepare(
        &self,
        data: Weighted<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Prepared, PipelineError> {
        let sums = Summed::once(data, self.settings.seed)?;
        self.check_start(sums.dimension())?;
        let dropped = sums.dropped();
        let (job, choice) = if !self.holds_out() {
            let (parts, filters) = (sums.whole()?, self.given_count()?);
            let early = !parts.spares_room(self.estimator());
            let job =
                early.then(|| Job::new(parts, self.estimator(), dropped, filters)).transpose()?;
            (job, Choice { filters, curve: None, found: None })
        } else if sums.is_wide() {
            let parts = sums.whole()?;
            let (job, choice) = self.choose_wide(parts, sums.plan(), dropped, observer)?;
            let early = job.is_none() && !parts.spares_room(self.estimator());
            let made = early.then(|| Job::new(parts, self.estimator(), dropped, 0)).transpose()?;
            (job.or(made), choice)
        } else {
            let repeats = sums.repeats()?;
            let arms = self.arms(repeats, dropped);
            let (job, choice) = self.choose_on(&arms, repeats, dropped, observer)?;
            (Some(job), choice)
        };
        Ok(Prepared { choice, sums: job.map(Job::into_statistics), dropped: dropped.to_vec() })
    }

    /// The same of points that are summed already, by the seed of the settings.
    pub fn fit_summed(
        &self,
        sums: &Summed<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        self.check_start(sums.dimension())?;
        let dropped = sums.dropped();
        if !self.holds_out() {
            return self.fit_whole(sums.whole()?, dropped, observer);
        }
        if sums.is_wide() {
            return self.fit_wide(sums.whole()?, sums.plan(), dropped, observer);
        }
        self.fit_parts(sums.repeats()?, dropped, observer)
    }

    /// The same of several numbers of filters; a method that finds them together is run once where nothing else is chosen.
    pub fn fit_each(
        &self,
        sums: &Summed<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Fitted>, PipelineError> {
        let own = |count: usize| Self { filters: Filters::Count(count), ..self.clone() };
        match filters {
            [_, _, ..] if !own(filters[0]).holds_out() => {
                for &count in filters {
                    own(count).check_start(sums.dimension())?;
                }
                let job = Job::new(sums.whole()?, self.estimator(), sums.dropped(), 0)?;
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
        dropped: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let arms = self.arms(repeats, dropped);
        let (job, choice) = self.choose_on(&arms, repeats, dropped, observer)?;
        let kept = self.is_refined().then(|| job.clone());
        let starts = choice.found.as_ref().map(|found| found.folds.clone());
        let mut fitted = self.learn_choice(job, choice, observer)?;
        if let Some(job) = kept {
            self.refine(&mut fitted, &job, &arms, starts.as_deref(), observer)?;
        }
        Ok(fitted)
    }

    /// The number of filters that was given.
    fn given_count(&self) -> Result<usize, PipelineError> {
        match self.filters {
            Filters::Count(filters) => Ok(filters),
            Filters::Auto { .. } => Err(PipelineError::Count { why: NoChoice::TooFewPoints }),
        }
    }

    /// Fits points of which none is held out.
    fn fit_whole(
        &self,
        parts: &Parts<'_>,
        dropped: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let filters = self.given_count()?;
        let wide = parts.data().points.columns() - dropped.len() > WIDE;
        let pools = reducer_entry(self.base()).is_ok_and(|entry| entry.pools);
        if !(wide && pools && parts.spares_room(self.estimator())) {
            let job = Job::new(parts, self.estimator(), dropped, filters)?;
            return self.learn(job, None, observer);
        }
        let job = Job::sparing(parts, dropped, filters)?;
        let mut fitted = self.learn(job, None, observer)?;
        // The classifier behind the filters sees every class.
        fitted.statistics = parts.smallest_statistics()?;
        fitted.preprocessor.iter().for_each(|map| map.apply(&mut fitted.statistics));
        Ok(fitted)
    }

    /// Fits few points of very many columns, whose covariances are kept as samples: choices are made on principal components.
    pub fn fit_samples(
        &self,
        data: Weighted<'_>,
        statistics: ClassStatistics,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        self.check_start(statistics.dimension())?;
        if self.is_refined() || !self.holds_out() {
            return self.fit_statistics(statistics, observer);
        }
        let dropped = constant_columns(data.points, data.weights);
        if dropped.len() == statistics.dimension() {
            return Err(PipelineError::AllConstant { columns: statistics.dimension() });
        }
        let job = Job::of(statistics, &dropped, 0);
        let plan = Plan::for_components(data.total());
        let rows_of = |rows: Vec<usize>| {
            let rows = match data.weights {
                Some(_) => {
                    let often = |&row: &usize| std::iter::repeat_n(row, data.weight(row) as usize);
                    rows.iter().flat_map(often).collect()
                }
                None => rows,
            };
            ClassStatistics::from_factor_rows(data.points, data.labels, &rows, self.estimator())
        };
        let components = Components::Of(&rows_of);
        let folds = self.on_components(&data, plan, components, &dropped)?;
        let choice = self.choose_on_components(&folds, data.points.rows(), observer)?;
        self.learn_choice(job, choice, observer)
    }

    /// Fits all columns with what was chosen.
    fn learn_choice(
        &self,
        mut job: Job<'_>,
        Choice { filters, curve, found }: Choice,
        observer: &mut Observer<'_>,
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
        dropped: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let (job, choice) = self.choose_wide(parts, plan, dropped, observer)?;
        let job = match job {
            Some(made) => made,
            None => Job::new(parts, self.estimator(), dropped, 0)?,
        };
        let whole = choice.found.as_ref().is_some_and(|found| found.whole);
        let mut fitted = self.learn_choice(job, choice, observer)?;
        if self.is_refined() {
            self.refine_anew(&mut fitted, Some(parts), dropped, whole, observer)?;
        }
        Ok(fitted)
    }
}

/// A fit before it forgets its points: what was chosen, the columns that are set dropped, and the statistics, plain ones beside
/// shrunk ones, unless their sums are still to be made.
struct Prepared {
    choice: Choice,
    dropped: Vec<usize>,
    sums: Option<(ClassStatistics, Option<ClassStatistics>)>,
}

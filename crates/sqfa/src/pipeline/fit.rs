//! The entry point of a fit: validates data, selects settings on held-out samples, learns filters
//! on all samples and refines them.

use crate::deal::HoldOut;
use crate::labels::Labels;
use crate::model::{FitError, Start, Warning};
use crate::optimize::Observer;
use crate::points::ShrinkingPoints;
use crate::reduce::{PcaSolver, ReduceError, Setting};
use crate::remedy::Remedy;
use crate::statistics::{ClassStatistics, Estimator, StatisticsError, check_several};

use super::choose::Choice;
use super::learn::{Job, Outcome};
use super::serial::strong_autocorrelation;
use super::{
    Data, Filters, Fitted, Labeled, NoChoice, Parts, Pipeline, PipelineError, Summed, WIDE,
};

impl Pipeline {
    /// Fits filters to training data.
    ///
    /// # Errors
    ///
    /// If the data cannot be used, or if a setting does not suit the data or the method.
    pub fn fit<'a>(
        &self,
        data: impl Into<Data<'a>>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let seed = self.settings.seed;
        match data.into() {
            Data::Samples(samples) => {
                let fitted = self.fit_samples(&Summed::once(samples, seed)?, observer)?;
                Ok(fitted.warned(self.dependence(&samples)))
            }
            Data::Shared(sums) => self.fit_samples(sums, observer),
            Data::Owned(points, labels) => {
                let warning = self.dependence(&Labeled::new(points.view(), labels));
                Ok(self.fit_owned(points, labels, observer)?.warned(warning))
            }
            Data::Statistics(statistics) => self.fit_statistics(statistics, observer),
        }
    }

    /// Fits several numbers of filters to the same samples. A method that learns them together runs
    /// only once if nothing else is selected.
    ///
    /// # Errors
    ///
    /// The same errors as [`Pipeline::fit`].
    pub fn fit_each(
        &self,
        sums: &Summed<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Fitted>, PipelineError> {
        let own = |count: usize| Self { filters: Filters::Count(count), ..self.clone() };
        if filters.len() > 1 && !self.has_noise() && !self.method.refined {
            for &count in filters {
                own(count).check(sums.dimension())?;
            }
            let job = self.job(sums.whole()?, sums.dropped())?;
            let fitted = self.learn_each(job, filters, observer)?;
            return Ok(fitted.into_iter().map(|outcome| outcome.fitted).collect());
        }
        filters.iter().map(|&count| own(count).fit_samples(sums, observer)).collect()
    }

    fn fit_samples(
        &self,
        sums: &Summed<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        self.check(sums.dimension())?;
        let dropped = sums.dropped();
        if !self.holds_out() {
            let job = self.job(sums.whole()?, dropped)?;
            return Ok(self.learn(job, self.specified_count()?, None, observer)?.fitted);
        }
        if sums.is_wide() {
            return self.fit_wide(sums, observer);
        }
        if sums.is_mostly_constant() {
            return self.fit_compact(sums, observer);
        }
        let repeats = sums.repeats()?;
        let arms = self.arms(repeats, dropped, false);
        let (job, choice) = self.choose_on(&arms, repeats, dropped, observer)?;
        if !self.method.refined {
            return self.learn_choice(job, choice, observer).map(|outcome| outcome.fitted);
        }
        let starts = choice.found.as_ref().map(|found| found.folds.clone());
        let outcome = self.learn_choice(job.clone(), choice, observer)?;
        self.refine(outcome, job, &arms, starts.as_deref(), observer)
    }

    /// Fits samples with many columns, with settings that are selected within principal components.
    fn fit_wide(
        &self,
        sums: &Summed<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let (parts, dropped) = (sums.whole()?, sums.dropped());
        let (job, choice) = self.choose_wide(parts, sums.plan(), dropped, observer)?;
        let job = match job {
            Some(made) => made,
            None => self.job(parts, dropped)?,
        };
        let whole = choice.found.as_ref().is_some_and(|found| found.whole);
        let outcome = self.learn_choice(job, choice, observer)?;
        if self.method.refined {
            return self.refine_anew(outcome, parts, dropped, whole, observer);
        }
        Ok(outcome.fitted)
    }

    /// Fits samples that may be freed. If the method needs only class statistics, the samples of a
    /// class are freed as soon as its statistics exist.
    fn fit_owned(
        &self,
        points: Box<dyn ShrinkingPoints + '_>,
        labels: &Labels,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let data = Labeled::new(points.view(), labels);
        if !self.frees_samples() || self.keeps_samples(&data) {
            return self.fit(data, observer);
        }
        let sums = Summed::once(data, self.settings.seed)?;
        self.check(sums.dimension())?;
        if self.holds_out() && sums.is_mostly_constant() {
            return self.fit_samples(&sums, observer);
        }
        let dropped = sums.dropped().to_vec();
        let (made, choice) = self.choose_before(&sums, observer)?;
        let statistics = match made {
            Some(statistics) => {
                drop(sums);
                drop(points);
                statistics
            }
            None => {
                drop(sums);
                ClassStatistics::consuming(points, labels)?
            }
        };
        Ok(self.learn_choice(Job::of(statistics, &dropped), choice, observer)?.fitted)
    }

    /// Whether the last fit needs only class statistics once all settings are selected.
    fn frees_samples(&self) -> bool {
        let entry = self.method.entry;
        let selects = entry.settings.iter().any(|own| own.setting.is_chosen());
        let needs_rows =
            self.estimator() == Estimator::LedoitWolf || self.estimator().needs_points();
        let plain_noise = entry.takes(Setting::Noise) && !self.has_noise();
        // Without samples, covariances would be treated as if no noise could be selected for them.
        let compares = self.compares_covariances();
        !(self.method.refined
            || entry.needs_points()
            || selects
            || needs_rows
            || plain_noise
            || compares)
    }

    /// Selects settings that were not specified. Also returns the class statistics of all samples
    /// if they were computed for the selection.
    fn choose_before(
        &self,
        sums: &Summed<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<(Option<ClassStatistics>, Choice), PipelineError> {
        let dropped = sums.dropped();
        if self.holds_out() && !sums.is_wide() {
            let repeats = sums.repeats()?;
            let arms = self.arms(repeats, dropped, false);
            let (job, choice) = self.choose_on(&arms, repeats, dropped, observer)?;
            return Ok((Some(job.statistics), choice));
        }
        let parts = sums.whole()?;
        let (job, choice) = match self.holds_out() {
            true => self.choose_wide(parts, sums.plan(), dropped, observer)?,
            false => (None, Choice::specified(self.specified_count()?)),
        };
        let early = job.is_none() && !parts.spares_room(self.raw_estimator());
        let made = early.then(|| Job::new(parts, self.raw_estimator(), dropped, false));
        Ok((job.or(made.transpose()?).map(|job| job.statistics), choice))
    }

    /// Fits class statistics without samples. Nothing can be held out, so settings that were not
    /// specified have their default.
    fn fit_statistics(
        &self,
        statistics: ClassStatistics,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let Filters::Count(filters) = self.filters else {
            return Err(PipelineError::Count { why: NoChoice::NoPoints });
        };
        check_several(statistics.classes())?;
        let columns = statistics.dimension();
        self.check(columns)?;
        if self.method.refined {
            let (what, remedy) = ("refinement".to_owned(), Remedy::PointsOrWithout);
            return Err(ReduceError::NeedsPoints { what, remedy }.into());
        }
        if let Some(own) = self.estimator.filter(|own| own.needs_points()) {
            return Err(StatisticsError::NeedsPoints { estimator: own.to_string() }.into());
        }
        if statistics.is_shrunk() {
            // Statistics that are already shrunk are not shrunk again.
            let estimator = Some(Estimator::Empirical);
            let recipe = Self { estimator, ..self.clone() };
            return recipe.learn_statistics(statistics, filters, observer);
        }
        self.learn_statistics(statistics, filters, observer)
    }

    fn learn_statistics(
        &self,
        statistics: ClassStatistics,
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let (columns, dropped) = (statistics.dimension(), statistics.constant_columns());
        if dropped.len() == columns {
            return Err(PipelineError::AllConstant { columns });
        }
        Ok(self.learn(Job::of(statistics, &dropped), filters, None, observer)?.fitted)
    }

    /// Checks the number and length of initial and fixed filters and the distance before any work
    /// is done.
    pub(crate) fn check(&self, dimension: usize) -> Result<(), FitError> {
        if self.settings.fixed.is_some() && self.method.refined {
            return Err(FitError::FixedRefined);
        }
        if let Some(distance) = &self.settings.distance {
            self.method.entry.check_distance(distance)?;
        }
        let count = |own: usize| match self.filters {
            Filters::Count(filters) => filters,
            Filters::Auto { .. } => own,
        };
        if let Some(fixed) = &self.settings.fixed {
            let (rows, columns) = (fixed.nrows(), fixed.ncols());
            let filters = count(columns + 1);
            if rows != dimension || columns == 0 || columns >= filters {
                return Err(FitError::FixedShape { rows, columns, dimension, filters });
            }
        }
        let Start::Given(start) = &self.settings.start else { return Ok(()) };
        let (rows, columns) = (start.nrows(), start.ncols());
        let filters = count(columns);
        if (rows, columns) == (dimension, filters) {
            return Ok(());
        }
        Err(FitError::StartShape { rows, columns, dimension, filters })
    }

    /// Returns a warning if consecutive samples depend on each other while settings are selected on
    /// held-out samples.
    fn dependence(&self, data: &Labeled<'_>) -> Option<Warning> {
        let selects = self.method.entry.settings.iter().any(|own| own.setting.is_chosen());
        if data.hold_out != HoldOut::Rows || !(selects || self.holds_out()) {
            return None;
        }
        // The fit reports a different number of labels and samples.
        data.check().ok()?;
        let correlation = strong_autocorrelation(data)?;
        Some(Warning::DependentRows { correlation })
    }

    /// Whether anything is selected on held-out samples.
    fn holds_out(&self) -> bool {
        self.chooses() || self.method.refined
    }

    /// Whether the number of filters, the scaling or the noise is selected on held-out samples.
    pub fn chooses(&self) -> bool {
        self.searches() || matches!(self.filters, Filters::Auto { .. })
    }

    /// Returns the specified number of filters.
    fn specified_count(&self) -> Result<usize, PipelineError> {
        match self.filters {
            Filters::Count(filters) => Ok(filters),
            Filters::Auto { .. } => Err(PipelineError::Count { why: NoChoice::TooFewPoints }),
        }
    }

    /// Returns the number of covariances with all entries that a fit of these samples stores in
    /// memory. Returns `None` if storing the samples instead needs less memory.
    pub fn covariances(&self, data: &Labeled<'_>) -> Option<usize> {
        let (points, classes) = (data.points, data.labels.classes().len());
        self.covariances_of(data.total(), points.columns(), classes, points.width())
    }

    /// Returns the number of covariances with all entries that a fit stores in memory, for a number
    /// of samples, columns, classes and bytes per value. Returns `None` if storing the samples
    /// instead needs less memory.
    pub fn covariances_of(
        &self,
        samples: u64,
        columns: usize,
        classes: usize,
        width: usize,
    ) -> Option<usize> {
        let (estimator, entry) = (self.raw_estimator(), self.method.entry);
        // Exact principal components need all entries, and robust estimators compute them anyway.
        if estimator.needs_points() || self.settings.solver == PcaSolver::Exact {
            return Some(classes);
        }
        entry.covariances(estimator, samples, columns, classes, width)
    }

    /// Whether covariances store the samples instead of their entries.
    pub(crate) fn keeps_samples(&self, data: &Labeled<'_>) -> bool {
        self.covariances(data).is_none()
    }

    /// Returns the statistics of all samples, in the form with the lowest cost.
    pub(crate) fn job<'a>(
        &self,
        parts: &'a Parts<'a>,
        dropped: &'a [usize],
    ) -> Result<Job<'a>, StatisticsError> {
        let estimator = self.raw_estimator();
        let wide = parts.data().points.columns() - dropped.len() > WIDE;
        let pools = self.method.entry.pools && self.estimator() == Estimator::Empirical;
        if self.keeps_samples(parts.data()) {
            return Job::new(parts, estimator, dropped, true);
        }
        // A restriction to principal components needs all covariance entries from the start.
        if wide && pools && parts.spares_room(estimator) && self.restricted_to().is_none() {
            return Job::sparing(parts, dropped);
        }
        Job::new(parts, estimator, dropped, false)
    }

    /// Learns filters on all samples with the selected settings, and records the scores of all
    /// numbers of filters.
    fn learn_choice(
        &self,
        job: Job<'_>,
        Choice { filters, curve, found }: Choice,
        observer: &mut Observer<'_>,
    ) -> Result<Outcome, PipelineError> {
        let mut outcome = self.learn(job, filters, found, observer)?;
        outcome.fitted.record.counts = curve.map(|curve| curve.points).unwrap_or_default();
        Ok(outcome)
    }
}

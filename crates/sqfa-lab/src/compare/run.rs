//! The driver: fold by fold, job by job; whatever happens in one cell, the others are run.

use std::borrow::Cow;
use std::time::Instant;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use sqfa::optimize::{Control, Progress};
use sqfa::split::{Split, SplitError, stratified_split};
use sqfa::statistics::{Preprocessor, Scaling};
use sqfa::{ClassStatistics, Estimator, Labels};

use super::cell::{self, Known};
use super::{CompareError, Facts, Job, Parts, Record, SettingRecord, Spec, memory, plan};
use sqfa_io::data::{LabeledData, Part};

/// How many classes a message lists.
const LISTED: usize = 5;

/// A comparison ready to run.
#[derive(Debug)]
pub struct Experiment<'a> {
    /// What is compared.
    pub spec: Spec,
    /// What is known of the data.
    pub facts: Facts,
    data: &'a LabeledData,
    jobs: Vec<Job>,
}

/// What an observer is told.
#[derive(Debug)]
pub enum Event<'a> {
    /// A fit begins or goes on.
    Fitting {
        /// The fit.
        job: &'a Job,
        /// Its latest iteration, if any.
        progress: Option<&'a Progress>,
        /// Cells finished before it.
        done: usize,
        /// Cells in all.
        cells: usize,
    },
    /// A record is final; it should be kept now.
    Finished {
        /// The record.
        record: &'a Record,
    },
}

/// Training and test points of one fold with what is derived from the training points alone.
pub(super) struct Fold<'a> {
    pub(super) train: Cow<'a, Part>,
    pub(super) test: Cow<'a, Part>,
    pub(super) preprocessor: Option<Preprocessor>,
    /// Of preprocessed points.
    pub(super) statistics: ClassStatistics,
    /// Seconds they took.
    pub(super) statistics_seconds: f64,
}

impl<'a> Experiment<'a> {
    /// Checks a spec against the data; `memory` is a limit in bytes, otherwise what the system has free.
    pub fn new(
        spec: Spec,
        data: &'a LabeledData,
        memory: Option<f64>,
    ) -> Result<Self, CompareError> {
        let mut spec = spec.resolved(&data.name)?;
        spec.parts = match (spec.parts, &data.test) {
            (Parts::Given, None) => Parts::Fraction(0.2),
            (parts, _) => parts,
        };
        let dimensions = data.train.points.columns();
        if let Some(&filters) = spec.filters.last()
            && filters > dimensions
        {
            return Err(CompareError::Dimensions { filters, dimensions });
        }
        if let (Parts::Given, Some(test)) = (spec.parts, &data.test) {
            check_classes(&test.labels)?;
        }
        memory::check(&spec, data, memory)?;
        let jobs = plan(&spec)?;
        Ok(Self { facts: Facts::of(data), spec, data, jobs })
    }

    /// The same comparison of which only some cells are run; others stay as they are known.
    pub fn only(mut self, methods: &[String], filters: &[usize], seeds: u64) -> Self {
        let end = self.spec.first_seed.saturating_add(seeds);
        self.jobs.retain(|job| methods.contains(&job.method) && job.seed < end);
        for job in &mut self.jobs {
            job.filters.retain(|count| filters.contains(count));
        }
        self.jobs.retain(|job| !job.filters.is_empty());
        self
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.jobs.iter().map(Job::cells).sum()
    }

    /// Runs what earlier records lack and returns all records, in the plan's order.
    ///
    /// The observer keeps every record as it comes and may cancel, which ends the run with what there is.
    pub fn run(
        &self,
        earlier: Vec<Record>,
        observer: &mut dyn FnMut(Event<'_>) -> Result<Control, CompareError>,
    ) -> Result<Vec<Record>, CompareError> {
        let mut records = earlier;
        let cells = self.cells();
        let mut current: Option<(usize, Fold<'a>)> = None;
        let (mut done, mut failure) = (0, None);
        for job in &self.jobs {
            let missing = |&m: &usize| {
                !records.iter().any(|record| record.is_cell(&job.method, m, job.seed, job.fold))
            };
            let wanted: Vec<usize> = job.filters.iter().copied().filter(missing).collect();
            let before = done + job.cells() - wanted.len();
            done += job.cells();
            if wanted.is_empty() {
                continue;
            }
            let fold = match current.take() {
                Some((index, fold)) if index == job.fold => fold,
                _ => self.fold(job.fold)?,
            };
            let job = Job { filters: wanted, ..job.clone() };
            let found = {
                let mut tell = |progress: Option<&Progress>| {
                    let event = Event::Fitting { job: &job, progress, done: before, cells };
                    observer(event).unwrap_or_else(|error| {
                        failure = Some(error);
                        Control::Cancel
                    })
                };
                if tell(None) == Control::Cancel {
                    None
                } else {
                    let known = Known {
                        spec: &self.spec,
                        settings: &|filters| chosen(&records, &job, filters, self.spec.first_seed),
                        detailed: job.seed == self.spec.first_seed && job.fold == 0,
                    };
                    cell::run(&job, &fold, &known, &mut |progress| tell(Some(progress)))
                }
            };
            if let Some(error) = failure {
                return Err(error);
            }
            current = Some((job.fold, fold));
            let Some(found) = found else { return Ok(self.ordered(records)) };
            for record in found {
                let control = observer(Event::Finished { record: &record })?;
                records.push(record);
                if control == Control::Cancel {
                    return Ok(self.ordered(records));
                }
            }
        }
        Ok(self.ordered(records))
    }

    /// The training and test points of a fold.
    fn fold(&self, index: usize) -> Result<Fold<'a>, CompareError> {
        let data = self.data;
        let (train, test) = match (self.spec.parts, &data.test) {
            (Parts::Given, Some(test)) => (Cow::Borrowed(&data.train), Cow::Borrowed(test)),
            (Parts::Folds(folds), _) => {
                let Split { learn, held } =
                    held_out_fold(&data.train.labels, folds, index, self.spec.first_seed)?;
                (Cow::Owned(select(&data.train, &learn)), Cow::Owned(select(&data.train, &held)))
            }
            (parts, _) => {
                let share = if let Parts::Fraction(share) = parts { share } else { 0.2 };
                let Split { learn, held } =
                    stratified_split(&data.train.labels, share, self.spec.first_seed)?;
                (Cow::Owned(select(&data.train, &learn)), Cow::Owned(select(&data.train, &held)))
            }
        };
        let began = Instant::now();
        let mut statistics =
            ClassStatistics::from_points(train.points.view(), &train.labels, Estimator::Empirical)?;
        let scaling: Scaling = self.spec.scale.parse().unwrap_or_default();
        let preprocessor = Preprocessor::new(&statistics, scaling, self.spec.center);
        if let Some(preprocessor) = &preprocessor {
            preprocessor.apply(&mut statistics);
        }
        let statistics_seconds = began.elapsed().as_secs_f64();
        Ok(Fold { train, test, preprocessor, statistics, statistics_seconds })
    }

    fn ordered(&self, mut records: Vec<Record>) -> Vec<Record> {
        let place = |record: &Record| {
            let at = self.spec.methods.iter().position(|method| *method == record.method);
            (record.filters, at, record.seed, record.fold)
        };
        records.sort_by_key(place);
        records
    }
}

/// What the first seed chose for this method and number of filters on this fold.
fn chosen(records: &[Record], job: &Job, filters: usize, first: u64) -> Option<Vec<SettingRecord>> {
    let record = records.iter().find(|r| r.is_cell(&job.method, filters, first, job.fold));
    Some(record?.evaluated()?.settings.clone())
}

fn check_classes(test: &Labels) -> Result<(), CompareError> {
    let counts = test.counts();
    let missing: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] == 0).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let listed: Vec<String> = missing
        .iter()
        .take(LISTED)
        .map(|&class| format!("'{}'", test.classes().label(class)))
        .collect();
    let more = if missing.len() > LISTED { ", …" } else { "" };
    Err(CompareError::MissingClasses {
        count: missing.len(),
        classes: counts.len(),
        listed: listed.join(", ") + more,
    })
}

/// One of several disjoint stratified parts that together are everything.
fn held_out_fold(
    labels: &Labels,
    folds: usize,
    index: usize,
    seed: u64,
) -> Result<Split, SplitError> {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX - 3);
    let mut rows = vec![Vec::new(); labels.classes().len()];
    for (row, &code) in labels.codes().iter().enumerate() {
        rows[code as usize].push(row);
    }
    let mut split = Split { learn: Vec::new(), held: Vec::new() };
    for (class, mut rows) in rows.into_iter().enumerate() {
        if rows.len() < folds.max(3) {
            let class = labels.classes().label(class).to_string();
            return Err(SplitError::TooFew { class, count: rows.len(), share: 1.0 / folds as f64 });
        }
        rows.shuffle(&mut generator);
        for (at, row) in rows.into_iter().enumerate() {
            // Classes begin at different folds, so that small ones do not all meet in the first.
            if (at + class) % folds == index { split.held.push(row) } else { split.learn.push(row) }
        }
    }
    split.learn.sort_unstable();
    split.held.sort_unstable();
    Ok(split)
}

fn select(part: &Part, rows: &[usize]) -> Part {
    Part { points: part.points.select(rows), labels: part.labels.select(rows) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_disjoint_stratified_and_together_everything() {
        let values: Vec<i64> = (0..100).map(|row| row % 3).collect();
        let labels = Labels::from_integers(&values);
        let mut all = Vec::new();
        for index in 0..4 {
            let split = held_out_fold(&labels, 4, index, 5).unwrap();
            assert_eq!(split.learn.len() + split.held.len(), 100);
            for class in 0..3 {
                let held = split.held.iter().filter(|&&row| values[row] == class).count();
                assert!((8..=9).contains(&held), "{held}");
            }
            all.extend(split.held);
        }
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert!(held_out_fold(&labels, 40, 0, 5).is_err());
    }
}

//! Execution of a comparison, fold by fold and job by job. A failure in one cell does not affect
//! the others.

use sqfa::Labels;
use sqfa::optimize::{Control, Progress};
use sqfa::reduce::Setting;

use super::cell::{self, Known};
use super::fold::{Fold, Folds, Training, usual_parts};
use super::spec::usual_filters;
use super::{CompareError, Facts, Job, Parts, Record, Session, Spec, memory, plan, session};
use sqfa_io::data::LabeledData;

/// The number of classes that a message lists.
const LISTED: usize = 5;

/// A comparison that is ready to run.
#[derive(Debug)]
pub struct Experiment<'a> {
    /// The specification.
    pub spec: Spec,
    /// The facts about the data.
    pub facts: Facts,
    sessions: Vec<Session<'a>>,
    jobs: Vec<Job>,
}

/// An event that is reported to the observer.
#[derive(Debug)]
pub enum Event<'a> {
    /// The start or an iteration of a fit.
    Fitting {
        /// The job.
        job: &'a Job,
        /// The latest iteration, if any.
        progress: Option<&'a Progress>,
        /// The number of cells that were finished before.
        done: usize,
        /// The number of all cells.
        cells: usize,
    },
    /// A record that is complete and should be stored.
    Finished {
        /// The record.
        record: &'a Record,
    },
}

impl<'a> Experiment<'a> {
    /// Checks a specification for a data set. `memory` is a limit in bytes, and the default is the
    /// free memory of the system.
    ///
    /// # Errors
    ///
    /// If the specification does not suit the data, or if the comparison needs more memory.
    pub fn new(
        spec: Spec,
        data: &'a LabeledData,
        memory: Option<f64>,
    ) -> Result<Self, CompareError> {
        Self::of_sessions(spec, vec![Session::of(data)], memory)
    }

    /// Checks a specification for several sessions.
    ///
    /// # Errors
    ///
    /// If the specification does not suit the data, if sessions do not match, or if the comparison
    /// needs more memory.
    pub fn of_sessions(
        spec: Spec,
        sessions: Vec<Session<'a>>,
        memory: Option<f64>,
    ) -> Result<Self, CompareError> {
        session::check(&sessions)?;
        let mut spec = spec.resolved(&sessions[0].data.name)?;
        if spec.filters.is_empty() {
            let columns = sessions.iter().map(|session| session.data.train.points.columns()).min();
            let classes = sessions[0].data.train.labels.classes().len();
            spec.filters = usual_filters(columns.unwrap_or(0), classes);
        }
        let given = sessions.iter().all(|session| session.data.test.is_some());
        spec.parts = match spec.parts {
            // The number of samples of the smallest session decides for all sessions.
            Parts::Given if !given => {
                let smallest =
                    sessions.iter().min_by_key(|session| session.data.train.labels.len());
                usual_parts(&smallest.unwrap_or(&sessions[0]).data.train.labels)
            }
            parts => parts,
        };
        for Session { data, .. } in &sessions {
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
        }
        let jobs = plan(&spec, sessions.len())?;
        Ok(Self { facts: Facts::of_sessions(&sessions), spec, sessions, jobs })
    }

    /// Restricts the comparison to some cells. The results of other cells are not changed.
    pub fn only(mut self, methods: &[String], filters: &[usize], seeds: u64) -> Self {
        let end = self.spec.first_seed.saturating_add(seeds);
        self.jobs.retain(|job| methods.contains(&job.method) && job.seed < end);
        for job in &mut self.jobs {
            job.filters.retain(|count| filters.contains(count));
        }
        self.jobs.retain(|job| !job.filters.is_empty());
        self
    }

    /// Restricts some methods to the first split of every session.
    pub fn first_split_of(mut self, methods: &[&str]) -> Self {
        self.jobs.retain(|job| job.fold == 0 || !methods.contains(&job.method.as_str()));
        self
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.jobs.iter().map(Job::cells).sum()
    }

    /// Runs all cells that are not in the earlier records. Returns all records in the order of the
    /// plan.
    ///
    /// The observer stores every record and may cancel the comparison. The records so far are then
    /// returned.
    ///
    /// # Errors
    ///
    /// If the samples cannot be divided or used, or if the observer returns an error.
    pub fn run(
        &self,
        earlier: Vec<Record>,
        observer: &mut dyn FnMut(Event<'_>) -> Result<Control, CompareError>,
    ) -> Result<Vec<Record>, CompareError> {
        let mut records = earlier;
        let cells = self.cells();
        let open = self.open(&records);
        for of_session in open.chunk_by(|(_, a), (_, b)| a.session == b.session) {
            let at = of_session[0].1.session;
            let folds = Folds::new(&self.spec, &self.sessions[at], at)?;
            for of_fold in of_session.chunk_by(|(_, a), (_, b)| a.fold == b.fold) {
                let fold = folds.fold(of_fold[0].1.fold)?;
                if !self.run_fold(&fold, of_fold, cells, &mut records, observer)? {
                    return Ok(self.ordered(records));
                }
            }
        }
        Ok(self.ordered(records))
    }

    /// Runs the jobs of one fold. Returns `false` if the observer cancels the comparison.
    fn run_fold(
        &self,
        fold: &Fold<'_>,
        jobs: &[(usize, Job)],
        cells: usize,
        records: &mut Vec<Record>,
        observer: &mut dyn FnMut(Event<'_>) -> Result<Control, CompareError>,
    ) -> Result<bool, CompareError> {
        let mut failure = None;
        let given = (!self.spec.chooses()).then(|| fold.given(&self.spec)).transpose()?;
        for of_seed in jobs.chunk_by(|(_, a), (_, b)| a.seed == b.seed) {
            let training = match &given {
                Some(given) => Training::Given(given),
                None => Training::Chosen(Box::new(fold.summed(of_seed[0].1.seed)?)),
            };
            for (done, job) in of_seed {
                let mut tell = |progress: Option<&Progress>| {
                    let event = Event::Fitting { job, progress, done: *done, cells };
                    observer(event).unwrap_or_else(|error| {
                        failure = Some(error);
                        Control::Cancel
                    })
                };
                let found = if tell(None) == Control::Cancel {
                    None
                } else {
                    let known = Known {
                        spec: &self.spec,
                        settings: &|filters| chosen(records, job, filters, self.spec.first_seed),
                        detailed: job.seed == self.spec.first_seed && job.fold == 0,
                    };
                    let mut watch = |progress: &Progress| tell(Some(progress));
                    cell::run(job, fold, &training, &known, &mut watch)
                };
                if let Some(error) = failure {
                    return Err(error);
                }
                let Some(found) = found else { return Ok(false) };
                for record in found {
                    let control = observer(Event::Finished { record: &record })?;
                    records.push(record);
                    if control == Control::Cancel {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Returns the jobs without records, each with the number of previous cells.
    fn open(&self, records: &[Record]) -> Vec<(usize, Job)> {
        let (mut open, mut done) = (Vec::new(), 0);
        for job in &self.jobs {
            let missing =
                |&m: &usize| !records.iter().any(|record| record.filters == m && record.is_of(job));
            let wanted: Vec<usize> = job.filters.iter().copied().filter(missing).collect();
            let before = done + job.cells() - wanted.len();
            done += job.cells();
            if !wanted.is_empty() {
                open.push((before, Job { filters: wanted, ..job.clone() }));
            }
        }
        open
    }

    fn ordered(&self, mut records: Vec<Record>) -> Vec<Record> {
        let place = |record: &Record| {
            let at = self.spec.methods.iter().position(|method| *method == record.method);
            (record.filters, at, record.seed, record.session, record.fold)
        };
        records.sort_by_key(place);
        records
    }
}

/// Returns the settings that the first seed selected for a method and number of filters on a fold.
fn chosen(
    records: &[Record],
    job: &Job,
    filters: usize,
    first: u64,
) -> Option<Vec<(Setting, f64)>> {
    let first = Job { seed: first, ..job.clone() };
    let record = records.iter().find(|record| record.filters == filters && record.is_of(&first));
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

//! Fits by the paper's protocols: those nobody has run yet are run and kept, one folder a comparison.

use super::{Context, Options, PaperError, Printed};
use sqfa::optimize::Control;
use sqfa::reduce::reducer_entry;
use sqfa_lab::compare::{
    Evaluated, Event, Experiment, Facts, Manifest, Outcome, Protocol, Record, Session, Spec, Store,
};

/// Methods that the paper ran on the first split of every session alone.
const FIRST_SPLIT: [&str; 2] = ["wda", "lmnn"];

/// What is known of one data set.
#[derive(Debug, Clone)]
pub struct Fits {
    /// How its fits are made.
    pub protocol: Protocol,
    /// What tables call it.
    pub title: String,
    /// What the data are.
    pub facts: Facts,
    /// The fits.
    pub records: Vec<Record>,
}

impl Fits {
    /// The results of one method with so many filters, by seed.
    pub(crate) fn of(&self, method: &str, filters: usize) -> Vec<&Evaluated> {
        let own = |r: &&Record| r.method == method && r.filters == filters;
        let mut records: Vec<&Record> = self.records.iter().filter(own).collect();
        records.sort_by_key(|record| record.seed);
        records.into_iter().filter_map(Record::evaluated).collect()
    }

    /// The numbers of filters of the protocol that any method has been run with.
    pub(crate) fn filters(&self) -> Vec<usize> {
        let run = |filters: &usize| self.records.iter().any(|record| record.filters == *filters);
        self.protocol.filters.iter().copied().filter(run).collect()
    }

    /// Training points of every class of one fit.
    pub(crate) fn learned_counts(&self) -> Vec<u64> {
        let sessions = self.facts.sessions.len().max(1) as u64;
        // Splits of recordings learn from eight tenths; elsewhere there is a test part.
        let tenths = if self.protocol.splits.is_some() { 8 } else { 10 };
        self.facts.train_counts.iter().map(|count| count * tenths / (10 * sessions)).collect()
    }

    /// How many seeds there are at most.
    pub(crate) fn seeds(&self) -> usize {
        let mut seeds: Vec<u64> = self.records.iter().map(|record| record.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        seeds.len()
    }
}

/// Cells of a comparison that an item needs.
#[derive(Debug, Clone)]
pub(crate) struct Cells {
    /// The folder of its records, below `cells`.
    pub(crate) folder: String,
    pub(crate) protocol: Protocol,
    pub(crate) spec: Spec,
    pub(crate) methods: Vec<String>,
    pub(crate) filters: Vec<usize>,
    pub(crate) seeds: u64,
    /// The only session that is looked at, where there are several.
    pub(crate) session: Option<usize>,
}

impl Cells {
    /// Some of the fits that all tables of a data set share, less what options leave out.
    pub(crate) fn shared(set: &str, options: &Options) -> Result<Self, PaperError> {
        let protocol = protocol(set)?;
        let mut own = Self::all(set.to_owned(), protocol, protocol.spec(), options);
        // SQFA on the exact distance joins the one table that has it.
        own.methods.retain(|method| in_paper(method));
        own.filters.retain(|filters| options.has_filters(*filters));
        Ok(own)
    }

    /// All cells of a comparison, less the methods and seeds that options leave out.
    pub(crate) fn all(folder: String, protocol: Protocol, spec: Spec, options: &Options) -> Self {
        let methods = spec.methods.iter().filter(|method| options.has_method(method));
        Self {
            folder,
            protocol,
            methods: methods.cloned().collect(),
            filters: spec.filters.clone(),
            seeds: spec.seeds.min(options.seeds(spec.seeds as usize) as u64),
            session: None,
            spec,
        }
    }

    /// The same of some methods alone.
    pub(crate) fn of_methods(mut self, methods: &[&str]) -> Self {
        self.methods.retain(|method| methods.contains(&method.as_str()));
        self
    }

    /// The same of the numbers of filters that a printed table has of the data set.
    pub(crate) fn printed_in(mut self, printed: &Printed) -> Self {
        let title = self.protocol.title;
        let listed = |m: usize| printed.rows.iter().any(|row| row.0 == m && row.1 == title);
        self.filters.retain(|&count| listed(count));
        self
    }

    /// The same of one number of filters alone.
    pub(crate) fn of_filters(mut self, filters: usize) -> Self {
        self.filters.retain(|count| *count == filters);
        self
    }

    /// The same of the first seed alone.
    pub(crate) fn first_seed(self) -> Self {
        Self { seeds: 1, ..self }
    }
}

/// Whether a method has a column in the paper's tables.
pub(crate) fn in_paper(method: &str) -> bool {
    reducer_entry(method).is_ok_and(|entry| entry.in_paper())
}

/// How a data set's fits are made.
pub(crate) fn protocol(set: &str) -> Result<Protocol, PaperError> {
    Protocol::named(set).ok_or_else(|| PaperError::UnknownSet(set.to_owned()))
}

impl Context<'_> {
    /// Runs the cells that are missing and returns what is known of the whole comparison.
    pub(crate) fn fits(&self, item: &str, cells: Cells) -> Result<Fits, PaperError> {
        let Cells { folder, protocol, spec, methods, filters, seeds, session } = cells;
        let set = protocol.set;
        let sessions = self.sessions(set)?;
        let sessions = match session {
            Some(one) => sessions.get(one..=one).unwrap_or(&sessions[..1]),
            None => sessions,
        };
        let work = self.begin(&format!("{item}: {set}"));
        let sessions = sessions.iter().map(Session::of).collect();
        let experiment = Experiment::of_sessions(spec, sessions, None)?;
        let manifest = Manifest {
            spec: experiment.spec.clone(),
            facts: experiment.facts.clone(),
            software: concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: format!("sqfa-paper {item}"),
        };
        let (mut store, records, broken) = Store::open(&self.cells(&folder), &manifest)?;
        broken.iter().for_each(|remark| self.warn(remark));
        let experiment = experiment.only(&methods, &filters, seeds).first_split_of(&FIRST_SPLIT);
        let records = experiment.run(records, &mut |event| {
            match event {
                Event::Fitting { job, progress, done, cells } => {
                    let (method, seed) = (&job.method, job.seed);
                    let what = format!("{item}: {done}/{cells} cells · {method} · seed {seed}");
                    work.step(&what, progress);
                }
                Event::Finished { record } => {
                    store.keep(record)?;
                    if let Outcome::Failed { error } = &record.outcome {
                        let Record { method, filters, .. } = record;
                        self.warn(&format!("{set}, {method} with {filters} filters: {error}"));
                    }
                }
            }
            Ok(if self.stopped() { Control::Cancel } else { Control::Continue })
        })?;
        self.proceed()?;
        let title = self.options.data.title(set, protocol.title);
        Ok(Fits { protocol, title, facts: manifest.facts, records })
    }

    /// The shared fits of every data set that an item needs; `choose` says which of them.
    pub(crate) fn shared_fits(
        &self,
        item: &dyn super::Item,
        choose: impl Fn(Cells) -> Cells,
    ) -> Result<Vec<Fits>, PaperError> {
        let sets = item.needs(self.options).sets;
        let name = item.about().name;
        sets.iter().map(|set| self.fits(name, choose(Cells::shared(set, self.options)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_that_options_leave() {
        let options = Options {
            methods: Some(vec!["sqfa".to_owned(), "pca".to_owned(), "sqfa-fr".to_owned()]),
            filters: Some(vec![2, 8, 99]),
            seeds: Some(3),
            ..Options::default()
        };
        let own = Cells::shared("mnist", &options).unwrap();
        assert_eq!(own.methods, ["sqfa", "pca"]);
        assert_eq!((own.filters.as_slice(), own.seeds), ([2, 8].as_slice(), 3));
        // What is asked for does not change the comparison, so that folders are shared.
        assert_eq!(own.spec, Cells::shared("mnist", &Options::default()).unwrap().spec);
        let one = own.of_methods(&["pca"]).of_filters(8).first_seed();
        assert_eq!((one.methods.len(), one.filters.len(), one.seeds), (1, 1, 1));
        assert!(Cells::shared("iris", &options).is_err());
        // More seeds than the paper has are not run.
        let many = Options { seeds: Some(99), ..Options::default() };
        assert_eq!(Cells::shared("mnist", &many).unwrap().seeds, 10);
    }
}

//! Fits that an item needs: those nobody has run yet are run and kept.

use std::path::Path;

use anyhow::Result;
use sqfa::optimize::Control;
use sqfa_io::data::LabeledData;
use sqfa_lab::compare::{Event, Experiment, Facts, Manifest, Outcome, Record, Spec, Store};
use sqfa_paper::Item;

use crate::interrupt::{Guard, asked};
use crate::output;
use crate::progress::Line;

/// A comparison and the folder of its records.
pub(super) struct Run<'a> {
    pub(super) item: &'a Item,
    /// Below `cells`.
    pub(super) folder: String,
    pub(super) spec: Spec,
}

impl Run<'_> {
    /// Runs some cells of the comparison and returns what is known of all.
    pub(super) fn cells(
        self,
        out: &Path,
        data: &LabeledData,
        methods: &[String],
        filters: &[usize],
        seeds: u64,
    ) -> Result<(Facts, Vec<Record>)> {
        let Self { item, folder, spec } = self;
        let line = Line::new(&format!("{}: {}", item.name, data.name));
        let experiment = Experiment::new(spec, data, None)?;
        let manifest = Manifest {
            spec: experiment.spec.clone(),
            facts: experiment.facts.clone(),
            software: concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: format!("sqfa paper {}", item.name),
        };
        let (mut store, records, broken) = Store::open(&out.join("cells").join(folder), &manifest)?;
        for remark in broken {
            output::warn(&remark);
        }
        let experiment = experiment.only(methods, filters, seeds);
        let guard = Guard::new();
        let records = experiment.run(records, &mut |event| {
            match event {
                Event::Fitting { job, progress, done, cells } => {
                    let what = format!(
                        "{}: {done}/{cells} cells · {} · seed {}",
                        item.name, job.method, job.seed
                    );
                    match progress {
                        Some(progress) => line.observe(&what, progress),
                        None => {
                            line.tell(&what);
                            Control::Continue
                        }
                    };
                }
                Event::Finished { record } => {
                    store.keep(record)?;
                    if let Outcome::Failed { error } = &record.outcome {
                        let (method, m) = (&record.method, record.filters);
                        let set = &data.name;
                        output::warn(&format!("{set}, {method} with {m} filters: {error}"));
                    }
                }
            }
            Ok(if asked() { Control::Cancel } else { Control::Continue })
        })?;
        drop(line);
        super::paused(&guard, out)?;
        Ok((manifest.facts, records))
    }
}

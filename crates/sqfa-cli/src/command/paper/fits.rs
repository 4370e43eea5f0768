//! Fits by the paper's protocols: those that all tables of a data set share, and those of two figures.

use std::time::Instant;

use anyhow::{Context, Result};
use sqfa::{ClassStatistics, Estimator};
use sqfa_lab::compare::Protocol;
use sqfa_paper::{Evidence, FILTER_STARTS, Item, filter_spec, sensitivity_specs};

use super::cells::Run;
use super::{Desk, EIGHT, Paper};

impl Paper {
    /// The fits of a data set that an item needs.
    pub(super) fn shared_fits(
        &self,
        item: &Item,
        desk: &Desk,
        set: &'static str,
    ) -> Result<Evidence> {
        let protocol = Protocol::named(set).context("an unknown data set")?;
        let data = desk.data(set)?;
        let (methods, filters, seeds) = self.cells(item, &protocol);
        let run = Run { item, folder: set.to_owned(), spec: protocol.spec() };
        let (facts, records) = run.cells(&desk.out, data, &methods, &filters, seeds)?;
        let mut known = Evidence { protocol, facts, records, statistics_seconds: None };
        if item.name == "training-time" && known.lacks_statistics_seconds(EIGHT) {
            let began = Instant::now();
            let (points, labels) = (data.train.points.view(), &data.train.labels);
            ClassStatistics::from_points(points, labels, Estimator::Empirical)?;
            known.statistics_seconds = Some(began.elapsed().as_secs_f64());
        }
        Ok(known)
    }

    /// The methods, numbers of filters and seeds that an item needs, less what flags leave out.
    fn cells(&self, item: &Item, protocol: &Protocol) -> (Vec<String>, Vec<usize>, u64) {
        /// The methods whose fits the Fisher–Rao table needs.
        const DISTANCES: [&str; 7] = ["sqfa", "sqfa-h", "sqfa-b", "sqfa-w", "sqfa-j", "pca", "lda"];
        /// The family over whose starts results vary.
        const FAMILY: [&str; 6] = ["sqfa", "smsqfa", "sqfa-h", "sqfa-b", "sqfa-w", "sqfa-j"];
        let spec = protocol.spec();
        let mut methods: Vec<String> = match item.name {
            "fr-distance" => DISTANCES.map(str::to_owned).to_vec(),
            "variability" => FAMILY.map(str::to_owned).to_vec(),
            "co-vs-fr" => vec!["sqfa".to_owned()],
            _ => spec.methods.iter().filter(|method| *method != "sqfa-fr").cloned().collect(),
        };
        // SQFA on the exact distance joins the table that has it.
        let more = |name: &String| item.name == "fr-distance" && name == "sqfa-fr";
        if self.args.methods.iter().flatten().any(more) {
            methods.push("sqfa-fr".to_owned());
        }
        self.retain_methods(&mut methods);
        let mut filters = spec.filters;
        if matches!(item.name, "training-time" | "co-vs-fr") {
            filters.retain(|&m| m == EIGHT);
        }
        if let Some(named) = &self.args.filters {
            filters.retain(|count| named.contains(count));
        }
        let first = matches!(item.name, "fr-distance" | "co-vs-fr");
        let seeds =
            if first { 1 } else { self.seeds(spec.seeds as usize).min(spec.seeds as usize) };
        (methods, filters, seeds as u64)
    }

    fn retain_methods(&self, methods: &mut Vec<String>) {
        if let Some(named) = &self.args.methods {
            methods.retain(|method| named.contains(method));
        }
    }

    pub(super) fn seeds(&self, usual: usize) -> usize {
        self.args.seeds.unwrap_or(usual)
    }

    /// Filters learned in pairs, for pictures; another number of starts is another folder.
    pub(super) fn filters(&self, item: &Item, desk: &Desk) -> Result<Evidence> {
        let protocol = Protocol::named("speed").context("an unknown data set")?;
        let starts = self.seeds(FILTER_STARTS);
        let spec = filter_spec(protocol.spec(), starts);
        let (mut methods, filters) = (spec.methods.clone(), spec.filters.clone());
        self.retain_methods(&mut methods);
        let run = Run { item, folder: format!("speed-filters-{starts}-starts"), spec };
        let (facts, mut records) =
            run.cells(&desk.out, desk.data("speed")?, &methods, &filters, 1)?;
        records.retain(|record| methods.contains(&record.method));
        Ok(Evidence { protocol, facts, records, statistics_seconds: None })
    }

    /// One comparison a noise.
    pub(super) fn over_noises(
        &self,
        item: &Item,
        desk: &Desk,
        set: &'static str,
    ) -> Result<(Protocol, Vec<(f64, Evidence)>)> {
        let protocol = Protocol::named(set).context("an unknown data set")?;
        let mut all = Vec::new();
        for (noise, spec) in sensitivity_specs(&protocol) {
            let (mut methods, filters) = (spec.methods.clone(), spec.filters.clone());
            self.retain_methods(&mut methods);
            let seeds = (self.seeds(spec.seeds as usize) as u64).min(spec.seeds);
            let run = Run { item, folder: format!("sensitivity-{set}/{noise}"), spec };
            let (facts, records) =
                run.cells(&desk.out, desk.data(set)?, &methods, &filters, seeds)?;
            all.push((noise, Evidence { protocol, facts, records, statistics_seconds: None }));
        }
        Ok((protocol, all))
    }
}

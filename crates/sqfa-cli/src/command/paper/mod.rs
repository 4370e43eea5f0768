//! `sqfa paper`: the paper's tables and figures by name, ours beside what is printed.

mod cells;
mod keep;
mod list;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use sqfa::{ClassStatistics, Estimator, Stopping};
use sqfa_lab::compare::{Classifier, MethodEntry, Protocol};
use sqfa_lab::data::LabeledData;
use sqfa_lab::datasets::scaling::ScalingForm;
use sqfa_lab::paper::{
    Claim, DATA_CLAIMS, DRAWN, DRAWS, DataFolder, Evidence, FILTER_STARTS, GENERAL_CLAIMS, Item,
    Kind, Memo, Needs, Problem, ScalingRow, Sheet, Verdicts, accuracy, calvo_oller_scatter,
    data_claim, figure, filter_pictures, filter_spec, fisher_rao_means, general_claim,
    scaling_problems, scaling_row, scaling_sheet, sensitivity, sensitivity_specs, training_time,
    variability, videos,
};

use self::keep::Made;
use crate::args::PaperArgs;
use crate::failure::{Paused, Usage, usage};
use crate::interrupt::{self, Guard};
use crate::output;
use crate::progress::Line;

/// Filters of the training times and of the scatter.
const EIGHT: usize = 8;
/// Starts of a claim unless told otherwise.
const CLAIM_STARTS: usize = 5;
/// Timings of which the shortest counts.
const TIMINGS: usize = 5;

/// What to make.
pub(crate) struct Paper {
    items: Vec<Item>,
    args: PaperArgs,
}

impl TryFrom<PaperArgs> for Paper {
    type Error = anyhow::Error;

    fn try_from(args: PaperArgs) -> Result<Self> {
        let mut items: Vec<Item> = Vec::new();
        for name in &args.names {
            let named = Item::named(name).map_err(|error| Usage(error.to_string()))?;
            items.extend(named);
        }
        let mut seen: Vec<&str> = Vec::new();
        items.retain(|item| {
            let new = !seen.contains(&item.name);
            seen.push(item.name);
            new
        });
        for method in args.methods.iter().flatten() {
            MethodEntry::named(method).map_err(|error| Usage(error.to_string()))?;
        }
        for set in args.sets.iter().flatten() {
            if Protocol::named(set).is_none() {
                return usage(format!("unknown data set '{set}': choose among svhn, mnist, speed"));
            }
        }
        if !items.is_empty() && args.out.is_none() {
            return usage("name a folder for what is made: --out FOLDER");
        }
        Ok(Self { items, args })
    }
}

/// Data sets that have been opened, and where results go.
struct Desk {
    out: PathBuf,
    data: HashMap<&'static str, LabeledData>,
}

impl Desk {
    fn data(&self, set: &str) -> Result<&LabeledData> {
        self.data.get(set).with_context(|| format!("{set} has not been opened"))
    }
}

impl Paper {
    /// Makes what was named, or lists the names.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let Some(out) = self.args.out.clone().filter(|_| !self.items.is_empty()) else {
            return list::list(self.args.json);
        };
        keep::check(&out)?;
        // Everything that could be missing is opened before anything is written.
        let mut desk = Desk { out, data: HashMap::new() };
        for set in self.items.iter().flat_map(|item| self.sets(item)) {
            if !desk.data.contains_key(set) {
                let _line = Line::new(&format!("reading {set}"));
                desk.data.insert(set, DataFolder(self.args.data.clone()).open(set)?);
            }
        }
        keep::claim(&desk.out)?;
        let mut failed = Vec::new();
        for item in &self.items {
            if let Some(flag) = self.left_out(item) {
                output::warn(&format!("{} is left out: {flag} leaves nothing of it", item.name));
                continue;
            }
            let kept =
                self.make(item, &desk).and_then(|made| made.keep(&desk.out, item, self.args.json));
            match kept {
                // One of several must not keep the others from being made; whoever stops the command stops all.
                Err(error) if self.items.len() > 1 && !interrupt::asked() => {
                    output::warn(&format!("{} was not made: {error:#}", item.name));
                    failed.push(item.name);
                }
                kept => kept?,
            }
        }
        match failed.as_slice() {
            [] => Ok(()),
            names => {
                bail!("{} of {} were not made: {}", names.len(), self.items.len(), names.join(", "))
            }
        }
    }

    /// The flag that leaves nothing of an item.
    fn left_out(&self, item: &Item) -> Option<&'static str> {
        if item.needs != Needs::Nothing && self.sets(item).is_empty() {
            return Some("--sets");
        }
        let eight = matches!(item.name, "training-time" | "co-vs-fr");
        let none = match &self.args.filters {
            None => false,
            Some(counts) if eight => !counts.contains(&EIGHT),
            Some(counts) => {
                scaling_problems(item.name, Some(counts)).is_some_and(|rows| rows.is_empty())
            }
        };
        none.then_some("--filters")
    }

    /// The data sets of an item, less those that flags leave out.
    ///
    /// Claims are tested on the speed videos, which need no files, and on whatever else is there.
    fn sets(&self, item: &Item) -> Vec<&'static str> {
        let mut sets: Vec<&'static str> = match item.needs {
            Needs::Nothing => Vec::new(),
            Needs::Data(sets) | Needs::Fits(sets) => sets.to_vec(),
        };
        if item.kind == Kind::Claims {
            let folder = DataFolder(self.args.data.clone());
            let named = self.args.sets.iter().flatten();
            let asked = |set: &str| named.clone().any(|name| name == set);
            let more = ["mnist", "svhn"].into_iter().filter(|set| folder.has(set) || asked(set));
            sets.extend(more);
        }
        if let Some(named) = &self.args.sets {
            sets.retain(|set| named.iter().any(|name| name == set));
        }
        sets
    }

    fn make(&self, item: &Item, desk: &Desk) -> Result<Made> {
        Ok(match item.name {
            "claims" => Made::Verdicts(self.claims(item, desk)?),
            "scaling-dimension" | "scaling-filters" => Made::Sheet(self.scaling(item, desk)?),
            "videos" => Made::Figure(videos(desk.data("speed")?)?),
            "speed-filters" => Made::Figure(filter_pictures(&self.filters(item, desk)?)?),
            "sensitivity" => {
                let mut all = Vec::new();
                for set in self.sets(item) {
                    all.push(self.over_noises(item, desk, set)?);
                }
                Made::Figure(sensitivity(&all)?)
            }
            name => match figure(name, DRAWS) {
                Some(drawn) => Made::Figure(drawn?),
                None => self.with_fits(item, desk)?,
            },
        })
    }

    /// What is made from the fits that all tables share.
    fn with_fits(&self, item: &Item, desk: &Desk) -> Result<Made> {
        let mut all = Vec::new();
        for set in self.sets(item) {
            all.push(self.shared_fits(item, desk, set)?);
        }
        if item.name == "co-vs-fr" {
            return Ok(Made::Figure(calvo_oller_scatter(&all)?));
        }
        Ok(Made::Sheet(table(item, &all)?))
    }

    fn shared_fits(&self, item: &Item, desk: &Desk, set: &'static str) -> Result<Evidence> {
        let protocol = Protocol::named(set).context("an unknown data set")?;
        let data = desk.data(set)?;
        let (methods, filters, seeds) = self.cells(item, &protocol);
        let run = cells::Run { item, folder: set.to_owned(), spec: protocol.spec() };
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

    fn seeds(&self, usual: usize) -> usize {
        self.args.seeds.unwrap_or(usual)
    }

    /// Filters learned in pairs, for pictures; another number of starts is another folder.
    fn filters(&self, item: &Item, desk: &Desk) -> Result<Evidence> {
        let protocol = Protocol::named("speed").context("an unknown data set")?;
        let starts = self.seeds(FILTER_STARTS);
        let spec = filter_spec(protocol.spec(), starts);
        let (mut methods, filters) = (spec.methods.clone(), spec.filters.clone());
        self.retain_methods(&mut methods);
        let run = cells::Run { item, folder: format!("speed-filters-{starts}-starts"), spec };
        let (facts, mut records) =
            run.cells(&desk.out, desk.data("speed")?, &methods, &filters, 1)?;
        records.retain(|record| methods.contains(&record.method));
        Ok(Evidence { protocol, facts, records, statistics_seconds: None })
    }

    /// One comparison a noise.
    fn over_noises(
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
            let run = cells::Run { item, folder: format!("sensitivity-{set}/{noise}"), spec };
            let (facts, records) =
                run.cells(&desk.out, desk.data(set)?, &methods, &filters, seeds)?;
            all.push((noise, Evidence { protocol, facts, records, statistics_seconds: None }));
        }
        Ok((protocol, all))
    }

    fn scaling(&self, item: &Item, desk: &Desk) -> Result<Sheet> {
        let sizes = match item.name {
            "scaling-dimension" => &self.args.dimensions,
            _ => &self.args.filters,
        };
        let form = if self.args.dense { ScalingForm::Dense } else { ScalingForm::LowRank };
        let problems = scaling_problems(item.name, sizes.as_deref())
            .context("its printed table cannot be read")?;
        let memo = Memo::new(&desk.out.join("cells").join(item.name));
        let mut rows: Vec<ScalingRow> = Vec::new();
        for problem in problems {
            let (n, m) = (problem.dimensions, problem.informative);
            let key = format!("n{n}-m{m}-{}", form.name());
            let settings = json!({ "spread": problem.spread, "a": problem.a, "b": problem.b, "seed": problem.seed, "drawn": DRAWN });
            if let Some(row) = memo.get(&key, &settings) {
                rows.push(row);
                continue;
            }
            let line = Line::new(&format!("{}: n = {n}, m = {m}", item.name));
            let guard = Guard::new();
            let row = scaling_row(&problem, form, Stopping::default(), DRAWN, &mut |progress| {
                line.observe(&format!("{}: n = {n}, m = {m}", item.name), progress)
            });
            drop(line);
            paused(&guard, desk)?;
            let row = row?;
            memo.keep(&key, &settings, &row)?;
            rows.push(row);
        }
        Ok(scaling_sheet(item.name, &rows)?)
    }

    fn claims(&self, item: &Item, desk: &Desk) -> Result<Verdicts> {
        let memo = Memo::new(&desk.out.join("cells/claims"));
        let starts = self.seeds(CLAIM_STARTS) as u64;
        let mut claims: Vec<Claim> = Vec::new();
        let guard = Guard::new();
        for name in GENERAL_CLAIMS {
            let settings = json!({});
            let known = memo.get(name, &settings);
            let claim = match known {
                Some(claim) => claim,
                None => general_claim(name, TIMINGS)?,
            };
            memo.keep(name, &settings, &claim)?;
            claims.push(claim);
            paused(&guard, desk)?;
        }
        for set in self.sets(item) {
            let protocol = Protocol::named(set).context("an unknown data set")?;
            let data = desk.data(set)?;
            let settings = json!({
                "starts": starts, "train": data.train.points.rows(),
                "test": data.test.as_ref().map(|test| test.points.rows()),
                "photographs": set == "speed" && self.args.data.as_ref().is_some_and(|folder| folder.join("natural/gray.npz").exists()),
            });
            let mut problem = None;
            for name in DATA_CLAIMS {
                let key = format!("{set}-{name}");
                if let Some(claim) = memo.get(&key, &settings) {
                    claims.push(claim);
                    continue;
                }
                let what = format!("claims: {name} on {set}");
                let line = Line::new(&what);
                if problem.is_none() {
                    problem = Some(Problem::new(data, &protocol)?);
                }
                let own = problem.as_ref().context("no problem")?;
                let claim =
                    data_claim(name, own, starts, &mut |progress| line.observe(&what, progress));
                drop(line);
                paused(&guard, desk)?;
                let claim = claim?;
                memo.keep(&key, &settings, &claim)?;
                claims.push(claim);
            }
        }
        Ok(Verdicts { name: item.name.to_owned(), claims })
    }
}

/// An error when the user has asked to stop.
fn paused(guard: &Guard, desk: &Desk) -> Result<()> {
    if guard.check().is_ok() {
        return Ok(());
    }
    let place = desk.out.display();
    Err(Paused(format!("interrupted; what is known is in {place}: the same command resumes"))
        .into())
}

fn table(item: &Item, all: &[Evidence]) -> Result<Sheet> {
    let [first, ..] = all else { bail!("{} needs a data set", item.name) };
    Ok(match item.name {
        "variability" => variability(all)?,
        "training-time" => training_time(all)?,
        "fr-distance" => fisher_rao_means(all)?,
        name if name.starts_with("knn") => accuracy(first, Classifier::Knn)?,
        _ => accuracy(first, Classifier::Qda)?,
    })
}

#[cfg(test)]
mod tests {
    use sqfa_lab::paper::ITEMS;

    use super::*;

    #[test]
    fn every_name_is_made_by_something() {
        for item in ITEMS {
            let drawn = figure(item.name, 1).is_some();
            let scaled = scaling_problems(item.name, None).is_some();
            let own = ["claims", "videos", "speed-filters", "sensitivity"].contains(&item.name);
            let fits = matches!(item.needs, Needs::Fits(_));
            let makers = [drawn, scaled, own, fits].into_iter().filter(|made| *made).count();
            assert_eq!(makers, 1, "{}", item.name);
        }
    }
}

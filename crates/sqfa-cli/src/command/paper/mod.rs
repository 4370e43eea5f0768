//! `sqfa paper`: the paper's tables and figures by name, ours beside what is printed.

mod cells;
mod experiments;
mod fits;
mod keep;
mod list;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sqfa_io::data::LabeledData;
use sqfa_lab::compare::{Classifier, MethodEntry, Protocol};
use sqfa_paper::{
    DRAWS, DataFolder, Evidence, Item, Kind, Needs, Sheet, accuracy, calvo_oller_scatter, figure,
    filter_pictures, fisher_rao_means, scaling_problems, sensitivity, training_time, variability,
    videos,
};

use self::keep::Made;
use crate::args::PaperArgs;
use crate::failure::{Paused, Usage, usage};
use crate::interrupt::{self, Guard};
use crate::output;
use crate::progress::Line;

/// Filters of the training times and of the scatter.
const EIGHT: usize = 8;

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
        let flags: Option<Vec<&str>> = self.items.iter().map(|item| self.left_out(item)).collect();
        if let Some([flag, ..]) = flags.as_deref() {
            let names: Vec<&str> = self.items.iter().map(|item| item.name).collect();
            return usage(format!("{flag} leaves nothing of {}", names.join(", ")));
        }
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
}

/// An error when the user has asked to stop.
fn paused(guard: &Guard, out: &Path) -> Result<()> {
    if guard.check().is_ok() {
        return Ok(());
    }
    let place = out.display();
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
    use sqfa_paper::ITEMS;

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

//! `sqfa paper`: the paper's tables and figures by name, ours beside what is printed.

mod list;
mod watch;

use anyhow::{Result, bail};
use sqfa_paper::{Context, DataFolder, Item, Options, PaperError, named};

use self::watch::Terminal;
use crate::args::PaperArgs;
use crate::failure::{Paused, Usage, usage};
use crate::interrupt;
use crate::output;

/// What to make.
pub(crate) struct Paper {
    items: Vec<&'static dyn Item>,
    options: Options,
    args: PaperArgs,
}

impl TryFrom<PaperArgs> for Paper {
    type Error = anyhow::Error;

    fn try_from(mut args: PaperArgs) -> Result<Self> {
        let wrong = |error: PaperError| Usage(error.to_string());
        let mut items: Vec<&'static dyn Item> = Vec::new();
        for name in &args.names {
            for item in named(name).map_err(wrong)? {
                if items.iter().all(|known| known.about() != item.about()) {
                    items.push(item);
                }
            }
        }
        let options = Options {
            data: DataFolder(args.data.take()),
            sets: args.sets.take(),
            methods: args.methods.take(),
            filters: args.filters.take(),
            seeds: args.seeds,
            dimensions: args.dimensions.take(),
            dense: args.dense,
        };
        options.check().map_err(wrong)?;
        if !items.is_empty() && args.out.is_none() {
            return usage("name a folder for what is made: --out FOLDER");
        }
        Ok(Self { items, options, args })
    }
}

impl Paper {
    /// Makes what was named, or lists the names.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let Some(out) = self.args.out.as_ref().filter(|_| !self.items.is_empty()) else {
            return list::list(self.args.json);
        };
        let emptied_by = |item: &&dyn Item| item.needs(&self.options).emptied_by;
        let flags: Option<Vec<&str>> = self.items.iter().map(emptied_by).collect();
        if let Some([flag, ..]) = flags.as_deref() {
            let names: Vec<&str> = self.items.iter().map(|item| item.about().name).collect();
            return usage(format!("{flag} leaves nothing of {}", names.join(", ")));
        }
        let context = Context::open(&self.items, &self.options, out, &Terminal)?;
        let mut failed = Vec::new();
        for item in &self.items {
            let name = item.about().name;
            if let Some(flag) = emptied_by(item) {
                output::warn(&format!("{name} is left out: {flag} leaves nothing of it"));
                continue;
            }
            match self.make(*item, &context) {
                // One of several must not keep the others from being made; whoever stops the command stops all.
                Err(error) if self.items.len() > 1 && !interrupt::asked() => {
                    output::warn(&format!("{name} was not made: {error:#}"));
                    failed.push(name);
                }
                made => made?,
            }
        }
        match failed.as_slice() {
            [] => Ok(()),
            names => {
                bail!("{} of {} were not made: {}", names.len(), self.items.len(), names.join(", "))
            }
        }
    }

    fn make(&self, item: &dyn Item, context: &Context<'_>) -> Result<()> {
        let made = context.make(item).map_err(|error| match error {
            PaperError::Stopped(_) => Paused(error.to_string()).into(),
            error => anyhow::Error::from(error),
        })?;
        match self.args.json {
            true => output::say_json(&made.json()),
            false => output::say(&format!("{}\n", made.text())),
        }
    }
}

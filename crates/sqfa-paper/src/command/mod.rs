//! The command as meant: flags checked against each other, then one item after the other.

mod args;
mod list;
mod watch;

use anyhow::{Result, bail};
use sqfa_paper::{Context, DataFolder, Item, Options, PaperError, named};

use self::watch::Terminal;
use sqfa_cli::terminal::{self, Paused, Usage, usage};

pub(crate) use self::args::Arguments;

/// What to make.
pub(crate) struct Paper {
    items: Vec<&'static dyn Item>,
    options: Options,
    args: Arguments,
}

impl TryFrom<Arguments> for Paper {
    type Error = anyhow::Error;

    fn try_from(mut args: Arguments) -> Result<Self> {
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
        terminal::listen();
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
                terminal::warn(&format!("{name} is left out: {flag} leaves nothing of it"));
                continue;
            }
            match self.make(*item, &context) {
                // One of several must not keep the others from being made; whoever stops the command stops all.
                Err(error) if self.items.len() > 1 && !terminal::asked() => {
                    terminal::warn(&format!("{name} was not made: {error:#}"));
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
            true => terminal::say_json(&made.json()),
            false => terminal::say(&format!("{}\n", made.text())),
        }
    }
}

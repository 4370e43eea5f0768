//! Where items are made: the data sets that are open, the folder of results and who watches.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::output::{self, Output};
use super::{Ending, Item, Observer, Options, PaperError, ResultCache, Work};
use sqfa_io::data::LabeledData;

/// Where items are made.
pub struct Context<'a> {
    /// What of every item is made.
    pub options: &'a Options,
    observer: &'a dyn Observer,
    out: PathBuf,
    data: HashMap<&'static str, Vec<LabeledData>>,
}

impl<'a> Context<'a> {
    /// Opens all data that some items need, then the folder of results.
    ///
    /// Everything that could be missing is opened before anything is written.
    pub fn open(
        items: &[&dyn Item],
        options: &'a Options,
        out: &Path,
        observer: &'a dyn Observer,
    ) -> Result<Self, PaperError> {
        output::check(out)?;
        let mut data = HashMap::new();
        for set in items.iter().flat_map(|item| item.needs(options).sets) {
            if !data.contains_key(set) {
                let _work = observer.begin(&format!("reading {set}"), Ending::AtOnce);
                data.insert(set, options.data.sessions(set)?);
            }
        }
        output::claim(out)?;
        Ok(Self { options, observer, out: out.to_owned(), data })
    }

    /// Makes an item and writes it into the folder.
    pub fn make(&self, item: &dyn Item) -> Result<Output, PaperError> {
        let made = item.make(self)?;
        let _work = self.begin(&format!("writing {}", item.about().name));
        Output::write(item.about(), made, &self.out)
    }

    /// A data set that an item needs; the first session of recordings.
    pub(crate) fn data(&self, set: &str) -> Result<&LabeledData, PaperError> {
        let first = self.sessions(set)?.first();
        first.ok_or_else(|| PaperError::numbers(set, "it holds nothing"))
    }

    /// All sessions of a data set that an item needs.
    pub(crate) fn sessions(&self, set: &str) -> Result<&[LabeledData], PaperError> {
        let sessions = self.data.get(set).map(Vec::as_slice);
        sessions.ok_or_else(|| PaperError::numbers(set, "it has not been opened"))
    }

    /// Work that writes something begins.
    pub(crate) fn begin(&self, what: &str) -> Box<dyn Work + '_> {
        self.observer.begin(what, Ending::InOrder)
    }

    /// Something a user should know.
    pub(crate) fn warn(&self, message: &str) {
        self.observer.warn(message);
    }

    /// Whether somebody has asked to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.observer.stopped()
    }

    /// An error when somebody has asked to stop.
    pub(crate) fn proceed(&self) -> Result<(), PaperError> {
        if self.stopped() { Err(PaperError::Stopped(self.out.clone())) } else { Ok(()) }
    }

    /// The folder of what takes long, by name.
    pub(crate) fn cells(&self, name: &str) -> PathBuf {
        self.out.join("cells").join(name)
    }

    /// Results of an item that are kept one by one.
    pub(crate) fn cache(&self, name: &str) -> ResultCache {
        ResultCache::new(&self.cells(name))
    }
}

//! What of an item is made: the flags of `sqfa-paper` as values.

use sqfa_lab::compare::{MethodEntry, Protocol};

use super::{DataFolder, Needs, PaperError};

/// What of an item is made; by default all of it.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where data sets are.
    pub data: DataFolder,
    /// Only these data sets.
    pub sets: Option<Vec<String>>,
    /// Only these methods.
    pub methods: Option<Vec<String>>,
    /// Only these numbers of filters.
    pub filters: Option<Vec<usize>>,
    /// So many seeds, or starts.
    pub seeds: Option<usize>,
    /// Dimensions of the scaling experiment.
    pub dimensions: Option<Vec<usize>>,
    /// Whether covariances of the scaling experiment keep every entry.
    pub dense: bool,
}

impl Options {
    /// An error for names that nothing has.
    pub fn check(&self) -> Result<(), PaperError> {
        for method in self.methods.iter().flatten() {
            MethodEntry::named(method).map_err(|error| PaperError::Compare(error.into()))?;
        }
        let known = |set: &&String| Protocol::named(set).is_some();
        match self.sets.iter().flatten().find(|set| !known(set)) {
            Some(set) => Err(PaperError::UnknownSet(set.clone())),
            None => Ok(()),
        }
    }

    /// An item that needs some of these data sets, at least one.
    pub(crate) fn of_sets(&self, all: &[&'static str]) -> Needs {
        let asked = |set: &&&str| match &self.sets {
            Some(named) => named.iter().any(|name| name == **set),
            None => true,
        };
        let sets: Vec<&'static str> = all.iter().filter(asked).copied().collect();
        let emptied_by = sets.is_empty().then_some("--sets");
        Needs { sets, emptied_by }
    }

    /// The same of an item that has one number of filters.
    pub(crate) fn of_sets_and_filters(&self, all: &[&'static str], filters: usize) -> Needs {
        let needs = self.of_sets(all);
        let none = self.filters.as_ref().is_some_and(|counts| !counts.contains(&filters));
        Needs { emptied_by: needs.emptied_by.or(none.then_some("--filters")), ..needs }
    }

    /// Whether a method was asked for by name.
    pub(crate) fn names_method(&self, method: &str) -> bool {
        self.methods.iter().flatten().any(|name| name == method)
    }

    /// Whether a method is among those asked for.
    pub(crate) fn has_method(&self, method: &str) -> bool {
        self.methods.is_none() || self.names_method(method)
    }

    /// Whether a number of filters is among those asked for.
    pub(crate) fn has_filters(&self, filters: usize) -> bool {
        self.filters.as_ref().is_none_or(|counts| counts.contains(&filters))
    }

    /// The number of seeds or starts.
    pub(crate) fn seeds(&self, usual: usize) -> usize {
        self.seeds.unwrap_or(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_leave_what_they_name_and_say_which_one_leaves_nothing() {
        let some = |sets: &[&str], filters: Option<Vec<usize>>| Options {
            sets: Some(sets.iter().map(ToString::to_string).collect()),
            filters,
            ..Options::default()
        };
        let all = ["svhn", "mnist"];
        assert_eq!(Options::default().of_sets(&all).sets, all);
        assert_eq!(some(&["mnist"], None).of_sets(&all).sets, ["mnist"]);
        assert_eq!(some(&["speed"], None).of_sets(&all).emptied_by, Some("--sets"));
        let two = some(&["mnist"], Some(vec![2]));
        assert_eq!(two.of_sets_and_filters(&all, 8).emptied_by, Some("--filters"));
        assert_eq!(two.of_sets_and_filters(&all, 2).emptied_by, None);
        assert!(some(&["iris"], None).check().is_err() && two.check().is_ok());
    }
}

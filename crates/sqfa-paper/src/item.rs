//! An item of the paper: its name, what it needs and how it is made.

use sqfa_lab::figure::Figure;

use super::{ClaimResults, Context, Options, PaperError, Table};

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// Numbers beside the printed ones.
    Table,
    /// A picture.
    Figure,
    /// Statements that are tested.
    Claims,
}

impl ItemKind {
    /// Its name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Figure => "figure",
            Self::Claims => "claims",
        }
    }
}

/// What lists say of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: ItemKind,
    /// Which item of the paper it makes again.
    pub paper: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// About how long it takes on two cores.
    pub takes: &'static str,
}

/// What an item needs under some options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Data sets by name.
    pub sets: Vec<&'static str>,
    /// The option that leaves nothing of the item.
    pub emptied_by: Option<&'static str>,
}

/// What an item became.
#[derive(Debug, Clone, PartialEq)]
pub enum Made {
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Figure),
    /// Claims that were tested.
    Claims(ClaimResults),
}

/// A table, a figure or a list of claims.
pub trait Item: Sync {
    /// Its name and what it shows.
    fn about(&self) -> About;

    /// The data sets it is made from; formulas alone need none.
    fn needs(&self, _: &Options) -> Needs {
        Needs::default()
    }

    /// Makes it from what the context holds, and keeps there what takes long.
    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError>;
}

//! Methods by name, refined or not: what a plan and a report must know of each.

use sqfa::names::Unknown;
use sqfa::reduce::Method;

/// The refined methods that `all` stands for: refinement of the two best starts.
pub(super) const REFINED_METHODS: [&str; 2] = ["sqfa+refine", "sqfa-h+refine"];

/// What is known of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodEntry {
    /// Its name in flags, files and records.
    pub name: String,
    /// How tables and figures write it.
    pub title: String,
    /// Whether the seed changes its result.
    pub seeded: bool,
}

impl MethodEntry {
    /// The method of a name; the error suggests the nearest.
    pub fn named(name: &str) -> Result<Self, Unknown> {
        let Method { entry, refined } = name.parse()?;
        Ok(Self {
            name: name.to_owned(),
            title: entry.title.to_owned() + if refined { " refined" } else { "" },
            seeded: entry.seeded || refined,
        })
    }

    /// How tables and figures write a method, whatever its name.
    pub fn title(name: &str) -> String {
        Self::named(name).map_or_else(|_| name.to_owned(), |entry| entry.title)
    }
}

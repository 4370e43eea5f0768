//! Properties of methods, with or without refinement, that plans and reports need.

use sqfa::names::Unknown;
use sqfa::reduce::Method;

/// The refined methods that `all` includes: those with the two best initializations.
pub(super) const REFINED_METHODS: [&str; 2] = ["sqfa+refine", "sqfa-h+refine"];

/// The properties of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodEntry {
    /// The name in flags, files and records.
    pub name: String,
    /// The name in tables and figures.
    pub title: String,
    /// Whether the result depends on the seed.
    pub seeded: bool,
}

impl MethodEntry {
    /// Returns the method with a name.
    ///
    /// # Errors
    ///
    /// If no method has this name. The error suggests the most similar name.
    pub fn named(name: &str) -> Result<Self, Unknown> {
        let Method { entry, refined } = name.parse()?;
        Ok(Self {
            name: name.to_owned(),
            title: entry.title.to_owned() + if refined { " refined" } else { "" },
            seeded: entry.seeded || refined,
        })
    }

    /// Returns the name of a method in tables and figures.
    pub fn title(name: &str) -> String {
        Self::named(name).map_or_else(|_| name.to_owned(), |entry| entry.title)
    }
}

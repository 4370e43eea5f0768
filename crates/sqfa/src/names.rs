//! Errors for unknown names, with the nearest known name and the list of choices.

use thiserror::Error;

/// A name that is not among the choices.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {what} '{name}'{}: choose one of {}", meant(.nearest.as_deref()), .choices.join(", "))]
pub struct Unknown {
    /// Kind of thing that was named, such as "method" or "distance".
    pub what: &'static str,
    /// The unknown name.
    pub name: String,
    /// The known name that is most similar, if any is similar enough.
    pub nearest: Option<String>,
    /// All known names.
    pub choices: Vec<String>,
}

impl Unknown {
    /// Creates the error for a name, and finds the nearest of the choices.
    pub fn new<C: Into<String>>(
        what: &'static str,
        name: &str,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        let choices: Vec<String> = choices.into_iter().map(Into::into).collect();
        let near = nearest(name, choices.iter().map(String::as_str)).map(str::to_owned);
        Self { what, name: name.to_owned(), nearest: near, choices }
    }
}

impl From<Unknown> for String {
    fn from(error: Unknown) -> Self {
        error.to_string()
    }
}

/// Returns the value that belongs to a name in a list.
///
/// # Errors
///
/// Returns [`Unknown`], which lists the choices, if the name is not in the list.
pub fn chosen<V: Clone>(what: &'static str, name: &str, list: &[(&str, V)]) -> Result<V, Unknown> {
    list.iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value.clone())
        .ok_or_else(|| Unknown::new(what, name, list.iter().map(|(known, _)| *known)))
}

/// Returns " (did you mean 'x'?)" for the nearest candidate, or an empty text if none is near.
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    meant(nearest(name, candidates))
}

fn meant(near: Option<&str>) -> String {
    near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default()
}

/// Returns the candidate with the fewest single-letter edits, if it is similar enough.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= 1 + candidate.chars().count().max(name.chars().count()) / 3
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the Levenshtein distance between two names, ignoring case.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[to.len()]
}

/// Implements serialization as text for a type with `FromStr`. The second argument is the method that returns the text.
macro_rules! text_in_files {
    ($type:ty, $text:ident) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&self.$text())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use text_in_files;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_suggested() {
        let names = ["hellinger", "jeffreys", "wasserstein"];
        assert_eq!(nearest("helinger", names), Some("hellinger"));
        assert_eq!(nearest("Jefreys", names), Some("jeffreys"));
        assert_eq!(nearest("cosine", names), None);
    }

    #[test]
    fn the_error_names_the_nearest_and_all_choices() {
        let list = [("one", 1), ("two", 2)];
        assert_eq!(chosen("number", "two", &list), Ok(2));
        let error = chosen("number", "twoo", &list).unwrap_err().to_string();
        assert_eq!(error, "unknown number 'twoo' (did you mean 'two'?): choose one of one, two");
        let error = chosen("number", "seventeen", &list).unwrap_err().to_string();
        assert_eq!(error, "unknown number 'seventeen': choose one of one, two");
    }

    #[test]
    fn edit_distances() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}

//! Selection of the columns of a table that are features, labels and weights.

use std::collections::{HashMap, HashSet};

use super::super::FormatError;
use super::notes::{Note, listed};

/// The names of a label column that is not specified.
const USUAL_LABEL_NAMES: [&str; 5] = ["label", "labels", "class", "target", "y"];
/// The names of the index column in tables that pandas has written as CSV and read again. It is
/// always the first column.
const FIRST_INDEX_NAMES: [&str; 2] = ["", "Unnamed: 0"];
/// The names of an index column at any position, in any letter case. The last one is used by pandas
/// in Parquet files.
const INDEX_NAMES: [&str; 3] = ["id", "index", "__index_level_0__"];

/// A column, by name or by position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// The only column called label, labels, class, target or y, in any letter case.
    Usual,
    /// The label column of a model by name. If there is no such column, the usual one is used.
    Known(String),
    /// A column by name. The table must have a header.
    Name(String),
    /// A column by position, counted from 0, unless a column has this number as its name.
    Index(usize),
}

/// The columns that are features. They are specified by names, positions from 0, or ranges such as
/// `c-f`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The only columns to use, in this order.
    pub only: Option<Vec<String>>,
    /// The columns to exclude.
    pub ignore: Vec<String>,
}

/// The columns that are looked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) label: Option<&'a Column>,
    /// Whether a table without a label column is accepted.
    pub(crate) optional: bool,
    pub(crate) weight: Option<&'a Column>,
    pub(crate) select: Option<&'a Selection>,
    /// The expected names of the columns in this order, those of a model or of the previous file.
    pub(crate) expected: Option<&'a [String]>,
}

/// The positions of the columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Layout {
    pub(crate) features: Vec<usize>,
    pub(crate) label: Option<usize>,
    /// The label column by name, or by position if the table has no names.
    pub(crate) label_name: Option<String>,
    /// Whether the label column was found only by its usual name.
    pub(crate) guessed: bool,
    pub(crate) weight: Option<usize>,
    /// The names of the features. Empty if the table has none.
    pub(crate) names: Vec<String>,
    pub(crate) notes: Vec<Note>,
}

/// Whether a column has a usual name of label columns.
pub(crate) fn is_usual_label(name: &str) -> bool {
    USUAL_LABEL_NAMES.contains(&name.trim().to_lowercase().as_str())
}

/// Finds the columns of a table with a number of columns and optional names.
pub(crate) fn layout(
    names: Option<&[String]>,
    width: usize,
    wanted: Wanted<'_>,
    place: &str,
) -> Result<Layout, FormatError> {
    let table = Names { names, width, place };
    let mut notes = Vec::new();
    let label = match wanted.label {
        None => None,
        Some(Column::Usual) => table.usual_label(&wanted)?,
        Some(Column::Known(name)) => match table.known(name) {
            Some(at) => Some(at),
            None => table.usual_label(&wanted)?,
        },
        Some(column) => Some(table.find(column).map_err(FormatError::of_label)?),
    };
    let weight = wanted.weight.map(|column| table.find(column)).transpose()?;
    if label.is_some() && label == weight {
        let problem = "labels and weights are the same column".to_owned();
        return Err(FormatError::Table { place: place.to_owned(), problem });
    }
    let select = wanted.select.cloned().unwrap_or_default();
    let expects = |name: &str| wanted.expected.is_some_and(|all| all.iter().any(|n| n == name));
    let mut features: Vec<usize> = match &select.only {
        Some(only) => table.spread(only)?,
        None => (0..width).collect(),
    };
    features.retain(|&at| Some(at) != label && Some(at) != weight);
    let ignored: HashSet<usize> = table.spread(&select.ignore)?.into_iter().collect();
    features.retain(|at| !ignored.contains(at));
    if let (Some(names), None) = (names, &select.only) {
        let index = |at: usize| {
            let name = names[at].as_str();
            let first = at == 0 && FIRST_INDEX_NAMES.contains(&name);
            let named = INDEX_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
            (first || named) && !expects(name)
        };
        let (indices, others): (Vec<usize>, Vec<usize>) =
            features.iter().partition(|&&at| index(at));
        if !others.is_empty() {
            features = others;
            notes.extend(indices.iter().map(|&at| Note::Index(names[at].clone())));
        }
    }
    match (wanted.expected, names) {
        (Some(expected), Some(names)) => {
            features = table.matched(expected, &features, &mut notes, label, weight)?;
            debug_assert!(features.iter().all(|&at| at < names.len()));
        }
        (Some(_), None) => notes.push(Note::Unchecked),
        (None, _) => {}
    }
    let of = |at: &usize| names.map(|names| names[*at].clone());
    let own: Vec<String> = features.iter().filter_map(of).collect();
    if let Some(twice) = repeated(&own) {
        return Err(table.repeated_name(own[twice].clone(), features[twice]));
    }
    let named = |at: usize| names.map_or_else(|| at.to_string(), |names| names[at].clone());
    let label_name = label.map(named);
    let guessed = wanted.label == Some(&Column::Usual) && wanted.expected.is_none();
    if let Some(name) = label_name.as_ref().filter(|_| guessed) {
        notes.insert(0, Note::Label(name.clone()));
    }
    if label.is_some() && wanted.expected.is_none() {
        let coordinate =
            |name: &&String| table.places(name).iter().any(|&at| table.coordinate(at).is_some());
        let alike = own.iter().filter(|name| is_usual_label(name) && !coordinate(name));
        notes.extend(alike.map(|name| Note::LikeLabel(name.clone())));
    }
    if features.is_empty() {
        let problem = "it has rows of 0 numbers".to_owned();
        return Err(FormatError::Table { place: place.to_owned(), problem });
    }
    Ok(Layout { features, label, label_name, guessed, weight, names: own, notes })
}

/// Returns the position of the first name that occurred before.
fn repeated(names: &[String]) -> Option<usize> {
    let mut seen = HashSet::new();
    names.iter().position(|name| !name.is_empty() && !seen.insert(name.as_str()))
}

/// The names of the columns of a table, if any.
struct Names<'a> {
    names: Option<&'a [String]>,
    width: usize,
    place: &'a str,
}

impl Names<'_> {
    fn places(&self, name: &str) -> Vec<usize> {
        let names = self.names.unwrap_or_default();
        (0..names.len()).filter(|&at| names[at] == name).collect()
    }

    /// Returns all names as text for messages.
    fn listed(&self) -> String {
        match self.names {
            Some(names) => names.join(", ").chars().take(1000).collect(),
            None => format!("positions 0 to {}, without names", self.width.saturating_sub(1)),
        }
    }

    fn missing(&self, name: String) -> FormatError {
        let (place, names) = (self.place.to_owned(), self.listed());
        let all = self.names.unwrap_or_default().iter().map(String::as_str);
        let near = FormatError::similar(&name, all);
        FormatError::Missing { place, what: "column", name, names, near }
    }

    /// Returns the position of a column that must exist.
    fn find(&self, column: &Column) -> Result<usize, FormatError> {
        match column {
            Column::Index(index) => match self.places(&index.to_string())[..] {
                [at] => Ok(at),
                _ if *index < self.width => Ok(*index),
                _ => Err(self.missing(index.to_string())),
            },
            Column::Usual | Column::Known(_) => Err(self.no_label()),
            Column::Name(name) => match self.places(name)[..] {
                [at] => Ok(at),
                [] => Err(self.missing(name.clone())),
                [.., last] => Err(self.repeated_name(name.clone(), last)),
            },
        }
    }

    fn repeated_name(&self, name: String, at: usize) -> FormatError {
        FormatError::RepeatedName { place: self.place.to_owned(), name, at }
    }

    /// Returns the position of the label column of a model: by name, or by position if there are no
    /// names.
    fn known(&self, name: &str) -> Option<usize> {
        match self.names {
            Some(_) => match self.places(name)[..] {
                [at] => Some(at),
                _ => None,
            },
            None => name.parse().ok().filter(|&at: &usize| at < self.width),
        }
    }

    fn no_label(&self) -> FormatError {
        let [first @ .., last] = USUAL_LABEL_NAMES;
        let usual = format!("{} or {last}", first.join(", "));
        FormatError::NoLabel {
            place: self.place.to_owned(),
            usual,
            names: self.listed(),
            likely: None,
        }
    }

    /// Returns the only column with a usual name of label columns. It is an error if there are
    /// several, or if there is none and labels are required.
    fn usual_label(&self, wanted: &Wanted<'_>) -> Result<Option<usize>, FormatError> {
        let names = self.names.unwrap_or_default();
        let feature = |name: &String| wanted.expected.is_some_and(|all| all.contains(name));
        let found: Vec<usize> = (0..names.len())
            .filter(|&at| is_usual_label(&names[at]) && !feature(&names[at]))
            .collect();
        match found[..] {
            [at] => match self.coordinate(at).filter(|_| wanted.expected.is_none()) {
                // Labels are not required, so the column is used as a feature.
                Some(_) if wanted.optional => Ok(None),
                Some(other) => Err(FormatError::DoubtfulLabel {
                    place: self.place.to_owned(),
                    label: names[at].clone(),
                    why: format!("next to '{other}' it may be a coordinate"),
                    // The label is usually the last column.
                    candidates: names.last().into_iter().cloned().collect(),
                }),
                None => Ok(Some(at)),
            },
            [] if wanted.optional => Ok(None),
            [] => Err(self.no_label()),
            _ => Err(FormatError::AmbiguousLabel {
                place: self.place.to_owned(),
                names: found.iter().map(|&at| names[at].clone()).collect(),
            }),
        }
    }

    /// Returns the column x if a column y next to it is more likely to be a coordinate than a
    /// label.
    fn coordinate(&self, at: usize) -> Option<&str> {
        let names = self.names?;
        let is = |name: &str, letter: &str| name.trim().eq_ignore_ascii_case(letter);
        is(&names[at], "y").then(|| names.iter().find(|name| is(name, "x")))?.map(String::as_str)
    }

    /// Returns the positions of names, positions and ranges.
    fn spread(&self, specs: &[String]) -> Result<Vec<usize>, FormatError> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut left = specs;
        while let Some(spec) = left.first() {
            // Names may contain commas, which also separate lists: parts that are not columns are
            // joined again.
            let joined = |parts: usize| left[..parts].join(",").trim().to_owned();
            let (parts, positions) = (1..=left.len())
                .find_map(|parts| Some((parts, self.positions(&joined(parts))?)))
                .ok_or_else(|| self.missing(spec.trim().to_owned()))?;
            found.extend(positions.into_iter().filter(|&at| seen.insert(at)));
            left = &left[parts..];
        }
        Ok(found)
    }

    fn positions(&self, spec: &str) -> Option<Vec<usize>> {
        if let Some(all) = self.one(spec) {
            return Some(all);
        }
        // Names may contain hyphens, so every hyphen may be the one of a range.
        spec.match_indices('-').find_map(|(at, _)| {
            let (first, last) = (self.one(&spec[..at])?, self.one(&spec[at + 1..])?);
            let (first, last) = (*first.first()?, *last.last()?);
            (first <= last).then(|| (first..=last).collect())
        })
    }

    /// Returns all columns with a name, or the column at a position.
    fn one(&self, spec: &str) -> Option<Vec<usize>> {
        let places = self.places(spec);
        if !places.is_empty() {
            return Some(places);
        }
        let at = spec.parse::<usize>().ok()?;
        (at < self.width).then(|| vec![at])
    }

    /// Returns the positions of the expected columns among the features, in the expected order.
    fn matched(
        &self,
        expected: &[String],
        features: &[usize],
        notes: &mut Vec<Note>,
        label: Option<usize>,
        weight: Option<usize>,
    ) -> Result<Vec<usize>, FormatError> {
        let names = self.names.unwrap_or_default();
        let mut at: HashMap<&str, (usize, bool)> = HashMap::new();
        for position in 0..names.len() {
            let entry = at.entry(&names[position]).or_insert((position, false));
            entry.1 = entry.0 != position;
        }
        let mut found = Vec::with_capacity(expected.len());
        let mut absent = Vec::new();
        for name in expected {
            match at.get(name.as_str()) {
                Some((first, true)) => {
                    let last = self.places(name).last().copied().unwrap_or(*first);
                    return Err(self.repeated_name(name.clone(), last));
                }
                Some((position, false)) => found.push(*position),
                None => absent.push(name.clone()),
            }
        }
        if !absent.is_empty() {
            let there = names.join(", ").chars().take(1000).collect();
            return Err(FormatError::AbsentColumns {
                place: self.place.to_owned(),
                columns: listed(&absent),
                names: there,
            });
        }
        if found.windows(2).any(|pair| pair[0] > pair[1]) {
            notes.push(Note::Reordered);
        }
        let used: HashSet<usize> = found.iter().copied().collect();
        let extra = features.iter().filter(|position| !used.contains(position));
        let extra: Vec<String> = extra
            .filter(|&&position| Some(position) != label && Some(position) != weight)
            .map(|&position| names[position].clone())
            .collect();
        if !extra.is_empty() {
            notes.push(Note::Extra(extra));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &str) -> Vec<String> {
        all.split(' ').map(str::to_owned).collect()
    }

    fn select(only: Option<&str>, ignore: &str) -> Selection {
        let cut = |text: &str| text.split(',').map(str::to_owned).collect();
        let ignore = if ignore.is_empty() { Vec::new() } else { cut(ignore) };
        Selection { only: only.map(cut), ignore }
    }

    #[test]
    fn columns_are_chosen_by_name_position_and_range() {
        let all = names("id a b c-d e label");
        let of = |only: Option<&str>, ignore: &str| {
            let select = select(only, ignore);
            let label = Column::Usual;
            let wanted = Wanted { label: Some(&label), select: Some(&select), ..Wanted::default() };
            layout(Some(&all), 6, wanted, "t").map(|found| found.names.join(" "))
        };
        assert_eq!(of(None, "id").unwrap(), "a b c-d e");
        assert_eq!(of(Some("e,a-b"), "").unwrap(), "e a b");
        assert_eq!(of(Some("a-c-d"), "").unwrap(), "a b c-d");
        assert_eq!(of(Some("1-3"), "2").unwrap(), "a c-d");
        assert!(of(Some("x"), "").unwrap_err().to_string().contains("'x'"));
        assert!(of(None, "id,a-b,c-d,e").is_err());
        let all = ["length, cm", "a", "b,c", "label"].map(str::to_owned);
        let of = |only: Option<&str>, ignore: &str| {
            let select = select(only, ignore);
            let label = Column::Usual;
            let wanted = Wanted { label: Some(&label), select: Some(&select), ..Wanted::default() };
            layout(Some(&all), 4, wanted, "t").map(|found| found.names.join("; "))
        };
        assert_eq!(of(None, "length, cm").unwrap(), "a; b,c");
        assert_eq!(of(Some("b,c,length, cm"), "").unwrap(), "b,c; length, cm");
        assert_eq!(of(Some("length, cm-a"), "").unwrap(), "length, cm; a");
        assert!(of(None, "length, mm").unwrap_err().to_string().contains("'length'"));
    }

    #[test]
    fn expected_names_decide_the_order() {
        let all = names("b label a z");
        let expected = names("a b");
        let label = Column::Usual;
        let wanted = Wanted { label: Some(&label), expected: Some(&expected), ..Wanted::default() };
        let found = layout(Some(&all), 4, wanted, "t").unwrap();
        assert_eq!((found.features, found.label), (vec![2, 0], Some(1)));
        assert_eq!(found.notes, [Note::Reordered, Note::Extra(vec!["z".to_owned()])]);
        let expected = names("a q r");
        let wanted = Wanted { expected: Some(&expected), ..wanted };
        let error = layout(Some(&all), 4, wanted, "t").unwrap_err().to_string();
        assert!(error.contains("'q', 'r'"), "{error}");
    }

    #[test]
    fn an_index_is_set_aside_and_repeated_names_are_refused() {
        let mut all = names("x a b y");
        all[0].clear();
        let label = Column::Usual;
        let wanted = Wanted { label: Some(&label), ..Wanted::default() };
        let found = layout(Some(&all), 4, wanted, "t").unwrap();
        let label = || Note::Label("y".to_owned());
        assert_eq!(
            (found.features, found.notes),
            (vec![1, 2], vec![label(), Note::Index(String::new())])
        );
        // An index by name is excluded at any position, unless it is the label or is selected.
        let ids = names("a ID y");
        let found = layout(Some(&ids), 3, wanted, "t").unwrap();
        assert_eq!(
            (found.features, found.notes),
            (vec![0], vec![label(), Note::Index("ID".to_owned())])
        );
        let asked = select(Some("a,ID"), "");
        let found = layout(Some(&ids), 3, Wanted { select: Some(&asked), ..wanted }, "t").unwrap();
        assert_eq!(found.features, [0, 1]);
        let own = Column::Name("ID".to_owned());
        let found = layout(Some(&ids), 3, Wanted { label: Some(&own), ..wanted }, "t").unwrap();
        assert_eq!((found.features, found.label), (vec![0, 2], Some(1)));
        let mut both = names("x id a y");
        both[0].clear();
        let found = layout(Some(&both), 4, wanted, "t").unwrap();
        assert_eq!((found.features, found.notes.len()), (vec![2], 3));
        // A number is interpreted as a name first, as in selections.
        let years = names("2018 2019 1");
        let of = |label| {
            let wanted = Wanted { label: Some(&label), ..Wanted::default() };
            layout(Some(&years), 3, wanted, "t").map(|found| found.label)
        };
        assert_eq!(of(Column::Index(2019)).unwrap(), Some(1));
        assert_eq!(of(Column::Index(1)).unwrap(), Some(2));
        assert_eq!(of(Column::Index(0)).unwrap(), Some(0));
        assert!(of(Column::Index(7)).is_err());
        let twice = names("a b a y");
        assert!(layout(Some(&twice), 4, wanted, "t").unwrap_err().to_string().contains("'a'"));
        let two = names("a class y");
        assert!(layout(Some(&two), 3, wanted, "t").unwrap_err().to_string().contains("class"));
        let named = Column::Name("y".to_owned());
        let wanted = Wanted { label: Some(&named), ..Wanted::default() };
        let found = layout(Some(&two), 3, wanted, "t").unwrap();
        assert_eq!(found.notes, [Note::LikeLabel("class".to_owned())]);
    }
}

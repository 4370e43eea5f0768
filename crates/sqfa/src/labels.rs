//! Class labels: integers in numeric order if every label is an integer, otherwise text in byte order.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use thiserror::Error;

/// An error in the labels.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LabelError {
    /// A floating-point label with a fractional part.
    #[error(
        "label {value} in row {row} (counted from 0) is not a whole number: pass integer or text labels"
    )]
    Fraction {
        /// Row index of the label.
        row: usize,
        /// The label.
        value: f64,
    },
    /// A label that is not among the expected classes.
    #[error(
        "label '{label}' in row {row} (counted from 0) is not one of the {classes} known classes: add the class, or remove the sample"
    )]
    Unknown {
        /// Row index of the label.
        row: usize,
        /// The label.
        label: String,
        /// Number of known classes.
        classes: usize,
    },
}

/// The name of one class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// An integer.
    Integer(i64),
    /// A text.
    Text(String),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "{text}"),
        }
    }
}

/// The set of classes in a fixed order, all integers or all text.
///
/// The order determines the positions (codes) of the classes in arrays such as the means.
///
/// ```
/// use sqfa::{Classes, Label};
///
/// let classes = Classes::Texts(vec!["cat".into(), "dog".into()]);
/// assert_eq!(classes.len(), 2);
/// assert_eq!(classes.label(1), Label::Text("dog".into()));
/// assert_eq!(Classes::numbered(3), Classes::Integers(vec![0, 1, 2]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Classes {
    /// Integers in ascending order.
    Integers(Vec<i64>),
    /// Text in byte order.
    Texts(Vec<String>),
}

impl Classes {
    /// Returns the integer classes 0, 1, …, `count` − 1.
    pub fn numbered(count: usize) -> Self {
        Self::Integers((0..count as i64).collect())
    }

    /// Returns the number of classes.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// Whether there are no classes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the class at a position.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not less than the number of classes.
    pub fn label(&self, index: usize) -> Label {
        match self {
            Self::Integers(values) => Label::Integer(values[index]),
            Self::Texts(values) => Label::Text(values[index].clone()),
        }
    }

    /// Returns, for each class of another set, its position in this set, or `None` if it is missing.
    ///
    /// An integer and text that represents it ('1' or '1.0') are the same class, unless a set has both spellings as
    /// text.
    pub fn positions_of(&self, others: &Self) -> Vec<Option<u32>> {
        match (self, others) {
            (Self::Integers(mine), Self::Integers(theirs)) => found(mine, theirs),
            (Self::Texts(mine), Self::Texts(theirs)) => found(mine, theirs),
            (Self::Texts(mine), Self::Integers(theirs)) => {
                let places = places(mine);
                let of = |text: String| places.get(&text).copied();
                theirs
                    .iter()
                    .map(|value| match (of(value.to_string()), of(format!("{value}.0"))) {
                        (Some(_), Some(_)) => None,
                        (plain, float) => plain.or(float),
                    })
                    .collect()
            }
            (Self::Integers(mine), Self::Texts(theirs)) => {
                let (places, written) = (places(mine), places(theirs));
                let value = |text: &String| match text.strip_suffix(".0") {
                    Some(whole) if written.contains_key(&whole.to_owned()) => None,
                    Some(whole) => written_integer(whole),
                    None => written_integer(text),
                };
                theirs.iter().map(|text| places.get(&value(text)?).copied()).collect()
            }
        }
    }

    /// Returns two classes that may be the same class in different spellings: they differ only in case or white space,
    /// or are '1' and '1.0'.
    pub fn alike(&self) -> Option<(&str, &str)> {
        let Self::Texts(texts) = self else { return None };
        let mut seen: HashMap<String, &str> = HashMap::new();
        texts.iter().find_map(|text| {
            let other = seen.insert(plain(text), text)?;
            Some((other, text.as_str()))
        })
    }

    /// Returns an iterator over the classes.
    pub fn iter(&self) -> impl Iterator<Item = Label> + '_ {
        (0..self.len()).map(|index| self.label(index))
    }
}

/// The classes of a data set, and the class of each sample.
///
/// ```
/// use sqfa::{Label, Labels};
///
/// let labels = Labels::from_texts(&["dog", "cat", "dog"]);
/// assert_eq!(labels.codes(), [1, 0, 1]); // positions in the sorted classes
/// assert_eq!(labels.counts(), [1, 2]);
///
/// // Text that represents integers gives integer classes.
/// assert_eq!(Labels::from_texts(&["2", "10"]).classes().label(0), Label::Integer(2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    classes: Classes,
    codes: Vec<u32>,
}

impl Labels {
    /// Creates labels from integers.
    pub fn from_integers(values: &[i64]) -> Self {
        let classes: Vec<i64> =
            values.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let codes = values.iter().map(|value| position(&classes, value)).collect();
        Self { classes: Classes::Integers(classes), codes }
    }

    /// Creates labels from floating-point numbers without fractional parts.
    ///
    /// # Errors
    ///
    /// Returns [`LabelError::Fraction`] for the first label that is not a whole number.
    pub fn from_floats(values: &[f64]) -> Result<Self, LabelError> {
        let integers = values
            .iter()
            .enumerate()
            .map(|(row, &value)| {
                let whole = value.fract() == 0.0 && value.abs() < 9.0e15;
                whole.then_some(value as i64).ok_or(LabelError::Fraction { row, value })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self::from_integers(&integers))
    }

    /// Creates labels from text. If every text represents an integer, the classes are integers.
    pub fn from_texts<S: AsRef<str>>(values: &[S]) -> Self {
        if let Some(integers) = written_integers(values) {
            return Self::from_integers(&integers);
        }
        let classes: Vec<String> = values
            .iter()
            .map(|text| text.as_ref())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let codes = values
            .iter()
            .map(|text| {
                classes.binary_search_by(|class| class.as_str().cmp(text.as_ref())).unwrap_or(0)
                    as u32
            })
            .collect();
        Self { classes: Classes::Texts(classes), codes }
    }

    /// Creates labels from positions in a known set of classes, or returns `None` if a position is not less than the
    /// number of classes.
    pub fn from_codes(classes: Classes, codes: Vec<u32>) -> Option<Self> {
        codes.iter().all(|&code| (code as usize) < classes.len()).then_some(Self { classes, codes })
    }

    /// Returns the class position of each sample.
    pub fn into_codes(self) -> Vec<u32> {
        self.codes
    }

    /// Returns the same labels with positions in another set of classes, which may be larger or in another order.
    ///
    /// # Errors
    ///
    /// Returns [`LabelError::Unknown`] for the first label that is not in `classes`.
    pub fn recode(&self, classes: &Classes) -> Result<Self, LabelError> {
        let map = classes.positions_of(&self.classes);
        let codes = self
            .codes
            .iter()
            .enumerate()
            .map(|(row, &code)| {
                map[code as usize].ok_or_else(|| LabelError::Unknown {
                    row,
                    label: self.classes.label(code as usize).to_string(),
                    classes: classes.len(),
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { classes: classes.clone(), codes })
    }

    /// Returns the classes in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Returns the class position of each sample.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the number of samples per class.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.classes.len()];
        for &code in &self.codes {
            counts[code as usize] += 1;
        }
        counts
    }

    /// Returns the number of different labels if they look like ids of samples rather than classes, otherwise `None`.
    ///
    /// That is the case if there are more than half as many different labels as samples, so that some labels occur only
    /// once. Data with fewer than [`Self::ENOUGH`] samples are not checked.
    pub fn ids(&self) -> Option<usize> {
        let mut seen = vec![false; self.classes.len()];
        self.codes.iter().for_each(|&code| seen[code as usize] = true);
        let different = seen.iter().filter(|seen| **seen).count();
        (self.codes.len() >= Self::ENOUGH && 2 * different > self.codes.len()).then_some(different)
    }

    /// Number of samples from which [`Self::ids`] checks labels. With fewer samples, many different labels may be
    /// chance.
    pub const ENOUGH: usize = 20;

    /// Returns the labels of some samples, in the same set of classes.
    ///
    /// # Panics
    ///
    /// Panics if a row is not less than the number of samples.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            classes: self.classes.clone(),
            codes: rows.iter().map(|&row| self.codes[row]).collect(),
        }
    }
}

/// Returns the integers that texts represent, if all of them are written in the same way: as '1', or as '1.0' by
/// programs that store labels as floating-point numbers.
pub(crate) fn written_integers<S: AsRef<str>>(texts: &[S]) -> Option<Vec<i64>> {
    let float = |text: &S| written_integer(text.as_ref().trim().strip_suffix(".0")?);
    let plain: Option<Vec<i64>> = texts.iter().map(|text| written_integer(text.as_ref())).collect();
    plain.or_else(|| texts.iter().map(float).collect())
}

/// Returns the integer that a text represents, if this is its only spelling: '1' is accepted, '01' and '+1' are not.
fn written_integer(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse::<i64>().ok().filter(|value| value.to_string() == text)
}

/// Normalizes a text for comparison: removes case, white space and invisible characters, and normalizes the digits of
/// numbers.
fn plain(text: &str) -> String {
    let invisible = |c: &char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
    };
    let text: String =
        text.chars().filter(|c| !invisible(c)).flat_map(char::to_lowercase).collect();
    // Integers beyond 2^53 are not all distinct as floating-point numbers.
    let number = text.parse::<f64>().ok().filter(|value| value.abs() < 9.0e15);
    number.map_or(text, |value| value.to_string())
}

fn places<T: std::hash::Hash + Eq>(all: &[T]) -> HashMap<&T, u32> {
    all.iter().enumerate().map(|(at, one)| (one, at as u32)).collect()
}

fn found<T: std::hash::Hash + Eq>(mine: &[T], theirs: &[T]) -> Vec<Option<u32>> {
    let places = places(mine);
    theirs.iter().map(|one| places.get(one).copied()).collect()
}

fn position(classes: &[i64], value: &i64) -> u32 {
    classes.binary_search(value).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_ordered_by_value_even_when_written_as_text() {
        let labels = Labels::from_texts(&["10", "9", "-1", "9"]);
        assert_eq!(labels.classes(), &Classes::Integers(vec![-1, 9, 10]));
        assert_eq!(labels.codes(), &[2, 1, 0, 1]);
        assert_eq!(labels.counts(), [1, 2, 1]);
    }

    #[test]
    fn one_text_label_makes_all_labels_text() {
        let labels = Labels::from_texts(&["10", "9", "cat"]);
        assert_eq!(labels.classes(), &Classes::Texts(vec!["10".into(), "9".into(), "cat".into()]));
    }

    #[test]
    fn texts_with_leading_zeros_stay_text() {
        let labels = Labels::from_texts(&["01", "1", "1"]);
        assert_eq!(labels.classes(), &Classes::Texts(vec!["01".into(), "1".into()]));
        assert_eq!(labels.counts(), [1, 2]);
    }

    #[test]
    fn integers_may_be_written_as_floats_if_all_are() {
        let labels = Labels::from_texts(&["1.0", "10.0", "2.0", "1.0"]);
        assert_eq!(labels.classes(), &Classes::Integers(vec![1, 2, 10]));
        for mixed in [["1.0", "2"], ["1.0", "1.5"], ["-0.0", "1.0"], ["1.00", "2.0"]] {
            let mut texts = mixed.map(str::to_owned).to_vec();
            texts.sort();
            assert_eq!(Labels::from_texts(&mixed).classes(), &Classes::Texts(texts));
        }
    }

    #[test]
    fn classes_are_matched_across_spellings() {
        let texts =
            |all: &[&str]| Classes::Texts(all.iter().map(|&text| text.to_owned()).collect());
        let numbers = |all: &[i64]| Classes::Integers(all.to_vec());
        for (mine, theirs, expected) in [
            (texts(&["1", "2", "x"]), numbers(&[2, 1, 3]), vec![Some(1), Some(0), None]),
            (texts(&["1.0", "1.5", "2.0"]), numbers(&[1, 2]), vec![Some(0), Some(2)]),
            (numbers(&[1, 2]), texts(&["1", "2.0", "x"]), vec![Some(0), Some(1), None]),
            (numbers(&[1, 2]), texts(&["01", "2"]), vec![None, Some(1)]),
            // If one set has both spellings, neither matches the integer.
            (texts(&["1", "1.0"]), numbers(&[1]), vec![None]),
            (numbers(&[1]), texts(&["1", "1.0"]), vec![Some(0), None]),
            (texts(&["a", "b"]), texts(&["b", "c"]), vec![Some(1), None]),
        ] {
            assert_eq!(mine.positions_of(&theirs), expected, "{mine:?} {theirs:?}");
        }
    }

    #[test]
    fn similar_class_names_are_found() {
        let alike = |all: &[&str]| {
            let classes = Classes::Texts(all.iter().map(|&text| text.to_owned()).collect());
            classes.alike().map(|(a, b)| (a.to_owned(), b.to_owned()))
        };
        for pair in
            [["A", "a"], ["1", "1.0"], ["01", "1"], ["a", "a\u{200b}"], ["a b", "ab"], ["Ä", "ä"]]
        {
            assert!(alike(&pair).is_some(), "{pair:?}");
        }
        assert_eq!(alike(&["9007199254740992", "9007199254740993", "x"]), None);
        assert_eq!(alike(&["1.0", "1.5", "a", "b"]), None);
        assert_eq!(Classes::numbered(3).alike(), None);
    }

    #[test]
    fn floats_must_be_whole() {
        assert_eq!(Labels::from_floats(&[1.0, -2.0]).unwrap(), Labels::from_integers(&[1, -2]));
        assert_eq!(
            Labels::from_floats(&[1.0, 2.5]),
            Err(LabelError::Fraction { row: 1, value: 2.5 })
        );
        assert!(Labels::from_floats(&[f64::NAN]).is_err());
    }

    #[test]
    fn recoding_names_the_label_that_is_unknown() {
        let labels = Labels::from_integers(&[3, 5]);
        let larger = Classes::Integers(vec![1, 3, 5]);
        assert_eq!(labels.recode(&larger).unwrap().codes(), &[1, 2]);
        let error = labels.recode(&Classes::Integers(vec![3])).unwrap_err();
        assert!(error.to_string().contains("'5' in row 1"));
    }
}

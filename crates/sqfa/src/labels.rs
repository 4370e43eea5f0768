//! Class labels: integers in numeric order when every one is an integer, otherwise text in byte order.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use thiserror::Error;

/// What is wrong with a column of labels.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LabelError {
    /// A floating-point label with a fraction.
    #[error("label {value} at row {row} is not a whole number: pass integer or text labels")]
    Fraction {
        /// Where it stands.
        row: usize,
        /// What it is.
        value: f64,
    },
    /// A label that is not among the expected classes.
    #[error("label '{label}' at row {row} is not one of the {classes} known classes")]
    Unknown {
        /// Where it stands.
        row: usize,
        /// What it is.
        label: String,
        /// How many classes are known.
        classes: usize,
    },
}

/// The name of one class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A whole number.
    Integer(i64),
    /// Any text.
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

/// The set of classes, in their fixed order; all of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Classes {
    /// Whole numbers, ascending.
    Integers(Vec<i64>),
    /// Text in byte order.
    Texts(Vec<String>),
}

impl Classes {
    /// The classes 0, 1, …, `count` − 1.
    pub fn numbered(count: usize) -> Self {
        Self::Integers((0..count as i64).collect())
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// Whether there is no class at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class at a position; panics beyond the last, as indexing does.
    pub fn label(&self, index: usize) -> Label {
        match self {
            Self::Integers(values) => Label::Integer(values[index]),
            Self::Texts(values) => Label::Text(values[index].clone()),
        }
    }

    /// Where the classes of another set stand in this one.
    ///
    /// A number and the text that writes it, as '1' or '1.0', are the same class, unless the texts have it both ways.
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

    /// Two classes that may be one, written in two ways: in other letters, with other blanks, or as '1' and '1.0'.
    pub fn alike(&self) -> Option<(&str, &str)> {
        let Self::Texts(texts) = self else { return None };
        let mut seen: HashMap<String, &str> = HashMap::new();
        texts.iter().find_map(|text| {
            let other = seen.insert(plain(text), text)?;
            Some((other, text.as_str()))
        })
    }

    /// The classes one by one.
    pub fn iter(&self) -> impl Iterator<Item = Label> + '_ {
        (0..self.len()).map(|index| self.label(index))
    }
}

/// The classes of a data set and, for every point, which of them it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    classes: Classes,
    codes: Vec<u32>,
}

impl Labels {
    /// Labels that are whole numbers.
    pub fn from_integers(values: &[i64]) -> Self {
        let classes: Vec<i64> =
            values.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let codes = values.iter().map(|value| position(&classes, value)).collect();
        Self { classes: Classes::Integers(classes), codes }
    }

    /// Labels that are floating-point numbers, each of which must be whole.
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

    /// Labels that are text: integers when every one of them is written as one.
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

    /// Labels given as positions in a known set of classes; `None` when a position is beyond it.
    pub fn from_codes(classes: Classes, codes: Vec<u32>) -> Option<Self> {
        codes.iter().all(|&code| (code as usize) < classes.len()).then_some(Self { classes, codes })
    }

    /// The position of every label alone.
    pub fn into_codes(self) -> Vec<u32> {
        self.codes
    }

    /// The same labels expressed in another, larger or differently ordered set of classes.
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

    /// The classes in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// For every point, the position of its class.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is no point at all.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The number of points in every class.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.classes.len()];
        for &code in &self.codes {
            counts[code as usize] += 1;
        }
        counts
    }

    /// How many different labels there are, where they look like ids of points rather than names of classes: more than half
    /// as many as points, so that some have no second point, of at least [`Self::ENOUGH`].
    pub fn ids(&self) -> Option<usize> {
        let mut seen = vec![false; self.classes.len()];
        self.codes.iter().for_each(|&code| seen[code as usize] = true);
        let different = seen.iter().filter(|seen| **seen).count();
        (self.codes.len() >= Self::ENOUGH && 2 * different > self.codes.len()).then_some(different)
    }

    /// With fewer points many labels are chance.
    pub const ENOUGH: usize = 20;

    /// The labels of some of the points, in the same set of classes.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            classes: self.classes.clone(),
            codes: rows.iter().map(|&row| self.codes[row]).collect(),
        }
    }
}

/// The integers that texts are, when all of them are written in one way: as '1' or, by programs that keep labels as
/// floating-point numbers, as '1.0'.
pub(crate) fn written_integers<S: AsRef<str>>(texts: &[S]) -> Option<Vec<i64>> {
    let float = |text: &S| written_integer(text.as_ref().trim().strip_suffix(".0")?);
    let plain: Option<Vec<i64>> = texts.iter().map(|text| written_integer(text.as_ref())).collect();
    plain.or_else(|| texts.iter().map(float).collect())
}

/// The integer that a text is, when no other text would be the same one: '1' is, '01' and '+1' are not.
fn written_integer(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse::<i64>().ok().filter(|value| value.to_string() == text)
}

/// A text without what people do not see or do not mean: case, blanks, invisible characters, the digits of a whole number.
fn plain(text: &str) -> String {
    let invisible = |c: &char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
    };
    let text: String =
        text.chars().filter(|c| !invisible(c)).flat_map(char::to_lowercase).collect();
    // Numbers beyond 2^53 are not all different as numbers.
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
    fn one_word_makes_all_labels_text_in_byte_order() {
        let labels = Labels::from_texts(&["10", "9", "cat"]);
        assert_eq!(labels.classes(), &Classes::Texts(vec!["10".into(), "9".into(), "cat".into()]));
    }

    #[test]
    fn labels_that_are_written_differently_stay_apart() {
        let labels = Labels::from_texts(&["01", "1", "1"]);
        assert_eq!(labels.classes(), &Classes::Texts(vec!["01".into(), "1".into()]));
        assert_eq!(labels.counts(), [1, 2]);
    }

    #[test]
    fn whole_numbers_may_be_written_as_floats_when_all_are() {
        let labels = Labels::from_texts(&["1.0", "10.0", "2.0", "1.0"]);
        assert_eq!(labels.classes(), &Classes::Integers(vec![1, 2, 10]));
        for mixed in [["1.0", "2"], ["1.0", "1.5"], ["-0.0", "1.0"], ["1.00", "2.0"]] {
            let mut texts = mixed.map(str::to_owned).to_vec();
            texts.sort();
            assert_eq!(Labels::from_texts(&mixed).classes(), &Classes::Texts(texts));
        }
    }

    #[test]
    fn a_class_is_found_however_it_is_written() {
        let texts =
            |all: &[&str]| Classes::Texts(all.iter().map(|&text| text.to_owned()).collect());
        let numbers = |all: &[i64]| Classes::Integers(all.to_vec());
        for (mine, theirs, expected) in [
            (texts(&["1", "2", "x"]), numbers(&[2, 1, 3]), vec![Some(1), Some(0), None]),
            (texts(&["1.0", "1.5", "2.0"]), numbers(&[1, 2]), vec![Some(0), Some(2)]),
            (numbers(&[1, 2]), texts(&["1", "2.0", "x"]), vec![Some(0), Some(1), None]),
            (numbers(&[1, 2]), texts(&["01", "2"]), vec![None, Some(1)]),
            // Written both ways in one set, neither is the other.
            (texts(&["1", "1.0"]), numbers(&[1]), vec![None]),
            (numbers(&[1]), texts(&["1", "1.0"]), vec![Some(0), None]),
            (texts(&["a", "b"]), texts(&["b", "c"]), vec![Some(1), None]),
        ] {
            assert_eq!(mine.positions_of(&theirs), expected, "{mine:?} {theirs:?}");
        }
    }

    #[test]
    fn classes_that_may_be_one_are_seen() {
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
        assert!(error.to_string().contains("'5' at row 1"));
    }
}

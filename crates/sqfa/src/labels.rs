//! Class labels: integers in numeric order when every one is an integer, otherwise text in byte order.

use std::collections::BTreeSet;
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
        let integers: Option<Vec<i64>> =
            values.iter().map(|text| written_integer(text.as_ref())).collect();
        if let Some(integers) = integers {
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

    /// The same labels expressed in another, larger or differently ordered set of classes.
    pub fn recode(&self, classes: &Classes) -> Result<Self, LabelError> {
        let map: Vec<Option<u32>> = self
            .classes
            .iter()
            .map(|label| classes.iter().position(|class| class == label).map(|at| at as u32))
            .collect();
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

/// The integer that a text is, when no other text would be the same one: '1' is, '01' and '+1' are not.
pub(crate) fn written_integer(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse::<i64>().ok().filter(|value| value.to_string() == text)
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

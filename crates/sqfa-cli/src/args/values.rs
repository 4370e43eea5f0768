//! Values that are a word or a number, such as `--noise scale` and `--noise 0.01`.

use std::path::PathBuf;
use std::str::FromStr;

use sqfa::Noise;
use sqfa::names::suggestion;
use sqfa_io::formats::Decimal;

/// A noise: `auto`, a fraction as in `0.3x`, `scale` or a number.
pub(crate) fn noise(text: &str) -> Result<Noise, String> {
    text.parse()
}

/// A decimal mark: `point`, `comma`, or the mark itself.
pub(crate) fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "." | "point" => Ok(Decimal::Point),
        "," | "comma" => Ok(Decimal::Comma),
        _ => Err("give point or comma (or the mark itself)".to_owned()),
    }
}

/// A number of filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FiltersArg {
    /// The number is selected on held-out samples.
    Auto,
    /// A specified number.
    Count(usize),
}

/// `auto` or a number of filters.
pub(crate) fn filters(text: &str) -> Result<FiltersArg, String> {
    match text.parse::<usize>() {
        _ if text == "auto" => Ok(FiltersArg::Auto),
        Ok(count) if count > 0 => Ok(FiltersArg::Count(count)),
        _ => Err(word_or(text, &["auto"], "a whole number of at least 1")),
    }
}

/// Parses a whole number of at least 1.
///
/// # Errors
///
/// If the text is anything else.
pub fn positive(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) | Err(_) => Err("give a whole number of at least 1".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// A finite number of at least 0.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("give a finite number of at least 0".to_owned()),
    }
}

/// Width and height, as in 28x28.
pub(crate) fn width_height(text: &str) -> Result<(usize, usize), String> {
    text.split_once(['x', '×'])
        .and_then(|(width, height)| Some((positive(width).ok()?, positive(height).ok()?)))
        .ok_or_else(|| "give width and height, as in 28x28".to_owned())
}

/// The initial filters, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartArg {
    /// One of [`sqfa::model::Start::NAMES`].
    Named(&'static str),
    /// Filters from an npy file (dimensions × filters) or a model file.
    File(PathBuf),
}

/// A part of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PartArg {
    /// The training samples.
    Train,
    /// The test samples.
    Test,
}

/// The precision of covariances, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PrecisionArg {
    /// Single precision: half the memory, twice the speed.
    F32,
    /// Double precision.
    F64,
}

/// Whether a table has a header, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HeaderArg {
    /// The first row names the columns.
    Yes,
    /// The first row is a sample.
    No,
}

/// The treatment of missing values, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MissingArg {
    /// Drop rows with missing values; predict writes an empty prediction for them.
    Drop,
    /// Replace missing values by the column's mean over the training samples.
    Mean,
}

/// A field delimiter: a word or one character.
pub(crate) fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "comma" => Ok(b','),
        "semicolon" => Ok(b';'),
        "tab" | "\\t" => Ok(b'\t'),
        "space" => Ok(b' '),
        _ => match text.as_bytes() {
            [mark] if mark.is_ascii() && !mark.is_ascii_alphanumeric() && *mark != b'"' => {
                Ok(*mark)
            }
            _ => Err(word_or(text, &["comma", "semicolon", "tab", "space"], "one character")),
        },
    }
}

/// Class priors of a classifier.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PriorsArg {
    /// The class frequencies of the training data.
    Frequencies,
    /// All equal.
    Equal,
    /// Specified numbers, in the order of the classes.
    Given(Vec<f64>),
}

impl FromStr for PriorsArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "frequencies" => return Ok(Self::Frequencies),
            "equal" => return Ok(Self::Equal),
            _ => {}
        }
        let numbers: Option<Vec<f64>> =
            text.split(',').map(|number| number.trim().parse().ok()).collect();
        let sound = |numbers: &Vec<f64>| {
            numbers.len() > 1 && numbers.iter().all(|p| p.is_finite() && *p >= 0.0)
        };
        numbers.filter(sound).map(Self::Given).ok_or_else(|| {
            word_or(text, &["frequencies", "equal"], "one number per class, as in 0.2,0.8")
        })
    }
}

/// Shrinkage of a classifier; none for `auto`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShrinkageArg(pub(crate) Option<f64>);

impl FromStr for ShrinkageArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self(None));
        }
        let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
        let given = number.map(|number| Self(Some(number)));
        given.ok_or_else(|| word_or(text, &["auto"], "a number from 0 to 1"))
    }
}

fn word_or(text: &str, words: &[&str], otherwise: &str) -> String {
    let near = suggestion(text, words.iter().copied());
    format!("'{text}' is not understood{near}: give {} or {otherwise}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_are_distinguished() {
        assert_eq!(noise("0.5"), Ok(Noise::Value(0.5)));
        assert_eq!("1,3".parse(), Ok(PriorsArg::Given(vec![1.0, 3.0])));
        assert!("1,x".parse::<PriorsArg>().is_err());
    }
}

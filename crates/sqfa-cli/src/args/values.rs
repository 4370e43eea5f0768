//! Values that are a word or a number, such as `--noise scale` and `--noise 0.01`.

use std::path::PathBuf;
use std::str::FromStr;

use sqfa::Noise;
use sqfa::model::{MOST_RESTARTS, Restarts, Start};
use sqfa::names::suggestion;
use sqfa::reduce::Choice;
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

/// `auto` or a count.
pub(crate) fn restarts(text: &str) -> Result<Restarts, String> {
    match text.parse::<usize>() {
        _ if text == "auto" => Ok(Restarts::Auto),
        Ok(count) if (1..=MOST_RESTARTS).contains(&count) => Ok(Restarts::Count(count)),
        Ok(_) => Err(format!("give a number of starts from 1 to {MOST_RESTARTS}")),
        Err(_) => Err(word_or(text, &["auto"], "a whole number of at least 1")),
    }
}

/// How many filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FiltersArg {
    /// Chosen on held-out points.
    Auto,
    /// So many.
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

/// `auto`, a number, or several to choose from.
pub(crate) fn choice(text: &str) -> Result<Choice, String> {
    if text == "auto" {
        return Ok(Choice::Auto);
    }
    let number = |part: &str| match part.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Ok(_) => Err("give finite numbers of at least 0, or 'auto'".to_owned()),
        Err(_) => Err(word_or(part, &["auto"], "a number, or several with commas between")),
    };
    match text.split(',').map(number).collect::<Result<Vec<_>, _>>()?.as_slice() {
        [value] => Ok(Choice::Value(*value)),
        values => Ok(Choice::Among(values.to_vec())),
    }
}

/// A whole number of at least 1.
pub(crate) fn positive(text: &str) -> Result<usize, String> {
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

/// Degrees of freedom that a distance is bounded for.
pub(crate) fn degrees(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 1.0 => Ok(value),
        _ => Err("give a finite number of at least 1: with heavier tails than Cauchy's (1) no distance is bounded".to_owned()),
    }
}

/// Width and height, as in 28x28.
pub(crate) fn width_height(text: &str) -> Result<(usize, usize), String> {
    text.split_once(['x', '×'])
        .and_then(|(width, height)| Some((positive(width).ok()?, positive(height).ok()?)))
        .ok_or_else(|| "give width and height, as in 28x28".to_owned())
}

/// Where the filters start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartArg {
    /// One of [`Start::NAMES`].
    Named(&'static str),
    /// Filters from an npy file (dimensions × filters) or a model file.
    File(PathBuf),
}

impl FromStr for StartArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match Start::NAMES.into_iter().find(|name| *name == text) {
            Some(name) => Ok(Self::Named(name)),
            // A name without an ending is more likely a misspelt word than a file.
            None if text.contains(['.', '/', std::path::MAIN_SEPARATOR]) => {
                Ok(Self::File(text.into()))
            }
            None => Err(word_or(text, &Start::NAMES, "a file of filters (.npy or a model)")),
        }
    }
}

/// Where a test set or a prediction takes its points from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PartArg {
    /// The training points.
    Train,
    /// The test points.
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
    /// The first row is a point.
    No,
}

/// What to do about missing values, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MissingArg {
    /// Leave out the rows that lack a value; predict leaves their answer empty.
    Drop,
    /// Fill in the mean of the column; with a model, of its training points.
    Mean,
}

/// What stands between cells: a word or one character.
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
    /// These, in the order of the classes.
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
    fn words_and_numbers_are_told_apart() {
        assert_eq!(noise("0.5"), Ok(Noise::Value(0.5)));
        assert!(noise("-1").is_err() && noise("nan").is_err() && noise("inf").is_err());
        assert!(noise("scal").unwrap_err().contains("did you mean 'scale'?"));
        assert_eq!(restarts("3"), Ok(Restarts::Count(3)));
        assert!(restarts("0").is_err() && restarts("100000000").is_err());
        assert_eq!("pca".parse(), Ok(StartArg::Named("pca")));
        assert!("randm".parse::<StartArg>().unwrap_err().contains("did you mean 'random'?"));
        assert_eq!("f.npy".parse(), Ok(StartArg::File("f.npy".into())));
        assert_eq!("1,3".parse(), Ok(PriorsArg::Given(vec![1.0, 3.0])));
        assert!("1,x".parse::<PriorsArg>().is_err());
    }
}

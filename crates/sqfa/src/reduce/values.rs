//! Conversions between the text of a setting, as it is typed or kept in a file, and its typed value.

use std::str::FromStr;

use thiserror::Error;

use crate::distance::Distance;
use crate::model::{Learning, MOST_RESTARTS, Noise, Restarts, Start};
use crate::names::suggestion;

use super::Choice;

/// A text that is not a value of a setting; the message lists what is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BadValue(String);

impl BadValue {
    /// Returns the error for a text that is neither one of `words` nor `otherwise`; it suggests the nearest word.
    pub(super) fn new(text: &str, words: &[&str], otherwise: &str) -> Self {
        let near = suggestion(text, words.iter().copied());
        let choices: Vec<&str> = words
            .iter()
            .copied()
            .chain(Some(otherwise).filter(|other| !other.is_empty()))
            .collect();
        let accepted = match choices.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => choices.concat(),
        };
        Self(format!("'{text}' is not understood{near}: give {accepted}"))
    }
}

/// Parses a value that has a parser of its own, whose errors name what is accepted.
pub(super) fn parsed<T: FromStr<Err = String>>(text: &str) -> Result<T, BadValue> {
    text.parse().map_err(BadValue)
}

/// Parses the name of a distance.
pub(super) fn distance(text: &str) -> Result<Distance, BadValue> {
    Distance::named(text).map_err(|error| BadValue(error.to_string()))
}

/// Parses a value of a list of names, where `auto` stands for `None`.
pub(super) fn named_or_auto<T: Copy>(
    text: &str,
    list: &[(&str, T)],
) -> Result<Option<T>, BadValue> {
    if text == "auto" {
        return Ok(None);
    }
    let known = list.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    let words: Vec<&str> = ["auto"].into_iter().chain(list.iter().map(|(name, _)| *name)).collect();
    known.map(Some).ok_or_else(|| BadValue::new(text, &words, ""))
}

/// Parses one of some names.
pub(super) fn named<T: Copy>(text: &str, list: &[(&str, T)]) -> Result<T, BadValue> {
    let known = list.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    let words: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
    known.ok_or_else(|| BadValue::new(text, &words, ""))
}

/// Parses a whole number of at least 1.
pub(super) fn count(text: &str) -> Result<usize, BadValue> {
    match text.parse() {
        Ok(0) | Err(_) => Err(BadValue::new(text, &[], "a whole number of at least 1")),
        Ok(count) => Ok(count),
    }
}

/// Parses a finite number of at least `least`.
pub(super) fn number(text: &str, least: f64) -> Result<f64, BadValue> {
    let number = text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= least);
    number.ok_or_else(|| {
        BadValue::new(text, &[], &format!("a finite number of at least {}", shown(least)))
    })
}

/// Parses `auto`, a fraction as in `0.3x`, `scale` or a number.
pub(super) fn noise(text: &str) -> Result<Noise, BadValue> {
    let known =
        "a fraction of the mean within-class variance as in 0.3x, or a finite number of at least 0";
    text.parse().map_err(|_| BadValue::new(text, &["auto", "scale"], known))
}

/// Returns the text of a noise; `None` for the default.
pub(super) fn noise_text(noise: Noise) -> Option<String> {
    match noise {
        Noise::Auto => None,
        noise => Some(noise.to_string()),
    }
}

/// Parses the name of an initialization; initial filters themselves are not text.
pub(super) fn start(text: &str) -> Result<Start, BadValue> {
    Start::named(text).ok_or_else(|| BadValue::new(text, &Start::NAMES, "initial filters"))
}

/// Returns the text of an initialization; `None` for the default and for initial filters, which are not text.
pub(super) fn start_text(start: &Start) -> Option<String> {
    match start {
        Start::Auto | Start::Given(_) => None,
        Start::Random => Some("random".to_owned()),
        Start::Differences => Some("differences".to_owned()),
        Start::Pca => Some("pca".to_owned()),
        Start::Inverse(kind) => Some(kind.name().to_owned()),
    }
}

/// Parses `auto` or a number of initializations.
pub(super) fn restarts(text: &str) -> Result<Restarts, BadValue> {
    match text.parse::<usize>() {
        _ if text == "auto" => Ok(Restarts::Auto),
        Ok(count) if (1..=MOST_RESTARTS).contains(&count) => Ok(Restarts::Count(count)),
        _ => {
            let range = format!("a whole number from 1 to {MOST_RESTARTS}");
            Err(BadValue::new(text, &["auto"], &range))
        }
    }
}

/// Parses the number of filters that are learned at a time; 0 stands for all at once.
pub(super) fn learning(text: &str) -> Result<Learning, BadValue> {
    match text.parse() {
        Ok(0) => Ok(Learning::Joint),
        Ok(size) => Ok(Learning::Sequential(size)),
        Err(_) => {
            Err(BadValue::new(text, &[], "a whole number of at least 1, or 0 for all at once"))
        }
    }
}

/// Parses `auto`, a number, or several numbers with commas between them.
pub(super) fn choice(text: &str) -> Result<Choice, BadValue> {
    if text == "auto" {
        return Ok(Choice::Auto);
    }
    let bad = |_| {
        BadValue::new(text, &["auto"], "one or several numbers of at least 0, separated by commas")
    };
    let numbers = text.split(',').map(|part| number(part.trim(), 0.0));
    let numbers = numbers.collect::<Result<Vec<_>, _>>().map_err(bad)?;
    Ok(match numbers.as_slice() {
        [value] => Choice::Value(*value),
        _ => Choice::Among(numbers),
    })
}

/// Returns the text of a value that may be selected; `None` for the default of the method.
pub(super) fn choice_text(choice: &Choice) -> Option<String> {
    match choice {
        Choice::Usual => None,
        Choice::Auto => Some("auto".to_owned()),
        Choice::Value(value) => Some(shown(*value)),
        Choice::Among(values) => {
            Some(values.iter().copied().map(shown).collect::<Vec<_>>().join(","))
        }
    }
}

/// Returns the shortest text from which the same number is parsed.
pub(super) fn shown(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

//! Values with names: the help lists them, and a name that is not among them meets the nearest one.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use sqfa::distance::registry;
use sqfa::names::chosen;
use sqfa::reduce::{ReducerEntry, reducer_entry, reducers};
use sqfa::statistics::{LARGEST_SKETCH, SCALINGS, SKETCH_SIZE, Scaling};
use sqfa::{Distance, Estimator};

use crate::data::Builtin;

/// A parser of named values.
#[derive(Clone)]
pub(crate) struct Choice<T> {
    names: fn() -> Vec<(String, &'static str)>,
    parse: fn(&str) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Choice<T> {
    type Value = T;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let text = value.to_string_lossy();
        (self.parse)(&text).map_err(|message| {
            let flag = arg.map(|arg| format!("{arg}: ")).unwrap_or_default();
            Error::raw(ErrorKind::ValueValidation, format!("{flag}{message}\n")).with_cmd(cmd)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let named = |(name, help): (String, &'static str)| match help {
            "" => PossibleValue::new(name),
            help => PossibleValue::new(name).help(help),
        };
        Some(Box::new((self.names)().into_iter().map(named)))
    }
}

/// Every way to find filters.
pub(crate) fn method() -> Choice<ReducerEntry> {
    Choice {
        names: || reducers().iter().map(|entry| (entry.name.to_owned(), entry.summary)).collect(),
        parse: |name| reducer_entry(name).copied().map_err(|error| error.to_string()),
    }
}

/// The distances of the registry.
pub(crate) fn distance() -> Choice<Distance> {
    Choice {
        names: || registry().iter().map(|entry| (entry.spelling(), entry.summary)).collect(),
        parse: |name| Distance::named(name).map_err(|error| error.to_string()),
    }
}

/// The covariance estimators.
pub(crate) fn estimator() -> Choice<Estimator> {
    Choice {
        names: || {
            let all = Estimator::SPELLINGS.iter();
            all.map(|&(name, help)| (name.to_owned(), help)).collect()
        },
        parse: str::parse,
    }
}

/// Sketches of covariances, by their number of rows.
pub(crate) fn sketch() -> Choice<usize> {
    Choice {
        names: || {
            vec![
                (SKETCH.to_owned(), "100 rows per class, with a bound of their error"),
                (format!("{SKETCH}:ROWS"), "the same with so many rows"),
            ]
        },
        parse: rows_of_sketch,
    }
}

const SKETCH: &str = "sketch";

fn rows_of_sketch(text: &str) -> Result<usize, String> {
    if ["auto", "dense", "factor"].contains(&text) {
        return Err(format!("'{text}' cannot be chosen: leave --form out, or use {SKETCH}[:ROWS]"));
    }
    let Some(rows) = text.strip_prefix("sketch:") else {
        return Ok(chosen("form of covariances", text, &[(SKETCH, SKETCH_SIZE)])?);
    };
    match rows.parse() {
        Ok(rows) if (1..=LARGEST_SKETCH).contains(&rows) => Ok(rows),
        _ => Err(format!(
            "'{text}': specify 1 to {LARGEST_SKETCH} rows, as in {SKETCH}:{SKETCH_SIZE}"
        )),
    }
}

/// The scalings that treat columns one by one.
pub(crate) fn scaling_of_columns() -> Choice<Scaling> {
    Choice {
        names: || {
            let own = SCALINGS.iter().filter(|(_, scaling)| scaling.of_columns() == *scaling);
            own.map(|(name, _)| ((*name).to_owned(), "")).collect()
        },
        parse: |text| match text.parse()? {
            Scaling::WithinClass => Err("use none, common or per-feature".to_owned()),
            scaling => Ok(scaling),
        },
    }
}

/// The scalings.
pub(crate) fn scaling() -> Choice<ScalingChoice> {
    Choice {
        names: || {
            let names = std::iter::once(AUTO).chain(SCALINGS.iter().map(|(name, _)| *name));
            names.map(|name| (name.to_owned(), "")).collect()
        },
        parse: |text| match text {
            AUTO => Ok(None),
            text => text.parse().map(Some),
        },
    }
}

/// A scaling, or `None` if it is selected on held-out samples.
pub(crate) type ScalingChoice = Option<Scaling>;

/// The name of the selection on held-out samples.
const AUTO: &str = "auto";

/// The built-in data sets.
pub(crate) fn builtin() -> Choice<Builtin> {
    Choice {
        names: || {
            Builtin::ALL.iter().map(|data| (data.name().to_owned(), data.summary())).collect()
        },
        parse: Builtin::named,
    }
}

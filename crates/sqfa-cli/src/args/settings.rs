//! Flags of the settings of methods, all of them from the rows of the core.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use sqfa::model::Start;
use sqfa::reduce::{
    BadValue, Heading, Kind, ROWS, ReducerEntry, ReducerSettings, Row, Setting, reducers,
};

use super::StartArg;

/// How many methods a message names.
const NAMED: usize = 4;

/// The specified settings as text, in the order of the rows. `COMPARED` limits the flags to those of `sqfa compare`.
#[derive(Debug, Clone, Default)]
pub(crate) struct SettingFlags<const COMPARED: bool> {
    specified: Vec<(&'static Row, String)>,
}

/// The rows that a command has flags for.
fn rows(compared: bool) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.compared || !compared)
}

/// The identifier of a flag, as derived flags have it.
fn id(row: &Row) -> String {
    row.flag.trim_start_matches('-').replace('-', "_")
}

/// A help text without its full stop, which help texts of one line leave out, and with the defaults.
fn with_defaults(text: &str, row: &Row) -> String {
    let text = text.strip_suffix('.').unwrap_or(text);
    match row.defaults() {
        defaults if defaults.is_empty() => text.to_owned(),
        defaults => format!("{text} [default: {defaults}]"),
    }
}

/// The flag of a row.
fn flag(row: &'static Row, compared: bool) -> Arg {
    let first = row.help.split_inclusive(". ").next().unwrap_or_default().trim_end();
    let heading = if compared { Some("Fits") } else { row.heading.title() };
    let arg = Arg::new(id(row))
        .long(row.flag.trim_start_matches('-'))
        .value_name(row.value)
        .value_parser(Text(row))
        .help(with_defaults(first, row))
        .long_help(with_defaults(&row.description(), row))
        .help_heading(heading)
        .hide_short_help(row.heading != Heading::Common)
        .allow_negative_numbers(!matches!(row.kind, Kind::Name(_)));
    match row.alone {
        Some(value) => arg.num_args(0..=1).require_equals(true).default_missing_value(value),
        None => arg,
    }
}

/// Checks the text of a setting and keeps it as it is.
#[derive(Clone)]
struct Text(&'static Row);

impl TypedValueParser for Text {
    type Value = String;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let text = value.to_string_lossy().into_owned();
        match check(self.0, &text) {
            Ok(()) => Ok(text),
            Err(error) => {
                let flag = arg.map(|arg| format!("{arg}: ")).unwrap_or_default();
                let message = format!("{flag}{error}\n");
                Err(Error::raw(ErrorKind::ValueValidation, message).with_cmd(cmd))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let Kind::Name(names) = self.0.kind else { return None };
        Some(Box::new(names().into_iter().map(|(name, help)| match help {
            "" => PossibleValue::new(name),
            help => PossibleValue::new(name).help(help),
        })))
    }
}

/// Reads a text into settings that are thrown away.
fn check(row: &Row, text: &str) -> Result<(), BadValue> {
    if is_file(row, text) {
        return Ok(());
    }
    (row.read)(&mut ReducerSettings::default(), text)
}

/// Whether a text names a file of initial filters. A name without an ending is more likely a misspelt word.
fn is_file(row: &Row, text: &str) -> bool {
    row.setting == Setting::Start && text.contains(['.', '/', std::path::MAIN_SEPARATOR])
}

impl<const COMPARED: bool> Args for SettingFlags<COMPARED> {
    fn augment_args(command: Command) -> Command {
        rows(COMPARED).fold(command, |command, row| command.arg(flag(row, COMPARED)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const COMPARED: bool> FromArgMatches for SettingFlags<COMPARED> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let text = |row| Some((row, matches.get_one::<String>(&id(row))?.clone()));
        Ok(Self { specified: rows(COMPARED).filter_map(text).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<const COMPARED: bool> SettingFlags<COMPARED> {
    /// Whether a setting was specified.
    pub(crate) fn has(&self, setting: Setting) -> bool {
        self.text(setting).is_some()
    }

    /// The text of a setting, if it was specified.
    fn text(&self, setting: Setting) -> Option<&str> {
        let own = self.specified.iter().find(|(row, _)| row.setting == setting);
        own.map(|(_, text)| text.as_str())
    }

    /// The specified settings as typed fields; filters in a file are read later.
    pub(crate) fn typed(&self) -> Result<ReducerSettings, BadValue> {
        let mut settings = ReducerSettings::default();
        for (row, text) in self.specified.iter().filter(|(row, text)| !is_file(row, text)) {
            (row.read)(&mut settings, text)?;
        }
        Ok(settings)
    }

    /// The initial filters: a name, or a file.
    pub(crate) fn start(&self) -> StartArg {
        let text = self.text(Setting::Start).unwrap_or(Start::NAMES[0]);
        match Start::NAMES.into_iter().find(|name| *name == text) {
            Some(name) => StartArg::Named(name),
            None => StartArg::File(text.into()),
        }
    }

    /// Why a method cannot be run with the specified settings, if it does not use one of them.
    pub(crate) fn unused_by(&self, method: &ReducerEntry) -> Option<String> {
        let (row, _) = self.specified.iter().find(|(row, _)| !row.is_used_by(method))?;
        let users = reducers().iter().filter(|other| row.is_used_by(other));
        let users: Vec<&str> = users.map(|other| other.name).collect();
        let remedy = match users.len() {
            0 => String::new(),
            1..=NAMED => format!(": it belongs to `--method {}`", users.join("` or `--method ")),
            _ => {
                ": leave it out, or choose another method (`sqfa fit --help` lists them)".to_owned()
            }
        };
        Some(format!("`--method {}` does not use `{}`{remedy}", method.name, row.flag))
    }
}

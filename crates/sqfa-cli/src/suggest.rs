//! Suggested flags and commands, quoted so that they work when they are pasted into a shell.

use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

use crate::args::Arguments;
use crate::command::typed_words;

/// The headings of the help under which flags about reading data stand.
const READING: [&str; 2] = ["Data", "Tables"];

/// A word of a command line, in quotes where a shell would otherwise change it.
pub(crate) fn word(text: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./,:=+@%".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// A flag with its value; one that begins with a minus sign is joined by an equals sign, since it would look like a flag.
pub(crate) fn flag(name: &str, value: &str) -> String {
    let mark = if value.starts_with('-') { '=' } else { ' ' };
    format!("{name}{mark}{}", word(value))
}

/// A whole command from its words.
pub(crate) fn command<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let words = words.into_iter().map(|one| word(one.as_ref()));
    std::iter::once("sqfa".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns the command that applies a model to one file, as [`with_files`] does for several.
pub(crate) fn with_model(name: &str, model: &Path, data: &str) -> String {
    with_files(name, model, &[data])
}

/// Returns the command that applies a model to files, with the flags by which the user had such data read.
///
/// The label column is left out: the model remembers it.
pub(crate) fn with_files<S: AsRef<str>>(name: &str, model: &Path, data: &[S]) -> String {
    let words = [name.to_owned(), word(&model.display().to_string())];
    let files = data.iter().map(|file| word(file.as_ref()));
    let own = words.into_iter().chain(files).chain(read_flags(name));
    std::iter::once("sqfa".to_owned()).chain(own).collect::<Vec<_>>().join(" ")
}

/// The flags about reading data that were typed and that another command has as well, ready to be pasted.
fn read_flags(name: &str) -> Vec<String> {
    let mut known = Arguments::command();
    known.build();
    let typed = known.clone().try_get_matches_from(typed_words());
    let Some((own, typed)) = typed.as_ref().ok().and_then(ArgMatches::subcommand) else {
        return Vec::new();
    };
    let has = |id: &str| {
        let other = known.find_subcommand(name)?.get_arguments().find(|arg| arg.get_id() == id)?;
        let about = other.get_help_heading()?;
        let long = other.get_long()?;
        (READING.contains(&about) && id != "label").then_some(long)
    };
    let Some(own) = known.find_subcommand(own) else { return Vec::new() };
    let given = |id: &str| typed.value_source(id) == Some(ValueSource::CommandLine);
    let ids = own.get_arguments().map(|arg| arg.get_id().as_str()).filter(|id| given(id));
    ids.filter_map(|id| {
        let values: Vec<String> =
            typed.get_raw(id)?.map(|value| value.to_string_lossy().into_owned()).collect();
        Some(flag(&format!("--{}", has(id)?), &values.join(",")))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_change_is_quoted() {
        assert_eq!(word("a-b_c.csv"), "a-b_c.csv");
        assert_eq!(word("größe"), "größe");
        assert_eq!(word("my file.csv"), "'my file.csv'");
        assert_eq!(word("it's"), "'it'\\''s'");
        assert_eq!(word("$HOME"), "'$HOME'");
        assert_eq!(word(""), "''");
        assert_eq!(flag("--label", "-x y"), "--label='-x y'");
        assert_eq!(flag("--ignore", "a,b"), "--ignore a,b");
        assert_eq!(command(["fit", "a b.csv"]), "sqfa fit 'a b.csv'");
    }
}

//! The command reference as Markdown, made from the same description as the help texts.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command};

/// The page of a command: what it does, how it is called, its arguments under their headings, examples.
pub(crate) fn page(command: &Command, name: &str) -> String {
    let about = command.get_long_about().or(command.get_about());
    let mut usage = command.clone().bin_name(name.to_owned());
    let mut page = format!("# {name}\n");
    if let Some(about) = about {
        let _ = write!(page, "\n{}\n", sentence(&about.to_string()));
    }
    let usage = usage.render_usage().to_string();
    let _ = write!(page, "\n```text\n{}\n```\n", usage.trim_start_matches("Usage: ").trim());
    for (heading, arguments) in headings(command) {
        let _ = write!(page, "\n## {heading}\n");
        for argument in arguments {
            page += &entry(argument);
        }
    }
    let nested: Vec<&Command> = visible(command).collect();
    if !nested.is_empty() {
        page += "\n## Commands\n\n";
        for inner in nested {
            let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(page, "- `{name} {}`: {}", inner.get_name(), escaped(&about));
        }
    }
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        let _ = write!(page, "\n## Notes\n\n```text\n{}\n```\n", after.to_string().trim_end());
    }
    page
}

/// The subcommands that users see.
pub(crate) fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

/// Arguments under their headings, in the order of the help text.
fn headings(command: &Command) -> Vec<(String, Vec<&Arg>)> {
    let mut found: Vec<(String, Vec<&Arg>)> = Vec::new();
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let heading = match argument.get_help_heading() {
            Some(heading) => heading.to_owned(),
            None if argument.is_positional() => "Arguments".to_owned(),
            None => "Options".to_owned(),
        };
        match found.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, list)) => list.push(argument),
            None => found.push((heading, vec![argument])),
        }
    }
    found
}

/// One argument as an entry of a definition list.
fn entry(argument: &Arg) -> String {
    let mut names = Vec::new();
    names.extend(argument.get_short().map(|short| format!("-{short}")));
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let takes = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let values = argument.get_value_names().unwrap_or_default().join(" ");
    let mut term = names.join(", ");
    if takes && !values.is_empty() {
        let gap = if term.is_empty() { "" } else { " " };
        let _ = write!(term, "{gap}{values}");
    }
    let help = argument.get_long_help().or(argument.get_help());
    let mut text = help.map(|help| sentence(&help.to_string())).unwrap_or_default();
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if takes && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        let _ = write!(text, " Default: `{}`.", defaults.join(","));
    }
    let mut entry = format!("\n`{term}`\n: {}\n", text.replace('\n', "\n  "));
    if takes && !argument.is_hide_possible_values_set() {
        let possible = argument.get_possible_values();
        let possible = possible.iter().filter(|value| !value.is_hide_set());
        let told: Vec<String> = possible
            .map(|value| match value.get_help() {
                Some(help) => {
                    format!("  - `{}`: {}\n", value.get_name(), escaped(&help.to_string()))
                }
                None => format!("  - `{}`\n", value.get_name()),
            })
            .collect();
        if !told.is_empty() {
            let _ = write!(entry, "\n{}", told.concat());
        }
    }
    entry
}

/// Text that ends as a sentence does: clap takes the full stop away.
fn sentence(text: &str) -> String {
    let ended = text.ends_with('.') || text.ends_with(']');
    escaped(text) + if ended { "" } else { "." }
}

/// Text in which no character means markup.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '*' | '_' | '<' | '>' | '[' | ']' | '`' | '|' | '$' | '\\') {
            safe.push('\\');
        }
        safe.push(letter);
    }
    safe
}

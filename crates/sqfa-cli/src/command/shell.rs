//! Shell completions and manual pages, made from the same description as the help texts.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;

use super::tables::write_text;
use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::output;

/// Prints completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "sqfa", &mut script);
    output::say(&String::from_utf8_lossy(&script))
}

/// Prints the main manual page, or writes a page for every command.
pub(crate) fn man(args: &ManArgs) -> Result<()> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.out else { return output::say(&page(&command)?) };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    write(folder, "sqfa", &command)?;
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write(folder, &format!("sqfa-{}", subcommand.get_name()), subcommand)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, command: &clap::Command) -> Result<()> {
    let named = command.clone().name(name.to_owned());
    write_text(&folder.join(format!("{name}.1")), &page(&named)?)
}

fn page(command: &clap::Command) -> Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

//! Shell completions and manual pages, made from the same description as the help texts.

use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;

use super::reference;
use super::tables::write_text;
use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::output;

/// Prints completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "sqfa", &mut script);
    output::say_data(&String::from_utf8_lossy(&script))
}

/// Prints the main manual page, or writes a page for every command, as manual pages or as Markdown.
pub(crate) fn man(args: &ManArgs) -> Result<()> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.out else {
        return output::say(&match args.markdown {
            true => reference::page(&command, "sqfa"),
            false => page(&command)?,
        });
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    write(folder, "sqfa", &command, args.markdown)?;
    for subcommand in reference::visible(&command) {
        write(folder, &format!("sqfa-{}", subcommand.get_name()), subcommand, args.markdown)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, command: &clap::Command, markdown: bool) -> Result<()> {
    if markdown {
        let text = reference::page(command, &name.replacen('-', " ", 1));
        return write_text(&folder.join(format!("{name}.md")), &text);
    }
    let named = command.clone().name(name.to_owned());
    write_text(&folder.join(format!("{name}.1")), &page(&named)?)
}

fn page(command: &clap::Command) -> Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

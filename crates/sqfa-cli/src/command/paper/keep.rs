//! Tables, figures and verdicts as files, in a folder of their own.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use sqfa_io::formats::is_temporary;
use sqfa_lab::figure::{Figure, Place};
use sqfa_paper::{Item, Sheet, Verdicts};

use crate::command::tables::write_text;
use crate::interrupt::Guard;
use crate::output;

/// Says that a folder is ours.
const MARK: &str = "sqfa-paper.txt";

/// What an item became.
pub(super) enum Made {
    Sheet(Sheet),
    Figure(Figure),
    Verdicts(Verdicts),
}

impl Made {
    /// Writes it and says so.
    pub(super) fn keep(&self, out: &Path, item: &Item, as_json: bool) -> Result<()> {
        match self {
            Self::Sheet(sheet) => {
                let texts = [sheet.text(), sheet.markdown(), sheet.csv()];
                keep_table(out, item, texts, &sheet.json(), as_json)
            }
            Self::Verdicts(list) => {
                let texts = [list.text(), list.markdown(), list.csv()];
                keep_table(out, item, texts, &list.json(), as_json)
            }
            Self::Figure(drawn) => keep_figure(out, item, drawn, as_json),
        }
    }
}

fn keep_table(
    out: &Path,
    item: &Item,
    [text, markdown, csv]: [String; 3],
    value: &Value,
    as_json: bool,
) -> Result<()> {
    let path = |ending: &str| out.join(format!("{}.{ending}", item.name));
    let _guard = Guard::new();
    write_text(&path("md"), &markdown)?;
    write_text(&path("csv"), &csv)?;
    write_text(&path("json"), &(serde_json::to_string_pretty(value)? + "\n"))?;
    if as_json {
        return output::say_json(value);
    }
    output::say(&format!("{text}\n"))
}

fn keep_figure(out: &Path, item: &Item, drawn: &Figure, as_json: bool) -> Result<()> {
    let svg = drawn.svg(Place::File);
    let _guard = Guard::new();
    let path = out.join(format!("{}.svg", item.name));
    write_text(&path, &svg)?;
    let mut files = vec![path.display().to_string()];
    if let Some(bytes) = png(&svg)? {
        let path = path.with_extension("png");
        let mut file = sqfa_io::formats::AtomicFile::create(&path)?;
        file.write_all(&bytes)?;
        file.commit()?;
        files.push(path.display().to_string());
    }
    if as_json {
        return output::say_json(&json!({ "name": item.name, "files": files }));
    }
    output::say(&format!("{} ({}): {}\n", item.name, item.title, files.join(", ")))
}

/// The figure as PNG where the command can.
#[cfg(feature = "png")]
fn png(svg: &str) -> Result<Option<Vec<u8>>> {
    /// Pixels a unit: sharp on paper and on dense screens.
    const SCALE: f64 = 2.0;
    Ok(Some(sqfa_lab::figure::png(svg, SCALE)?))
}

/// Without the feature there is no PNG.
#[cfg(not(feature = "png"))]
fn png(_: &str) -> Result<Option<Vec<u8>>> {
    Ok(None)
}

/// An error when a folder holds something else; nothing is written.
pub(super) fn check(folder: &Path) -> Result<()> {
    if !folder.exists() || folder.join(MARK).exists() {
        return Ok(());
    }
    let action = || format!("cannot use {}", folder.display());
    // What a killed process left half-written is not somebody else's.
    let mut entries = fs::read_dir(folder).with_context(action)?.flatten();
    if entries.any(|entry| !is_temporary(&entry.file_name())) {
        bail!(
            "{} exists and was not made by sqfa paper: name a new folder, or one that it has made",
            folder.display()
        );
    }
    Ok(())
}

/// Makes a folder ours.
pub(super) fn claim(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot use {}", folder.display()))?;
    let mark = folder.join(MARK);
    if mark.exists() {
        return Ok(());
    }
    write_text(&mark, "Made by sqfa paper; cells/ holds the fits, one folder a data set.\n")
}

//! Items as files in a folder of their own: tables and claims as Markdown, csv and JSON, figures as SVG and PNG.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{About, Made, PaperError};
use sqfa_io::formats::{AtomicFile, crash};
use sqfa_lab::figure::Place;
use sqfa_lab::folder::Owner;

/// Says that a folder is ours.
const MARK: &str = "sqfa-paper.txt";

/// An item that was made and written.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// What it is.
    pub about: About,
    /// The item.
    pub made: Made,
    /// Its files.
    pub files: Vec<PathBuf>,
}

impl Output {
    /// Writes an item.
    pub(crate) fn write(about: About, made: Made, out: &Path) -> Result<Self, PaperError> {
        let mut files = Vec::new();
        for (ending, bytes) in contents(&made)? {
            let path = out.join(format!("{}.{ending}", about.name));
            write(&path, &bytes)?;
            files.push(path);
        }
        Ok(Self { about, made, files })
    }

    /// What a terminal shows: the numbers, or the files of a figure.
    pub fn text(&self) -> String {
        let About { name, title, .. } = self.about;
        match &self.made {
            Made::Table(table) => table.text(),
            Made::Claims(list) => list.text(),
            Made::Figure(_) => format!("{name} ({title}): {}", self.listed().join(", ")),
        }
    }

    /// The same as one JSON object.
    pub fn json(&self) -> Value {
        match &self.made {
            Made::Table(table) => table.json(),
            Made::Claims(list) => list.json(),
            Made::Figure(_) => json!({ "name": self.about.name, "files": self.listed() }),
        }
    }

    fn listed(&self) -> Vec<String> {
        self.files.iter().map(|path| path.display().to_string()).collect()
    }
}

/// The contents of all files of an item by their endings.
fn contents(made: &Made) -> Result<Vec<(&'static str, Vec<u8>)>, PaperError> {
    let texts = |markdown: String, csv: String, value: &Value| {
        let pretty = serde_json::to_string_pretty(value)
            .map_err(|error| PaperError::numbers("JSON", error))?;
        let texts = [("md", markdown), ("csv", csv), ("json", pretty + "\n")];
        Ok(texts.map(|(ending, text)| (ending, text.into_bytes())).to_vec())
    };
    match made {
        Made::Table(table) => texts(table.markdown(), table.csv(), &table.json()),
        Made::Claims(list) => texts(list.markdown(), list.csv(), &list.json()),
        Made::Figure(drawn) => {
            let svg = drawn.svg(Place::File);
            let png = png(&svg)?;
            Ok([("svg", svg.into_bytes())].into_iter().chain(png).collect())
        }
    }
}

/// The figure as PNG where the build can.
#[cfg(feature = "png")]
fn png(svg: &str) -> Result<Option<(&'static str, Vec<u8>)>, PaperError> {
    /// Pixels a unit: sharp on paper and on dense screens.
    const SCALE: f64 = 2.0;
    let bytes = sqfa_lab::figure::png(svg, SCALE);
    Ok(Some(("png", bytes.map_err(|error| PaperError::numbers("PNG", error))?)))
}

/// Without the feature there is no PNG.
#[cfg(not(feature = "png"))]
fn png(_: &str) -> Result<Option<(&'static str, Vec<u8>)>, PaperError> {
    Ok(None)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), PaperError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|error| PaperError::io(path, "write", error))?;
    Ok(file.commit()?)
}

/// An error when a folder holds something else; nothing is written.
pub(crate) fn check(folder: &Path) -> Result<(), PaperError> {
    let owner = Owner::of(folder, MARK).map_err(|error| PaperError::io(folder, "use", error))?;
    match owner {
        Owner::Others => Err(PaperError::OtherFolder(folder.to_owned())),
        Owner::Us | Owner::Nobody => Ok(()),
    }
}

/// Makes a folder ours.
pub(crate) fn claim(folder: &Path) -> Result<(), PaperError> {
    let mark = folder.join(MARK);
    if mark.exists() {
        return Ok(());
    }
    let made = crash::before_operation().and_then(|()| fs::create_dir_all(folder));
    made.map_err(|error| PaperError::io(folder, "use", error))?;
    write(&mark, b"Made by sqfa-paper; cells/ holds the fits, one folder a data set.\n")
}

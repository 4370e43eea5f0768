//! Tables and label columns as files: csv text and numpy arrays.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use sqfa::{Classes, Labels};
use sqfa_io::formats::{AtomicFile, Values};

/// Labels as an array: whole numbers or text.
pub(crate) fn label_values(labels: &Labels) -> Values {
    let codes = labels.codes().iter().map(|&code| code as usize);
    match labels.classes() {
        Classes::Integers(classes) => Values::I64(codes.map(|code| classes[code]).collect()),
        Classes::Texts(classes) => Values::Text(codes.map(|code| classes[code].clone()).collect()),
    }
}

/// Classes as an array: whole numbers or text.
pub(crate) fn class_values(classes: &Classes) -> Values {
    match classes {
        Classes::Integers(values) => Values::I64(values.clone()),
        Classes::Texts(values) => Values::Text(values.clone()),
    }
}

/// A cell of a table, quoted when it must be.
pub(crate) fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Writes text to a file, whole or not at all.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let written = file.write_all(text.as_bytes());
    written.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(file.commit()?)
}

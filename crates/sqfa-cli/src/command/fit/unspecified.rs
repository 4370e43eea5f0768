//! What `sqfa fit` uses if `--out` and `--filters` are not specified.

use std::path::{Path, PathBuf};

use anyhow::Result;
use sqfa::pipeline::Filters;
use sqfa::reduce::{Limit, ReducerEntry};
use sqfa_io::data::Loaded;

use crate::failure::usage;
use crate::suggest;

/// The number of filters, as in Python.
const FILTERS: usize = 2;
/// The model file of data without a name of their own: standard input and several files.
const MODEL: &str = "model.sqfa";
/// The extension of a compressed file, before which the extension of the format stands.
const COMPRESSED: &str = ".gz";

/// Returns the model file for some data: their name with the extension `.sqfa`, in the current folder.
///
/// # Errors
///
/// If the file exists and is not to be replaced.
pub(super) fn model_file(data: &[String], replace: bool) -> Result<PathBuf> {
    let out = match data {
        [one] => named_after(one).unwrap_or_else(|| MODEL.into()),
        _ => MODEL.into(),
    };
    if out.exists() && !replace {
        let own = out.display();
        let other = suggest::flag(
            "--out",
            &format!("{}-2.sqfa", out.file_stem().unwrap_or_default().display()),
        );
        return usage(format!(
            "{own} exists: replace it with --force, or name another file with {other}"
        ));
    }
    Ok(out)
}

/// Returns the model file of one file, folder or built-in data set; `None` for standard input and patterns.
fn named_after(data: &str) -> Option<PathBuf> {
    let name = Path::new(data).file_name()?.to_str()?;
    if name == "-" || name.contains(['*', '?']) {
        return None;
    }
    let name = name.strip_suffix(COMPRESSED).unwrap_or(name);
    Some(Path::new(name).with_extension("sqfa"))
}

/// Returns the number of filters for some data: fewer than two only if the method finds no more.
pub(super) fn filters(entry: &ReducerEntry, loaded: &Loaded, pca_dims: Option<usize>) -> Filters {
    let (classes, columns) = match loaded {
        Loaded::Data(data) => (data.train.labels.classes().len(), data.train.points.columns()),
        Loaded::Statistics(given) => (given.classes.len(), given.dimensions),
        Loaded::Sums(_, sums) => (sums.classes().len(), sums.dimension()),
    };
    let dimensions = pca_dims.unwrap_or(columns).min(columns);
    let most = match entry.limit {
        Limit::ClassesLessOne => dimensions.min(classes.saturating_sub(1)),
        Limit::Dimension | Limit::Components => dimensions,
    };
    Filters::Count(FILTERS.min(most).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_after_their_data() {
        let name = |data: &str| named_after(data).map(|path| path.display().to_string());
        assert_eq!(name("a/b/wine.csv").as_deref(), Some("wine.sqfa"));
        assert_eq!(name("wine.red.csv.gz").as_deref(), Some("wine.red.sqfa"));
        assert_eq!(name("mnist/").as_deref(), Some("mnist.sqfa"));
        assert_eq!(name("toy-4d").as_deref(), Some("toy-4d.sqfa"));
        assert_eq!(name("-"), None);
        assert_eq!(name("part-*.csv"), None);
    }
}

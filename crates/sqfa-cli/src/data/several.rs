//! Several files, patterns of names, and files larger than memory: summed up batch by batch.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use sqfa_io::data::{
    ColumnMeans, LoadOptions, Loaded, Opened, Summed, TableSums, decoded_bytes, is_sums,
    open_batches, read_table_sums,
};
use sqfa_io::formats::{Column, Missing};

use super::memory::available;
use super::{
    alike, check_exists, check_flags, in_flags, open_joined, open_named, options_of, tell,
};
use crate::args::DataFlags;
use crate::failure::usage;
use crate::output;
use crate::progress::{Rate, StatusLine};

/// Samples that take more than this fraction of the available memory are accumulated instead of held.
const SHARE: f64 = 0.5;

/// Loads a data set from one or several files: joined if all samples fit into memory, as class statistics otherwise.
///
/// Samples are accumulated in any case if sketches of so many rows are wanted.
pub(crate) fn open_all(
    data: &[String],
    flags: &DataFlags,
    sketch: Option<usize>,
    line: &StatusLine,
) -> Result<Opened> {
    let files = expand(data)?;
    let given = options_of(flags);
    if files.len() > 1 && flags.labels.is_some() {
        return usage("--labels goes with one .npy file: sum several up with sqfa stats first");
    }
    let statistics = files.iter().find(|file| is_sums(Path::new(file)));
    let memory = available()?;
    let needed = files.iter().map(|file| held_bytes(file, &given)).fold(0, u64::saturating_add);
    let fits = memory.is_none_or(|memory| needed as f64 <= SHARE * memory as f64);
    if let [one] = &files[..]
        && fits
        && (sketch.is_none() || !Path::new(one).is_file() || statistics.is_some())
    {
        return open_named(one, flags, &[]);
    }
    if files.len() > 1 && fits && sketch.is_none() && statistics.is_none() {
        return open_joined(&files, flags, &[]);
    }
    let why = match (memory.filter(|_| !fits), statistics) {
        (Some(memory), _) => Some(format!(
            "the samples take {} MB, more than half of the {} MB of available memory",
            needed.div_ceil(1_000_000),
            memory.div_ceil(1_000_000)
        )),
        (None, Some(file)) => Some(format!("{file} holds class statistics, not samples")),
        (None, None) => None,
    };
    if let Some(why) = why {
        output::complain(
            "note",
            &format!(
                "{why}: class statistics are accumulated, and cross-validation is not possible"
            ),
        );
    }
    let mut summed = Summed::within(available()?).sketched(sketch);
    let fill = means_of(&files, None, |_| given.clone())?;
    for (at, file) in files.iter().enumerate() {
        check_exists(file)?;
        let path = Path::new(file);
        if is_sums(path) {
            let TableSums { sums, columns, label } = read_table_sums(path)?;
            summed.join_named(sums, &columns, file)?;
            summed.know_label(label);
            continue;
        }
        check_flags(file, flags.labels.is_some(), &flags.arrays, &flags.table)?;
        let expected = Some(summed.columns().to_vec()).filter(|names| !names.is_empty());
        let label =
            given.label.clone().or(summed.label().map(|name| Column::Known(name.to_owned())));
        let options = LoadOptions { label, expected, fill: fill.clone(), ..given.clone() };
        let reader = open_batches(path, &options, None).map_err(in_flags)?;
        let mut rate = Rate::new(file, at, files.len());
        let added = summed.add(reader, &mut |now| {
            rate.tell(line, now);
            true
        });
        added.map_err(in_flags)?;
        tell(file, &summed.take_notes());
    }
    let first = Path::new(&files[0]).file_name().map(|name| name.to_string_lossy().into_owned());
    let first = first.unwrap_or_else(|| files[0].clone());
    let name = match files.len() {
        1 => first,
        more => format!("{first} and {} more", more - 1),
    };
    let columns = summed.columns().to_vec();
    let label = summed.label().map(str::to_owned);
    let sums = summed.finish().map_err(in_flags)?;
    tell(&name, &alike(sums.classes()));
    Ok(Opened { label, ..Opened::new(Loaded::Sums(name, sums), columns, Vec::new()) })
}

/// The means of all columns of all files, where missing values are to be filled in with them.
pub(crate) fn means_of(
    files: &[String],
    weights: Option<&Column>,
    mut options: impl FnMut(&str) -> LoadOptions,
) -> Result<Option<Vec<f64>>> {
    let mut means = ColumnMeans::default();
    for file in files {
        check_exists(file)?;
        let options = options(file);
        if options.missing != Missing::Mean {
            return Ok(None);
        }
        if is_sums(Path::new(file)) {
            return usage(format!(
                "--missing mean: {file} holds class sums, whose samples are no longer available"
            ));
        }
        means.add(Path::new(file), &options, weights).map_err(in_flags)?;
    }
    means.finish(&files.join(" ")).map(Some).map_err(in_flags)
}

/// Names with * and ? in their last part as the files they stand for, in order.
pub(crate) fn expand(names: &[String]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for name in names {
        if !name.contains(['*', '?']) || Path::new(name).exists() {
            files.push(name.clone());
            continue;
        }
        let path = Path::new(name);
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let pattern = path.file_name().map(|last| last.to_string_lossy().into_owned());
        let pattern = pattern.unwrap_or_default();
        if folder.to_string_lossy().contains(['*', '?']) {
            return usage(format!("'{name}': * and ? may stand only in the last part of a name"));
        }
        let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let entries = std::fs::read_dir(shown)
            .map_err(|error| anyhow::anyhow!("cannot list {}: {error}", shown.display()))?;
        let mut found: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .filter(|file| {
                let file = file.to_string_lossy();
                !file.starts_with('.') && fits(&pattern, &file)
            })
            .map(|file| folder.join(file))
            .collect();
        if found.is_empty() {
            bail!("no file is called '{name}'");
        }
        found.sort();
        files.extend(found.iter().map(|path| path.display().to_string()));
    }
    let mut seen = HashSet::new();
    for file in &files {
        // What is not there is told by whoever opens it.
        if !seen.insert(Path::new(file).canonicalize().unwrap_or_else(|_| file.into())) {
            return usage(format!("'{file}' is named twice: its samples would count twice"));
        }
    }
    Ok(files)
}

/// Whether a name fits a pattern in which * stands for any characters and ? for one.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // After the last * seen: where to resume when what follows it does not fit.
    let (mut p, mut n, mut resume) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                resume = Some((p + 1, n));
                p += 1;
            }
            Some(&mark) if mark == '?' || mark == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match resume {
                Some((after, from)) => {
                    resume = Some((after, from + 1));
                    p = after;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&mark| mark == '*')
}

/// Returns the bytes that the samples of a file take in memory; 0 if the file does not show it.
fn held_bytes(file: &str, options: &LoadOptions) -> u64 {
    let path = Path::new(file);
    match path.is_file() && !is_sums(path) {
        // A file that cannot be opened is reported when it is opened for good.
        true => decoded_bytes(path, options).unwrap_or(0),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_stand_for_names() {
        for (pattern, name, expected) in [
            ("part-*.csv", "part-1.csv", true),
            ("part-*.csv", "part-.csv", true),
            ("part-*.csv", "part-1.csv.gz", false),
            ("*a*b", "xaxbab", true),
            ("*a*b", "xaxba", false),
            ("?.npy", "é.npy", true),
            ("?.npy", ".npy", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}

//! The neural recordings: every `neural/*.npz` of the data folder, or simulated ones, cleaned as the paper's were.
//!
//! A file holds `counts` (trials × neurons) or `raster` (trials × neurons × bins of 1 ms, of which the bins 50 to 99 are
//! counted) and `labels`, one a trial; with `session`, one a trial as well, it holds several sessions.

use std::path::{Path, PathBuf};

use super::PaperError;
use sqfa::Labels;
use sqfa::points::Scalar;
use sqfa::robust::{Cleaning, clean};
use sqfa::with_table;
use sqfa_io::data::{LabeledData, OwnedPoints, Part};
use sqfa_io::datasets::neural::Neural;
use sqfa_io::formats::{Limits, Npz, Values};

/// Bins of a raster that are counted.
const BINS: std::ops::Range<usize> = 50..100;
/// Seconds of these bins.
const WINDOW: f64 = 0.05;

/// The files of the recordings in a data folder, by name.
pub(crate) fn files(folder: Option<&Path>) -> Vec<PathBuf> {
    let Some(entries) = folder.and_then(|folder| std::fs::read_dir(folder.join("neural")).ok())
    else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "npz"));
    files.sort();
    files
}

/// All sessions, cleaned: those of files, or simulated ones where there are none.
pub(crate) fn sessions(files: &[PathBuf]) -> Result<Vec<LabeledData>, PaperError> {
    let raw = if files.is_empty() {
        Neural::default().generate()?
    } else {
        let mut raw = Vec::new();
        for file in files {
            raw.extend(read(file)?);
        }
        raw
    };
    raw.iter().map(cleaned).collect()
}

/// What stays of a session.
fn cleaned(data: &LabeledData) -> Result<LabeledData, PaperError> {
    let Part { points, labels } = &data.train;
    let names: Vec<String> = labels.classes().iter().map(|label| label.to_string()).collect();
    let options = Cleaning { window: Some(WINDOW), ..Cleaning::default() };
    let stays = clean(points.view(), labels.codes(), &names, &options)
        .map_err(|error| PaperError::numbers(format!("cleaning {}", data.name), error))?;
    let mut kept = Vec::with_capacity(stays.trials.len() * stays.neurons.len());
    with_table!(points.view(), table => for &row in &stays.trials {
        kept.extend(stays.neurons.iter().map(|&column| table.get(row, column).to_f64()));
    });
    part(&data.name, kept, stays.neurons.len(), labels.select(&stays.trials))
}

fn part(
    name: &str,
    values: Vec<f64>,
    neurons: usize,
    labels: Labels,
) -> Result<LabeledData, PaperError> {
    let points = OwnedPoints::from_f64(values, labels.len(), neurons)
        .ok_or_else(|| PaperError::numbers(name, "counts and labels of different lengths"))?;
    let train = Part { points, labels };
    Ok(LabeledData { name: name.to_owned(), train, test: None, image_shape: None })
}

/// The sessions of one file.
fn read(path: &Path) -> Result<Vec<LabeledData>, PaperError> {
    let place = path.display().to_string();
    let fail = |problem: String| PaperError::numbers(&place, problem);
    let mut npz = Npz::open(path, Limits::default())?;
    let key = ["counts", "raster"].into_iter().find(|key| npz.contains(key)).ok_or_else(|| {
        fail(format!("there is neither counts nor raster, only {}", npz.names().join(", ")))
    })?;
    let (shape, values) = npz.read(key)?.into_parts();
    let values: Vec<f64> = match values {
        Values::U8(values) => values.into_iter().map(f64::from).collect(),
        Values::F32(values) => values.into_iter().map(f64::from).collect(),
        Values::F64(values) => values,
        Values::I64(values) => values.into_iter().map(|value| value as f64).collect(),
        Values::Text(_) => return Err(fail(format!("{key} is text"))),
    };
    let (trials, neurons, counts) = match (key, &shape[..]) {
        ("counts", &[trials, neurons]) => (trials, neurons, values),
        ("raster", &[trials, neurons, bins]) if bins >= BINS.end => {
            let count = |row: &[f64]| row[BINS].iter().sum::<f64>();
            (trials, neurons, values.chunks_exact(bins).map(count).collect())
        }
        _ => {
            return Err(fail(format!(
                "{key} has the shape {shape:?}: give counts as trials × neurons, or raster as trials × neurons × bins of 1 ms, \
                 at least {}",
                BINS.end
            )));
        }
    };
    let one_each = |name: &str, labels: &Labels| match labels.len() == trials {
        true => Ok(()),
        false => Err(fail(format!("{trials} trials and {} {name}", labels.len()))),
    };
    let labels = names(&mut npz, "labels").map_err(&fail)?;
    one_each("labels", &labels)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if !npz.contains("session") {
        return Ok(vec![part(&stem, counts, neurons, labels)?]);
    }
    let sessions = names(&mut npz, "session").map_err(&fail)?;
    one_each("session", &sessions)?;
    let own = |session: usize| {
        let rows: Vec<usize> =
            (0..trials).filter(|&row| sessions.codes()[row] as usize == session).collect();
        let counts = rows.iter().flat_map(|&row| &counts[row * neurons..][..neurons]);
        let name = format!("{stem}-{}", sessions.classes().label(session));
        part(&name, counts.copied().collect(), neurons, labels.select(&rows))
    };
    (0..sessions.classes().len()).map(own).collect()
}

/// An array of names or numbers, one a trial.
fn names(npz: &mut Npz, key: &str) -> Result<Labels, String> {
    let array = npz.read(key).map_err(|error| error.to_string())?;
    Ok(match array.into_parts().1 {
        Values::I64(values) => Labels::from_integers(&values),
        Values::U8(values) => {
            Labels::from_integers(&values.into_iter().map(i64::from).collect::<Vec<_>>())
        }
        // Orientations such as 22.5 are names as good as any.
        Values::F32(values) => Labels::from_texts(&texts(&values)),
        Values::F64(values) => Labels::from_texts(&texts(&values)),
        Values::Text(values) => Labels::from_texts(&values),
    })
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqfa_io::formats::NpzWriter;

    /// Poisson-like counts that vary from trial to trial, four trials a label.
    fn count(trial: usize, neuron: usize) -> f64 {
        ((trial * 7 + neuron * 13 + trial * trial) % 5) as f64
    }

    fn write(path: &Path, arrays: &[(&str, Vec<usize>, Vec<f64>)]) {
        let mut npz = NpzWriter::create(path, false).unwrap();
        for (name, shape, values) in arrays {
            npz.add(name, shape, values).unwrap();
        }
        npz.finish().unwrap();
    }

    #[test]
    fn counts_rasters_and_sessions_of_one_file_are_the_same_trials() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("neural");
        std::fs::create_dir(&own).unwrap();
        assert!(files(Some(folder.path())).is_empty() && files(None).is_empty());
        let (trials, neurons) = (8, 3);
        let cells = || (0..trials * neurons).map(|at| (at / neurons, at % neurons));
        let counts: Vec<f64> = cells().map(|(t, n)| count(t, n)).collect();
        let labels: Vec<f64> = (0..trials).map(|trial| 22.5 * (trial % 2) as f64).collect();
        write(
            &own.join("a.npz"),
            &[
                ("counts", vec![trials, neurons], counts.clone()),
                ("labels", vec![trials], labels.clone()),
            ],
        );
        // Spikes in bins 50 … 54, and some outside the window that must not count.
        let raster = cells().flat_map(|(t, n)| {
            (0..120).map(move |bin| match bin {
                3 | 110 => 1.0,
                50..55 if ((bin - 50) as f64) < count(t, n) => 1.0,
                _ => 0.0,
            })
        });
        let sessions: Vec<f64> = (0..trials).map(|trial| (trial / 4) as f64).collect();
        write(
            &own.join("b.npz"),
            &[
                ("raster", vec![trials, neurons, 120], raster.collect()),
                ("labels", vec![trials], labels),
                ("session", vec![trials], sessions),
            ],
        );
        let found = files(Some(folder.path()));
        assert_eq!(found.len(), 2);
        let (a, b) = (read(&found[0]).unwrap(), read(&found[1]).unwrap());
        assert_eq!((a.len(), b.len(), b[1].name.as_str()), (1, 2, "b-1"));
        assert_eq!(a[0].train.labels.classes().label(1).to_string(), "22.5");
        let first: Vec<usize> = (0..4).collect();
        assert_eq!(b[0].train.points, a[0].train.points.select(&first));
        write(&own.join("c.npz"), &[("labels", vec![2], vec![0.0, 1.0])]);
        let error = read(&own.join("c.npz")).unwrap_err().to_string();
        assert!(error.contains("neither counts nor raster"), "{error}");
    }
}

//! The report of one model, as written by `sqfa fit --report`.

use std::io::Write;
use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sqfa::transform::Features;
use sqfa_io::formats::AtomicFile;
use sqfa_io::model_file::ClassNames;
use sqfa_lab::compare::{Climb, Detail, Facts};
use sqfa_lab::report::{View, model_report as page};

use crate::arrays::{filters, gaussians, slice};
use crate::classes::{classes, labels};
use crate::errors::{Failure, Outcome, invalid};

/// The features of test samples (one row of m values per sample), with their true and predicted
/// classes.
type Tested<'py> =
    (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>);

/// The texts of a report.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Words {
    title: String,
    headline: String,
    data: String,
    tested_on: String,
    classifier: String,
    image_shape: Option<(usize, usize)>,
    features: Vec<String>,
    warnings: Vec<String>,
    tried: Vec<(usize, f64)>,
    about: Vec<(String, String)>,
}

/// Writes the report of a fitted model. Covariances have divisor N.
#[pyfunction]
#[pyo3(signature = (path, components, means, covariances, counts, names, tested, traces, words))]
pub(crate) fn model_report(
    path: PathBuf,
    components: PyReadonlyArray2<'_, f64>,
    means: PyReadonlyArray2<'_, f64>,
    covariances: PyReadonlyArray3<'_, f64>,
    counts: Option<PyReadonlyArray1<'_, u64>>,
    names: &Bound<'_, PyList>,
    tested: Option<Tested<'_>>,
    traces: Vec<PyReadonlyArray1<'_, f64>>,
    words: Words,
) -> Outcome<()> {
    let known = classes(names)?;
    let (weights, gaussians) = (filters(&components)?, gaussians(&means, &covariances)?);
    let tested = tested.map(|(features, truth, guess)| {
        if features.shape() != [truth.len(), components.shape()[0]] || truth.len() != guess.len() {
            return Err(invalid("features, labels and answers of test points do not fit together"));
        }
        let features = Features::F64(slice(&features, "features")?.to_vec());
        Ok((features, labels(&known, &truth)?, labels(&known, &guess)?))
    });
    let tested = tested.transpose()?;
    let numbers = tested.as_ref().map(|(z, truth, guess)| (z, truth.codes(), guess.codes()));
    let on_own = words.tested_on != "test points";
    let detail = Detail::new(weights.as_ref(), &gaussians, numbers, &[]);
    let train_counts = match &counts {
        Some(counts) => slice(counts, "counts")?.to_vec(),
        None => vec![0; known.len()],
    };
    let test_counts = tested.as_ref().filter(|_| !on_own).map(|(_, truth, _)| truth.counts());
    let facts = Facts {
        name: words.data,
        dimensions: weights.nrows(),
        classes: ClassNames::from(&known),
        train_counts,
        test_counts,
        image_shape: words.image_shape,
        fingerprint: String::new(),
        warnings: words.warnings,
        features: words.features,
        sessions: Vec::new(),
    };
    let mut climbs = Vec::new();
    for (start, trace) in traces.iter().enumerate() {
        let trace = slice(trace, "trace")?;
        climbs.push((format!("start {}", start + 1), Climb::of(trace)));
    }
    let view = View {
        headline: words.headline,
        title: words.title,
        facts,
        tested_on: words.tested_on,
        classifier: words.classifier,
        filters: weights.ncols(),
        detail,
        climbs,
        chosen: None,
        tried: words.tried,
        circular: None,
    };
    let mut file = AtomicFile::create(&path)?;
    file.write_all(page(&view, &words.about).as_bytes())
        .map_err(|error| Failure(PyOSError::new_err(format!("{}: {error}", path.display()))))?;
    Ok(file.commit()?)
}

//! Comparison of methods on one data set or several sessions, with records as JSON and a report.

use std::io::Write;
use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};
use sqfa::optimize::Control;
use sqfa::points::Scalar;
use sqfa::{Labels, Points, Table};
use sqfa_io::data::{LabeledData, OwnedPoints, Part};
use sqfa_io::formats::AtomicFile;
use sqfa_lab::compare::{CompareError, Event, Experiment, Manifest, Session, Spec};
use sqfa_lab::report::compare_report_on;

use crate::arrays::{PointArray, slice};
use crate::classes::{classes, labels};
use crate::errors::{Outcome, invalid};
use crate::running::run;

/// A session: its name, samples, class indices, group numbers and feature names.
type SessionArrays<'py> = (
    String,
    Bound<'py, PyAny>,
    PyReadonlyArray1<'py, u32>,
    Option<PyReadonlyArray1<'py, u32>>,
    Vec<String>,
);

/// A session that owns its samples.
struct Owned {
    name: String,
    data: LabeledData,
    groups: Option<Labels>,
    features: Vec<String>,
}

/// Runs a comparison. The specification is JSON, and the result is one JSON record per cell.
#[pyfunction]
#[pyo3(signature = (name, sessions, names, test, test_codes, spec, report, image_shape, circular, threads))]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    name: &str,
    sessions: Vec<SessionArrays<'py>>,
    names: &Bound<'py, PyList>,
    test: Option<&Bound<'py, PyAny>>,
    test_codes: Option<PyReadonlyArray1<'py, u32>>,
    spec: &str,
    report: Option<PathBuf>,
    image_shape: Option<(usize, usize)>,
    circular: Option<f64>,
    threads: usize,
) -> Outcome<Vec<String>> {
    let spec: Spec = serde_json::from_str(spec)?;
    // Invalid names are reported before samples are copied.
    spec.clone().resolved(name)?;
    if let Some(report) = &report {
        // An output that cannot be written is reported before the comparison instead of after it.
        drop(AtomicFile::create(report)?);
    }
    let known = classes(names)?;
    let part = |points: &Bound<'py, PyAny>, codes: &PyReadonlyArray1<'py, u32>| -> Outcome<Part> {
        let array = PointArray::borrow(points)?;
        let points = owned(array.points()?)?;
        Part::new(points, labels(&known, codes)?, name).map_err(|error| invalid(error.to_string()))
    };
    let test = match (test, &test_codes) {
        (Some(points), Some(codes)) => Some(part(points, codes)?),
        _ => None,
    };
    let mut all = Vec::new();
    for (session, points, codes, groups, features) in sessions {
        let (train, test) = (part(&points, &codes)?, test.clone());
        let data = LabeledData { name: name.to_owned(), train, test, image_shape };
        let groups = groups.as_ref().map(numbered).transpose()?;
        all.push(Owned { name: session, data, groups, features });
    }
    Ok(run(py, threads, |stop| {
        let sessions = all.iter().map(|own| Session {
            name: own.name.clone(),
            data: &own.data,
            groups: own.groups.as_ref(),
            features: &own.features,
        });
        let experiment = Experiment::of_sessions(spec, sessions.collect(), None)?;
        let records = experiment.run(Vec::new(), &mut |_: Event<'_>| {
            Ok::<_, CompareError>(if stop.asked() { Control::Cancel } else { Control::Continue })
        })?;
        if let Some(path) = report {
            let manifest = Manifest {
                spec: experiment.spec.clone(),
                facts: experiment.facts.clone(),
                software: concat!("sqfa_rs ", env!("CARGO_PKG_VERSION")).to_owned(),
                command: "sqfa_rs.compare".to_owned(),
            };
            let mut file = AtomicFile::create(&path)?;
            let page = compare_report_on(&manifest, &records, circular);
            file.write_all(page.as_bytes()).map_err(|source| CompareError::Io {
                path: path.clone(),
                action: "write",
                source,
            })?;
            file.commit()?;
        }
        let lines: Result<Vec<String>, _> = records.iter().map(serde_json::to_string).collect();
        Ok(lines?)
    })?)
}

/// Returns group numbers as labels.
fn numbered(codes: &PyReadonlyArray1<'_, u32>) -> Outcome<Labels> {
    let codes: Vec<i64> = slice(codes, "groups")?.iter().map(|&code| i64::from(code)).collect();
    Ok(Labels::from_integers(&codes))
}

fn owned(points: Points<'_>) -> Outcome<OwnedPoints> {
    let (rows, columns) = (points.rows(), points.columns());
    let owned = match points {
        Points::U8(table) => OwnedPoints::from_u8(copied(&table), rows, columns),
        Points::F32(table) => OwnedPoints::from_f32(copied(&table), rows, columns),
        Points::F64(table) => OwnedPoints::from_f64(copied(&table), rows, columns),
    };
    owned.ok_or_else(|| invalid("the array's size does not fit its shape"))
}

fn copied<T: Scalar>(table: &Table<'_, T>) -> Vec<T> {
    let (rows, columns) = (table.rows(), table.columns());
    (0..rows).flat_map(|i| (0..columns).map(move |j| table.get(i, j))).collect()
}

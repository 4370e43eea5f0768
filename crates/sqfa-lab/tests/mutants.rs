//! Structured mutants of models, sums, records and specs: valid in form, wrong in content, and never a panic.
//!
//! `SQFA_MUTANTS` says how many of each are made (default 150), `SQFA_SEED` from which seed; a failure names the seed and the
//! mutant. What carries a checksum must be refused or mean the same.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

mod mutation;

use mutation::{Mutator, mutants};
use serde_json::{Value, json};
use sqfa::optimize::Control;
use sqfa::statistics::{ClassAccumulator, Preprocessor};
use sqfa::{Classes, Estimator, Gaussians, Labels, Mat, Points, Table};
use sqfa_io::data::{LabeledData, OwnedPoints, Part, read_named_sums, write_named_sums};
use sqfa_io::model_file::{Description, Model, ModelParts};
use sqfa_lab::compare::{Event, Experiment, Manifest, Record, Spec, Store};
use sqfa_lab::report::compare_report;

/// Two classes of points in three dimensions.
fn points() -> (Vec<f64>, Labels) {
    let values = (0..60).flat_map(|row| {
        let class = f64::from(row % 2);
        let wave = |k: i32| (f64::from(row * (3 + k)) * 0.7).sin();
        [2.0 * class + wave(0), (1.0 + class) * wave(1), wave(2)]
    });
    let codes: Vec<i64> = (0..60).map(|row| row % 2).collect();
    (values.collect(), Labels::from_integers(&codes))
}

fn model() -> Model {
    let description: Description = serde_json::from_value(json!({
        "method": "sqfa", "distance": "calvo-oller", "constraint": "sphere", "noise_choice": "given",
        "noise": 0.25, "noise_trials": [{"noise": 0.5, "accuracy": 0.75}], "classes": ["a", "b"],
        "restricted": false, "second_moments": false, "covariance": "empirical", "precision": "f64",
        "scale": "common", "center": true, "pca_dims": null, "start": "random", "sequential": null,
        "seed": 3, "max_iterations": 10, "tolerance": 1e-6, "software": "sqfa",
        "fit": {"objective": 1.5, "converged": true, "termination": "small-change", "iterations": 3,
            "passes": 4, "evaluations": 5, "seconds": 0.1, "restarts": [], "best": 0,
            "trace": [1.0, 1.5], "warnings": []},
        "data": {"name": "test", "image_shape": [1, 3]}, "feature_names": ["x", "y", "z"],
    }))
    .unwrap();
    let covariances = vec![1.0, 0.1, 0.1, 2.0, 1.5, -0.2, -0.2, 1.0];
    let parts = ModelParts {
        filters: Mat::from_fn(3, 2, |i, j| (1.0 + i as f64 + 10.0 * j as f64).sqrt()),
        preprocessing: Some(Preprocessor { offset: vec![1.0, 2.0, 3.0], factors: vec![0.5; 3] }),
        counts: Some(vec![10, 20]),
        features: Gaussians::new(2, vec![0.0, 1.0, 2.0, -1.0], covariances).unwrap(),
    };
    Model::new(parts, description).unwrap().with_mean(vec![0.1, 0.2, 0.3]).unwrap()
}

/// Uses a model for everything it is for.
fn used(model: &Model) -> Option<Vec<u32>> {
    let (values, _) = points();
    let table = Points::F64(Table::row_major(&values, 60, 3).unwrap());
    let features = model.transform(table).ok()?;
    let m = model.filters().ncols();
    let _ = model.noisy_gaussians(model.noise().unwrap_or(0.0));
    model
        .classifier(model.record().classifier, None, None)
        .ok()?
        .predict(features.as_points(m))
        .ok()
}

#[test]
fn a_damaged_model_is_refused_or_answers_the_same() {
    let model = model();
    let (bytes, answers) = (model.to_bytes().unwrap(), used(&model));
    assert!(answers.is_some());
    mutants(2, |mutator| {
        let damaged = mutator.bytes(&bytes);
        if let Ok(found) = Model::from_bytes(&damaged, "mutant") {
            // Without its checksum it says so; with it, it is the same model.
            assert!(!found.has_checksum() || used(&found) == answers);
        }
    });
}

#[test]
fn a_model_whose_description_lies_is_refused_or_can_be_used() {
    let bytes = model().to_bytes().unwrap();
    let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
    let header: Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let text = header["__metadata__"]["sqfa"].as_str().unwrap();
    let mut description: Value = serde_json::from_str(text).unwrap();
    // As files from before there were checksums: nothing but the checks of the content stands in the way.
    description.as_object_mut().unwrap().remove("checksum");
    mutants(1, |mutator| {
        let mut header = header.clone();
        if mutator.chance() {
            header["__metadata__"]["sqfa"] = mutator.json(&description).to_string().into();
        } else {
            header["__metadata__"]["sqfa"] = description.to_string().into();
            header = mutator.json(&header);
        }
        let header = header.to_string();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend(&bytes[8 + length..]);
        if let Ok(found) = Model::from_bytes(&file, "mutant") {
            assert!(!found.has_checksum());
            let _ = used(&found);
            let again = found.to_bytes().map(|bytes| Model::from_bytes(&bytes, "again").unwrap());
            assert!(again.is_ok_and(|again| used(&again) == used(&found)));
        }
    });
}

#[test]
fn damaged_sums_are_refused_or_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.stats");
    let (values, labels) = points();
    let mut sums = ClassAccumulator::new(Classes::Integers(vec![0, 1]), 3);
    sums.update(Points::F64(Table::row_major(&values, 60, 3).unwrap()), &labels).unwrap();
    let names = ["x", "y", "z"].map(str::to_owned);
    write_named_sums(&path, &sums, &names).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    mutants(2, |mutator| {
        std::fs::write(&path, mutator.bytes(&bytes)).unwrap();
        if let Ok((found, columns)) = read_named_sums(&path) {
            assert_eq!(found.to_bytes(), sums.to_bytes());
            assert!(columns == names || columns.is_empty());
            let _ = found.finish(Estimator::Oas);
        }
    });
}

/// A small comparison that was really run.
fn compared() -> (Manifest, Vec<Record>) {
    let (values, labels) = points();
    let points = OwnedPoints::from_f64(values, 60, 3).unwrap();
    let train = Part::new(points, labels, "points").unwrap();
    let data = LabeledData::new("toy".to_owned(), train, None, Some((1, 3)), "points").unwrap();
    let spec = Spec {
        methods: ["sqfa", "pca"].map(str::to_owned).to_vec(),
        filters: vec![1, 2],
        seeds: 2,
        ..Spec::default()
    };
    let experiment = Experiment::new(spec, &data, None).unwrap();
    let go = &mut |_: Event<'_>| Ok(Control::Continue);
    let records = experiment.run(Vec::new(), go).unwrap();
    let manifest = Manifest {
        spec: experiment.spec.clone(),
        facts: experiment.facts.clone(),
        software: "sqfa".to_owned(),
        command: "sqfa compare".to_owned(),
    };
    (manifest, records)
}

#[test]
fn records_and_manifests_that_lie_never_stop_a_report() {
    let (manifest, records) = compared();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let about = serde_json::to_value(&manifest).unwrap();
    let lines: Vec<Value> =
        records.iter().map(|record| serde_json::to_value(record).unwrap()).collect();
    mutants(1, |mutator| {
        let mutate_about = mutator.chance();
        let manifest = if mutate_about { mutator.json(&about) } else { about.clone() };
        std::fs::write(at("spec.json"), manifest.to_string()).unwrap();
        let mut text = String::new();
        for line in &lines {
            let line = if mutator.chance() { mutator.json(line) } else { line.clone() };
            text.push_str(&line.to_string());
            text.push('\n');
        }
        let mut bytes = text.into_bytes();
        if mutator.chance() {
            bytes = mutator.bytes(&bytes);
        }
        std::fs::write(at("records.jsonl"), bytes).unwrap();
        if let Ok((manifest, records, broken)) = Store::read(folder.path()) {
            assert!(broken.iter().all(|remark| remark.contains("is no record")));
            let page = compare_report(&manifest, &records);
            assert!(page.len() < 20_000_000, "a page of {} bytes", page.len());
        }
    });
}

#[test]
fn a_manifest_may_count_fewer_classes_than_it_names() {
    let (manifest, records) = compared();
    let mut about = serde_json::to_value(&manifest).unwrap();
    about["facts"]["test_counts"] = Value::from(vec![6]);
    let manifest: Manifest = serde_json::from_value(about).unwrap();
    assert!(compare_report(&manifest, &records).contains("6 test points"));
}

#[test]
fn a_manifest_may_name_no_seed_at_all() {
    let (manifest, records) = compared();
    for (first, seeds) in [(0, 0), (u64::MAX, 5)] {
        let mut about = serde_json::to_value(&manifest).unwrap();
        about["spec"]["first_seed"] = Value::from(first);
        about["spec"]["seeds"] = Value::from(seeds);
        let manifest: Manifest = serde_json::from_value(about).unwrap();
        assert!(compare_report(&manifest, &records).contains(&format!("{first} to {first}")));
    }
}

/// A value as TOML writes it on one line; what TOML has no word for becomes a text.
fn toml(value: &Value) -> String {
    match value {
        Value::Null => "\"null\"".to_owned(),
        Value::Array(values) => {
            format!("[{}]", values.iter().map(toml).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let own = fields.iter().map(|(key, own)| format!("{key:?} = {}", toml(own)));
            format!("{{ {} }}", own.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}

#[test]
fn specs_that_lie_are_refused_or_resolved() {
    let usual = serde_json::to_value(Spec::default()).unwrap();
    let text = "parts = { folds = 5 }\nnoise = 0.1\nprotocol = \"mnist\"\npairs = true\n";
    let other = serde_json::to_value(Spec::parse(text, "other").unwrap()).unwrap();
    mutants(4, |mutator| {
        let mutant = if mutator.chance() { mutator.json(&usual) } else { mutator.json(&other) };
        let Value::Object(fields) = &mutant else { return };
        let text: String =
            fields.iter().map(|(key, own)| format!("{key:?} = {}\n", toml(own))).collect();
        let text = if mutator.chance() {
            String::from_utf8_lossy(&mutator.bytes(text.as_bytes())).into_owned()
        } else {
            text
        };
        let Ok(spec) = Spec::parse(&text, "mutant") else { return };
        let Ok(resolved) = spec.resolved("toy") else { return };
        // What was accepted can be planned within reason, and means the same when it is written down.
        let again: Spec = serde_json::from_str(&serde_json::to_string(&resolved).unwrap()).unwrap();
        assert_eq!(again, resolved);
        let _ = sqfa_lab::compare::plan(&resolved, 1);
    });
}

#[test]
fn the_same_seed_makes_the_same_mutants() {
    let value = json!({"a": [1, 2.5, "x"], "b": {"c": null}});
    let make = |seed| (0..20).map(|at| Mutator::new(seed, at).json(&value)).collect::<Vec<_>>();
    assert_eq!(make(1), make(1));
    assert_ne!(make(1), make(2));
    assert!(make(1).iter().filter(|mutant| **mutant != value).count() > 15);
}

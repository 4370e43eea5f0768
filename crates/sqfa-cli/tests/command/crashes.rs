//! The command ends at every one of its file operations in turn: what was there stays whole, and the next run makes the same.
//!
//! `SQFA_CRASH_AT=K` ends a debug build before its K-th file operation, in the middle of a write. The loop over K ends with
//! the first run that has no K-th operation. In `failures.rs` operations fail instead.
#![cfg(debug_assertions)]

use crate::common::crash::{crash_everywhere, files};
use crate::common::{Folder, table};
use serde_json::Value;

/// A model without what a clock says.
fn timeless(folder: &Folder, model: &str) -> (Vec<Vec<f64>>, Value) {
    let mut about = folder.json(&format!("inspect {model}"));
    about.as_object_mut().unwrap().remove("fit");
    about.as_object_mut().unwrap().remove("file");
    (folder.filters(model), about)
}

#[test]
fn a_model_is_the_old_one_or_the_new_one() {
    let data = table(20);
    let old = Folder::new();
    old.write("data.csv", &data);
    old.ok("fit data.csv --label species -m 2 --noise 0.5 --n-init 1 --out m.sqfa");
    let before = std::fs::read(old.path("m.sqfa")).unwrap();
    let old_model = timeless(&old, "m.sqfa");
    let line =
        "fit data.csv --label species -m 1 --noise 0.1 --n-init 1 --report r.html --out m.sqfa";
    old.ok(line);
    let new_model = timeless(&old, "m.sqfa");
    assert_ne!(old_model.0, new_model.0);
    let crashes = crash_everywhere(
        line,
        |folder| {
            folder.write("data.csv", &data);
            folder.write("m.sqfa", &before);
        },
        |folder, at, finished| {
            let model = timeless(folder, "m.sqfa");
            assert!(model == new_model || (!finished && model == old_model), "operation {at}");
            let report = std::fs::read_to_string(folder.path("r.html"));
            assert!(report.is_ok_and(|page| page.trim_end().ends_with("</html>")) || !finished);
            if finished {
                let names = folder.names();
                assert_eq!(names, ["data.csv", "m.sqfa", "r.html"], "operation {at}: leftovers");
            }
        },
    );
    assert!(crashes >= 8, "{crashes} operations: the layer is not in the way of every one");
}

#[test]
fn class_sums_are_the_old_ones_or_the_new_ones() {
    let (first, second) = (table(20), table(30));
    let line = "stats data.csv --label species --out s.stats";
    let sums = |data: &str| {
        let folder = Folder::new();
        folder.write("data.csv", data);
        folder.ok(line);
        std::fs::read(folder.path("s.stats")).unwrap()
    };
    let (old, new) = (sums(&first), sums(&second));
    let crashes = crash_everywhere(
        line,
        |folder| {
            folder.write("data.csv", &second);
            folder.write("s.stats", &old);
        },
        |folder, at, finished| {
            let bytes = std::fs::read(folder.path("s.stats")).unwrap();
            assert!(bytes == new || (!finished && bytes == old), "operation {at}");
            assert!(!finished || folder.names() == ["data.csv", "s.stats"], "operation {at}");
        },
    );
    assert!(crashes >= 6, "{crashes} operations");
}

/// Records by cell, without what a clock says.
fn records(folder: &Folder) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path("run/records.jsonl")).unwrap_or_default();
    let whole = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    whole.map(|record| without_seconds(&record)).collect()
}

pub(crate) fn without_seconds(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !name.contains("seconds"));
            Value::Object(kept.map(|(name, own)| (name.clone(), without_seconds(own))).collect())
        }
        Value::Array(values) => values.iter().map(without_seconds).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_comparison_loses_no_record_and_resumes_with_the_same_numbers() {
    let data = table(20);
    let line = "compare data.csv --label species --methods pca,lda --filters 1 --seeds 1 --test-fraction 0.3 --out run";
    let whole = Folder::new();
    whole.write("data.csv", &data);
    whole.ok(line);
    let expected = records(&whole);
    assert_eq!(expected.len(), 2);
    let crashes = crash_everywhere(
        line,
        |folder| {
            folder.write("data.csv", &data);
        },
        |folder, at, finished| {
            let found = records(folder);
            assert_eq!(found[..], expected[..found.len()], "operation {at}");
            assert!(!finished || found.len() == expected.len(), "operation {at}");
            let own = files(&folder.path("run"));
            let known = [".lock", "records.jsonl", "spec.json", "report.html"];
            assert!(own.keys().all(|name| known.contains(&name.as_str())), "{:?}", own.keys());
        },
    );
    assert!(crashes >= 8, "{crashes} operations");
}

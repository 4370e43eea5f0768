//! JSON of all commands: a key has one type of value wherever it stands.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Folder, table};

fn kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("bool"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

#[test]
fn a_key_has_one_type_in_all_commands() {
    let folder = Folder::new();
    folder.write("t.csv", table(20));
    let lines = [
        "fit t.csv --label species -m auto --max-filters 2 --out m.sqfa",
        "inspect m.sqfa",
        "evaluate m.sqfa t.csv",
        "predict m.sqfa t.csv --probabilities",
        "transform m.sqfa t.csv --out z.npy",
        "distances m.sqfa",
        "distances t.csv --label species",
        "stats t.csv --label species --out t.stats",
        "inspect t.stats",
        "fit t.stats -m 2 --out s.sqfa",
        "dataset toy-6d --out toy.npz",
        "compare t.csv --label species --methods lda,pca",
    ];
    let mut known: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for line in lines {
        let said = folder.json(line);
        for (key, value) in said.as_object().unwrap() {
            let Some(found) = kind(value) else { continue };
            let (first, expected) = *known.entry(key.clone()).or_insert((line, found));
            assert_eq!(found, expected, "'{key}' of '{line}' and of '{first}'");
        }
    }
    assert_eq!(known["classes"].1, "array");
    assert_eq!(known["n_classes"].1, "number");
}

//! The first fit of a new user: only the data and the label are specified.

use crate::common::Folder;

/// Two columns that separate two classes, and 60 samples.
fn table() -> String {
    let row = |row: usize| {
        let (class, step) = (row % 2, (row * 37 % 60) as f64 / 60.0);
        format!("{},{},{}\n", class as f64 + step, step * step, ["ant", "bee"][class])
    };
    format!("a,b,kind\n{}", (0..60).map(row).collect::<String>())
}

#[test]
fn the_data_and_the_label_are_enough() {
    let folder = Folder::new();
    folder.write("bugs.csv", table());
    let said = folder.ok("fit bugs.csv --label kind");
    let first = said.lines().next().unwrap();
    assert!(first.starts_with("held-out accuracy "), "{first}");
    assert!(first.contains("; LDA ") && first.contains("largest class 50"), "{first}");
    assert!(folder.path("bugs.sqfa").exists());
    let model = folder.json("inspect bugs.sqfa");
    assert_eq!(model["filters"], 2, "{model}");
}

#[test]
fn an_existing_model_is_replaced_only_on_request() {
    let folder = Folder::new();
    folder.write("bugs.csv", table());
    folder.write("bugs.sqfa", "mine");
    let said = folder.run("fit bugs.csv --label kind");
    said.fails(2, "bugs.sqfa exists: replace it with --force");
    assert!(said.err.contains("--out bugs-2.sqfa"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(folder.path("bugs.sqfa")).unwrap(), "mine");
    folder.ok("fit bugs.csv --label kind --force");
    folder.ok("inspect bugs.sqfa");
    // A file that was named is replaced as before.
    folder.write("named.sqfa", "mine");
    folder.ok("fit bugs.csv --label kind --out named.sqfa");
    folder.ok("inspect named.sqfa");
}

#[test]
fn the_default_number_of_filters_is_one_that_the_method_finds() {
    let folder = Folder::new();
    folder.write("bugs.csv", table());
    folder.ok("fit bugs.csv --label kind --method lda --out lda.sqfa");
    assert_eq!(folder.json("inspect lda.sqfa")["filters"], 1);
    folder.ok("fit bugs.csv --label kind --ignore b --out one.sqfa");
    assert_eq!(folder.json("inspect one.sqfa")["filters"], 1);
}

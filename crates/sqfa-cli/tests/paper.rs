//! `sqfa paper` and `sqfa distances --bounds` as typed: what they make, and what they refuse.

#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;

/// Closed forms in the same double precision: some roundings.
const ROUNDING: f64 = 1e-9;

#[test]
fn bounds_are_those_of_equal_covariances() {
    let said = Folder::new().json("distances toy-lda --distance fisher-rao --bounds --noise 0");
    let pair = &said["pairs"][0];
    // Means (−.8, .2) and (−.84, −.2), covariance 0.008 I.
    let square = (0.04_f64.powi(2) + 0.4_f64.powi(2)) / 0.008;
    let number = |name: &str| pair[name].as_f64().unwrap();
    assert!((number("lower") - (1.0 + square / 2.0).acosh()).abs() < ROUNDING);
    let exact = 2.0_f64.sqrt() * (1.0 + square / 4.0).acosh();
    assert!((number("distance") - exact).abs() < ROUNDING);
    assert!(number("upper") >= exact - ROUNDING && pair["exact"] == true);
    assert_eq!(said["pairs"].as_array().unwrap().len(), 6);
    let text = Folder::new().ok("distances toy-lda --distance fisher-rao --bounds --noise 0");
    assert!(text.contains("Calvo–Oller") && text.contains("upper bound"), "{text}");
    let refused = Folder::new().run("distances toy-lda --bounds");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--distance fisher-rao"), "{}", refused.err);
}

#[test]
fn figures_are_written_and_a_folder_is_never_shared() {
    let folder = Folder::new();
    folder.ok("paper growth --out made");
    let svg = std::fs::read_to_string(folder.path("made/growth.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("Bhattacharyya"));
    std::fs::create_dir(folder.path("other")).unwrap();
    folder.write("other/notes.txt", "mine");
    let refused = folder.run("paper growth --out other");
    assert_eq!(refused.code, 1, "{}", refused.out);
    assert!(!folder.path("other/growth.svg").exists());
}

#[test]
fn unknown_names_and_missing_data_are_told() {
    let folder = Folder::new();
    let unknown = folder.run("paper grwth --out made");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("did you mean 'growth'?"), "{}", unknown.err);
    let missing = folder.run("paper qda-mnist --data nowhere --out made");
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("the four IDX files"), "{}", missing.err);
    assert!(!folder.path("made/qda-mnist.csv").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_reason_is_given_once() {
    let folder = Folder::new();
    folder.write("d.csv", "a,b,label\n1,2,x\n2,1,x\n3,4,y\n4,3,y\n");
    let said = folder.run("stats d.csv --label label --out /dev/full");
    assert_eq!(said.code, 1);
    assert_eq!(said.err.matches("No space left").count(), 1, "{}", said.err);
}

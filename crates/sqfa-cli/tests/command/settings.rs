//! Which method uses which setting: a flag is either used or rejected, never ignored.

use std::fmt::Write;
use std::path::Path;

use crate::common::{Folder, table};
use sqfa::reduce::{Kind, ROWS, Row, reducers};

/// A value that every method accepts that uses the setting.
fn value(row: &Row) -> String {
    match row.kind {
        Kind::Name(_) if row.flag == "--distance" => "affine-invariant".to_owned(),
        Kind::Name(names) => names().into_iter().map(|(name, _)| name).next().unwrap(),
        // Two samples per class have no neighborhoods.
        Kind::Count if row.flag == "--per-class" => "10".to_owned(),
        Kind::Count | Kind::Selection { whole: true } => "2".to_owned(),
        Kind::Number | Kind::Selection { whole: false } => "1".to_owned(),
    }
}

/// The table of methods and settings, made by running the command, agrees with the one on file.
#[test]
fn every_flag_is_used_or_rejected() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let mut found = String::new();
    for method in reducers() {
        let mut used = Vec::new();
        for row in ROWS {
            // A fit restricted to two principal components has room for one filter of any method.
            let flag = format!("{}={}", row.flag, value(row));
            let said = folder.run(&format!(
                "fit data.csv --label species -m 1 --out m --method {} {flag}",
                method.name
            ));
            if row.is_used_by(method) {
                assert_eq!(said.code, 0, "{} {flag}: {}", method.name, said.err);
                used.push(row.flag);
            } else {
                let rejected = format!("`--method {}` does not use `{}`", method.name, row.flag);
                said.fails(2, &rejected);
            }
        }
        writeln!(found, "{}: {}", method.name, used.join(" ")).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help/settings-of-methods.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "the table differs from {}", path.display());
}

#[test]
fn a_flag_that_is_specified_with_its_default_is_rejected_as_well() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    for (flags, message) in [
        ("--method lda --init auto", "`--method lda` does not use `--init`"),
        ("--method lda --n-init auto", "`--method lda` does not use `--n-init`"),
        ("--method lda --max-iter 1000", "`--method lda` does not use `--max-iter`"),
        (
            "--method sqfa-h --distance hellinger",
            "it belongs to `--method sqfa` or `--method smsqfa`",
        ),
        (
            "--method smsqfa --distance hellinger",
            "use `--distance affine-invariant`, `--distance log-euclidean`",
        ),
        ("--method lda --fixed f.npy", "`--method lda` does not use `--fixed`"),
        ("--max-filters 4", "`--max-filters` needs `--filters auto`"),
    ] {
        folder.run(&format!("fit data.csv --label species -m 1 --out m {flags}")).fails(2, message);
    }
    assert_eq!(folder.names(), ["data.csv"], "nothing was written");
}

#[test]
fn model_files_hold_the_specified_settings_as_they_are_typed() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.ok(
        "fit data.csv --label species -m 2 --out m --noise 0.50 --tol 1e-5 --sequential --optimizer auto",
    );
    let specified = &folder.json("inspect m")["specified"];
    let expected = serde_json::json!({ "noise": "0.5", "tolerance": "1e-5", "sequential": "2" });
    assert_eq!(*specified, expected);
    folder.ok("fit data.csv --label species -m 2 --out m");
    assert!(folder.json("inspect m")["specified"].is_null());
}

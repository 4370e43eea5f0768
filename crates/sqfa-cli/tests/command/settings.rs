//! Which method uses which setting: a flag is either used or rejected, never ignored.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::common::{Folder, table};
use sqfa::reduce::{Kind, ROWS, Row, reducers};

/// A value that every method accepts that uses the setting.
fn value(row: &Row) -> String {
    match row.kind {
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
        ("--method lda --start auto", "`--method lda` does not use `--start`"),
        ("--method lda --restarts auto", "`--method lda` does not use `--restarts`"),
        ("--method lda --max-iterations 1000", "`--method lda` does not use `--max-iterations`"),
        ("--method sqfa-h --distance hellinger", "it belongs to `--method sqfa`"),
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
        "fit data.csv --label species -m 2 --out m --noise 0.50 --tolerance 1e-5 --sequential --optimizer auto",
    );
    let specified = &folder.json("inspect m")["specified"];
    let expected = serde_json::json!({ "noise": "0.5", "tolerance": "1e-5", "sequential": "2" });
    assert_eq!(*specified, expected);
    folder.ok("fit data.csv --label species -m 2 --out m");
    assert!(folder.json("inspect m")["specified"].is_null());
}

/// The Rust sources of all crates of the workspace.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != "tests" {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The arms of a `match` that catch several settings at once, as line numbers. Arms of one `match` have one indentation.
fn catch_all_arms(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let pattern = |line: &str| {
        let code = line.trim_start();
        let end = [" =>", " if "].into_iter().filter_map(|mark| code.find(mark)).min();
        let end = end.unwrap_or(code.len());
        code[..end].to_owned()
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if code.starts_with("//") || !pattern(line).contains("Setting::") || !line.contains("=>") {
            continue;
        }
        let deep = indentation(line);
        let within = |other: &&usize| {
            lines[**other].trim().is_empty() || indentation(lines[**other]) >= deep
        };
        let before: Vec<usize> = (0..at).rev().collect();
        let after: Vec<usize> = (at..lines.len()).collect();
        let arms = before.iter().take_while(within).chain(after.iter().take_while(within));
        for &arm in arms.filter(|&&arm| indentation(lines[arm]) == deep) {
            let pattern = pattern(lines[arm]);
            let name = |text: &str| text.chars().all(|c| c.is_lowercase() || c == '_');
            if lines[arm].contains("=>") && (name(&pattern) || pattern.starts_with("(_")) {
                found.push(arm + 1);
            }
        }
    }
    found
}

#[test]
fn every_match_on_settings_is_exhaustive() {
    let bad = "match one {\n    Setting::Noise => 1,\n    _ => 2,\n}\n";
    assert_eq!(catch_all_arms(bad), [3]);
    let bad = "match one {\n    own if own.is_odd() => 3,\n    Setting::Noise => {\n        1\n    }\n}\n";
    assert_eq!(catch_all_arms(bad), [2]);
    let good = "match one {\n    Setting::Noise => match two {\n        Some(_) => 1,\n        _ => 2,\n    },\n}\n";
    assert!(catch_all_arms(good).is_empty());
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
    assert!(files.iter().any(|file| file.ends_with("reduce/setting.rs")));
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // List the settings there, so that a new one is not overlooked.
        assert_eq!(catch_all_arms(&text), Vec::<usize>::new(), "{}", file.display());
        let partial =
            text.lines().find(|line| line.contains("matches!(") && line.contains("Setting::"));
        assert_eq!(partial, None, "{}: write an exhaustive match", file.display());
    }
}

//! Every file operation of the command fails in turn: outputs are the old or the new ones, nothing is left over, and an
//! operation that failed is reported with the file and the system's reason.
//!
//! `SQFA_FAIL_AT=K:CODE` makes the K-th file operation of a debug build return an error of the system, reads included. The
//! loop over K ends with the first run that has no K-th operation.
#![cfg(all(debug_assertions, unix))]

use std::collections::BTreeMap;

use crate::common::{Folder, Said, table};
use crate::crashes::without_seconds;
use serde_json::Value;
use sqfa_io::formats::is_temporary;
use sqfa_io::model_file::Model;

/// Errors with their codes, which Linux and macOS share, and how messages begin to describe them.
const ERRORS: [(i32, &str); 4] = [
    (5, "Input/output error"),
    (28, "No space left on device"),
    (4, "Interrupted system call"),
    (13, "Permission denied"),
];
/// More file operations than any of these commands has: the loop must end by itself.
const MANY: u64 = 600;

/// A command whose file operations fail.
struct Case<'a> {
    line: &'a str,
    /// Files that are there before, an old version of the outputs included.
    begin: &'a [(&'a str, Vec<u8>)],
}

/// Files of a folder and of the folder of records in it, without the lock.
fn files(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for inner in ["", "run/"] {
        let Ok(entries) = std::fs::read_dir(folder.path(inner)) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name != ".lock" {
                found.insert(format!("{inner}{name}"), std::fs::read(path).unwrap());
            }
        }
    }
    found
}

impl Case<'_> {
    fn folder(&self) -> Folder {
        let folder = Folder::new();
        for (name, bytes) in self.begin {
            folder.write(name, bytes);
        }
        folder
    }

    fn run(&self, folder: &Folder, fail: Option<(u64, i32)>) -> Said {
        let mut command = folder.command(self.line);
        if let Some((at, code)) = fail {
            command.env("SQFA_FAIL_AT", format!("{at}:{code}"));
        }
        Said::new(self.line, command.stdin(std::process::Stdio::null()).output().unwrap())
    }

    /// Lets every operation fail with every error and returns the number of operations and of failures after which all outputs
    /// were the new ones.
    fn fail_everywhere(&self) -> (u64, u64) {
        let whole = self.folder();
        let said = self.run(&whole, None);
        assert_eq!(said.code, 0, "sqfa {}\n{}", self.line, said.err);
        let (old, new) = (files(&self.folder()), files(&whole));
        let (mut operations, mut late) = (0, 0);
        for (code, reason) in ERRORS {
            for at in 1.. {
                assert!(at < MANY, "sqfa {} never finished", self.line);
                let folder = self.folder();
                let said = self.run(&folder, Some((at, code)));
                let context = format!("operation {at}: {reason}\nsqfa {}\n{}", self.line, said.err);
                let found = files(&folder);
                for (name, bytes) in &found {
                    let file = name.trim_start_matches("run/");
                    assert!(!is_temporary(file.as_ref()), "{name} is left\n{context}");
                    let is = |version: &BTreeMap<String, Vec<u8>>| {
                        version.get(name).is_some_and(|known| is_same(name, known, bytes))
                    };
                    let is_part = new.get(name).is_some_and(|new| is_beginning(name, new, bytes));
                    assert!(is(&old) || is(&new) || is_part, "{name} is damaged\n{context}");
                }
                let is_new = |(name, bytes): (&String, &Vec<u8>)| {
                    found.get(name).is_some_and(|found| is_same(name, bytes, found))
                };
                let written = new.iter().all(is_new);
                match said.code {
                    0 => assert!(written, "success without all outputs\n{context}"),
                    1 => {
                        let errors = said.err.lines().filter(|line| line.starts_with("error: "));
                        assert_eq!(errors.count(), 1, "{context}");
                        assert!(said.err.contains(reason), "no reason\n{context}");
                        let named = |name: &String| said.err.contains(name.as_str());
                        let named = new.keys().any(named) || said.err.contains("run");
                        assert!(named, "no file is named\n{context}");
                        late += u64::from(written);
                    }
                    other => panic!("exit code {other}\n{context}"),
                }
                if !said.err.contains("fails on request") {
                    assert_eq!(said.code, 0, "{context}");
                    operations = at - 1;
                    break;
                }
            }
        }
        (operations, late)
    }
}

/// Whether two versions of a file differ in nothing but in times.
fn is_same(name: &str, known: &[u8], found: &[u8]) -> bool {
    if name.ends_with(".html") {
        let whole = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().ends_with("</html>");
        return whole(known) == whole(found);
    }
    match name.rsplit('.').next() {
        Some("jsonl") => records(known) == records(found),
        Some("sqfa") => match (model(known), model(found)) {
            (Some(known), Some(found)) => known == found,
            _ => known == found,
        },
        _ => known == found,
    }
}

/// Whether a file of records is the beginning of another, as after a comparison that could not go on.
fn is_beginning(name: &str, known: &[u8], found: &[u8]) -> bool {
    name.ends_with(".jsonl") && records(known).starts_with(&records(found))
}

/// Records without times.
fn records(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(|line| without_seconds(&serde_json::from_str(line).unwrap())).collect()
}

/// The filters of a model, if bytes are one.
fn model(bytes: &[u8]) -> Option<Vec<f64>> {
    let model = Model::from_bytes(bytes, "a model").ok()?;
    let filters = model.filters();
    Some((0..filters.ncols()).flat_map(|j| filters.col(j).iter().copied()).collect())
}

#[test]
fn a_fit() {
    let begin = [("data.csv", table(10).into_bytes()), ("m.sqfa", b"old".to_vec())];
    let line =
        "fit data.csv --label species -m 1 --noise 0.1 --n-init 1 --report r.html --out m.sqfa";
    let (operations, _) = Case { line, begin: &begin }.fail_everywhere();
    assert!(operations >= 20, "{operations} operations");
}

#[test]
fn class_statistics() {
    let begin = [("data.csv", table(10).into_bytes()), ("s.stats", b"old".to_vec())];
    let line = "stats data.csv --label species --out s.stats";
    let (operations, late) = Case { line, begin: &begin }.fail_everywhere();
    assert!(operations >= 15, "{operations} operations");
    assert!(late > 0, "the folder is synced after the rename");
}

#[test]
fn a_comparison() {
    let begin = [("data.csv", table(10).into_bytes())];
    let line = "compare data.csv --label species --methods pca,lda --filters 1 --seeds 1 --test-fraction 0.3 --out run \
                --report r.html";
    let (operations, _) = Case { line, begin: &begin }.fail_everywhere();
    assert!(operations >= 25, "{operations} operations");
}

/// A table, a model of it and an old output.
fn with_model(output: &'static str) -> [(&'static str, Vec<u8>); 3] {
    let folder = Folder::new();
    folder.write("data.csv", table(10));
    folder.ok("fit data.csv --label species -m 1 --noise 0.1 --n-init 1 --out m.sqfa");
    let model = std::fs::read(folder.path("m.sqfa")).unwrap();
    [("data.csv", table(10).into_bytes()), ("m.sqfa", model), (output, b"old".to_vec())]
}

#[test]
fn features() {
    let begin = with_model("z.npz");
    let line = "transform m.sqfa data.csv --label species --out z.npz";
    let (operations, _) = Case { line, begin: &begin }.fail_everywhere();
    assert!(operations >= 20, "{operations} operations");
}

#[test]
fn predictions() {
    let begin = with_model("p.csv");
    let line = "predict m.sqfa data.csv --label species --out p.csv";
    let (operations, _) = Case { line, begin: &begin }.fail_everywhere();
    assert!(operations >= 20, "{operations} operations");
}

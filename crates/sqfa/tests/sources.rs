//! Rules about the sources that the compiler cannot check.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// Sources outside `pipeline` and `reduce` that build reducers or fit with them, each with its reason.
///
/// Every other fit goes through the pipeline, so that the same request selects the same settings wherever it comes from.
/// The list may only become shorter: remove a file once it no longer builds reducers.
const BUILD_REDUCERS: [(&str, &str); 4] = [
    ("sqfa-bench/src/reducers.rs", "measures methods with the settings of the paper"),
    ("sqfa-lab/src/compare/fit.rs", "protocols of the paper specify what the pipeline selects"),
    (
        "sqfa-paper/src/claims/problem.rs",
        "fits class statistics in the units of a protocol of the paper",
    ),
    (
        "sqfa-paper/src/figures/toys.rs",
        "fits exact class statistics of toy problems, with no noise to select",
    ),
];
/// The functions that build a reducer, or fit with one.
const REDUCER_CALLS: [&str; 2] = ["reducer", "fit_one"];
/// The modules that may build reducers.
const MAY_BUILD_REDUCERS: [&str; 2] = ["sqfa/src/pipeline/", "sqfa/src/reduce/"];

#[test]
fn only_the_pipeline_calls_reducers() {
    assert_eq!(files_that_build_reducers(), BUILD_REDUCERS.map(|(file, _)| file));
    assert!(BUILD_REDUCERS.iter().all(|(_, reason)| !reason.is_empty()));
}

/// Constants of the pipeline outside `rule.rs`: how work is divided, what fits cost, rounding, and a warning. None of them decides
/// what is selected.
const TECHNICAL: [&str; 20] = [
    "climb.rs NEW",
    "climb.rs TOLERANCE",
    "folds.rs SHARE",
    "in_memory.rs ROOM",
    "keys.rs ROWS_A_TASK",
    "learn.rs STARTS",
    "score.rs WORD",
    "search.rs STARTS",
    "search.rs STOPPING",
    "serial.rs COLUMNS",
    "serial.rs FEWEST",
    "serial.rs ROWS",
    "serial.rs STRONG",
    "space.rs BLOCK",
    "summed.rs SHARE",
    "summed.rs SMALL",
    "summed.rs WHOLE",
    "tally.rs STEPS",
    "wide.rs CLASSES",
    "wide.rs POINTS",
];

#[test]
fn only_the_rule_holds_its_constants() {
    let mut found = Vec::new();
    for (path, name) in sources("src") {
        let Some(file) = name.strip_prefix("sqfa/src/pipeline/") else { continue };
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
        for line in code.lines().filter(|_| file != "rule.rs") {
            let words = line.split_once("const ").filter(|(before, _)| !before.contains("//"));
            if let Some((name, _)) = words.and_then(|(_, after)| after.split_once(':')) {
                found.push(format!("{file} {name}"));
            }
        }
    }
    found.sort();
    assert_eq!(found, TECHNICAL);
}

#[test]
fn calls_are_found_in_code_alone() {
    let calls = |text| REDUCER_CALLS.iter().any(|function| calls(text, function));
    assert!(calls("let found = own.fit_one(&training, 2, observer)?;"));
    assert!(!calls("fn fit_one(&self, filters: usize) {}"));
    assert!(calls("let found = reducer(name, &settings)?;"));
    assert!(calls("    .reducer(name)"));
    assert!(calls("sqfa::reduce::reducer (\n    name,\n)"));
    assert!(calls("reducer::<f64>(name)"));
    assert!(!calls("pub fn reducer(name: &str) {}"));
    assert!(!calls("let reducer = build_reducer(name);"));
    assert!(!calls("for entry in reducers() {}"));
    assert!(!calls("/// Calls reducer(name).\n// reducer(name)"));
    assert!(!calls("mod a {}\n#[cfg(test)]\nmod tests { reducer(name); }"));
}

#[test]
fn every_match_on_settings_is_exhaustive() {
    // A new setting must not be overlooked where settings are told apart.
    for (path, name) in sources("") {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(catch_all_arms(&text), Vec::<usize>::new(), "{name}: list the settings");
        let partial =
            text.lines().find(|line| line.contains("matches!(") && line.contains("Setting::"));
        assert_eq!(partial, None, "{name}: write an exhaustive match");
    }
}

#[test]
fn arms_that_catch_several_settings_are_found() {
    let bad = "match one {\n    Setting::Noise => 1,\n    _ => 2,\n}\n";
    assert_eq!(catch_all_arms(bad), [3]);
    let bad = "match one {\n    own if own.is_odd() => 3,\n    Setting::Noise => {\n        1\n    }\n}\n";
    assert_eq!(catch_all_arms(bad), [2]);
    let bad = "match one {\n    Some(Setting::Noise) => 1,\n    None | Some(_) => 2,\n}\n";
    assert_eq!(catch_all_arms(bad), [3]);
    let bad = "match two {\n    (Setting::Noise, 1) => 1,\n    (_, other) => other,\n}\n";
    assert_eq!(catch_all_arms(bad), [3]);
    let good = "match one {\n    Setting::Noise => match two {\n        Some(_) => 1,\n        _ => 2,\n    },\n}\n";
    assert!(catch_all_arms(good).is_empty());
}

/// Returns the Rust sources below this folder of every crate, tests left out, each with its name below `crates`.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    let mut found = Vec::new();
    for member in std::fs::read_dir(&crates).unwrap() {
        let folder = member.unwrap().path().join(folder);
        if folder.is_dir() {
            rust_files(&folder, &mut found);
        }
    }
    let name = |path: &Path| {
        let parts = path.strip_prefix(&crates).unwrap().components();
        parts.map(|part| part.as_os_str().to_str().unwrap()).collect::<Vec<_>>().join("/")
    };
    let mut named: Vec<(PathBuf, String)> =
        found.into_iter().map(|path| (path.clone(), name(&path))).collect();
    named.sort();
    assert!(named.iter().any(|(_, name)| name == "sqfa/src/reduce/setting.rs"));
    named
}

/// Returns the sources of all crates, below `crates`, that call reducers outside the modules that may.
fn files_that_build_reducers() -> Vec<String> {
    let builds = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        REDUCER_CALLS.iter().any(|function| calls(&text, function))
    };
    let found = sources("src").into_iter().filter(|(path, _)| builds(path));
    found
        .map(|(_, name)| name)
        .filter(|name| !MAY_BUILD_REDUCERS.iter().any(|folder| name.starts_with(folder)))
        .collect()
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
            let any = name(&pattern) || pattern.starts_with("(_") || pattern.contains("Some(_)");
            if lines[arm].contains("=>") && any {
                found.push(arm + 1);
            }
        }
    }
    found
}

/// Whether a source calls a function of this name outside comments and its tests, which come last in a file.
fn calls(source: &str, function: &str) -> bool {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: Vec<&str> =
        code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    code.match_indices(function).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + function.len()..]);
        let inside_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_call = after.trim_start().starts_with('(') || after.starts_with("::<");
        is_call && !inside_name && !before.trim_end().ends_with("fn")
    })
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

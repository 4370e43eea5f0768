//! Rules about the sources that the compiler cannot check.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// Sources outside `pipeline` and `reduce` that build reducers themselves.
///
/// Every other fit goes through the pipeline, so that the same request selects the same settings wherever it comes from.
/// The list may only become shorter: remove a file once it no longer builds reducers.
const BUILD_REDUCERS: [&str; 5] = [
    "sqfa-bench/src/reducers.rs",
    "sqfa-lab/src/compare/fit.rs",
    "sqfa-paper/src/claims/problem.rs",
    "sqfa-paper/src/figures/toys.rs",
    "sqfa-python/src/settings.rs",
];
/// The modules that may build reducers.
const MAY_BUILD_REDUCERS: [&str; 2] = ["sqfa/src/pipeline/", "sqfa/src/reduce/"];

#[test]
fn only_the_pipeline_calls_reducers() {
    assert_eq!(files_that_build_reducers(), BUILD_REDUCERS);
}

#[test]
fn calls_are_found_in_code_alone() {
    let calls = |text| calls(text, "reducer");
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

/// Returns the sources of all crates, below `crates`, that call `reducer` outside the modules that may.
fn files_that_build_reducers() -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    let mut sources = Vec::new();
    for member in std::fs::read_dir(&crates).unwrap() {
        let folder = member.unwrap().path().join("src");
        if folder.is_dir() {
            rust_files(&folder, &mut sources);
        }
    }
    let name = |path: PathBuf| {
        let parts = path.strip_prefix(&crates).unwrap().components();
        parts.map(|part| part.as_os_str().to_str().unwrap()).collect::<Vec<_>>().join("/")
    };
    let mut found: Vec<String> = sources
        .into_iter()
        .filter(|path| calls(&std::fs::read_to_string(path).unwrap(), "reducer"))
        .map(name)
        .filter(|name| !MAY_BUILD_REDUCERS.iter().any(|folder| name.starts_with(folder)))
        .collect();
    found.sort();
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
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

//! The map is true: a module uses only modules that stand above it in `lib.rs`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Sources of a module, without its tests.
fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap().to_string_lossy();
    if name == "tests" || name == "tests.rs" || name == "testing.rs" {
        return;
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
    } else if name.ends_with(".rs") {
        found.push(path.to_owned());
    }
}

/// The names that follow `crate::` in code that is not a test.
fn used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut names = Vec::new();
    for line in lines {
        for after in line.split("crate::").skip(1) {
            let name: String =
                after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.push(name);
        }
    }
    names
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(root.join("lib.rs")).unwrap();
    let order: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ").or(line.strip_prefix("mod ")))
        .map(|line| line.trim_end_matches(';'))
        .collect();
    assert!(order.len() > 10, "lib.rs lists its modules one a line");
    let mut checked = 0;
    for (place, module) in order.iter().enumerate() {
        let mut files = Vec::new();
        for path in [root.join(format!("{module}.rs")), root.join(module)] {
            if path.exists() {
                sources(&path, &mut files);
            }
        }
        assert!(!files.is_empty(), "{module} has no file");
        for file in files {
            for name in used(&fs::read_to_string(&file).unwrap()) {
                if let Some(other) = order.iter().position(|known| *known == name) {
                    checked += 1;
                    assert!(
                        other <= place,
                        "{} uses crate::{name}, which stands below {module} in lib.rs",
                        file.display()
                    );
                }
            }
        }
    }
    // The search for `crate::` itself must find something.
    assert!(checked > 100, "only {checked} uses were found");
}

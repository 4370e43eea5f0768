//! The table of distances in the documentation matches the registry, and ARCHITECTURE.md names files that exist.
//!
//! After a change of the registry run with `UPDATE_SNAPSHOTS=1`.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use sqfa::distance::registry;

const BEGIN: &str = "<!-- distances: made by crates/sqfa/tests/docs.rs -->\n";
const END: &str = "<!-- end of distances -->\n";

fn table() -> String {
    let mut table = "| distance | in Python | description | symmetric | triangle inequality | shift-invariant | linear-invariant | exact in the span |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    for entry in registry() {
        let claims = entry.claims;
        let marks = [
            claims.symmetric,
            claims.triangle,
            claims.translation_invariant,
            claims.linear_invariant,
            claims.exact_in_span,
        ];
        let marks = marks.map(|kept| if kept { "yes" } else { "no" }).join(" | ");
        let function = entry.name.replace('-', "_");
        table +=
            &format!("| `{}` | `{function}` | {} | {marks} |\n", entry.spelling(), entry.summary);
    }
    table
}

#[test]
fn the_table_of_distances_matches_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/distances.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, [before, BEGIN, &table(), END, after].concat()).unwrap();
        return;
    }
    assert_eq!(written, table(), "run with UPDATE_SNAPSHOTS=1");
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The end of a path is enough to name a file.
#[test]
fn the_architecture_names_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut known = Vec::new();
    for folder in ["crates", "python", "docs"] {
        files(&root.join(folder), &mut known);
    }
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let named: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.ends_with(".rs") || name.ends_with(".py"))
        .collect();
    assert!(named.len() > 40, "ARCHITECTURE.md names files in backticks");
    for name in named {
        assert!(known.iter().any(|path| path.ends_with(name)), "there is no {name}");
    }
}

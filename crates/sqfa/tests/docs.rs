//! The documents' table of distances is that of the registry; after a change run with `UPDATE_SNAPSHOTS=1`.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use sqfa::distance::registry;

const BEGIN: &str = "<!-- distances: made by crates/sqfa/tests/docs.rs -->\n";
const END: &str = "<!-- end of distances -->\n";

fn table() -> String {
    let mut table = "| distance | what it is | symmetric | triangle inequality | shift-invariant | linear-invariant | exact in the span |\n|---|---|---|---|---|---|---|\n".to_owned();
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
        table += &format!("| {} | {} | {marks} |\n", entry.spelling(), entry.summary);
    }
    table
}

#[test]
fn the_table_of_distances_is_that_of_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explanation/mathematics.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, [before, BEGIN, &table(), END, after].concat()).unwrap();
        return;
    }
    assert_eq!(written, table(), "run with UPDATE_SNAPSHOTS=1");
}

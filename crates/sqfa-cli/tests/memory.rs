//! How many bytes a fit on a table holds at once, counted by the allocator: no more than 1.5 times its numbers.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use std::ffi::OsString;
use std::fmt::Write;

use peak_alloc::PeakAlloc;

#[global_allocator]
static BYTES: PeakAlloc = PeakAlloc;

/// What is allowed beside the table itself: labels, the order of rows in folds, scores of held-out points.
const MOST: f64 = 1.5;
/// What a fit takes however few points there are.
const BASE: f64 = 4e6;

/// A table of short decimal numbers, and the bytes of its numbers.
fn table(rows: usize, columns: usize) -> (String, f64) {
    let mut text = (0..columns).map(|j| format!("x{j},")).collect::<String>() + "label\n";
    for row in 0..rows {
        for column in 0..columns {
            let value = ((row * (column + 7) * 31 + column) as f64).sin()
                + (row % 3 * column) as f64 / 10.0;
            write!(text, "{value:.4},").unwrap();
        }
        writeln!(text, "class{}", row % 3).unwrap();
    }
    (text, 8.0 * (rows * columns) as f64)
}

#[test]
fn a_fit_holds_little_more_than_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let fit = |rows: usize, columns: usize, flags: &str| {
        let (text, decoded) = table(rows, columns);
        std::fs::write(path("t.csv"), &text).unwrap();
        drop(text);
        let line =
            format!("sqfa fit {} -m 2 {flags} --out {} --json", path("t.csv"), path("m.sqfa"));
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let before = BYTES.current_usage() as f64;
        BYTES.reset_peak_usage();
        assert_eq!(sqfa_cli::main(words), 0);
        (BYTES.peak_usage() as f64 - before, decoded)
    };
    // The matrix backend reserves a workspace once a thread, of which it touches what it needs.
    fit(600, 50, "--noise scale --restarts 1");
    for (rows, columns, flags) in [
        (400_000, 4, "--method pca"),
        (400_000, 4, "--restarts 1"),
        (60_000, 50, "--method lda --shrinkage 0.1"),
        (60_000, 50, "--restarts 1"),
    ] {
        let (most, decoded) = fit(rows, columns, flags);
        println!("{rows} × {columns} {flags}: {:.2}", most / decoded);
        assert!(
            most <= MOST * decoded + BASE,
            "{rows} × {columns} {flags}: {most} bytes at once are {:.2} times {decoded}",
            most / decoded
        );
    }
}

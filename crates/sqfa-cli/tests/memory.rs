//! What a fit on a table allocates at most at a time, counted by the allocator: 1.5 times the numbers of the table or of its
//! class sums, whichever are more.

#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use sqfa_alloc::Counted;

#[global_allocator]
static COUNTED: Counted = Counted::new();

/// The claim, as a multiple of the decoded table or of the class sums.
const MOST: f64 = 1.5;
/// Room for more rows than the size of the file foretells, a tenth and a little: it is asked for and never touched.
const ROOM: f64 = 0.12;
/// Blocks of points under way, sums and messages: whatever does not grow with the table.
const FIXED: usize = 1 << 20;
const CLASSES: usize = 3;

/// A table of short decimal numbers; the first column tells the classes apart.
fn write_table(path: &Path, rows: usize, columns: usize) {
    let names: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
    let mut state = 1_u64;
    let mut text = format!("{},label\n", names.join(","));
    for row in 0..rows {
        for column in 0..columns {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let shift = if column == 0 { row % CLASSES } else { 0 };
            let value = (state >> 40) as f64 / f64::from(1 << 24) + shift as f64;
            write!(text, "{value:.4},").unwrap();
        }
        writeln!(text, "class{}", row % CLASSES).unwrap();
    }
    std::fs::write(path, text).unwrap();
}

/// The most bytes that a fit has at a time.
fn peak(folder: &Path, rows: usize, columns: usize, flags: &[&str]) -> usize {
    let (table, model) = (folder.join(format!("{rows}x{columns}.csv")), folder.join("m.sqfa"));
    if !table.exists() {
        write_table(&table, rows, columns);
    }
    let mut words: Vec<OsString> = ["sqfa", "fit"].map(OsString::from).into();
    words.extend([table.into(), "-m".into(), "2".into(), "--out".into(), model.into()]);
    words.extend(flags.iter().map(OsString::from));
    COUNTED.begin();
    let before = COUNTED.now();
    assert_eq!(sqfa_cli::main(words), 0);
    COUNTED.most() - before
}

#[test]
fn a_fit_takes_little_beside_the_numbers_of_its_table() {
    // Every thread has blocks under way, and room for products of matrices that the first of them makes: twice the cache.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    let methods = [&[][..], &["--method", "pca"], &["--method", "lda"]];
    let narrow = [(350_000, 4), (40_000, 50), (16_000, 300)];
    let each = methods.iter().flat_map(|&flags| narrow.map(|shape| (flags, shape)));
    // Class sums that are larger than the table, and some that are a good part of it.
    let wide = [(1500, 1500), (6000, 1000)];
    let wide = methods.iter().flat_map(|&flags| wide.map(|shape| (flags, shape)));
    for (flags, (rows, columns)) in each.chain(wide) {
        // The first fit also makes what threads keep for products of matrices.
        peak(folder.path(), 7000, columns, flags);
        let most = peak(folder.path(), rows, columns, flags);
        let table = 8 * rows.max(columns * CLASSES) * columns;
        let ratio = most.saturating_sub(FIXED) as f64 / table as f64;
        found.push((ratio, format!("{rows} × {columns} {flags:?}: {ratio:.2}")));
    }
    assert!(found.iter().all(|(ratio, _)| *ratio <= MOST + ROOM), "{found:#?}");
}

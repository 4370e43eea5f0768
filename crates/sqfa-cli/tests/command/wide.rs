//! Tables with far more columns than rows: every method, without flags, and what it gives is right.

use crate::common::Folder;
use sqfa::reduce::reducers;

const COLUMNS: usize = 1200;

/// Three classes that differ in the first five columns; the others are noise.
fn table(rows: usize, seed: u64) -> String {
    // Knuth's linear congruential generator; sums of twelve uniform numbers are nearly normal.
    let mut state = seed;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let names: Vec<String> = (0..COLUMNS).map(|j| format!("c{j}")).collect();
    let mut text = format!("{},class\n", names.join(","));
    for row in 0..rows {
        let class = row % 3;
        for column in 0..COLUMNS {
            let shift = if column < 5 { 12.0 * class as f64 } else { 0.0 };
            text += &format!("{:.3},", shift + normal());
        }
        text += &format!("k{class}\n");
    }
    text
}

#[test]
fn every_method_fits_a_wide_table_by_default() {
    let folder = Folder::new();
    folder.write("learn.csv", table(45, 1));
    folder.write("held.csv", table(60, 2));
    for entry in reducers() {
        let name = entry.name;
        let line = format!("fit learn.csv --label class -m 2 --method {name} --out m.sqfa");
        if entry.degrees.is_some() {
            // Outliers cannot be told where every point stands alone.
            folder.run(&line).fails(1, "need more samples than columns; reduce the dimension");
            continue;
        }
        folder.ok(&line);
        let told = folder.json("evaluate m.sqfa held.csv --label class");
        let accuracy = told["accuracy"].as_f64().unwrap();
        // Means 12 deviations apart: whatever looks at means sees them.
        let blind = ["smsqfa", "save"].contains(&name);
        assert!(accuracy > if blind { 0.3 } else { 0.9 }, "{name}: {accuracy}");
    }
}

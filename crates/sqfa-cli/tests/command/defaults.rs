//! What `sqfa fit` does when nothing but the data is given: units do not matter, constant columns are dropped, choices are reported.

use crate::common::Folder;

/// Four columns of which the second tells two classes apart by its mean and the third the others by its spread.
///
/// Columns are multiplied by `factors`, and constants are added: neither changes what can be known.
fn table(rows: usize, factors: [f64; 4], shift: f64) -> String {
    let mut text = "a,b,c,d,kind\n".to_owned();
    let mut state = 12345_u64;
    // A linear congruential generator and the sum of twelve uniform numbers: close enough to normal.
    let mut normal = || {
        let mut sum = -6.0;
        for _ in 0..12 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            sum += (state >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum
    };
    for row in 0..rows {
        let class = row % 3;
        let cells = [
            normal(),
            normal() + if class == 1 { 3.0 } else { 0.0 },
            normal() * if class == 2 { 6.0 } else { 1.0 },
            normal(),
        ];
        for (cell, factor) in cells.iter().zip(factors) {
            text.push_str(&format!("{:.9e},", (cell + shift) * factor));
        }
        text.push_str(["x\n", "y\n", "z\n"][class]);
    }
    text
}

fn accuracy(folder: &Folder, fit: &str, data: &str) -> f64 {
    folder.ok(&format!("fit {data} --label kind {fit} --out m.sqfa"));
    let evaluated = folder.json(&format!("evaluate m.sqfa --test {data} --label kind"));
    evaluated["qda_accuracy"].as_f64().unwrap()
}

#[test]
fn units_and_offsets_of_columns_do_not_matter() {
    let folder = Folder::new();
    folder.write("plain.csv", table(300, [1.0; 4], 0.0));
    folder.write("large.csv", table(300, [1000.0, 1.0, 1.0, 1.0], 0.0));
    folder.write("small.csv", table(300, [1.0, 1.0, 0.001, 1.0], 0.0));
    folder.write("all.csv", table(300, [1e-3; 4], 5.0));
    for method in ["sqfa", "sqfa-h"] {
        let fit = format!("--method {method} -m 2");
        let plain = accuracy(&folder, &fit, "plain.csv");
        // Means three standard deviations and spreads a factor of six apart: the Bayes rule is right in about 84 %.
        assert!(plain > 0.78, "{method}: {plain}");
        for other in ["large.csv", "small.csv", "all.csv"] {
            let found = accuracy(&folder, &fit, other);
            // At most three of the 300 samples.
            assert!((found - plain).abs() * 300.0 < 3.5, "{method}, {other}: {found} {plain}");
        }
    }
}

#[test]
fn constant_columns_are_dropped_and_named() {
    let folder = Folder::new();
    let rows = table(150, [1.0; 4], 0.0);
    let with: String = rows
        .lines()
        .enumerate()
        .map(|(row, line)| format!("{},{line}\n", if row == 0 { "idle" } else { "7" }))
        .collect();
    folder.write("data.csv", with);
    for method in ["sqfa-h", "lfda", "lda", "pca"] {
        let line = format!("fit data.csv --label kind --method {method} -m 2 --out m.sqfa");
        let said = folder.ok(&line);
        assert!(said.contains("1 constant column: idle"), "{method}: {said}");
        assert!(folder.filters("m.sqfa").iter().all(|filter| filter[0] == 0.0), "{method}");
    }
    let told = folder.json("fit data.csv --label kind --method sqfa-h -m 2 --out m.sqfa");
    assert_eq!(told["dropped"], serde_json::json!(["idle"]));
}

/// Nothing that is specified keeps a constant column, and neither do statistics: accuracy is that of the table without it.
#[test]
fn constant_columns_change_nothing_on_any_path() {
    let folder = Folder::new();
    let rows = table(600, [1.0; 4], 0.0);
    // The value 7 in three classes of equal size leaves round-off in a variance that is summed carelessly.
    let with: String = rows
        .lines()
        .enumerate()
        .map(|(row, line)| format!("{},{line}\n", if row == 0 { "idle" } else { "7" }))
        .collect();
    folder.write("with.csv", with);
    folder.write("without.csv", rows);
    for name in ["with", "without"] {
        folder.ok(&format!("stats {name}.csv --label kind --out {name}.sums"));
    }
    for settings in ["", "--noise 0.03", "--noise 0.03 --scaling per-feature", "--noise scale"] {
        for data in ["csv", "sums"] {
            let label = if data == "csv" { "--label kind " } else { "" };
            let right = ["with", "without"].map(|name| {
                let line = format!("fit {name}.{data} {label}-m 2 {settings} --out {name}.sqfa");
                let said = folder.ok(&line);
                let named = said.contains("1 constant column");
                assert_eq!(named, name == "with", "{line}: {said}");
                let weights = folder.filters(&format!("{name}.sqfa"));
                assert!(name == "without" || weights.iter().all(|one| one[0] == 0.0), "{line}");
                let line = format!("evaluate {name}.sqfa --label kind --test {name}.csv");
                folder.json(&line)["qda_accuracy"].as_f64().unwrap()
            });
            assert_eq!(right[0], right[1], "{data} {settings}");
        }
    }
}

#[test]
fn what_was_chosen_is_told_and_kept() {
    let folder = Folder::new();
    folder.write("data.csv", table(240, [1.0; 4], 0.0));
    let told = folder.json("fit data.csv --label kind --method sqfa-h -m 2 --out m.sqfa");
    let selection = &told["selection"];
    assert!(selection["tried"].as_array().unwrap().len() > 3, "{selection}");
    assert_eq!(selection["folds"], 5);
    let text = folder.ok("fit data.csv --label kind --method sqfa-h -m 2 --out m.sqfa");
    assert!(text.contains("x the mean within-class variance"), "{text}");
    // The model reports the selection in the same words.
    let noise =
        text.lines().find(|line| line.contains("x the mean within-class variance")).unwrap();
    let inspected = folder.ok("inspect m.sqfa");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(inspected.lines().any(|line| words(line) == words(noise)), "{inspected}");
    // A specified noise is used, and the scaling is selected for it.
    let told = folder.json("fit data.csv --label kind -m 2 --noise 0.5 --out m.sqfa");
    assert_eq!(told["noise"], 0.5);
    assert!(told["selection"]["tried"].as_array().unwrap().iter().all(|one| one["noise"] == "0.5"));
    // With both specified, nothing is selected.
    let both = "fit data.csv --label kind -m 2 --noise 0.5 --scaling none --out m.sqfa";
    let told = folder.json(both);
    assert_eq!((&told["noise"], &told["scaling"]), (&0.5.into(), &"none".into()));
    assert!(told["selection"].is_null(), "{told}");
}

/// Scaling and noise that a fit reports are accepted as input, and the fit with them has the same filters.
#[test]
fn what_was_selected_can_be_typed_in_again() {
    let folder = Folder::new();
    for (name, scale) in [("plain", [1.0; 4]), ("mixed", [1.0, 1e3, 1e-2, 10.0])] {
        folder.write("data.csv", table(240, scale, 0.0));
        for method in ["sqfa", "sqfa-h", "save"] {
            let fit = format!("fit data.csv --label kind --method {method} -m 2");
            let told = folder.json(&format!("{fit} --out a.sqfa"));
            let word = |key: &str| told["selection"][key].as_str().unwrap().to_owned();
            let (scaling, noise) = (word("scaling"), word("noise"));
            folder.ok(&format!("{fit} --scaling {scaling} --noise {noise} --out b.sqfa"));
            let again = folder.filters("b.sqfa");
            // Filters are equivalent in any order, and the first initialization decides it.
            for own in folder.filters("a.sqfa") {
                let far = |other: &Vec<f64>| {
                    let largest = own.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
                    let gap =
                        |sign: f64| own.iter().zip(other).map(move |(a, b)| (a - sign * b).abs());
                    gap(1.0).fold(0.0, f64::max).min(gap(-1.0).fold(0.0, f64::max)) / largest
                };
                let nearest = again.iter().map(far).fold(f64::INFINITY, f64::min);
                assert!(
                    nearest < 2e-3,
                    "{name} {method} --scaling {scaling} --noise {noise}: {nearest}"
                );
            }
        }
    }
}

#[test]
fn the_number_of_filters_can_be_chosen() {
    let folder = Folder::new();
    folder.write("data.csv", table(300, [1.0; 4], 0.0));
    let told = folder.json(
        "fit data.csv --label kind --method sqfa-h --filters auto --max-filters 4 --out m.sqfa --report r.html",
    );
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    assert!(page.contains("Held-out accuracy against the number of filters; 2 are taken"));
    // One column tells by its mean, one by its spread; the other two tell nothing.
    assert_eq!(told["filters"], 2, "{}", told["filters_tried"]);
    assert_eq!(told["filters_tried"].as_array().unwrap().len(), 4);
    // Also for a specified noise.
    let told = folder.json("fit data.csv --label kind --filters auto --noise 1 --out n.sqfa");
    assert!(!told["filters_tried"].as_array().unwrap().is_empty(), "{told}");
}

#[test]
fn labels_that_are_all_different_look_like_ids() {
    let folder = Folder::new();
    let rows: String = (0..40).map(|row| format!("{}.5,{},p{row}\n", row % 7, row % 5)).collect();
    folder.write("data.csv", format!("a,b,who\n{rows}"));
    let said = folder.run("fit data.csv --label who -m 1 --out m.sqfa");
    assert_ne!(said.code, 0);
    assert!(said.err.contains("id"), "{}", said.err);
}

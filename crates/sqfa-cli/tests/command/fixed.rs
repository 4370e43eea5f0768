//! `sqfa fit --fixed`: filters that stay, from a model or an array.

use sqfa_io::formats::write_npy;

use crate::common::{Folder, table};

/// Filters that are scaled and unscaled again: some roundings.
const ROUNDING: f64 = 1e-12;

#[test]
fn the_filters_of_a_model_stay_and_others_are_learned_beside_them() {
    for scale in ["none", "per-feature", "common"] {
        let folder = Folder::new();
        folder.write("data.csv", table(40));
        let fit = format!("fit data.csv --label species --noise 0.1 --scaling {scale}");
        folder.ok(&format!("{fit} -m 1 --out first.sqfa"));
        let told = folder.json(&format!("{fit} -m 2 --fixed first.sqfa --out both.sqfa"));
        let (first, both) = (folder.filters("first.sqfa"), folder.filters("both.sqfa"));
        assert_eq!(both.len(), 2);
        for (kept, given) in both[0].iter().zip(&first[0]) {
            assert!((kept - given).abs() <= ROUNDING, "{scale}: {kept} instead of {given}");
        }
        // Two free filters can only do better.
        let free = folder.json(&format!("{fit} -m 2 --out free.sqfa"));
        let objective = |told: &serde_json::Value| told["objective"].as_f64().unwrap();
        assert!(objective(&told) <= objective(&free) * (1.0 + ROUNDING), "{scale}");
    }
}

#[test]
fn an_array_gives_fixed_filters_too() {
    let folder = Folder::new();
    folder.write("data.csv", table(40));
    write_npy(&folder.path("fixed.npy"), &[3, 1], &vec![0.0, 0.0, -2.0]).unwrap();
    folder.ok("fit data.csv --label species --noise scale --scaling none -m 2 --fixed fixed.npy --out m.sqfa");
    assert_eq!(folder.filters("m.sqfa")[0], [0.0, 0.0, -1.0]);
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    write_npy(&folder.path("wide.npy"), &[4, 1], &vec![1.0; 4]).unwrap();
    write_npy(&folder.path("many.npy"), &[3, 2], &vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
    for (flags, code, message) in [
        ("--fixed wide.npy", 1, "--fixed holds 4 × 1 numbers; 3 dimensions"),
        ("--fixed wide.npy --noise 1 --refine", 2, "--refine moves all filters"),
        ("--fixed wide.npy --noise 1 --pca-dims 2", 2, "--pca-dims may leave out"),
        ("--fixed wide.npy --method lda", 2, "`--method lda` does not use `--fixed`"),
        ("--fixed wide.npy --noise 1", 1, "--fixed holds 4 × 1 numbers; 3 dimensions"),
        ("--fixed many.npy --noise 1", 1, "fewer than the 2 filters"),
        ("--fixed gone.npy --noise 1", 1, "gone.npy"),
    ] {
        let line = format!("fit data.csv --label species -m 2 --out m.sqfa {flags}");
        folder.run(&line).fails(code, message);
    }
}

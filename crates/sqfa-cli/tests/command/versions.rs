//! Files that earlier releases wrote are read, and mean the same.
//!
//! `tests/fixtures` has a folder per release: the data, models fitted to them, and the features and predictions that this release
//! computed from the models.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;

/// The folders of releases.
fn releases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let found: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!found.is_empty());
    found
}

/// The rows of a table without its header.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn models_of_earlier_releases_have_the_same_features_and_predictions() {
    for release in releases() {
        for name in ["sqfa", "refined", "lda", "smsqfa"] {
            let folder = Folder::new();
            for file in [format!("{name}.sqfa"), "snakes.csv".to_owned()] {
                folder.write(&file, fs::read(release.join(&file)).unwrap());
            }
            folder.ok(&format!("transform {name}.sqfa snakes.csv --out features.csv"));
            folder.ok(&format!("predict {name}.sqfa snakes.csv --out predicted.csv"));
            let features = rows(&folder.path("features.csv"));
            let predicted = rows(&folder.path("predicted.csv"));
            let expected = rows(&release.join(format!("{name}.csv")));
            assert_eq!(expected.len(), 120);
            assert_eq!((features.len(), predicted.len()), (120, 120), "{name}");
            for ((features, predicted), expected) in features.iter().zip(&predicted).zip(&expected)
            {
                assert_eq!(predicted[0], expected[2], "{name}");
                for (own, theirs) in features.iter().zip(&expected[..2]) {
                    let (own, theirs): (f64, f64) = (own.parse().unwrap(), theirs.parse().unwrap());
                    // Sums of five products in another order.
                    assert!((own - theirs).abs() <= 1e-12 * theirs.abs().max(1.0), "{name}: {own}");
                }
            }
            assert!(folder.ok(&format!("inspect {name}.sqfa")).contains("2 of 5"));
        }
    }
}

#[test]
fn class_statistics_of_earlier_releases_are_those_of_their_data() {
    for release in releases() {
        let folder = Folder::new();
        for file in ["snakes.stats", "snakes.csv"] {
            folder.write(file, fs::read(release.join(file)).unwrap());
        }
        folder.ok("stats snakes.csv --label species --out own.stats");
        let fit = |statistics: &str, model: &str| {
            folder.ok(&format!("fit {statistics} -m 2 --noise 0.1 --scaling none --out {model}"));
            folder.ok(&format!("transform {model} snakes.csv --out {model}.csv"));
            let features = rows(&folder.path(&format!("{model}.csv")));
            let numbers = features.iter().flat_map(|row| row[..2].iter());
            numbers.map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>()
        };
        let (earlier, own) = (fit("snakes.stats", "earlier"), fit("own.stats", "own"));
        assert_eq!((earlier.len(), own.len()), (240, 240));
        for (earlier, own) in earlier.iter().zip(&own) {
            // Sums of samples in another order move the optimum by as much as the tolerance of the fit.
            assert!((earlier - own).abs() <= 1e-4 * own.abs().max(1.0), "{earlier} {own}");
        }
    }
}

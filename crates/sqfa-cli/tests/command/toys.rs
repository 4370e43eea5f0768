//! The toy problems: which dimensions every method chooses, as known from their constants.

use crate::common::Folder;
use sqfa::ClassStatistics;
use sqfa_io::data::{GivenMoments, GivenStatistics};
use sqfa_io::datasets::toy::Toy;
use sqfa_io::formats::{Stack, write_npy};

/// The share of a vector's length that lies in some dimensions.
fn share(vector: &[f64], dimensions: std::ops::Range<usize>) -> f64 {
    let square = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
    square(&vector[dimensions]) / square(vector)
}

fn assert_in(vectors: &[Vec<f64>], dimensions: std::ops::Range<usize>) {
    assert_eq!(vectors.len(), 2);
    for vector in vectors {
        assert!(share(vector, dimensions.clone()) > 0.9999, "{vector:?} not in {dimensions:?}");
    }
}

fn degrees(filter: &[f64]) -> f64 {
    filter[1].atan2(filter[0]).to_degrees().rem_euclid(180.0)
}

fn moments(given: &GivenStatistics) -> (Vec<f64>, Vec<Vec<f64>>) {
    match &given.moments {
        GivenMoments::Central { means, covariances: Stack::F64(covariances) } => {
            (means.clone(), covariances.clone())
        }
        other => panic!("{other:?}"),
    }
}

/// Solves a small positive definite system by elimination.
fn solve(matrix: &[f64], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let (mut a, mut x) = (matrix.to_vec(), right.to_vec());
    for pivot in 0..n {
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = a[row * n + pivot] / a[pivot * n + pivot];
            for column in 0..n {
                a[row * n + column] -= factor * a[pivot * n + column];
            }
            x[row] -= factor * x[pivot];
        }
    }
    (0..n).map(|i| x[i] / a[i * n + i]).collect()
}

#[test]
fn in_six_dimensions_sqfa_lda_and_pca_choose_different_pairs() {
    let folder = Folder::new();
    folder.ok("fit toy-6d --filters 2 --noise 0.002 --out m.sqfa");
    assert_in(&folder.filters("m.sqfa"), 0..2);

    let given = Toy::SixD.statistics();
    let (means, covariances) = moments(&given);
    // LDA: the within-class metric applied to the differences of the means.
    let within: Vec<f64> =
        (0..36).map(|at| covariances.iter().map(|c| c[at] / 3.0).sum()).collect();
    let center: Vec<f64> = (0..6).map(|i| (0..3).map(|k| means[6 * k + i] / 3.0).sum()).collect();
    let lda: Vec<Vec<f64>> = (0..2)
        .map(|k| {
            let shift: Vec<f64> = (0..6).map(|i| means[6 * k + i] - center[i]).collect();
            solve(&within, &shift)
        })
        .collect();
    assert_in(&lda, 2..4);

    let statistics = ClassStatistics::from_moments(
        given.classes.clone(),
        None,
        &means,
        sqfa::statistics::GivenMatrices::F64(covariances),
    )
    .unwrap();
    let (components, _) = statistics.principal_components(2).unwrap();
    let pca: Vec<Vec<f64>> = (0..2).map(|j| (0..6).map(|i| components[(i, j)]).collect()).collect();
    assert_in(&pca, 4..6);
}

#[test]
fn in_four_dimensions_sqfa_sees_means_and_smsqfa_covariances() {
    let folder = Folder::new();
    folder.ok("fit toy-4d --filters 2 --noise 0.001 --scaling none --out sqfa.sqfa");
    folder.ok(
        "fit toy-4d --method smsqfa --filters 2 --noise 0.001 --scaling none --out smsqfa.sqfa",
    );
    assert_in(&folder.filters("sqfa.sqfa"), 0..2);
    assert_in(&folder.filters("smsqfa.sqfa"), 2..4);
}

#[test]
fn four_classes_have_a_best_and_a_vertical_optimum() {
    let folder = Folder::new();
    let report =
        folder.json("fit toy-lda --filters 1 --noise 0.001 --scaling none --out best.sqfa");
    let best = degrees(&folder.filters("best.sqfa")[0]);
    assert!((best - 29.1).abs() < 0.1, "{best}");
    assert!((report["objective"].as_f64().unwrap() - 4.563).abs() < 1e-3);
    assert_eq!(report["initializations"].as_array().unwrap().len(), 16);

    let (sin, cos) = 90.0_f64.to_radians().sin_cos();
    write_npy(&folder.path("start.npy"), &[2, 1], &vec![cos, sin]).unwrap();
    let report = folder.json(
        "fit toy-lda --filters 1 --noise 0.001 --scaling none --init start.npy --out up.sqfa",
    );
    let vertical = degrees(&folder.filters("up.sqfa")[0]);
    assert!((vertical - 89.7).abs() < 0.1, "{vertical}");
    assert!((report["objective"].as_f64().unwrap() - 3.770).abs() < 1e-3);
    assert_eq!(report["initializations"].as_array().unwrap().len(), 1);
}

#[test]
fn optimizers_and_pairs_can_be_forced_and_are_reported() {
    let folder = Folder::new();
    let mut objectives = Vec::new();
    for optimizer in ["subspace", "lbfgs"] {
        let fit = format!(
            "fit toy-6d --filters 2 --noise 0.002 --optimizer {optimizer} --pairs all --json --out m.sqfa"
        );
        let report: serde_json::Value = serde_json::from_str(&folder.ok(&fit)).unwrap();
        assert_eq!(report["optimizer"], optimizer);
        objectives.push(report["objective"].as_f64().unwrap());
        assert!(folder.ok("inspect m.sqfa").contains(optimizer));
    }
    assert!((objectives[0] / objectives[1] - 1.0).abs() < 1e-5, "{objectives:?}");
    folder
        .run("fit toy-6d --filters 2 --pairs 0 --out m.sqfa")
        .fails(2, "give auto, all or a whole number above 0");
    folder
        .run("fit toy-6d --filters 2 --method lda --optimizer lbfgs --out m.sqfa")
        .fails(2, "--optimizer");
}

/// Closed forms in the same double precision: some roundings.
const ROUNDING: f64 = 1e-9;

#[test]
fn bounds_are_those_of_equal_covariances() {
    let said = Folder::new().json("distances toy-lda --distance fisher-rao --bounds --noise 0");
    let pair = &said["pairs"][0];
    // Means (−.8, .2) and (−.84, −.2), covariance 0.008 I.
    let square = (0.04_f64.powi(2) + 0.4_f64.powi(2)) / 0.008;
    let number = |name: &str| pair[name].as_f64().unwrap();
    assert!((number("lower") - (1.0 + square / 2.0).acosh()).abs() < ROUNDING);
    let exact = 2.0_f64.sqrt() * (1.0 + square / 4.0).acosh();
    assert!((number("distance") - exact).abs() < ROUNDING);
    assert!(number("upper") >= exact - ROUNDING && pair["exact"] == true);
    assert_eq!(said["pairs"].as_array().unwrap().len(), 6);
    let text = Folder::new().ok("distances toy-lda --distance fisher-rao --bounds --noise 0");
    assert!(text.contains("Calvo–Oller") && text.contains("upper bound"), "{text}");
    let refused = Folder::new().run("distances toy-lda --bounds");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--distance fisher-rao"), "{}", refused.err);
}

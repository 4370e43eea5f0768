//! Data in, model out, features, predictions and accuracies back: every command through real processes.

use std::io::Write;

use crate::common::{Folder, table};
use sqfa_io::formats::{Limits, NpzWriter, Values, read_npy, write_idx_u8, write_npy};

fn with_table() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", table(40));
    folder
}

#[test]
fn a_table_becomes_a_model_that_names_its_classes() {
    let folder = with_table();
    let report = folder.json("fit data.csv --label species --filters 2 --noise 0.01 --out m.sqfa");
    for key in [
        "method",
        "distance",
        "filters",
        "noise",
        "objective",
        "passes",
        "evaluations",
        "iterations",
        "seconds",
        "statistics_seconds",
        "read_seconds",
        "total_seconds",
        "converged",
        "termination",
        "initializations",
    ] {
        assert!(!report[key].is_null(), "{key}: {report}");
    }
    for key in ["objective", "passes", "evaluations", "converged"] {
        assert!(!report["initializations"][0][key].is_null(), "{key}");
    }
    let sum: u64 = report["initializations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["evaluations"].as_u64().unwrap())
        .sum();
    assert_eq!(report["evaluations"].as_u64().unwrap(), sum);
    let evaluated = folder.json("evaluate m.sqfa data.csv --label species");
    assert!(evaluated["qda_accuracy"].as_f64().unwrap() > 0.9, "{evaluated}");
    assert_eq!(evaluated["n_test"], 120);
    let predicted = folder.ok("predict m.sqfa data.csv --label species");
    assert_eq!(predicted.lines().count(), 120);
    assert!(predicted.lines().all(|line| ["ant", "bee", "cat"].contains(&line)));
    let probable = folder.ok("predict m.sqfa data.csv --label species --probabilities");
    assert!(probable.starts_with("label,ant,bee,cat\n"));
    let text = folder.ok("evaluate m.sqfa data.csv --label species");
    assert!(text.contains("QDA accuracy") && text.contains("training accuracy"), "{text}");
}

#[test]
fn standard_input_and_gzip_give_the_same_model() {
    let folder = with_table();
    folder.ok("fit data.csv --label species -m 2 --out file.sqfa");
    let said = folder.feed("fit - --label species -m 2 --out pipe.sqfa", &table(40));
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(folder.filters("file.sqfa"), folder.filters("pipe.sqfa"));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(table(40).as_bytes()).unwrap();
    folder.write("data.csv.gz", gzip.finish().unwrap());
    folder.ok("fit data.csv.gz --label species -m 2 --out gzip.sqfa");
    assert_eq!(folder.filters("file.sqfa"), folder.filters("gzip.sqfa"));
}

#[test]
fn features_survive_every_format() {
    let folder = with_table();
    folder.ok("fit data.csv --label species -m 2 --scaling per-feature --out m.sqfa");
    folder.ok("transform m.sqfa data.csv --label species --out z.npy");
    folder.ok("transform m.sqfa data.csv --label species --out z.npz");
    folder.ok("transform m.sqfa data.csv --label species --out z.csv");
    let array = read_npy(&folder.path("z.npy"), Limits::default()).unwrap();
    assert_eq!(array.shape(), [120, 2]);
    let Values::F64(values) = array.values() else { panic!("{array:?}") };
    let csv = std::fs::read_to_string(folder.path("z.csv")).unwrap();
    let first: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(first[0].parse::<f64>().unwrap(), values[0]);
    assert_eq!(first[2], "ant");
    // Features are data again.
    let again = folder.json("fit z.npz -m 1 --out again.sqfa");
    assert_eq!(again["dimensions"], 2);
    folder.ok("fit z.csv -m 1 --out again.sqfa");
}

#[test]
fn preprocessing_is_stored_and_applied() {
    let folder = with_table();
    folder.ok("fit data.csv --label species -m 2 --scaling common --out m.sqfa");
    folder.ok("transform m.sqfa data.csv --label species --out z.npy");
    let array = read_npy(&folder.path("z.npy"), Limits::default()).unwrap();
    let Values::F64(values) = array.values() else { panic!("{array:?}") };
    for j in 0..2 {
        let mean: f64 = values.iter().skip(j).step_by(2).sum::<f64>() / 120.0;
        assert!(mean.abs() < 1e-12, "features of centered data are centered: {mean}");
    }
    let about = folder.ok("inspect m.sqfa");
    assert!(about.contains("scaled by common, centered"), "{about}");
    // Accuracy of a full-rank linear map does not depend on scaling.
    folder.ok("fit data.csv --label species -m 3 --noise 0.01 --scaling none --out raw.sqfa");
    folder.ok(
        "fit data.csv --label species -m 3 --noise 0.01 --scaling per-feature --out scaled.sqfa",
    );
    let accuracy = |model: &str| {
        folder.json(&format!("evaluate {model} data.csv --label species --shrinkage 0"))["qda_accuracy"].clone()
    };
    assert_eq!(accuracy("raw.sqfa"), accuracy("scaled.sqfa"));
}

#[test]
fn parts_are_kept_apart() {
    let folder = Folder::new();
    folder.ok("dataset toy-6d --train 200 --test 100 --out d.npz");
    folder.ok("fit d.npz -m 2 --noise 0.01 --out m.sqfa");
    assert_eq!(folder.json("evaluate m.sqfa d.npz")["n_test"], 300);
    assert_eq!(folder.json("evaluate m.sqfa d.npz --part train")["n_test"], 600);
    assert_eq!(folder.json("evaluate m.sqfa --test d.npz")["part"], "test");
    folder.run("transform m.sqfa d.npz --out z.npy").fails(2, "name one with --part");
    folder.ok("transform m.sqfa d.npz --part test --out z.npy");
    folder.ok("transform m.sqfa d.npz --out z.npz");
    folder.ok("predict m.sqfa d.npz --part test --out y.npy");
    assert_eq!(read_npy(&folder.path("y.npy"), Limits::default()).unwrap().shape(), [300]);
}

#[test]
fn points_in_npy_and_idx_files_are_understood() {
    let folder = Folder::new();
    let points: Vec<f32> =
        (0..120).map(|i| ((i * 37 % 101) as f32).sin() + (i / 60) as f32).collect();
    write_npy(&folder.path("X.npy"), &[40, 3], &points).unwrap();
    write_npy(&folder.path("y.npy"), &[40], &(0..40).map(|i| i / 20).collect::<Vec<i64>>())
        .unwrap();
    folder.ok("fit X.npy --labels y.npy -m 1 --out m.sqfa");
    folder.ok("predict m.sqfa X.npy");
    folder.json("evaluate m.sqfa X.npy --labels y.npy");
    folder.run("evaluate m.sqfa X.npy").fails(1, "no labels to compare with");
    folder.run("fit X.npy -m 1 --out m.sqfa").fails(1, "--labels");

    std::fs::create_dir(folder.path("idx")).unwrap();
    let bytes: Vec<u8> = (0..40 * 6).map(|i| (i * 41 % 251) as u8).collect();
    let classes: Vec<u8> = (0..40).map(|i| (i % 2) as u8).collect();
    for prefix in ["train", "t10k"] {
        write_idx_u8(&folder.path(&format!("idx/{prefix}-images-idx3-ubyte")), &[40, 2, 3], &bytes)
            .unwrap();
        write_idx_u8(&folder.path(&format!("idx/{prefix}-labels-idx1-ubyte")), &[40], &classes)
            .unwrap();
    }
    folder.ok("fit idx --method sqfa-h -m 2 --out idx.sqfa");
    assert_eq!(folder.json("evaluate idx.sqfa idx")["n_test"], 40);
    assert!(folder.ok("inspect idx.sqfa").contains("(2 × 3)"));
}

#[test]
fn second_moments_are_enough_for_smsqfa() {
    let folder = Folder::new();
    let mut npz = NpzWriter::create(&folder.path("s.npz"), false).unwrap();
    let moments = vec![1.0, 0.0, 0.0, 2.0, 3.0, 0.5, 0.5, 1.0];
    npz.add("second_moments", &[2, 2, 2], &moments).unwrap();
    npz.finish().unwrap();
    let said = folder.run("fit s.npz --method smsqfa -m 1 --noise 0.01 --out m.sqfa");
    assert_eq!(said.code, 0, "{}", said.err);
    let said = folder.run("fit s.npz --method sqfa -m 1 --noise 0.01 --out m.sqfa");
    assert!(said.code == 0 && said.err.contains("only second moments"), "{}", said.err);
    folder.ok("fit s.npz -m 1 --noise auto --out m.sqfa");
    folder.run("fit s.npz -m 1 --covariance-estimator tyler --out m.sqfa").fails(1, "tyler");
    folder.run("evaluate m.sqfa s.npz").fails(1, "not samples");
}

#[test]
fn every_method_distance_and_option_fits() {
    let folder = with_table();
    let fit = |flags: &str| {
        folder.json(&format!("fit data.csv --label species -m 2 --out m.sqfa {flags}"))
    };
    for method in sqfa::model::VARIANTS {
        let report = fit(&format!("--method {}", method.name));
        assert_eq!(report["method"], method.name);
        assert_eq!(report["distance"], method.distance);
    }
    for distance in ["mahalanobis", "chernoff:0.3", "affine-invariant:covariances"] {
        assert_eq!(fit(&format!("--distance {distance}"))["distance"], distance);
    }
    let confined = fit("--noise auto --scaling per-feature --pca-dims 3");
    assert!(confined["selection"]["tried"].as_array().unwrap().len() > 2, "{confined}");
    assert_eq!(fit("--noise auto --scaling common")["noise_choice"], "auto");
    fit("--sequential --constraint orthonormal --init pca --precision f32");
    fit("--sequential=1 --covariance-estimator oas --precision f64 --max-iter 50 --tol 1e-9");
    assert_eq!(fit("--classes cat,ant")["n_classes"], 2);
    folder.ok("evaluate m.sqfa data.csv --label species");
    std::fs::copy(folder.path("m.sqfa"), folder.path("first.sqfa")).unwrap();
    fit("--init first.sqfa --n-init 2 --seed 5");
}

#[test]
fn the_same_seed_gives_the_same_bytes_at_any_thread_count() {
    let folder = with_table();
    folder.ok("fit data.csv --label species -m 2 --pca-dims 3 --out a.sqfa --threads 1");
    folder.ok("fit data.csv --label species -m 2 --pca-dims 3 --out b.sqfa --threads 3");
    assert_eq!(folder.ok("export a.sqfa --format csv"), folder.ok("export b.sqfa --format csv"));
}

#[test]
fn distances_of_a_model_average_to_its_objective() {
    let folder = with_table();
    let report = folder.json("fit data.csv --label species -m 2 --out m.sqfa");
    let measured = folder.json("distances m.sqfa");
    let gap = report["objective"].as_f64().unwrap() - measured["mean"].as_f64().unwrap();
    assert!(gap.abs() < 1e-6, "{gap}");
    folder.json("distances data.csv --label species --distance hellinger");
    folder.json("distances data.csv --label species --pca-dims 2 --classes ant,cat --noise 0");
    folder.ok("distances m.sqfa --distance jeffreys --out d.csv");
    assert!(
        std::fs::read_to_string(folder.path("d.csv")).unwrap().starts_with("class,ant,bee,cat")
    );
    assert!(folder.ok("distances toy-6d").contains("between 3 classes in 6 dimensions"));
}

#[test]
fn exports_hold_what_a_stranger_needs() {
    let folder = with_table();
    folder.ok("fit data.csv --label species -m 2 --out m.sqfa");
    folder.ok("export m.sqfa --format npz --out m.npz");
    let npz = sqfa_io::formats::Npz::open(&folder.path("m.npz"), Limits::default()).unwrap();
    for name in [
        "filters",
        "raw_filters",
        "raw_offset",
        "feature_means",
        "feature_covariances",
        "classes",
        "counts",
        "offset",
        "factors",
        "noise",
    ] {
        assert!(npz.contains(name), "{name}");
    }
    folder.run("export m.sqfa --format npz").fails(2, "--out");
}

#[test]
fn scaling_and_speed_can_be_written() {
    let folder = Folder::new();
    folder.ok("dataset scaling --dimensions 40 --out s.npz");
    folder.ok("fit s.npz -m 4 --noise 0.001 --out m.sqfa");
    let made = folder.json("dataset speed --train 12 --test 3 --out v.npz");
    assert_eq!((&made["n_classes"], &made["dimensions"]), (&41.into(), &450.into()));
    let said = folder
        .run("fit v.npz -m 2 --method sqfa-h --noise 0.001 --n-init 1 --max-iter 5 --out m.sqfa");
    assert_eq!(said.code, 0, "{}", said.err);
    for warning in ["41 of 41 classes have no more samples", "did not converge"] {
        assert!(said.err.contains(warning), "{}", said.err);
    }
    assert!(folder.ok("inspect m.sqfa").contains("(15 × 30)"));
}

#[test]
fn warnings_name_what_is_odd_about_the_data() {
    let folder = Folder::new();
    let mut text = "a,b,label\n".to_owned();
    for i in 0..100 {
        text.push_str(&format!("{},1,{}\n", (i as f64).sin(), if i < 8 { "few" } else { "many" }));
    }
    folder.write("odd.csv", text);
    let said = folder.run("fit odd.csv -m 1 --noise scale --out m.sqfa");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("1 constant column: b"), "{}", said.out);
    assert!(said.err.contains("strongly unbalanced"), "{}", said.err);
}

/// The model file names the classifier of the method, which a flag overrides.
#[test]
fn models_of_lda_predict_by_the_linear_rule() {
    let folder = with_table();
    folder.ok("fit data.csv --label species -m 2 --method lda --shrinkage 0.1 --out m.sqfa");
    let evaluate = "evaluate m.sqfa data.csv --label species";
    let told = folder.json(evaluate);
    assert_eq!(told["classifier"], "lda");
    assert!(told["accuracy"].as_f64().unwrap() > 0.9 && told["qda_accuracy"].is_null(), "{told}");
    assert!(folder.ok(evaluate).contains("LDA accuracy"));
    let quadratic = folder.json(&format!("{evaluate} --classifier qda"));
    assert_eq!(quadratic["classifier"], "qda");
    assert_eq!(quadratic["qda_accuracy"], quadratic["accuracy"]);
    let chances = |flags: &str| {
        folder.ok(&format!("predict m.sqfa data.csv --label species --probabilities {flags}"))
    };
    assert_eq!(chances(""), chances("--classifier lda"));
    assert_ne!(chances(""), chances("--classifier qda"));
    // The refinement optimizes the posteriors of the quadratic classifier.
    folder.ok("fit data.csv --label species -m 2 --method lda --refine --out r.sqfa");
    assert_eq!(folder.json("evaluate r.sqfa data.csv --label species")["classifier"], "qda");
}

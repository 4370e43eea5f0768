//! Tests that models are stored without loss, and that damaged files are rejected without a panic.

/// The number of damaged files that are loaded, which takes about 2 s.
const ROUNDS: usize = 20_000;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use sqfa::Noise;
use sqfa::constraint::Constraint;
use sqfa::optimize::{Optimizer, Termination};
use sqfa::pipeline::{Candidate, Precision, Reason, Specified};
use sqfa::reduce::Run;
use sqfa::statistics::Scaling;

use super::*;
use crate::formats::Limits;

fn description() -> Description {
    Description {
        record: FitRecord {
            specified: Specified {
                method: "sqfa".to_owned(),
                refined: false,
                distance: Some("calvo-oller".to_owned()),
                constraint: Some(Constraint::Sphere),
                settings: [("noise".to_owned(), "0.3".to_owned())].into(),
                dimensions: None,
                sequential: Some(2),
                seed: u64::MAX,
                max_iterations: 10,
                tolerance: 1e-6,
            },
            used: vec![(Setting::Noise, 0.1 + 0.2)],
            scaling: Scaling::Common,
            dropped: vec![],
            counts: vec![],
            selection: None,
            trials: vec![],
            refinement: None,
            distinct: None,
            classifier: ClassifierKind::Linear,
            second_moments: false,
            precision: Precision::Double,
            run: Run {
                objective: Some(std::f64::consts::PI),
                termination: Some(Termination::SmallChange),
                iterations: 3,
                optimizer: Some(Optimizer::Lbfgs),
                passes: 4,
                evaluations: 5,
                seconds: 0.1,
                search_seconds: None,
                restarts: Vec::new(),
                best: 0,
                trace: vec![1.0, 2.0, std::f64::consts::PI],
                other_traces: Vec::new(),
                group_traces: Vec::new(),
                warnings: Vec::new(),
            },
        },
        noise_choice: "given".to_owned(),
        fractional_classes: false,
        class_type: None,
        priors: None,
        explained_variance_ratio: None,
        classes: ClassNames::Texts(vec!["a".to_owned(), "é\u{1b}".to_owned()]),
        lift: None,
        restricted: false,
        covariance: "empirical".to_owned(),
        start: "random".to_owned(),
        data: DataRecord {
            group: None,
            name: "test".to_owned(),
            image_shape: Some((1, 3)),
            label: Some("kind".to_owned()),
        },
        feature_names: None,
        software: "sqfa".to_owned(),
    }
}

fn model() -> Model {
    let parts = ModelParts {
        filters: Mat::from_fn(3, 2, |i, j| (1.0 + i as f64 + 10.0 * j as f64).sqrt()),
        preprocessing: Some(Preprocessor { offset: vec![1.0, 2.0, 3.0], factors: vec![0.1; 3] }),
        counts: Some(vec![10, 20]),
        features: Gaussians::new(
            2,
            vec![0.0, 1.0, 2.0, 3.0],
            vec![1.0, 0.1, 0.1, 2.0, 3.0, 0.2, 0.2, 1.5],
        )
        .unwrap(),
    };
    Model::new(parts, description()).unwrap()
}

fn parts(counts: Option<Vec<u64>>) -> ModelParts {
    let Model { filters, features, .. } = model();
    ModelParts { filters, preprocessing: None, counts, features }
}

#[test]
fn a_model_survives_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sqfa");
    let model = model();
    model.write(&path).unwrap();
    assert_eq!(Model::read(&path, Limits::default()).unwrap(), model);
    assert_eq!(model.to_bytes().unwrap(), std::fs::read(&path).unwrap());
    assert!(Model::read(&path, Limits { bytes: 100 }).is_err());
}

#[test]
fn the_mean_is_kept_where_it_is_known() {
    let with = model().with_mean(vec![0.5, -1.0, 3.0]).unwrap();
    let again = Model::from_bytes(&with.to_bytes().unwrap(), "m").unwrap();
    assert_eq!(again.mean(), Some(&[0.5, -1.0, 3.0][..]));
    let without = Model::from_bytes(&model().to_bytes().unwrap(), "m").unwrap();
    assert_eq!(without.mean(), None);
    assert!(model().with_mean(vec![0.5, 1.0]).is_err());
    assert!(model().with_mean(vec![0.5, 1.0, f64::NAN]).is_err());
}

#[test]
fn features_follow_the_preprocessing() {
    let model = model();
    let point = [4.0, -1.0, 0.5];
    let table = sqfa::Table::row_major(&point, 1, 3).unwrap();
    let features = model.transform(table.into()).unwrap().to_f64();
    let Preprocessor { offset, factors } = model.preprocessing().unwrap();
    for (j, feature) in features.iter().enumerate() {
        let expected: f64 =
            (0..3).map(|i| model.filters()[(i, j)] * (point[i] - offset[i]) * factors[i]).sum();
        assert!((feature - expected).abs() < 1e-14, "{feature} {expected}");
    }
    let short = sqfa::Table::row_major(&point[..2], 1, 2).unwrap();
    assert!(matches!(
        model.transform(short.into()),
        Err(ModelError::Dimension { expected: 3, found: 2 })
    ));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    assert!(Model::new(parts(None), description()).is_ok());
    for counts in [vec![1], vec![0, 3], vec![u64::MAX, 2]] {
        assert!(Model::new(parts(Some(counts)), description()).is_err());
    }
    let same = ClassNames::Integers(vec![7, 7]);
    assert!(Model::new(parts(None), Description { classes: same, ..description() }).is_err());
    let mut negative = description();
    negative.record.used = vec![(Setting::Noise, -1.0)];
    assert!(Model::new(parts(None), negative).is_err());
}

#[test]
fn another_version_is_named() {
    let bytes = model().to_bytes().unwrap();
    let key = b"\\\"version\\\":";
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap();
    let mut changed = bytes.clone();
    changed[at + key.len()] = b'9';
    let error = Model::from_bytes(&changed, "m").unwrap_err();
    assert!(matches!(error, ModelError::Version { found: 9, .. }), "{error}");
}

#[test]
fn sizes_that_lie_are_refused() {
    let huge = br#"{"filters":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,18446744073709551615]}}"#;
    let mut bytes = (huge.len() as u64).to_le_bytes().to_vec();
    bytes.extend(huge);
    assert!(Model::from_bytes(&bytes, "m").is_err());
    assert!(Model::from_bytes(&u64::MAX.to_le_bytes(), "m").is_err());
    assert!(Model::from_bytes(b"", "m").is_err());
    assert!(Model::from_bytes(b"\x02\0\0\0\0\0\0\0{}", "m").is_err());
}

#[test]
fn random_damage_never_panics() {
    let whole = model().to_bytes().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..ROUNDS {
        let mut bytes = whole.clone();
        for _ in 0..rng.random_range(1..4) {
            let place = rng.random_range(0..bytes.len());
            match rng.random_range(0..4) {
                0 => bytes[place] ^= 1 << rng.random_range(0..8),
                1 => bytes[place] = rng.random(),
                2 => bytes.truncate(place.max(1)),
                _ => bytes.insert(place, rng.random()),
            }
        }
        if let Ok(model) = Model::from_bytes(&bytes, "damaged") {
            // A model that passes the checks must also be usable.
            let _ = model.classifier(model.record().classifier, None, None);
            let _ = model.noisy_gaussians(model.noise().unwrap_or(0.0));
            let _ = model.to_bytes();
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed_and_old_files_still_load() {
    let names = Some(["a", "b", "c"].map(str::to_owned).to_vec());
    let model = Model::new(parts(None), Description { feature_names: names, ..description() });
    let model = model.unwrap();
    let bytes = model.to_bytes().unwrap();
    assert!(Model::from_bytes(&bytes, "m").unwrap().has_checksum());
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for at in header..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let error = Model::from_bytes(&damaged, "m").unwrap_err().to_string();
        assert!(error.contains("checksum"), "byte {at}: {error}");
    }
    // Every change to the description is detected, of names as well as of digits.
    let text = String::from_utf8(bytes[8..header].to_vec()).unwrap();
    for (from, to) in [(r#"\"a\""#, r#"\"x\""#), (r#"noise\":0"#, r#"noise\":1"#)] {
        assert!(text.contains(from), "{text}");
        let changed =
            [&bytes[..8], text.replacen(from, to, 1).as_bytes(), &bytes[header..]].concat();
        assert!(Model::from_bytes(&changed, "m").unwrap_err().to_string().contains("checksum"));
    }
    // Changes to the checksum are detected, even if it is no longer a number.
    let digits = 8 + text.find(r#"checksum\":\""#).unwrap() + r#"checksum\":\""#.len();
    for at in digits..digits + 8 {
        for other in [bytes[at] ^ 1, b'(', b'+'] {
            let mut changed = bytes.clone();
            changed[at] = other;
            assert!(Model::from_bytes(&changed, "m").unwrap_err().to_string().contains("checksum"));
        }
    }
    // A file of a version without checksums.
    let start = text.find(r#"{\"checksum\""#).unwrap();
    let end = start + text[start..].find(',').unwrap() + 1;
    let old = format!("{}{{{}", &text[..start], &text[end..]);
    let old = format!("{old}{}", " ".repeat((8 - old.len() % 8) % 8));
    let file = [&(old.len() as u64).to_le_bytes()[..], old.as_bytes(), &bytes[header..]].concat();
    let read = Model::from_bytes(&file, "m").unwrap();
    assert!(!read.has_checksum());
    assert_eq!(read.description(), model.description());
    assert_eq!(read.filters(), model.filters());
}

#[test]
fn points_that_are_not_finite_are_named() {
    let model = Model::new(parts(None), description()).unwrap();
    let n = model.filters().nrows();
    let mut values = vec![1.0; 3 * n];
    values[n + 2] = f64::NAN;
    let points = crate::data::OwnedPoints::from_f64(values.clone(), 3, n).unwrap();
    let error = model.transform(points.view()).unwrap_err().to_string();
    assert!(error.contains("row 1, column 2 is NaN"), "{error}");
    values[n + 2] = 1e308;
    values[n] = 1e308;
    let points = crate::data::OwnedPoints::from_f64(values, 3, n).unwrap();
    let (_, bad) = model.transform_all(points.view()).unwrap();
    assert!(bad.iter().all(|bad| bad.row == 1 && bad.column.is_none()), "{bad:?}");
}

#[test]
fn a_lift_goes_with_its_model_and_a_damaged_one_is_refused() {
    use sqfa::lift::LiftRecipe;
    let values: Vec<f64> = (0..40).map(|k| ((k * k) as f64 * 0.37).sin()).collect();
    let points = sqfa::Points::F64(sqfa::Table::row_major(&values, 20, 2).unwrap());
    let n = parts(None).filters.nrows();
    let recipe =
        LiftRecipe { kind: format!("fourier:{n}").parse().unwrap(), bandwidth: None, seed: 0 };
    let lift = recipe.fit(points).unwrap();
    let names = Some(vec!["a".to_owned(), "b".to_owned()]);
    let record = LiftRecord { kind: lift.kind().to_string(), bandwidth: lift.parts().bandwidth };
    let described = Description { feature_names: names, lift: Some(record), ..description() };
    let model = Model::new(parts(None), described).unwrap().with_lift(lift.clone()).unwrap();
    assert_eq!((model.columns(), model.filters().nrows()), (2, n));
    let bytes = model.to_bytes().unwrap();
    let again = Model::from_bytes(&bytes, "m").unwrap();
    assert_eq!(again, model);
    assert_eq!(again.transform(points).unwrap(), model.transform(points).unwrap());
    // z = Fᵀφ(x), computed step by step.
    let lifted = lift.apply(points).unwrap();
    let by_hand = sqfa::transform(lifted.as_points(n), model.filters(), None);
    assert_eq!(model.transform(points).unwrap(), by_hand);
    // A map of another kind or size is rejected. The checksum includes the text, so it is removed.
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#"version\":2"#) && text.contains("lift_anchors"));
    let other =
        lift::assembled(&LiftRecord { kind: "wavelets:3".to_owned(), bandwidth: 1.0 }, |_| {
            Ok(None)
        });
    assert!(other.unwrap_err().contains("unknown lift 'wavelets'"));
    let wrong = LiftRecipe { kind: "fourier:77".parse().unwrap(), ..recipe }.fit(points).unwrap();
    assert!(model.with_lift(wrong).is_err());
}

/// A description of a refined fit by version 0.2, and one by version 0.1, which had no settings.
#[test]
fn descriptions_of_earlier_versions_are_read() {
    let earlier = |settings: &str, refined: bool| -> Description {
        let text = format!(
            r#"{{"method":"sqfa","refined":{refined},"distance":"calvo-oller","constraint":"sphere",
            "noise_choice":"given","noise":0.25,{settings}"classes":["a","b"],"restricted":false,
            "second_moments":false,"covariance":"empirical","precision":"f32",
            "center":true,"pca_dims":null,"start":"random","sequential":null,"seed":3,
            "max_iterations":10,"tolerance":1e-6,"software":"sqfa","filters_tried":
            [{{"filters":1,"log_posterior":-0.5,"accuracy":0.75}}],"fit":{{"objective":1.5,
            "converged":true,"termination":"small-change","iterations":3,"passes":4,"evaluations":5,
            "seconds":0.1,"restarts":[{{"objective":1.5,"passes":4,"evaluations":5,"iterations":3,
            "converged":true,"termination":"small-change"}}],"best":0,"trace":[1.0,1.5],
            "warnings":["look out"]}},"data":{{"name":"test"}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let Description { record, .. } = earlier(r#""scale":"none","#, false);
    assert_eq!(record.used, [(Setting::Noise, 0.25)]);
    assert_eq!(record.specified.method, "sqfa");
    assert_eq!((record.precision, record.refinement), (Precision::Single, None));
    assert_eq!((record.counts[0].accuracy, record.counts[0].error), (0.75, None));
    assert_eq!(record.run.restarts[0].termination, Termination::SmallChange);
    assert_eq!(record.run.warnings[0].to_string(), "look out");
    let before = r#""scale":"global-std","selection":{"units":"per-feature","share":0.3,"reason":"closed-form",
        "folds":0,"tried":[{"units":"global-std","share":1.0,"points":9,"log_posterior":-0.1,"accuracy":0.5}]},"#;
    let selected = earlier(before, false);
    let selection = selected.record.selection.unwrap();
    assert_eq!(selected.record.scaling, Scaling::Common);
    let candidate = |scaling, noise| Candidate { scaling, noise: Noise::Fraction(noise) };
    assert_eq!(selection.candidate, candidate(Scaling::PerFeature, 0.3));
    assert_eq!(selection.tried[0].candidate, candidate(Scaling::Common, 1.0));
    assert_eq!((selection.reason, selection.accuracy), (Reason::Default, None));
    let settings = r#""scale":"common","settings":[["noise",0.25],["refinement steps",12.0],["refinement noise",0.1],
        ["held-out accuracy before",0.5],["held-out accuracy after",0.625],["of the future",1.0]],"#;
    let refined = earlier(settings, true);
    assert_eq!(refined.record.used, [(Setting::Noise, 0.25)]);
    let choice = refined.record.refinement.clone().unwrap();
    assert_eq!((choice.steps, choice.noise, choice.accuracy), (12, 0.1, 0.625));
    assert_eq!((choice.before(), choice.gain), (Some(0.5), None));
    let written = serde_json::to_string(&refined).unwrap();
    assert_eq!(serde_json::from_str::<Description>(&written).unwrap(), refined);
}

/// Earlier programs read these fields in addition to the record.
#[test]
fn files_hold_what_follows_from_the_record() {
    let json = serde_json::to_value(description()).unwrap();
    assert_eq!(json["noise"], 0.1 + 0.2);
    assert_eq!((&json["center"], &json["scaling"]), (&true.into(), &"common".into()));
    assert_eq!((&json["precision"], &json["pca_dims"]), (&"f64".into(), &Value::Null));
    assert_eq!(json["settings"], serde_json::json!([["noise", 0.1 + 0.2]]));
    assert_eq!(json["specified"], serde_json::json!({ "noise": "0.3" }));
    assert_eq!(json["fit"]["termination"], "small-change");
    assert_eq!(json["fit"]["converged"], true);
    assert_eq!(json["fit"]["optimizer"], "lbfgs");
}

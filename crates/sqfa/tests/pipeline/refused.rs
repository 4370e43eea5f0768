//! Tables that no default can save, and small ones that it can.

use sqfa::Distance;
use sqfa::distance::registry;
use sqfa::pipeline::{Filters, NoChoice, PipelineError, Reason};

use crate::{Data, recipe, three_classes};

#[test]
fn a_table_of_constants_is_refused() {
    let data = Data { values: vec![2.5; 60], columns: 3, labels: (0..20).map(|i| i % 2).collect() };
    let error = data.fit(&recipe("sqfa", 1)).unwrap_err();
    assert_eq!(error, PipelineError::AllConstant { columns: 3 });
}

#[test]
fn numbers_whose_squares_overflow_or_vanish_are_refused() {
    let data = three_classes(60, 1);
    let error =
        |map: &dyn Fn(usize, f64) -> f64| data.mapped(map).fit(&recipe("sqfa", 1)).unwrap_err();
    let large = error(&|column, value| if column == 2 { value * 1e160 } else { value });
    assert!(matches!(large, PipelineError::Overflow { column: 2, .. }), "{large}");
    let small = error(&|_, value| value * 1e-160);
    assert!(matches!(small, PipelineError::Vanish { column: 0, .. }), "{small}");
    // One such column beside others is only lost.
    let dust = data.mapped(|column, value| if column == 4 { value * 1e-160 } else { value });
    dust.fit(&recipe("pca", 1)).unwrap();
}

#[test]
fn labels_that_are_all_different_look_like_ids() {
    let mut data = three_classes(30, 1);
    data.labels = (0..30).collect();
    let error = data.fit(&recipe("sqfa", 2)).unwrap_err();
    assert_eq!(error, PipelineError::LooksLikeIds { points: 30 });
    assert!(error.to_string().contains("id column"));
}

#[test]
fn a_class_of_fewer_points_than_folds_is_no_obstacle() {
    let data = three_classes(90, 2);
    let rows: Vec<usize> = (0..90).filter(|&row| data.labels[row] != 2 || row < 9).collect();
    let small = data.picked(&rows);
    assert_eq!(small.labels.iter().filter(|class| **class == 2).count(), 3);
    let fitted = small.fit(&recipe("sqfa", 2)).unwrap();
    assert_ne!(fitted.record.selection.unwrap().reason, Reason::Default);
}

#[test]
fn nothing_to_hold_out_means_the_default() {
    let data = three_classes(6, 3);
    let fitted = data.fit(&recipe("sqfa", 1)).unwrap();
    assert_eq!(fitted.record.selection.unwrap().reason, Reason::Default);
    let mut pipeline = recipe("sqfa", 1);
    pipeline.filters = Filters::Auto { max: 3 };
    let error = data.fit(&pipeline).unwrap_err();
    assert_eq!(error, PipelineError::Count { why: NoChoice::TooFewPoints });
}

#[test]
fn a_method_of_points_does_not_choose_its_number_of_filters() {
    let mut pipeline = recipe("lmnn", 1);
    pipeline.filters = Filters::Auto { max: 3 };
    let error = three_classes(60, 4).fit(&pipeline).unwrap_err();
    assert_eq!(error, PipelineError::Count { why: NoChoice::Method });
}

#[test]
fn smsqfa_accepts_the_distances_of_second_moments_alone() {
    let data = three_classes(60, 1);
    let with = |method: &str, distance: &str| {
        let mut pipeline = recipe(method, 1);
        pipeline.settings.distance = Some(Distance::named(distance).unwrap());
        pipeline.settings.noise = sqfa::Noise::Value(0.1);
        data.fit(&pipeline)
    };
    for form in registry().iter().flat_map(|entry| entry.forms()) {
        let fitted = with("smsqfa", &form);
        if Distance::named(&form).unwrap().claims().unwrap().second_moments {
            // The default distance of the method aside, this is what the general method does with the same distance.
            assert_eq!(fitted.unwrap().filters(), with("sqfa", &form).unwrap().filters(), "{form}");
        } else {
            let message = fitted.unwrap_err().to_string();
            assert!(message.contains(&format!("'{form}'")), "{message}");
            assert!(message.contains("use affine-invariant, log-euclidean"), "{message}");
        }
    }
    let own = data.fit(&recipe("smsqfa", 1)).unwrap();
    let named = {
        let mut pipeline = recipe("smsqfa", 1);
        pipeline.settings.distance = Some(Distance::named("affine-invariant").unwrap());
        data.fit(&pipeline).unwrap()
    };
    assert_eq!(own.filters(), named.filters());
}

//! The record of a fit: complete, and the same after it was written and read.

use serde_json::Value;
use sqfa::model::Warning;
use sqfa::optimize::{Control, Progress};
use sqfa::pipeline::{Filters, FitRecord, Fitted, Labeled, Pipeline};
use sqfa::reduce::{ReducerSettings, Setting};
use sqfa::statistics::Scaling;
use sqfa::{Labels, Noise};

use crate::{recipe, three_classes};

fn written_and_read(record: &FitRecord) -> FitRecord {
    serde_json::from_str(&serde_json::to_string(record).unwrap()).unwrap()
}

/// The recipe that a record describes.
fn again(record: &FitRecord, filters: usize) -> Pipeline {
    let method = record.specified.method.parse().unwrap();
    let mut settings =
        ReducerSettings { seed: record.specified.seed, ..ReducerSettings::default() };
    for (name, text) in &record.specified.settings {
        (name.parse::<Setting>().unwrap().row().read)(&mut settings, text).unwrap();
    }
    Pipeline { settings, ..Pipeline::new(method, filters) }
}

#[test]
fn records_survive_writing_and_reading() {
    let data = three_classes(150, 4);
    for method in ["sqfa", "sqfa-h+refine", "lda", "lda+refine", "nca", "ama", "sqfa-t", "pca"] {
        for filters in [Filters::Count(2), Filters::Auto { max: 3 }] {
            let counted = Pipeline { filters, ..recipe(method, 0) };
            let Ok(Fitted { record, .. }) = data.fit(&counted) else {
                assert!(matches!(filters, Filters::Auto { .. }), "{method}");
                continue;
            };
            let read = written_and_read(&record);
            // Of warnings the words are kept.
            let words = |own: &FitRecord| -> Vec<String> {
                own.run.warnings.iter().map(Warning::to_string).collect()
            };
            assert_eq!(words(&read), words(&record), "{method}");
            let mut run = record.run.clone();
            run.warnings = read.run.warnings.clone();
            assert_eq!(read, FitRecord { run, ..record }, "{method}");
        }
    }
}

#[test]
fn warnings_keep_their_words() {
    let data = three_classes(60, 4);
    let mut recipe = recipe("sqfa", 2);
    recipe.settings.noise = Noise::Value(0.1);
    recipe.settings.stopping.max_iterations = 1;
    let record = data.fit(&recipe).unwrap().record;
    let words = record.run.warnings[0].to_string();
    assert!(words.contains("did not converge"), "{words}");
    assert_eq!(written_and_read(&record).run.warnings, [Warning::Recorded(words)]);
}

#[test]
fn a_fit_with_what_was_specified_is_the_same_fit() {
    let data = three_classes(150, 4);
    let mut recipe = recipe("sqfa", 2);
    recipe.settings.seed = 9;
    recipe.settings.noise = Noise::Fraction(0.1);
    recipe.settings.distance = Some("hellinger".parse().unwrap());
    recipe.settings.stopping.max_iterations = 40;
    let first = data.fit(&recipe).unwrap();
    assert_eq!(first.record.specified.distance.as_deref(), Some("hellinger"));
    assert_eq!(first.record.specified.settings["noise"], "0.1x");
    let second = data.fit(&again(&written_and_read(&first.record), 2)).unwrap();
    assert_eq!(second.filters(), first.filters());
    assert_eq!(second.record.specified, first.record.specified);
}

#[test]
fn what_a_fit_does_not_have_is_absent() {
    let data = three_classes(60, 4);
    let mut specified = recipe("pca", 2);
    specified.scaling = Some(Scaling::None);
    let record = data.fit(&specified).unwrap().record;
    assert_eq!((record.run.objective, record.run.termination), (None, None));
    assert_eq!((&record.selection, &record.refinement, record.distinct), (&None, &None, None));
    assert_eq!((record.setting(Setting::Noise), record.held_out()), (None, None));
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!(json["fit"]["termination"], "closed-form");
    assert_eq!(json["fit"]["converged"], true);
    for absent in ["selection", "refinement", "filters_tried", "distinct", "specified"] {
        assert_eq!(json.get(absent), None, "{absent}");
    }
}

/// A method that a file of another version calls closed while it has initializations, or ends that nobody knows.
#[test]
fn unknown_ends_are_refused() {
    let data = three_classes(60, 4);
    let record = data.fit(&recipe("sqfa", 1)).unwrap().record;
    let mut json: Value = serde_json::to_value(&record).unwrap();
    json["fit"]["termination"] = "somehow".into();
    let error = serde_json::from_value::<FitRecord>(json.clone()).unwrap_err().to_string();
    assert!(error.contains("unknown termination 'somehow'"), "{error}");
    json["fit"]["termination"] = "small-change".into();
    json["fit"]["initializations"][0]["termination"] = "closed-form".into();
    assert!(serde_json::from_value::<FitRecord>(json).is_err());
}

/// Whenever an observer cancels, the record has no number that JSON does not have.
#[test]
fn records_of_cancelled_fits_can_be_read() {
    let data = three_classes(120, 4);
    for method in ["sqfa", "sqfa+refine", "lda+refine", "nca"] {
        for after in [0, 1, 3, 30, 200] {
            let mut seen = 0;
            let mut cancel = |_: &Progress| {
                seen += 1;
                if seen > after { Control::Cancel } else { Control::Continue }
            };
            let labels = Labels::from_integers(&data.labels);
            let samples = Labeled::new(data.points(), &labels);
            let Ok(fitted) = recipe(method, 2).fit(samples, &mut cancel) else { continue };
            let read = written_and_read(&fitted.record);
            assert_eq!(read.selection, fitted.record.selection, "{method} {after}");
            assert_eq!(read.refinement, fitted.record.refinement, "{method} {after}");
        }
    }
}

//! Groups of samples, and predefined folds: what is selected on held-out samples must not know the groups that are held out.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::Labels;
use sqfa::optimize::Control;
use sqfa::pipeline::{Fitted, HoldOut, Labeled, Pipeline, PipelineError};
use sqfa::statistics::StatisticsError;

use crate::{Data, accuracy, recipe, three_classes};

/// Samples whose noise is that of their group: the samples of a group are nearly equal.
struct Grouped {
    data: Data,
    groups: Vec<u32>,
}

impl Grouped {
    fn new(classes: usize, per_class: usize, columns: usize, seed: u64) -> Self {
        const SAMPLES: usize = 12;
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || -> f64 { StandardNormal.sample(&mut generator) };
        let (mut values, mut labels, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for group in 0..classes * per_class {
            let class = group % classes;
            let center: Vec<f64> = (0..columns)
                .map(|column| draw() + if column == class { 1.0 } else { 0.0 })
                .collect();
            for _ in 0..SAMPLES {
                values.extend(center.iter().map(|center| center + 0.05 * draw()));
                labels.push(class as i64);
                groups.push(group as u32);
            }
        }
        Self { data: Data { values, columns, labels }, groups }
    }

    fn fit(&self, pipeline: &Pipeline, hold_out: HoldOut<'_>) -> Result<Fitted, PipelineError> {
        fit(&self.data, pipeline, hold_out)
    }

    fn groups(&self) -> HoldOut<'_> {
        HoldOut::Groups(&self.groups)
    }
}

fn fit(data: &Data, pipeline: &Pipeline, hold_out: HoldOut<'_>) -> Result<Fitted, PipelineError> {
    let labels = Labels::from_integers(&data.labels);
    let samples = Labeled { hold_out, ..Labeled::new(data.points(), &labels) };
    pipeline.fit(samples, &mut |_| Control::Continue)
}

fn held_out(fitted: &Fitted) -> f64 {
    fitted.record.selection.as_ref().unwrap().accuracy.unwrap()
}

/// Without groups the held-out accuracy is that of samples whose neighbors were learned from.
#[test]
fn held_out_accuracy_is_that_of_groups_that_were_never_seen() {
    let known = Grouped::new(3, 8, 10, 1);
    let unseen = Grouped::new(3, 400, 10, 2);
    let pipeline = recipe("sqfa", 4);
    let apart = known.fit(&pipeline, HoldOut::Rows).unwrap();
    let real = accuracy(&apart, &unseen.data);
    assert!(held_out(&apart) > real + 0.25, "{} {real}", held_out(&apart));
    let together = known.fit(&pipeline, known.groups()).unwrap();
    let real = accuracy(&together, &unseen.data);
    assert!((held_out(&together) - real).abs() < 0.15, "{} {real}", held_out(&together));
}

/// In many columns, where candidates are scored on principal components of every fold.
#[test]
fn many_columns_are_scored_on_groups_that_were_never_seen() {
    let known = Grouped::new(2, 10, 300, 3);
    let pipeline = recipe("sqfa", 2);
    let apart = held_out(&known.fit(&pipeline, HoldOut::Rows).unwrap());
    let together = held_out(&known.fit(&pipeline, known.groups()).unwrap());
    assert!(apart > 0.95 && together < 0.85, "{apart} {together}");
}

/// Settings of single methods are selected on one held-out part, the number of filters and the refinement on folds.
#[test]
fn every_selection_holds_out_groups() {
    let known = Grouped::new(3, 8, 6, 4);
    for method in ["lda", "lfda", "sqfa+refine"] {
        let pipeline = recipe(method, 2);
        let accuracies = |hold_out: HoldOut<'_>| -> Vec<f64> {
            let record = known.fit(&pipeline, hold_out).unwrap().record;
            match record.refinement {
                Some(choice) => vec![choice.accuracy],
                None => record.trials.iter().filter_map(|trial| trial.accuracy).collect(),
            }
        };
        let (apart, together) = (accuracies(HoldOut::Rows), accuracies(known.groups()));
        let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
        assert!(most(&apart) > most(&together) + 0.1, "{method}: {apart:?} {together:?}");
    }
    let mut pipeline = recipe("sqfa", 1);
    pipeline.filters = sqfa::pipeline::Filters::Auto { max: 4 };
    let last = |hold_out: HoldOut<'_>| {
        known.fit(&pipeline, hold_out).unwrap().record.counts.last().unwrap().accuracy
    };
    assert!(last(HoldOut::Rows) > last(known.groups()) + 0.1);
}

/// Names of groups and the order of rows decide nothing.
#[test]
fn groups_may_have_any_names() {
    let known = Grouped::new(3, 6, 5, 5);
    let renamed: Vec<u32> = known.groups.iter().map(|group| 7919 * (99 - group) % 10_007).collect();
    let pipeline = recipe("sqfa", 2);
    let one = known.fit(&pipeline, known.groups()).unwrap();
    let other = known.fit(&pipeline, HoldOut::Groups(&renamed)).unwrap();
    assert_eq!(one.filters(), other.filters());
    assert_eq!(one.record.selection, other.record.selection);
}

#[test]
fn groups_of_single_samples_change_nothing() {
    let data = three_classes(120, 6);
    let groups: Vec<u32> = (0..120).collect();
    let pipeline = recipe("sqfa", 2);
    let plain = fit(&data, &pipeline, HoldOut::Rows).unwrap();
    let found = fit(&data, &pipeline, HoldOut::Groups(&groups)).unwrap();
    assert_eq!(plain.filters(), found.filters());
    assert_eq!(plain.record.selection, found.record.selection);
}

/// The folds that the core would deal anyway, once.
#[test]
fn predefined_folds_are_used_as_they_are() {
    let data = three_classes(700, 7);
    let labels = Labels::from_integers(&data.labels);
    let samples = Labeled::new(data.points(), &labels);
    let pipeline = recipe("sqfa", 2);
    let folds = samples.folds(5, pipeline.settings.seed).unwrap();
    let found = fit(&data, &pipeline, HoldOut::Folds(&folds)).unwrap();
    let selection = found.record.selection.unwrap();
    assert_eq!(selection.folds, 5);
    // Samples in no fold are never held out, and one fold is enough.
    let one: Vec<u16> =
        folds.iter().map(|&fold| if fold == 3 { 0 } else { HoldOut::NEVER }).collect();
    let found = fit(&data, &pipeline, HoldOut::Folds(&one)).unwrap();
    assert_eq!(found.record.selection.unwrap().folds, 1);
}

#[test]
fn what_cannot_be_held_out_is_refused() {
    let data = three_classes(60, 8);
    let pipeline = recipe("sqfa", 2);
    let of_class: Vec<u32> = data.labels.iter().map(|&label| label as u32).collect();
    let error = fit(&data, &pipeline, HoldOut::Groups(&of_class)).unwrap_err();
    assert_eq!(error, PipelineError::OneGroup);
    let short = fit(&data, &pipeline, HoldOut::Groups(&of_class[1..])).unwrap_err();
    let expected = StatisticsError::HoldOutCount { what: "groups", values: 59, points: 60 };
    assert_eq!(short, expected.into());
    let of_class: Vec<u16> = data.labels.iter().map(|&label| label as u16).collect();
    let error = fit(&data, &pipeline, HoldOut::Folds(&of_class)).unwrap_err();
    let class = "0".to_owned();
    assert_eq!(error, PipelineError::FoldTakesClass { fold: 0, class, left: 0 });
    let never = vec![HoldOut::NEVER; 60];
    let error = fit(&data, &pipeline, HoldOut::Folds(&never)).unwrap_err();
    assert_eq!(error, PipelineError::EmptyFolds);
}

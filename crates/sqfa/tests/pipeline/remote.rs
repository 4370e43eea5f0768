//! Fits of points that are elsewhere: the same rule as for points at hand, exact sums of scores, refinement in coordinates.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::optimize::Control;
use sqfa::pipeline::{Filters, Fitted, Labeled, Parts, Pipeline, Remote, Summed, Tally, row_keys};
use sqfa::statistics::ClassAccumulator;
use sqfa::{Labels, Points, Table};

use super::{Data, recipe};

const PARTS: usize = 5;

/// Classes that differ in the variance of the first two columns, of many and few points.
fn data(rows: usize, columns: usize) -> Data {
    let mut generator = ChaCha8Rng::seed_from_u64(11);
    let noise: Vec<f64> =
        (0..rows * columns).map(|_| StandardNormal.sample(&mut generator)).collect();
    let labels: Vec<i64> = (0..rows).map(|row| (row % 3) as i64).collect();
    let values = noise
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let (row, column) = (at / columns, at % columns);
            let class = labels[row] as f64;
            let spread = if column < 2 { 1.0 + class * (1 - column) as f64 } else { 2.0 };
            value * spread + if column == 1 { class } else { 0.0 }
        })
        .collect();
    Data { values, columns, labels }
}

fn dealt(points: Points<'_>) -> Vec<u16> {
    row_keys(points, 3, None).iter().map(|key| (key % PARTS as u64) as u16).collect()
}

/// The sums of the first parts, and last of all others.
fn sums(data: &Data, of_row: &[u16], count: usize) -> Vec<ClassAccumulator> {
    let labels = Labels::from_integers(&data.labels);
    (0..=count)
        .map(|part| {
            let rows: Vec<usize> = (0..data.rows())
                .filter(|&row| usize::from(of_row[row]).min(count) == part)
                .collect();
            let mut sums = ClassAccumulator::new(labels.classes().clone(), data.columns);
            sums.update_rows(data.points(), &labels, &rows).unwrap();
            sums
        })
        .collect()
}

/// Asks and answers until nothing is asked; returns the fit and how many questions there were.
fn fitted(data: &Data, recipe: Pipeline) -> (Fitted, Remote, usize) {
    fitted_in(data, recipe, PARTS)
}

fn fitted_in(data: &Data, recipe: Pipeline, count: usize) -> (Fitted, Remote, usize) {
    let labels = Labels::from_integers(&data.labels);
    let of_row = dealt(data.points());
    let mut parts = sums(data, &of_row, count);
    let rest = parts.pop().unwrap();
    let mut remote = Remote::new(recipe, &parts, &rest).unwrap();
    let mut questions = 0;
    while let Some(question) = remote.ask(&mut |_| Control::Continue).unwrap() {
        questions += 1;
        let mut tally = Tally::new(question.candidates);
        for (part, judges) in &question.folds {
            let held = |row: &usize| {
                usize::from(of_row[*row]) == *part && question.held[labels.codes()[*row] as usize]
            };
            let rows: Vec<usize> = (0..data.rows()).filter(held).collect();
            tally.add(judges, data.points(), &labels, &rows, None).unwrap();
        }
        remote.answer(&tally).unwrap();
    }
    let fitted = remote.fit(&mut |_| Control::Continue).unwrap().clone();
    (fitted, remote, questions)
}

/// The fit of points at hand in the same parts.
fn at_hand(data: &Data, recipe: &Pipeline, count: usize) -> Fitted {
    let labels = Labels::from_integers(&data.labels);
    let points = Labeled::new(data.points(), &labels);
    let parts = Parts::of(points, Arc::new(dealt(data.points())), count).unwrap();
    let sums = Summed::in_folds(points, parts).unwrap();
    recipe.fit(&sums, &mut |_| Control::Continue).unwrap()
}

#[test]
fn the_number_of_filters_is_that_of_points_at_hand() {
    let data = data(600, 6);
    let recipe = Pipeline { filters: Filters::Auto { max: 4 }, ..recipe("sqfa", 0) };
    let here = at_hand(&data, &recipe, PARTS);
    let (there, _, questions) = fitted(&data, recipe);
    assert_eq!(there.filters().ncols(), here.filters().ncols());
    // One about numbers, and at least the grid and the neighbors of the best.
    assert!(questions >= 3, "{questions}");
    assert_eq!(there.record.counts.len(), here.record.counts.len());
    for (here, there) in here.record.counts.iter().zip(&there.record.counts) {
        assert_eq!(here.filters, there.filters);
        assert!((here.accuracy - there.accuracy).abs() < 1e-12, "{here:?} {there:?}");
        assert!((here.error.unwrap() - there.error.unwrap()).abs() < 1e-12, "{here:?} {there:?}");
        // Scores are rounded to steps of 1/4096.
        assert!((here.log_posterior - there.log_posterior).abs() < 1.0 / 4096.0);
    }
}

#[test]
fn candidates_score_as_for_points_at_hand() {
    let data = data(600, 6);
    let recipe = recipe("sqfa", 2);
    // One part: over several, samples in memory drop candidates early.
    let here = at_hand(&data, &recipe, 1).record.selection.unwrap();
    let (there, _, questions) = fitted_in(&data, recipe, 1);
    let there = there.record.selection.unwrap();
    // The grid, what lies beyond it, and the neighbors of the best.
    assert!((2..=7).contains(&questions), "{questions}");
    assert_eq!((there.candidate, there.reason), (here.candidate, here.reason));
    assert_eq!((there.folds, there.tried.len()), (1, here.tried.len()));
    for (here, there) in here.tried.iter().zip(&there.tried) {
        assert_eq!((here.candidate, here.points), (there.candidate, there.points));
        assert_eq!(here.accuracy, there.accuracy);
        // Scores are rounded to steps of 1/4096.
        assert!((here.log_posterior - there.log_posterior).abs() < 1.0 / 4096.0, "{here:?}");
    }
}

#[test]
fn a_class_too_small_to_be_held_out_is_always_learned_from() {
    let mut data = data(300, 4);
    // Three points of a class that share a part, so that holding it out would leave none.
    let spare = self::data(60, 4);
    let of_row = dealt(spare.points());
    for row in (0..60).filter(|&row| of_row[row] == 2).take(3) {
        data.values.extend_from_slice(&spare.values[row * 4..][..4]);
        data.labels.push(9);
    }
    assert_eq!(data.rows(), 303);
    let (fitted, _, _) = fitted(&data, recipe("sqfa", 2));
    let selection = fitted.record.selection.unwrap();
    assert_eq!((selection.folds, selection.tried[0].points), (PARTS, 300));
}

#[test]
fn wide_points_are_judged_in_their_columns() {
    let data = data(400, 300);
    let (there, _, _) = fitted(&data, recipe("sqfa", 2));
    assert_eq!(there.filters().nrows(), 300);
    let selection = there.record.selection.unwrap();
    assert!(selection.tried.iter().all(|one| one.points == 400));
    assert!(selection.tried.iter().any(|one| one.accuracy > 0.4));
}

#[test]
fn a_refinement_in_coordinates_is_that_of_the_points() {
    let data = data(3000, 5);
    let (first, mut remote, _) = fitted(&data, recipe("pca+refine", 1));
    let before = first.filters().to_owned();
    let space = remote.refinement_space().unwrap().unwrap();
    let labels = Labels::from_integers(&data.labels);
    let width = space.filters.ncols();
    let values: Vec<f64> =
        sqfa::transform(data.points(), space.filters.as_ref(), space.offset.as_deref()).to_f64();
    let points = Points::F64(Table::row_major(&values, data.rows(), width).unwrap());
    remote.refine(&space, points, &labels, &mut |_| Control::Continue).unwrap();
    let there = remote.fitted().unwrap();
    let choice = there.record.refinement.as_ref().unwrap();
    // Variances tell the classes apart, which the first principal component does not see.
    assert!(choice.steps > 0, "{choice:?}");
    let change = (0..5).map(|i| (there.filters()[(i, 0)] - before[(i, 0)]).abs());
    assert!(change.fold(0.0, f64::max) > 0.1);
    let length: f64 = (0..5).map(|i| there.kept()[(i, 0)].powi(2)).sum();
    assert!((length - 1.0).abs() < 1e-12);
    // Samples in memory are refined on folds instead of one split, and come to the same accuracy.
    let here = data.fit(&recipe("pca+refine", 1)).unwrap().record.refinement.unwrap();
    assert!(here.steps > 0, "{here:?}");
    assert!((here.accuracy - choice.accuracy).abs() < 0.05, "{here:?} {choice:?}");
}

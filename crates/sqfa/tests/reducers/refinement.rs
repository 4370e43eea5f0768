//! The refinement improves what can be improved, and knows when to stay put.

use sqfa::optimize::{Control, Optimizer};
use sqfa::reduce::{ReduceError, ReducerSettings, Training, reducer};
use sqfa::{Labels, Mat, Points, Qda, Table, transform};

use crate::common::{normals, stream};
use crate::problems::Sample;

/// Classes that the projected Gaussians describe badly along the directions of largest distance: one feature separates the class means,
/// others have large but shared, heavy-tailed variance that differs between classes.
fn misleading(per_class: usize, seed: u64) -> (Vec<f64>, Labels) {
    let mut rng = stream(seed);
    let (mut values, mut names) = (Vec::new(), Vec::new());
    for at in 0..3 * per_class {
        let class = at % 3;
        let z = normals(6, &mut rng);
        let tail = if z[5] > 1.3 { 6.0 } else { 0.4 };
        names.push(class as i64);
        values.extend([
            class as f64 * 1.1 + 0.5 * z[0],
            tail * (1.0 + class as f64) * z[1],
            tail * (3.0 - class as f64) * z[2],
            z[3],
            z[4],
        ]);
    }
    (values, Labels::from_integers(&names))
}

fn points(values: &[f64]) -> Points<'_> {
    Table::row_major(values, values.len() / 5, 5).unwrap().into()
}

fn accuracy(filters: &Mat<f64>, train: (&[f64], &Labels), test: (&[f64], &Labels)) -> f64 {
    let statistics =
        sqfa::ClassStatistics::from_points(points(train.0), train.1, sqfa::Estimator::Empirical)
            .unwrap();
    let qda = Qda::from_statistics(&statistics, filters.as_ref(), None).unwrap();
    let features = transform(points(test.0), filters.as_ref(), None);
    qda.accuracy(features.as_points(filters.ncols()), test.1.codes()).unwrap()
}

#[test]
fn it_wins_where_distances_mislead() {
    let (train, labels) = misleading(900, 1);
    let (test, test_labels) = misleading(900, 2);
    let training = Training::from_points(points(&train), &labels).unwrap();
    let fit = |name: &str| {
        let reducer = reducer(name, &ReducerSettings::default()).unwrap();
        reducer.fit_one(&training, 1, &mut |_| Control::Continue).unwrap()
    };
    let (plain, refined) = (fit("sqfa"), fit("sqfa+refine"));
    let choice = refined.refinement.as_ref().unwrap();
    assert!(choice.steps > 0);
    assert!(choice.accuracy >= choice.before().unwrap());
    let score = |filters| accuracy(filters, (&train, &labels), (&test, &test_labels));
    let (plain, refined) = (score(&plain.filters), score(&refined.filters));
    assert!(refined > plain + 0.05, "from {plain} to {refined}");
    // The same in subspaces, whose steps are fewer.
    let settings = ReducerSettings { optimizer: Optimizer::Subspace, ..ReducerSettings::default() };
    let reducer = reducer("sqfa+refine", &settings).unwrap();
    let spaces = reducer.fit_one(&training, 1, &mut |_| Control::Continue).unwrap();
    let spaces = score(&spaces.filters);
    assert!(spaces > plain + 0.05, "from {plain} to {spaces}");
}

#[test]
fn it_stays_put_where_there_is_nothing_to_learn() {
    // Labels that say nothing about the points: any gain on held-out points would be chance.
    for seed in 0..6 {
        let values = normals(5 * 150, &mut stream(100 + seed));
        let names: Vec<i64> = (0..150).map(|at| at % 3).collect();
        let labels = Labels::from_integers(&names);
        let training = Training::from_points(points(&values), &labels).unwrap();
        let settings = ReducerSettings { seed, ..ReducerSettings::default() };
        let fit = |name: &str| {
            let reducer = reducer(name, &settings).unwrap();
            reducer.fit_one(&training, 2, &mut |_| Control::Continue).unwrap()
        };
        let refined = fit("lda+refine");
        let choice = refined.refinement.as_ref().unwrap();
        if choice.steps == 0 {
            assert_eq!(refined.filters, fit("lda").filters, "seed {seed}");
        } else {
            assert!(choice.accuracy > choice.before().unwrap());
        }
    }
}

#[test]
fn it_needs_points_and_enough_of_them() {
    let sample = Sample::draw(&[30, 30], 4, 9);
    let statistics = sample.statistics();
    let refine = reducer("sqfa-h+refine", &ReducerSettings::default()).unwrap();
    let alone = Training::from_statistics(&statistics);
    let error = refine.fit_one(&alone, 1, &mut |_| Control::Continue).unwrap_err();
    assert!(matches!(error, ReduceError::NeedsPoints { .. }), "{error}");
    // Of two samples none can be held out.
    let tiny = Sample::draw(&[2, 2], 4, 9);
    let training = Training::from_points(tiny.points(), &tiny.labels).unwrap();
    let error = refine.fit_one(&training, 1, &mut |_| Control::Continue).unwrap_err();
    assert!(error.to_string().contains("refinement is chosen on held-out points"), "{error}");
}

#[test]
fn cancelling_returns_the_filters_as_they_were() {
    let (train, labels) = misleading(200, 3);
    let training = Training::from_points(points(&train), &labels).unwrap();
    let plain = reducer("pca", &ReducerSettings::default()).unwrap();
    let plain = plain.fit_one(&training, 2, &mut |_| Control::Continue).unwrap();
    let refine = reducer("pca+refine", &ReducerSettings::default()).unwrap();
    let refined = refine.fit_one(&training, 2, &mut |_| Control::Cancel).unwrap();
    assert_eq!(refined.filters, plain.filters);
    assert!(!refined.run.converged());
    // Either nothing was scored, or every accuracy is one.
    let choice = refined.refinement;
    assert!(choice.is_none_or(|choice| choice.trials.iter().all(|one| one.accuracy.is_finite())));
}

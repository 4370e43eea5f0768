//! What is chosen: noise and units, the number of filters, how far to refine, and the same for weights as for repeats.

use sqfa::Mat;
use sqfa::Noise;
use sqfa::model::{FitError, Restarts, Start};
use sqfa::pipeline::{Candidate, DEFAULT_FRACTION, Filters, PipelineError, Reason};
use sqfa::reduce::{ReduceError, Setting};
use sqfa::statistics::Scaling;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{Data, accuracy, recipe, three_classes};

#[test]
fn the_choice_says_what_was_tried() {
    let data = three_classes(180, 1);
    let fitted = data.fit(&recipe("sqfa-h", 2)).unwrap();
    let selection = fitted.record.selection.clone().unwrap();
    assert_eq!(selection.folds, 10, "five folds, twice over");
    assert!(selection.tried.len() >= 6, "three units of two noises at least");
    assert!(selection.tried.iter().any(|tried| tried.candidate == selection.candidate));
    let of =
        |own: Scaling| selection.tried.iter().filter(move |tried| tried.candidate.scaling == own);
    let fraction = |candidate: Candidate| match candidate.noise {
        Noise::Fraction(fraction) => fraction,
        noise => panic!("{noise} is no fraction"),
    };
    let best = selection
        .tried
        .iter()
        .max_by(|a, b| a.log_posterior.total_cmp(&b.log_posterior))
        .unwrap()
        .candidate;
    let fractions: Vec<f64> = of(best.scaling).map(|tried| fraction(tried.candidate)).collect();
    let own = fraction(best);
    let inside =
        fractions.iter().any(|other| *other > own) && fractions.iter().any(|other| *other < own);
    let limit = own >= 99.0 * DEFAULT_FRACTION || own <= 1e-3 * DEFAULT_FRACTION;
    assert!(inside || limit, "the grid of {:?} ends at its best", best.scaling);
    assert!(fitted.record.setting(Setting::Noise).unwrap() > 0.0);
}

#[test]
fn statistics_alone_use_the_default() {
    let data = three_classes(300, 2);
    let labels = sqfa::Labels::from_integers(&data.labels);
    let statistics =
        sqfa::ClassStatistics::from_points(data.points(), &labels, sqfa::Estimator::Empirical)
            .unwrap();
    let mut pipeline = recipe("sqfa", 2);
    let alone = pipeline.fit(statistics, &mut |_| sqfa::optimize::Control::Continue).unwrap();
    let selection = alone.record.selection.as_ref().unwrap();
    assert_eq!(selection.reason, Reason::Default);
    assert_eq!(selection.candidate, Candidate::usual(Scaling::WithinClass));
    pipeline.scaling = Some(Scaling::WithinClass);
    pipeline.settings.noise = Noise::Fraction(DEFAULT_FRACTION);
    let points = data.fit(&pipeline).unwrap();
    for j in 0..2 {
        for i in 0..6 {
            assert!((alone.filters()[(i, j)] - points.filters()[(i, j)]).abs() < 1e-9);
        }
    }
    assert!(accuracy(&alone, &three_classes(600, 3)) > 0.85);
}

#[test]
fn weights_and_repeats_choose_and_find_the_same() {
    let data = three_classes(120, 4);
    let weights: Vec<u64> = (0..120).map(|row| 1 + (row as u64 % 3)).collect();
    let mut rows: Vec<usize> = (0..120).flat_map(|row| vec![row; weights[row] as usize]).collect();
    rows.sort_by_key(|row| (row * 31) % 120);
    let repeated = data.picked(&rows);
    let pipeline = recipe("sqfa-h", 2);
    let a = data.fit_weighted(&pipeline, Some(&weights)).unwrap();
    let b = repeated.fit(&pipeline).unwrap();
    let (first, second) =
        (a.record.selection.as_ref().unwrap(), b.record.selection.as_ref().unwrap());
    assert_eq!(first.candidate, second.candidate);
    for (one, other) in first.tried.iter().zip(&second.tried) {
        assert!((one.log_posterior - other.log_posterior).abs() < 1e-4);
        assert_eq!(
            one.points, other.points,
            "who meets which folds depends on weights, not on rows"
        );
    }
    for j in 0..2 {
        for i in 0..6 {
            assert!((a.filters()[(i, j)] - b.filters()[(i, j)]).abs() < 1e-5);
        }
    }
}

#[test]
fn two_filters_suffice_where_two_columns_tell() {
    let data = three_classes(900, 5);
    let mut pipeline = recipe("sqfa-h", 1);
    pipeline.filters = Filters::Auto { max: 5 };
    let fitted = data.fit(&pipeline).unwrap();
    let points = &fitted.record.counts;
    let filters = fitted.filters().ncols();
    assert_eq!(points.iter().map(|point| point.filters).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    // Two means and one variance: the last three directions are noise.
    assert!((2..=3).contains(&filters), "{filters}");
    let best = points.iter().map(|point| point.accuracy).fold(0.0, f64::max);
    let own = points.iter().find(|point| point.filters == filters).unwrap();
    assert!(best - own.accuracy <= own.error.unwrap() + 1e-12);
}

#[test]
fn a_refinement_that_gains_nothing_leaves_the_filters_alone() {
    // Gaussian classes with equal covariances in two columns: the filters are already the best there are.
    let data = three_classes(240, 6);
    let start = data.fit(&recipe("sqfa-h", 6)).unwrap();
    let refined = data.fit(&recipe("sqfa-h+refine", 6)).unwrap();
    let choice = refined.record.refinement.as_ref().unwrap();
    assert_eq!(choice.trials[0].steps, 0);
    let gain = choice.gain.unwrap();
    assert_eq!(choice.steps > 0, gain.mean > 2.0 * gain.error, "{choice:?}");
    let selected = refined.record.selection.as_ref().unwrap().accuracy;
    if choice.steps == 0 {
        assert_eq!(refined.filters(), start.filters());
        assert_eq!(refined.record.held_out(), selected);
    } else {
        assert_eq!(refined.record.held_out(), Some(choice.accuracy));
    }
    let told = refined.record.quantities();
    assert!(told.contains(&("refinement steps", choice.steps as f64)), "{told:?}");
    let test = three_classes(900, 7);
    assert!(accuracy(&refined, &test) > accuracy(&start, &test) - 0.01);
}

#[test]
fn the_same_bits_from_the_same_seed() {
    let data = three_classes(200, 8);
    let pipeline = recipe("sqfa-h+refine", 2);
    let (a, b) = (data.fit(&pipeline).unwrap(), data.fit(&pipeline).unwrap());
    assert_eq!(a.filters(), b.filters());
    assert_eq!(a.record.selection, b.record.selection);
}

#[test]
fn given_filters_of_the_columns_as_they_came_are_where_the_fit_starts() {
    let data = three_classes(200, 9);
    for units in [None, Some(Scaling::PerFeature), Some(Scaling::None)] {
        let mut pipeline = recipe("sqfa-h", 2);
        pipeline.scaling = units;
        let first = data.fit(&pipeline).unwrap();
        pipeline.settings.start = Start::Given(first.folded().0);
        pipeline.settings.restarts = Restarts::Count(1);
        let again = data.fit(&pipeline).unwrap();
        let (reached, begun) = (first.record.run.objective.unwrap(), again.record.run.trace[0]);
        assert!((reached - begun).abs() < 1e-9 * reached, "{reached} {begun}");
        // Of another number of columns they are refused before any work.
        pipeline.settings.start = Start::Given(Mat::zeros(5, 2));
        assert!(matches!(
            data.fit(&pipeline).unwrap_err(),
            PipelineError::Reduce(ReduceError::Fit(FitError::StartShape { dimension: 6, .. }))
        ));
    }
}

/// Noise in 400 columns, one of them in other units; one column tells three classes apart by a standard deviation each.
fn mostly_noise(rows: usize, seed: u64) -> Data {
    const COLUMNS: usize = 400;
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut values: Vec<f64> =
        (0..rows * COLUMNS).map(|_| StandardNormal.sample(&mut generator)).collect();
    for (row, point) in values.chunks_mut(COLUMNS).enumerate() {
        point[7] += (row % 3) as f64;
        point[11] *= 1e6;
    }
    let labels = (0..rows as i64).map(|row| row % 3).collect();
    Data { values, columns: COLUMNS, labels }
}

/// Held-out points judge what is fitted: neither components that they had a part in, nor posteriors that are never sure.
#[test]
fn what_is_chosen_in_columns_of_noise_is_not_fooled() {
    for seed in [1, 2] {
        let (data, fresh) = (mostly_noise(900, seed), mostly_noise(3000, 100 + seed));
        for method in ["sqfa", "sqfa-h"] {
            let fitted = data.fit(&recipe(method, 2)).unwrap();
            let own = accuracy(&fitted, &fresh);
            // Chance is 1/3, and choices by samples that had a part in the components have about 0.41; 0.01 is a standard
            // error.
            assert!(own > 0.45, "{method}: {own}");
            let told = fitted.record.selection.unwrap();
            let taken = told.tried.iter().find(|one| one.candidate == told.candidate).unwrap();
            // Of 900 points 1.7 % is.
            assert!((taken.accuracy - own).abs() < 0.05, "{} told, {own}", taken.accuracy);
        }
    }
}

/// More of them than the principal components on which few filters are searched.
#[test]
fn many_filters_of_many_columns_are_found() {
    let data = mostly_noise(300, 3);
    let mut pipeline = recipe("sqfa-h", 131);
    pipeline.scaling = Some(Scaling::PerFeature);
    pipeline.settings.stopping.max_iterations = 2;
    let fitted = data.fit(&pipeline).unwrap();
    assert_eq!((fitted.filters().nrows(), fitted.filters().ncols()), (400, 131));
    assert!(fitted.record.selection.unwrap().tried.len() > 2);
}

/// Candidates are scored within principal components, and initial and fixed filters are of all columns.
#[test]
fn initial_and_fixed_filters_suit_many_columns() {
    let data = mostly_noise(300, 4);
    let first = data.fit(&recipe("sqfa", 1)).unwrap().folded().0;
    let mut own = recipe("sqfa", 2);
    own.settings.fixed = Some(first.clone());
    own.scaling = Some(Scaling::PerFeature);
    let both = data.fit(&own).unwrap().folded().0;
    let (kept, given) = (both.col(0), first.col(0));
    let inner: f64 = kept.iter().zip(given.iter()).map(|(a, b)| a * b).sum();
    let length = |own: &mut dyn Iterator<Item = &f64>| own.map(|a| a * a).sum::<f64>().sqrt();
    let cosine = inner / length(&mut kept.iter()) / length(&mut given.iter());
    assert!((cosine - 1.0).abs() < 1e-9, "{cosine}");
    let mut started = recipe("sqfa", 2);
    started.settings.start = Start::Given(both);
    assert!(data.fit(&started).unwrap().record.selection.unwrap().tried.len() > 2);
}

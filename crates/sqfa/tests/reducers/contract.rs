//! What every reducer of the registry promises, whatever it does.

use sqfa::constraint::Constraint;
use sqfa::model::FitError;
use sqfa::optimize::Control;
use sqfa::reduce::{
    Limit, Objective, ReduceError, ReducerSettings, Samples, Training, Usual, reducer,
    reducer_entry, reducers,
};
use sqfa::statistics::Preprocessor;
use sqfa::{Mat, MatRef};

use crate::problems::Sample;

const FILTERS: [usize; 2] = [1, 2];

fn sample() -> Sample {
    Sample::draw(&[60, 45, 70], 6, 17)
}

fn settings() -> ReducerSettings {
    ReducerSettings { seed: 3, ..ReducerSettings::default() }
}

#[test]
fn every_reducer_gives_finite_filters_for_every_count_asked_for() {
    let sample = sample();
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    for name in reducers().iter().map(|entry| entry.name) {
        let reducer = reducer(name, &settings()).unwrap();
        assert_eq!(reducer.name(), name);
        let fitted = reducer.fit(&training, &FILTERS, &mut |_| Control::Continue).unwrap();
        assert_eq!(fitted.len(), FILTERS.len());
        for (fitted, count) in fitted.iter().zip(FILTERS) {
            assert_eq!((fitted.filters.nrows(), fitted.filters.ncols()), (6, count), "{name}");
            assert!(fitted.filters.norm_max().is_finite() && fitted.filters.norm_max() > 0.0);
            assert!(
                fitted.run.seconds >= 0.0
                    && fitted.run.termination.is_some() != fitted.run.trace.is_empty()
            );
        }
        let again = reducer.fit(&training, &FILTERS, &mut |_| Control::Continue).unwrap();
        assert_eq!(again[1].filters, fitted[1].filters, "{name} is not deterministic");
    }
}

#[test]
fn same_bits_at_any_number_of_threads() {
    let sample = sample();
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    for entry in reducers() {
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let reducer = reducer(entry.name, &settings()).unwrap();
                reducer.fit_one(&training, 2, &mut |_| Control::Continue).unwrap().filters
            })
        };
        assert_eq!(fit(1), fit(3), "{}", entry.name);
    }
}

#[test]
fn raw_points_with_preprocessing_are_like_preprocessed_points() {
    let sample = sample();
    let preprocessor = Preprocessor {
        offset: (0..6).map(|i| 0.2 * i as f64 - 0.4).collect(),
        factors: vec![0.5; 6],
    };
    let mapped: Vec<f64> = sample
        .values
        .iter()
        .enumerate()
        .map(|(at, value)| (value - preprocessor.offset[at % 6]) * preprocessor.factors[at % 6])
        .collect();
    let mapped = Sample { columns: 6, values: mapped, labels: sample.labels.clone() };
    let mut statistics = sample.statistics();
    preprocessor.apply(&mut statistics);
    let samples = Samples {
        points: sample.points(),
        labels: &sample.labels,
        preprocessor: Some(&preprocessor),
    };
    let raw = Training::new(&statistics, samples);
    let direct = Training::from_points(mapped.points(), &mapped.labels).unwrap();
    for name in reducers().iter().map(|entry| entry.name) {
        let reducer = reducer(name, &settings()).unwrap();
        let fit = |training: &Training<'_>| {
            reducer.fit_one(training, 2, &mut |_| Control::Continue).unwrap().filters
        };
        let gap = subspace_gap(fit(&raw).as_ref(), fit(&direct).as_ref());
        // Statistics and features are rounded in another order; optimizers stop at a relative 1e-6.
        assert!(gap < 1e-3, "{name}: {gap:e}");
    }
}

/// The squared sine of the largest angle between two subspaces.
fn subspace_gap(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    let basis = |x: MatRef<'_, f64>| -> Mat<f64> { x.qr().compute_thin_Q() };
    let (a, b) = (basis(a), basis(b));
    let overlap = a.transpose() * &b;
    let smallest = overlap.singular_values().unwrap().into_iter().fold(1.0_f64, f64::min);
    1.0 - smallest * smallest
}

#[test]
fn names_are_known_or_suggested() {
    let error = reducer_entry("lfdaa").unwrap_err();
    assert!(error.to_string().contains("did you mean 'lfda'?"), "{error}");
    let paper: Vec<_> =
        reducers().iter().filter(|entry| entry.in_paper()).map(|entry| entry.title).collect();
    assert_eq!(
        paper,
        [
            "SQFA", "smSQFA", "SQFA-H", "SQFA-B", "SQFA-J", "SQFA-W", "LDA", "SPCA", "LFDA", "WDA",
            "LMNN", "PCA", "AMA"
        ]
    );
}

#[test]
fn limits_constraints_and_objectives_are_those_of_the_catalogue() {
    let sample = sample();
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    for entry in reducers() {
        let reducer = reducer(entry.name, &settings()).unwrap();
        let most = match entry.limit {
            Limit::ClassesLessOne => 2,
            Limit::Dimension | Limit::Components => 6,
        };
        let fitted = reducer.fit_one(&training, most, &mut |_| Control::Continue).unwrap();
        assert_eq!(
            fitted.run.objective.is_some(),
            entry.objective != Objective::None,
            "{}",
            entry.name
        );
        let more = reducer.fit_one(&training, most + 1, &mut |_| Control::Continue);
        let refused = more.is_err_and(|error| match error {
            ReduceError::TooMany { limit, .. } => limit == most,
            ReduceError::Fit(FitError::TooManyFilters { dimension, .. }) => dimension == most,
            _ => false,
        });
        assert!(refused, "{} gives more than {most} filters", entry.name);
        if let Some(constraint) = entry.constraint {
            let gram = fitted.filters.transpose() * &fitted.filters;
            for i in 0..most {
                for j in (0..most).filter(|&j| i == j || constraint == Constraint::Orthonormal) {
                    let expected = f64::from(u8::from(i == j));
                    assert!((gram[(i, j)] - expected).abs() < 1e-12, "{}", entry.name);
                }
            }
        }
    }
}

#[test]
fn every_setting_chosen_is_one_the_method_takes() {
    let sample = sample();
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    for entry in reducers() {
        let reducer = reducer(entry.name, &settings()).unwrap();
        let fitted = reducer.fit_one(&training, 1, &mut |_| Control::Continue).unwrap();
        for (setting, value) in &fitted.settings {
            assert!(entry.takes(*setting), "{} does not take {setting}", entry.name);
            assert!(!setting.is_whole() || value.fract() == 0.0);
        }
        for trial in &fitted.trials {
            let parameter = entry.parameter(trial.setting).unwrap();
            assert!(matches!(parameter.usual, Usual::Best { .. }), "{}", entry.name);
            assert_eq!(fitted.trials.len() % parameter.grid.len(), 0, "{}", entry.name);
        }
    }
}

#[test]
fn methods_that_look_at_points_say_so_when_there_are_none() {
    let statistics = sample().statistics();
    let alone = Training::from_statistics(&statistics);
    for entry in reducers() {
        let fitted =
            reducer(entry.name, &settings()).unwrap().fit(&alone, &[1], &mut |_| Control::Continue);
        match fitted {
            Ok(_) => assert!(!entry.needs_points(), "{}", entry.name),
            Err(ReduceError::NeedsPoints { .. }) => assert!(entry.needs_points(), "{}", entry.name),
            Err(other) => panic!("{}: {other}", entry.name),
        }
    }
}

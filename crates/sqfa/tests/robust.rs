//! Cleaning removes what the test planted: quiet neurons, outlying trials and unstable neurons.

#![allow(clippy::unwrap_used)]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use sqfa::robust::{Cleaning, RobustError, clean};
use sqfa::{Points, Table};

const TRIALS: usize = 600;
const NEURONS: usize = 14;
const QUIET: usize = 3;
const UNSTABLE: usize = 9;
const OUTLYING: [usize; 5] = [17, 120, 121, 400, 599];

/// Spike counts in 50 ms for two classes with different rates, with planted outliers.
fn recording() -> (Vec<f64>, Vec<u32>) {
    let mut random = ChaCha12Rng::seed_from_u64(1);
    let mut counts = Vec::with_capacity(TRIALS * NEURONS);
    let codes: Vec<u32> = (0..TRIALS).map(|trial| (trial % 2) as u32).collect();
    for trial in 0..TRIALS {
        for neuron in 0..NEURONS {
            // Binomial counts with mean 2 or 3 from forty trials each.
            let chance =
                if neuron == QUIET { 0.0005 } else { 0.05 + 0.025 * f64::from(codes[trial]) };
            let mut count = (0..40).filter(|_| random.random::<f64>() < chance).count() as f64;
            // In the outlying trials, the whole population fires three times as much plus 6 spikes. Below, one neuron alone
            // fires strongly in every 40th trial.
            if OUTLYING.contains(&trial) && neuron != QUIET {
                count = 3.0 * count + 6.0;
            }
            counts.push(count);
        }
    }
    for trial in (0..TRIALS).step_by(40) {
        counts[trial * NEURONS + UNSTABLE] = 25.0;
    }
    (counts, codes)
}

fn cleaning() -> Cleaning {
    Cleaning { window: Some(0.05), unstable: 12, ..Cleaning::default() }
}

fn points(counts: &[f64]) -> Points<'_> {
    Points::F64(Table::row_major(counts, counts.len() / NEURONS, NEURONS).unwrap())
}

fn names() -> Vec<String> {
    vec!["left".into(), "right".into()]
}

#[test]
fn planted_outliers_are_removed() {
    let (counts, codes) = recording();
    let found = clean(points(&counts), &codes, &names(), &cleaning()).unwrap();
    let quiet: Vec<usize> = found.quiet.iter().map(|one| one.index).collect();
    assert_eq!(quiet, [QUIET]);
    let outlying: Vec<usize> = found.outlying.iter().map(|one| one.index).collect();
    for trial in OUTLYING {
        assert!(outlying.contains(&trial), "{trial} of {outlying:?}");
    }
    assert!(found.outlying.iter().all(|one| one.value > found.limit));
    assert!(found.trials.len() > TRIALS - 40, "{}", found.trials.len());
    assert_eq!(found.trials.len() + found.outlying.len(), TRIALS);
    assert_eq!(found.neurons.len() + found.quiet.len() + found.unstable.len(), NEURONS);
    let kept: usize = found.counts.iter().map(|count| count.1).sum();
    assert_eq!(kept, found.trials.len());
}

#[test]
fn a_neuron_with_many_outlying_trials_is_removed() {
    let (mut counts, codes) = recording();
    // One neuron in a tenth of its trials at six times its deviation, too weak to make these trials outlying.
    let calm = Cleaning { deviations: 1e6, ..cleaning() };
    for trial in (5..TRIALS).step_by(23) {
        counts[trial * NEURONS + UNSTABLE] = 14.0;
    }
    let found = clean(points(&counts), &codes, &names(), &calm).unwrap();
    assert!(found.outlying.is_empty());
    let unstable: Vec<usize> = found.unstable.iter().map(|one| one.index).collect();
    assert_eq!(unstable, [UNSTABLE]);
    assert!(!found.neurons.contains(&UNSTABLE));
}

#[test]
fn counts_and_rates_give_the_same_result() {
    let (counts, codes) = recording();
    let rates: Vec<f64> = counts.iter().map(|count| count / 0.05).collect();
    let by_rate = Cleaning { window: None, ..cleaning() };
    let (a, b) = (
        clean(points(&counts), &codes, &names(), &cleaning()).unwrap(),
        clean(points(&rates), &codes, &names(), &by_rate).unwrap(),
    );
    assert_eq!((a.trials, a.neurons), (b.trials, b.neurons));
}

#[test]
fn invalid_recordings_are_rejected() {
    let (mut counts, codes) = recording();
    let ask =
        |counts: &[f64], cleaning: &Cleaning| clean(points(counts), &codes, &names(), cleaning);
    let loud = Cleaning { rate: 1e4, ..cleaning() };
    assert_eq!(ask(&counts, &loud), Err(RobustError::Silent { neurons: NEURONS, rate: 1e4 }));
    let no_window = Cleaning { window: Some(0.0), ..cleaning() };
    assert!(matches!(ask(&counts, &no_window), Err(RobustError::Threshold { .. })));
    counts[5 * NEURONS + 2] = 1.5;
    let fractional = RobustError::NotACount { row: 5, column: 2, value: 1.5 };
    assert_eq!(ask(&counts, &cleaning()), Err(fractional));
    counts[5 * NEURONS + 2] = -1.0;
    let negative = RobustError::NotACount { row: 5, column: 2, value: -1.0 };
    assert_eq!(ask(&counts, &cleaning()), Err(negative));
    // Ten trials in a class are too few for ten components.
    let few: Vec<f64> = recording().0[..22 * NEURONS].to_vec();
    let failed = clean(points(&few), &codes[..22], &names(), &cleaning());
    assert!(matches!(failed, Err(RobustError::InClass { .. })), "{failed:?}");
}

#[test]
fn cleaning_that_would_remove_a_class_is_an_error() {
    // Most trials of the first class lie at its center, and none of the second class do. A threshold at the median
    // therefore removes the whole second class.
    let mut rates: Vec<f64> = (0..100).map(|trial| 100.0 + 1e-5 * f64::from(trial)).collect();
    rates.extend((0..80).map(|trial| if trial % 2 == 0 { 99.0 } else { 101.0 }));
    let codes: Vec<u32> = (0..180).map(|trial| u32::from(trial >= 140)).collect();
    let table = Points::F64(Table::row_major(&rates, 180, 1).unwrap());
    let strict = Cleaning { deviations: 1e-9, components: 1, window: None, ..Cleaning::default() };
    let lost = RobustError::ClassLost { class: "right".into(), kept: 0, trials: 40 };
    assert!(lost.to_string().contains("raise the threshold"), "{lost}");
    assert_eq!(clean(table, &codes, &names(), &strict), Err(lost));
    rates[7] = f64::NAN;
    let table = Points::F64(Table::row_major(&rates, 180, 1).unwrap());
    let failed = clean(table, &codes, &names(), &strict);
    assert!(matches!(failed, Err(RobustError::NotFinite { row: 7, column: 0, .. })), "{failed:?}");
}

//! Outliers, mixed units and constant columns by default: the robust method keeps what the plain one loses.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::pipeline::{Filters, Pipeline};
use sqfa::reduce::Setting;

use crate::{Data, accuracy, recipe, three_classes};

/// A constant column beside the others, and every fifth point far away.
fn spoilt(rows: usize, seed: u64) -> (Data, Data) {
    let data = three_classes(rows, seed);
    let widened = |data: &Data| Data {
        values: data.values.chunks(6).flat_map(|row| row.iter().copied().chain([7.0])).collect(),
        columns: 7,
        labels: data.labels.clone(),
    };
    let clean = widened(&data);
    let mut generator = ChaCha8Rng::seed_from_u64(seed + 1);
    let units = [1.0, 200.0, 0.01, 5.0, 1.0, 30.0];
    let mut bad = clean.clone();
    for row in bad.values.chunks_mut(7).step_by(5) {
        for (value, unit) in row.iter_mut().zip(units) {
            let z: f64 = StandardNormal.sample(&mut generator);
            *value = 30.0 * unit * z;
        }
    }
    (clean, bad)
}

#[test]
fn the_default_fit_resists_outliers() {
    let (clean, bad) = spoilt(600, 41);
    let plain = bad.fit(&recipe("sqfa", 2)).unwrap();
    let heavy = bad.fit(&recipe("sqfa-t", 2)).unwrap();
    assert_eq!(heavy.record.dropped, [6]);
    assert!(heavy.record.selection.is_some(), "units and noise are chosen");
    assert_eq!(heavy.record.setting(Setting::Degrees), Some(5.0));
    let unspoilt = accuracy(&clean.fit(&recipe("sqfa-t", 2)).unwrap(), &clean);
    let (robust, ruined) = (accuracy(&heavy, &clean), accuracy(&plain, &clean));
    assert!(robust > unspoilt - 0.02, "{robust} with outliers, {unspoilt} without");
    assert!(robust > ruined + 0.02, "{robust} against {ruined} of sqfa");
}

#[test]
fn robust_statistics_serve_every_choice() {
    let (clean, bad) = spoilt(300, 43);
    // The number of filters, refinement, another estimator, repetition counts.
    let auto = Pipeline { filters: Filters::Auto { max: 4 }, ..recipe("sqfa-cauchy", 2) };
    let fitted = bad.fit(&auto).unwrap();
    assert!(!fitted.record.counts.is_empty() && accuracy(&fitted, &clean) > 0.8);
    let tyler = Pipeline { estimator: Some("tyler".parse().unwrap()), ..recipe("sqfa-h", 2) };
    assert!(accuracy(&bad.fit(&tyler).unwrap(), &clean) > 0.8);
    let weights = vec![2; 300];
    let doubled = bad.fit_weighted(&recipe("sqfa-t", 2), Some(&weights)).unwrap();
    assert!(accuracy(&doubled, &clean) > 0.8);
}

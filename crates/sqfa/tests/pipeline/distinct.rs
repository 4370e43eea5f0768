//! Every filter shows something new, and those that only show are not used to classify.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{Data, accuracy, recipe};

/// Two classes in five columns that differ in one mean alone, so that one filter suffices.
fn one_direction(rows: usize, seed: u64) -> Data {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let mut z: Vec<f64> = (0..5).map(|_| StandardNormal.sample(&mut generator)).collect();
        z[2] += 1.5 * (row % 2) as f64 + 0.5 * z[0];
        values.extend(z);
        labels.push((row % 2) as i64);
    }
    Data { values, columns: 5, labels }
}

/// The largest |correlation| of two features within classes.
fn correlation(features: &[f64], m: usize, labels: &[i64]) -> f64 {
    let within: Vec<Vec<f64>> = (0..m)
        .map(|j| {
            let of = |class: i64| -> Vec<f64> {
                let rows = (0..labels.len()).filter(|&row| labels[row] == class);
                rows.map(|row| features[row * m + j]).collect()
            };
            let mean = |class: i64| of(class).iter().sum::<f64>() / of(class).len() as f64;
            let means = [mean(0), mean(1)];
            (0..labels.len())
                .map(|row| features[row * m + j] - means[labels[row] as usize])
                .collect()
        })
        .collect();
    let inner =
        |a: usize, b: usize| -> f64 { within[a].iter().zip(&within[b]).map(|(a, b)| a * b).sum() };
    let pairs = (0..m).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.map(|(a, b)| inner(a, b).abs() / (inner(a, a) * inner(b, b)).sqrt()).fold(0.0, f64::max)
}

#[test]
fn filters_do_not_coincide_and_cost_no_accuracy() {
    let mut copies = 0;
    for seed in 0..8 {
        let (data, fresh) = (one_direction(200, seed), one_direction(2000, 100 + seed));
        for method in ["sqfa", "sqfa-h"] {
            let fitted = data.fit(&recipe(method, 3)).unwrap();
            let features = fitted.features_of(data.points()).to_f64();
            let largest = correlation(&features, 3, &data.labels);
            assert!(largest < 0.991, "{method}, seed {seed}: {largest}");
            copies += usize::from(fitted.distinct() < 3);
            let one = data.fit(&recipe(method, 1)).unwrap();
            let (own, alone) = (accuracy(&fitted, &fresh), accuracy(&one, &fresh));
            // Of 2000 samples 1 % is a standard error.
            assert!(own > alone - 0.03, "{method}, seed {seed}: {own}, one filter {alone}");
        }
    }
    assert!(copies > 0, "no fit had copies to replace");
}

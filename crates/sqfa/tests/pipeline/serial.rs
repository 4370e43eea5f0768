//! A warning if consecutive samples depend on each other, and only then.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::Labels;
use sqfa::model::{Noise, Warning};
use sqfa::optimize::Control;
use sqfa::pipeline::{HoldOut, Labeled, Pipeline};
use sqfa::statistics::Scaling;

use crate::{Data, recipe, three_classes};

/// Two classes, each a stationary autoregressive process in every column.
fn autoregressive(coefficient: f64, rows: usize, seed: u64) -> Data {
    const COLUMNS: usize = 4;
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let innovation = (1.0 - coefficient * coefficient).sqrt();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for class in 0..2 {
        let mut state: Vec<f64> =
            (0..COLUMNS).map(|_| StandardNormal.sample(&mut generator)).collect();
        for _ in 0..rows {
            for own in &mut state {
                let step: f64 = StandardNormal.sample(&mut generator);
                *own = coefficient * *own + innovation * step;
            }
            values.extend(state.iter().map(|own| own + f64::from(class)));
            labels.push(i64::from(class));
        }
    }
    Data { values, columns: COLUMNS, labels }
}

fn correlation(data: &Data, pipeline: &Pipeline, hold_out: HoldOut<'_>) -> Option<f64> {
    let labels = Labels::from_integers(&data.labels);
    let samples = Labeled { hold_out, ..Labeled::new(data.points(), &labels) };
    let fitted = pipeline.fit(samples, &mut |_| Control::Continue).unwrap();
    fitted.record.run.warnings.iter().find_map(|warning| match warning {
        Warning::DependentRows { correlation } => Some(*correlation),
        _ => None,
    })
}

#[test]
fn time_series_are_noticed() {
    let pipeline = recipe("sqfa", 1);
    let data = autoregressive(0.9, 2000, 1);
    let found = correlation(&data, &pipeline, HoldOut::Rows).unwrap();
    assert!((found - 0.9).abs() < 0.05, "{found}");
    // Not if groups are known, and not if nothing is selected on held-out samples.
    let groups: Vec<u32> = (0..4000).map(|row| row / 200).collect();
    assert_eq!(correlation(&data, &pipeline, HoldOut::Groups(&groups)), None);
    let mut specified = pipeline;
    specified.settings.noise = Noise::Fraction(0.3);
    specified.scaling = Some(Scaling::Common);
    assert_eq!(correlation(&data, &specified, HoldOut::Rows), None);
}

#[test]
fn tables_of_independent_rows_are_not() {
    let pipeline = recipe("sqfa", 1);
    for seed in 0..10 {
        let mixed = three_classes(300, seed);
        assert_eq!(correlation(&mixed, &pipeline, HoldOut::Rows), None);
        // Sorted by class, and by one of six columns.
        let mut rows: Vec<usize> = (0..300).collect();
        rows.sort_by_key(|&row| mixed.labels[row]);
        assert_eq!(correlation(&mixed.picked(&rows), &pipeline, HoldOut::Rows), None);
        rows.sort_by(|&a, &b| mixed.values[6 * a + 5].total_cmp(&mixed.values[6 * b + 5]));
        assert_eq!(correlation(&mixed.picked(&rows), &pipeline, HoldOut::Rows), None);
        // Equal rows share a fold.
        let rows: Vec<usize> = (0..1500).map(|row| row / 5).collect();
        assert_eq!(correlation(&mixed.picked(&rows), &pipeline, HoldOut::Rows), None);
    }
}

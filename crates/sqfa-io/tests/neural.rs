//! The simulated population is what its description says: tuned, overdispersed, correlated, with outliers to be found.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use sqfa::Points;
use sqfa::robust::{Cleaning, clean};
use sqfa_io::data::LabeledData;
use sqfa_io::datasets::neural::Neural;

/// Counts of one class, trial by trial.
fn trials(data: &LabeledData, class: u32) -> Vec<Vec<f64>> {
    let Points::F32(table) = data.train.points.view() else { panic!("counts are f32") };
    let codes = data.train.labels.codes();
    (0..table.rows())
        .filter(|&row| codes[row] == class)
        .map(|row| table.row(row).unwrap().iter().map(|&count| f64::from(count)).collect())
        .collect()
}

fn mean(trials: &[Vec<f64>], neuron: usize) -> f64 {
    trials.iter().map(|trial| trial[neuron]).sum::<f64>() / trials.len() as f64
}

fn covariance(trials: &[Vec<f64>], a: usize, b: usize) -> f64 {
    let (x, y) = (mean(trials, a), mean(trials, b));
    trials.iter().map(|trial| (trial[a] - x) * (trial[b] - y)).sum::<f64>()
        / (trials.len() - 1) as f64
}

/// A session without disturbances.
fn quiet() -> Neural {
    Neural { neurons: vec![40], outlying: 0.0, unstable: 0.0, ..Neural::default() }
}

/// The mean over neurons and classes of variance over mean, and the mean correlation of neighboring pairs.
fn variability(recipe: &Neural) -> (f64, f64) {
    let data = recipe.session(0).unwrap();
    let (mut fano, mut correlation, mut terms) = (0.0, 0.0, 0.0);
    for class in 0..8 {
        let own = trials(&data, class);
        for neuron in 0..39 {
            let (a, b) =
                (covariance(&own, neuron, neuron), covariance(&own, neuron + 1, neuron + 1));
            fano += a / mean(&own, neuron);
            correlation += covariance(&own, neuron, neuron + 1) / (a * b).sqrt();
            terms += 1.0;
        }
    }
    (fano / terms, correlation / terms)
}

#[test]
fn a_seed_gives_the_same_bits_with_any_number_of_threads_and_sessions() {
    let recipe = Neural { trials: 20, ..Neural::default() };
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| recipe.generate().unwrap())
    };
    let all = with_threads(1);
    assert_eq!(all, with_threads(3));
    assert_eq!(all[3], recipe.session(3).unwrap());
    assert_ne!(all[0], Neural { seed: 2, ..recipe.clone() }.session(0).unwrap());
    let sizes: Vec<usize> = all.iter().map(|data| data.train.points.columns()).collect();
    assert_eq!((sizes.len(), sizes[0], sizes[4]), (5, 70, 142));
    let labels = &all[0].train.labels;
    assert_eq!(labels.classes().label(1).to_string(), "225");
    assert_eq!(labels.counts(), [20; 8]);
}

#[test]
fn rates_are_tuned_to_orientation() {
    let data = quiet().session(0).unwrap();
    let means: Vec<Vec<f64>> = (0..8)
        .map(|class| (0..40).map(|neuron| mean(&trials(&data, class), neuron)).collect())
        .collect();
    let mut tuned = 0;
    for neuron in 0..40 {
        let of = |class: usize| means[class % 8][neuron];
        let best = (0..8).max_by(|&a, &b| of(a).total_cmp(&of(b))).unwrap();
        // The orthogonal orientation is four classes away.
        tuned += usize::from(of(best) > 2.0 * of(best + 4));
    }
    assert!(tuned > 36, "{tuned} of 40");
}

#[test]
fn without_gains_counts_are_poisson_and_uncorrelated() {
    let plain =
        Neural { shared_gain: 0.0, base_gain: 0.0, private_gain: 0.0, slope_gain: 0.0, ..quiet() };
    let (fano, correlation) = variability(&plain);
    // 312 pairs of 400 trials: standard errors of 0.004 and 0.003.
    assert!((fano - 1.0).abs() < 0.02 && correlation.abs() < 0.015, "{fano} {correlation}");
}

#[test]
fn own_gain_makes_counts_variable_and_shared_gain_correlates_them() {
    let none =
        Neural { shared_gain: 0.0, base_gain: 0.0, slope_gain: 0.0, private_gain: 0.0, ..quiet() };
    let (fano, correlation) = variability(&Neural { private_gain: 0.5, ..none.clone() });
    assert!(fano > 1.1 && correlation.abs() < 0.015, "{fano} {correlation}");
    for shared in
        [Neural { shared_gain: 0.7, ..none.clone() }, Neural { base_gain: 0.65, ..none.clone() }]
    {
        let (fano, correlation) = variability(&shared);
        assert!(fano > 1.1 && correlation > 0.05, "{fano} {correlation}");
    }
}

#[test]
fn the_gain_of_the_base_adds_the_same_to_all_stimuli() {
    // Far from its preferred orientation and at it, the covariance of two neurons is window² b₁ b₂ Var u, whatever the tuning.
    let recipe = Neural {
        shared_gain: 0.0,
        slope_gain: 0.0,
        private_gain: 0.0,
        base_gain: 0.65,
        rate_spread: (0.5, 0.0),
        trials: 2000,
        ..quiet()
    };
    let data = recipe.session(0).unwrap();
    let expected = (0.05 * 16.0_f64).powi(2) * ((0.65_f64 * 0.65).exp() - 1.0);
    for class in 0..8 {
        let own = trials(&data, class);
        let found = (0..39).map(|at| covariance(&own, at, at + 1)).sum::<f64>() / 39.0;
        assert!((found / expected - 1.0).abs() < 0.15, "{class}: {found} {expected}");
    }
}

#[test]
fn correlations_depend_on_the_stimulus() {
    // Two neurons with one on either side of an orientation move against each other there, and together far from it.
    let recipe =
        Neural { shared_gain: 0.0, base_gain: 0.0, private_gain: 0.0, slope_gain: 0.6, ..quiet() };
    let data = recipe.session(0).unwrap();
    let spread = (0..39)
        .map(|neuron| {
            let of: Vec<f64> = (0..8)
                .map(|class| {
                    let own = trials(&data, class);
                    covariance(&own, neuron, neuron + 1)
                        / (covariance(&own, neuron, neuron)
                            * covariance(&own, neuron + 1, neuron + 1))
                        .sqrt()
                })
                .collect();
            of.iter().copied().fold(f64::MIN, f64::max)
                - of.iter().copied().fold(f64::MAX, f64::min)
        })
        .sum::<f64>()
        / 39.0;
    // Eight estimates with a standard error of 0.05 each would differ by 0.14.
    assert!(spread > 0.25, "{spread}");
}

#[test]
fn cleaning_finds_about_what_the_recordings_had() {
    let (mut trials, mut gone, mut neurons, mut lost) = (0, 0, 0, 0);
    for data in Neural::default().generate().unwrap() {
        let names: Vec<String> =
            data.train.labels.classes().iter().map(|label| label.to_string()).collect();
        let options = Cleaning { window: Some(0.05), ..Cleaning::default() };
        let codes = data.train.labels.codes();
        let cleaned = clean(data.train.points.view(), codes, &names, &options).unwrap();
        trials += codes.len();
        gone += cleaned.outlying.len();
        neurons += data.train.points.columns();
        lost += cleaned.unstable.len() + cleaned.quiet.len();
    }
    let share = |part: usize, all: usize| 100.0 * part as f64 / all as f64;
    // The recordings lost 1.2 % of trials and 3.3 % of neurons.
    let (gone, lost) = (share(gone, trials), share(lost, neurons));
    assert!((0.6..2.4).contains(&gone), "{gone} % of trials");
    assert!((1.6..6.6).contains(&lost), "{lost} % of neurons");
}

#[test]
fn impossible_settings_are_refused() {
    for recipe in [
        Neural { neurons: vec![], ..quiet() },
        Neural { neurons: vec![5, 0], ..quiet() },
        Neural { orientations: 1, ..quiet() },
        Neural { trials: 0, ..quiet() },
        Neural { private_gain: f64::NAN, ..quiet() },
        Neural { base_gain: -1.0, ..quiet() },
        Neural { crowding: 1.5, ..quiet() },
    ] {
        assert!(recipe.session(0).is_err(), "{recipe:?}");
    }
    let error = quiet().session(1).unwrap_err().to_string();
    assert!(error.contains("session is 1"), "{error}");
}

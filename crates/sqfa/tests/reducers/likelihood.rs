//! Likelihood acquired directions and AMA against what is known of their optima.

use sqfa::model::{Learning, Restarts};
use sqfa::optimize::{Control, Optimizer, Stopping};
use sqfa::reduce::{ReducerSettings, Training, reducer};
use sqfa::statistics::GivenMatrices;
use sqfa::{ClassStatistics, Classes, Noise};

use crate::problems::Sample;

/// The climb stops when the objective changes by less than a millionth; its distance to the optimum is of that order.
const OPTIMUM: f64 = 1e-4;

#[test]
fn with_two_equal_means_the_gain_is_that_of_the_most_unequal_variances() {
    // Diagonal covariances with ratios λ: directions add ln((1+λ)/2) − ½ ln λ each, whatever the others.
    let ratios = [1.1, 9.0, 0.2, 1.0, 3.0_f64];
    let n = ratios.len();
    let diagonal = |values: &[f64]| {
        (0..n * n).map(|at| if at / n == at % n { values[at / n] } else { 0.0 }).collect()
    };
    let statistics = ClassStatistics::from_moments(
        Classes::numbered(2),
        None,
        &vec![0.0; 2 * n],
        GivenMatrices::F64(vec![diagonal(&[1.0; 5]), diagonal(&ratios)]),
    )
    .unwrap();
    let mut gains: Vec<f64> =
        ratios.iter().map(|ratio| ((1.0 + ratio) / 2.0).ln() - 0.5 * ratio.ln()).collect();
    gains.sort_by(|a, b| b.total_cmp(a));
    let settings = ReducerSettings {
        noise: Noise::Value(0.0),
        restarts: Restarts::Count(4),
        ..ReducerSettings::default()
    };
    for filters in [1, 2, 3] {
        let fitted = reducer("lad", &settings)
            .unwrap()
            .fit_one(&Training::from_statistics(&statistics), filters, &mut |_| Control::Continue)
            .unwrap();
        let expected: f64 = gains[..filters].iter().sum();
        assert!((fitted.run.objective.unwrap() - expected).abs() < OPTIMUM * expected, "{filters}");
    }
}

#[test]
fn filters_learned_in_pairs_keep_the_earlier_ones() {
    let sample = Sample::draw(&[80, 90, 70], 6, 31);
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    let fit = |learning, filters| {
        let settings = ReducerSettings {
            learning,
            restarts: Restarts::Count(2),
            ..ReducerSettings::default()
        };
        let ama = reducer("ama", &settings).unwrap();
        ama.fit_one(&training, filters, &mut |_| Control::Continue).unwrap()
    };
    let (two, four) = (fit(None, 2), fit(None, 4));
    assert_eq!(four.filters.subcols(0, 2).to_owned(), two.filters);
    assert!(four.run.objective > two.run.objective && four.run.objective < Some(0.0));
    let joint = fit(Some(Learning::Joint), 4);
    assert!(joint.run.objective.unwrap() > two.run.objective.unwrap());
}

#[test]
fn subspaces_climb_the_posterior_as_high_as_lines_in_fewer_iterations() {
    let sample = Sample::draw(&[180, 150, 170], 12, 32);
    let training = Training::from_points(sample.points(), &sample.labels).unwrap();
    let fit = |optimizer, learning, filters| {
        let settings = ReducerSettings {
            optimizer,
            learning,
            restarts: Restarts::Count(2),
            stopping: Stopping { tolerance: 1e-9, ..Stopping::default() },
            ..ReducerSettings::default()
        };
        let ama = reducer("ama", &settings).unwrap();
        let fitted = ama.fit_one(&training, filters, &mut |_| Control::Continue).unwrap();
        assert_eq!(fitted.run.optimizer, Some(optimizer));
        fitted
    };
    for learning in [Some(Learning::Joint), Some(Learning::Sequential(2))] {
        let lines = fit(Optimizer::Lbfgs, learning, 4);
        let spaces = fit(Optimizer::Subspace, learning, 4);
        let (high, low) = (spaces.run.objective.unwrap(), lines.run.objective.unwrap());
        assert!(high >= low - 1e-6, "{high} against {low}");
        assert!(2 * spaces.run.iterations < lines.run.iterations, "{}", spaces.run.iterations);
        assert!(spaces.run.trace.windows(2).all(|pair| pair[1] >= pair[0]));
    }
    let two = fit(Optimizer::Subspace, None, 2);
    let four = fit(Optimizer::Subspace, None, 4);
    assert_eq!(four.filters.subcols(0, 2).to_owned(), two.filters, "frozen columns stay");
}

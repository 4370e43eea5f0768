//! Single and double precision covariances reach the same optimum, and double takes over where it must.

use sqfa::model::Warning;
use sqfa::optimize::{Optimizer, Stopping};
use sqfa::{ClassStatistics, Noise};

use crate::common::{Normal, diagonal};
use crate::problems::{given, given_single, objective, random_classes, recipe};

/// Single-precision passes keep the objective to a few parts in a million.
const SINGLE: f64 = 1e-5;

#[test]
fn both_precisions_reach_the_same_objective() {
    let classes = random_classes(20, 4, 71);
    for distance in ["calvo-oller", "hellinger", "affine-invariant", "wasserstein"] {
        let fit = |statistics| {
            recipe(3, distance).noise(Noise::Value(0.01)).fit(&statistics).unwrap().objective()
        };
        let (single, double) = (fit(given_single(&classes)), fit(given(&classes)));
        let gap = (single - double).abs();
        assert!(gap <= SINGLE * double.max(1.0), "{distance}: off by {gap:e}");
    }
}

#[test]
fn hundreds_of_filters_are_climbed_in_single_precision_to_the_same_height() {
    // From 128 filters on products of blocks are rounded, not only the passes.
    let classes = random_classes(150, 3, 73);
    let stopping = Stopping { max_iterations: 40, ..Stopping::default() };
    let fit = |statistics: ClassStatistics| {
        let recipe = recipe(130, "calvo-oller").noise(Noise::Value(0.1)).stopping(stopping);
        let fitted = recipe.optimizer(Optimizer::Lbfgs).fit(&statistics).unwrap();
        // What is reported is what the filters achieve by products in double precision.
        let exact = objective(&given(&classes), "calvo-oller", fitted.filters().as_ref(), 0.1);
        assert!((fitted.objective() / exact - 1.0).abs() < SINGLE);
        assert!(fitted.trace().windows(2).all(|pair| pair[0] <= pair[1] * (1.0 + SINGLE)));
        fitted.objective()
    };
    let (single, double) = (fit(given_single(&classes)), fit(given(&classes)));
    assert!((single / double - 1.0).abs() < 1e-3, "{single} {double}");
}

/// Classes whose largest variance is `ratio`, in two of eight dimensions; the rest are about 1.
fn spread(ratio: f64) -> Vec<Normal> {
    random_classes(8, 3, 72)
        .into_iter()
        .map(|class| {
            let mut large = diagonal(&[ratio.sqrt(), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
            large[9] = ratio.sqrt() / 2.0;
            class.mapped(&large, &[0.0; 8])
        })
        .collect()
}

#[test]
fn variances_far_above_the_noise_are_passed_in_double_precision() {
    let says_so = |ratio: f64, noise: f64| {
        let fitted =
            recipe(2, "calvo-oller").noise(Noise::Value(noise)).fit(&given_single(&spread(ratio)));
        let fitted = fitted.unwrap();
        fitted.warnings().iter().any(|w| matches!(w, Warning::DoublePrecision { .. }))
    };
    assert!(!says_so(1e3, 1e-2));
    assert!(says_so(1e6, 1e-3));
    assert!(says_so(1e3, 1e-7));
    assert!(says_so(1e3, 0.0));
    // Nothing to say when the covariances are double already.
    let fitted = recipe(2, "calvo-oller").noise(Noise::Value(1e-3)).fit(&given(&spread(1e6)));
    assert!(fitted.unwrap().warnings().is_empty());
}

#[test]
fn double_precision_keeps_the_digits() {
    let classes = spread(1e6);
    let single: Vec<Normal> = classes
        .iter()
        .map(|class| {
            let covariance = class.covariance.iter().map(|&entry| f64::from(entry as f32));
            Normal { mean: class.mean.clone(), covariance: covariance.collect() }
        })
        .collect();
    let fit =
        |statistics| recipe(2, "calvo-oller").noise(Noise::Value(1e-3)).fit(&statistics).unwrap();
    // The same numbers, once stored in single precision: the same fit.
    let (rounded, double) = (fit(given_single(&classes)), fit(given(&single)));
    assert_eq!(rounded.objective().to_bits(), double.objective().to_bits());
}

/// Two digits of a variance are left at condition 10¹⁴ in double precision: that must not pass without a word.
#[test]
fn round_off_behind_the_filters_is_told_where_no_noise_hides_it() {
    let warned = |ratio: f64, noise: Noise| {
        let fitted = recipe(2, "calvo-oller").noise(noise).fit(&given(&spread(ratio))).unwrap();
        fitted.warnings().iter().any(|warning| warning.name() == "lost-digits")
    };
    assert!(warned(1e14, Noise::Value(0.0)));
    assert!(!warned(1e6, Noise::Value(0.0)));
    assert!(!warned(1e14, Noise::Fraction(1.0)));
}

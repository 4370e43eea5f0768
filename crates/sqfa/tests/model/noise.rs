//! The feature noise: a number, or a fraction of the mean within-class variance.

use sqfa::Noise;

use crate::problems::{Sample, given, random_classes, recipe};

#[test]
fn a_number_is_used_and_a_fraction_is_of_the_mean_within_class_variance() {
    let sample = Sample::draw(&[50, 30, 80], 5, 41);
    let statistics = sample.statistics();
    let fitted = recipe(2, "calvo-oller").noise(Noise::Value(0.7)).fit(&statistics).unwrap();
    assert_eq!(fitted.noise(), 0.7);
    // The trace of the pooled covariance over n, classes weighted by their size.
    let expected: f64 = sample
        .naive()
        .iter()
        .map(|(count, _, covariance)| {
            *count as f64 / 160.0 * covariance.iter().step_by(6).sum::<f64>() / 5.0
        })
        .sum();
    for (noise, factor) in
        [(Noise::Fraction(0.3), 0.3), (Noise::Fraction(1.0), 1.0), (Noise::Auto, 1.0)]
    {
        let fitted = recipe(2, "calvo-oller").noise(noise).fit(&statistics).unwrap();
        assert!((fitted.noise() - factor * expected).abs() <= 1e-12 * expected, "{noise}");
    }
}

#[test]
fn what_is_printed_is_read_again() {
    let all =
        [Noise::Auto, Noise::Fraction(0.3), Noise::Fraction(94.86832980505137), Noise::Value(1e-7)];
    for noise in all {
        assert_eq!(noise.to_string().parse(), Ok(noise));
    }
    assert_eq!("scale".parse(), Ok(Noise::Fraction(1.0)));
    for text in ["-1", "-0.3x", "x", "nan", "inf", "0.3 y", ""] {
        let message = text.parse::<Noise>().unwrap_err();
        assert!(message.contains(text) && message.contains("0.3x"), "{message}");
    }
}

#[test]
fn noise_changes_which_filters_are_best() {
    let statistics = given(&random_classes(6, 3, 50));
    let fit = |noise| {
        recipe(2, "calvo-oller").noise(Noise::Value(noise)).fit(&statistics).unwrap().objective()
    };
    assert!(fit(0.0) > fit(0.1) && fit(0.1) > fit(1.0) && fit(1.0) > fit(10.0));
}

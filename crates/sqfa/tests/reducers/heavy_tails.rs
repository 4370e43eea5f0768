//! SQFA on t distributions: which scatters it takes, what it tells, what it refuses, and what it costs.

use sqfa::model::Warning;
use sqfa::optimize::Control;
use sqfa::reduce::{ReduceError, ReducerSettings, Reduction, Samples, Setting, Training, reducer};
use sqfa::{ClassStatistics, Distance, Estimator, Noise, Qda, Sqfa};

use crate::problems::{Sample, bits};

fn fit(
    name: &str,
    training: &Training<'_>,
    settings: ReducerSettings,
) -> Result<Reduction, ReduceError> {
    reducer(name, &settings)?.fit_one(training, 2, &mut |_| Control::Continue)
}

fn settings(degrees: Option<f64>) -> ReducerSettings {
    ReducerSettings { noise: Noise::Value(0.05), degrees, ..ReducerSettings::default() }
}

fn recipe(degrees: f64) -> Sqfa {
    let distance = Distance::named(&format!("calvo-oller-t:{degrees}")).unwrap();
    Sqfa::new(2).unwrap().distance(distance).noise(Noise::Value(0.05))
}

#[test]
fn points_give_the_scatter_of_the_estimator() {
    let sample = Sample::draw(&[150, 180, 160], 6, 901);
    for (name, given, degrees) in
        [("sqfa-t", None, 5.0), ("sqfa-t", Some(2.0), 2.0), ("sqfa-cauchy", None, 1.0)]
    {
        let training = Training::from_points(sample.points(), &sample.labels).unwrap();
        let found = fit(name, &training, settings(given)).unwrap();
        let estimator = Estimator::StudentT(Some(degrees));
        let scatter =
            ClassStatistics::from_points(sample.points(), &sample.labels, estimator).unwrap();
        let expected = recipe(degrees).fit(&scatter).unwrap();
        assert_eq!(bits(&found.filters), bits(expected.filters()), "{name}");
        // What cannot be set is not told as a setting.
        let told = (name == "sqfa-t").then_some(degrees);
        assert_eq!(found.setting(Setting::Degrees), told);
        assert!(!found.run.warnings.iter().any(|one| matches!(one, Warning::MomentMatched { .. })));
        // Robust statistics are taken as they are.
        let samples =
            Samples { points: sample.points(), labels: &sample.labels, preprocessor: None };
        let training = Training::new(&scatter, samples).with_estimator(estimator);
        let found = fit(name, &training, settings(given)).unwrap();
        assert_eq!(bits(&found.filters), bits(expected.filters()), "{name}");
    }
}

#[test]
fn plain_covariances_are_matched_and_told_or_refused() {
    let sample = Sample::draw(&[60, 80, 50], 5, 902);
    let plain = sample.statistics();
    let training = Training::from_statistics(&plain);
    let found = fit("sqfa-t", &training, settings(None)).unwrap();
    let expected = recipe(5.0).fit(&plain.with_scaled_covariances(0.6)).unwrap();
    assert_eq!(bits(&found.filters), bits(expected.filters()));
    assert!(found.run.warnings.contains(&Warning::MomentMatched { degrees: 5.0 }));
    for (name, given) in [("sqfa-cauchy", None), ("sqfa-t", Some(2.0)), ("sqfa-t", Some(1.5))] {
        let error = fit(name, &training, settings(given)).unwrap_err();
        assert!(matches!(error, ReduceError::NeedsPoints { .. }), "{error}");
        assert!(error.to_string().contains("has no covariance; use the samples"), "{error}");
    }
    let error = fit("sqfa-t", &training, settings(Some(0.5))).unwrap_err().to_string();
    assert!(error.contains("at least 1") || error.contains("no covariance"), "{error}");
}

#[test]
fn a_fit_costs_as_many_evaluations_as_that_of_gaussians() {
    // The same kernel: one Cholesky and one eigenproblem a pair. What may differ is how many times it is called.
    let (mut heavy, mut plain) = (0, 0);
    for seed in 0..6 {
        let sample = Sample::draw(&[120, 140, 130, 125], 12, 910 + seed);
        let estimator = Estimator::StudentT(Some(5.0));
        let scatter =
            ClassStatistics::from_points(sample.points(), &sample.labels, estimator).unwrap();
        heavy += recipe(5.0).fit(&scatter).unwrap().evaluations();
        let gaussian = Sqfa::new(2).unwrap().noise(Noise::Value(0.05));
        plain += gaussian.fit(&scatter).unwrap().evaluations();
    }
    assert!(heavy as f64 <= 1.3 * plain as f64, "{heavy} evaluations against {plain}");
}

#[test]
fn scatters_of_t_distributions_are_classified_by_t_densities() {
    let sample = Sample::draw(&[200, 250], 2, 903);
    let estimator = Estimator::StudentT(Some(3.0));
    let scatter = ClassStatistics::from_points(sample.points(), &sample.labels, estimator).unwrap();
    let identity = crate::problems::axes(2, &[0, 1]);
    let qda = Qda::from_statistics(&scatter, identity.as_ref(), Some(0.0)).unwrap();
    assert_eq!(qda.degrees(), Some(3.0));
    let found = qda.log_posteriors(sample.points()).unwrap();
    for row in 0..sample.rows() {
        let logs: Vec<f64> = (0..2)
            .map(|class| {
                let entries = crate::problems::entries(&scatter, class);
                let determinant = entries[0] * entries[3] - entries[1] * entries[2];
                let mean = scatter.means().col(class);
                let z = [sample.row(row)[0] - mean[0], sample.row(row)[1] - mean[1]];
                let square = (entries[3] * z[0] * z[0] - 2.0 * entries[1] * z[0] * z[1]
                    + entries[0] * z[1] * z[1])
                    / determinant;
                // ν = 3 and two dimensions: the power is −5/2.
                scatter.shares()[class].ln()
                    - 0.5 * determinant.ln()
                    - 2.5 * (1.0 + square / 3.0).ln()
            })
            .collect();
        let total = (logs[0].exp() + logs[1].exp()).ln();
        for class in 0..2 {
            let gap = (found[row * 2 + class] - (logs[class] - total)).abs();
            assert!(gap < 1e-9 * (1.0 + logs[class].abs()), "{gap}");
        }
    }
}

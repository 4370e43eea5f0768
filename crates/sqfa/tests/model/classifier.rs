//! QDA against Gaussian densities computed from explicit inverses and determinants.

use sqfa::classify::ClassifierError;
use sqfa::transform::Features;
use sqfa::{Classes, Gaussians, Labels, Qda};

use crate::common::{inverse, normals, stream, times};
use crate::problems::{Sample, axes, columns, dot, eigen, largest, matrix, worst};

/// Scores from inverses of matrices of condition numbers up to about 1e4, relative to the largest.
const CLOSE: f64 = 1e-11;

/// A covariance shrunk towards its mean variance, as in the paper.
fn plainly_shrunk(covariance: &[f64], m: usize, shrinkage: f64) -> Vec<f64> {
    let variance = covariance.iter().step_by(m + 1).sum::<f64>() / m as f64;
    (0..m * m)
        .map(|at| {
            let identity = if at / m == at % m { shrinkage * variance } else { 0.0 };
            (1.0 - shrinkage) * covariance[at] + identity
        })
        .collect()
}

/// ln π + ln N(z; μ, S) for one class.
fn log_joint(point: &[f64], share: f64, mean: &[f64], shrunk: &[f64]) -> f64 {
    let m = point.len();
    let log_det: f64 = eigen(shrunk, m).0.iter().map(|value| value.ln()).sum();
    let delta: Vec<f64> = point.iter().zip(mean).map(|(z, mu)| z - mu).collect();
    let square = dot(&times(&inverse(shrunk, m), &delta), &delta);
    share.ln() - 0.5 * (square + log_det)
}

/// ln p(class | z) from what is proportional to p(class, z), as logarithms.
pub(crate) fn normalized(joint: Vec<f64>) -> Vec<f64> {
    let top = joint.iter().fold(f64::NEG_INFINITY, |top, x| top.max(*x));
    let total = top + joint.iter().map(|x| (x - top).exp()).sum::<f64>().ln();
    joint.into_iter().map(|x| x - total).collect()
}

/// ln p(class | z) of every row by the definition; covariances with divisor N, each shrunk by `shrunk(own, pooled)`.
fn log_posteriors(sample: &Sample, shrunk: impl Fn(&[f64], &[f64]) -> Vec<f64>) -> Vec<f64> {
    let (rows, m) = (sample.rows() as f64, sample.columns);
    let naive = sample.naive();
    let likely: Vec<Vec<f64>> = naive
        .iter()
        .map(|(count, _, covariance)| {
            let size = *count as f64;
            covariance.iter().map(|x| x * (size - 1.0) / size).collect()
        })
        .collect();
    let pooled: Vec<f64> = (0..m * m)
        .map(|at| naive.iter().zip(&likely).map(|(one, own)| one.0 as f64 / rows * own[at]).sum())
        .collect();
    (0..sample.rows())
        .flat_map(|row| {
            let joint: Vec<f64> = naive
                .iter()
                .zip(&likely)
                .map(|((count, mean, _), own)| {
                    let share = *count as f64 / rows;
                    log_joint(sample.row(row), share, mean, &shrunk(own, &pooled))
                })
                .collect();
            normalized(joint)
        })
        .collect()
}

#[test]
fn posteriors_follow_the_definition() {
    // Unequal classes, so that priors matter.
    let sample = Sample::draw(&[120, 30, 60], 3, 91);
    let identity = axes(3, &[0, 1, 2]);
    for shrinkage in [0.0, 1e-5, 0.3, 1.0] {
        let towards_pooled = |own: &[f64], pooled: &[f64]| -> Vec<f64> {
            own.iter().zip(pooled).map(|(a, b)| (1.0 - shrinkage) * a + shrinkage * b).collect()
        };
        let statistics = sample.statistics();
        let usual = Qda::from_statistics(&statistics, identity.as_ref(), Some(shrinkage)).unwrap();
        let plain = Qda::plain_from_statistics(&statistics, identity.as_ref(), shrinkage).unwrap();
        for (qda, expected) in [
            (usual, log_posteriors(&sample, towards_pooled)),
            (
                plain,
                log_posteriors(&sample, |own: &[f64], _: &[f64]| plainly_shrunk(own, 3, shrinkage)),
            ),
        ] {
            let found = qda.log_posteriors(sample.points()).unwrap();
            let gap = worst(&found, &expected);
            let size = largest(expected.iter().copied());
            assert!(gap <= CLOSE * size, "shrinkage {shrinkage}: {gap:e} of {size}");
            let predicted = qda.predict(sample.points()).unwrap();
            for (row, scores) in expected.chunks(3).enumerate() {
                let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
                assert_eq!(predicted[row] as usize, best);
            }
            let hits = predicted.iter().zip(sample.labels.codes()).filter(|(a, b)| a == b).count();
            let accuracy = qda.accuracy(sample.points(), sample.labels.codes()).unwrap();
            assert_eq!(accuracy, hits as f64 / sample.rows() as f64);
            assert_eq!(qda.classes(), sample.labels.classes());
        }
    }
}

/// Posteriors of every row by QDA, with nothing specified, after one column was multiplied by a number.
fn after_scaling(sample: &Sample, column: usize, factor: f64) -> Vec<f64> {
    let other = sample.mapped(sample.columns, |row| {
        let scale = |(at, value): (usize, &f64)| if at == column { value * factor } else { *value };
        row.iter().enumerate().map(scale).collect()
    });
    let identity = axes(sample.columns, &(0..sample.columns).collect::<Vec<_>>());
    let qda = Qda::from_statistics(&other.statistics(), identity.as_ref(), None).unwrap();
    qda.log_posteriors(other.points()).unwrap()
}

#[test]
fn units_do_not_matter_and_classes_of_full_rank_are_not_shrunk() {
    // In the second sample, three samples span a plane of the four dimensions at most.
    for (counts, full) in [(&[120, 30, 60][..], true), (&[120, 30, 3][..], false)] {
        let sample = Sample::draw(counts, 4, 96);
        let usual = after_scaling(&sample, 0, 1.0);
        let size = largest(usual.iter().copied());
        for column in 0..4 {
            for factor in [1e-6, 1e-3, 1e3, 1e6] {
                let gap = worst(&after_scaling(&sample, column, factor), &usual);
                assert!(gap <= 1e-9 * size, "column {column} × {factor:e}: {gap:e} of {size}");
            }
        }
        if full {
            let expected = log_posteriors(&sample, |own: &[f64], _: &[f64]| own.to_vec());
            assert!(worst(&usual, &expected) <= CLOSE * size);
        }
    }
}

#[test]
fn features_of_filters_are_classified_as_points_of_their_own() {
    let sample = Sample::draw(&[80, 50], 5, 92);
    let filters = matrix(&[vec![1.0, 0.5, 0.0, -1.0, 0.2], vec![0.0, 1.0, 0.3, 0.0, 2.0]]);
    let qda = Qda::from_statistics(&sample.statistics(), filters.as_ref(), None).unwrap();
    let filters = columns(filters.as_ref());
    let small = sample.mapped(2, |row| filters.iter().map(|filter| dot(row, filter)).collect());
    let found = qda.log_posteriors(small.points()).unwrap();
    let expected = log_posteriors(&small, |own: &[f64], _: &[f64]| own.to_vec());
    assert!(worst(&found, &expected) <= CLOSE * largest(expected.iter().copied()));
    let single: Vec<f32> = small.values.iter().map(|&value| value as f32).collect();
    let features = Features::F32(single);
    let same = qda
        .predict(features.as_points(2))
        .unwrap()
        .iter()
        .zip(qda.predict(small.points()).unwrap())
        .filter(|(a, b)| **a == *b)
        .count();
    assert!(same + 1 >= sample.rows(), "rounding moved {} points", sample.rows() - same);
}

/// Six filters of three features: what the last three see, the first three see as well.
#[test]
fn filters_that_depend_on_others_do_not_change_what_is_predicted() {
    // Two round classes, the second three times as wide: shrinkage by a share of its own variance adds nine times as much.
    let names: Vec<i64> = (0..400).map(|row| row % 2).collect();
    let mut values = normals(1200, &mut stream(94));
    for (point, _) in values.chunks_mut(3).zip(&names).filter(|(_, name)| **name == 1) {
        point.iter_mut().for_each(|value| *value *= 3.0);
    }
    let wide = Sample { columns: 3, values, labels: Labels::from_integers(&names) };
    let statistics = wide.statistics();
    let three = axes(3, &[0, 1, 2]);
    let six = matrix(&[
        vec![1.0, 0.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![0.0, 0.0, 1.0],
        vec![0.6, 0.8, 0.0],
        vec![0.0, 0.6, -0.8],
        vec![0.48, 0.6, 0.64],
    ]);
    let few = Qda::from_statistics(&statistics, three.as_ref(), None).unwrap();
    let many = Qda::from_statistics(&statistics, six.as_ref(), None).unwrap();
    let plain = Qda::plain_from_statistics(&statistics, six.as_ref(), 1e-5).unwrap();
    let features = sqfa::transform(wide.points(), six.as_ref(), None);
    let expected = few.log_posteriors(wide.points()).unwrap();
    let gap = |qda: &Qda| {
        let found = qda.log_posteriors(features.as_points(6)).unwrap();
        worst(&found, &expected)
    };
    assert!(gap(&many) < 1e-8, "{:e}", gap(&many));
    // Three empty directions, each with a variance of its own in either class: 3·½·ln 9 and more.
    assert!(gap(&plain) > 2.0, "{:e}", gap(&plain));
}

#[test]
fn directions_in_which_only_means_differ_are_not_empty() {
    let mut sample = Sample::draw(&[60, 60], 2, 95);
    let codes = sample.labels.codes().to_vec();
    for (point, &code) in sample.values.chunks_mut(2).zip(&codes) {
        point[1] = 0.05 * f64::from(code);
    }
    let qda = Qda::from_statistics(&sample.statistics(), axes(2, &[0, 1]).as_ref(), None).unwrap();
    assert_eq!(qda.predict(sample.points()).unwrap(), codes);
}

#[test]
fn a_class_without_full_rank_is_an_error() {
    // Three points span a plane at most, four features need more.
    let sample = Sample::draw(&[40, 3], 4, 93);
    let identity = axes(4, &[0, 1, 2, 3]);
    let error =
        Qda::from_statistics(&sample.statistics(), identity.as_ref(), Some(0.0)).unwrap_err();
    assert!(matches!(&error, ClassifierError::Singular { class, .. } if class == "1"), "{error:?}");
    let message = error.to_string();
    for part in ["class '1'", "pivot", "fewer filters", "shrinkage"] {
        assert!(message.contains(part), "{message}");
    }
    // Each remedy works, and so does the default.
    Qda::from_statistics(&sample.statistics(), identity.as_ref(), Some(1e-3)).unwrap();
    Qda::from_statistics(&sample.statistics(), identity.as_ref(), None).unwrap();
    Qda::from_statistics(&sample.statistics(), axes(4, &[0, 2]).as_ref(), Some(0.0)).unwrap();
}

#[test]
fn priors_and_shrinkage_are_checked() {
    let gaussians = Gaussians::new(1, vec![0.0, 1.0], vec![1.0, 1.0]).unwrap();
    let build = |priors: &[f64], shrinkage| {
        Qda::new(&Classes::numbered(2), &gaussians, priors, Some(shrinkage)).map(|_| ())
    };
    for priors in [&[1.0][..], &[1.0, -1.0], &[0.0, 0.0], &[f64::NAN, 1.0], &[1.0, 1.0, 1.0]] {
        let error = build(priors, 0.0).unwrap_err();
        assert_eq!(error, ClassifierError::Priors { classes: 2 });
        assert!(error.to_string().contains("non-negative"));
    }
    for shrinkage in [-0.1, 1.1, f64::NAN] {
        let message = build(&[1.0, 1.0], shrinkage).unwrap_err().to_string();
        assert!(message.contains("between 0 and 1"), "{message}");
    }
    build(&[3.0, 1.0], 0.5).unwrap();
}

#[test]
fn a_point_beyond_all_distances_has_no_class() {
    let sample = Sample::draw(&[40, 40], 2, 5);
    let statistics = sample.statistics();
    let qda = Qda::from_statistics(&statistics, axes(2, &[0, 1]).as_ref(), None).unwrap();
    let values = [0.0, 1.0, 1e200, 1.0];
    let points = sqfa::Points::from(sqfa::Table::row_major(&values, 2, 2).unwrap());
    let far = ClassifierError::TooFar { row: 1 };
    assert_eq!(qda.predict(points).unwrap_err(), far);
    assert_eq!(qda.log_posteriors(points).unwrap_err(), far);
    let near = sqfa::Points::from(sqfa::Table::row_major(&values[..2], 1, 2).unwrap());
    assert!(qda.predict(near).is_ok());
}

//! The linear and the nearest-neighbor classifier against their definitions, and what every classifier refuses.

use sqfa::classify::{ClassifierError, ClassifierKind, Knn, LdaClassifier};
use sqfa::reduce::Method;
use sqfa::{Classes, Gaussians, Points, Qda, Table};

use crate::classifier::normalized;
use crate::common::{inverse, normals, stream, times};
use crate::problems::{Sample, axes, dot, largest, worst};

/// Scores from inverses of matrices of condition numbers up to about 1e4, relative to the largest.
const CLOSE: f64 = 1e-11;

/// ln p(class | z) by the definition: one explicit inverse of the pooled scatter over N.
fn linear_log_posteriors(sample: &Sample, shrinkage: f64) -> Vec<f64> {
    let rows = sample.rows() as f64;
    let priors: Vec<f64> = sample.naive().iter().map(|(count, ..)| *count as f64 / rows).collect();
    posteriors_of_rule(sample, shrinkage, &priors)
}

/// ln p(class | z) with priors, by one explicit inverse of the pooled scatter over N.
fn posteriors_of_rule(sample: &Sample, shrinkage: f64, priors: &[f64]) -> Vec<f64> {
    let (rows, m) = (sample.rows() as f64, sample.columns);
    let naive = sample.naive();
    let mut pooled = vec![0.0; m * m];
    for (count, _, covariance) in &naive {
        pooled
            .iter_mut()
            .zip(covariance)
            .for_each(|(sum, entry)| *sum += (*count as f64 - 1.0) * entry / rows);
    }
    // Towards the diagonal.
    let outside = pooled.iter_mut().enumerate().filter(|(at, _)| at / m != at % m);
    outside.for_each(|(_, entry)| *entry *= 1.0 - shrinkage);
    let precision = inverse(&pooled, m);
    (0..sample.rows())
        .flat_map(|row| {
            let joint: Vec<f64> = naive
                .iter()
                .zip(priors)
                .map(|((_, mean, _), prior)| {
                    // The quadratic in z is the same for every class and left out.
                    let weights = times(&precision, mean);
                    let constant = prior.ln() - 0.5 * dot(&weights, mean);
                    constant + dot(&weights, sample.row(row))
                })
                .collect();
            normalized(joint)
        })
        .collect()
}

#[test]
fn linear_posteriors_follow_the_definition() {
    let sample = Sample::draw(&[120, 30, 60], 3, 71);
    for shrinkage in [0.0, 1e-3, 0.4, 1.0] {
        let lda = LdaClassifier::from_statistics(
            &sample.statistics(),
            axes(3, &[0, 1, 2]).as_ref(),
            Some(shrinkage),
        )
        .unwrap();
        let found = lda.log_posteriors(sample.points()).unwrap();
        let expected = linear_log_posteriors(&sample, shrinkage);
        assert!(worst(&found, &expected) <= CLOSE * largest(expected.iter().copied()));
        let predicted = lda.predict(sample.points()).unwrap();
        for (row, scores) in expected.chunks(3).enumerate() {
            let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
            assert_eq!(predicted[row] as usize, best);
        }
        let hits = predicted.iter().zip(sample.labels.codes()).filter(|(a, b)| a == b).count();
        let accuracy = lda.accuracy(sample.points(), sample.labels.codes()).unwrap();
        assert_eq!(accuracy, hits as f64 / sample.rows() as f64);
        assert_eq!((lda.classes(), lda.dimension()), (sample.labels.classes(), 3));
    }
}

/// The rule of a method pools all samples, and priors change the scores alone.
#[test]
fn priors_do_not_change_the_pooled_covariance_of_features() {
    let sample = Sample::draw(&[120, 30, 60], 3, 71);
    let naive = sample.naive();
    let means = naive.iter().flat_map(|(_, mean, _)| mean.clone()).collect();
    let likely = naive.iter().flat_map(|(count, _, covariance)| {
        covariance.iter().map(|entry| entry * (*count as f64 - 1.0) / *count as f64)
    });
    let gaussians = Gaussians::new(3, means, likely.collect()).unwrap();
    let (classes, counts) = (sample.labels.classes(), [120, 30, 60]);
    let build = |priors: Option<&[f64]>| {
        ClassifierKind::Linear.build(classes, &gaussians, Some(&counts), priors, None).unwrap()
    };
    for (given, priors) in [
        (None, [120.0 / 210.0, 30.0 / 210.0, 60.0 / 210.0]),
        (Some(&[1.0, 8.0, 1.0][..]), [0.1, 0.8, 0.1]),
    ] {
        let found = build(given).log_posteriors(sample.points()).unwrap();
        let expected = posteriors_of_rule(&sample, 0.0, &priors);
        assert!(worst(&found, &expected) <= CLOSE * largest(expected.iter().copied()));
    }
}

#[test]
fn every_kind_of_classifier_answers_as_its_own_type() {
    let sample = Sample::draw(&[40, 30], 2, 74);
    let naive = sample.naive();
    let means = naive.iter().flat_map(|(_, mean, _)| mean.clone()).collect();
    let covariances = naive.iter().flat_map(|(_, _, own)| own.clone()).collect();
    let gaussians = Gaussians::new(2, means, covariances).unwrap();
    let classes = sample.labels.classes();
    let build = |kind: ClassifierKind| {
        kind.build(classes, &gaussians, None, Some(&[0.4, 0.6]), None).unwrap()
    };
    let qda = Qda::of_features(classes, &gaussians, &[0.4, 0.6], None).unwrap();
    // Without counts, classes have equal weights.
    let lda = LdaClassifier::new(classes, &gaussians, &[0.5, 0.5], None).unwrap();
    let shift = (0.6_f64 / 0.4).ln();
    let quadratic = build(ClassifierKind::Quadratic).log_posteriors(sample.points()).unwrap();
    assert_eq!(quadratic, qda.log_posteriors(sample.points()).unwrap());
    let linear = build(ClassifierKind::Linear).log_posteriors(sample.points()).unwrap();
    let equal = lda.log_posteriors(sample.points()).unwrap();
    for (own, other) in linear.chunks(2).zip(equal.chunks(2)) {
        assert!((own[1] - own[0] - (other[1] - other[0]) - shift).abs() <= CLOSE * 100.0);
    }
    let names: Vec<_> = ["lda", "sqfa-h", "lda+refine"]
        .map(|name| name.parse::<Method>().unwrap().classifier().name())
        .into();
    assert_eq!(names, ["lda", "qda", "qda"]);
}

#[test]
fn equal_covariances_make_the_quadratic_classifier_linear() {
    let covariance = [2.0, 0.3, 0.3, 1.0];
    let gaussians =
        Gaussians::new(2, vec![0.0, 0.0, 1.0, -1.0], [covariance, covariance].concat()).unwrap();
    let classes = Classes::numbered(2);
    let points = normals(200, &mut stream(72));
    let points = Points::F64(Table::row_major(&points, 100, 2).unwrap());
    let qda = Qda::new(&classes, &gaussians, &[0.3, 0.7], None).unwrap();
    let lda = LdaClassifier::new(&classes, &gaussians, &[0.3, 0.7], None).unwrap();
    let (x, y) = (qda.log_posteriors(points).unwrap(), lda.log_posteriors(points).unwrap());
    assert!(worst(&x, &y) <= CLOSE);
}

#[test]
fn a_pooled_covariance_without_full_rank_is_an_error() {
    // Two classes of three points: four dimensions of spread at most, six features need more.
    let sample = Sample::draw(&[3, 3], 6, 73);
    let all = axes(6, &[0, 1, 2, 3, 4, 5]);
    let build = |filters: &sqfa::Mat<f64>, shrinkage| {
        LdaClassifier::from_statistics(&sample.statistics(), filters.as_ref(), Some(shrinkage))
    };
    let error = build(&all, 0.0).unwrap_err();
    assert!(matches!(error, ClassifierError::PooledSingular { .. }), "{error:?}");
    for part in ["pooled", "pivot", "fewer filters", "shrinkage"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    build(&all, 1e-3).unwrap();
    build(&axes(6, &[0, 2, 5]), 0.0).unwrap();
}

#[test]
fn neighbors_vote_as_defined() {
    let (training, tested) =
        (Sample::draw(&[90, 40, 70], 3, 74), Sample::draw(&[30, 30, 30], 3, 75));
    for neighbors in [1, 4, 5, 200] {
        let classes = training.labels.classes();
        let knn = Knn::new(classes, training.points(), training.labels.codes(), neighbors).unwrap();
        let (mut predicted, mut shares) = (Vec::new(), Vec::new());
        for row in 0..tested.rows() {
            let mut ranked: Vec<(f64, usize)> = (0..training.rows())
                .map(|other| {
                    let (x, y) = (tested.row(row), training.row(other));
                    (x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum(), other)
                })
                .collect();
            ranked.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let mut votes = [0.0; 3];
            for (_, other) in &ranked[..neighbors] {
                votes[training.labels.codes()[*other] as usize] += 1.0 / neighbors as f64;
            }
            let top = largest(votes);
            predicted.push(votes.iter().position(|&vote| vote >= top - 1e-9).unwrap() as u32);
            shares.extend(votes);
        }
        assert_eq!(knn.predict(tested.points()).unwrap(), predicted, "{neighbors} neighbors");
        assert!(worst(&knn.posteriors(tested.points()).unwrap(), &shares) < 1e-12);
        let hits = predicted.iter().zip(tested.labels.codes()).filter(|(a, b)| a == b).count();
        let accuracy = knn.accuracy(tested.points(), tested.labels.codes()).unwrap();
        assert_eq!(accuracy, hits as f64 / tested.rows() as f64);
    }
}

#[test]
fn ties_of_distance_go_to_the_earlier_point_and_of_votes_to_the_first_class() {
    let line = |values: &[u8]| -> Vec<u8> { values.to_vec() };
    let training = line(&[0, 2, 4, 6]);
    let points = Points::U8(Table::row_major(&training, 4, 1).unwrap());
    let predicted = |codes: [u32; 4], neighbors| {
        let query = [3.0_f32];
        let query = Points::F32(Table::row_major(&query, 1, 1).unwrap());
        Knn::new(&Classes::numbered(3), points, &codes, neighbors).unwrap().predict(query).unwrap()
            [0]
    };
    // 2 and 4 are equally near to 3: the earlier one counts.
    assert_eq!(predicted([0, 2, 1, 0], 1), 2);
    // One vote each: the first class of the two.
    assert_eq!(predicted([0, 2, 1, 0], 2), 1);
    // 0 and 6 are equally far: the third vote is that of 0.
    assert_eq!(predicted([1, 2, 1, 2], 3), 1);
}

#[test]
fn bits_of_the_votes_do_not_depend_on_threads() {
    let (training, tested) = (Sample::draw(&[1500, 900], 9, 76), Sample::draw(&[200, 200], 9, 77));
    let (singles, _) = training.singles();
    let points = Points::F32(Table::row_major(&singles, training.rows(), 9).unwrap());
    let classes = training.labels.classes();
    let shares = || {
        let knn = Knn::new(classes, points, training.labels.codes(), Knn::NEIGHBORS).unwrap();
        knn.posteriors(tested.points()).unwrap()
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(shares), pool(3).install(shares));
}

#[test]
fn bad_input_is_named() {
    let sample = Sample::draw(&[6, 6], 2, 78);
    let (classes, codes) = (sample.labels.classes(), sample.labels.codes());
    let knn = |points, codes: &[u32], neighbors| {
        Knn::new(classes, points, codes, neighbors).map(|_| ()).unwrap_err()
    };
    for neighbors in [0, 13] {
        let error = knn(sample.points(), codes, neighbors);
        assert_eq!(error, ClassifierError::Neighbors { neighbors, points: 12 });
        assert!(error.to_string().contains("at most 12"), "{error}");
    }
    let error = knn(sample.points(), &codes[1..], 1);
    assert_eq!(error, ClassifierError::Codes { codes: 11, points: 12 });
    let beyond = [0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0];
    let error = knn(sample.points(), &beyond, 1);
    assert_eq!(error, ClassifierError::UnknownCode { code: 2, row: 3, classes: 2 });
    let mut broken = sample.values.clone();
    broken[7] = f64::INFINITY;
    let broken = Points::F64(Table::row_major(&broken, 12, 2).unwrap());
    let hole = ClassifierError::NotFinite { row: 3, column: 1, value: f64::INFINITY };
    assert_eq!(knn(broken, codes, 1), hole);
    let empty = Points::F64(Table::row_major(&[], 0, 2).unwrap());
    assert_eq!(knn(empty, &[], 1), ClassifierError::Empty { points: 0, dimension: 2 });

    let knn = Knn::new(classes, sample.points(), codes, 3).unwrap();
    assert_eq!((knn.classes(), knn.dimension(), knn.neighbors()), (classes, 2, 3));
    assert_eq!(knn.predict(broken), Err(hole));
    let identity = axes(2, &[0, 1]);
    let qda = Qda::from_statistics(&sample.statistics(), identity.as_ref(), Some(0.1)).unwrap();
    let lda =
        LdaClassifier::from_statistics(&sample.statistics(), identity.as_ref(), Some(0.1)).unwrap();
    let wide = Points::F64(Table::row_major(&sample.values, 8, 3).unwrap());
    let refusal = ClassifierError::Dimension { given: 3, expected: 2 };
    assert!(refusal.to_string().contains("3 features, but the classifier expects 2"));
    for found in [knn.predict(wide), qda.predict(wide), lda.predict(wide)] {
        assert_eq!(found, Err(refusal.clone()));
    }
    for found in [knn.posteriors(wide), qda.log_posteriors(wide), lda.log_posteriors(wide)] {
        assert_eq!(found, Err(refusal.clone()));
    }
    let short = ClassifierError::Codes { codes: 3, points: 12 };
    for found in [
        knn.accuracy(sample.points(), &codes[..3]),
        qda.accuracy(sample.points(), &codes[..3]),
        lda.accuracy(sample.points(), &codes[..3]),
    ] {
        assert_eq!(found, Err(short.clone()));
    }
}

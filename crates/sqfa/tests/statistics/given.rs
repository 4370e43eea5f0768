//! Class statistics from the caller's matrices, and the rules for labels.

use sqfa::statistics::{GivenMatrices, Moments};
use sqfa::{ClassStatistics, Classes, Label, Labels};

use crate::common::diagonal;
use crate::problems::{entries, given, given_single, random_classes, worst};

#[test]
fn moments_are_stored_unchanged() {
    let classes = random_classes(5, 3, 91);
    let (double, single) = (given(&classes), given_single(&classes));
    for (class, normal) in classes.iter().enumerate() {
        assert_eq!(entries(&double, class), normal.covariance);
        let rounded: Vec<f64> =
            normal.covariance.iter().map(|&entry| f64::from(entry as f32)).collect();
        assert_eq!(entries(&single, class), rounded);
        let mean: Vec<f64> = double.means().col(class).iter().copied().collect();
        assert_eq!(mean, normal.mean);
    }
    assert_eq!(double.moments(), Moments::Central);
    assert_eq!(double.counts(), None);
    assert_eq!(double.shares(), [1.0 / 3.0; 3]);
    assert_eq!((double.bytes(), single.bytes()), (3 * 25 * 8, 3 * 25 * 4));
    let doubled = single.in_double_precision();
    assert!(doubled.covariances().iter().all(|covariance| !covariance.is_single()));
    assert_eq!(entries(&doubled, 1), entries(&single, 1));
}

#[test]
fn classes_are_weighted_by_counts() {
    let matrices = vec![diagonal(&[1.0, 3.0]), diagonal(&[5.0, 7.0])];
    let found = ClassStatistics::from_moments(
        Classes::Texts(vec!["a".into(), "b".into()]),
        Some(vec![30, 10]),
        &[0.0, 0.0, 4.0, 8.0],
        GivenMatrices::F64(matrices),
    )
    .unwrap();
    assert_eq!(found.shares(), [0.75, 0.25]);
    assert_eq!(found.total_mean(), [1.0, 2.0]);
    // (¾·(1 + 3) + ¼·(5 + 7)) / 2
    assert_eq!(found.noise_scale(), 3.0);
    assert_eq!(found.classes().label(1), Label::Text("b".into()));
}

#[test]
fn borrowed_and_owned_matrices_give_equal_results() {
    for n in [1, 5, 63, 64, 65, 130] {
        let classes = random_classes(n, 2, 7);
        let matrices: Vec<Vec<f64>> = classes.iter().map(|own| own.covariance.clone()).collect();
        let singles: Vec<Vec<f32>> =
            matrices.iter().map(|own| own.iter().map(|&value| value as f32).collect()).collect();
        let means = vec![0.0; 2 * n];
        let made = |given: GivenMatrices<'_>| {
            ClassStatistics::from_moments(Classes::numbered(2), None, &means, given)
        };
        let double = made(GivenMatrices::BorrowedF64(matrices.iter().map(Vec::as_slice).collect()));
        let single = made(GivenMatrices::BorrowedF32(singles.iter().map(Vec::as_slice).collect()));
        let (double, single) = (double.unwrap(), single.unwrap());
        // Only one triangle is stored, and it equals that of the owned matrix.
        assert_eq!(double.bytes(), 8 * n * (n + 1));
        let owned = [
            made(GivenMatrices::F64(matrices.clone())).unwrap(),
            made(GivenMatrices::F32(singles)).unwrap(),
        ];
        for class in 0..2 {
            assert_eq!(entries(&double, class), entries(&owned[0], class), "{n}");
            assert_eq!(entries(&single, class), entries(&owned[1], class), "{n}");
        }
        // An error in the last row is found as well.
        let mut wrong = matrices;
        wrong[1][n * n - 1] = f64::NAN;
        let borrowed = made(GivenMatrices::BorrowedF64(wrong.iter().map(Vec::as_slice).collect()));
        let borrowed = borrowed.unwrap_err();
        let owned = made(GivenMatrices::F64(wrong)).unwrap_err();
        assert_eq!(borrowed.to_string(), owned.to_string());
    }
}

#[test]
fn second_moments_alone_have_no_means() {
    let matrices = vec![diagonal(&[1.0, 2.0]), diagonal(&[2.0, 1.0])];
    let found = ClassStatistics::from_second_moments(
        Classes::numbered(2),
        Some(vec![5, 9]),
        2,
        GivenMatrices::F64(matrices.clone()),
    )
    .unwrap();
    assert_eq!(found.moments(), Moments::Second);
    assert_eq!(found.counts(), Some([5, 9].as_slice()));
    assert_eq!((found.dimension(), entries(&found, 1)), (2, matrices[1].clone()));
    assert!(
        found.means().col(0).iter().chain(found.means().col(1).iter()).all(|&mean| mean == 0.0)
    );
}

#[test]
fn round_off_in_matrices_is_accepted() {
    let mut classes = random_classes(4, 2, 92);
    let exact = classes[1].covariance.clone();
    // Round-off of another program in single precision: entries differ slightly from their mirror images.
    classes[1].covariance[1] *= 1.0 + 1e-6;
    let found = given(&classes);
    assert!(worst(&entries(&found, 1), &exact) <= 1e-5);
    // A matrix of rank 1 whose smallest eigenvalues are 0 up to round-off.
    let line = [0.1, 0.7, -0.3, 0.9];
    classes[0].covariance = (0..16).map(|at| line[at / 4] * line[at % 4]).collect();
    given_single(&classes);
}

#[test]
fn labels_are_integers_if_all_texts_represent_integers() {
    let texts = |labels: &[&str]| Labels::from_texts(labels);
    assert_eq!(texts(&["10", "9", "-3", "9"]).classes(), &Classes::Integers(vec![-3, 9, 10]));
    assert_eq!(texts(&["10", "9", "-3", "9"]).codes(), [2, 1, 0, 1]);
    // One label that is not an integer turns all labels to text, in byte order.
    for odd in ["9.5", "1e3", "", "cat", "9223372036854775808", "é"] {
        let labels = texts(&["10", "9", odd]);
        let mut expected = vec!["10".to_owned(), "9".to_owned(), odd.to_owned()];
        expected.sort();
        assert_eq!(labels.classes(), &Classes::Texts(expected), "{odd}");
    }
    assert_eq!(texts(&["Zebra", "apple", "zebra"]).codes(), [0, 1, 2]);
}

#[test]
fn floating_point_labels_must_be_whole() {
    assert_eq!(
        Labels::from_floats(&[2.0, -1.0, 2.0, -0.0]).unwrap().classes(),
        &Classes::Integers(vec![-1, 0, 2])
    );
    for bad in [0.5, f64::NAN, f64::INFINITY, 1e300] {
        let message = Labels::from_floats(&[0.0, 1.0, bad]).unwrap_err().to_string();
        let value = format!("label {bad} in row 2");
        assert!(message.contains(&value) && message.contains("integer or text"), "{message}");
    }
}

#[test]
fn codes_must_name_a_class() {
    let classes = Classes::numbered(3);
    let labels = Labels::from_codes(classes.clone(), vec![2, 0, 2]).unwrap();
    assert_eq!(labels.counts(), [1, 0, 2]);
    assert_eq!((labels.len(), labels.is_empty()), (3, false));
    assert_eq!(Labels::from_codes(classes, vec![3]), None);
}

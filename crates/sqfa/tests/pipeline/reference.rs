//! The accuracies that the held-out accuracy of a fit is compared with, against a cross-validation written out here.

use sqfa::classify::LdaClassifier;
use sqfa::optimize::Control;
use sqfa::pipeline::{Labeled, Parts, Plan};
use sqfa::reduce::{Choice, Lda, Reducer, Training};
use sqfa::transform::transform;
use sqfa::{ClassStatistics, Labels};

use crate::honest::pure_noise;
use crate::{Data, recipe, three_classes};

const ROWS: usize = 240;

/// The held-out accuracies of LDA and of the most frequent class over the folds of a fit.
fn written_out(data: &Data) -> (f64, f64) {
    let labels = Labels::from_integers(&data.labels);
    let samples = Labeled::new(data.points(), &labels);
    let parts = Parts::new(samples, Plan::for_points(ROWS as u64), 0).unwrap();
    let (mut lda, mut majority) = (0, 0);
    for &fold in parts.folds() {
        let (held, learned) = (parts.rows(fold), parts.leave_out(fold).learned());
        let (train, test) = (data.picked(&learned), data.picked(&held));
        let statistics: ClassStatistics = train.statistics();
        let method = Lda { shrinkage: Choice::Value(0.0), ..Lda::default() };
        let training = Training::from_statistics(&statistics);
        let fitted = method.fit_one(&training, 2, &mut |_| Control::Continue).unwrap();
        let filters = fitted.filters.as_ref();
        let classifier = LdaClassifier::from_statistics(&statistics, filters, None).unwrap();
        let features = transform(test.points(), filters, None);
        let predicted = classifier.predict(features.as_points(2)).unwrap();
        let largest = (0..3)
            .rev()
            .max_by_key(|class| train.labels.iter().filter(|&&label| label == *class).count());
        for (class, &label) in predicted.iter().zip(&test.labels) {
            lda += usize::from(i64::from(*class) == label);
            majority += usize::from(largest == Some(label));
        }
    }
    (lda as f64 / ROWS as f64, majority as f64 / ROWS as f64)
}

#[test]
fn reference_accuracies_are_those_of_a_cross_validation() {
    let all = three_classes(360, 3);
    // One class is twice as frequent as the others.
    let rows: Vec<usize> = (0..360).filter(|&row| all.labels[row] == 0 || row % 2 == 0).collect();
    let data = all.picked(&rows);
    assert_eq!(data.rows(), ROWS);
    let found = data.fit(&recipe("sqfa", 2)).unwrap().record.selection.unwrap();
    let (reference, (lda, majority)) = (found.reference.unwrap(), written_out(&data));
    assert_eq!(reference.majority, majority);
    // Within-class scaling shrinks the pooled covariance a little, so one sample may be classified differently.
    assert!((reference.lda.unwrap() - lda).abs() * ROWS as f64 <= 1.01, "{reference:?} {lda}");
    assert!(lda > majority + 0.1, "{lda} {majority}");
}

#[test]
fn many_columns_have_reference_accuracies_on_their_own_components() {
    let data = pure_noise(90, 300, 2);
    let found = data.fit(&recipe("sqfa", 2)).unwrap().record.selection.unwrap();
    let lda = found.reference.unwrap().lda.unwrap();
    // Chance is 50 %, with a standard error of 5 %.
    assert!((lda - 0.5).abs() < 0.2, "{lda}");
}

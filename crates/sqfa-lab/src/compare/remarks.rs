//! Warnings about data that may make a comparison misleading.

use sqfa::points::Scalar;
use sqfa::{Table, with_table};

use sqfa_io::data::LabeledData;

/// The ratio between the largest and the smallest class from which classes are reported as
/// unbalanced.
const UNBALANCED: u64 = 10;
/// The number of test samples of a class below which a warning is reported.
const FEW_TESTS: u64 = 20;
/// The number of names that a message lists.
const LISTED: usize = 4;

/// Returns warnings about the data.
pub(super) fn remarks(data: &LabeledData) -> Vec<String> {
    let mut remarks = Vec::new();
    let labels = &data.train.labels;
    let (counts, n) = (labels.counts(), data.train.points.columns());
    let named = |classes: &[usize], counts: &[u64]| {
        let one = |&k: &usize| format!("'{}' with {}", labels.classes().label(k), counts[k]);
        let shown: Vec<String> = classes.iter().take(LISTED).map(one).collect();
        shown.join(", ") + if classes.len() > LISTED { ", …" } else { "" }
    };
    let below = |counts: &[u64], limit: u64| -> Vec<usize> {
        (0..counts.len()).filter(|&k| counts[k] < limit).collect()
    };
    let few = below(&counts, n as u64 + 1);
    if !few.is_empty() {
        remarks.push(format!(
            "{} of {} classes have no more points than the {n} dimensions, so their covariances are singular: {}; \
             methods with feature noise cope, and noise is chosen on held-out points",
            few.len(),
            counts.len(),
            named(&few, &counts),
        ));
    }
    let by_count = |k: &usize| counts[*k];
    if let (Some(most), Some(least)) =
        ((0..counts.len()).max_by_key(by_count), (0..counts.len()).min_by_key(by_count))
        && counts[most] >= UNBALANCED.saturating_mul(counts[least].max(1))
    {
        remarks.push(format!(
            "classes are strongly unbalanced ({}): accuracy is dominated by large classes",
            named(&[most, least], &counts),
        ));
    }
    if let Some(test) = &data.test {
        let tests = test.labels.counts();
        let few = below(&tests, FEW_TESTS);
        if !few.is_empty() {
            remarks.push(format!(
                "{} classes have fewer than {FEW_TESTS} test points ({}): their own accuracies are rough",
                few.len(),
                named(&few, &tests),
            ));
        }
    }
    let constant = with_table!(data.train.points.view(), table => constant_columns(&table));
    if constant > 0 {
        remarks.push(format!("{constant} of {n} features are constant in the training samples"));
    }
    remarks
}

/// Returns the number of columns with a single value.
fn constant_columns<S: Scalar>(table: &Table<'_, S>) -> usize {
    let mut open: Vec<usize> = (0..table.columns()).collect();
    for row in 1..table.rows() {
        open.retain(|&column| {
            table.get(row, column).to_f64().to_bits() == table.get(0, column).to_f64().to_bits()
        });
        if open.is_empty() {
            break;
        }
    }
    open.len()
}

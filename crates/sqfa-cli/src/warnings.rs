//! What a user should know about the data before trusting a fit.

use sqfa::{Classes, MatRef};

/// Classes are strongly unbalanced when the largest has this many times the points of the smallest.
const UNBALANCED: u64 = 10;
/// Filters with a larger |cosine| see the same thing.
const PARALLEL: f64 = 0.999;
/// How many names a message lists.
const LISTED: usize = 4;

/// Warnings about the points of every class, in words a user can act on.
///
/// `dimension` is that of the covariances, or `None` if they are shrunk, so that few samples do no harm; `noise` is whether
/// some noise is added to them, and `filters` how many there are at least.
pub(crate) fn about(
    classes: &Classes,
    counts: &[u64],
    dimension: Option<usize>,
    noise: bool,
    filters: usize,
) -> Vec<String> {
    let few = dimension.and_then(|n| few_samples(classes, counts, n, noise, filters));
    few.into_iter().chain(unbalanced(classes, counts)).collect()
}

/// A warning when two filters nearly coincide, as they do when noise hides what another one could add.
///
/// `helps` are the flags that could, as a phrase each: what was just tried is not among them.
pub(crate) fn about_filters(filters: MatRef<'_, f64>, helps: &[&str]) -> Option<String> {
    let inner = |a: usize, b: usize| -> f64 {
        (0..filters.nrows()).map(|i| filters[(i, a)] * filters[(i, b)]).sum()
    };
    let pairs = (0..filters.ncols()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let cosine = |(a, b)| inner(a, b).abs() / (inner(a, a) * inner(b, b)).sqrt();
    let (a, b) = pairs.into_iter().find(|&pair| cosine(pair) > PARALLEL)?;
    Some(format!(
        "filters {} and {} nearly coincide: against this noise another copy helps more than a new \
         direction; {}",
        a + 1,
        b + 1,
        helps.join(", or ")
    ))
}

/// The flags that help against singular covariances of classes with few samples: --pca-dims only if that leaves room for the
/// filters.
pub(crate) fn against_few_samples(counts: &[u64], filters: usize) -> String {
    let most = counts.iter().min().map_or(0, |&least| least.saturating_sub(1));
    match most >= filters.max(1) as u64 {
        true => format!("--covariance-estimator oas or --pca-dims {most}"),
        false => "--covariance-estimator oas".to_owned(),
    }
}

fn few_samples(
    classes: &Classes,
    counts: &[u64],
    n: usize,
    noise: bool,
    filters: usize,
) -> Option<String> {
    let few: Vec<usize> = (0..counts.len()).filter(|&k| counts[k] <= n as u64).collect();
    if few.is_empty() {
        return None;
    }
    let name = |&k: &usize| format!("'{}' with {}", classes.label(k), counts[k]);
    let listed = list(few.iter().map(name), few.len());
    let helps = against_few_samples(counts, filters);
    let advice = match noise {
        true => format!("the noise makes up for that, but {helps} may be more accurate"),
        false => format!("leave out --noise 0, or use {helps}"),
    };
    Some(format!(
        "{} of {} classes have no more samples than the {n} dimensions, so their covariances are \
         singular: {listed}; {advice}",
        few.len(),
        counts.len(),
    ))
}

fn unbalanced(classes: &Classes, counts: &[u64]) -> Option<String> {
    let by_count = |k: &usize| counts[*k];
    let most = (0..counts.len()).max_by_key(by_count)?;
    let least = (0..counts.len()).min_by_key(by_count)?;
    (counts[most] >= UNBALANCED.saturating_mul(counts[least].max(1))).then(|| {
        let label = |k| classes.label(k);
        format!(
            "classes are strongly unbalanced: '{}' has {} points and '{}' {}; every pair of classes \
             counts the same in the fit, and accuracy is dominated by large classes",
            label(most),
            counts[most],
            label(least),
            counts[least],
        )
    })
}

fn list(names: impl Iterator<Item = String>, count: usize) -> String {
    let shown = names.take(LISTED).collect::<Vec<_>>().join(", ");
    if count > LISTED { format!("{shown}, …") } else { shown }
}

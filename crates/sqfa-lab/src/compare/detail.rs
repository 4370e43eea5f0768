//! The data for a detailed report on one model, computed from the model and its test samples.

use sqfa::reduce::Trial;
use sqfa::transform::Features;
use sqfa::{Gaussians, MatRef};

use super::Numbers;
use super::record::{Detail, Sample};

/// The number of test samples whose features are stored for a scatter plot.
const SAMPLE: usize = 1500;

impl Detail {
    /// Collects the filters and the training classes in feature space (covariances with divisor N).
    /// If there are test samples, their features, true classes and predicted classes are added.
    pub fn new(
        filters: MatRef<'_, f64>,
        gaussians: &Gaussians,
        tested: Option<(&Features, &[u32], &[u32])>,
        trials: &[Trial],
    ) -> Self {
        let (n, m, classes) = (filters.nrows(), filters.ncols(), gaussians.len());
        let entries = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
        let (confusion, sample) = match tested {
            Some((features, truth, guess)) => {
                (confusion(truth, guess, classes), sample(features, truth, guess, m, classes))
            }
            None => (Vec::new(), Sample::default()),
        };
        Self {
            weights: Numbers::of(entries.map(|at| filters[at])),
            means: Numbers::of((0..classes).flat_map(|k| gaussians.mean(k).to_vec())),
            covariances: Numbers::of((0..classes).flat_map(|k| gaussians.covariance(k).to_vec())),
            confusion,
            sample,
            trials: trials.to_vec(),
            deviations: Numbers::default(),
        }
    }
}

fn confusion(truth: &[u32], guess: &[u32], classes: usize) -> Vec<u64> {
    let mut counts = vec![0; classes * classes];
    for (&truth, &guess) in truth.iter().zip(guess) {
        counts[truth as usize * classes + guess as usize] += 1;
    }
    counts
}

fn sample(features: &Features, truth: &[u32], guess: &[u32], m: usize, classes: usize) -> Sample {
    let rows = spread(truth, classes);
    let value = |at: usize| match features {
        Features::F32(values) => f64::from(values[at]),
        Features::F64(values) => values[at],
    };
    let places = rows.iter().flat_map(|&row| row * m..(row + 1) * m);
    Sample {
        features: Numbers::of(places.map(value)),
        truth: rows.iter().map(|&row| truth[row]).collect(),
        guess: rows.iter().map(|&row| guess[row]).collect(),
    }
}

/// Returns the rows of a sample with about the same number of samples per class, evenly spaced.
fn spread(truth: &[u32], classes: usize) -> Vec<usize> {
    let share = (SAMPLE / classes.max(1)).max(1);
    let mut rows = Vec::new();
    for class in 0..classes {
        let own: Vec<usize> =
            (0..truth.len()).filter(|&row| truth[row] as usize == class).collect();
        let kept = own.len().min(share);
        rows.extend((0..kept).map(|k| own[k * own.len() / kept]));
    }
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_favor_no_class() {
        let truth: Vec<u32> = (0..100_000).map(|row| u32::from(row % 100 == 0)).collect();
        let rows = spread(&truth, 2);
        let small = rows.iter().filter(|&&row| truth[row] == 1).count();
        assert_eq!((rows.len(), small), (SAMPLE, SAMPLE / 2));
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_detail_keeps_rows_with_their_features_and_counts_confusions() {
        let filters = sqfa::Mat::from_fn(3, 2, |i, j| (10 * i + j) as f64);
        let gaussians = Gaussians::new(2, vec![0.0; 4], [1.0, 0.0, 0.0, 1.0].repeat(2)).unwrap();
        let features = Features::F64((0..8).map(f64::from).collect());
        let tested = Some((&features, &[0, 1, 1, 0][..], &[0, 1, 0, 0][..]));
        let detail = Detail::new(filters.as_ref(), &gaussians, tested, &[]);
        assert_eq!(detail.weights.0, [0.0, 1.0, 10.0, 11.0, 20.0, 21.0]);
        assert_eq!(detail.confusion, [2, 0, 1, 1]);
        assert_eq!(detail.sample.features.0, (0..8).map(|v| v as f32).collect::<Vec<_>>());
        assert_eq!(
            (detail.sample.truth, detail.sample.guess),
            (vec![0, 1, 1, 0], vec![0, 1, 0, 0])
        );
    }
}

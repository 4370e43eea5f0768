//! Tests that compare inverse regression with its definitions, in coordinates with a known total
//! covariance and after linear maps.

use super::*;
use crate::labels::Classes;
use crate::linalg::random;
use crate::statistics::GivenMatrices;

/// Tolerance for eigenvectors with gaps of 0.1 and more, after a few hundred roundings.
const SAME: f64 = 1e-9;

/// Two classes of equal size whose total covariance is I: E[zzᵀ|k] = I ± D with D symmetric, and
/// means ±m.
struct Whitened {
    order: usize,
    means: [Vec<f64>; 2],
    covariances: [Mat<f64>; 2],
}

impl Whitened {
    fn new(order: usize, seed: u64) -> Self {
        let drawn = random(order, order, seed, 0);
        let size = drawn.norm_l2();
        let differs =
            Mat::from_fn(order, order, |i, j| 0.5 * (drawn[(i, j)] + drawn[(j, i)]) / size);
        let mean: Vec<f64> =
            (0..order).map(|i| 0.4 * random(order, 1, seed, 1)[(i, 0)] / order as f64).collect();
        let covariance = |sign: f64| {
            Mat::from_fn(order, order, |i, j| {
                f64::from(u8::from(i == j)) + sign * differs[(i, j)] - mean[i] * mean[j]
            })
        };
        let covariances = [covariance(1.0), covariance(-1.0)];
        let other = mean.iter().map(|x| -x).collect();
        Self { order, means: [mean, other], covariances }
    }

    /// Returns the statistics of Gx. The covariances contain noise of the given variance.
    fn through(&self, map: &Mat<f64>, noise: f64) -> ClassStatistics {
        let n = map.nrows();
        let mean = |mean: &Vec<f64>| -> Vec<f64> {
            (0..n).map(|i| (0..self.order).map(|j| map[(i, j)] * mean[j]).sum()).collect()
        };
        let means: Vec<f64> = self.means.iter().flat_map(mean).collect();
        let covariances = self.covariances.iter().map(|covariance| {
            let seen = map * covariance * map.transpose();
            let at = |k: usize| seen[(k / n, k % n)] + if k / n == k % n { noise } else { 0.0 };
            (0..n * n).map(at).collect()
        });
        let matrices = GivenMatrices::F64(covariances.collect());
        ClassStatistics::from_moments(Classes::numbered(2), None, &means, matrices).unwrap()
    }

    fn moment(&self, class: usize) -> Mat<f64> {
        let (mean, covariance) = (&self.means[class], &self.covariances[class]);
        Mat::from_fn(self.order, self.order, |i, j| covariance[(i, j)] + mean[i] * mean[j])
    }

    /// Returns Σ_kl π_kπ_l (2I − E[(z−z̃)(z−z̃)ᵀ | k, l])², directional regression as it is defined
    /// over pairs.
    fn over_pairs(&self) -> Mat<f64> {
        let mut sum = Mat::zeros(self.order, self.order);
        for k in 0..2 {
            for l in 0..2 {
                let (first, second) = (self.moment(k), self.moment(l));
                let rest = Mat::from_fn(self.order, self.order, |i, j| {
                    let crossed =
                        self.means[k][i] * self.means[l][j] + self.means[l][i] * self.means[k][j];
                    2.0 * f64::from(u8::from(i == j)) - first[(i, j)] - second[(i, j)] + crossed
                });
                sum += 0.25 * (&rest * &rest);
            }
        }
        sum
    }

    /// Returns Σ_k π_k (I − cov(z|k))².
    fn average_variance(&self) -> Mat<f64> {
        let mut sum = Mat::zeros(self.order, self.order);
        for covariance in &self.covariances {
            let rest = Mat::<f64>::identity(self.order, self.order) - covariance;
            sum += 0.5 * (&rest * &rest);
        }
        sum
    }
}

fn leading(matrix: &Mat<f64>, count: usize) -> Mat<f64> {
    let (_, vectors) = symmetric_eigen(matrix.as_ref()).unwrap();
    let order = matrix.nrows();
    Mat::from_fn(order, count, |i, j| vectors[(i, order - 1 - j)])
}

fn assert_same_columns(found: &Mat<f64>, expected: &Mat<f64>) {
    let expected = with_fixed_signs(with_unit_length(expected.clone()));
    let gap = (found - expected).norm_max();
    assert!(gap < SAME, "{gap:e}");
}

#[test]
fn in_whitened_coordinates_filters_are_eigenvectors_of_the_definition() {
    for seed in 0..5 {
        let problem = Whitened::new(6, seed);
        let statistics = problem.through(&Mat::identity(6, 6), 0.0);
        let save = InverseRegression::Save.filters(&statistics, 0.0, 3).unwrap();
        assert_same_columns(&save, &leading(&problem.average_variance(), 3));
        let directional = InverseRegression::Directional.filters(&statistics, 0.0, 3).unwrap();
        assert_same_columns(&directional, &leading(&problem.over_pairs(), 3));
    }
}

#[test]
fn a_linear_map_of_the_data_changes_filters_by_its_inverse() {
    let problem = Whitened::new(5, 7);
    // A lower triangular map, inverted by forward substitution.
    let map = Mat::from_fn(5, 5, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal => 1.0 + i as f64,
        std::cmp::Ordering::Greater => random(5, 5, 8, 0)[(i, j)],
        std::cmp::Ordering::Less => 0.0,
    });
    for kind in InverseRegression::ALL {
        let plain = kind.filters(&problem.through(&Mat::identity(5, 5), 0.0), 0.0, 2).unwrap();
        let seen = kind.filters(&problem.through(&map, 0.0), 0.0, 2).unwrap();
        assert_same_columns(&with_fixed_signs(with_unit_length(map.transpose() * &seen)), &plain);
    }
}

#[test]
fn noise_is_a_variance_in_every_direction() {
    let problem = Whitened::new(5, 9);
    let map = random(5, 5, 10, 0);
    for kind in InverseRegression::ALL {
        let given = kind.filters(&problem.through(&map, 0.0), 0.3, 3).unwrap();
        let inside = kind.filters(&problem.through(&map, 0.3), 0.0, 3).unwrap();
        assert_same_columns(&given, &inside);
    }
}

#[test]
fn equal_covariances_leave_directional_regression_the_means() {
    let mean = [0.8, 0.0, -0.3];
    let means: Vec<f64> = mean.iter().copied().chain(mean.iter().map(|x| -x)).collect();
    let identity = || (0..9).map(|k| f64::from(u8::from(k / 3 == k % 3))).collect();
    let matrices = GivenMatrices::F64(vec![identity(), identity()]);
    let statistics =
        ClassStatistics::from_moments(Classes::numbered(2), None, &means, matrices).unwrap();
    let found = InverseRegression::Directional.filters(&statistics, 0.0, 1).unwrap();
    assert_same_columns(&found, &Mat::from_fn(3, 1, |i, _| mean[i]));
}

#[test]
fn directions_without_variance_are_not_filters() {
    let problem = Whitened::new(3, 11);
    let map = Mat::from_fn(5, 3, |i, j| random(5, 3, 12, 0)[(i, j)]);
    let statistics = problem.through(&map, 0.0);
    for kind in InverseRegression::ALL {
        assert_eq!(kind.filters(&statistics, 0.0, 3).unwrap().ncols(), 3);
        let error = kind.filters(&statistics, 0.0, 4).unwrap_err();
        assert_eq!(error, FitError::Rank { method: kind.name(), filters: 4, rank: 3 });
        assert_eq!(kind.filters(&statistics, 0.1, 4).unwrap().ncols(), 4);
    }
}

//! Claims about formulas and about cost.

use std::time::Instant;

use sqfa::distance::mean_distance;
use sqfa::statistics::GivenMatrices;
use sqfa::statistics::project;
use sqfa::{ClassStatistics, Classes, Distance, Gaussians, Mat};

use super::Claim;
use crate::PaperError;
use crate::figures::distance;
use sqfa_io::datasets::matrix::{normal, stream};

/// The distances, their weights in the paper's words and to the digits of closed forms.
const WEIGHTS: [(&str, f64); 3] =
    [("bhattacharyya", 64.0), ("fisher-rao", 5.0), ("hellinger", 3.0)];
/// A slope may exceed its exponent by this much: over a small grid caches and the width of vectors bend it.
const SLACK: f64 = 0.5;

/// Timings of which the shortest counts.
const TIMINGS: usize = 3;

/// Pairs at Mahalanobis distances 1 and 8 weigh 1:64, 1:5 and 1:3.
pub(super) fn pair_weights() -> Result<Claim, PaperError> {
    let mut measured = Vec::new();
    let mut holds = true;
    for (name, stated) in WEIGHTS {
        let at = |d: f64| distance(name, [&[0.0], &[d]], [&[1.0], &[1.0]]);
        let (near, far) = (at(1.0)?, at(8.0)?);
        measured.push((format!("{name} at 1"), near));
        measured.push((format!("{name} at 8"), far));
        measured.push((format!("{name} weight"), far / near));
        holds &= (far / near).round() == stated;
    }
    Ok(Claim {
        name: "pair-weights".into(),
        place: "formulas".into(),
        statement: "Pairs of classes at Mahalanobis distances 1 and 8 weigh 1:64 for Bhattacharyya, 1:5 for Fisher–Rao and 1:3 for Hellinger.".into(),
        measured,
        rule: "the quotients round to 64, 5 and 3".into(),
        holds,
    })
}

/// A step costs c²m³ + cmn²: the two parts are timed on their own and their slopes fitted.
pub(super) fn cost() -> Result<Claim, PaperError> {
    // One thread: how long two of them take depends on what else the machine does.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|error| PaperError::numbers("cost", error))?;
    let (projection, pairs) = one.install(|| (projection_slopes(TIMINGS), pair_slopes(TIMINGS)));
    let (projection, pairs) = (projection?, pairs?);
    let [n, m, c] = projection;
    let [pair_m, pair_c] = pairs;
    let measured = vec![
        ("projection: slope in n".to_owned(), n),
        ("in m".to_owned(), m),
        ("in c".to_owned(), c),
        ("distances and gradients: slope in m".to_owned(), pair_m),
        ("in c".to_owned(), pair_c),
    ];
    let within = |slope: f64, exponent: f64| slope <= exponent + SLACK;
    Ok(Claim {
        name: "cost".into(),
        place: "random classes".into(),
        statement: "A step costs O(c²m³ + cmn²).".into(),
        measured,
        rule: format!(
            "slopes of logarithms of seconds on one thread at most 2, 1, 1 and 3, 2, by no more than {SLACK} above"
        ),
        holds: within(n, 2.0)
            && within(m, 1.0)
            && within(c, 1.0)
            && within(pair_m, 3.0)
            && within(pair_c, 2.0),
    })
}

/// Short work is timed for so many seconds a repeat, so that some of its runs are undisturbed.
const SECONDS: f64 = 0.02;

/// The shortest of several timings.
fn shortest(repeats: usize, mut work: impl FnMut()) -> f64 {
    let (mut least, mut sum, mut runs) = (f64::INFINITY, 0.0, 0);
    while runs < repeats.max(1) || sum < SECONDS * repeats as f64 {
        let began = Instant::now();
        work();
        let seconds = began.elapsed().as_secs_f64();
        (least, sum, runs) = (least.min(seconds), sum + seconds, runs + 1);
    }
    least
}

/// Slopes in n, m and c of projecting class covariances, all of them larger than caches.
fn projection_slopes(repeats: usize) -> Result<[f64; 3], PaperError> {
    let (mut rows, mut seconds) = (Vec::new(), Vec::new());
    for n in [640_usize, 960, 1280] {
        for c in [3_usize, 6] {
            let statistics = random_statistics(n, c)?;
            for m in [8_usize, 16, 32] {
                let filters = Mat::from_fn(n, m, |i, j| ((i * 31 + j * 17) as f64).sin());
                let time = shortest(repeats, || {
                    std::hint::black_box(project(&statistics, filters.as_ref(), 0.0));
                });
                rows.push([n, m, c].map(|size| (size as f64).ln()).to_vec());
                seconds.push(time.ln());
            }
        }
    }
    let slopes = slopes(&rows, &seconds);
    Ok([slopes[0], slopes[1], slopes[2]])
}

/// Slopes in m and c of the mean Calvo–Oller distance and its gradient.
fn pair_slopes(repeats: usize) -> Result<[f64; 2], PaperError> {
    let fail = |error: &dyn std::fmt::Display| PaperError::numbers("cost", error);
    let distance = Distance::named("calvo-oller").map_err(|error| fail(&error))?;
    let (mut rows, mut seconds) = (Vec::new(), Vec::new());
    for m in [8_usize, 16, 32] {
        for c in [10_usize, 20, 40] {
            let mut means = Vec::new();
            let mut covariances = Vec::new();
            for class in 0..c {
                let (mean, covariance) = random_gaussian(m, class as u64);
                means.extend(mean);
                covariances.extend(covariance);
            }
            let own = Gaussians::new(m, means, covariances).map_err(|error| fail(&error))?;
            mean_distance(&distance, &own).map_err(|error| fail(&error))?;
            let time = shortest(repeats, || {
                std::hint::black_box(mean_distance(&distance, &own).is_ok());
            });
            rows.push([m, c].map(|size| (size as f64).ln()).to_vec());
            seconds.push(time.ln());
        }
    }
    let slopes = slopes(&rows, &seconds);
    Ok([slopes[0], slopes[1]])
}

/// A mean and a covariance I + ¼ZZᵀ/m with normal numbers Z.
fn random_gaussian(m: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(seed, 7);
    let mean = (0..m).map(|_| 0.3 * normal(&mut rng)).collect();
    let z: Vec<f64> = (0..m * m).map(|_| normal(&mut rng)).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = (0..m).map(|k| z[i * m + k] * z[j * m + k]).sum();
        0.25 * product / m as f64 + if i == j { 1.0 } else { 0.0 }
    };
    (mean, (0..m * m).map(|at| entry(at / m, at % m)).collect())
}

/// Symmetric matrices without structure: how long they take does not depend on their entries.
fn random_statistics(n: usize, c: usize) -> Result<ClassStatistics, PaperError> {
    let matrix = |class: usize| -> Vec<f64> {
        let entry = |i: usize, j: usize| ((i + j + class) as f64).cos() / n as f64;
        (0..n * n)
            .map(|at| entry(at / n, at % n) + if at % (n + 1) == 0 { 1.0 } else { 0.0 })
            .collect()
    };
    let matrices = GivenMatrices::F64((0..c).map(matrix).collect());
    ClassStatistics::from_moments(Classes::numbered(c), None, &vec![0.0; c * n], matrices)
        .map_err(|error| PaperError::numbers("cost", error))
}

/// Least-squares slopes of values over rows, a constant included: normal equations by elimination.
fn slopes(rows: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    let mean = |pick: &dyn Fn(usize) -> f64| {
        (0..rows.len()).map(pick).sum::<f64>() / rows.len().max(1) as f64
    };
    let centers: Vec<f64> = (0..width).map(|k| mean(&|at| rows[at][k])).collect();
    let center = mean(&|at| values[at]);
    let mut system = vec![vec![0.0; width + 1]; width];
    for (row, value) in rows.iter().zip(values) {
        for i in 0..width {
            let x = row[i] - centers[i];
            for j in 0..width {
                system[i][j] += x * (row[j] - centers[j]);
            }
            system[i][width] += x * (value - center);
        }
    }
    // Grids are balanced, so the matrix is diagonally dominant and needs no pivots.
    for pivot in 0..width {
        for row in 0..width {
            if row != pivot {
                let factor = system[row][pivot] / system[pivot][pivot];
                for column in 0..=width {
                    let other = system[pivot][column];
                    system[row][column] -= factor * other;
                }
            }
        }
    }
    (0..width).map(|k| system[k][width] / system[k][k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_a_plane_are_found() {
        let rows: Vec<Vec<f64>> = (0..12)
            .map(|at| vec![f64::from(at % 3), f64::from(at % 4), f64::from(at * at % 5)])
            .collect();
        let values: Vec<f64> = rows.iter().map(|r| 5.0 + 2.0 * r[0] - r[1] + 0.5 * r[2]).collect();
        for (found, exact) in slopes(&rows, &values).iter().zip([2.0, -1.0, 0.5]) {
            assert!((found - exact).abs() < 1e-12, "{found}");
        }
    }

    #[test]
    fn weights_are_those_of_the_closed_forms() {
        let claim = pair_weights().unwrap();
        assert!(claim.holds);
        // d²/8, √2 arccosh(1 + d²/4) and √(1 − exp(−d²/8)), worked out elsewhere.
        let closed = [0.125, 8.0, 64.0, 0.9803, 4.9858, 5.09, 0.3428, 0.9998, 2.92];
        for ((name, value), exact) in claim.measured.iter().zip(closed) {
            assert!((value - exact).abs() < 0.005, "{name}: {value}");
        }
    }
}

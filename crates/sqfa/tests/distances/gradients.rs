//! Derivatives against Taylor's theorem: the remainder of the linear model falls as the step squared.

use rand_chacha::ChaCha8Rng;
use sqfa::Distance;

use crate::common::{
    Normal, diagonal, every_distance, flat, gap, gradient, norm, normals, stream, symmetric,
    transposed,
};

/// Orders of the batched path's kernels, and 60, where the backend's factorisations take over.
const ORDERS: [usize; 8] = [1, 2, 3, 4, 5, 6, 17, 60];
/// Steps from 10⁻² down, two a decade, relative to the distance over which the function bends.
const STEPS: usize = 9;
/// Steps so small that the remainder is nothing but the round-off of the function.
const NOISE_STEPS: [f64; 6] = [1e-11, 2e-11, 3e-11, 5e-11, 7e-11, 1e-10];
/// A remainder counts when it stands this far above the round-off: it is then known to 2 %.
const ABOVE_NOISE: f64 = 50.0;
/// Usable steps that a slope needs: a decade of them.
const ENOUGH: usize = 3;
/// The smallest usable steps are fitted, two decades of them, where third derivatives matter least.
const FITTED: usize = 5;
/// Third derivatives bend the slope by about the largest step times their ratio to second ones.
const SLOPE_BAND: f64 = 0.1;
/// Nearer than this the root of a difference of logarithms, known to 10⁻¹⁵, is mostly noise.
const ROUNDED: f64 = 1e-3;
/// Derivatives of covariances are symmetric but for the rounding of the products that make them.
const SYMMETRIC: f64 = 1e-12;

/// A direction of length about 1: two mean vectors and two symmetric matrices.
struct Direction {
    means: [Vec<f64>; 2],
    covariances: [Vec<f64>; 2],
}

impl Direction {
    fn random(order: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut unit = |count: usize| normals(count, rng);
        let mut direction = Self {
            means: [unit(order), unit(order)],
            covariances: [unit(order * order), unit(order * order)]
                .map(|matrix| symmetric(matrix, order)),
        };
        let Self { means, covariances } = &mut direction;
        // Means and covariances weigh about the same whatever the order; the parts keep lengths of their
        // own, else on the line they could only be equal or opposite.
        for part in means.iter_mut().chain(covariances) {
            let scale = 0.5 / (part.len() as f64).sqrt();
            part.iter_mut().for_each(|value| *value *= scale);
        }
        direction
    }

    fn step(&self, p: &Normal, q: &Normal, step: f64) -> (Normal, Normal) {
        (
            p.moved(step, &self.means[0], &self.covariances[0]),
            q.moved(step, &self.means[1], &self.covariances[1]),
        )
    }

    fn numbers(&self) -> Vec<f64> {
        [&self.means[0], &self.covariances[0], &self.means[1], &self.covariances[1]]
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }
}

/// Checks one distance at one pair along one direction; `scale` is the distance over which it bends.
fn check(
    distance: &Distance,
    p: &Normal,
    q: &Normal,
    direction: &Direction,
    scale: f64,
    what: &str,
) {
    let order = p.order();
    let what = format!("{} {what} at order {order}", distance.name());
    let (value, slopes) = gradient(distance, p, q);
    assert!(value > 0.0, "{what}: nothing to differentiate");
    assert!(gap(value, distance.evaluate(p.view(), q.view(), None)) == 0.0, "{what}: two values");
    for matrix in [&slopes.cov_a, &slopes.cov_b] {
        let turned = transposed(matrix, order);
        let change: Vec<f64> = matrix.iter().zip(&turned).map(|(x, y)| x - y).collect();
        assert!(norm(&change) <= SYMMETRIC * norm(&flat(&slopes)), "{what}: asymmetric slope");
    }
    let slope: f64 = flat(&slopes).iter().zip(direction.numbers()).map(|(g, v)| g * v).sum();
    let remainder = |step: f64| {
        let (p, q) = direction.step(p, q, step);
        let there = distance.evaluate(p.view(), q.view(), None);
        (there - value - step * slope).abs()
    };
    let rounding = f64::EPSILON * value;
    let noise = NOISE_STEPS.iter().map(|step| remainder(step * scale)).fold(rounding, f64::max);
    let mut points = Vec::new();
    for k in 0..STEPS {
        let step = scale * 10.0_f64.powf(-2.0 - 0.5 * k as f64);
        let rest = remainder(step);
        if rest <= ABOVE_NOISE * noise {
            break;
        }
        points.push((step.ln(), rest.ln()));
    }
    assert!(points.len() >= ENOUGH, "{what}: {} steps above noise {noise:e}", points.len());
    let fitted = fitted_slope(&points[points.len().saturating_sub(FITTED)..]);
    assert!((fitted - 2.0).abs() <= SLOPE_BAND, "{what}: the remainder falls as h^{fitted:.3}");
}

/// The slope of the least-squares line.
fn fitted_slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let x_mean = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let y_mean = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let cross: f64 = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    cross / points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum::<f64>()
}

/// Two Gaussians about as far apart at any order, so that Hellinger's does not saturate at high ones.
fn pair(order: usize, rng: &mut ChaCha8Rng) -> (Normal, Normal) {
    let [p, q] = std::array::from_fn(|_| Normal::random(order, rng));
    let share = (4.0 / order as f64).min(1.0);
    let blend = |from: &[f64], to: &[f64]| {
        from.iter().zip(to).map(|(from, to)| from + share * (to - from)).collect()
    };
    let blended =
        Normal { mean: blend(&p.mean, &q.mean), covariance: blend(&p.covariance, &q.covariance) };
    (p, blended)
}

#[test]
fn between_random_gaussians() {
    let mut rng = stream(11);
    for order in ORDERS {
        for _ in 0..2 {
            let (p, q) = pair(order, &mut rng);
            let direction = Direction::random(order, &mut rng);
            for case in every_distance() {
                check(&case.distance, &p, &q, &direction, 1.0, "between random Gaussians");
            }
        }
    }
}

#[test]
fn at_equal_means() {
    let mut rng = stream(12);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        let q = Normal { mean: p.mean.clone(), ..q };
        let direction = Direction::random(order, &mut rng);
        for case in every_distance() {
            let (value, slopes) = gradient(&case.distance, &p, &q);
            if value == 0.0 {
                // A root of a distance of means alone: at equal means it has no derivative.
                assert_eq!(norm(&flat(&slopes)), 0.0, "{}", case.name());
                continue;
            }
            check(&case.distance, &p, &q, &direction, 1.0, "at equal means");
        }
    }
}

#[test]
fn at_repeated_eigenvalues() {
    let mut rng = stream(13);
    for order in [2, 3, 5, 17, 60] {
        let spread: Vec<f64> = (0..order).map(|i| if i == 0 { 0.5 } else { 3.0 }).collect();
        let direction = Direction::random(order, &mut rng);
        for variances in [vec![3.0; order], spread] {
            let (p, q) = pair(order, &mut rng);
            let p = Normal { covariance: diagonal(&vec![2.0; order]), ..p };
            let q = Normal { covariance: diagonal(&variances), ..q };
            for case in every_distance() {
                check(&case.distance, &p, &q, &direction, 1.0, "at repeated eigenvalues");
            }
        }
    }
}

#[test]
fn at_the_same_covariance() {
    let mut rng = stream(14);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        let q = Normal { covariance: p.covariance.clone(), ..q };
        let direction = Direction::random(order, &mut rng);
        for case in every_distance() {
            if case.claims.blind_to_means {
                continue; // blind to means: the two are the same
            }
            check(&case.distance, &p, &q, &direction, 1.0, "at the same covariance");
        }
    }
}

#[test]
fn between_nearly_equal_gaussians() {
    let mut rng = stream(15);
    for order in ORDERS {
        let p = Normal::random(order, &mut rng);
        let apart = Direction::random(order, &mut rng);
        let direction = Direction::random(order, &mut rng);
        // On the line some roots are the size of one number: no corner bends them nearby.
        for near in if order == 1 { vec![1e-2, 3e-3] } else { vec![1e-2, 3e-3, 1e-5] } {
            let (near_p, near_q) = apart.step(&p, &p, near);
            let (half_p, half_q) = apart.step(&p, &p, 0.5 * near);
            for case in every_distance() {
                let distance = &case.distance;
                if near < ROUNDED && case.claims.rounds_near_zero {
                    continue;
                }
                let growth = distance.evaluate(near_p.view(), near_q.view(), None)
                    / distance.evaluate(half_p.view(), half_q.view(), None);
                // What grows as the square is smooth at p = q; roots have a corner there.
                let scale = if growth > 3.0 { 1.0 } else { near };
                check(distance, &near_p, &near_q, &direction, scale, "between near Gaussians");
            }
        }
    }
}

//! Tests that compare sums over batches of pairs with sums over single pairs.

use super::*;
use crate::distance::{Entry, PairGradient, registry};

/// Relative tolerance: batches and single pairs differ only in the number of Jacobi sweeps and the
/// order of summation.
const AGREE: f64 = 1e-11;

/// Returns classes that differ in means and covariances, except that the last repeats the first.
fn classes(count: usize, order: usize) -> Gaussians {
    let wave = |k: usize| (12.9898 * (k + 1) as f64).sin();
    let (mut means, mut covariances) = (Vec::new(), Vec::new());
    for class in (1..count).chain([1]) {
        means.extend((0..order).map(|i| wave(class * order + i)));
        for i in 0..order {
            for j in 0..order {
                let off = wave(class + 3 * (i + j) + i * j) / (2 * order) as f64;
                covariances.push(off + f64::from(u8::from(i == j)) * (1.0 + 0.1 * class as f64));
            }
        }
    }
    Gaussians::new(order, means, covariances).expect("sound by construction")
}

#[test]
fn sums_over_batches_are_sums_over_pairs() {
    for (count, order) in [(6, 1), (7, 4), (5, 17), (3, 60)] {
        let gaussians = classes(count, order);
        let weights: Vec<f64> =
            (0..count * count).map(|at| ((at / count + 1) * (at % count + 1)) as f64).collect();
        let plan = PairPlan::new(count, Some(&weights));
        for name in registry().iter().flat_map(Entry::forms) {
            let distance = Distance::named(&name).expect("a registered name");
            let sums = plan.evaluate(&distance, &gaussians, &[]).expect("sound classes");
            let total: f64 =
                plan.pairs.iter().map(|&(i, j)| weights[i as usize * count + j as usize]).sum();
            let mut value = 0.0;
            let mut means = vec![0.0; count * order];
            let mut covs = vec![0.0; count * order * order];
            for &(i, j) in &plan.pairs {
                let (i, j) = (i as usize, j as usize);
                if (i, j) == (0, count - 1) {
                    continue; // the same Gaussian: no value, no derivative
                }
                let weight = weights[i * count + j] / total;
                let mut slopes = PairGradient::zeros(order);
                value += weight
                    * distance.evaluate(gaussians.get(i), gaussians.get(j), Some(&mut slopes));
                for (class, mean, cov) in
                    [(i, &slopes.mean_a, &slopes.cov_a), (j, &slopes.mean_b, &slopes.cov_b)]
                {
                    for (sums, slope) in [(&mut means, mean), (&mut covs, cov)] {
                        let sums = &mut sums[class * slope.len()..];
                        sums.iter_mut().zip(slope).for_each(|(sum, x)| *sum += weight * x);
                    }
                }
            }
            let near = |x: f64, y: f64, scale: f64| (x - y).abs() <= AGREE * scale;
            assert!(near(sums.value, value, value), "{name} at order {order}");
            for (found, expected) in [(&sums.mean_slopes, &means), (&sums.cov_slopes, &covs)] {
                let scale = covs.iter().chain(&means).fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(
                    found.iter().zip(expected).all(|(x, y)| near(*x, *y, scale)),
                    "{name} at order {order}"
                );
            }
        }
    }
}

#[test]
fn identical_classes_have_no_distance_and_no_derivative() {
    for order in [1, 4, 60] {
        let gaussians = classes(2, order);
        for name in registry().iter().flat_map(Entry::forms) {
            let distance = Distance::named(&name).expect("a registered name");
            let sums = PairPlan::new(2, None).evaluate(&distance, &gaussians, &[]).expect("sound");
            assert_eq!(sums.value, 0.0, "{name}");
            assert!(sums.mean_slopes.iter().chain(&sums.cov_slopes).all(|&x| x == 0.0), "{name}");
        }
    }
}

#[test]
fn the_same_bits_at_any_thread_count() {
    let gaussians = classes(40, 5);
    let plan = PairPlan::new(40, None);
    let distance = Distance::named("calvo-oller").expect("a registered name");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let sums = pool.install(|| plan.evaluate(&distance, &gaussians, &[])).expect("sound");
        (sums.value, sums.mean_slopes, sums.cov_slopes)
    };
    assert_eq!(run(1), run(3));
}

//! Far from the origin and at condition numbers of 10⁸ the digits that the input carries are kept.

use rand_chacha::ChaCha8Rng;
use sqfa::distance::pairwise;

use crate::common::{
    Normal, assert_close, between, diagonal, every_distance, flat, gradient, normals, product,
    rotation, set, stream, symmetric, transposed,
};

/// A common shift of 10⁶ rounds the means themselves by 10⁻¹⁰.
const SHIFTED: f64 = 1e-9;
/// Storing a dense covariance of condition 10⁸ perturbs its smallest eigenvalue by 10⁻⁸ relative, and
/// the sums of a few such logarithms by a few times that.
const ILL_CONDITIONED: f64 = 1e-6;
/// Factor on the round-off of a pencil: sums over its order, and the means' share of the embedding.
const PENCIL: f64 = 100.0;
/// Graded matrices carry all their digits in every entry; only ordinary round-off remains.
const GRADED: f64 = 1e-12;

#[test]
fn a_common_shift_costs_calvo_oller_no_digits() {
    let mut rng = stream(51);
    for order in [1, 2, 4, 9, 60] {
        let [p, q] = std::array::from_fn(|_| Normal::random(order, &mut rng));
        let direction = vec![1.0; order];
        let still = vec![0.0; order * order];
        let [far_p, far_q] = [&p, &q].map(|normal| normal.moved(1e6, &direction, &still));
        let here = between("calvo-oller", &p, &q);
        assert_close(between("calvo-oller", &far_p, &far_q), here, SHIFTED, "shifted by 10⁶");
    }
}

#[test]
fn an_exact_shift_changes_no_bit() {
    let mut rng = stream(52);
    for order in [1, 2, 5, 60] {
        let mut pair: [Normal; 2] = std::array::from_fn(|_| Normal::random(order, &mut rng));
        for normal in &mut pair {
            // Multiples of 2⁻¹⁰ are still exact after adding 2²⁰.
            normal.mean.iter_mut().for_each(|mean| *mean = (*mean * 1024.0).round() / 1024.0);
        }
        let still = vec![0.0; order * order];
        let far = pair.clone().map(|normal| normal.moved(1048576.0, &vec![1.0; order], &still));
        for case in every_distance().iter().filter(|case| case.claims.translation_invariant) {
            let here = case.distance.evaluate(pair[0].view(), pair[1].view(), None);
            let there = case.distance.evaluate(far[0].view(), far[1].view(), None);
            assert_eq!(here, there, "{} at order {order}", case.name());
        }
    }
}

/// Variances spread evenly in the logarithm from 10^(−power) to 1.
fn spread(order: usize, power: f64) -> Vec<f64> {
    (0..order).map(|i| 10.0_f64.powf(-power * i as f64 / (order - 1) as f64)).collect()
}

fn ill_conditioned(order: usize, turn: &[f64], variances: &[f64]) -> Vec<f64> {
    let half = product(turn, &diagonal(variances), order);
    symmetric(product(&half, &transposed(turn, order), order), order)
}

#[test]
fn commuting_covariances_of_condition_1e8_have_known_distances() {
    let mut rng = stream(53);
    for order in [2, 4, 9, 60] {
        let turn = rotation(order, &mut rng);
        let variances = spread(order, 8.0);
        let factors: Vec<f64> = normals(order, &mut rng).iter().map(|x| x.exp()).collect();
        let scaled: Vec<f64> = variances.iter().zip(&factors).map(|(v, f)| v * f).collect();
        let mean = vec![0.0; order];
        let p =
            Normal { mean: mean.clone(), covariance: ill_conditioned(order, &turn, &variances) };
        let q = Normal { mean, covariance: ill_conditioned(order, &turn, &scaled) };
        let logs: f64 = factors.iter().map(|f| f.ln().powi(2)).sum();
        let overlap: f64 = factors.iter().map(|f| 0.5 * ((1.0 + f) / (2.0 * f.sqrt())).ln()).sum();
        let divergence: f64 = factors.iter().map(|f| 0.5 * (f + 1.0 / f) - 1.0).sum();
        let transport: f64 =
            variances.iter().zip(&scaled).map(|(v, s)| (v.sqrt() - s.sqrt()).powi(2)).sum();
        for (name, expected) in [
            ("calvo-oller", (0.5 * logs).sqrt()),
            ("affine-invariant", logs.sqrt()),
            ("log-euclidean", logs.sqrt()),
            ("bhattacharyya", overlap),
            ("jeffreys", divergence),
            ("wasserstein", transport.sqrt()),
        ] {
            assert_close(between(name, &p, &q), expected, ILL_CONDITIONED, name);
        }
    }
}

/// Classes whose principal axes have nothing in common, all of condition number 10^power.
fn unrelated(order: usize, power: f64, rng: &mut ChaCha8Rng) -> Vec<Normal> {
    let mut draw = || {
        let turn = rotation(order, rng);
        let mean = normals(order, rng);
        Normal { mean, covariance: ill_conditioned(order, &turn, &spread(order, power)) }
    };
    (0..9).map(|_| draw()).collect()
}

#[test]
fn unrelated_covariances_lose_no_more_than_the_condition_of_their_pencil() {
    let mut rng = stream(54);
    for power in [2.0, 4.0] {
        // The pencil of two such covariances has the product of their condition numbers.
        let tolerance = PENCIL * f64::EPSILON * 10.0_f64.powf(2.0 * power);
        for order in [2, 3, 4, 9, 17, 60] {
            let classes = unrelated(order, power, &mut rng);
            for case in every_distance().iter().filter(|case| case.claims.symmetric) {
                let table = pairwise(&case.distance, &set(&classes)).unwrap();
                for i in 0..classes.len() {
                    for j in 0..i {
                        let what = format!("{} of order {order}", case.name());
                        assert_close(table[(i, j)], table[(j, i)], tolerance, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn unrelated_covariances_of_condition_1e8_have_finite_distances_and_derivatives() {
    let mut rng = stream(56);
    // The orders of our own eigensolver, which finds small eigenvalues to their own digits.
    for order in [2, 3, 4, 9, 24] {
        let classes = unrelated(order, 8.0, &mut rng);
        for case in every_distance() {
            assert!(pairwise(&case.distance, &set(&classes)).is_ok(), "{}", case.name());
            let (value, slopes) = gradient(&case.distance, &classes[0], &classes[1]);
            let finite = flat(&slopes).iter().all(|slope| slope.is_finite());
            assert!(value.is_finite() && finite, "{} at order {order}", case.name());
        }
    }
}

#[test]
fn graded_covariances_keep_every_digit() {
    let mut rng = stream(55);
    for order in [2, 4, 9] {
        let [p, q] = std::array::from_fn(|_| Normal::random(order, &mut rng));
        // Powers of two: the scaled matrices are exact, and every distance here is the same.
        let scale: Vec<f64> = (0..order).map(|i| 2.0_f64.powi(-(4 * i as i32))).collect();
        let [small_p, small_q] =
            [&p, &q].map(|normal| normal.mapped(&diagonal(&scale), &vec![0.0; order]));
        for case in every_distance().iter().filter(|case| case.claims.linear_invariant) {
            let before = case.distance.evaluate(p.view(), q.view(), None);
            let after = case.distance.evaluate(small_p.view(), small_q.view(), None);
            assert_close(before, after, GRADED, case.name());
        }
    }
}

//! A distance of the user's own climbs to the optimum of the built-in one.

use sqfa::distance::{Dissimilarity, PairGradient};
use sqfa::features::Gaussian;
use sqfa::model::Restarts;
use sqfa::{Distance, Noise, Sqfa};

use crate::common::{inverse, times};
use crate::problems::{TIGHT, dot, given, random_classes, recipe, subspace_gap};

/// Δᵀ S⁻¹ Δ under the average covariance S, by an explicit inverse.
struct Own;

impl Dissimilarity for Own {
    fn name(&self) -> String {
        "my-mahalanobis".to_owned()
    }

    fn evaluate(
        &self,
        p: Gaussian<'_>,
        q: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64 {
        let average: Vec<f64> =
            p.covariance.iter().zip(q.covariance).map(|(a, b)| 0.5 * (a + b)).collect();
        let delta: Vec<f64> = p.mean.iter().zip(q.mean).map(|(a, b)| a - b).collect();
        let solved = times(&inverse(&average, p.order), &delta);
        if let Some(gradient) = gradient {
            gradient.mean_a = solved.iter().map(|x| 2.0 * x).collect();
            gradient.mean_b = solved.iter().map(|x| -2.0 * x).collect();
            let outer = |at: usize| -0.5 * solved[at / p.order] * solved[at % p.order];
            gradient.cov_a = (0..p.order * p.order).map(outer).collect();
            gradient.cov_b = gradient.cov_a.clone();
        }
        dot(&solved, &delta)
    }
}

#[test]
fn a_users_distance_finds_what_the_built_in_finds() {
    let statistics = given(&random_classes(6, 4, 61));
    let climb = |recipe: Sqfa| {
        recipe
            .noise(Noise::Value(0.3))
            .restarts(Restarts::Count(4))
            .stopping(TIGHT)
            .fit(&statistics)
            .unwrap()
    };
    let own = climb(Sqfa::new(2).unwrap().distance(Distance::custom(Own)));
    let built_in = climb(recipe(2, "squared-mahalanobis"));
    assert_eq!(own.distance(), "my-mahalanobis");
    assert!(own.converged());
    // The same formula in another order of operations, climbed to the last digits.
    let gap = (own.objective() - built_in.objective()).abs();
    assert!(gap <= 1e-10 * built_in.objective(), "off by {gap:e}");
    assert!(subspace_gap(own.filters().as_ref(), built_in.filters().as_ref()) <= 1e-4);
}

/// A distance that depends on the axes of feature space: only the first feature counts twice.
struct Uneven;

impl Dissimilarity for Uneven {
    fn name(&self) -> String {
        "uneven".to_owned()
    }

    fn evaluate(
        &self,
        p: Gaussian<'_>,
        q: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64 {
        let weight = |i: usize| if i == 0 { 2.0 } else { 1.0 };
        let delta: Vec<f64> = p.mean.iter().zip(q.mean).map(|(a, b)| a - b).collect();
        if let Some(gradient) = gradient {
            *gradient = PairGradient::zeros(p.order);
            for i in 0..p.order {
                gradient.mean_a[i] = 2.0 * weight(i) * delta[i];
                gradient.mean_b[i] = -2.0 * weight(i) * delta[i];
            }
        }
        delta.iter().enumerate().map(|(i, x)| weight(i) * x * x).sum()
    }
}

#[test]
fn a_distance_that_is_not_rotation_invariant_has_its_own_optimum() {
    // Scatter of means: mean over pairs of ΔΔᵀ. The optimum is 2λ₁ + λ₂ with the leading eigenvectors in order.
    let classes = random_classes(5, 4, 62);
    let mut scatter = vec![0.0; 25];
    for i in 0..4 {
        for j in 0..i {
            for at in 0..25 {
                let delta = |k: usize| classes[i].mean[k] - classes[j].mean[k];
                scatter[at] += delta(at / 5) * delta(at % 5) / 6.0;
            }
        }
    }
    let (values, vectors) = crate::problems::eigen(&scatter, 5);
    let fitted = Sqfa::new(2)
        .unwrap()
        .distance(Distance::custom(Uneven))
        .constraint(sqfa::constraint::Constraint::Orthonormal)
        .noise(Noise::Value(0.1))
        .stopping(TIGHT)
        .fit(&given(&classes))
        .unwrap();
    let expected = 2.0 * values[4] + values[3];
    assert!((fitted.objective() - expected).abs() <= 1e-9 * expected);
    for j in 0..2 {
        let filter: Vec<f64> = fitted.filters().col(j).iter().copied().collect();
        assert!(1.0 - dot(&filter, &vectors[4 - j]).abs() <= 1e-8, "filter {j}");
    }
}

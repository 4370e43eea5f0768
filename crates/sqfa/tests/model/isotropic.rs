//! Given covariances that are isotropic outside few dimensions: the fit in those is the fit in all.

use sqfa::constraint::Constraint;
use sqfa::model::Start;
use sqfa::optimize::Optimizer;
use sqfa::statistics::{Covariance, Dense, LowRank, Moments};
use sqfa::{ClassStatistics, Classes, Mat, Noise};

use crate::common::{normals, stream};
use crate::problems::{TIGHT, objective, recipe};

const N: usize = 1000;
const NOISE: f64 = 0.2;
/// Climbs from other starts agree to what single-precision passes keep.
const SAME: f64 = 1e-5;

fn block(n: usize, columns: usize, seed: u64) -> Mat<f64> {
    let values = normals(n * columns, &mut stream(seed));
    Mat::from_fn(n, columns, |i, j| values[i * columns + j])
}

/// Three classes that differ in three directions each, and by their levels outside; every entry is kept.
fn statistics(levels: [f64; 3]) -> ClassStatistics {
    let covariances = levels.iter().enumerate().map(|(class, &level)| {
        let vectors = block(N, 3, 90 + class as u64);
        let weights = (0..3).map(|j| 0.002 * (1 + class + j) as f64).collect();
        let form = LowRank::new(vectors, weights, level).unwrap();
        let mut whole = Mat::zeros(N, N);
        form.multiply(Mat::<f64>::identity(N, N).as_ref(), whole.as_mut(), N);
        let entries = (0..N * N).map(|at| whole[(at / N, at % N)] as f32).collect();
        Box::new(Dense::new(entries, N).unwrap()) as Box<dyn Covariance>
    });
    let means = Mat::from_fn(N, 3, |i, class| if i == class { 0.5 } else { 0.0 });
    let names = Classes::numbered(3);
    ClassStatistics::from_parts(names, None, means, covariances.collect(), Moments::Central)
}

#[test]
fn the_fit_in_few_dimensions_reaches_the_optimum_of_all() {
    for levels in [[1.0, 1.0, 1.0], [1.0, 1.2, 1.5]] {
        let statistics = statistics(levels);
        for (distance, constraint) in [
            ("calvo-oller", Constraint::Sphere),
            ("hellinger", Constraint::Orthonormal),
            ("wasserstein", Constraint::Sphere),
        ] {
            let recipe = recipe(2, distance)
                .constraint(constraint)
                .noise(Noise::Value(NOISE))
                .stopping(TIGHT);
            let few = recipe.clone().fit(&statistics).unwrap();
            let whole = recipe.optimizer(Optimizer::Lbfgs).fit(&statistics).unwrap();
            assert_eq!(few.passes(), 3);
            assert!(whole.passes() > 3);
            // What it reports is what its filters achieve in the whole space, and no less than a climb there.
            let found = objective(&statistics, distance, few.filters().as_ref(), NOISE);
            assert!((found / few.objective() - 1.0).abs() < SAME, "{distance} {levels:?}");
            assert!(found > whole.objective() * (1.0 - SAME), "{distance} {levels:?}");
            for j in 0..2 {
                let length: f64 = few.filters().col(j).iter().map(|x| x * x).sum();
                assert!((length - 1.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn filters_that_are_given_may_lie_outside() {
    let statistics = statistics([1.0; 3]);
    // No class differs here from another.
    let apart = |column: usize| Mat::from_fn(N, 1, |i, _| f64::from(u8::from(i == column)));
    let recipe = recipe(1, "calvo-oller").noise(Noise::Value(NOISE));
    let begun = recipe.clone().start(Start::Given(apart(500))).fit(&statistics).unwrap();
    assert!(begun.objective() > 0.0);
    let kept = sqfa::Sqfa::new(2).unwrap().noise(Noise::Value(NOISE)).fixed(apart(500));
    let kept = kept.fit(&statistics).unwrap();
    assert_eq!(kept.filters()[(500, 0)], 1.0);
}

//! Random filters in many dimensions see almost nothing of the classes at first; a climb must not take that for the top.

use sqfa::distance::mean_distance;
use sqfa::model::Restarts;
use sqfa::optimize::Optimizer;
use sqfa::statistics::{Covariance, LowRank, Moments, project};
use sqfa::{ClassStatistics, Classes, Distance, Mat, MatRef, Noise, Sqfa};

use crate::common::{normals, stream};

const CLASSES: usize = 5;
const DIMENSION: usize = 5000;
/// One direction for the means, then two for each block of covariance.
const INFORMATIVE: usize = 7;
const NOISE: f64 = 0.001;
/// The weakest of all optima lies less than this below the informative directions themselves, which are not quite optimal
/// for unit filters; every plateau lies more than 0.1 below.
const SHORT_OF: f64 = 1e-3;

/// Means on a line and three planes in which each class has a long axis of its own; nothing else tells the classes apart.
fn hidden(seed: u64) -> (ClassStatistics, Mat<f64>) {
    let values = normals(DIMENSION * INFORMATIVE, &mut stream(seed));
    let random = Mat::from_fn(DIMENSION, INFORMATIVE, |i, j| values[i * INFORMATIVE + j]);
    let basis = random.qr().compute_thin_Q();
    let means = Mat::from_fn(DIMENSION, CLASSES, |i, class| {
        2.4 * (class as f64 / 2.0 - 1.0) * basis[(i, 0)]
    });
    let covariances = (0..CLASSES)
        .map(|class| {
            let axes = Mat::from_fn(DIMENSION, 3, |i, block| {
                let angle = (36.0 * class as f64 + 11.0 * block as f64).to_radians();
                let at = 1 + 2 * block;
                angle.cos() * basis[(i, at)] + angle.sin() * basis[(i, at + 1)]
            });
            Box::new(LowRank::new(axes, vec![1.9; 3], 1.0).unwrap()) as Box<dyn Covariance>
        })
        .collect();
    let classes = Classes::numbered(CLASSES);
    let statistics =
        ClassStatistics::from_parts(classes, None, means, covariances, Moments::Central);
    (statistics, basis)
}

fn value(statistics: &ClassStatistics, filters: MatRef<'_, f64>) -> f64 {
    let gaussians = project(statistics, filters, NOISE);
    mean_distance(&Distance::named("calvo-oller").unwrap(), &gaussians).unwrap().value
}

#[test]
fn convergence_at_the_usual_tolerance_is_not_a_plateau() {
    let (statistics, basis) = hidden(1);
    let informative = value(&statistics, basis.as_ref());
    let both = [Optimizer::Lbfgs, Optimizer::Subspace];
    for (seed, optimizer) in (0..4).flat_map(|seed| both.map(|optimizer| (seed, optimizer))) {
        let fitted = Sqfa::new(10)
            .unwrap()
            .noise(Noise::Value(NOISE))
            .restarts(Restarts::Count(1))
            .optimizer(optimizer)
            .seed(seed)
            .fit(&statistics)
            .unwrap();
        assert!(fitted.converged(), "{:?}", fitted.termination());
        let short_of = informative - fitted.objective();
        assert!(
            short_of < SHORT_OF,
            "seed {seed}, {optimizer:?}: {short_of}, {} passes",
            fitted.passes()
        );
    }
}

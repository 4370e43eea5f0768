//! Tests that compare the derivatives of the lifted length with finite differences.

use super::{gaussian, generator, square};
use crate::fisher_rao::curvature::{Curvature, Rescaling};
use crate::fisher_rao::frame::{FramedPair, dot};
use crate::fisher_rao::lift::{Lift, Scales};

#[test]
fn gradient_and_second_derivative() {
    let mut rng = generator(80);
    for order in 2..=6 {
        let p = gaussian(&mut rng, order, 1.0, 20.0);
        let q = gaussian(&mut rng, order, 1.0, 20.0);
        let pair = FramedPair::new(p.view(), q.view()).unwrap();
        let (scales, rescaling) = (Scales::new(&pair), Rescaling::new(&pair));
        let mut skew = || {
            let full = square(&mut rng, order);
            let mut skew = vec![0.0; order * order];
            for i in 0..order {
                for j in 0..order {
                    skew[i * order + j] = 0.2 * (full[i * order + j] - full[j * order + i]);
                }
            }
            skew
        };
        let (base, step) = (rescaling.expand(&skew()), skew());
        let direction = rescaling.expand(&step);
        let at = |t: f64| {
            let twist = base.iter().zip(&direction).map(|(w, d)| w + t * d).collect();
            Lift::new(&pair, &scales, twist, None)
        };
        let h = 1e-4;
        let mut here = Curvature::new(&at(0.0), &rescaling);
        let slope = (at(h).energy - at(-h).energy) / (2.0 * h);
        assert!((dot(&here.gradient, &step) - slope).abs() < 1e-6 * slope.abs().max(1.0));
        let mut product = vec![0.0; order * order];
        here.apply(&step, &mut product);
        let (ahead, behind) =
            (Curvature::new(&at(h), &rescaling), Curvature::new(&at(-h), &rescaling));
        for k in 0..order * order {
            let bend = (ahead.gradient[k] - behind.gradient[k]) / (2.0 * h);
            assert!((product[k] - bend).abs() < 1e-6 * bend.abs().max(1.0));
        }
    }
}

#[test]
fn a_guess_of_the_right_vectors_changes_nothing_but_the_effort() {
    let mut rng = generator(81);
    let p = gaussian(&mut rng, 5, 2.0, 100.0);
    let q = gaussian(&mut rng, 5, 2.0, 100.0);
    let pair = FramedPair::new(p.view(), q.view()).unwrap();
    let scales = Scales::new(&pair);
    let cold = Lift::new(&pair, &scales, vec![0.0; 25], None);
    let warm = Lift::new(&pair, &scales, vec![0.0; 25], Some(&cold.right));
    super::assert_close(warm.energy, cold.energy, 1e-14);
    for (a, b) in warm.square.iter().zip(&cold.square) {
        assert!((a - b).abs() < 1e-12);
    }
}

//! The chain Calvo–Oller ≤ Fisher–Rao ≤ ½‖log G(0)‖ ≤ √J, and what happens when the tolerance is out of reach.

use super::{gaussian, generator, solve};
use crate::fisher_rao::bounds::{calvo_oller, root_jeffreys};
use crate::fisher_rao::frame::FramedPair;
use crate::fisher_rao::lift::{Lift, Scales};
use crate::fisher_rao::solve::{Certainty, FisherRaoOptions, fisher_rao};

#[test]
fn bounds_hold_on_ten_thousand_pairs() {
    let mut rng = generator(50);
    let slack = 1.0 + 1e-12;
    for round in 0..10_000_usize {
        let order = 1 + round % 6;
        let shift = [0.1, 0.5, 1.0, 3.0][round / 6 % 4];
        let condition = [2.0, 20.0, 1e3][round / 24 % 3];
        let p = gaussian(&mut rng, order, shift, condition);
        let q = gaussian(&mut rng, order, shift, condition);
        let found = solve(&p, &q);
        assert!(found.converged, "order {order}: residual {:e}", found.residual);
        // The bounds are computed separately here, because those of the result are clamped by the
        // distance.
        let pair = FramedPair::new(p.view(), q.view()).unwrap();
        let lower = calvo_oller(&pair);
        let plain = Lift::new(&pair, &Scales::new(&pair), vec![0.0; order * order], None).length();
        let jeffreys = root_jeffreys(&pair);
        assert!(lower > 0.0 && lower <= found.distance * slack);
        assert!(found.distance <= plain * slack && plain <= jeffreys * slack);
        assert!(found.lower <= found.distance && found.distance <= found.upper);
        assert!(found.upper <= jeffreys * slack, "{} {}", found.upper, jeffreys);
    }
}

#[test]
fn the_lower_bound_is_not_the_distance_in_disguise() {
    let mut rng = generator(51);
    let p = gaussian(&mut rng, 4, 1.0, 10.0);
    let q = gaussian(&mut rng, 4, 1.0, 10.0);
    let found = solve(&p, &q);
    assert!(found.lower < 0.999 * found.distance);
    assert!(found.upper > 1.0001 * found.distance);
}

#[test]
fn a_tolerance_out_of_reach_is_admitted() {
    let mut rng = generator(52);
    let p = gaussian(&mut rng, 6, 2.0, 1e3);
    let q = gaussian(&mut rng, 6, 2.0, 1e3);
    let exact = solve(&p, &q);
    let strict = FisherRaoOptions { tolerance: 0.0, ..Default::default() };
    let found = fisher_rao(p.view(), q.view(), &strict).unwrap();
    assert!(!found.converged && found.residual < 1e-10);
    assert_eq!(found.certainty, Certainty::UpperBound);
    let hasty = FisherRaoOptions { max_evaluations: 2, ..Default::default() };
    let found = fisher_rao(p.view(), q.view(), &hasty).unwrap();
    assert!(!found.converged && found.certainty == Certainty::UpperBound);
    assert!(found.distance >= exact.distance && found.distance <= found.upper);
}

#[test]
fn far_pairs_keep_their_accuracy() {
    let mut rng = generator(53);
    for _ in 0..40 {
        let p = gaussian(&mut rng, 3, 100.0, 1e4);
        let q = gaussian(&mut rng, 3, 100.0, 1e4);
        let found = solve(&p, &q);
        assert!(found.converged, "at {}: residual {:e}", found.distance, found.residual);
        assert!(found.lower <= found.distance && found.distance <= found.upper);
        let swapped = solve(&q, &p);
        super::assert_close(swapped.distance, found.distance, 1e-9);
    }
}

//! The test of convergence: small gains that do not grow, from steps about as long as the model
//! predicted.
//!
//! Near a maximum, the gains of a quasi-Newton method shrink, and its steps have about the length 1
//! that the observed curvature predicts. Near a saddle point, where random filters in many
//! dimensions spend their first iterations, gains and gradient may be just as small. However, the
//! gains grow from one step to the next, and the steps are several times longer than predicted,
//! because the curvature along the escape direction has the opposite sign. Either of these
//! observations resets the count. Cost: none.

/// Number of consecutive small gains that count as convergence. With three, half of all
/// optimizations from random filters in 20 000 dimensions ended on their first plateau. With five
/// and the two conditions below, none did, at the cost of two more iterations if there is no
/// plateau.
const IN_A_ROW: usize = 5;
/// Largest step, relative to the predicted step, that counts as converging. For longer steps, the
/// model does not know the curvature yet. On MNIST and SVHN, the steps of converging optimizations
/// stay below 2.5.
const LONGEST_STEP: f64 = 3.0;
/// Ratio of consecutive gains above which they count as growing rather than uneven.
const GROWTH: f64 = 2.0;
/// Fraction of the tolerance below which a gain counts as zero. Such gains are exempt from the two
/// conditions.
const NOTHING: f64 = 1e-3;
/// Weight of a gain that counts as zero. With a weight of two, three such gains are enough.
const WEIGHT_OF_NOTHING: usize = 2;
/// Relative change of the objective below which it is round-off.
const ROUND_OFF: f64 = 8.0 * f64::EPSILON;

/// The number of consecutive small gains.
#[derive(Debug)]
pub(super) struct Settling {
    needed: usize,
    count: usize,
    last: f64,
}

impl Default for Settling {
    fn default() -> Self {
        Self::after(IN_A_ROW)
    }
}

impl Settling {
    /// Creates a test that requires `needed` small gains in a row.
    pub(super) fn after(needed: usize) -> Self {
        Self { needed, count: 0, last: 0.0 }
    }

    /// Records an iteration and returns whether the optimization has converged.
    ///
    /// `before` and `after` are the objectives, `step` is the step relative to the predicted one,
    /// and changes below `unit` are small.
    pub(super) fn has_settled(&mut self, before: f64, after: f64, step: f64, unit: f64) -> bool {
        let change = (after - before).abs();
        let nothing = change <= (NOTHING * unit).max(ROUND_OFF * after.abs());
        self.count = if change >= unit {
            0
        } else if nothing {
            self.count + WEIGHT_OF_NOTHING
        } else if step > LONGEST_STEP {
            0
        } else if change > GROWTH * self.last {
            1
        } else {
            self.count + 1
        };
        self.last = change;
        self.count >= self.needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: f64 = 1e-6;

    /// Returns the iteration at which a sequence of (change, step) converges.
    fn settles(sequence: impl IntoIterator<Item = (f64, f64)>) -> Option<usize> {
        let (mut settling, mut value) = (Settling::default(), 0.0);
        sequence.into_iter().position(|(change, step)| {
            let before = value;
            value += change;
            settling.has_settled(before, value, step, UNIT)
        })
    }

    #[test]
    fn shrinking_gains_settle_after_five_small_ones() {
        let gains = (0..40).map(|k| (0.5_f64.powi(k), 1.2));
        // 2⁻²⁰ is the first gain below 10⁻⁶.
        assert_eq!(settles(gains), Some(20 + IN_A_ROW - 1));
    }

    #[test]
    fn gains_that_grow_never_settle_while_they_do() {
        let growing = (0..8).map(|k| (1e-9 * 2.5_f64.powi(k), 1.0));
        assert_eq!(settles(growing), None);
    }

    #[test]
    fn long_steps_do_not_settle_whatever_they_gain() {
        assert_eq!(settles((0..100).map(|_| (0.1 * UNIT, 1.01 * LONGEST_STEP))), None);
        assert_eq!(
            settles((0..100).map(|_| (0.1 * UNIT, 0.99 * LONGEST_STEP))),
            Some(IN_A_ROW - 1)
        );
    }

    #[test]
    fn three_steps_that_gain_nothing_settle_however_uneven() {
        let uneven = (0..100).map(|k| (if k % 2 == 0 { 1e-12 } else { 1e-11 }, 50.0));
        assert_eq!(settles(uneven), Some(2));
    }

    #[test]
    fn a_tolerance_below_round_off_is_met_by_round_off_alone() {
        let mut settling = Settling::default();
        let value = |k: usize| if k.is_multiple_of(2) { 3.0 } else { 3.0 + 4.0 * f64::EPSILON };
        let settled = (0..9).position(|k| settling.has_settled(value(k), value(k + 1), 7.0, 1e-13));
        assert_eq!(settled, Some(2));
        assert!((0..9).all(|k| !settling.has_settled(value(k), value(k + 1), 7.0, 0.0)));
    }

    #[test]
    fn one_large_change_begins_anew() {
        let changes = [0.1, 0.1, 0.1, 0.1, 3.0, 0.1, 0.1, 0.1, 0.1, 0.1];
        let sequence = changes.map(|change| (change * UNIT, 1.0));
        // The first gain has no predecessor to grow from, so it counts.
        assert_eq!(settles(sequence), Some(9));
    }
}

//! e^x in every lane, without a call per lane.
//!
//! x = k ln 2 + r with |r| ≤ ½ ln 2; e^r by its Taylor series to degree 13, whose remainder is below 1e-17, times 2^k by
//! the bits of the exponent. Below −708 the result is 0, where e^x would leave the normal range.

use super::real::{LANES, Lanes, Real};

/// 1.5·2⁵²: added to a small number it leaves the nearest integer in the lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
const SMALLEST: f64 = -708.0;
const LARGEST: f64 = 709.0;

/// 1/13!, 1/12!, …, 1/0!.
const COEFFICIENTS: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// e^x; x must be below 709.
#[inline(always)]
pub(crate) fn exp_lanes(x: Lanes) -> Lanes {
    let mut result = Lanes::splat(0.0);
    let mut values = [0.0; LANES];
    for lane in 0..LANES {
        values[lane] = exp(x.lane(lane));
    }
    for lane in 0..LANES {
        result.set_lane(lane, values[lane]);
    }
    result
}

/// e^x of one number, in straight-line code that vectorises.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let bounded = x.clamp(SMALLEST, LARGEST);
    let shifted = bounded * std::f64::consts::LOG2_E + ROUNDER;
    let k = shifted - ROUNDER;
    let r = (bounded - k * LN2_HIGH) - k * LN2_LOW;
    let mut sum = COEFFICIENTS[0];
    for &coefficient in &COEFFICIENTS[1..] {
        sum = sum * r + coefficient;
    }
    // The low bits of `shifted` are k in two's complement.
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if x < SMALLEST { 0.0 } else { sum * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two roundings of the last place.
    const RELATIVE: f64 = 5e-16;

    #[test]
    fn agrees_with_the_standard_library() {
        for at in -70_000..=7_000 {
            let x = f64::from(at) * 0.0101;
            let (ours, theirs) = (exp(x), x.exp());
            assert!((ours - theirs).abs() <= RELATIVE * theirs, "e^{x} = {theirs}, not {ours}");
        }
        assert_eq!(exp(-800.0), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f64::NAN).is_nan());
    }
}

//! eˣ in elementary arithmetic, so that the compiler can turn loops over it into vector instructions.
//!
//! The argument is reduced to x = n·ln 2 + r with |r| ≤ ½ ln 2. Then eʳ is its Taylor polynomial of degree 13
//! (remainder below 4·10⁻¹⁸), and 2ⁿ is written into the exponent bits. No fused multiply-add is used, so the bits are
//! the same on every machine. The error is at most 3 units in the last place; results below 2⁻¹⁰²² are flushed to 0.
//!
//! Reference: Cody & Waite, *Software Manual for the Elementary Functions*, 1980, chapter 6.

/// Constant whose addition rounds a number to an integer and leaves that integer in the lowest bits of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
/// High and low part of ln 2. The high part has trailing zero bits, so its products with integers below 2¹¹ are exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Smallest and largest argument for which eˣ is a normal number.
const LOWEST: f64 = -708.0;
const HIGHEST: f64 = 709.0;
/// Coefficients 1/k! from k = 13 down to k = 2.
const INVERSE_FACTORIALS: [f64; 12] = [
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
];

/// Returns eˣ: 0 below −708, infinity above 709, and NaN for NaN.
#[inline(always)]
pub(crate) fn exponential(x: f64) -> f64 {
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let rest = (x - whole * LN2_HIGH) - whole * LN2_LOW;
    let mut sum = INVERSE_FACTORIALS[0];
    for coefficient in &INVERSE_FACTORIALS[1..] {
        sum = sum * rest + coefficient;
    }
    let power = (sum * rest + 1.0) * rest + 1.0;
    // The lowest bits of `shifted` hold n. Shifted into the exponent field, they multiply by 2ⁿ.
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    let value = power * scale;
    let value = if x < LOWEST { 0.0 } else { value };
    if x > HIGHEST { f64::INFINITY } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest error of the polynomial plus that of the standard library, in units in the last place.
    const ULPS: f64 = 3.0;

    #[test]
    fn agrees_with_the_standard_library() {
        let steps = 2_000_001;
        for step in 0..steps {
            let x = LOWEST + (HIGHEST - LOWEST) * f64::from(step) / f64::from(steps - 1);
            let (found, expected) = (exponential(x), x.exp());
            assert!((found - expected).abs() <= ULPS * f64::EPSILON * expected, "{x}: {found:e}");
        }
        for x in [1e-300, -1e-17, 0.5 * std::f64::consts::LN_2, -0.346_573_590_279_972_7] {
            assert!((exponential(x) - x.exp()).abs() <= ULPS * f64::EPSILON * x.exp());
        }
    }

    #[test]
    fn underflow_overflow_and_nan() {
        assert_eq!(exponential(0.0), 1.0);
        assert_eq!(exponential(-0.0), 1.0);
        for x in [-708.1, -1e10, f64::NEG_INFINITY, f64::MIN] {
            assert_eq!(exponential(x), 0.0);
        }
        for x in [709.1, 1e200, f64::INFINITY] {
            assert_eq!(exponential(x), f64::INFINITY);
        }
        assert!(exponential(f64::NAN).is_nan());
    }
}

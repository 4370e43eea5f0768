//! eˣ in plain arithmetic, so that loops over it become vector instructions.
//!
//! x = n·ln 2 + r with |r| ≤ ½ ln 2; eʳ by its Taylor polynomial of degree 13 (remainder below 4·10⁻¹⁸), 2ⁿ by the
//! exponent's bits. No fused operations: the same bits on every machine. Within 3 units in the last place;
//! results below 2⁻¹⁰²² are 0.
//! Reference: Cody & Waite, *Software Manual for the Elementary Functions*, 1980, chapter 6.

/// Adding it rounds to a whole number and leaves that number in the lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
/// ln 2 in two parts; products of the first with whole numbers below 2¹¹ are exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Where eˣ leaves the normal numbers.
const LOWEST: f64 = -708.0;
const HIGHEST: f64 = 709.0;
/// 1/k! from k = 13 down to 2.
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

/// eˣ; 0 below −708, infinite above 709, NaN for NaN.
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
    // The lowest bits of `shifted` are n; moved to the exponent they multiply by 2ⁿ.
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    let value = power * scale;
    let value = if x < LOWEST { 0.0 } else { value };
    if x > HIGHEST { f64::INFINITY } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units in the last place, of the polynomial's value and of the library's.
    const ULPS: f64 = 3.0;

    #[test]
    fn agrees_with_the_library_to_the_last_places() {
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
    fn the_ends_are_zero_infinite_and_nan() {
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

//! Quantiles of the χ² distribution, which squared Mahalanobis distances of Gaussian samples follow.
//!
//! P(a, x) = γ(a, x)/Γ(a) is computed from its series e⁻ˣxᵃ Σ xᵏ/Γ(a + k + 1), which converges for every x that occurs
//! here. Quantiles are found by bisection to the last bits. (Abramowitz & Stegun, 6.5.29.)

/// Returns P(χ²_p ≤ x) for p degrees of freedom.
pub(super) fn cumulative(degrees: usize, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (a, half) = (degrees as f64 / 2.0, x / 2.0);
    let (mut term, mut sum, mut k) = (1.0, 1.0, a);
    while term > 1e-17 * sum {
        k += 1.0;
        term *= half / k;
        sum += term;
    }
    (a * half.ln() - half - log_gamma(degrees) + sum.ln()).exp().min(1.0)
}

/// Returns ln Γ(p/2 + 1), computed by recursion down to Γ(1) = 1 or Γ(1/2) = √π.
fn log_gamma(degrees: usize) -> f64 {
    let mut factor = degrees as f64 / 2.0;
    let mut log = 0.0;
    while factor > 0.25 {
        log += factor.ln();
        factor -= 1.0;
    }
    if degrees % 2 == 1 { log + 0.5 * std::f64::consts::PI.ln() } else { log }
}

/// Returns the x with P(χ²_p ≤ x) = probability for p degrees of freedom.
pub(super) fn quantile(degrees: usize, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, degrees as f64 + 10.0);
    while cumulative(degrees, high) < probability {
        high *= 2.0;
    }
    while high - low > 4.0 * f64::EPSILON * high {
        let middle = 0.5 * (low + high);
        if cumulative(degrees, middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_degrees_are_exponential() {
        for probability in [0.025, 0.5, 0.975, 0.999] {
            let exact = -2.0 * f64::ln(1.0 - probability);
            assert!((quantile(2, probability) / exact - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn four_degrees_have_a_closed_form() {
        for x in [0.1, 1.0, 5.0, 30.0, 200.0] {
            let exact = 1.0 - (-x / 2.0f64).exp() * (1.0 + x / 2.0);
            assert!((cumulative(4, x) - exact).abs() < 1e-13);
        }
    }

    #[test]
    fn one_degree_is_a_squared_normal() {
        // 1.959963984540054 is the 97.5 % quantile of the standard normal distribution.
        assert!((quantile(1, 0.95).sqrt() - 1.959_963_984_540_054).abs() < 1e-12);
    }
}

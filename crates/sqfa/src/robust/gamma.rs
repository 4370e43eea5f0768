//! The function ln Γ, and maximum likelihood estimation of the degrees of freedom of a t distribution.
//!
//! ln Γ uses Stirling's series from 10 upwards and the recurrence below (Abramowitz & Stegun 6.1.15, 6.1.41). The
//! log-likelihood of ν for squared distances d² in p columns is Σ lnΓ((ν+p)/2) − lnΓ(ν/2) − (p/2) ln ν − ((ν+p)/2) ln(1
//! + d²/ν). It is maximized over ln ν.

/// Smallest and largest degrees of freedom in the search: from 1, the Cauchy distribution, to 100, where tails are
/// practically Gaussian.
pub(crate) const DEGREES: (f64, f64) = (1.0, 100.0);
/// Number of intervals of the initial grid.
const GRID: usize = 24;
/// Number of golden-section steps within the best interval.
const STEPS: usize = 30;
/// Argument from which Stirling's series is exact to the last bits.
const LARGE: f64 = 10.0;

/// Returns ln Γ(x) for x > 0.
pub(super) fn log_gamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 0.0);
    while x < LARGE {
        below += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let tail = series.iter().rev().fold(0.0, |sum, term| sum * square + term) * inverse;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + tail - below
}

/// Squared distances of one class, and how often each occurs.
pub(super) struct Distances<'a> {
    pub(super) dimension: usize,
    pub(super) squares: &'a [f64],
    pub(super) repeats: Option<&'a [f64]>,
}

impl Distances<'_> {
    fn log_likelihood(&self, degrees: f64) -> f64 {
        let p = self.dimension as f64;
        let half = 0.5 * (degrees + p);
        let constant = log_gamma(half) - log_gamma(0.5 * degrees) - 0.5 * p * degrees.ln();
        let one = |square: f64| constant - half * (square / degrees).ln_1p();
        match self.repeats {
            None => self.squares.iter().map(|&square| one(square)).sum(),
            Some(repeats) => self.squares.iter().zip(repeats).map(|(&d, n)| n * one(d)).sum(),
        }
    }
}

/// Returns the ν with the largest likelihood of the distances of all classes together.
pub(super) fn likely_degrees(classes: &[Distances<'_>]) -> f64 {
    let value = |log: f64| classes.iter().map(|class| class.log_likelihood(log.exp())).sum::<f64>();
    let (low, high) = (DEGREES.0.ln(), DEGREES.1.ln());
    let step = (high - low) / GRID as f64;
    let at = |k: usize| low + k as f64 * step;
    let values: Vec<f64> = (0..=GRID).map(|k| value(at(k))).collect();
    let best = (0..=GRID).reduce(|best, k| if values[k] > values[best] { k } else { best });
    let best = best.unwrap_or(0);
    let (mut a, mut b) = (at(best.saturating_sub(1)), at((best + 1).min(GRID)));
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut c, mut d) = (b - ratio * (b - a), a + ratio * (b - a));
    let (mut of_c, mut of_d) = (value(c), value(d));
    for _ in 0..STEPS {
        if of_c >= of_d {
            (b, d, of_d) = (d, c, of_c);
            c = b - ratio * (b - a);
            of_c = value(c);
        } else {
            (a, c, of_c) = (c, d, of_d);
            d = a + ratio * (b - a);
            of_d = value(d);
        }
    }
    let middle = 0.5 * (a + b);
    // Golden section only approaches an end of the range, so both ends are evaluated as well.
    let ends = [low, middle, high].map(|log| (value(log), log));
    let best = ends.into_iter().reduce(|best, end| if end.0 > best.0 { end } else { best });
    best.map_or(middle, |(_, log)| log).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_gamma_of_whole_and_half_numbers() {
        let mut whole = 0.0;
        let mut half = 0.5 * std::f64::consts::PI.ln();
        for k in 1..40 {
            let x = f64::from(k);
            assert!((log_gamma(x) - whole).abs() < 1e-13 * (1.0 + whole.abs()), "Γ({x})");
            assert!((log_gamma(x - 0.5) - half).abs() < 1e-13 * (1.0 + half.abs()), "Γ({x} − ½)");
            whole += x.ln();
            half += (x - 0.5).ln();
        }
    }

    #[test]
    fn densities_integrate_to_one() {
        // In one dimension, integrates the density of the likelihood over x > 0 with the substitution x = tan θ; twice
        // that must be 1.
        for degrees in [1.0, 2.5, 5.0, 30.0] {
            let count = 200_000;
            let step = std::f64::consts::FRAC_PI_2 / f64::from(count);
            let density = |x: f64| {
                let class = Distances { dimension: 1, squares: &[x * x], repeats: None };
                (class.log_likelihood(degrees) - 0.5 * std::f64::consts::PI.ln()).exp()
            };
            let sum: f64 = (0..count)
                .map(|k| (f64::from(k) + 0.5) * step)
                .map(|angle| density(angle.tan()) / angle.cos().powi(2))
                .sum();
            assert!((2.0 * sum * step - 1.0).abs() < 1e-6, "ν = {degrees}: {}", 2.0 * sum * step);
        }
    }

    #[test]
    fn the_estimated_degrees_maximize_the_likelihood() {
        // Squared quantiles of the Cauchy distribution, and of an almost Gaussian distribution.
        let count = 2000;
        let cauchy: Vec<f64> = (0..count)
            .map(|k| {
                (std::f64::consts::PI * ((f64::from(k) + 0.5) / f64::from(count) - 0.5))
                    .tan()
                    .powi(2)
            })
            .collect();
        let class = Distances { dimension: 1, squares: &cauchy, repeats: None };
        let found = likely_degrees(&[class]);
        assert!((found - 1.0).abs() < 0.02, "{found}");
        let narrow = vec![1.0; 50];
        let class = Distances { dimension: 1, squares: &narrow, repeats: None };
        assert_eq!(likely_degrees(&[class]), DEGREES.1.ln().exp());
    }
}

//! Accuracy of the best classifier of N(0, 1) and N(0, σ²), its log-odds and the Fisher–Rao distance.
//!
//! The densities cross at ±x₀ with x₀² = σ² ln σ² / (σ² − 1), and the accuracy is ½ + |Φ(x₀) − Φ(x₀/σ)|.

use super::{distance, evenly};
use crate::{About, Context, Item, ItemKind, Made, PaperError};
use sqfa_lab::figure::{Axis, Figure, Line, Mark, Panel, Style};

/// The figure.
pub(crate) struct OneDimension;

impl Item for OneDimension {
    fn about(&self) -> About {
        About {
            name: "bayes-1d",
            kind: ItemKind::Figure,
            paper: "Figure 6",
            title: "Bayes error of two Gaussians in 1-D",
            takes: "a second",
        }
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(one_dimension()?))
    }
}

fn one_dimension() -> Result<Figure, PaperError> {
    let logs = evenly(-2.0, 2.0, 51);
    let accuracies: Vec<f64> = logs.iter().map(|log| accuracy(10f64.powf(*log))).collect();
    let mut distances = Vec::new();
    for &log in &logs {
        distances.push(distance("fisher-rao", [&[0.0]; 2], [&[1.0], &[10f64.powf(log)]])?);
    }
    let odds = accuracies.iter().map(|share| (share / (1.0 - share)).ln()).collect();
    let panel = |title: &str, label: &str, values: Vec<f64>| {
        let points = logs.iter().copied().zip(values).collect();
        Panel::new(title, Axis::linear("log₁₀ σ²"), Axis::linear(label))
            .with(Mark::Line(Line::new(title, Style::series(0), points).plain()))
    };
    let panels = vec![
        panel("Bayes accuracy", "share correct", accuracies),
        panel("Log-odds of being correct", "log-odds", odds),
        panel("Fisher–Rao distance", "distance", distances),
    ];
    Ok(Figure::grid("Distance and Bayes error of N(0, 1) and N(0, σ²)", 3, 320.0, 260.0, panels))
}

/// The share of points that the best classifier gets right, both classes equally frequent.
pub(super) fn accuracy(variance: f64) -> f64 {
    let difference = variance - 1.0;
    // Near one the quotient is its limit to first order.
    let crossing = if difference.abs() < 1e-8 {
        1.0 + difference / 2.0
    } else {
        variance * variance.ln() / difference
    };
    let x = crossing.max(0.0).sqrt();
    0.5 + (normal_mass(x) - normal_mass(x / variance.sqrt())).abs()
}

/// ∫₀ˣ of the standard normal density by its series, which converges everywhere.
fn normal_mass(x: f64) -> f64 {
    /// Beyond it the rest is below 10⁻¹⁵ and the series would be long.
    const FAR: f64 = 8.0;
    if x.abs() > FAR {
        return 0.5 * x.signum();
    }
    // φ(x)·(x + x³/3 + x⁵/15 + …): all terms have one sign.
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.abs() > f64::EPSILON * sum.abs() {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_are_those_of_tables_and_accuracies_of_an_integral() {
        // Standard normal table.
        for (x, mass) in [(1.0, 0.341_344_746_068_543), (1.96, 0.475_002_104_851_780)] {
            assert!((normal_mass(x) - mass).abs() < 1e-12);
        }
        // ½ ∫ max(p, q) by the midpoint rule, whose error here is far below the tolerance.
        for variance in [0.1_f64, 0.9999, 1.0, 3.0, 25.0] {
            let (step, reach) = (1e-3, 60.0);
            let density =
                |x: f64, v: f64| (-0.5 * x * x / v).exp() / (2.0 * std::f64::consts::PI * v).sqrt();
            let count = (2.0 * reach / step) as usize;
            let sum: f64 = (0..count)
                .map(|k| -reach + step * (k as f64 + 0.5))
                .map(|x| density(x, 1.0).max(density(x, variance)))
                .sum();
            let integral = 0.5 * step * sum;
            assert!((accuracy(variance) - integral).abs() < 1e-6, "{variance}: {integral}");
        }
    }
}

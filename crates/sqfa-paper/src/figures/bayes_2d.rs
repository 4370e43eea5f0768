//! Accuracy of the best classifier of N(0, I) and N(0, diag(σ₁², σ₂²)) in the plane, its log-odds and the
//! Fisher–Rao distance: level sets, slices and examples.
//!
//! The accuracy is an average over seeded points: standard normal ones, used as they are for the first class and scaled
//! for the second. The Fisher–Rao distance is not divided by a further √2, as the paper's slices are.

use rayon::prelude::*;

use super::levels::Grid;
use super::{distance, evenly, look};
use crate::{About, Context, Item, ItemKind, Made, PaperError};
use sqfa_io::datasets::matrix::{normal, stream};
use sqfa_lab::figure::{Axis, Color, Dash, Ellipse, Figure, Mark, Panel};

/// Points of the grid along one axis.
const POINTS: usize = 51;
/// Rows of the grid whose values are drawn below: 0, 0.56 and 1.12.
const SLICES: [usize; 3] = [25, 32, 39];
/// How often points are drawn afresh.
const REPETITIONS: u64 = 2;
/// Level sets of every number.
const LEVELS: usize = 8;
/// Exponents of the examples below, along both axes.
const EXAMPLES: [(f64, f64); 3] = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)];

/// Points of one repetition, as in the paper.
const DRAWS: usize = 100_000;

/// The figure.
pub(crate) struct TwoDimensions;

impl Item for TwoDimensions {
    fn about(&self) -> About {
        About {
            name: "bayes-2d",
            kind: ItemKind::Figure,
            paper: "Figure 7",
            title: "Bayes error of two Gaussians in 2-D",
            takes: "seconds",
        }
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(two_dimensions(DRAWS)?))
    }
}

fn two_dimensions(draws: usize) -> Result<Figure, PaperError> {
    let logs = evenly(-2.0, 2.0, POINTS);
    let accuracies = accuracies(&logs, draws);
    let odds: Vec<f64> = accuracies.iter().map(|share| (share / (1.0 - share)).ln()).collect();
    let mut distances = Vec::with_capacity(POINTS * POINTS);
    for y in &logs {
        for x in &logs {
            let variances = [10f64.powf(*x), 10f64.powf(*y)];
            distances.push(distance("fisher-rao", [&[0.0; 2]; 2], [&[1.0; 2], &variances])?);
        }
    }
    let grids = [
        ("Bayes accuracy", &accuracies),
        ("Log-odds of being correct", &odds),
        ("Fisher–Rao distance", &distances),
    ]
    .map(|(title, values)| Grid { title, logs: &logs, values });
    let mut panels: Vec<Panel> = grids.iter().map(|grid| grid.contours(LEVELS, &SLICES)).collect();
    panels.extend(grids.iter().map(|grid| grid.slices(&SLICES)));
    panels.extend(EXAMPLES.map(example));
    Ok(Figure::grid(
        "Distance and Bayes error of two Gaussians in the plane",
        3,
        380.0,
        300.0,
        panels,
    ))
}

/// The share of points that the best classifier gets right, row by row of the grid.
fn accuracies(logs: &[f64], draws: usize) -> Vec<f64> {
    let squares: Vec<(f64, f64)> = (0..REPETITIONS)
        .flat_map(|repetition| {
            let mut rng = stream(0, repetition);
            let draw = move |_| (normal(&mut rng).powi(2), normal(&mut rng).powi(2));
            (0..draws).map(draw).collect::<Vec<_>>()
        })
        .collect();
    let variances: Vec<f64> = logs.iter().map(|log| 10f64.powf(*log)).collect();
    let cells: Vec<(f64, f64)> =
        variances.iter().flat_map(|&y| variances.iter().map(move |&x| (x, y))).collect();
    cells.into_par_iter().map(|(x, y)| accuracy(&squares, x, y)).collect()
}

/// The second class is chosen where ln σ₁²σ₂² < (1 − 1/σ₁²)x² + (1 − 1/σ₂²)y².
fn accuracy(squares: &[(f64, f64)], x: f64, y: f64) -> f64 {
    let level = (x * y).ln();
    let (a, b) = (1.0 - 1.0 / x, 1.0 - 1.0 / y);
    // The same points scaled by σ belong to the second class.
    let (scaled_a, scaled_b) = (a * x, b * y);
    let first = squares.iter().filter(|(u, v)| a * u + b * v <= level).count();
    let second = squares.iter().filter(|(u, v)| scaled_a * u + scaled_b * v > level).count();
    (first + second) as f64 / (2 * squares.len()).max(1) as f64
}

/// N(0, I/4) and the same with its variances multiplied by powers of ten.
fn example((x, y): (f64, f64)) -> Panel {
    let title = format!("log₁₀ σ₁² = {x}, log₁₀ σ₂² = {y}");
    let axis = |label: &str| Axis::linear(label).spanning(-3.6, 3.6);
    let mut panel = Panel::new(title, axis("x₁"), axis("x₂"));
    panel.equal = true;
    let ellipse = |color: Color, a: f64, b: f64| Ellipse {
        name: String::new(),
        color,
        dash: Dash::Solid,
        center: (0.0, 0.0),
        covariance: (a / 4.0, 0.0, b / 4.0),
        radius: 2.0,
        filled: true,
        tip: String::new(),
    };
    panel.with(Mark::Ellipse(ellipse(look::class(0).color, 1.0, 1.0))).with(Mark::Ellipse(ellipse(
        look::class(1).color,
        10f64.powf(x),
        10f64.powf(y),
    )))
}

#[cfg(test)]
mod tests {
    use super::super::bayes;
    use super::*;
    use sqfa_lab::figure::Place;

    #[test]
    fn the_figure_renders() {
        let figure = two_dimensions(500).unwrap();
        crate::figures::tests::renders(&figure.svg(Place::File), "bayes-2d");
    }

    #[test]
    fn one_equal_variance_leaves_the_analytic_accuracy_of_one_dimension() {
        const DRAWS: usize = 20_000;
        let logs = evenly(-2.0, 2.0, 9);
        let found = accuracies(&logs, DRAWS);
        // Four standard errors of a share of 2 · 20 000 independent points.
        let close = 4.0 * 0.5 / (2.0 * DRAWS as f64).sqrt();
        for (at, log) in logs.iter().enumerate() {
            let exact = bayes::accuracy(10f64.powf(*log));
            let (along_x, along_y) = (found[4 * 9 + at], found[at * 9 + 4]);
            assert!((along_x - exact).abs() < close, "{log}: {along_x} {exact}");
            assert!((along_y - exact).abs() < close, "{log}: {along_y} {exact}");
        }
        // Equal variances σ² on both axes: the radius decides, and r² is exponential.
        let variance = 10f64;
        let radius = variance * variance.ln() / (variance - 1.0);
        let exact = 0.5 * (1.0 - (-radius).exp() + (-radius / variance).exp());
        assert!((found[6 * 9 + 6] - exact).abs() < close, "{} {exact}", found[6 * 9 + 6]);
    }
}

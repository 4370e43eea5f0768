//! Three distances between N(0, I) and N(0, diag(σ₁², σ₂²)): level sets and slices.

use super::growth::DISTANCES;
use super::{distance, evenly};
use crate::figure::{Axis, Colour, Dash, Figure, Line, Map, Mark, Marker, Panel, Rule, Style};
use crate::paper::PaperError;
use crate::paper::contour::contour;

/// Points of the grid along one axis.
const POINTS: usize = 51;
/// Rows of the grid whose values are drawn below: 0, 0.8 and 1.6.
const SLICES: [usize; 3] = [25, 35, 45];

pub(super) fn two_variances() -> Result<Figure, PaperError> {
    let logs = evenly(-2.0, 2.0, POINTS);
    let (mut top, mut bottom) = (Vec::new(), Vec::new());
    for (name, title) in DISTANCES {
        let levels = if name == "hellinger" { 16 } else { 8 };
        let mut values = Vec::with_capacity(POINTS * POINTS);
        for y in &logs {
            for x in &logs {
                let variances = [10f64.powf(*x), 10f64.powf(*y)];
                values.push(distance(name, [&[0.0; 2]; 2], [&[1.0; 2], &variances])?);
            }
        }
        let largest = values.iter().copied().fold(0.0, f64::max);
        let mut panel = Panel::new(title, Axis::linear("log₁₀ σ₁²"), Axis::linear("log₁₀ σ₂²"));
        panel.equal = true;
        for level in 1..=levels {
            let share = level as f64 / (levels + 1) as f64;
            let (r, g, b) = Map::Spectrum.colour(share);
            let colour = Colour::Rgb(r, g, b);
            let style = Style { colour, marker: Marker::Circle, dash: Dash::Solid };
            let path = contour(&values, &logs, &logs, share * largest);
            panel = panel.with(Mark::Line(Line::new("", style, path).plain()));
        }
        for row in SLICES {
            panel = panel.with(Mark::Rule(Rule::Horizontal(logs[row])));
        }
        top.push(panel);
        let mut panel = Panel::new("", Axis::linear("log₁₀ σ₁²"), Axis::linear(title));
        for (index, row) in SLICES.into_iter().enumerate() {
            let slice = &values[row * POINTS..][..POINTS];
            let points = logs.iter().copied().zip(slice.iter().copied()).collect();
            let label = format!("log₁₀ σ₂² = {:.1}", logs[row]);
            panel = panel.with(Mark::Line(Line::new(label, Style::series(index), points).plain()));
        }
        bottom.push(panel);
    }
    bottom = bottom.into_iter().map(Panel::with_legend).collect();
    top.extend(bottom);
    Ok(Figure::grid("Three distances over two variances", 3, 380.0, 300.0, top))
}

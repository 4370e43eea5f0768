//! Level sets of numbers over two variances, and slices through them.

use crate::contour::contour;
use sqfa_lab::figure::{Axis, Color, Dash, Line, Map, Mark, Marker, Panel, Rule, Style};

/// Numbers on a square grid of log₁₀ σ₁² (columns) and log₁₀ σ₂² (rows).
pub(super) struct Grid<'a> {
    pub(super) title: &'a str,
    pub(super) logs: &'a [f64],
    pub(super) values: &'a [f64],
}

/// More levels than this are named every second time.
const NAMED: usize = 10;

impl Grid<'_> {
    /// Level sets at even steps from the least to the largest number, with their values beside them.
    pub(super) fn contours(&self, levels: usize, slices: &[usize]) -> Panel {
        let axes = (Axis::linear("log₁₀ σ₁²"), Axis::linear("log₁₀ σ₂²"));
        let mut panel = Panel::new(self.title, axes.0, axes.1).with_legend();
        panel.equal = true;
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        let low = finite().fold(f64::INFINITY, f64::min);
        let high = finite().fold(f64::NEG_INFINITY, f64::max);
        let step = if levels > NAMED { 2 } else { 1 };
        for level in (1..=levels).rev() {
            let share = level as f64 / (levels + 1) as f64;
            let value = low + share * (high - low);
            let (r, g, b) = Map::Spectrum.color(share);
            let color = Color::Rgb(r, g, b);
            let style = Style { color, marker: Marker::Circle, dash: Dash::Solid };
            let path = contour(self.values, self.logs, self.logs, value);
            let name = if level % step == 0 { format!("{value:.2}") } else { String::new() };
            panel = panel.with(Mark::Line(Line::new(name, style, path).plain()));
        }
        for &row in slices {
            panel = panel.with(Mark::Rule(Rule::Horizontal(self.logs[row])));
        }
        panel
    }

    /// The numbers along some rows.
    pub(super) fn slices(&self, rows: &[usize]) -> Panel {
        let axes = (Axis::linear("log₁₀ σ₁²"), Axis::linear(self.title));
        let mut panel = Panel::new("", axes.0, axes.1).with_legend();
        let columns = self.logs.len();
        // Colors that neither a distance nor a method has.
        const LOOKS: [usize; 3] = [3, 4, 6];
        for (index, &row) in rows.iter().enumerate() {
            let slice = &self.values[row * columns..][..columns];
            let points = self.logs.iter().copied().zip(slice.iter().copied()).collect();
            let label = format!("σ₂² = 10^{:.2}", self.logs[row]);
            let dash = [Dash::Solid, Dash::Dashed, Dash::Dotted][index % 3];
            let style = Style { dash, ..Style::series(LOOKS[index % LOOKS.len()]) };
            panel = panel.with(Mark::Line(Line::new(label, style, points).plain()));
        }
        panel
    }
}

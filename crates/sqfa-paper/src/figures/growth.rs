//! Growth of three distances with the distance of means (A) and with the ratio of variances (B).

use super::{distance, evenly};
use crate::{About, Context, Item, ItemKind, Made, PaperError};
use sqfa_lab::figure::{Axis, Figure, Line, Mark, Panel, Style};

/// The distances and how the legend writes them.
pub(super) const DISTANCES: [(&str, &str); 3] =
    [("fisher-rao", "Fisher–Rao"), ("hellinger", "Hellinger"), ("bhattacharyya", "Bhattacharyya")];

/// The figure.
pub(crate) struct Growth;

impl Item for Growth {
    fn about(&self) -> About {
        About {
            name: "growth",
            kind: ItemKind::Figure,
            paper: "Figure 2",
            title: "growth of three distances",
            takes: "a second",
        }
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(growth()?))
    }
}

fn growth() -> Result<Figure, PaperError> {
    let mut by_mean = Panel::new(
        "A  Different means",
        Axis::linear("Mahalanobis distance"),
        Axis::linear("distance").spanning(0.0, 8.0),
    );
    let mut by_variance = Panel::new(
        "B  Different variances",
        Axis::linear("log₁₀ of the ratio of variances"),
        Axis::linear("distance").spanning(0.0, 5.0),
    );
    for (index, (name, title)) in DISTANCES.into_iter().enumerate() {
        let style = Style::series(index);
        let mut points = Vec::new();
        for d in evenly(0.0, 10.0, 41) {
            points.push((d, distance(name, [&[0.0; 4], &[d, 0.0, 0.0, 0.0]], [&[1.0; 4]; 2])?));
        }
        // Beyond the frame a curve would only be cut off.
        points.retain(|point| point.1 <= 8.0);
        by_mean = by_mean.with(Mark::Line(Line::new(title, style, points).plain()));
        let mut points = Vec::new();
        for log in evenly(-3.0, 3.0, 51) {
            let ratio = 10f64.powf(log);
            points.push((log, distance(name, [&[0.0]; 2], [&[1.0], &[ratio]])?));
        }
        by_variance = by_variance.with(Mark::Line(Line::new(title, style, points).plain()));
    }
    let panels = vec![by_mean, by_variance.with_legend()];
    Ok(Figure::grid("Growth of three distances between Gaussians", 2, 440.0, 300.0, panels))
}

//! Calvo–Oller against the exact Fisher–Rao distance when covariances are equal.

use super::{distance, evenly, look};
use crate::{About, Context, Item, ItemKind, Made, PaperError};
use sqfa_lab::figure::{Axis, Figure, Line, Mark, Panel, Style};

/// The largest Mahalanobis distance.
const FARTHEST: f64 = 20.0;

/// The figure.
pub(crate) struct EqualCovariance;

impl Item for EqualCovariance {
    fn about(&self) -> About {
        About {
            name: "calvo-oller",
            kind: ItemKind::Figure,
            paper: "Figure 8",
            title: "Calvo–Oller at equal covariance",
            takes: "a second",
        }
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(equal_covariance()?))
    }
}

fn equal_covariance() -> Result<Figure, PaperError> {
    let mut points = Vec::new();
    for d in evenly(0.0, FARTHEST, 41) {
        let bound = distance("calvo-oller", [&[0.0; 4], &[d, 0.0, 0.0, 0.0]], [&[1.0; 4]; 2])?;
        points.push((2f64.sqrt() * (1.0 + d * d / 4.0).acosh(), bound));
    }
    let end = points.last().map_or(0.0, |point| point.0);
    let mut panel = Panel::new(
        "Equal covariances, Mahalanobis distances 0 to 20",
        Axis::linear("Fisher–Rao distance"),
        Axis::linear("Calvo–Oller bound"),
    )
    .with(Mark::Line(
        Line::new("identity", look::reference(), vec![(0.0, 0.0), (end, end)]).plain(),
    ))
    .with(Mark::Line(Line::new("Calvo–Oller", Style::series(0), points)));
    panel.legend = true;
    Ok(Figure::single("Calvo–Oller bound against the exact distance", 480.0, 340.0, panel))
}

#[cfg(test)]
mod tests {
    use super::super::distance;

    #[test]
    fn the_bound_along_one_mean_has_its_closed_form() {
        // Ω₁⁻¹Ω₂ acts in two dimensions with trace 2 + d² and determinant 1, so ½·2·ln²λ = arccosh²(1 + d²/2).
        for d in [0.5_f64, 3.0, 20.0] {
            let bound = distance("calvo-oller", [&[0.0; 4], &[d, 0.0, 0.0, 0.0]], [&[1.0; 4]; 2]);
            let exact = (1.0 + d * d / 2.0).acosh();
            // The registry's 10⁻⁶ under the root.
            assert!((bound.unwrap() - exact).abs() < 2e-6);
        }
    }
}

//! Calvo–Oller against the exact Fisher–Rao distance of every pair of classes in SQFA's features, m = 8.

use sqfa::fisher_rao::{FisherRaoOptions, fisher_rao_pairwise};

use super::look;
use crate::fits::Fits;
use crate::tables::ALL_SETS;
use crate::tables::fisher_rao::{gaussians, noise};
use crate::{About, Context, Item, ItemKind, Made, Needs, Options, PaperError};
use sqfa_lab::figure::{Axis, Figure, Line, Mark, Panel, Points, Style};

/// Filters of the figure.
const FILTERS: usize = 8;

/// The figure.
pub(crate) struct Scatter;

impl Item for Scatter {
    fn about(&self) -> About {
        About {
            name: "co-vs-fr",
            kind: ItemKind::Figure,
            paper: "Figure 5",
            title: "Calvo–Oller against exact Fisher–Rao",
            takes: "a minute",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets_and_filters(&ALL_SETS, FILTERS)
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let all = context.shared_fits(self, |cells| {
            cells.of_methods(&["sqfa"]).of_filters(FILTERS).first_seed()
        })?;
        Ok(Made::Figure(scatter(&all)?))
    }
}

/// One panel a data set: the pairs, the identity, and correlation and mean ratio in the heading.
fn scatter(all: &[Fits]) -> Result<Figure, PaperError> {
    let mut panels = Vec::new();
    for fits in all {
        let title = fits.title.as_str();
        let own = noise(fits, FILTERS).and_then(|noise| gaussians(fits, "sqfa", FILTERS, noise));
        let Some(own) = own else {
            return Err(PaperError::numbers(
                format!("co-vs-fr on {title}"),
                format!(
                    "SQFA with {FILTERS} filters has not been run: leave out --filters and --methods"
                ),
            ));
        };
        let pairs = fisher_rao_pairwise(&own?, &FisherRaoOptions::default(), &[])
            .map_err(|error| PaperError::numbers("Fisher–Rao distances", error))?;
        let points: Vec<(f64, f64)> =
            pairs.iter().map(|pair| (pair.distance, pair.lower)).collect();
        let ratio = points.iter().map(|(exact, bound)| bound / exact).sum::<f64>()
            / points.len().max(1) as f64;
        let heading = format!("{title}: correlation {:.3}, ratio {ratio:.3}", correlation(&points));
        let end = points.iter().fold(0.0_f64, |end, point| end.max(point.0));
        let axes = (Axis::linear("Fisher–Rao distance"), Axis::linear("Calvo–Oller bound"));
        panels.push(
            Panel::new(heading, axes.0, axes.1)
                .with(Mark::Line(
                    Line::new("", look::reference(), vec![(0.0, 0.0), (end, end)]).plain(),
                ))
                .with(Mark::Points(Points {
                    name: title.to_owned(),
                    style: Style::series(0),
                    points,
                    tips: Vec::new(),
                    hollow: Vec::new(),
                    radius: 2.4,
                    opacity: 0.7,
                })),
        );
    }
    let description = "Calvo–Oller bound against the exact Fisher–Rao distance of class pairs";
    Ok(Figure::grid(description, panels.len(), 380.0, 320.0, panels))
}

/// Pearson's correlation.
fn correlation(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|p| term(p.0 - x, p.1 - y)).sum()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_of_lines_are_one_and_of_a_square_zero() {
        let line: Vec<_> = (0..9).map(|k| (f64::from(k), 3.0 - 2.0 * f64::from(k))).collect();
        assert!((correlation(&line) + 1.0).abs() < 1e-12);
        let square = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];
        assert!(correlation(&square).abs() < 1e-12);
    }
}

//! Three distances between N(0, I) and N(0, diag(σ₁², σ₂²)): level sets and slices.

use super::growth::DISTANCES;
use super::levels::Grid;
use super::{distance, evenly};
use crate::{About, Context, Item, ItemKind, Made, PaperError};
use sqfa_lab::figure::Figure;

/// Points of the grid along one axis.
const POINTS: usize = 51;
/// Rows of the grid whose values are drawn below: 0, 0.8 and 1.6.
const SLICES: [usize; 3] = [25, 35, 45];

/// The figure.
pub(crate) struct TwoVariances;

impl Item for TwoVariances {
    fn about(&self) -> About {
        About {
            name: "distances-2d",
            kind: ItemKind::Figure,
            paper: "Figure 10",
            title: "three distances over two variances",
            takes: "a second",
        }
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(two_variances()?))
    }
}

fn two_variances() -> Result<Figure, PaperError> {
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
        let grid = Grid { title, logs: &logs, values: &values };
        top.push(grid.contours(levels, &SLICES));
        bottom.push(grid.slices(&SLICES));
    }
    top.extend(bottom);
    Ok(Figure::grid("Three distances over two variances", 3, 380.0, 300.0, top))
}

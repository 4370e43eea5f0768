//! What can be drawn in a panel, in data coordinates.

use super::{Bitmap, Color, Dash, Map, Range, Style};

/// One thing in a panel.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// Joined points with markers.
    Line(Line),
    /// The area between two curves.
    Band(Band),
    /// Points on their own.
    Points(Points),
    /// A rotated ellipse.
    Ellipse(Ellipse),
    /// An arrow.
    Arrow(Arrow),
    /// A grid of colored cells.
    HeatMap(HeatMap),
    /// A picture.
    Picture(Picture),
    /// A horizontal or vertical line through the panel.
    Rule(Rule),
    /// Text.
    Note(Note),
    /// A horizontal bar.
    Bar(Bar),
}

/// Joined points with markers.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name in the legend; none when empty.
    pub name: String,
    /// How it looks.
    pub style: Style,
    /// The points; a coordinate that is not finite breaks the line.
    pub points: Vec<(f64, f64)>,
    /// What each point says when pointed at; may be shorter than the points.
    pub tips: Vec<String>,
    /// Whether every point has a marker.
    pub markers: bool,
    /// Width in pixels.
    pub width: f64,
}

impl Line {
    /// A line with markers.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), style, points, tips: Vec::new(), markers: true, width: 1.8 }
    }

    /// The same line without markers.
    pub fn plain(mut self) -> Self {
        self.markers = false;
        self
    }

    /// The same line whose points speak.
    pub fn tips(mut self, tips: Vec<String>) -> Self {
        self.tips = tips;
        self
    }
}

/// The area between two curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// The series it belongs to, which hides it too.
    pub name: String,
    /// Its color.
    pub color: Color,
    /// Horizontal position, lower and upper end.
    pub edges: Vec<(f64, f64, f64)>,
}

/// Points on their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// Their name in the legend; none when empty.
    pub name: String,
    /// How they look.
    pub style: Style,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
    /// What each says when pointed at; may be shorter than the points.
    pub tips: Vec<String>,
    /// Which are only outlined; may be shorter than the points.
    pub hollow: Vec<bool>,
    /// Radius in pixels.
    pub radius: f64,
    /// Opacity, 0 … 1.
    pub opacity: f64,
}

/// An ellipse {μ + radius·L u : |u| = 1} with LLᵀ the covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipse {
    /// The series it belongs to.
    pub name: String,
    /// Its color.
    pub color: Color,
    /// Its dash.
    pub dash: Dash,
    /// The center.
    pub center: (f64, f64),
    /// The covariance: xx, xy, yy.
    pub covariance: (f64, f64, f64),
    /// Standard deviations.
    pub radius: f64,
    /// Whether it is shaded; many ellipses are better thin and clear.
    pub filled: bool,
    /// What it says when pointed at.
    pub tip: String,
}

impl Ellipse {
    /// Semi-axes and the angle of the first in radians, from the eigenvalues of the covariance.
    pub fn axes(&self) -> (f64, f64, f64) {
        let (xx, xy, yy) = self.covariance;
        let (middle, half) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        let axis = |variance: f64| self.radius * variance.max(0.0).sqrt();
        (axis(middle + half), axis(middle - half), angle)
    }
}

/// An arrow from one place to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrow {
    /// The series it belongs to.
    pub name: String,
    /// Its color.
    pub color: Color,
    /// Where it begins.
    pub from: (f64, f64),
    /// Where it points.
    pub to: (f64, f64),
}

/// A grid of colored cells; row 0 is drawn at the top when the vertical axis says so.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// Values, row by row; cell (i, j) is centered at (j, i).
    pub values: Vec<f64>,
    /// Cells in a row.
    pub columns: usize,
    /// Values of the map's ends.
    pub range: Range,
    /// The colors.
    pub map: Map,
    /// A text for each cell; none when empty.
    pub texts: Vec<String>,
    /// What each cell says when pointed at; none when empty.
    pub tips: Vec<String>,
}

/// A picture stretched over a rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Its pixels.
    pub bitmap: Bitmap,
    /// Left and right edge.
    pub x: (f64, f64),
    /// Lower and upper edge.
    pub y: (f64, f64),
}

/// A horizontal or vertical line through the panel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// At this height.
    Horizontal(f64),
    /// At this horizontal position.
    Vertical(f64),
}

/// Text at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Where it begins.
    pub at: (f64, f64),
    /// What it says.
    pub text: String,
    /// Its color.
    pub color: Color,
}

/// A horizontal bar from 0 to a value at a height, one unit apart from its neighbors.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The series it belongs to.
    pub name: String,
    /// Its color.
    pub color: Color,
    /// The height of its middle.
    pub at: f64,
    /// Where it begins and ends.
    pub span: (f64, f64),
    /// What it says when pointed at.
    pub tip: String,
}

/// A name in a legend.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) style: Style,
    /// Whether it shows a line.
    pub(super) joined: bool,
    /// Whether it shows a marker.
    pub(super) marked: bool,
}

impl Mark {
    /// The places that the axes must cover.
    pub(super) fn extent(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Line(line) => line.points.clone(),
            Self::Points(points) => points.points.clone(),
            Self::Band(band) => {
                band.edges.iter().flat_map(|&(x, low, high)| [(x, low), (x, high)]).collect()
            }
            Self::Ellipse(ellipse) => {
                let reach = |variance: f64| ellipse.radius * variance.max(0.0).sqrt();
                let (dx, dy) = (reach(ellipse.covariance.0), reach(ellipse.covariance.2));
                let (x, y) = ellipse.center;
                vec![(x - dx, y - dy), (x + dx, y + dy)]
            }
            Self::Arrow(arrow) => vec![arrow.from, arrow.to],
            Self::HeatMap(map) => {
                let rows = map.values.len().checked_div(map.columns).unwrap_or(0);
                vec![(-0.5, -0.5), (map.columns as f64 - 0.5, rows as f64 - 0.5)]
            }
            Self::Picture(picture) => {
                vec![(picture.x.0, picture.y.0), (picture.x.1, picture.y.1)]
            }
            Self::Rule(Rule::Horizontal(y)) => vec![(f64::NAN, *y)],
            Self::Rule(Rule::Vertical(x)) => vec![(*x, f64::NAN)],
            Self::Note(note) => vec![note.at],
            Self::Bar(bar) => vec![(bar.span.0, bar.at - 0.5), (bar.span.1, bar.at + 0.5)],
        }
    }

    /// The entry it wants in a legend, which looks like the mark itself.
    pub(super) fn legend(&self) -> Option<Entry<'_>> {
        match self {
            Self::Line(line) if !line.name.is_empty() => Some(Entry {
                name: &line.name,
                style: line.style,
                joined: true,
                marked: line.markers,
            }),
            Self::Points(points) if !points.name.is_empty() => {
                Some(Entry { name: &points.name, style: points.style, joined: false, marked: true })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipse_has_the_eigenvalues_of_its_covariance() {
        // Variances 9 and 1 along 30° and 120°.
        let (c, s) = (30f64.to_radians().cos(), 30f64.to_radians().sin());
        let covariance = (9.0 * c * c + s * s, 8.0 * c * s, 9.0 * s * s + c * c);
        let ellipse = Ellipse {
            name: String::new(),
            color: Color::Ink,
            dash: Dash::Solid,
            center: (0.0, 0.0),
            covariance,
            radius: 2.0,
            filled: true,
            tip: String::new(),
        };
        let (long, short, angle) = ellipse.axes();
        // A few roundings of numbers below 10.
        const ROUNDING: f64 = 1e-12;
        assert!((long - 6.0).abs() < ROUNDING && (short - 2.0).abs() < ROUNDING);
        assert!((angle - 30f64.to_radians()).abs() < ROUNDING);
    }
}

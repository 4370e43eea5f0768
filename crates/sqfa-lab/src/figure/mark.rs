//! Marks that can be drawn in a panel, in data coordinates.

use super::{Bitmap, Color, Dash, Map, Range, Style};

/// A mark in a panel.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line through points, with or without markers.
    Line(Line),
    /// The area between two curves.
    Band(Band),
    /// Points that are not joined.
    Points(Points),
    /// A rotated ellipse.
    Ellipse(Ellipse),
    /// An arrow.
    Arrow(Arrow),
    /// A grid of colored cells.
    HeatMap(HeatMap),
    /// An image.
    Picture(Picture),
    /// A horizontal or vertical line through the panel.
    Rule(Rule),
    /// A text.
    Note(Note),
    /// A horizontal bar.
    Bar(Bar),
}

/// A line through points, with or without markers.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The name in the legend. Empty for none.
    pub name: String,
    /// The style of the line and its markers.
    pub style: Style,
    /// The points. The line is interrupted at coordinates that are not finite.
    pub points: Vec<(f64, f64)>,
    /// The tooltips of the points. There may be fewer tooltips than points.
    pub tips: Vec<String>,
    /// Whether points have markers.
    pub markers: bool,
    /// The width in pixels.
    pub width: f64,
}

impl Line {
    /// Returns a line with markers.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), style, points, tips: Vec::new(), markers: true, width: 1.8 }
    }

    /// Returns the line without markers.
    pub fn plain(mut self) -> Self {
        self.markers = false;
        self
    }

    /// Returns the line with tooltips.
    pub fn tips(mut self, tips: Vec<String>) -> Self {
        self.tips = tips;
        self
    }
}

/// The area between two curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// The name of its series, with which it is hidden.
    pub name: String,
    /// The color.
    pub color: Color,
    /// The horizontal position, the lower and the upper end of each pair of points.
    pub edges: Vec<(f64, f64, f64)>,
}

/// Points that are not joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// The name in the legend. Empty for none.
    pub name: String,
    /// The style of the markers.
    pub style: Style,
    /// The coordinates of the points.
    pub points: Vec<(f64, f64)>,
    /// The tooltips of the points. There may be fewer tooltips than points.
    pub tips: Vec<String>,
    /// Whether each point is only outlined. There may be fewer values than points.
    pub hollow: Vec<bool>,
    /// The radius in pixels.
    pub radius: f64,
    /// The opacity between 0 and 1.
    pub opacity: f64,
}

/// An ellipse {μ + radius·L u : |u| = 1}, where LLᵀ is the covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipse {
    /// The name of its series.
    pub name: String,
    /// The color.
    pub color: Color,
    /// The dash of the line.
    pub dash: Dash,
    /// The center.
    pub center: (f64, f64),
    /// The entries xx, xy and yy of the covariance.
    pub covariance: (f64, f64, f64),
    /// The radius in standard deviations.
    pub radius: f64,
    /// Whether the ellipse is filled. Many ellipses are clearer without fill.
    pub filled: bool,
    /// The tooltip.
    pub tip: String,
}

impl Ellipse {
    /// Returns the semi-axes, and the angle of the first one in radians, from the eigenvalues of
    /// the covariance.
    pub fn axes(&self) -> (f64, f64, f64) {
        let (xx, xy, yy) = self.covariance;
        let (middle, half) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
        let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
        let axis = |variance: f64| self.radius * variance.max(0.0).sqrt();
        (axis(middle + half), axis(middle - half), angle)
    }
}

/// An arrow.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrow {
    /// The name of its series.
    pub name: String,
    /// The color.
    pub color: Color,
    /// The start.
    pub from: (f64, f64),
    /// The tip.
    pub to: (f64, f64),
}

/// A grid of colored cells. Row 0 is at the top if the vertical axis grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// The values in row-major order. Cell (i, j) is centered at (j, i).
    pub values: Vec<f64>,
    /// The number of cells per row.
    pub columns: usize,
    /// The values at the ends of the color map.
    pub range: Range,
    /// The color map.
    pub map: Map,
    /// The text of each cell. Empty for none.
    pub texts: Vec<String>,
    /// The tooltip of each cell. Empty for none.
    pub tips: Vec<String>,
}

/// An image that is stretched to a rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The pixels.
    pub bitmap: Bitmap,
    /// The left and right edge.
    pub x: (f64, f64),
    /// The lower and upper edge.
    pub y: (f64, f64),
}

/// A horizontal or vertical line through the panel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// A horizontal line at a vertical position.
    Horizontal(f64),
    /// A vertical line at a horizontal position.
    Vertical(f64),
}

/// A text at a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The start of the text.
    pub at: (f64, f64),
    /// The text.
    pub text: String,
    /// The color.
    pub color: Color,
}

/// A horizontal bar at a vertical position. Neighboring bars are one unit apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The name of its series.
    pub name: String,
    /// The color.
    pub color: Color,
    /// The vertical position of its center.
    pub at: f64,
    /// The start and the end.
    pub span: (f64, f64),
    /// The tooltip.
    pub tip: String,
}

/// An entry in a legend.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) style: Style,
    /// Whether the entry shows a line.
    pub(super) joined: bool,
    /// Whether the entry shows a marker.
    pub(super) marked: bool,
}

impl Mark {
    /// Returns the positions that the axes must contain.
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

    /// Returns the entry in a legend, which has the style of the mark.
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
        // The variances are 9 along 30° and 1 along 120°.
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
        // The tolerance is a few rounding errors of numbers below 10.
        const ROUNDING: f64 = 1e-12;
        assert!((long - 6.0).abs() < ROUNDING && (short - 2.0).abs() < ROUNDING);
        assert!((angle - 30f64.to_radians()).abs() < ROUNDING);
    }
}

//! Shapes of markers, so that series differ not only by color.

/// The shape of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square that stands on a corner.
    Diamond,
    /// A triangle that points down.
    Wedge,
    /// A plus sign.
    Plus,
}

impl Marker {
    /// All shapes.
    pub const ALL: [Self; 6] =
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond, Self::Wedge, Self::Plus];

    /// Returns the outline around a center as path data. All shapes have about the same area as a
    /// disc of the given radius.
    pub(super) fn path(self, x: f64, y: f64, radius: f64) -> String {
        let polygon = |corners: &[(f64, f64)]| {
            let points: Vec<String> = corners
                .iter()
                .map(|(dx, dy)| format!("{:.1} {:.1}", x + dx * radius, y + dy * radius))
                .collect();
            format!("M{}Z", points.join("L"))
        };
        match self {
            Self::Circle => {
                let (left, right) = (x - radius, x + radius);
                format!(
                    "M{left:.1} {y:.1}A{radius} {radius} 0 1 0 {right:.1} {y:.1}A{radius} {radius} 0 1 0 {left:.1} {y:.1}Z"
                )
            }
            Self::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Self::Triangle => polygon(&[(0.0, -1.3), (1.15, 0.8), (-1.15, 0.8)]),
            Self::Diamond => polygon(&[(0.0, -1.3), (1.2, 0.0), (0.0, 1.3), (-1.2, 0.0)]),
            Self::Wedge => polygon(&[(0.0, 1.3), (1.15, -0.8), (-1.15, -0.8)]),
            Self::Plus => polygon(&[
                (-0.4, -1.2),
                (0.4, -1.2),
                (0.4, -0.4),
                (1.2, -0.4),
                (1.2, 0.4),
                (0.4, 0.4),
                (0.4, 1.2),
                (-0.4, 1.2),
                (-0.4, 0.4),
                (-1.2, 0.4),
                (-1.2, -0.4),
                (-0.4, -0.4),
            ]),
        }
    }
}

//! Colors, dashes and color maps that color-blind readers can distinguish on light and dark
//! backgrounds.
//!
//! The qualitative colors are those of Okabe and Ito without black and yellow, which are invisible
//! on one of the backgrounds. After the last color, the colors are repeated with another marker and
//! another dash.

use super::Marker;

/// A color of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// The color of text, which follows the page.
    Ink,
    /// A weaker text color, for grids and references.
    Faint,
    /// A color of the qualitative palette by index. Colors are repeated after the last one.
    Series(usize),
    /// A color of red, green and blue.
    Rgb(u8, u8, u8),
}

const QUALITATIVE: [(u8, u8, u8); 7] = [
    (0, 114, 178),   // blue
    (213, 94, 0),    // vermilion
    (0, 158, 115),   // bluish green
    (204, 121, 167), // reddish purple
    (230, 159, 0),   // orange
    (86, 180, 233),  // sky blue
    (127, 127, 127), // gray
];

impl Color {
    /// Returns the color in SVG notation.
    pub(super) fn paint(self) -> String {
        let hex = |(r, g, b): (u8, u8, u8)| format!("#{r:02x}{g:02x}{b:02x}");
        match self {
            Self::Ink | Self::Faint => "currentColor".to_owned(),
            Self::Series(index) => hex(QUALITATIVE[index % QUALITATIVE.len()]),
            Self::Rgb(r, g, b) => hex((r, g, b)),
        }
    }

    /// Returns the opacity of the color.
    pub(super) fn opacity(self) -> f64 {
        if self == Self::Faint { 0.35 } else { 1.0 }
    }
}

/// The dash of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// A solid line.
    #[default]
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
}

impl Dash {
    /// Returns the pattern in SVG notation, or `None` for a solid line.
    pub(super) fn pattern(self) -> Option<&'static str> {
        match self {
            Self::Solid => None,
            Self::Dashed => Some("6 3"),
            Self::Dotted => Some("2 3"),
        }
    }
}

/// The style of a series: color, marker and dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The color.
    pub color: Color,
    /// The marker of points.
    pub marker: Marker,
    /// The dash of lines.
    pub dash: Dash,
}

impl Style {
    /// Returns the style of a series by index. The first 42 styles differ in color or marker.
    pub fn series(index: usize) -> Self {
        let round = index / QUALITATIVE.len();
        let dash = [Dash::Solid, Dash::Dashed, Dash::Dotted][round % 3];
        let marker = Marker::ALL[(index % QUALITATIVE.len() + round) % Marker::ALL.len()];
        Self { color: Color::Series(index), marker, dash }
    }
}

/// A color map for numbers between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Map {
    /// A map from light to dark blue, for amounts.
    Sequential,
    /// A map from blue to red for signed values, with a light color at 0.5.
    Diverging,
    /// A cyclic map of hues with equal lightness, for ordered classes.
    Spectrum,
}

/// Colors of perceptually uniform maps, between which colors are interpolated.
const SEQUENTIAL: [(u8, u8, u8); 5] =
    [(247, 251, 255), (198, 219, 239), (107, 174, 214), (33, 113, 181), (8, 48, 107)];
const DIVERGING: [(u8, u8, u8); 5] =
    [(33, 102, 172), (146, 197, 222), (247, 247, 247), (244, 165, 130), (178, 24, 43)];
const SPECTRUM: [(u8, u8, u8); 5] =
    [(68, 57, 144), (31, 120, 180), (38, 150, 110), (200, 140, 20), (190, 50, 40)];

impl Map {
    /// Returns the color of a number. Numbers outside of 0 … 1 have the color of the nearest end,
    /// and NaN that of the middle.
    pub fn color(self, value: f64) -> (u8, u8, u8) {
        let anchors = match self {
            Self::Sequential => &SEQUENTIAL,
            Self::Diverging => &DIVERGING,
            Self::Spectrum => &SPECTRUM,
        };
        let value = if value.is_nan() { 0.5 } else { value.clamp(0.0, 1.0) };
        let at = value * (anchors.len() - 1) as f64;
        let low = (at.floor() as usize).min(anchors.len() - 2);
        let share = at - low as f64;
        let mix =
            |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
        let (a, b) = (anchors[low], anchors[low + 1]);
        (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
    }

    /// Whether dark text is easier to read than light text on the color of a number.
    pub fn takes_dark_text(self, value: f64) -> bool {
        let (r, g, b) = self.color(value);
        // The luminance weights of Rec. 601, compared with the middle of the scale.
        299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) > 140_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_meet_their_ends_and_the_middle_of_the_diverging_one_is_pale() {
        assert_eq!(Map::Sequential.color(-1.0), SEQUENTIAL[0]);
        assert_eq!(Map::Sequential.color(2.0), SEQUENTIAL[4]);
        assert_eq!(Map::Diverging.color(0.5), (247, 247, 247));
        assert_eq!(Map::Diverging.color(f64::NAN), (247, 247, 247));
        assert!(Map::Sequential.takes_dark_text(0.0) && !Map::Sequential.takes_dark_text(1.0));
    }

    #[test]
    fn forty_two_series_look_different_without_their_dashes() {
        let looks: Vec<_> =
            (0..42).map(|at| (Style::series(at).color.paint(), Style::series(at).marker)).collect();
        for (at, look) in looks.iter().enumerate() {
            assert!(!looks[..at].contains(look), "series {at} looks like an earlier one");
        }
    }
}

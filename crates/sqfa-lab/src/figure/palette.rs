//! Colors, dashes and color maps that color-blind readers can tell apart, on light and dark paper.
//!
//! The qualitative colors are those of Okabe and Ito without black and yellow, which vanish on one of
//! the papers; after them the same colors come back with another marker and another dash.

use super::Marker;

/// A color of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// The color of text, which follows the page.
    Ink,
    /// Text color, faded: grids, references and everything that should step back.
    Faint,
    /// The n-th color of the qualitative palette; it repeats after the last.
    Series(usize),
    /// Red, green and blue.
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
    /// The color as SVG spells it.
    pub(super) fn paint(self) -> String {
        let hex = |(r, g, b): (u8, u8, u8)| format!("#{r:02x}{g:02x}{b:02x}");
        match self {
            Self::Ink | Self::Faint => "currentColor".to_owned(),
            Self::Series(index) => hex(QUALITATIVE[index % QUALITATIVE.len()]),
            Self::Rgb(r, g, b) => hex((r, g, b)),
        }
    }

    /// How opaque it is by itself.
    pub(super) fn opacity(self) -> f64 {
        if self == Self::Faint { 0.35 } else { 1.0 }
    }
}

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// Into long dashes.
    Dashed,
    /// Into dots.
    Dotted,
}

impl Dash {
    /// The pattern as SVG spells it; `None` for a whole line.
    pub(super) fn pattern(self) -> Option<&'static str> {
        match self {
            Self::Solid => None,
            Self::Dashed => Some("6 3"),
            Self::Dotted => Some("2 3"),
        }
    }
}

/// How a series looks: color, marker and dash together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The color.
    pub color: Color,
    /// The marker of its points.
    pub marker: Marker,
    /// The dash of its line.
    pub dash: Dash,
}

impl Style {
    /// The look of the n-th series; no two of the first 42 are alike in color and marker.
    pub fn series(index: usize) -> Self {
        let round = index / QUALITATIVE.len();
        let dash = [Dash::Solid, Dash::Dashed, Dash::Dotted][round % 3];
        let marker = Marker::ALL[(index % QUALITATIVE.len() + round) % Marker::ALL.len()];
        Self { color: Color::Series(index), marker, dash }
    }
}

/// A color for every number between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Map {
    /// From pale to dark blue: amounts.
    Sequential,
    /// From blue through near-white to red: signed values, 0.5 is zero.
    Diverging,
    /// Round: equally spaced hues of one lightness, for ordered classes.
    Spectrum,
}

/// Anchors of perceptually even ramps, joined by straight lines.
const SEQUENTIAL: [(u8, u8, u8); 5] =
    [(247, 251, 255), (198, 219, 239), (107, 174, 214), (33, 113, 181), (8, 48, 107)];
const DIVERGING: [(u8, u8, u8); 5] =
    [(33, 102, 172), (146, 197, 222), (247, 247, 247), (244, 165, 130), (178, 24, 43)];
const SPECTRUM: [(u8, u8, u8); 5] =
    [(68, 57, 144), (31, 120, 180), (38, 150, 110), (200, 140, 20), (190, 50, 40)];

impl Map {
    /// The color of a number; numbers outside 0 … 1 take the nearest end, NaN the middle.
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

    /// Whether dark text reads better than light text on the color of a number.
    pub fn takes_dark_text(self, value: f64) -> bool {
        let (r, g, b) = self.color(value);
        // Luminance weights of Rec. 601; the middle of the scale parts the two.
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

//! One look for every method and every class, the same in all figures.

use sqfa_lab::figure::{Color, Dash, Marker, Style};

/// The look of a method: the colors of the distances it maximizes, where it maximizes one.
pub(super) fn method(name: &str) -> Style {
    let (color, marker) = match name {
        "sqfa" => (Color::Series(0), Marker::Circle),
        "sqfa-h" => (Color::Series(1), Marker::Square),
        "sqfa-b" => (Color::Series(2), Marker::Triangle),
        "smsqfa" => (Color::Series(5), Marker::Diamond),
        "pca" => (Color::Series(6), Marker::Plus),
        // LDA.
        _ => (Color::Ink, Marker::Wedge),
    };
    Style { color, marker, dash: Dash::Solid }
}

/// The look of a class: colors that no method of the same figure has.
pub(super) fn class(index: usize) -> Style {
    const COLORS: [usize; 4] = [3, 4, 2, 1];
    let color = Color::Series(COLORS[index % COLORS.len()]);
    Style { color, marker: Marker::Circle, dash: Dash::Solid }
}

/// A line that steps back.
pub(super) fn reference() -> Style {
    Style { color: Color::Faint, marker: Marker::Circle, dash: Dash::Dashed }
}

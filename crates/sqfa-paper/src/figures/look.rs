//! One look for every method and every class, the same in all figures.

use sqfa_lab::figure::{Colour, Dash, Marker, Style};

/// The look of a method: the colours of the distances it maximises, where it maximises one.
pub(super) fn method(name: &str) -> Style {
    let (colour, marker) = match name {
        "sqfa" => (Colour::Series(0), Marker::Circle),
        "sqfa-h" => (Colour::Series(1), Marker::Square),
        "sqfa-b" => (Colour::Series(2), Marker::Triangle),
        "smsqfa" => (Colour::Series(5), Marker::Diamond),
        "pca" => (Colour::Series(6), Marker::Plus),
        // LDA.
        _ => (Colour::Ink, Marker::Wedge),
    };
    Style { colour, marker, dash: Dash::Solid }
}

/// The look of a class: colours that no method of the same figure has.
pub(super) fn class(index: usize) -> Style {
    const COLOURS: [usize; 4] = [3, 4, 2, 1];
    let colour = Colour::Series(COLOURS[index % COLOURS.len()]);
    Style { colour, marker: Marker::Circle, dash: Dash::Solid }
}

/// A line that steps back.
pub(super) fn reference() -> Style {
    Style { colour: Colour::Faint, marker: Marker::Circle, dash: Dash::Dashed }
}

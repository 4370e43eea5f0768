//! Styles of methods and classes and formats of numbers, which are the same on the whole page.

use crate::compare::MethodEntry;
use crate::figure::{Color, Dash, Figure, Map, Marker, Place, Style, swatch};
use maud::{Markup, PreEscaped, html};

/// The largest number of classes with colors of the qualitative palette.
const QUALITATIVE: usize = 7;

/// Returns the name of a method in the paper's notation.
pub(super) fn title_of(method: &str) -> String {
    MethodEntry::title(method)
}

/// Returns the style of each class. Many classes are assumed to be ordered and have colors of a
/// spectrum.
pub(super) fn class_styles(classes: usize) -> Vec<Style> {
    (0..classes)
        .map(|class| {
            let style = Style::series(class);
            if classes <= QUALITATIVE {
                return style;
            }
            let (r, g, b) = Map::Spectrum.color(class as f64 / (classes - 1) as f64);
            let marker = Marker::ALL[class % Marker::ALL.len()];
            Style { color: Color::Rgb(r, g, b), marker, dash: Dash::Solid }
        })
        .collect()
}

/// Returns a figure in a frame. Wide figures can be scrolled on narrow screens.
pub(super) fn framed(figure: &Figure) -> Markup {
    html! { div.scroll { (PreEscaped(figure.svg(Place::Page))) } }
}

/// Returns buttons that show and hide series of the figures in the same block.
pub(super) fn keys(names: &[(String, Style)]) -> Markup {
    html! {
        div.keys role="group" aria-label="Show or hide" {
            @for (name, style) in names {
                button.key type="button" aria-pressed="true" data-toggle=(name) {
                    (PreEscaped(swatch(*style))) (name)
                }
            }
            @if names.len() > 2 {
                button.key.all type="button" data-all="true" { "all" }
                button.key.all type="button" data-all="false" { "none" }
            }
        }
    }
}

/// Returns the number of filters as text.
pub(super) fn filters(count: usize) -> String {
    if count == 1 { "1 filter".to_owned() } else { format!("{count} filters") }
}

/// Returns a fraction as a percentage with one decimal.
pub(super) fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// Returns a difference of fractions in percentage points with its sign.
pub(super) fn points(difference: f64) -> String {
    format!("{:+.1}", 100.0 * difference).replace('-', "−")
}

/// Returns a duration as text.
pub(super) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => format!("{:.0} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.0} ms", 1e3 * s),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// Returns a number with three significant digits.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (0.01..10_000.0).contains(&size) {
        let decimals = (2.0 - size.log10().floor()).clamp(0.0, 4.0) as usize;
        format!("{value:.decimals$}").replace('-', "−")
    } else {
        format!("{value:.1e}").replace('-', "−")
    }
}

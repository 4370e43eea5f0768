//! SVG text with escaped attributes and without external resources.

use std::fmt::{Display, Write};

/// The place where a figure is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A page, whose color, font and script the figure uses.
    Page,
    /// A separate file, in which the figure is dark on white.
    File,
}

/// Escapes all characters that could end a text in an element or an attribute.
///
/// Control characters, which XML forbids, are replaced by the replacement character.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(' '),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// An SVG text that is being written.
#[derive(Debug)]
pub(super) struct Canvas {
    text: String,
    pub(super) place: Place,
}

/// The attributes of one element, which are escaped.
#[derive(Debug, Default)]
pub(super) struct Attributes(String);

impl Attributes {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds an attribute.
    pub(super) fn set(mut self, name: &str, value: impl Display) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, " {name}=\"{}\"", escape(&value.to_string()));
        self
    }

    /// Adds a length or coordinate, rounded to 0.1 pixels.
    pub(super) fn at(self, name: &str, value: f64) -> Self {
        let text = format!("{value:.1}");
        let short = text.strip_suffix(".0").unwrap_or(&text).to_owned();
        self.set(name, short)
    }

    /// Adds an attribute if there is a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.set(name, value),
            None => self,
        }
    }
}

impl Canvas {
    pub(super) fn new(place: Place) -> Self {
        Self { text: String::new(), place }
    }

    /// Writes an element without children.
    pub(super) fn element(&mut self, name: &str, attributes: Attributes) {
        let _ = writeln!(self.text, "<{name}{}/>", attributes.0);
    }

    /// Writes an element that contains only text.
    pub(super) fn words(&mut self, name: &str, attributes: Attributes, words: &str) {
        let _ = writeln!(self.text, "<{name}{}>{}</{name}>", attributes.0, escape(words));
    }

    /// Starts an element with children.
    pub(super) fn open(&mut self, name: &str, attributes: Attributes) {
        let _ = writeln!(self.text, "<{name}{}>", attributes.0);
    }

    /// Ends the element that was started last.
    pub(super) fn close(&mut self, name: &str) {
        let _ = writeln!(self.text, "</{name}>");
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Adds a tooltip to a mark. Only pages show tooltips.
    pub(super) fn tip(&self, attributes: Attributes, tip: &str) -> Attributes {
        match (self.place, tip.is_empty()) {
            (Place::Page, false) => attributes.set("data-tip", tip),
            _ => attributes,
        }
    }

    /// Adds the series of a mark, so that the page can hide it.
    pub(super) fn series(&self, attributes: Attributes, name: &str) -> Attributes {
        match (self.place, name.is_empty()) {
            (Place::Page, false) => attributes.set("data-series", name),
            _ => attributes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_can_end_an_element_or_an_attribute() {
        let hostile = "</text><script>alert('x')</script>\" onload=\"&\u{1}";
        let escaped = escape(hostile);
        assert!(!escaped.contains(['<', '>', '"', '\'', '\u{1}']));
        let mut canvas = Canvas::new(Place::Page);
        let attributes = canvas.tip(Attributes::new(), hostile);
        canvas.words("text", attributes, hostile);
        let text = canvas.finish();
        assert_eq!(text.matches('<').count(), 2);
        assert_eq!(text.matches('"').count(), 2);
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(Attributes::new().at("x", 3.0).at("y", -1.26).0, " x=\"3\" y=\"-1.3\"");
    }
}

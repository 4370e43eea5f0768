//! Figures and their panels.

use super::render::draw;
use super::{Axis, Mark, Place};

/// A pair of axes with marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The title. Empty for none.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The marks, in the order in which they are drawn.
    pub marks: Vec<Mark>,
    /// Whether the vertical axis grows downwards, as for rows of matrices and images.
    pub downwards: bool,
    /// Whether one unit has the same length horizontally and vertically.
    pub equal: bool,
    /// Whether a legend is drawn next to the panel.
    pub legend: bool,
}

impl Panel {
    /// Returns a panel without marks.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self {
            title: title.into(),
            x,
            y,
            marks: Vec::new(),
            downwards: false,
            equal: false,
            legend: false,
        }
    }

    /// Returns a panel for images, without visible axes and with a vertical axis that grows
    /// downwards.
    pub fn picture(title: impl Into<String>) -> Self {
        Self { downwards: true, equal: true, ..Self::new(title, Axis::hidden(), Axis::hidden()) }
    }

    /// Returns the panel with another mark.
    pub fn with(mut self, mark: Mark) -> Self {
        self.marks.push(mark);
        self
    }

    /// Returns the panel with a legend.
    pub fn with_legend(mut self) -> Self {
        self.legend = true;
        self
    }
}

/// A grid of panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The description of the figure for readers who cannot see it.
    pub description: String,
    /// The number of panels per row.
    pub columns: usize,
    /// The width of one panel in pixels, including labels.
    pub width: f64,
    /// The height of one panel in pixels, including labels.
    pub height: f64,
    /// The panels in row-major order.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// Returns a figure with one panel.
    pub fn single(description: impl Into<String>, width: f64, height: f64, panel: Panel) -> Self {
        Self::grid(description, 1, width, height, vec![panel])
    }

    /// Returns a figure with panels of equal size in row-major order.
    pub fn grid(
        description: impl Into<String>,
        columns: usize,
        width: f64,
        height: f64,
        panels: Vec<Panel>,
    ) -> Self {
        Self { description: description.into(), columns: columns.max(1), width, height, panels }
    }

    /// Returns the figure as SVG, for a page or a separate file.
    pub fn svg(&self, place: Place) -> String {
        draw(self, place)
    }
}

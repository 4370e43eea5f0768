//! Figures and panels: what is drawn where.

use super::render::draw;
use super::{Axis, Mark, Place};

/// One pair of axes with marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The heading; none when empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in this order.
    pub marks: Vec<Mark>,
    /// Whether the vertical axis grows downwards, as rows of matrices and images do.
    pub downwards: bool,
    /// Whether one unit is as long horizontally as vertically.
    pub equal: bool,
    /// Whether the series are listed beside the panel.
    pub legend: bool,
}

impl Panel {
    /// A panel without marks.
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

    /// A panel without visible axes whose vertical axis grows downwards, for pictures.
    pub fn picture(title: impl Into<String>) -> Self {
        Self { downwards: true, equal: true, ..Self::new(title, Axis::hidden(), Axis::hidden()) }
    }

    /// The same panel with one more mark.
    pub fn with(mut self, mark: Mark) -> Self {
        self.marks.push(mark);
        self
    }

    /// The same panel with its series listed beside it.
    pub fn with_legend(mut self) -> Self {
        self.legend = true;
        self
    }
}

/// A grid of panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What the figure shows, for readers who cannot see it.
    pub description: String,
    /// Panels side by side.
    pub columns: usize,
    /// Width of one panel in pixels, labels included.
    pub width: f64,
    /// Height of one panel in pixels, labels included.
    pub height: f64,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// A figure of one panel.
    pub fn single(description: impl Into<String>, width: f64, height: f64, panel: Panel) -> Self {
        Self::grid(description, 1, width, height, vec![panel])
    }

    /// A figure of panels of one size, row by row.
    pub fn grid(
        description: impl Into<String>,
        columns: usize,
        width: f64,
        height: f64,
        panels: Vec<Panel>,
    ) -> Self {
        Self { description: description.into(), columns: columns.max(1), width, height, panels }
    }

    /// The figure as SVG, for a page or for a file of its own.
    pub fn svg(&self, place: Place) -> String {
        draw(self, place)
    }
}

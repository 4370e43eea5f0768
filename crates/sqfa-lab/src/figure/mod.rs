//! Figures of results: panels of marks in data coordinates are rendered as SVG, and SVG as PNG.
//!
//! A [`Figure`] is a grid of [`Panel`]s. A panel has two [`Axis`]es and a list of [`Mark`]s, which
//! are drawn in order. Text has the color `currentColor`, so a figure in a page follows its light
//! or dark theme. In a separate file it is dark on white. Colors can be distinguished by
//! color-blind readers, and every series also has its own marker and dash.

mod axis;
mod bitmap;
mod mark;
mod marker;
mod palette;
mod panel;
#[cfg(feature = "png")]
mod raster;
mod render;
mod shapes;
mod svg;

pub use axis::{Axis, Range, Scale};
pub use bitmap::{Bitmap, base64};
pub use mark::{Arrow, Band, Bar, Ellipse, HeatMap, Line, Mark, Note, Picture, Points, Rule};
pub use marker::Marker;
pub use palette::{Color, Dash, Map, Style};
pub use panel::{Figure, Panel};
#[cfg(feature = "png")]
pub use raster::{RasterError, png};
pub use render::swatch;
pub use svg::{Place, escape};

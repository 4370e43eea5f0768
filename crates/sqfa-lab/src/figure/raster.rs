//! Conversion of SVG to PNG with an embedded font, so that text is rendered on systems without
//! fonts.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};
use thiserror::Error;

/// The Latin, Greek and mathematical characters of DejaVu Sans (see `fonts/README.md`).
const FONT: &[u8] = include_bytes!("fonts/sqfa-sans.ttf");
/// The largest number of pixels per side, more than any page needs.
const LARGEST_SIDE: f64 = 20_000.0;

/// The reason why an image could not be rendered.
#[derive(Debug, Error)]
pub enum RasterError {
    /// An invalid SVG text.
    #[error("this is not an SVG figure: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// An image with too many pixels or without any.
    #[error("a picture of {width} × {height} pixels cannot be made: choose a smaller scale")]
    Size {
        /// The number of pixels per row.
        width: f64,
        /// The number of rows.
        height: f64,
    },
    /// An error of the encoder.
    #[error("the PNG could not be encoded: {0}")]
    Encode(String),
}

/// Renders an SVG figure with `scale` pixels per unit, and returns the bytes of a PNG file.
///
/// # Errors
///
/// If the text is not SVG, if the image is too large or empty, or if it cannot be encoded.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>, RasterError> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_font_data(FONT.to_vec());
        let family = fonts.faces().next().and_then(|face| face.families.first().cloned());
        if let Some((family, _)) = family {
            fonts.set_sans_serif_family(family);
        }
        Arc::new(fonts)
    });
    let options = Options { fontdb: fonts.clone(), ..Options::default() };
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size();
    let (width, height) = (scale * f64::from(size.width()), scale * f64::from(size.height()));
    let sound = |side: f64| (1.0..=LARGEST_SIDE).contains(&side);
    let pixels = (sound(width) && sound(height))
        .then(|| Pixmap::new(width.ceil() as u32, height.ceil() as u32))
        .flatten();
    let mut pixels = pixels.ok_or(RasterError::Size { width, height })?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| RasterError::Encode(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Figure, Line, Mark, Panel, Place, Style};

    fn figure(label: &str) -> String {
        let line = Line::new("a", Style::series(0), vec![(0.0, 0.0), (1.0, 1.0)]);
        let panel = Panel::new("", Axis::linear(label), Axis::linear("")).with(Mark::Line(line));
        Figure::single("a line", 300.0, 200.0, panel).svg(Place::File)
    }

    #[test]
    fn text_leaves_ink_without_any_font_of_the_machine() {
        // Only the label differs, so the characters must be rendered and differ from each other.
        let [blank, latin, greek] =
            [" ", "filters", "σ² → Σ"].map(|text| png(&figure(text), 1.0).unwrap());
        assert_ne!(blank, latin);
        assert_ne!(latin, greek);
        assert!(latin.starts_with(b"\x89PNG"));
    }

    #[test]
    fn impossible_pictures_are_refused() {
        assert!(matches!(png("<p>", 1.0), Err(RasterError::Svg(_))));
        assert!(matches!(png(&figure("x"), 1e4), Err(RasterError::Size { .. })));
        assert!(matches!(png(&figure("x"), f64::NAN), Err(RasterError::Size { .. })));
    }
}

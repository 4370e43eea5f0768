//! Small images: numbers are converted by a color map to an indexed PNG, which is embedded as a
//! data URL.
//!
//! With one byte per pixel and a palette of 256 colors, a 28 × 28 filter needs about one kilobyte.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::Map;

/// An image with at most 256 colors.
#[derive(Debug, Clone, PartialEq)]
pub struct Bitmap {
    width: usize,
    height: usize,
    /// The index of the color of every pixel, in row-major order.
    levels: Vec<u8>,
    map: Map,
}

impl Bitmap {
    /// Returns an image of signed numbers with the diverging color map, in which zero is in the
    /// middle. Returns `None` unless there are `height × width` numbers.
    ///
    /// The color scale is symmetric and ends at the largest absolute value.
    pub fn signed(values: &[f64], height: usize, width: usize) -> Option<Self> {
        let largest = values.iter().filter(|v| v.is_finite()).fold(0.0_f64, |l, v| l.max(v.abs()));
        let scale = if largest > 0.0 { 0.5 / largest } else { 0.0 };
        Self::mapped(values, height, width, Map::Diverging, |value| 0.5 + scale * value)
    }

    /// Returns an image of numbers with a color map, after a function has mapped them to 0 … 1.
    pub fn mapped(
        values: &[f64],
        height: usize,
        width: usize,
        map: Map,
        share: impl Fn(f64) -> f64,
    ) -> Option<Self> {
        if height == 0 || width == 0 || height.checked_mul(width) != Some(values.len()) {
            return None;
        }
        let level = |&value: &f64| {
            let share = share(value);
            if share.is_nan() { 128 } else { (share.clamp(0.0, 1.0) * 255.0).round() as u8 }
        };
        Some(Self { width, height, levels: values.iter().map(level).collect(), map })
    }

    /// Returns the number of pixels per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the bytes of a PNG file.
    pub fn png(&self) -> Vec<u8> {
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut header = Vec::new();
        header.extend((self.width as u32).to_be_bytes());
        header.extend((self.height as u32).to_be_bytes());
        header.extend([8, 3, 0, 0, 0]); // eight bits, palette, no interlace
        chunk(&mut file, b"IHDR", &header);
        let palette: Vec<u8> = (0..=255u8)
            .flat_map(|level| {
                let (r, g, b) = self.map.color(f64::from(level) / 255.0);
                [r, g, b]
            })
            .collect();
        chunk(&mut file, b"PLTE", &palette);
        let mut rows = Vec::with_capacity(self.height * (self.width + 1));
        for row in self.levels.chunks(self.width) {
            rows.push(0); // no filter: the palette has no arithmetic
            rows.extend_from_slice(row);
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        let packed = encoder.write_all(&rows).and_then(|()| encoder.finish()).unwrap_or_default();
        chunk(&mut file, b"IDAT", &packed);
        chunk(&mut file, b"IEND", &[]);
        file
    }

    /// Returns the image as a data URL.
    pub fn address(&self) -> String {
        format!("data:image/png;base64,{}", base64(&self.png()))
    }
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(content);
    file.extend_from_slice(kind);
    file.extend_from_slice(content);
    file.extend(sum.sum().to_be_bytes());
}

/// Encodes bytes in base 64 with padding (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte))
            << (8 * (3 - group.len()));
        for place in 0..4 {
            if place <= group.len() {
                let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
                text.push(char::from(letter));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // The test vectors are those of RFC 4648, section 10.
        let vectors =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in vectors {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn a_png_holds_its_pixels_under_the_right_checksums() {
        let bitmap = Bitmap::signed(&[-1.0, 0.0, 1.0, 0.5, -0.5, f64::NAN], 2, 3).unwrap();
        let png = bitmap.png();
        // The checksum of an empty IEND chunk is a constant of the format.
        assert!(png.ends_with(&[0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]));
        let at = png.windows(4).position(|window| window == b"IDAT").unwrap();
        let length = u32::from_be_bytes(png[at - 4..at].try_into().unwrap()) as usize;
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&png[at + 4..at + 4 + length])
            .read_to_end(&mut rows)
            .unwrap();
        assert_eq!(rows, [0, 0, 128, 255, 0, 191, 64, 128]);
        assert!(Bitmap::signed(&[1.0], 2, 3).is_none());
    }
}

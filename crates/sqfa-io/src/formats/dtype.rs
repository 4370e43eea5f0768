//! Names of element types in NumPy, and the conversion of bytes to numbers or text.

use super::FormatError;

/// The largest width of a text element in bytes.
const WIDEST_TEXT: usize = 1 << 20;

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    U8,
    I8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    /// Text with this number of UCS-4 characters.
    Unicode(usize),
    /// Text with this number of bytes.
    Bytes(usize),
}

/// An element type with its byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dtype {
    pub(crate) kind: Kind,
    pub(crate) big_endian: bool,
}

impl Dtype {
    /// Parses a type in NumPy's notation, such as `<f4`.
    pub(crate) fn parse(text: &str, place: &str) -> Result<Self, FormatError> {
        let refuse = |remedy| FormatError::Dtype {
            place: place.to_owned(),
            dtype: text.chars().take(40).collect(),
            remedy,
        };
        let mut characters = text.chars();
        let first = characters.next().unwrap_or(' ');
        let (big_endian, rest) = match first {
            '<' | '|' => (false, characters.as_str()),
            '=' => (cfg!(target_endian = "big"), characters.as_str()),
            '>' => (true, characters.as_str()),
            _ => (false, text),
        };
        let mut characters = rest.chars();
        let letter = characters.next().unwrap_or(' ');
        let width: usize = match characters.as_str() {
            "" if matches!(letter, 'O' | '?') => 1,
            digits => digits.parse().map_err(|_| refuse("save it with a plain dtype"))?,
        };
        let kind = match (letter, width) {
            ('b' | '?', 1) => Kind::Bool,
            ('u', 1) => Kind::U8,
            ('u', 2) => Kind::U16,
            ('u', 4) => Kind::U32,
            ('u', 8) => Kind::U64,
            ('i', 1) => Kind::I8,
            ('i', 2) => Kind::I16,
            ('i', 4) => Kind::I32,
            ('i', 8) => Kind::I64,
            ('f', 2) => Kind::F16,
            ('f', 4) => Kind::F32,
            ('f', 8) => Kind::F64,
            ('U', width) if (1..=WIDEST_TEXT / 4).contains(&width) => Kind::Unicode(width),
            ('S' | 'a', width) if (1..=WIDEST_TEXT).contains(&width) => Kind::Bytes(width),
            ('U' | 'S' | 'a', _) => return Err(refuse("text must be 1 byte to 1 MiB wide")),
            ('O', _) => {
                return Err(refuse(
                    "object arrays hold pickled Python objects and are not opened; \
                     save it with a plain dtype, for instance array.astype(str) or astype(float)",
                ));
            }
            _ => return Err(refuse("save it as integers, float32, float64 or text")),
        };
        Ok(Self { kind, big_endian })
    }

    /// Returns the number of bytes per element in the file.
    pub(crate) fn width(&self) -> usize {
        match self.kind {
            Kind::Bool | Kind::U8 | Kind::I8 => 1,
            Kind::I16 | Kind::U16 | Kind::F16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
            Kind::Unicode(characters) => 4 * characters,
            Kind::Bytes(width) => width,
        }
    }

    /// Returns the number of bytes per element in memory, after conversion.
    pub(crate) fn width_in_memory(&self) -> usize {
        match self.kind {
            Kind::Bool | Kind::U8 => 1,
            Kind::F16 | Kind::F32 => 4,
            Kind::Unicode(_) | Kind::Bytes(_) => size_of::<String>() + self.width(),
            _ => 8,
        }
    }

    /// Returns the number of bytes that are reversed if the byte order differs.
    pub(crate) fn swap_width(&self) -> usize {
        match self.kind {
            Kind::Unicode(_) => 4,
            Kind::Bytes(_) => 1,
            _ => self.width(),
        }
    }
}

/// Converts an IEEE half-precision number to single precision.
pub(crate) fn half_to_f32(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// Converts little-endian UCS-4 characters to text. Trailing zeros are removed, as in NumPy.
pub(crate) fn unicode(bytes: &[u8]) -> Option<String> {
    let codes: Vec<u32> =
        bytes.as_chunks::<4>().0.iter().map(|&code| u32::from_le_bytes(code)).collect();
    let length = codes.iter().rposition(|&code| code != 0).map_or(0, |last| last + 1);
    codes[..length].iter().map(|&code| char::from_u32(code)).collect()
}

/// Converts bytes to text. Trailing zeros are removed, as in NumPy.
pub(crate) fn utf8(bytes: &[u8]) -> Option<String> {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    std::str::from_utf8(&bytes[..length]).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_match_known_values() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f32.powi(-24)),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half_to_f32(bits), value);
        }
        assert!(half_to_f32(0x7e00).is_nan());
    }

    #[test]
    fn objects_and_structures_are_refused_with_advice() {
        let message = Dtype::parse("|O", "y.npy").unwrap_err().to_string();
        assert!(message.contains("astype(str)"), "{message}");
        for text in ["<c8", "<M8[ns]", "<f3", "", "<U0", "<U99999999999", "<f-4", "é4"] {
            assert!(Dtype::parse(text, "y.npy").is_err(), "{text}");
        }
    }
}

//! Compact numbers in JSON records: single precision or single bits in base 64.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::figure::base64;

/// Numbers that are stored in single precision.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Numbers(pub Vec<f32>);

/// One Boolean per test sample.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits(pub Vec<bool>);

impl Numbers {
    /// Returns numbers rounded to single precision.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        Self(values.into_iter().map(|value| value as f32).collect())
    }

    /// Returns the numbers in double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        self.0.iter().map(|&value| f64::from(value)).collect()
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|value| value.to_le_bytes()).collect();
        serializer.serialize_str(&base64(&bytes))
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = from_base64(&text).ok_or_else(|| D::Error::custom("not base 64"))?;
        let (values, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(D::Error::custom("not whole numbers of four bytes"));
        }
        Ok(Self(values.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()))
    }
}

impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self
            .0
            .chunks(8)
            .map(|bits| {
                bits.iter().enumerate().fold(0, |byte, (k, &bit)| byte | u8::from(bit) << k)
            })
            .collect();
        (self.0.len(), base64(&bytes)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (length, text) = <(usize, String)>::deserialize(deserializer)?;
        let bytes = from_base64(&text).ok_or_else(|| D::Error::custom("not base 64"))?;
        if bytes.len() != length.div_ceil(8) {
            return Err(D::Error::custom("the number of bits does not fit their bytes"));
        }
        Ok(Self((0..length).map(|at| bytes[at / 8] >> (at % 8) & 1 == 1).collect()))
    }
}

/// Decodes base 64, or returns `None` for invalid text.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    let (groups, rest) = text.as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(3 * groups.len());
    for (index, group) in groups.iter().enumerate() {
        let padding = group.iter().rev().take_while(|&&letter| letter == b'=').count();
        if padding > 2 || (padding > 0 && index + 1 < groups.len()) {
            return None;
        }
        let mut bits = 0u32;
        for &letter in &group[..4 - padding] {
            bits = bits << 6 | u32::from(value(letter)?);
        }
        bits <<= 6 * padding;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bits_survive() {
        for length in 0..20 {
            let numbers = Numbers((0..length).map(|k| (k as f32).sin() * 1e20).collect());
            let text = serde_json::to_string(&numbers).unwrap();
            assert_eq!(serde_json::from_str::<Numbers>(&text).unwrap(), numbers);
            let bits = Bits((0..length).map(|k| k % 3 == 0).collect());
            let text = serde_json::to_string(&bits).unwrap();
            assert_eq!(serde_json::from_str::<Bits>(&text).unwrap(), bits);
        }
    }

    #[test]
    fn broken_text_is_refused() {
        for text in ["\"A\"", "\"AAA*\"", "\"====\"", "\"AA==AAAA\"", "\"AAAA\""] {
            assert!(serde_json::from_str::<Numbers>(text).is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Bits>("[100, \"AA==\"]").is_err());
    }
}

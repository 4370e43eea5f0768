//! Serialization of accumulators, for transport between processes and machines.
//!
//! The format is little-endian: `sqfa-sum`, version, flags, dimension, classes; then for each class its count, its
//! kind, its mean and the lower triangle of its scatter; finally a 64-bit checksum. If the second flag is set,
//! fourth-order sums follow each scatter. Version 0.2.0 wrote them; they are skipped. Format version 3 is for sketches
//! (`sketch`).

mod sketch;

use super::class_sum::ClassSum;
use super::entries::EntrySum;
use super::{ClassAccumulator, StatisticsError};
use crate::labels::Classes;
use crate::linalg::triangle;

const VERSION: u32 = 2;
/// Format version of sketches.
const SKETCHES: u32 = 3;
/// Number of bytes of the fourth-order sums of a class in addition to two vectors.
const FOURTH_SCALARS: usize = 8 + 16;

impl ClassAccumulator {
    /// First bytes of every format version.
    pub const MAGIC: [u8; 8] = *b"sqfa-sum";

    /// Serializes the accumulator. [`ClassAccumulator::from_bytes`] restores it to the last bit.
    ///
    /// Samples that wait to be added to a sketch are added first.
    pub fn to_bytes(&self) -> Vec<u8> {
        if let Some(size) = self.sketch {
            return self.sketches_to_bytes(size);
        }
        let n = self.dimension;
        let sums: Vec<&EntrySum> = self
            .sums
            .iter()
            .filter_map(|sum| match sum {
                ClassSum::Entries(sum) => Some(sum),
                ClassSum::Sketch(_) => None,
            })
            .collect();
        let per_class = 9 + 8 * (n + n * (n + 1) / 2);
        let mut bytes = Vec::with_capacity(64 + sums.len() * (per_class + 16));
        bytes.extend_from_slice(&Self::MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.push(u8::from(self.double));
        bytes.push(0); // no fourth-order sums
        bytes.extend_from_slice(&(n as u64).to_le_bytes());
        write_classes(&self.classes, &mut bytes);
        for sum in sums {
            bytes.extend_from_slice(&sum.count.to_le_bytes());
            bytes.push(u8::from(sum.bytes));
            for value in sum.mean.iter().chain(&sum.scatter) {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            if sum.scatter.is_empty() {
                bytes.resize(bytes.len() + 8 * triangle(n), 0);
            }
        }
        sealed(bytes)
    }

    /// Restores an accumulator from the output of [`ClassAccumulator::to_bytes`].
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are damaged, or have an unknown format version. Sizes are checked before memory is
    /// allocated, so invalid bytes cannot cause large allocations.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StatisticsError> {
        let (content, tail) = bytes
            .split_last_chunk::<8>()
            .ok_or_else(|| refuse(format!("{} bytes are too few", bytes.len())))?;
        let mut reader = Reader { rest: content };
        if reader.take(Self::MAGIC.len())? != Self::MAGIC {
            return Err(refuse("they do not begin with 'sqfa-sum'"));
        }
        let version = u32::from_le_bytes(reader.array()?);
        match version {
            1 => {
                return Err(refuse(
                    "format version 1 is not supported: compute the class statistics again from the samples",
                ));
            }
            VERSION | SKETCHES => {}
            other => {
                return Err(refuse(format!(
                    "format version {other} is not supported, only {VERSION} and {SKETCHES}: use a newer release, or compute the class statistics again"
                )));
            }
        }
        if guard(content) != u64::from_le_bytes(*tail) {
            return Err(refuse(
                "the checksum differs, so they were damaged in storage or transport",
            ));
        }
        let double = reader.flag()?;
        if version == SKETCHES {
            return sketch::read(&mut reader, double);
        }
        let fourth = reader.flag()?;
        let n = reader.size()?;
        let classes = read_classes(&mut reader)?;
        let entries = n.checked_add(1).and_then(|m| n.checked_mul(m)).map(|twice| twice / 2);
        let needed = entries
            .and_then(|entries| {
                let vectors = if fourth { n.checked_mul(3)? } else { n };
                let scalars = if fourth { 9 + FOURTH_SCALARS } else { 9 };
                entries.checked_add(vectors)?.checked_mul(8)?.checked_add(scalars)
            })
            .and_then(|size| size.checked_mul(classes.len()));
        if n == 0 || needed != Some(reader.rest.len()) {
            return Err(refuse(format!(
                "{} bytes remain for {} classes of {n} columns, which is the wrong number",
                reader.rest.len(),
                classes.len()
            )));
        }
        let sums = (0..classes.len())
            .map(|_| read_sum(&mut reader, n, fourth))
            .collect::<Result<_, _>>()?;
        Ok(Self { classes, dimension: n, sums, double, sketch: None })
    }
}

fn refuse(problem: impl Into<String>) -> StatisticsError {
    StatisticsError::Bytes { problem: problem.into() }
}

/// Appends the checksum to some bytes.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let guard = guard(&bytes);
    bytes.extend_from_slice(&guard.to_le_bytes());
    bytes
}

/// Computes a checksum: FNV-1a over 64-bit words.
fn guard(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let last = rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    words.chain([last, bytes.len() as u64]).fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}

fn write_classes(classes: &Classes, bytes: &mut Vec<u8>) {
    bytes.push(u8::from(matches!(classes, Classes::Texts(_))));
    bytes.extend_from_slice(&(classes.len() as u64).to_le_bytes());
    match classes {
        Classes::Integers(values) => {
            values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        }
        Classes::Texts(values) => {
            for text in values {
                bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
        }
    }
}

fn read_classes(reader: &mut Reader<'_>) -> Result<Classes, StatisticsError> {
    let text = reader.flag()?;
    let count = reader.size()?;
    // Each class takes at least eight bytes. This bound prevents large allocations for a wrong count.
    if count > reader.rest.len() / 8 {
        return Err(refuse(format!("{count} classes do not fit into the remaining bytes")));
    }
    if !text {
        let values = (0..count).map(|_| Ok(i64::from_le_bytes(reader.array()?)));
        return Ok(Classes::Integers(values.collect::<Result<_, StatisticsError>>()?));
    }
    let texts = (0..count).map(|_| {
        let length = reader.size()?;
        let text = std::str::from_utf8(reader.take(length)?);
        text.map(str::to_owned).map_err(|_| refuse("a class name is not text"))
    });
    Ok(Classes::Texts(texts.collect::<Result<_, _>>()?))
}

fn read_sum(reader: &mut Reader<'_>, n: usize, fourth: bool) -> Result<ClassSum, StatisticsError> {
    let count = u64::from_le_bytes(reader.array()?);
    let bytes = reader.flag()?;
    let mut sum = EntrySum { count, bytes, ..EntrySum::empty(n) };
    reader.reals(&mut sum.mean)?;
    sum.make_room();
    reader.reals(&mut sum.scatter)?;
    if fourth {
        reader.take(16 * n + FOURTH_SCALARS)?;
    }
    Ok(ClassSum::Entries(sum))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], StatisticsError> {
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or_else(|| refuse("they are truncated"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], StatisticsError> {
        let (taken, rest) =
            self.rest.split_first_chunk().ok_or_else(|| refuse("they are truncated"))?;
        self.rest = rest;
        Ok(*taken)
    }

    fn flag(&mut self) -> Result<bool, StatisticsError> {
        match self.array::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(refuse(format!("a flag is {other} instead of 0 or 1"))),
        }
    }

    fn size(&mut self) -> Result<usize, StatisticsError> {
        let value = u64::from_le_bytes(self.array()?);
        usize::try_from(value).map_err(|_| refuse(format!("a size is {value}, which is too large")))
    }

    fn reals(&mut self, target: &mut [f64]) -> Result<(), StatisticsError> {
        for value in target {
            *value = f64::from_le_bytes(self.array()?);
            if !value.is_finite() {
                return Err(refuse(format!("a sum is {value}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Labels;
    use crate::points::Table;

    fn sums(labels: &Labels) -> ClassAccumulator {
        let values: Vec<f32> = (0..24).map(|i| (i * i % 11) as f32).collect();
        let mut sums = ClassAccumulator::new(labels.classes().clone(), 3);
        sums.update(Table::row_major(&values, 8, 3).unwrap().into(), labels).unwrap();
        sums
    }

    #[test]
    fn round_trip_preserves_every_bit() {
        for labels in [
            Labels::from_integers(&[4, -1, 4, -1, 4, -1, 4, -1]),
            Labels::from_texts(&["a", "Ω", "a", "Ω", "a", "Ω", "a", "Ω"]),
        ] {
            let bytes = sums(&labels).to_bytes();
            let back = ClassAccumulator::from_bytes(&bytes).unwrap();
            assert_eq!(back.classes(), labels.classes());
            assert_eq!(back.counts(), [4, 4]);
            assert_eq!(back.to_bytes(), bytes);
        }
    }

    /// Bytes as version 0.2.0 wrote them: the flag is set, and two vectors and two numbers follow each scatter.
    #[test]
    fn fourth_order_sums_are_skipped() {
        let sums = sums(&Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1]));
        let bytes = sums.to_bytes();
        let (head, classes) = bytes[..bytes.len() - 8].split_at(bytes.len() - 8 - 2 * (9 + 8 * 9));
        let mut old = head.to_vec();
        old[13] = 1;
        for class in classes.chunks(9 + 8 * 9) {
            old.extend_from_slice(class);
            old.extend((0..16 * 3 + FOURTH_SCALARS).map(|at| at as u8));
        }
        let back = ClassAccumulator::from_bytes(&sealed(old.clone())).unwrap();
        assert_eq!(back.to_bytes(), bytes);
        old.pop();
        assert!(ClassAccumulator::from_bytes(&sealed(old)).is_err());
    }

    #[test]
    fn version_1_is_rejected_with_a_remedy() {
        let mut bytes = sums(&Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1])).to_bytes();
        bytes[8] = 1;
        let message = ClassAccumulator::from_bytes(&bytes).unwrap_err().to_string();
        assert!(message.contains("version 1 is not supported"), "{message}");
        assert!(message.contains("compute the class statistics again"), "{message}");
    }

    #[test]
    fn an_unknown_version_is_rejected_and_named() {
        let mut bytes = sums(&Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1])).to_bytes();
        bytes[8] = 9;
        let message = ClassAccumulator::from_bytes(&bytes).unwrap_err().to_string();
        assert!(message.contains("version 9"), "{message}");
    }

    #[test]
    fn damage_anywhere_is_detected() {
        let bytes = sums(&Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1])).to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(ClassAccumulator::from_bytes(&damaged).is_err(), "byte {at}");
            assert!(ClassAccumulator::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        }
        assert!(ClassAccumulator::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    }
}

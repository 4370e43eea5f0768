//! Serialization of sketches. After the precision come the size, the dimension and the classes; then for each class its
//! count, the variance lost, the number of rows, its mean, its sums of squares and its rows.

use super::{
    ClassAccumulator, ClassSum, Reader, SKETCHES, read_classes, refuse, sealed, write_classes,
};
use crate::statistics::StatisticsError;
use crate::statistics::sketch::{LARGEST_SKETCH, SketchSum};

/// Number of bytes of a class in addition to its vectors.
const SCALARS: usize = 24;

impl ClassAccumulator {
    /// Serializes sketches of at most `size` rows.
    pub(super) fn sketches_to_bytes(&self, size: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&Self::MAGIC);
        bytes.extend_from_slice(&SKETCHES.to_le_bytes());
        bytes.push(u8::from(self.double));
        bytes.extend_from_slice(&(size as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.dimension as u64).to_le_bytes());
        write_classes(&self.classes, &mut bytes);
        for sum in &self.sums {
            let ClassSum::Sketch(sum) = sum else { continue };
            let sum = sum.settled();
            bytes.extend_from_slice(&sum.count.to_le_bytes());
            bytes.extend_from_slice(&sum.shed.to_le_bytes());
            bytes.extend_from_slice(&((sum.rows.len() / self.dimension) as u64).to_le_bytes());
            // The bytes may need as much memory as the sketches, so no more than needed is reserved.
            bytes.reserve_exact(8 * (sum.mean.len() + sum.squares.len() + sum.rows.len()));
            for value in sum.mean.iter().chain(&sum.squares).chain(&sum.rows) {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
        sealed(bytes)
    }
}

/// Reads the sketches that follow the precision. Sizes are checked before memory is allocated.
pub(super) fn read(
    reader: &mut Reader<'_>,
    double: bool,
) -> Result<ClassAccumulator, StatisticsError> {
    let size = reader.size()?;
    if !(1..=LARGEST_SKETCH).contains(&size) {
        return Err(refuse(format!("sketches of {size} rows are not supported")));
    }
    let n = reader.size()?;
    let classes = read_classes(reader)?;
    let vectors = 2usize.checked_mul(n).and_then(|numbers| numbers.checked_mul(8));
    let least = vectors.and_then(|bytes| bytes.checked_add(SCALARS)?.checked_mul(classes.len()));
    if n == 0 || least.is_none_or(|least| least > reader.rest.len()) {
        return Err(refuse(format!(
            "{} bytes remain for {n} columns, which is too few",
            reader.rest.len()
        )));
    }
    let mut sums = Vec::with_capacity(classes.len());
    for _ in 0..classes.len() {
        sums.push(ClassSum::Sketch(read_sum(reader, n, size)?));
    }
    if !reader.rest.is_empty() {
        return Err(refuse(format!("{} bytes follow the last class", reader.rest.len())));
    }
    Ok(ClassAccumulator { classes, dimension: n, sums, double, sketch: Some(size) })
}

fn read_sum(reader: &mut Reader<'_>, n: usize, size: usize) -> Result<SketchSum, StatisticsError> {
    let mut sum = SketchSum::empty(n, size);
    sum.count = u64::from_le_bytes(reader.array()?);
    reader.reals(std::slice::from_mut(&mut sum.shed))?;
    let rows = reader.size()?;
    if rows > size || (sum.count == 0 && rows > 0) {
        return Err(refuse(format!(
            "a sketch of {size} rows has {rows} rows for {} samples",
            sum.count
        )));
    }
    reader.reals(&mut sum.mean)?;
    reader.reals(&mut sum.squares)?;
    if sum.shed < 0.0 || sum.squares.iter().any(|&square| square < 0.0) {
        return Err(refuse("a sum of squares is negative"));
    }
    if rows * n > reader.rest.len() / 8 {
        return Err(refuse("they are truncated"));
    }
    sum.rows = vec![0.0; rows * n];
    reader.reals(&mut sum.rows)?;
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Labels;
    use crate::points::Table;

    fn sums() -> ClassAccumulator {
        let values: Vec<f64> = (0..60).map(|i| (i * i % 11) as f64).collect();
        let labels =
            Labels::from_texts(&["a", "Ω", "a", "Ω", "a", "Ω", "a", "Ω", "a", "Ω", "a", "Ω"]);
        let mut sums = ClassAccumulator::sketched(labels.classes().clone(), 5, 2).unwrap();
        sums.update(Table::row_major(&values, 12, 5).unwrap().into(), &labels).unwrap();
        sums
    }

    #[test]
    fn round_trip_preserves_every_bit() {
        let bytes = sums().to_bytes();
        let back = ClassAccumulator::from_bytes(&bytes).unwrap();
        assert_eq!((back.counts(), back.sketch(), back.dimension()), (vec![6, 6], Some(2), 5));
        assert_eq!(back.to_bytes(), bytes);
        let empty = sums().alike(crate::Classes::numbered(2)).to_bytes();
        assert_eq!(ClassAccumulator::from_bytes(&empty).unwrap().counts(), [0, 0]);
    }

    #[test]
    fn damage_anywhere_is_detected() {
        let bytes = sums().to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(ClassAccumulator::from_bytes(&damaged).is_err(), "byte {at}");
            assert!(ClassAccumulator::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        }
    }

    /// Bytes with a valid checksum but an invalid field: sizes are checked, not only the checksum.
    #[test]
    fn huge_sizes_are_rejected_before_allocation() {
        let bytes = sums().to_bytes();
        let content = &bytes[..bytes.len() - 8];
        for (at, what) in [(13, "size"), (21, "dimension"), (30, "classes")] {
            for value in [0, 3, u64::MAX, u64::MAX / 16, 1 << 40] {
                let mut wild = content.to_vec();
                wild[at..at + 8].copy_from_slice(&value.to_le_bytes());
                if wild == content || (what == "size" && value == 3) {
                    continue;
                }
                let outcome = ClassAccumulator::from_bytes(&sealed(wild));
                assert!(outcome.is_err(), "{what} {value}");
            }
        }
    }
}

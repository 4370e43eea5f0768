//! Batches from MATLAB files: X and y, points along the first axis or images along the last.

use std::path::Path;

use sqfa::{Classes, Labels};

use super::super::tables::labels_of;
use super::super::{DataError, LoadOptions};
use super::BatchReader;
use super::arrays::{ArrayBatches, Map};
use crate::formats::{MatFile, Values};

/// Height, width and colours of SVHN's images.
const SVHN: [usize; 3] = [32, 32, 3];

/// Opens X (points × dimensions; height × width × points; height × width × 3 × points) and y.
///
/// Colour becomes grey, the unweighted mean of its three numbers. In SVHN's own shape, 32 × 32 × 3, label 10 means digit 0.
pub(in super::super) fn open(
    path: &Path,
    options: &LoadOptions,
) -> Result<Box<dyn BatchReader>, DataError> {
    let file = MatFile::open(path, options.limits)?;
    let place = file.place().to_owned();
    if !file.contains("X") || !file.contains("y") {
        let names = file.names().join(", ");
        let problem = format!("expected numeric arrays X and y; found: {names}");
        return Err(DataError::content(&place, problem));
    }
    let labels = labels_of(file.read("y")?, &format!("{place}[y]"))?;
    let batches = match *file.shape("X")? {
        [_, _] => ArrayBatches::new(file.rows("X")?, labels, &place)?,
        [height, width, _] => ArrayBatches::new(file.slices("X")?, labels, &place)?
            .mapped(upright(height, width), Some((height, width))),
        [height, width, 3, _] => {
            let labels = if [height, width, 3] == SVHN { digits(labels) } else { labels };
            ArrayBatches::new(file.slices("X")?, labels, &place)?
                .mapped(grey(height, width), Some((height, width)))
        }
        ref other => {
            let problem = format!(
                "X has shape {other:?}; expected points × dimensions, height × width × points or \
                 height × width × 3 × points"
            );
            return Err(DataError::content(&place, problem));
        }
    };
    Ok(Box::new(batches))
}

/// Images row by row instead of column by column.
fn upright(height: usize, width: usize) -> Map {
    fn turned<T: Copy>(values: &[T], height: usize, width: usize) -> Vec<T> {
        let images = values.chunks_exact(height * width);
        images
            .flat_map(|image| {
                (0..height * width).map(|at| image[at / width + height * (at % width)])
            })
            .collect()
    }
    let turn = move |values| match values {
        Values::U8(values) => Values::U8(turned(&values, height, width)),
        Values::F32(values) => Values::F32(turned(&values, height, width)),
        Values::F64(values) => Values::F64(turned(&values, height, width)),
        other => other,
    };
    Map { width: height * width, turn: Box::new(turn) }
}

/// The mean of three colours, row by row.
fn grey(height: usize, width: usize) -> Map {
    fn mixed<T: Copy>(
        values: &[T],
        height: usize,
        width: usize,
        mean: impl Fn([T; 3]) -> f64,
    ) -> Vec<f64> {
        let plane = height * width;
        let images = values.chunks_exact(3 * plane);
        images
            .flat_map(|image| {
                let mean = &mean;
                (0..plane).map(move |at| {
                    let place = at / width + height * (at % width);
                    mean([0, 1, 2].map(|colour| image[place + colour * plane]))
                })
            })
            .collect()
    }
    let turn = move |values| match values {
        Values::U8(values) => {
            let mean = |rgb: [u8; 3]| rgb.iter().map(|&value| f64::from(value)).sum::<f64>() / 3.0;
            let mixed = mixed(&values, height, width, mean);
            Values::F32(mixed.into_iter().map(|value| value as f32).collect())
        }
        Values::F32(values) => {
            let mean = |rgb: [f32; 3]| rgb.iter().map(|&value| f64::from(value)).sum::<f64>() / 3.0;
            let mixed = mixed(&values, height, width, mean);
            Values::F32(mixed.into_iter().map(|value| value as f32).collect())
        }
        Values::F64(values) => {
            Values::F64(mixed(&values, height, width, |rgb| rgb.iter().sum::<f64>() / 3.0))
        }
        other => other,
    };
    Map { width: height * width, turn: Box::new(turn) }
}

/// Labels 1 to 10 as digits: 10 is 0. Other labels stay as they are.
fn digits(labels: Labels) -> Labels {
    let Classes::Integers(classes) = labels.classes() else { return labels };
    if !classes.iter().all(|class| (1..=10).contains(class)) {
        return labels;
    }
    let digits: Vec<i64> = labels.codes().iter().map(|&code| classes[code as usize] % 10).collect();
    Labels::from_integers(&digits)
}

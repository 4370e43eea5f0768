//! Batches from MATLAB files with X and y. Rows are indexed by the first axis, images by the last.

use std::path::Path;

use sqfa::{Classes, Labels};

use super::super::archive::likely_pair;
use super::super::tables::labels_of;
use super::super::{DataError, LoadOptions};
use super::BatchReader;
use super::arrays::{ArrayBatches, Map};
use crate::formats::{MatFile, Values};

/// The height, width and number of colors of the images of SVHN.
const SVHN: [usize; 3] = [32, 32, 3];

/// Opens X (samples × features; height × width × samples; height × width × 3 × samples) and y.
///
/// Color is converted to gray, the unweighted mean of the three channels. For the shape of SVHN, 32
/// × 32 × 3, label 10 means digit 0.
pub(in super::super) fn open(
    path: &Path,
    options: &LoadOptions,
) -> Result<Box<dyn BatchReader>, DataError> {
    let file = MatFile::open(path, options.limits)?;
    let place = file.place().to_owned();
    let key = |key: &Option<String>, usual: &str| key.clone().unwrap_or_else(|| usual.to_owned());
    let (x, y) = (key(&options.x_key, "X"), key(&options.y_key, "y"));
    let absent: Vec<&str> =
        [x.as_str(), &y].into_iter().filter(|name| !file.contains(name)).collect();
    if !absent.is_empty() {
        let shape = |name: String| Some((file.shape(&name).ok()?.to_vec(), name));
        let pair = likely_pair(&file.names().into_iter().filter_map(shape).collect::<Vec<_>>());
        return Err(DataError::NoArrays { problem: missing(&file, &absent), place, pair });
    }
    let labels = labels_of(file.read(&y)?, &format!("{place}[{y}]"))?;
    let batches = match *file.shape(&x)? {
        [_, _] => ArrayBatches::new(file.rows(&x)?, labels, &place)?,
        [height, width, _] => ArrayBatches::new(file.slices(&x)?, labels, &place)?
            .mapped(upright(height, width), Some((height, width))),
        [height, width, 3, _] => {
            let labels = if [height, width, 3] == SVHN { digits(labels) } else { labels };
            ArrayBatches::new(file.slices(&x)?, labels, &place)?
                .mapped(gray(height, width), Some((height, width)))
        }
        ref other => {
            let problem = format!(
                "{x} has shape {other:?}; expected points × dimensions, height × width × points or \
                 height × width × 3 × points"
            );
            return Err(DataError::content(&place, problem));
        }
    };
    Ok(Box::new(batches))
}

/// Returns the problem and its remedy if numeric arrays are missing.
fn missing(file: &MatFile, absent: &[&str]) -> String {
    let numeric = file.names().into_iter().map(|name| format!("{name} (a numeric array)"));
    let others = file.others().iter().map(|(name, kind)| format!("{name} ({kind})"));
    let there: Vec<String> = numeric.chain(others).collect();
    let there = if there.is_empty() { "nothing".to_owned() } else { there.join(", ") };
    let arrays = if absent.len() == 1 { "is no numeric array" } else { "are no numeric arrays" };
    let absent = absent.join("' and '");
    let mut text = format!("there {arrays} '{absent}'; the file holds {there}");
    if let Some((name, _)) = file.others().iter().find(|(_, kind)| *kind == "a struct") {
        text.push_str(&format!(
            ". Fields of a struct are not read; save them as arrays of their own, in MATLAB with: load FILE.mat; \
             save('FIELDS.mat', '-struct', '{name}', '-v7')"
        ));
    }
    text.push_str("; name other arrays");
    text
}

/// Converts images from column-major to row-major order.
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

/// Averages the three colors of images and converts them to row-major order.
fn gray(height: usize, width: usize) -> Map {
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
                    mean([0, 1, 2].map(|color| image[place + color * plane]))
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

/// Converts labels 1 to 10 to digits, where 10 is 0. Other labels do not change.
fn digits(labels: Labels) -> Labels {
    let Classes::Integers(classes) = labels.classes() else { return labels };
    if !classes.iter().all(|class| (1..=10).contains(class)) {
        return labels;
    }
    let digits: Vec<i64> = labels.codes().iter().map(|&code| classes[code as usize] % 10).collect();
    Labels::from_integers(&digits)
}

//! Gray images, and the positions from which patches are cut. Training and test positions do not
//! overlap.

use std::ops::Range;
use std::path::Path;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::motion::{APERTURE, APERTURE_START, PATCH_ROWS, PROFILE};
use crate::datasets::DatasetError;
use crate::formats::{Limits, Npz, Values};

/// The fraction of the rows of a specified image that are used for training. The others are for
/// testing.
const TRAINING_ROWS: f64 = 0.6;
/// The intensity that is added to a specified image, as a fraction of its largest pixel, so that no
/// patch is black.
const FLOOR: f32 = 0.01;

/// An image of positive intensities.
#[derive(Debug, Clone, PartialEq)]
pub struct GrayImage {
    /// The number of rows.
    pub height: usize,
    /// The number of columns.
    pub width: usize,
    /// The intensities in row-major order.
    pub values: Vec<f32>,
}

/// Reads all images of an archive, which are arrays of shape (height, width) or (images, height,
/// width).
///
/// # Errors
///
/// If the archive cannot be read or an array is not an image.
pub fn read_images(path: &Path, limits: Limits) -> Result<Vec<GrayImage>, DatasetError> {
    let mut npz = Npz::open(path, limits)?;
    let mut images = Vec::new();
    for name in npz.names().to_vec() {
        let place = format!("{}[{name}]", npz.place());
        let (shape, values) = npz.read(&name)?.into_parts();
        let values: Vec<f32> = match values {
            Values::U8(values) => values.into_iter().map(f32::from).collect(),
            Values::F32(values) => values,
            Values::F64(values) => values.into_iter().map(|value| value as f32).collect(),
            Values::I64(values) => values.into_iter().map(|value| value as f32).collect(),
            Values::Text(_) => {
                return Err(DatasetError::Images { place, problem: "text is no image".to_owned() });
            }
        };
        let (height, width) = match shape[..] {
            [height, width] | [_, height, width] if height > 0 && width > 0 => (height, width),
            _ => {
                let problem =
                    format!("shape {shape:?}; expected (height, width) or (images, height, width)");
                return Err(DatasetError::Images { place, problem });
            }
        };
        for values in values.chunks_exact(height * width) {
            let brightest = values.iter().copied().fold(0.0f32, f32::max);
            let dark = values.iter().any(|value| !(value.is_finite() && *value >= 0.0));
            if dark || brightest == 0.0 {
                let problem = "intensities must be finite, not negative and not all zero";
                return Err(DatasetError::Images { place, problem: problem.to_owned() });
            }
            let values = values.iter().map(|value| value + FLOOR * brightest).collect();
            images.push(GrayImage { height, width, values });
        }
    }
    Ok(images)
}

/// The positions from which patches may be cut: a range of rows for every image.
pub(super) struct Places<'a> {
    images: Vec<(&'a GrayImage, Range<usize>)>,
    /// The cumulative number of possible patches up to and including each image.
    ends: Vec<u64>,
}

impl<'a> Places<'a> {
    /// Returns the positions in whole images.
    pub(super) fn whole(images: &'a [GrayImage]) -> Result<Self, DatasetError> {
        Self::new(images, |height| 0..height)
    }

    /// Returns the positions in the upper rows of every image, for training.
    pub(super) fn upper(images: &'a [GrayImage]) -> Result<Self, DatasetError> {
        Self::new(images, |height| 0..border(height))
    }

    /// Returns the positions in the lower rows of every image, for testing.
    pub(super) fn lower(images: &'a [GrayImage]) -> Result<Self, DatasetError> {
        Self::new(images, |height| border(height)..height)
    }

    fn new(
        images: &'a [GrayImage],
        rows: impl Fn(usize) -> Range<usize>,
    ) -> Result<Self, DatasetError> {
        let (mut kept, mut ends, mut total) = (Vec::new(), Vec::new(), 0u64);
        for (index, image) in images.iter().enumerate() {
            let rows = rows(image.height);
            if rows.len() < PATCH_ROWS || image.width < PROFILE {
                return Err(DatasetError::Images {
                    place: format!("image {index}"),
                    problem: format!(
                        "{} × {} pixels are too few: give images of at least 150 × {PROFILE}",
                        image.height, image.width
                    ),
                });
            }
            total += ((rows.len() - PATCH_ROWS + 1) * (image.width - PROFILE + 1)) as u64;
            kept.push((image, rows));
            ends.push(total);
        }
        if kept.is_empty() {
            let problem = "there is no image: give at least one".to_owned();
            return Err(DatasetError::Images { place: "images".to_owned(), problem });
        }
        Ok(Self { images: kept, ends })
    }

    /// Computes the weighted vertical average of a random patch, which is mirrored with probability
    /// 1/2. Returns the contrast (standard deviation over mean) of the pixels behind the aperture.
    pub(super) fn profile(
        &self,
        rng: &mut ChaCha8Rng,
        row_weights: &[f64; PATCH_ROWS],
        profile: &mut [f64; PROFILE],
    ) -> f64 {
        let total = self.ends.last().copied().unwrap_or(1);
        let pick = rng.random_range(0..total);
        let index = self.ends.partition_point(|&end| end <= pick);
        let (image, rows) = &self.images[index];
        let top = rng.random_range(rows.start..=rows.end - PATCH_ROWS);
        let left = rng.random_range(0..=image.width - PROFILE);
        profile.fill(0.0);
        let (mut sum_of_light, mut sum_of_squares) = (0.0, 0.0);
        for (row, weight) in row_weights.iter().enumerate() {
            let at = (top + row) * image.width + left;
            for value in &image.values[at + APERTURE_START..][..APERTURE] {
                sum_of_light += f64::from(*value);
                sum_of_squares += f64::from(*value).powi(2);
            }
            for (sum, value) in profile.iter_mut().zip(&image.values[at..at + PROFILE]) {
                *sum += weight * f64::from(*value);
            }
        }
        if rng.random::<bool>() {
            profile.reverse();
        }
        let mean = sum_of_light / (PATCH_ROWS * APERTURE) as f64;
        let power = sum_of_squares / (PATCH_ROWS * APERTURE) as f64 - mean * mean;
        power.max(0.0).sqrt() / mean
    }
}

fn border(height: usize) -> usize {
    (height as f64 * TRAINING_ROWS).round() as usize
}

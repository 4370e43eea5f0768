//! Naturalistic videos of surfaces that move at 41 speeds, as samples of 15 frames of 30 pixels.
//!
//! A random patch of a texture moves horizontally behind an aperture of one degree (60 pixels) for
//! 15 frames at 60 Hz. Frames are averaged vertically, reduced to 30 pixels, converted to contrast
//! and divided by √(‖x‖² + 0.8). Patches without contrast are skipped. The contrast of the others
//! is drawn from a single distribution, and receptors add a little noise. The levels were selected
//! so that accuracies are close to those in the paper. Class means are almost zero, so the speed is
//! contained in the covariances. Because only the vertical average is needed, one row of light is
//! moved per video instead of 60.

mod fft;
mod images;
mod motion;
mod texture;
mod video;

use rayon::prelude::*;
use sqfa::{Classes, Labels};

use self::images::Places;
use self::motion::{APERTURE, FRAMES, Motion};
use self::video::Studio;
use super::DatasetError;
use super::matrix::stream;
use crate::data::{LabeledData, OwnedPoints, Part};

pub use self::images::{GrayImage, read_images};

/// The number of pixels per frame after averaging and reduction.
const PIXELS: usize = APERTURE / 2;
/// The number of values per video.
const DIMENSIONS: usize = FRAMES * PIXELS;
/// The speed, in tenths of a degree per second, above which a texture would leave its patch.
const FASTEST: i64 = 80;
/// The conversion of speeds: one degree per second is one pixel per frame, because there are 60
/// pixels per degree and 60 frames per second.
const TENTHS_PER_PIXEL_PER_FRAME: f64 = 10.0;

/// The first random stream for textures. Training and test videos have other streams, which do not
/// overlap with it.
const TEXTURES: u64 = 1 << 60;
const TRAINING: u64 = 2 << 60;
const TESTING: u64 = 3 << 60;

/// The parameters of the videos.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// The speeds in tenths of a degree per second, in ascending order. They are the class labels.
    pub tenths: Vec<i64>,
    /// The number of training videos per speed.
    pub train_per_class: usize,
    /// The number of test videos per speed. Without test videos it is 0.
    pub test_per_class: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The numbers of textures for training and for testing. No texture is used for both.
    pub textures: (usize, usize),
    /// The typical contrast: standard deviation over mean of the vertical average behind the
    /// aperture.
    pub contrast: f64,
    /// The standard deviation over videos of the logarithm of the contrast.
    pub contrast_spread: f64,
    /// The contrast of pixels below which another patch is drawn.
    pub minimum_contrast: f64,
    /// The standard deviation of the Gaussian blur of the optics, in pixels of 1/60 degree.
    pub blur: f64,
    /// The time constant in frames of the three low-pass filters of the receptors, or 0 without
    /// filters.
    pub time_constant: f64,
    /// Whether contrast decreases to zero at the sides of the aperture.
    pub window_in_space: bool,
    /// Whether contrast decreases to zero at the first and the last frame.
    pub window_in_time: bool,
    /// The standard deviation of the noise that is added to every contrast.
    pub noise: f64,
}

impl Default for Speed {
    /// Returns the 41 speeds from −6 to 6 deg/s with 500 training and 300 test videos each.
    fn default() -> Self {
        Self {
            tenths: (-20..=20).map(|step| 3 * step).collect(),
            train_per_class: 500,
            test_per_class: 300,
            seed: 1,
            textures: (48, 32),
            contrast: 0.1,
            contrast_spread: 0.0,
            minimum_contrast: 0.05,
            blur: 1.0,
            time_constant: 0.0,
            window_in_space: true,
            window_in_time: false,
            noise: 0.0125,
        }
    }
}

impl Speed {
    /// The number of values per video.
    pub const DIMENSIONS: usize = DIMENSIONS;

    /// Generates videos of random textures.
    ///
    /// # Errors
    ///
    /// If a parameter is outside of its allowed range.
    pub fn generate(&self) -> Result<LabeledData, DatasetError> {
        self.check()?;
        let (train, test) = self.textures;
        if train == 0 || test == 0 {
            let value = format!("{train} and {test}");
            return Err(DatasetError::parameter("textures", value, "at least one of each"));
        }
        let drawn: Vec<GrayImage> = (0..(train + test) as u64)
            .into_par_iter()
            .map(|index| texture::texture(&mut stream(self.seed, TEXTURES | index)))
            .collect();
        let (train, test) = drawn.split_at(train);
        self.film(&Places::whole(train)?, &Places::whole(test)?)
    }

    /// Generates videos of images. The upper rows of each image are used for training, and the
    /// lower rows for testing.
    ///
    /// # Errors
    ///
    /// If a parameter is outside of its allowed range or an image is too small.
    pub fn generate_from(&self, images: &[GrayImage]) -> Result<LabeledData, DatasetError> {
        self.check()?;
        self.film(&Places::upper(images)?, &Places::lower(images)?)
    }

    fn check(&self) -> Result<(), DatasetError> {
        let ascending = self.tenths.windows(2).all(|pair| pair[0] < pair[1]);
        let slow = self.tenths.iter().all(|tenths| tenths.abs() <= FASTEST);
        if self.tenths.is_empty() || !ascending || !slow {
            let value = format!("{:?}", self.tenths);
            let expected = "ascending tenths of a degree per second from -80 to 80";
            return Err(DatasetError::parameter("tenths", value, expected));
        }
        if self.train_per_class == 0 {
            return Err(DatasetError::parameter("train_per_class", 0, "at least 1"));
        }
        for (parameter, value) in [
            ("contrast", self.contrast),
            ("contrast_spread", self.contrast_spread),
            ("minimum_contrast", self.minimum_contrast),
            ("blur", self.blur),
            ("time_constant", self.time_constant),
            ("noise", self.noise),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                let expected = "a finite number, not negative";
                return Err(DatasetError::parameter(parameter, value, expected));
            }
        }
        Ok(())
    }

    fn film(&self, train: &Places<'_>, test: &Places<'_>) -> Result<LabeledData, DatasetError> {
        let studio = Studio::new(self);
        let motions: Vec<Motion> = self
            .tenths
            .iter()
            .map(|&tenths| {
                let speed = tenths as f64 / TENTHS_PER_PIXEL_PER_FRAME;
                Motion::new(speed, self.blur, self.time_constant)
            })
            .collect();
        let part = |places: &Places<'_>, per_class: usize, kind: u64| {
            self.part(&studio, &motions, places, per_class, kind)
        };
        Ok(LabeledData {
            name: "speed".to_owned(),
            train: part(train, self.train_per_class, TRAINING),
            test: (self.test_per_class > 0).then(|| part(test, self.test_per_class, TESTING)),
            image_shape: Some((FRAMES, PIXELS)),
        })
    }

    /// Generates `per_class` videos of every speed, each with its own random stream.
    fn part(
        &self,
        studio: &Studio,
        motions: &[Motion],
        places: &Places<'_>,
        per_class: usize,
        kind: u64,
    ) -> Part {
        let rows = motions.len() * per_class;
        let mut videos = vec![0.0f32; rows * DIMENSIONS];
        videos.par_chunks_exact_mut(DIMENSIONS).enumerate().for_each(|(row, video)| {
            let mut rng = stream(self.seed, kind | row as u64);
            studio.film(places, &motions[row / per_class], &mut rng, video);
        });
        let codes = (0..rows).map(|row| (row / per_class) as u32).collect();
        Part {
            points: OwnedPoints::from_f32(videos, rows, DIMENSIONS)
                .expect("one row of numbers per video"),
            labels: Labels::from_codes(Classes::Integers(self.tenths.clone()), codes)
                .expect("codes are below the number of speeds"),
        }
    }
}

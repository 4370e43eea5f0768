//! Naturalistic videos of surfaces moving at 41 speeds, each to be told from 15 frames of 30 pixels.
//!
//! A random patch of a texture moves horizontally behind an aperture of one degree (60 pixels) for
//! 15 frames at 60 Hz; frames are averaged vertically, halved to 30 pixels, turned into contrast
//! and normalized by √(‖x‖² + 0.8). Patches without contrast are passed over, the others are given a contrast from one
//! distribution, and receptors add a little noise; the levels were chosen so that accuracies come near the paper's.
//! Class means nearly vanish: speed lives in the covariances.
//! Because only the vertical average is kept, each video moves one row of light instead of 60.

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

/// Pixels of a frame after averaging and halving.
const PIXELS: usize = APERTURE / 2;
/// Numbers of a video.
const DIMENSIONS: usize = FRAMES * PIXELS;
/// Beyond this many tenths of a degree per second a texture would leave its patch.
const FASTEST: i64 = 80;
/// One degree per second is one pixel per frame: 60 pixels a degree and 60 frames a second.
const TENTHS_PER_PIXEL_PER_FRAME: f64 = 10.0;

/// What the random streams are for; each kind has its own.
const TEXTURES: u64 = 1 << 60;
const TRAINING: u64 = 2 << 60;
const TESTING: u64 = 3 << 60;

/// How the videos are made.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// The speeds, ascending, in tenths of a degree per second; they are the class labels.
    pub tenths: Vec<i64>,
    /// Training videos of each speed.
    pub train_per_class: usize,
    /// Test videos of each speed; none when 0.
    pub test_per_class: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Textures drawn for training and for testing; no texture serves both.
    pub textures: (usize, usize),
    /// Typical contrast of what is seen: standard deviation over mean of the vertical average behind the aperture.
    pub contrast: f64,
    /// Standard deviation of its logarithm over videos.
    pub contrast_spread: f64,
    /// Patches whose pixels have a lower contrast than this are drawn again.
    pub minimum_contrast: f64,
    /// Standard deviation of the optics' Gaussian blur, in pixels of 1/60 degree.
    pub blur: f64,
    /// Time constant of the receptors' threefold low-pass, in frames; 0 for none.
    pub time_constant: f64,
    /// Whether contrast falls to zero towards the aperture's sides.
    pub window_in_space: bool,
    /// Whether contrast falls to zero towards the first and the last frame.
    pub window_in_time: bool,
    /// Standard deviation of noise added to every contrast.
    pub noise: f64,
}

impl Default for Speed {
    /// The 41 speeds from −6 to 6 deg/s with 500 training and 300 test videos each.
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
    /// Numbers of a video.
    pub const DIMENSIONS: usize = DIMENSIONS;

    /// Films drawn textures.
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

    /// Films given images: the upper rows of each for training, the lower ones for testing.
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

    /// Films `per_class` videos of every speed; each has a random stream of its own.
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

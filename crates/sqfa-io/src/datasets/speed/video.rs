//! Conversion of the light behind the aperture to a retinal signal: normalized contrast.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;

use super::images::Places;
use super::motion::{APERTURE, APERTURE_START, FRAMES, Motion, Mover, PATCH_ROWS, PROFILE};
use super::{PIXELS, Speed};
use crate::datasets::matrix::normal;

/// The constant that is added to the squared norm in the divisive normalization.
const HALF_SATURATION: f64 = 0.8;

/// The largest number of patches that are drawn to find one with enough contrast.
const MOST_DRAWS: usize = 200;

/// The data that all videos of a set need.
pub(super) struct Studio {
    mover: Mover,
    row_weights: [f64; PATCH_ROWS],
    window: [[f64; PIXELS]; FRAMES],
    contrast: f64,
    contrast_spread: f64,
    minimum_contrast: f64,
    noise: f64,
}

impl Studio {
    pub(super) fn new(speed: &Speed) -> Self {
        let mut row_weights: [f64; PATCH_ROWS] =
            std::array::from_fn(|row| raised_cosine(row, PATCH_ROWS));
        let total: f64 = row_weights.iter().sum();
        row_weights.iter_mut().for_each(|weight| *weight /= total);
        let window = std::array::from_fn(|frame| {
            std::array::from_fn(|pixel| {
                let space = if speed.window_in_space { raised_cosine(pixel, PIXELS) } else { 1.0 };
                let time = if speed.window_in_time { raised_cosine(frame, FRAMES) } else { 1.0 };
                space * time
            })
        });
        Self {
            mover: Mover::new(),
            row_weights,
            window,
            contrast: speed.contrast,
            contrast_spread: speed.contrast_spread,
            minimum_contrast: speed.minimum_contrast,
            noise: speed.noise,
        }
    }

    /// Generates the video of one random patch and writes the normalized signal, frame by frame.
    pub(super) fn film(
        &self,
        places: &Places<'_>,
        motion: &Motion,
        rng: &mut ChaCha8Rng,
        video: &mut [f32],
    ) {
        let mut profile = [0.0; PROFILE];
        for _ in 0..MOST_DRAWS {
            let contrast = places.profile(rng, &self.row_weights, &mut profile);
            if contrast >= self.minimum_contrast {
                break;
            }
        }
        let light = profile.iter().sum::<f64>() / PROFILE as f64;
        let wanted = self.contrast * (self.contrast_spread * normal(rng)).exp();
        let contrast = match contrast_of(&profile[APERTURE_START..APERTURE_START + APERTURE]) {
            own if own > 0.0 => wanted / own,
            _ => 0.0,
        };

        let mut frames = [[0.0; APERTURE]; FRAMES];
        motion.frames(&self.mover, &profile, &mut frames);
        let mut signal = [[0.0; PIXELS]; FRAMES];
        for (signal, frame) in signal.iter_mut().zip(&frames) {
            let (pairs, _) = frame.as_chunks::<2>();
            for (signal, pair) in signal.iter_mut().zip(pairs) {
                *signal = light + contrast * (pair[0] + pair[1]) / 2.0;
            }
        }
        let mean = mean_of(&signal);
        for (signal, window) in signal.iter_mut().zip(&self.window) {
            for (signal, window) in signal.iter_mut().zip(window) {
                *signal = (*signal - mean) / mean * window;
                if self.noise > 0.0 {
                    *signal += self.noise * normal(rng);
                }
            }
        }
        let mean = mean_of(&signal);
        let energy: f64 = signal.iter().flatten().map(|value| (value - mean).powi(2)).sum();
        let scale = 1.0 / (energy + HALF_SATURATION).sqrt();
        for (target, value) in video.iter_mut().zip(signal.iter().flatten()) {
            *target = ((value - mean) * scale) as f32;
        }
    }
}

/// Returns the standard deviation divided by the mean.
fn contrast_of(light: &[f64]) -> f64 {
    let mean = light.iter().sum::<f64>() / light.len() as f64;
    let power = light.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / light.len() as f64;
    power.sqrt() / mean
}

fn mean_of(signal: &[[f64; PIXELS]; FRAMES]) -> f64 {
    signal.iter().flatten().sum::<f64>() / (PIXELS * FRAMES) as f64
}

/// Returns one period of a raised cosine over `length` samples, which is zero at both ends.
fn raised_cosine(at: usize, length: usize) -> f64 {
    0.5 - 0.5 * (TAU * (at as f64 + 0.5) / length as f64).cos()
}

//! From what is seen behind the aperture to the signal the retina sends: contrast, normalised.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;

use super::images::Places;
use super::motion::{APERTURE, FRAMES, Motion, Mover, PATCH_ROWS, PROFILE};
use super::{PIXELS, Speed};
use crate::datasets::matrix::normal;

/// Added to the squared norm in the divisive normalisation.
const HALF_SATURATION: f64 = 0.8;

/// Everything the videos of a set share.
pub(super) struct Studio {
    mover: Mover,
    row_weights: [f64; PATCH_ROWS],
    window: [[f64; PIXELS]; FRAMES],
    fading: f64,
    noise: f64,
}

impl Studio {
    pub(super) fn new(speed: &Speed, fading: f64) -> Self {
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
        Self { mover: Mover::new(), row_weights, window, fading, noise: speed.noise }
    }

    /// Films one random patch and writes the normalised video, frame after frame.
    pub(super) fn film(
        &self,
        places: &Places<'_>,
        motion: &Motion,
        rng: &mut ChaCha8Rng,
        video: &mut [f32],
    ) {
        let mut profile = [0.0; PROFILE];
        places.profile(rng, &self.row_weights, &mut profile);
        let light = profile.iter().sum::<f64>() / PROFILE as f64;
        // Haze and flat surfaces make low contrast common: at most 1, spread over decades.
        let contrast = (-self.fading * normal(rng).abs()).exp();

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

fn mean_of(signal: &[[f64; PIXELS]; FRAMES]) -> f64 {
    signal.iter().flatten().sum::<f64>() / (PIXELS * FRAMES) as f64
}

/// One period of a raised cosine over `length` samples, zero at both ends.
fn raised_cosine(at: usize, length: usize) -> f64 {
    0.5 - 0.5 * (TAU * (at as f64 + 0.5) / length as f64).cos()
}

//! Motion of a light profile behind an aperture, without loss of sharpness.
//!
//! Motion by d pixels multiplies the Fourier coefficient of frequency f by e^{2πi f d}, which is
//! exact for any d. Linear interpolation would blur each speed differently, and classifiers could
//! use the blur. For a texture that moves at speed v, a temporal filter is equivalent to a spatial
//! one with response H(f v).

use std::f64::consts::{PI, TAU};

use super::fft::Fourier;

/// The number of pixels of a profile, a power of two.
pub(super) const PROFILE: usize = 1 << PROFILE_BITS;
const PROFILE_BITS: u32 = 8;
/// The number of rows of a patch, which is one degree.
pub(super) const PATCH_ROWS: usize = 60;
/// The number of columns of the aperture, which is one degree.
pub(super) const APERTURE: usize = 60;
/// The number of frames per video, 250 ms at 60 Hz.
pub(super) const FRAMES: usize = 15;
/// The number of pixels at both ends of a profile that fade to the mean, so that the profile is
/// periodic.
const TAPER: usize = 40;
/// The order of the temporal filter, a cascade of exponential low-pass filters.
const TEMPORAL_ORDER: i32 = 3;
/// The first pixel behind the aperture.
pub(super) const APERTURE_START: usize = (PROFILE - APERTURE) / 2;

/// The Fourier factors for every frame of a texture that moves at one speed.
pub(super) struct Motion {
    /// The real and imaginary parts for every frame and every frequency 0 … PROFILE/2.
    factors: Vec<(f64, f64)>,
}

impl Motion {
    /// Returns the factors for a speed in pixels per frame, a Gaussian blur in pixels, and the time
    /// constant of a temporal low-pass filter in frames (0 for none).
    pub(super) fn new(speed: f64, blur: f64, time_constant: f64) -> Self {
        let mut factors = Vec::with_capacity(FRAMES * (PROFILE / 2 + 1));
        for frame in 0..FRAMES {
            let shift = speed * (frame as f64 - (FRAMES / 2) as f64);
            factors.extend(factors_of(shift, speed, blur, time_constant));
        }
        Self { factors }
    }

    /// Computes all frames of a profile without its mean. One inverse transform computes two real
    /// frames.
    pub(super) fn frames(&self, mover: &Mover, profile: &[f64; PROFILE], frames: &mut Frames) {
        let (spectrum_re, spectrum_im) = mover.spectrum(profile);
        let per_frame = PROFILE / 2 + 1;
        let still = vec![(0.0, 0.0); per_frame];
        for first in (0..FRAMES).step_by(2) {
            let a = &self.factors[first * per_frame..][..per_frame];
            let b = self.factors.get((first + 1) * per_frame..).unwrap_or(&still);
            let b = if b.is_empty() { &still[..] } else { &b[..per_frame] };
            let (mut re, mut im) = ([0.0; PROFILE], [0.0; PROFILE]);
            for k in 0..per_frame {
                let (x, y) = (spectrum_re[k], spectrum_im[k]);
                let (a_re, a_im) = (x * a[k].0 - y * a[k].1, x * a[k].1 + y * a[k].0);
                let (b_re, b_im) = (x * b[k].0 - y * b[k].1, x * b[k].1 + y * b[k].0);
                if k == 0 || k == PROFILE / 2 {
                    // These two coefficients of a real signal are real.
                    (re[k], im[k]) = (a_re, b_re);
                } else {
                    (re[k], im[k]) = (a_re - b_im, a_im + b_re);
                    (re[PROFILE - k], im[PROFILE - k]) = (a_re + b_im, b_re - a_im);
                }
            }
            mover.fourier.inverse(&mut re, &mut im);
            for (frame, values) in [(first, &re), (first + 1, &im)] {
                if let Some(target) = frames.get_mut(frame) {
                    let seen = &values[APERTURE_START..APERTURE_START + APERTURE];
                    for (target, value) in target.iter_mut().zip(seen) {
                        *target = value / PROFILE as f64;
                    }
                }
            }
        }
    }
}

/// The light behind the aperture in each frame.
pub(super) type Frames = [[f64; APERTURE]; FRAMES];

fn factors_of(
    shift: f64,
    speed: f64,
    blur: f64,
    time_constant: f64,
) -> impl Iterator<Item = (f64, f64)> {
    (0..=PROFILE / 2).map(move |k| {
        let frequency = k as f64 / PROFILE as f64;
        let turned = TAU * frequency * speed * time_constant;
        // The response 1 / (1 + i ω τ)³ in polar form.
        let temporal = (1.0 + turned * turned).sqrt().powi(-TEMPORAL_ORDER);
        let phase = TAU * frequency * shift - f64::from(TEMPORAL_ORDER) * turned.atan();
        let blurred = (-2.0 * (PI * frequency * blur).powi(2)).exp();
        (temporal * blurred * phase.cos(), temporal * blurred * phase.sin())
    })
}

/// The Fourier transform and the taper for all profiles.
pub(super) struct Mover {
    fourier: Fourier,
    taper: [f64; PROFILE],
}

impl Mover {
    pub(super) fn new() -> Self {
        let mut taper = [1.0; PROFILE];
        for at in 0..TAPER {
            let value = 0.5 - 0.5 * (PI * (at as f64 + 0.5) / TAPER as f64).cos();
            taper[at] = value;
            taper[PROFILE - 1 - at] = value;
        }
        Self { fourier: Fourier::new(PROFILE_BITS), taper }
    }

    fn spectrum(&self, profile: &[f64; PROFILE]) -> ([f64; PROFILE], [f64; PROFILE]) {
        let mean = profile.iter().sum::<f64>() / PROFILE as f64;
        let mut re = [0.0; PROFILE];
        for at in 0..PROFILE {
            re[at] = (profile[at] - mean) * self.taper[at];
        }
        let mut im = [0.0; PROFILE];
        self.fourier.forward(&mut re, &mut im);
        (re, im)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a smooth bump in the middle of the profile, as a function of the position.
    fn pattern(x: f64) -> f64 {
        let at = x - 128.0;
        (-at * at / (2.0 * 5.0 * 5.0)).exp() * (1.0 + 0.5 * (0.6 * at).cos())
    }

    #[test]
    fn moving_by_a_fraction_of_a_pixel_equals_the_analytic_shift() {
        let mut profile = [0.0; PROFILE];
        for (at, value) in profile.iter_mut().enumerate() {
            *value = pattern(at as f64);
        }
        let mean = profile.iter().sum::<f64>() / PROFILE as f64;
        // Mean and taper are undone, so that frames can be compared with the bare pattern.
        let mover = Mover { fourier: Fourier::new(PROFILE_BITS), taper: [1.0; PROFILE] };
        for speed in [0.3, -1.7, 5.1] {
            let mut frames = [[0.0; APERTURE]; FRAMES];
            Motion::new(speed, 0.0, 0.0).frames(&mover, &profile, &mut frames);
            for (frame, values) in frames.iter().enumerate() {
                let shift = speed * (frame as f64 - 7.0);
                for (at, value) in values.iter().enumerate() {
                    let expected = pattern((APERTURE_START + at) as f64 + shift) - mean;
                    assert!((value - expected).abs() < 1e-10, "{speed} {frame} {at}");
                }
            }
        }
    }

    #[test]
    fn optics_and_slow_receptors_dim_a_grating_as_their_formulas_say() {
        let mut profile = [0.0; PROFILE];
        for (at, value) in profile.iter_mut().enumerate() {
            *value = (TAU * 16.0 * at as f64 / PROFILE as f64).cos();
        }
        let mover = Mover { fourier: Fourier::new(PROFILE_BITS), taper: [1.0; PROFILE] };
        let mut frames = [[0.0; APERTURE]; FRAMES];
        let (speed, blur, time_constant) = (2.0, 1.5, 0.7);
        Motion::new(speed, blur, time_constant).frames(&mover, &profile, &mut frames);
        let frequency: f64 = 16.0 / 256.0;
        let expected = (-2.0 * (PI * frequency * blur).powi(2)).exp()
            * (1.0 + (TAU * frequency * speed * time_constant).powi(2)).powf(-1.5);
        // 16 pixels are one period, so the mean square over 48 pixels is half the squared
        // amplitude.
        let power = frames[3][..48].iter().map(|value| value * value).sum::<f64>() / 48.0;
        assert!(((2.0 * power).sqrt() - expected).abs() < 1e-12);
    }
}

//! A profile of light moved behind an aperture, frame by frame, without losing sharpness.
//!
//! Moving by d pixels multiplies the Fourier coefficient of frequency f by e^{2πi f d}, exact for
//! any d. Linear interpolation would instead blur each speed differently and give it away.
//! A temporal filter acts on a texture moving at v as a spatial one with response H(f v).

use std::f64::consts::{PI, TAU};

use super::fft::Fourier;

/// Pixels of the profile that is moved; a power of two.
pub(super) const PROFILE: usize = 1 << PROFILE_BITS;
const PROFILE_BITS: u32 = 8;
/// Rows of a patch: one degree.
pub(super) const PATCH_ROWS: usize = 60;
/// Columns of the aperture: one degree.
pub(super) const APERTURE: usize = 60;
/// Frames of a video: 250 ms at 60 Hz.
pub(super) const FRAMES: usize = 15;
/// Pixels at either end of a profile that fade to its mean, so that it closes on itself.
const TAPER: usize = 40;
/// Order of the temporal filter: a cascade of so many exponential low-pass filters.
const TEMPORAL_ORDER: i32 = 3;
/// The first pixel behind the aperture.
pub(super) const APERTURE_START: usize = (PROFILE - APERTURE) / 2;

/// The Fourier factors that give every frame of a texture moving at one speed.
pub(super) struct Motion {
    /// For every frame and frequency 0 … PROFILE/2, cosine and sine parts.
    factors: Vec<(f64, f64)>,
}

impl Motion {
    /// A speed in pixels per frame, seen through optics of a Gaussian blur (pixels) and
    /// a temporal low-pass of a time constant (frames; 0 for none).
    pub(super) fn new(speed: f64, blur: f64, time_constant: f64) -> Self {
        let mut factors = Vec::with_capacity(FRAMES * (PROFILE / 2 + 1));
        for frame in 0..FRAMES {
            let shift = speed * (frame as f64 - (FRAMES / 2) as f64);
            factors.extend(factors_of(shift, speed, blur, time_constant));
        }
        Self { factors }
    }

    /// All frames of a profile, its mean removed; two real frames share each inverse transform.
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

/// What is seen behind the aperture, frame after frame.
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
        // 1 / (1 + i ω τ)³ in polar form.
        let temporal = (1.0 + turned * turned).sqrt().powi(-TEMPORAL_ORDER);
        let phase = TAU * frequency * shift - f64::from(TEMPORAL_ORDER) * turned.atan();
        let blurred = (-2.0 * (PI * frequency * blur).powi(2)).exp();
        (temporal * blurred * phase.cos(), temporal * blurred * phase.sin())
    })
}

/// The transform and the taper every profile goes through.
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

    /// A smooth bump well inside the profile, as a function of position.
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
        // The mean is removed before the taper; undo both to compare with the bare pattern.
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
        // Sixteen pixels are one period, so the mean square over 48 of them is half the amplitude's.
        let power = frames[3][..48].iter().map(|value| value * value).sum::<f64>() / 48.0;
        assert!(((2.0 * power).sqrt() - expected).abs() < 1e-12);
    }
}

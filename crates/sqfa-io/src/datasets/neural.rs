//! A simulated population of V1 neurons: spike counts in 50 ms of trials with one of eight orientations.
//!
//! Neuron i fires at rᵢ(θ) = bᵢ + aᵢ exp(κᵢ (cos 2(θ − θᵢ) − 1)) spikes a second. A trial's count is Poisson with mean
//! window · (u · bᵢ + g · (rᵢ(θ) − bᵢ)) · hᵢ · pᵢ. The population shares g, which multiplies tuning, and u, which multiplies the
//! base and so adds the same to all stimuli: shared variability is affine (Lin, Okun, Carandini & Harris, Neuron 87, 2015).
//! log hᵢ = s · sin 2(θᵢ − θ) · z is a fluctuation with the sign of the tuning's slope (z is the trial's), pᵢ a gain of the
//! neuron's own (Gamma of mean 1; Goris, Movshon & Simoncelli, Nature Neuroscience 17, 2014). g and h make covariances depend on
//! the stimulus. Preferred orientations crowd a little about one of the session's own. A few trials are disturbed and a few
//! neurons burst, for cleaning to find. Everything is simulated: parameters were chosen so that accuracies come near those of
//! the paper's recordings. u is what puts a direction without tuning among the first principal components.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Poisson};
use rayon::prelude::*;
use sqfa::{Classes, Labels};

use super::DatasetError;
use super::matrix::{normal, stream};
use crate::data::{LabeledData, OwnedPoints, Part};

/// Streams of one session: its neurons first, then one a trial.
const SESSION: u64 = 1 << 32;
/// Tenths of a degree after which orientations repeat.
const PERIOD: i64 = 1800;

/// How recordings are simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Neural {
    /// Neurons of every session.
    pub neurons: Vec<usize>,
    /// Orientations, evenly spaced; labels are tenths of a degree.
    pub orientations: usize,
    /// Trials of every orientation.
    pub trials: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Seconds in which spikes are counted.
    pub window: f64,
    /// Typical rates in spikes a second: at the preferred orientation above the base, and the base.
    pub rates: (f64, f64),
    /// Standard deviations of their logarithms over neurons.
    pub rate_spread: (f64, f64),
    /// Typical sharpness κ of tuning, and the standard deviation of its logarithm.
    pub sharpness: (f64, f64),
    /// How much preferred orientations crowd about one: their density is 1 + crowding · cos 2(θ − θ₀).
    pub crowding: f64,
    /// Standard deviation of the logarithm of the shared gain of tuning.
    pub shared_gain: f64,
    /// Standard deviation of the logarithm of the shared gain of the base.
    pub base_gain: f64,
    /// Variance of every neuron's own gain.
    pub private_gain: f64,
    /// Standard deviation of the fluctuation along the slope of tuning.
    pub slope_gain: f64,
    /// Share of trials that are disturbed.
    pub outlying: f64,
    /// Share of neurons that burst in some trials.
    pub unstable: f64,
}

impl Default for Neural {
    /// Five sessions of 70 to 142 neurons, eight orientations of 400 trials.
    fn default() -> Self {
        Self {
            neurons: vec![70, 88, 106, 124, 142],
            orientations: 8,
            trials: 400,
            seed: 1,
            window: 0.05,
            rates: (54.0, 16.0),
            rate_spread: (0.5, 0.25),
            sharpness: (2.5, 0.3),
            crowding: 0.45,
            shared_gain: 0.2,
            base_gain: 0.75,
            private_gain: 0.05,
            slope_gain: 0.15,
            outlying: 0.01,
            unstable: 0.005,
        }
    }
}

/// Share of trials in which an unstable neuron bursts.
const BURSTS: f64 = 0.035;
/// Spikes of a burst beyond the usual ones.
const BURST: f64 = 14.0;
/// Mean of the spikes that a disturbed trial adds to a neuron, as a multiple of its base and peak rates together.
const DISTURBANCE: f64 = 1.5;
/// Share of the neurons that a disturbed trial disturbs.
const DISTURBED: f64 = 0.3;

/// One neuron of a session.
struct Neuron {
    /// Preferred orientation in radians.
    preferred: f64,
    base: f64,
    peak: f64,
    sharpness: f64,
    unstable: bool,
}

impl Neuron {
    /// Spikes a second above the base at an orientation in radians.
    fn tuned(&self, angle: f64) -> f64 {
        self.peak * (self.sharpness * ((2.0 * (angle - self.preferred)).cos() - 1.0)).exp()
    }
}

impl Neural {
    /// All sessions.
    pub fn generate(&self) -> Result<Vec<LabeledData>, DatasetError> {
        (0..self.neurons.len()).map(|session| self.session(session)).collect()
    }

    /// One session, counted from 0; it does not depend on the others.
    pub fn session(&self, session: usize) -> Result<LabeledData, DatasetError> {
        self.check()?;
        let Some(&count) = self.neurons.get(session) else {
            return Err(DatasetError::parameter("session", session, "one of the sessions, from 0"));
        };
        let first = session as u64 * SESSION;
        let neurons = self.population(count, &mut stream(self.seed, first));
        let rows = self.orientations * self.trials;
        let step = PERIOD as f64 / self.orientations as f64;
        let mut counts = vec![0.0f32; rows * count];
        counts.par_chunks_exact_mut(count).enumerate().for_each(|(row, counts)| {
            let angle = (step * (row / self.trials) as f64 / 10.0).to_radians();
            self.trial(&neurons, angle, &mut stream(self.seed, first + 1 + row as u64), counts);
        });
        let classes = (0..self.orientations).map(|k| (step * k as f64).round() as i64).collect();
        let codes = (0..rows).map(|row| (row / self.trials) as u32).collect();
        let part = Part {
            points: OwnedPoints::from_f32(counts, rows, count).expect("one row of counts a trial"),
            labels: Labels::from_codes(Classes::Integers(classes), codes)
                .expect("codes are below the number of orientations"),
        };
        let name = format!("neural-{}", session + 1);
        Ok(LabeledData { name, train: part, test: None, image_shape: None })
    }

    fn check(&self) -> Result<(), DatasetError> {
        if self.neurons.is_empty() || self.neurons.contains(&0) {
            let value = format!("{:?}", self.neurons);
            return Err(DatasetError::parameter("neurons", value, "at least one in every session"));
        }
        if !(2..=180).contains(&self.orientations) {
            return Err(DatasetError::parameter("orientations", self.orientations, "2 to 180"));
        }
        if self.trials == 0 {
            return Err(DatasetError::parameter("trials", 0, "at least 1"));
        }
        for (parameter, value) in [
            ("window", self.window),
            ("rates", self.rates.0),
            ("rates", self.rates.1),
            ("rate_spread", self.rate_spread.0),
            ("rate_spread", self.rate_spread.1),
            ("sharpness", self.sharpness.0),
            ("sharpness", self.sharpness.1),
            ("shared_gain", self.shared_gain),
            ("base_gain", self.base_gain),
            ("private_gain", self.private_gain),
            ("slope_gain", self.slope_gain),
        ] {
            if !(0.0..=1000.0).contains(&value) {
                return Err(DatasetError::parameter(parameter, value, "a number from 0 to 1000"));
            }
        }
        for (parameter, value) in
            [("crowding", self.crowding), ("outlying", self.outlying), ("unstable", self.unstable)]
        {
            if !(0.0..=1.0).contains(&value) {
                return Err(DatasetError::parameter(parameter, value, "a share from 0 to 1"));
            }
        }
        Ok(())
    }

    fn population(&self, count: usize, rng: &mut ChaCha8Rng) -> Vec<Neuron> {
        use std::f64::consts::PI;
        let crowd = PI * rng.random::<f64>();
        (0..count)
            .map(|_| {
                // Orientations are drawn until one is accepted with a chance in proportion to its density.
                let preferred = loop {
                    let angle = PI * rng.random::<f64>();
                    let density = 1.0 + self.crowding * (2.0 * (angle - crowd)).cos();
                    if rng.random::<f64>() * (1.0 + self.crowding) <= density {
                        break angle;
                    }
                };
                Neuron {
                    preferred,
                    peak: self.rates.0 * (self.rate_spread.0 * normal(rng)).exp(),
                    base: self.rates.1 * (self.rate_spread.1 * normal(rng)).exp(),
                    sharpness: self.sharpness.0 * (self.sharpness.1 * normal(rng)).exp(),
                    unstable: rng.random::<f64>() < self.unstable,
                }
            })
            .collect()
    }

    /// Counts of one trial.
    fn trial(&self, neurons: &[Neuron], angle: f64, rng: &mut ChaCha8Rng, counts: &mut [f32]) {
        let (tuned, base) = (log_normal(self.shared_gain, rng), log_normal(self.base_gain, rng));
        let slope = self.slope_gain * normal(rng);
        let disturbed = rng.random::<f64>() < self.outlying;
        for (neuron, count) in neurons.iter().zip(counts) {
            let along = (slope * (2.0 * (neuron.preferred - angle)).sin()).exp();
            let mut mean = self.window * (base * neuron.base + tuned * neuron.tuned(angle)) * along;
            mean *= own_gain(self.private_gain, rng);
            // Every trial draws the same numbers of chance, so that one share does not change the others.
            let (hit, burst) = (rng.random::<f64>(), rng.random::<f64>());
            if disturbed && hit < DISTURBED {
                mean += self.window * DISTURBANCE * (neuron.base + neuron.peak);
            }
            if neuron.unstable && burst < BURSTS {
                mean += BURST;
            }
            *count = poisson(mean, rng) as f32;
        }
    }
}

/// A gain of mean 1 whose logarithm has this standard deviation.
fn log_normal(spread: f64, rng: &mut ChaCha8Rng) -> f64 {
    (spread * normal(rng) - 0.5 * spread * spread).exp()
}

/// A gain of mean 1 and this variance.
fn own_gain(variance: f64, rng: &mut ChaCha8Rng) -> f64 {
    match Gamma::new(1.0 / variance, variance) {
        Ok(gain) if variance > 0.0 => gain.sample(rng),
        _ => 1.0,
    }
}

/// A Poisson count; none where the mean is nothing.
fn poisson(mean: f64, rng: &mut ChaCha8Rng) -> f64 {
    Poisson::new(mean).map_or(0.0, |counts| counts.sample(rng))
}

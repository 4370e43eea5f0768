//! A simulated population of V1 neurons: spike counts in 50 ms of trials with one of eight
//! orientations.
//!
//! Neuron i fires at rᵢ(θ) = bᵢ + aᵢ exp(κᵢ (cos 2(θ − θᵢ) − 1)) spikes per second. The count of a
//! trial is Poisson with mean window · (u · bᵢ + g · (rᵢ(θ) − bᵢ)) · hᵢ · pᵢ. All neurons have the
//! same g and u in a trial. g multiplies the tuning. u multiplies the base rate and so adds the
//! same amount for all stimuli. Shared variability is therefore affine (Lin, Okun, Carandini &
//! Harris, Neuron 87, 2015). log hᵢ = s · sin 2(θᵢ − θ) · z is a fluctuation with the sign of the
//! slope of the tuning, where z belongs to the trial. pᵢ is a gain of each neuron (Gamma with mean
//! 1; Goris, Movshon & Simoncelli, Nature Neuroscience 17, 2014). Covariances depend on the
//! stimulus because of g and h.
//!
//! Preferred orientations are slightly concentrated around one orientation per session. A few
//! trials are disturbed and a few neurons burst, so that cleaning can be tested. Parameters were
//! selected so that accuracies are close to those of the recordings in the paper. Because of u, the
//! first principal components include a direction without tuning.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Poisson};
use rayon::prelude::*;
use sqfa::{Classes, Labels};

use super::DatasetError;
use super::matrix::{normal, stream};
use crate::data::{LabeledData, OwnedPoints, Part};

/// The distance between the random streams of sessions. The first stream of a session is for its
/// neurons, and the others are for trials.
const SESSION: u64 = 1 << 32;
/// The period of orientations in tenths of a degree.
const PERIOD: i64 = 1800;

/// The parameters of simulated recordings.
#[derive(Debug, Clone, PartialEq)]
pub struct Neural {
    /// The number of neurons in each session.
    pub neurons: Vec<usize>,
    /// The number of orientations, which are evenly spaced. Labels are tenths of a degree.
    pub orientations: usize,
    /// The number of trials per orientation.
    pub trials: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The duration in seconds in which spikes are counted.
    pub window: f64,
    /// The typical peak rate above the base and the typical base rate, in spikes per second.
    pub rates: (f64, f64),
    /// The standard deviations over neurons of the logarithms of both rates.
    pub rate_spread: (f64, f64),
    /// The typical sharpness κ of tuning, and the standard deviation of its logarithm.
    pub sharpness: (f64, f64),
    /// The concentration of preferred orientations, whose density is 1 + crowding · cos 2(θ − θ₀).
    pub crowding: f64,
    /// The standard deviation of the logarithm of the shared gain of tuning.
    pub shared_gain: f64,
    /// The standard deviation of the logarithm of the shared gain of the base rate.
    pub base_gain: f64,
    /// The variance of the private gain of each neuron.
    pub private_gain: f64,
    /// The standard deviation of the fluctuation along the slope of tuning.
    pub slope_gain: f64,
    /// The fraction of trials that are disturbed.
    pub outlying: f64,
    /// The fraction of neurons that burst in some trials.
    pub unstable: f64,
}

impl Default for Neural {
    /// Returns five sessions of 70 to 142 neurons, with 400 trials for each of eight orientations.
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

/// The fraction of trials in which an unstable neuron bursts.
const BURSTS: f64 = 0.035;
/// The number of additional spikes in a burst.
const BURST: f64 = 14.0;
/// The mean number of spikes that a disturbed trial adds to a neuron, as a multiple of the sum of
/// its base and peak rates.
const DISTURBANCE: f64 = 1.5;
/// The fraction of neurons that a disturbed trial affects.
const DISTURBED: f64 = 0.3;

/// A neuron of a session.
struct Neuron {
    /// The preferred orientation in radians.
    preferred: f64,
    base: f64,
    peak: f64,
    sharpness: f64,
    unstable: bool,
}

impl Neuron {
    /// Returns the rate above the base in spikes per second, for an orientation in radians.
    fn tuned(&self, angle: f64) -> f64 {
        self.peak * (self.sharpness * ((2.0 * (angle - self.preferred)).cos() - 1.0)).exp()
    }
}

impl Neural {
    /// Generates all sessions.
    ///
    /// # Errors
    ///
    /// If a parameter is outside of its allowed range.
    pub fn generate(&self) -> Result<Vec<LabeledData>, DatasetError> {
        (0..self.neurons.len()).map(|session| self.session(session)).collect()
    }

    /// Generates one session, counted from 0. It does not depend on the others.
    ///
    /// # Errors
    ///
    /// If a parameter is outside of its allowed range or there is no such session.
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
                // Rejection sampling: an orientation is accepted with a probability in proportion
                // to its density.
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

    /// Generates the counts of one trial.
    fn trial(&self, neurons: &[Neuron], angle: f64, rng: &mut ChaCha8Rng, counts: &mut [f32]) {
        let (tuned, base) = (log_normal(self.shared_gain, rng), log_normal(self.base_gain, rng));
        let slope = self.slope_gain * normal(rng);
        let disturbed = rng.random::<f64>() < self.outlying;
        for (neuron, count) in neurons.iter().zip(counts) {
            let along = (slope * (2.0 * (neuron.preferred - angle)).sin()).exp();
            let mut mean = self.window * (base * neuron.base + tuned * neuron.tuned(angle)) * along;
            mean *= own_gain(self.private_gain, rng);
            // Every trial draws the same number of random values, so that each fraction can be
            // changed without changing other trials.
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

/// Returns a gain with mean 1 whose logarithm has a given standard deviation.
fn log_normal(spread: f64, rng: &mut ChaCha8Rng) -> f64 {
    (spread * normal(rng) - 0.5 * spread * spread).exp()
}

/// Returns a gain with mean 1 and a given variance.
fn own_gain(variance: f64, rng: &mut ChaCha8Rng) -> f64 {
    match Gamma::new(1.0 / variance, variance) {
        Ok(gain) if variance > 0.0 => gain.sample(rng),
        _ => 1.0,
    }
}

/// Returns a Poisson count, which is 0 if the mean is 0.
fn poisson(mean: f64, rng: &mut ChaCha8Rng) -> f64 {
    Poisson::new(mean).map_or(0.0, |counts| counts.sample(rng))
}

//! Flags of `sqfa clean`.

use std::path::PathBuf;

use clap::Args;

use super::{DataFlags, values};

/// Remove quiet neurons, outlying trials and unstable neurons from a recording.
#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Table of trials × neurons with one label per trial: counts with --window-seconds, otherwise rates. Several files are
    /// one recording, with trials in the order of the files; * and ? match parts of names.
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// File to write: .npz (X, y, trials, neurons) or .csv.
    #[arg(short, long, value_name = "CLEAN")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// Duration in seconds in which spikes were counted.
    #[arg(long, value_name = "S", help_heading = "Thresholds")]
    pub(crate) window_seconds: Option<f64>,
    /// Keep neurons whose mean rate is above this, in spikes per second.
    #[arg(long, value_name = "HZ", default_value_t = 2.0, help_heading = "Thresholds")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) min_rate: f64,
    /// Principal components of each class in which trials are compared.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = values::positive)]
    #[arg(help_heading = "Thresholds")]
    pub(crate) components: usize,
    /// Fraction of the trials of a class that are assumed not to be outliers.
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, help_heading = "Thresholds")]
    pub(crate) support: f64,
    /// Remove trials whose squared distance exceeds the median by more than this number of standard deviations.
    #[arg(long, value_name = "K", default_value_t = 4.0, help_heading = "Thresholds")]
    pub(crate) max_deviations: f64,
    /// z-score above which a trial is an outlier for a neuron.
    #[arg(long, value_name = "Z", default_value_t = 3.0, help_heading = "Thresholds")]
    pub(crate) outlying_z: f64,
    /// Remove neurons with at least this number of outlying trials.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = values::positive)]
    #[arg(help_heading = "Thresholds")]
    pub(crate) max_outlying_trials: usize,
    /// Seed of the robust covariance.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

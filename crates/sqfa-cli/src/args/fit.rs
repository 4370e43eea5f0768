//! Flags of `sqfa fit`. The flags of methods' settings are generated from the rows of the core.

use std::path::PathBuf;

use clap::Args;
use sqfa::Estimator;
use sqfa::lift::LiftKind;
use sqfa::reduce::ReducerEntry;

use super::settings::SettingFlags;
use super::values::{self, FiltersArg, PrecisionArg};
use super::{DataFlags, choice};

const SHORT_EXAMPLES: &str = "\
Examples:
  sqfa fit iris.csv --label species
  sqfa fit mnist/ --method sqfa-h --filters 8 --out mnist.sqfa
  sqfa fit iris.csv --label species --method lda --out lda.sqfa";

const EXAMPLES: &str = "\
Examples:
  sqfa fit iris.csv --label species
  sqfa fit iris.csv --label species --filters 2 --out iris.sqfa
  sqfa fit mnist/ --method sqfa-h --filters 8 --scaling common --out mnist.sqfa
  sqfa fit X.npy --labels y.npy --filters 4 --noise auto --out model.sqfa
  sqfa fit mnist/ --method sqfa-h --refine --filters 8 --scaling common --out best.sqfa
  sqfa fit mnist/ --method sqfa-h --lift nystroem:1000 --filters 8 --out kernel.sqfa
  sqfa fit iris.csv --label species --method lda --filters 2 --out lda.sqfa
  sqfa fit statistics.npz --method smsqfa --filters 2 --noise 0.001 --out model.sqfa
  sqfa fit 'part-*.csv' --label class --filters 3 --out model.sqfa
  sqfa fit sums.stats --covariance-estimator oas --filters 3 --out model.sqfa
  zcat big.csv.gz | sqfa fit - --label class --filters 3 --out model.sqfa --json";

/// Flags of `sqfa fit`.
#[derive(Debug, Args)]
#[command(after_help = SHORT_EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct FitArgs {
    /// Labeled samples, class statistics or a built-in data set (see sqfa --help).
    ///
    /// Several files are one data set.
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// Number of filters, or auto (selected on held-out samples) [default: 2].
    ///
    /// auto is the smallest number whose held-out accuracy is within one standard error of the best. The default is smaller
    /// if the data have one column, or two classes with --method lda.
    #[arg(long, short = 'm', value_name = "M", value_parser = values::filters)]
    pub(crate) filters: Option<FiltersArg>,
    /// Largest number of filters for --filters auto [default: 16].
    #[arg(long, value_name = "M", value_parser = values::positive, hide_short_help = true)]
    pub(crate) max_filters: Option<usize>,
    /// Model file to write [default: name of DATA with .sqfa].
    ///
    /// By default, the file is in the current folder, and an existing file is an error unless --force is specified. A file
    /// that --out names is replaced when the new one is complete.
    #[arg(long, short = 'o', value_name = "MODEL")]
    pub(crate) out: Option<PathBuf>,
    /// Replace an existing model file if --out is not specified.
    #[arg(long, conflicts_with = "out", hide_short_help = true)]
    pub(crate) force: bool,
    /// Method; sqfa-h is the most accurate one on average.
    #[arg(long, value_name = "METHOD", default_value = "sqfa", value_parser = choice::method())]
    pub(crate) method: ReducerEntry,
    /// Refine the filters afterwards to predict the classes.
    ///
    /// Held-out samples decide how far, or whether at all.
    #[arg(long)]
    pub(crate) refine: bool,

    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// Column or npz array with the group of each sample, such as a subject or a recording. It is not a feature.
    /// Whatever is selected on held-out samples is selected on groups that are held out as a whole.
    #[arg(long, value_name = "KEY", help_heading = "Data", conflicts_with_all = ["classes", "form"])]
    #[arg(hide_short_help = true)]
    pub(crate) group: Option<String>,
    /// Fit only these classes.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Data")]
    #[arg(hide_short_help = true)]
    pub(crate) classes: Option<Vec<String>>,
    /// Scaling of the columns, which the model stores; auto selects it on held-out samples [default: auto].
    #[arg(long, value_name = "SCALING", help_heading = "Data")]
    #[arg(value_parser = choice::scaling())]
    pub(crate) scaling: Option<choice::ScalingChoice>,
    /// Nonlinear feature map before the filters, stored in the model: quadratic (columns and their products),
    /// fourier:D (D random Fourier features) or nystroem:D (D samples of the kernel). The kernels are Gaussian in
    /// scaled columns.
    #[arg(long, value_name = "MAP", help_heading = "Data", hide_short_help = true)]
    pub(crate) lift: Option<LiftKind>,
    /// Width of the kernel of --lift, in units of the scaled columns [default: the median distance between two samples].
    #[arg(long, value_name = "H", requires = "lift", help_heading = "Data")]
    #[arg(allow_negative_numbers = true, hide_short_help = true)]
    pub(crate) bandwidth: Option<f64>,
    /// Estimator of the class covariances, or a fraction of shrinkage s between 0 and 1:
    /// (1−s)S + s(tr S/n)I. t, tyler and mcd need samples [default: empirical; t:NU for sqfa-t and sqfa-cauchy].
    #[arg(long, value_name = "ESTIMATOR", help_heading = "Data", hide_short_help = true)]
    #[arg(value_parser = choice::estimator())]
    pub(crate) covariance_estimator: Option<Estimator>,
    /// Keep sketches of the class covariances instead of the covariances [default: covariances or samples, whichever
    /// costs less].
    #[arg(long, value_name = "FORM", value_parser = choice::sketch(), help_heading = "Data")]
    #[arg(hide_short_help = true)]
    pub(crate) form: Option<usize>,
    /// Precision of the class covariances [default: precision of the data].
    #[arg(long, value_enum, value_name = "PRECISION", help_heading = "Data")]
    #[arg(hide_short_help = true)]
    pub(crate) precision: Option<PrecisionArg>,

    #[command(flatten)]
    pub(crate) settings: SettingFlags<false>,
    /// Initial filters that do not change, from a file as for --init. They come first and count among --filters.
    #[arg(long, value_name = "FILE", help_heading = "Optimization", hide_short_help = true)]
    pub(crate) fixed: Option<PathBuf>,
    /// Seed of all random numbers.
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Optimization")]
    #[arg(hide_short_help = true)]
    pub(crate) seed: u64,

    /// HTML report of the model to write.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

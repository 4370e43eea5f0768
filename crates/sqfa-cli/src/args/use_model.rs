//! Flags of the commands that use a model: transform, predict, evaluate, distances, inspect, export.

use std::path::PathBuf;

use clap::Args;
use sqfa::statistics::Scaling;
use sqfa::{Distance, Noise};

use super::values::{self, PartArg, PriorsArg, ShrinkageArg};
use super::{DataFlags, choice};

const TRANSFORM_EXAMPLES: &str = "\
Examples:
  sqfa transform model.sqfa data.npz --out features.npz     every part under its own name
  sqfa transform model.sqfa X.npy --out Z.npy
  sqfa transform model.sqfa table.csv --id name --out features.csv
  sqfa transform model.sqfa 'part-*.csv' --out features.csv  rows in the order of the files
  sqfa transform model.sqfa table.csv --out - | head

There is one output row per input row: the features of a row that lacks a value are empty (NaN in arrays), unless
--missing says otherwise.";

/// Flags of `sqfa transform`.
#[derive(Debug, Args)]
#[command(after_help = TRANSFORM_EXAMPLES)]
pub(crate) struct TransformArgs {
    /// Model file.
    pub(crate) model: PathBuf,
    /// Samples, with or without labels; several files are one data set, rows in the order of the files. * and ? match
    /// parts of names.
    #[arg(required = true)]
    pub(crate) data: Vec<String>,
    /// File to write: .npy, .npz or .csv (with labels if there are any); - prints csv to standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Column of a table to copy to the output, which identifies its rows.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// Part of DATA to transform; all parts if an .npz file is written.
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) part: Option<PartArg>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

const PREDICT_EXAMPLES: &str = "\
Examples:
  sqfa predict model.sqfa new.csv | sort | uniq -c
  sqfa predict model.sqfa X.npy --probabilities --out predictions.csv";

/// Flags of `sqfa predict`.
#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub(crate) struct PredictArgs {
    /// Model file.
    pub(crate) model: PathBuf,
    /// Samples, with or without labels; all parts if there are two, training first. Several files are one data set, rows
    /// in the order of the files; * and ? match parts of names.
    #[arg(required = true)]
    pub(crate) data: Vec<String>,
    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// Part of DATA to use.
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) part: Option<PartArg>,
    /// Also print the probability of every class, as a table.
    #[arg(long)]
    pub(crate) probabilities: bool,
    #[command(flatten)]
    pub(crate) classifier: ClassifierFlags,
    /// File to write instead of standard output: .csv or .npy (labels alone).
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A classifier of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ClassifierArg {
    /// One Gaussian per class.
    Qda,
    /// One t distribution per class.
    QdaT,
    /// Gaussians with one covariance for all classes.
    Lda,
}

impl ClassifierArg {
    /// The name in flags and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Qda => "qda",
            Self::QdaT => "qda-t",
            Self::Lda => "lda",
        }
    }

    /// The name in reports.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Qda => "QDA",
            Self::QdaT => "QDA-t",
            Self::Lda => "LDA",
        }
    }
}

/// The classifier, and how it is built from the model.
#[derive(Debug, Clone, Args)]
pub(crate) struct ClassifierFlags {
    /// Classifier of the features: Gaussians with a covariance per class (qda) or one for all (lda), or t distributions
    /// with the model's own ν, 5 if it has none (qda-t) [default: lda for models of LDA, else qda].
    #[arg(long, value_name = "NAME", value_enum)]
    #[arg(help_heading = "Classifier")]
    pub(crate) classifier: Option<ClassifierArg>,
    /// Class priors: frequencies (those of the fit, or else of the training data), equal, or one number per class.
    #[arg(long, value_name = "PRIORS", default_value = "frequencies")]
    #[arg(help_heading = "Classifier")]
    pub(crate) priors: PriorsArg,
    /// Shrinkage, 0 to 1: of the class covariances towards the pooled covariance, with lda of the pooled covariance towards
    /// its diagonal; auto shrinks only covariances without full rank.
    #[arg(long, value_name = "S", default_value = "auto", allow_negative_numbers = true)]
    #[arg(help_heading = "Classifier")]
    pub(crate) shrinkage: ShrinkageArg,
}

const EVALUATE_EXAMPLES: &str = "\
Examples:
  sqfa evaluate model.sqfa data.npz                        on its test part
  sqfa evaluate model.sqfa --test test.csv
  sqfa evaluate model.sqfa X.npy --labels y.npy --json";

/// Flags of `sqfa evaluate`.
#[derive(Debug, Args)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub(crate) struct EvaluateArgs {
    /// Model file, which contains the classifier; training data are not needed.
    pub(crate) model: PathBuf,
    /// Samples with labels: the test part, or all of them if there is none; several files are one data set.
    #[arg(required_unless_present = "test")]
    pub(crate) data: Vec<String>,
    /// File of test samples, instead of DATA; names may contain the wildcards * and ?. Several --test
    /// files are combined into one test set.
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Vec<String>,
    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// Part of DATA to use.
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) part: Option<PartArg>,
    #[command(flatten)]
    pub(crate) classifier: ClassifierFlags,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

const DISTANCES_EXAMPLES: &str = "\
Examples:
  sqfa distances model.sqfa                       between classes in feature space
  sqfa distances data.npz --distance hellinger --pca-dims 20
  sqfa distances model.sqfa --distance fisher-rao --bounds
  sqfa distances model.sqfa --distance jeffreys --out matrix.csv";

/// Flags of `sqfa distances`.
#[derive(Debug, Args)]
#[command(after_help = DISTANCES_EXAMPLES)]
pub(crate) struct DistancesArgs {
    /// A model file, or data as for sqfa fit: one file or several, which are one data set.
    #[arg(value_name = "DATA|MODEL", required = true)]
    pub(crate) source: Vec<String>,
    /// Distance [default: the model's own, or calvo-oller].
    #[arg(long, value_name = "DISTANCE", value_parser = choice::distance())]
    pub(crate) distance: Option<Distance>,
    /// Noise σ² on every covariance: scale (the mean within-class variance), a number in the squared units of the scaled
    /// data, or auto [default: auto, the model's own, and scale for data].
    #[arg(long, value_name = "NOISE", value_parser = values::noise)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) noise: Option<Noise>,
    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// Use only these classes of DATA.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Data")]
    pub(crate) classes: Option<Vec<String>>,
    /// Scale DATA first, so that distances do not depend on the units of columns [default: per-feature].
    #[arg(long, value_name = "SCALING", help_heading = "Data", value_parser = choice::scaling_of_columns())]
    pub(crate) scaling: Option<Scaling>,
    /// Compute distances within the leading K principal components of DATA.
    #[arg(long, value_name = "K", value_parser = values::positive, help_heading = "Data")]
    pub(crate) pca_dims: Option<usize>,
    /// With --distance fisher-rao, print the lower bound, the distance and the upper bound of each pair.
    #[arg(long)]
    pub(crate) bounds: bool,
    /// File for the whole matrix: .npy or .csv.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `sqfa inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Model file, or class statistics from sqfa stats.
    pub(crate) model: PathBuf,
    /// Print all metadata as one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  sqfa export model.sqfa --format csv > filters.csv
  sqfa export model.sqfa --format npz --out model.npz

The csv has one row per column, by name, and a last row (offset): features of raw samples X are
X @ filters + offset. In the npz they are X @ raw_filters + raw_offset; with a lift, X are its features.";

/// Flags of `sqfa export`.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// Model file.
    pub(crate) model: PathBuf,
    /// npz writes all arrays; csv writes filters and offset for raw samples, with column names.
    #[arg(long, value_enum)]
    pub(crate) format: ExportFormat,
    /// With --format csv, write the filters of scaled and centered samples, as they were optimized.
    #[arg(long)]
    pub(crate) scaled: bool,
    /// File to write; without it, csv is printed.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The formats a model can be exported to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// Every array, by name.
    Npz,
    /// The filters as a table.
    Csv,
}

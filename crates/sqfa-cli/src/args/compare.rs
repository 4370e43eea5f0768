//! Flags of `sqfa compare`.

use std::path::PathBuf;

use clap::Args;
use sqfa::Estimator;

use super::settings::SettingFlags;
use super::values;
use super::{DataFlags, choice};

const SHORT_EXAMPLES: &str = "\
Examples:
  sqfa compare speed --filters 2,4,8 --report speed.html
  sqfa compare table.csv --label species --methods sqfa,lda,pca --filters 2";

const EXAMPLES: &str = "\
Examples:
  sqfa compare speed --filters 2,4,8 --seeds 3 --report speed.html
  sqfa compare mnist/ --filters 2,4,8,16 --seeds 10 \\
       --classifiers qda,knn --out runs/mnist --report mnist.html
  sqfa compare table.csv --label species --methods sqfa,lda,pca --filters 2 --cv 5 --markdown
  sqfa compare counts.npz --sessions session --splits 5 --circular 180 --report neurons.html
  sqfa compare X.npz --spec experiments/paper.toml --out runs/x      (run again to resume)

If --noise is specified, iterative fits have one initialization unless --n-init is specified as well.
METHODS is paper (the columns of the paper's tables), all, or names as in sqfa fit --method.";

/// Flags of `sqfa compare`.
#[derive(Debug, Args)]
#[command(after_help = SHORT_EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// Labeled samples or a built-in data set (see sqfa --help).
    ///
    /// Several files are one data set unless --per-file is specified; * and ? match parts of names.
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// Numbers of filters [default: up to 2,4,8, and one fewer than classes].
    #[arg(long, short = 'm', value_name = "M,M,…", value_delimiter = ',')]
    #[arg(value_parser = values::positive)]
    pub(crate) filters: Option<Vec<usize>>,
    /// Methods: paper, all, or names [default: paper].
    #[arg(long, value_name = "METHODS", value_delimiter = ',')]
    pub(crate) methods: Option<Vec<String>>,
    /// Seeds of every method that uses one [default: 3].
    ///
    /// Methods without a seed run once.
    #[arg(long, value_name = "N", value_parser = values::positive)]
    pub(crate) seeds: Option<usize>,
    /// Classifiers of the features: qda, qda-t, knn; the recommendation uses the first one [default: qda].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) classifiers: Option<Vec<String>>,
    /// Specification of the comparison as a TOML file; flags override it.
    #[arg(long, value_name = "FILE.toml")]
    #[arg(hide_short_help = true)]
    pub(crate) spec: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// File of test samples, if they are not in DATA.
    ///
    /// File names may contain the wildcards * and ?. Several --test files are combined into one test set.
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub(crate) test: Vec<String>,
    /// Treat every file as a session of its own; sessions share no filters and may have different columns.
    #[arg(long, help_heading = "Data", conflicts_with = "test")]
    #[arg(hide_short_help = true)]
    pub(crate) per_file: bool,
    /// Fraction of each class to hold out for testing [default: 0.2 if there are at least 5000 samples].
    #[arg(long, value_name = "SHARE", value_parser = values::not_negative)]
    #[arg(help_heading = "Data", conflicts_with_all = ["test", "cv"])]
    #[arg(hide_short_help = true)]
    pub(crate) test_fraction: Option<f64>,
    /// Hold out every sample once, in K folds [default: 5 if there are fewer than 5000 samples and no test part].
    #[arg(long, value_name = "K", value_parser = values::positive)]
    #[arg(help_heading = "Data", conflicts_with = "test")]
    pub(crate) cv: Option<usize>,
    /// Hold out a tenth of each class for testing and a tenth for selecting settings, K times per session.
    #[arg(long, value_name = "K", value_parser = values::positive)]
    #[arg(help_heading = "Data", conflicts_with_all = ["test", "cv", "test_fraction"])]
    #[arg(hide_short_help = true)]
    pub(crate) splits: Option<usize>,
    /// Column or npz array with the session of each sample; sessions share no filters.
    #[arg(long, value_name = "KEY", help_heading = "Data", conflicts_with_all = ["test", "classes"])]
    #[arg(hide_short_help = true)]
    pub(crate) sessions: Option<String>,
    /// Column or npz array with the group of each sample; a group is never divided between training and test samples.
    #[arg(long, value_name = "KEY", help_heading = "Data", conflicts_with_all = ["test", "classes"])]
    #[arg(hide_short_help = true)]
    pub(crate) group: Option<String>,
    /// Use only these classes.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Data")]
    #[arg(hide_short_help = true)]
    pub(crate) classes: Option<Vec<String>>,
    /// Scaling of the columns; auto selects it on held-out samples [default: auto].
    #[arg(long, value_name = "SCALING", help_heading = "Data", value_parser = choice::scaling())]
    #[arg(hide_short_help = true)]
    pub(crate) scaling: Option<choice::ScalingChoice>,
    /// Estimator of the class covariances, as in sqfa fit [default: that of each method].
    #[arg(long, value_name = "ESTIMATOR", help_heading = "Data", value_parser = choice::estimator())]
    #[arg(hide_short_help = true)]
    pub(crate) covariance_estimator: Option<Estimator>,
    /// Width and height of the images if samples are images, for the report, such as 28x28.
    #[arg(long, value_name = "WxH", help_heading = "Data", value_parser = values::width_height)]
    #[arg(hide_short_help = true)]
    pub(crate) image: Option<(usize, usize)>,

    #[command(flatten)]
    pub(crate) settings: SettingFlags<true>,
    /// First seed, which also selects the held-out samples [default: 0].
    #[arg(long, value_name = "S", help_heading = "Fits")]
    #[arg(hide_short_help = true)]
    pub(crate) seed: Option<u64>,
    /// Neighbors of the kNN classifier [default: 5].
    #[arg(long, value_name = "K", value_parser = values::positive, help_heading = "Fits")]
    #[arg(hide_short_help = true)]
    pub(crate) neighbors: Option<usize>,
    /// Stop a fit after this number of seconds and record that [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = values::not_negative, help_heading = "Fits")]
    #[arg(hide_short_help = true)]
    pub(crate) time_limit: Option<f64>,
    /// Report an error before the start if more memory than this is needed, in GB [default: free memory].
    #[arg(long, value_name = "GB", value_parser = values::not_negative, help_heading = "Fits")]
    #[arg(hide_short_help = true)]
    pub(crate) memory: Option<f64>,

    /// Folder for the records.
    ///
    /// The same command resumes an interrupted run.
    #[arg(long, short = 'o', value_name = "FOLDER", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// HTML report to write.
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// Period after which labels repeat, for the tuning curves of the report, such as 180 for orientations.
    #[arg(long, value_name = "PERIOD", value_parser = values::not_negative, help_heading = "Output")]
    #[arg(hide_short_help = true)]
    pub(crate) circular: Option<f64>,
    /// Print one JSON object instead of text.
    #[arg(long, help_heading = "Output", conflicts_with_all = ["csv", "markdown"])]
    pub(crate) json: bool,
    /// Print one row per fit as csv instead of text.
    #[arg(long, help_heading = "Output", conflicts_with = "markdown")]
    #[arg(hide_short_help = true)]
    pub(crate) csv: bool,
    /// Print the table as Markdown.
    #[arg(long, help_heading = "Output")]
    #[arg(hide_short_help = true)]
    pub(crate) markdown: bool,
}

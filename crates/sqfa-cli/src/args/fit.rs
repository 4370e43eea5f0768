//! Flags of `sqfa fit`.

use std::path::PathBuf;

use clap::Args;
use sqfa::constraint::Constraint;
use sqfa::distance::Pairs;
use sqfa::lift::LiftKind;
use sqfa::model::Restarts;
use sqfa::optimize::Optimizer;
use sqfa::reduce::{Choice, ReducerEntry, Setting};
use sqfa::statistics::{Form, Scaling};
use sqfa::{Distance, Estimator, Noise};

use super::settings::{choice_help, count_help, number_help};
use super::values::{self, FiltersArg, PrecisionArg, StartArg};
use super::{DataFlags, choice};

const EXAMPLES: &str = "\
Examples:
  sqfa fit iris.csv --label species --filters 2 --out iris.sqfa
  sqfa fit mnist/ --method sqfa-h --filters 8 --scale common --center --out mnist.sqfa
  sqfa fit X.npy --labels y.npy --filters 4 --noise auto --out model.sqfa
  sqfa fit mnist/ --method sqfa-h --refine --filters 8 --scale common --center --out best.sqfa
  sqfa fit mnist/ --method sqfa-h --lift nystroem:1000 --filters 8 --out kernel.sqfa
  sqfa fit iris.csv --label species --method lda --filters 2 --out lda.sqfa
  sqfa fit statistics.npz --method smsqfa --filters 2 --noise 0.001 --out model.sqfa
  sqfa fit 'part-*.csv' --label class --filters 3 --out model.sqfa
  sqfa fit sums.stats --covariance ledoit-wolf --filters 3 --out model.sqfa
  zcat big.csv.gz | sqfa fit - --label class --filters 3 --out model.sqfa --json";

const COMPONENTS: &str =
    "Confine the fit to the leading K principal components; the filters are lifted back";
const POINTS: &str = "Points of every class that methods on single points look at";

/// Flags of `sqfa fit`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FitArgs {
    /// Samples with labels (several files are one data set), class statistics, or a built-in data set
    /// (see sqfa --help).
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// Filters to learn: a number, or auto (the fewest within one standard error of the best on held-out points).
    #[arg(long, short = 'm', value_name = "M", value_parser = values::filters)]
    pub(crate) filters: FiltersArg,
    /// The most that --filters auto may take.
    #[arg(long, value_name = "M", default_value_t = 16, value_parser = values::positive)]
    pub(crate) max_filters: usize,
    /// Model file to write; an existing one is replaced only by a complete new one.
    #[arg(long, short = 'o', value_name = "MODEL")]
    pub(crate) out: PathBuf,
    /// Method; for accuracy take sqfa-h (86.9 % against 86.2 % of sqfa and 76.2 % of pca on average over the tables
    /// of the hold-out results).
    #[arg(long, value_name = "METHOD", default_value = "sqfa", value_parser = choice::method())]
    pub(crate) method: ReducerEntry,
    /// Refine the filters on the posterior of the true class; held-out points decide how far.
    #[arg(long)]
    pub(crate) refine: bool,
    /// Distance to maximise with --method sqfa [default: calvo-oller].
    #[arg(long, value_name = "DISTANCE", value_parser = choice::distance())]
    pub(crate) distance: Option<Distance>,
    /// Feature noise σ²: auto (chosen on held-out points, a share of the within-class variance where there are none),
    /// scale (the mean within-class variance) or a number in the squared units of the preprocessed data.
    /// [default: auto]
    #[arg(long, value_name = "NOISE", value_parser = values::noise)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) noise: Option<Noise>,

    #[command(flatten)]
    pub(crate) flags: DataFlags,
    /// Learn from these classes only.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', help_heading = "Data")]
    pub(crate) classes: Option<Vec<String>>,
    /// Scale the data first; stored in the model. Otherwise chosen with the noise, and none where the noise is given.
    #[arg(long, value_name = "SCALING", help_heading = "Data")]
    #[arg(value_parser = choice::scaling())]
    pub(crate) scale: Option<Scaling>,
    /// Subtract the mean of all points first; stored in the model. Done anyway where the noise is chosen.
    #[arg(long, help_heading = "Data")]
    pub(crate) center: bool,
    #[arg(long, value_name = "K", value_parser = values::positive, help_heading = "Data")]
    #[arg(help = count_help(Setting::Dimensions, COMPONENTS, "no"))]
    pub(crate) pca_dims: Option<usize>,
    /// Map the points to nonlinear features first, stored in the model: quadratic (columns and their products),
    /// fourier:D (random waves) or nystroem:D (the kernel with D points); kernels are Gaussian in scaled columns.
    #[arg(long, value_name = "MAP", help_heading = "Data")]
    pub(crate) lift: Option<LiftKind>,
    /// Width of the kernel of --lift, in units of the scaled columns [default: the median distance of two points].
    #[arg(long, value_name = "H", requires = "lift", help_heading = "Data")]
    #[arg(allow_negative_numbers = true)]
    pub(crate) bandwidth: Option<f64>,
    /// Estimator of the class covariances, or a share of shrinkage s between 0 and 1:
    /// (1−s)S + s(tr S/n)I. t, tyler and mcd need points [default: empirical; t:NU for sqfa-t and sqfa-cauchy].
    #[arg(long, value_name = "ESTIMATOR", help_heading = "Data")]
    #[arg(value_parser = choice::estimator())]
    pub(crate) covariance: Option<Estimator>,
    /// How class covariances are kept.
    #[arg(long, value_name = "FORM", default_value = "auto", help_heading = "Data")]
    #[arg(value_parser = choice::form())]
    pub(crate) form: Form,
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Data")]
    #[arg(help = count_help(Setting::PerClass, POINTS, "all"))]
    pub(crate) per_class: Option<usize>,
    /// Precision of the class covariances; otherwise that of the data.
    #[arg(long, value_enum, value_name = "PRECISION", help_heading = "Data")]
    pub(crate) precision: Option<PrecisionArg>,

    #[arg(long, value_name = "S", value_parser = values::choice, help_heading = "Baselines")]
    #[arg(help = choice_help(Setting::Shrinkage))]
    pub(crate) shrinkage: Option<Choice>,
    #[arg(long, value_name = "K", value_parser = values::choice, help_heading = "Baselines")]
    #[arg(help = choice_help(Setting::Neighbors))]
    pub(crate) neighbors: Option<Choice>,
    #[arg(long, value_name = "R", value_parser = values::choice, help_heading = "Baselines")]
    #[arg(help = choice_help(Setting::Regularization))]
    pub(crate) reg: Option<Choice>,

    #[arg(long, value_name = "NU", value_parser = values::degrees, help_heading = "Optimisation")]
    #[arg(allow_negative_numbers = true, help = number_help(Setting::Degrees))]
    pub(crate) nu: Option<f64>,
    /// Constraint on the filters; otherwise the method's own.
    #[arg(long, value_name = "CONSTRAINT", value_parser = choice::constraint())]
    #[arg(help_heading = "Optimisation")]
    pub(crate) constraint: Option<Constraint>,
    /// Where the filters start: random, differences (random, turned to where classes differ), pca, save,
    /// directional-regression, a file (.npy of dimensions × filters, or a model), or auto: differences beyond 16 filters,
    /// else random.
    #[arg(long, value_name = "START", default_value = "auto", help_heading = "Optimisation")]
    pub(crate) start: StartArg,
    /// Filters that stay, from a file as for --start; they come first, count among --filters, and the others are learned
    /// beside them.
    #[arg(long, value_name = "FILE", help_heading = "Optimisation")]
    pub(crate) fixed: Option<PathBuf>,
    /// Starts that climb side by side, the best is kept: auto (about 16 / M) or a number.
    #[arg(long, value_name = "N", default_value = "auto", help_heading = "Optimisation")]
    #[arg(value_parser = values::restarts)]
    pub(crate) restarts: Restarts,
    /// Learn filters in groups, each with the earlier ones frozen [in pairs unless =SIZE; ama does so
    /// anyway, and all at once with =0].
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "2")]
    #[arg(help_heading = "Optimisation")]
    pub(crate) sequential: Option<usize>,
    /// How filters are climbed [default: auto, by the counted cost of a pass and an evaluation].
    #[arg(long, value_name = "OPTIMIZER", value_parser = choice::optimizer())]
    #[arg(help_heading = "Optimisation")]
    pub(crate) optimizer: Option<Optimizer>,
    /// Pairs of classes that climbs look at: auto (a seeded sample beyond 346 classes), all, or a number;
    /// the objective is always that of all.
    #[arg(long, value_name = "PAIRS", help_heading = "Optimisation")]
    pub(crate) pairs: Option<Pairs>,
    /// Seed of all random numbers.
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Optimisation")]
    pub(crate) seed: u64,
    /// Iterations of one start at most [default: 1000].
    #[arg(long, value_name = "N", value_parser = values::positive, help_heading = "Optimisation")]
    pub(crate) max_iterations: Option<usize>,
    /// Stop when the objective changes by less than this, relatively, five times in a row
    /// [default: 1e-6].
    #[arg(long, value_name = "T", value_parser = values::not_negative)]
    #[arg(allow_negative_numbers = true)]
    #[arg(help_heading = "Optimisation")]
    pub(crate) tolerance: Option<f64>,

    /// HTML report of the model to write: one file, no network needed.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

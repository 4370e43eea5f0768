//! The command line as typed; clap turns it into help, completions and man pages.

mod choice;
mod clean;
mod compare;
mod fit;
mod settings;
mod stats;
mod use_model;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Args, Command, CommandFactory, Parser};
use sqfa_io::formats::{Decimal, Encoding};

use crate::data::Builtin;
pub(crate) use clean::CleanArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use fit::FitArgs;
pub(crate) use stats::{MergeArgs, StatsArgs, StatsCommand};
pub(crate) use use_model::{
    ClassifierArg, ClassifierFlags, DistancesArgs, EvaluateArgs, ExportArgs, ExportFormat,
    InspectArgs, PredictArgs, TransformArgs,
};
pub use values::positive;
pub(crate) use values::{
    FiltersArg, HeaderArg, MissingArg, PartArg, PrecisionArg, PriorsArg, StartArg,
};

const LONG_ABOUT: &str = "\
Learns a few linear filters that keep labeled classes apart: it maximizes an information-geometric \
distance between the classes' Gaussians in feature space, so differences in covariance count as well \
as differences in mean, and more filters than classes are welcome.";

const EXAMPLES: &str = "\
Examples:
  sqfa demo                                        eight methods on moving textures, in a minute
  sqfa fit data.csv --label species --filters 2 --out model.sqfa
  sqfa evaluate model.sqfa test.csv
  sqfa transform model.sqfa data.csv --out features.csv
  sqfa fit mnist/ --method sqfa-h --filters 8 --out mnist.sqfa   (a folder of IDX files)
  sqfa evaluate mnist.sqfa mnist/
  sqfa stats 'part-*.csv' --label class --out all.stats          (larger than memory)
  sqfa compare mnist/ --filters 2,4,8 --report mnist.html        (every method of the paper)";

/// The place of the options of all commands in help texts: after the others, before --help.
const GLOBAL: usize = 900;

/// The description of the command line. A short help text (`-h`) names no possible values; `--help` lists them.
pub(crate) fn parser(words: &[OsString]) -> Command {
    let command = Arguments::command();
    if words.iter().all(|word| word != "-h") {
        return command;
    }
    let shortened = |arg: Arg| {
        let takes = arg.get_action().takes_values();
        if takes { arg.hide_possible_values(true) } else { arg }
    };
    command.mut_subcommands(|inner| inner.mut_args(shortened))
}

/// What DATA may be, from the table of file kinds.
fn examples() -> String {
    let names = Builtin::ALL.map(Builtin::name).join(", ");
    format!(
        "{EXAMPLES}\n\nDATA is one of\n{}  NAME          built in: {names}\n\n\
         Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.",
        sqfa_io::data::file_kinds_help()
    )
}

/// Flags that every command has.
#[derive(Debug, Args)]
pub struct GlobalFlags {
    /// Number of threads; results do not depend on it [default: all processors].
    #[arg(long, global = true, value_name = "N", value_parser = values::positive)]
    #[arg(display_order = GLOBAL, hide_short_help = true)]
    pub(crate) threads: Option<usize>,
    /// Print results and errors only.
    ///
    /// Warnings, notes, progress and summaries of written files are left out.
    #[arg(long, short = 'q', global = true, display_order = GLOBAL)]
    pub(crate) quiet: bool,
}

/// Supervised linear dimensionality reduction by information geometry.
#[derive(Debug, Parser)]
#[command(name = "sqfa", version, long_about = LONG_ABOUT, after_help = examples())]
#[command(arg_required_else_help = true, subcommand_required = true, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalFlags,
    #[command(subcommand)]
    pub(crate) command: Subcommand,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Subcommand {
    /// Learn filters from data and write a model file.
    Fit(Box<FitArgs>),
    /// Compute class statistics from data of any size, or merge existing ones.
    Stats(StatsArgs),
    /// Compute the features of samples with a model.
    Transform(TransformArgs),
    /// Predict the class of each sample with a model's classifier.
    Predict(PredictArgs),
    /// Measure the accuracy of a model's classifier.
    Evaluate(EvaluateArgs),
    /// Compute distances between classes, in data or in the features of a model.
    Distances(DistancesArgs),
    /// Describe a model and how it was fitted.
    Inspect(InspectArgs),
    /// Write the filters and other arrays of a model as npz or csv.
    Export(ExportArgs),
    /// Remove quiet neurons, outlying trials and unstable neurons from a recording.
    Clean(CleanArgs),
    /// Compare methods on one data set: accuracies, times and a report.
    Compare(Box<CompareArgs>),
    /// Write a built-in data set to a file.
    Dataset(DatasetArgs),
    /// Compare eight fast methods on moving textures, in under a minute.
    Demo(DemoArgs),
    /// Print shell completions.
    #[command(hide = true)]
    Completions(CompletionsArgs),
    /// Print the manual page, or write all of them to a folder.
    #[command(hide = true)]
    Man(ManArgs),
}

/// Flags about reading data.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DataFlags {
    /// Labels of the samples in an .npy or .npz file: another .npy file.
    #[arg(long, value_name = "FILE.npy", help_heading = "Data")]
    pub(crate) labels: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) arrays: ArrayFlags,
    #[command(flatten)]
    pub(crate) table: TableFlags,
}

/// Names of arrays in a file.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ArrayFlags {
    /// Array of samples in an .npz or .mat file [default: X, X_train, data, features or counts].
    #[arg(long, value_name = "NAME", help_heading = "Data", hide_short_help = true)]
    pub(crate) x_key: Option<String>,
    /// Array of labels in an .npz or .mat file [default: y, y_train, target or labels].
    #[arg(long, value_name = "NAME", help_heading = "Data", hide_short_help = true)]
    pub(crate) y_key: Option<String>,
}

impl ArrayFlags {
    /// The first of the flags that is given, by name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [("--x-key", self.x_key.is_some()), ("--y-key", self.y_key.is_some())];
        flags.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }
}

/// Flags about reading tables.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TableFlags {
    /// Label column of a table, by name or by position from 0.
    ///
    /// By default, it is the label column that a model contains, or a column named label, class, target or y.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub(crate) label: Option<String>,
    /// Columns of a table to use as features: names (which may contain commas), positions from 0, or ranges such as c-f
    /// [default: all but the label].
    #[arg(
        long,
        value_name = "A,B,C-F",
        value_delimiter = ',',
        help_heading = "Tables",
        hide_short_help = true
    )]
    pub(crate) columns: Option<Vec<String>>,
    /// Columns of a table to leave out, as in --columns.
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        help_heading = "Tables",
        hide_short_help = true
    )]
    pub(crate) ignore: Option<Vec<String>>,
    /// What to do about missing values (empty, NA, NaN, …): drop leaves out their rows, mean fills
    /// in the mean of the column; otherwise they are an error.
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Tables", hide_short_help = true)]
    pub(crate) missing: Option<MissingArg>,
    /// Additional values to treat as missing in feature columns, besides empty, NA, NaN and similar ones: for example
    /// -999,unknown.
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        help_heading = "Tables",
        hide_short_help = true
    )]
    #[arg(allow_hyphen_values = true)]
    pub(crate) na_values: Option<Vec<String>>,
    /// Decimal mark of a table's numbers: point or comma [default: auto-detect].
    #[arg(long, value_name = "MARK", value_parser = values::decimal, help_heading = "Tables", hide_short_help = true)]
    pub(crate) decimal: Option<Decimal>,
    /// Whether the first row of a table contains the names of the columns [default: auto-detect].
    #[arg(
        long,
        value_enum,
        value_name = "yes|no",
        help_heading = "Tables",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(crate) header: Option<HeaderArg>,
    /// Field delimiter of a table: comma, semicolon, tab, space or a character [default: auto-detect].
    #[arg(long, value_name = "MARK", value_parser = values::delimiter, help_heading = "Tables", hide_short_help = true)]
    pub(crate) delimiter: Option<u8>,
    /// Encoding of a table's names and labels: utf-8, latin-1 or windows-1252 [default: utf-8].
    #[arg(long, value_name = "NAME", help_heading = "Tables", hide_short_help = true)]
    pub(crate) encoding: Option<Encoding>,
}

impl TableFlags {
    /// The first of the flags that is given, by name.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--label", self.label.is_some()),
            ("--columns", self.columns.is_some()),
            ("--ignore", self.ignore.is_some()),
            ("--header", self.header.is_some()),
            ("--delimiter", self.delimiter.is_some()),
            ("--encoding", self.encoding.is_some()),
            ("--decimal", self.decimal.is_some()),
            ("--na-values", self.na_values.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, given)| given.then_some(flag))
    }
}

const DATASET_EXAMPLES: &str = "\
Examples:
  sqfa dataset speed --out speed.npz                       train and test videos of 41 speeds
  sqfa dataset speed --images photos.npz --out speed.npz   from gray images of your own
  sqfa dataset toy-6d --out toy.npz                        exact means and covariances
  sqfa dataset toy-6d --train 500 --test 500 --out toy.npz points drawn from them
  sqfa dataset scaling --dimensions 2000 --out big.npz
  sqfa dataset neural --session 3 --out tuesday.npz        spike counts of a simulated recording";

/// Flags of `sqfa dataset`.
#[derive(Debug, Args)]
#[command(after_help = DATASET_EXAMPLES)]
pub(crate) struct DatasetArgs {
    /// Name of the data set.
    #[arg(value_name = "NAME", value_parser = choice::builtin())]
    pub(crate) name: Builtin,
    /// File to write.
    #[arg(long, value_name = "FILE.npz")]
    pub(crate) out: PathBuf,
    /// Training samples per class; toys are written as exact statistics unless it is specified [speed: 500,
    /// neural: 400].
    #[arg(long, value_name = "N", value_parser = values::positive)]
    pub(crate) train: Option<usize>,
    /// Test samples per class [speed: 300].
    #[arg(long, value_name = "N")]
    pub(crate) test: Option<usize>,
    /// Seed of all random numbers [speed and neural: 1, toys: 0, scaling: K].
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Gray images to film instead of drawn textures (speed): an npz of arrays (height, width) or
    /// (images, height, width), or a folder of such files.
    #[arg(long, value_name = "FILE.npz|FOLDER")]
    pub(crate) images: Option<PathBuf>,
    /// Session of the recordings (neural), 1 to 5, with 70 to 142 neurons [1].
    #[arg(long, value_name = "K", value_parser = values::positive)]
    pub(crate) session: Option<usize>,
    /// Number of dimensions (scaling) [1000, or 5000 with --informative].
    #[arg(long, value_name = "N", value_parser = values::positive)]
    pub(crate) dimensions: Option<usize>,
    /// Number of informative dimensions (scaling), for the experiment on the number of filters [8].
    #[arg(long, value_name = "K", value_parser = values::positive)]
    pub(crate) informative: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `sqfa demo`, which is `sqfa compare` on built-in data.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Numbers of filters [default: 2,4].
    #[arg(long, short = 'm', value_name = "M,M,…", value_delimiter = ',')]
    #[arg(value_parser = values::positive)]
    pub(crate) filters: Option<Vec<usize>>,
    /// HTML report to write: one file, no network needed.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `sqfa completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// Flags of `sqfa man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder for one page per command; without it, the main page is printed.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Write Markdown for the documentation instead of manual pages.
    #[arg(long)]
    pub(crate) markdown: bool,
}

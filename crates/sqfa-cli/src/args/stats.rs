//! Flags of `sqfa stats`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ArrayFlags, TableFlags, choice};

const EXAMPLES: &str = "\
Examples:
  sqfa stats big.npy --labels y.npy --out big.stats
  sqfa stats 'part-*.csv.gz' --label species --out all.stats    also larger than memory
  sqfa stats wide.npy --labels y.npy --form sketch --out wide.stats    100 000 columns
  sqfa stats table.csv --label class --weights count --out table.stats
  sqfa stats merge monday.stats tuesday.stats --out both.stats
  sqfa fit both.stats --filters 8 --out model.sqfa              also with --covariance-estimator oas";

/// Flags of `sqfa stats`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(subcommand_negates_reqs = true, disable_help_subcommand = true)]
pub(crate) struct StatsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<StatsCommand>,
    /// Files of labeled samples; * and ? match parts of names.
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// File to write: class statistics.
    #[arg(long, short = 'o', value_name = "STATS", required = true)]
    pub(crate) out: Option<PathBuf>,
    /// Labels of the samples in an .npy file, or in an .npz file without labels: another .npy file; once per file of
    /// samples.
    #[arg(long, value_name = "FILE.npy", help_heading = "Data")]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) arrays: ArrayFlags,
    /// Keep a sketch of each class covariance instead of all n²/2 entries.
    #[arg(long, value_name = "FORM", value_parser = choice::sketch(), help_heading = "Data")]
    pub(crate) form: Option<usize>,
    #[command(flatten)]
    pub(crate) table: TableFlags,
    /// Column of a table with the weight of each row, a whole number.
    #[arg(long, value_name = "COLUMN", help_heading = "Data")]
    pub(crate) weights: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Subcommands of `sqfa stats`.
#[derive(Debug, Subcommand)]
pub(crate) enum StatsCommand {
    /// Merge class statistics of different samples.
    Merge(MergeArgs),
}

/// Flags of `sqfa stats merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Files written by sqfa stats.
    #[arg(value_name = "STATS", required = true)]
    pub(crate) files: Vec<String>,
    /// File to write.
    #[arg(long, short = 'o', value_name = "STATS")]
    pub(crate) out: PathBuf,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

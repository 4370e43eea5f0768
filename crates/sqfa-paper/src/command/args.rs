//! The command line as typed.

use std::path::PathBuf;

use clap::Parser;
use sqfa_cli::terminal::{GlobalFlags, positive};

const EXAMPLES: &str = "\
Examples:
  sqfa-paper                                     lists every name, what it needs and how long it takes
  sqfa-paper growth toy-6d --out figures         figures that need no data
  sqfa-paper qda-speed --seeds 1 --filters 2 --methods sqfa,pca --out runs
  sqfa-paper scaling-dimension --dimensions 1000,5000 --out runs
  sqfa-paper claims --sets speed --seeds 3 --out runs
  sqfa-paper all --data DATA --out runs          (the same command resumes)

DATA holds mnist/ (the four IDX files), svhn/svhn_gray.npz (or svhn/train_32x32.mat and
svhn/test_32x32.mat), for the speed videos natural/gray.npz and for the recordings neural/*.npz, one
file a session with counts (trials × neurons) and labels; without photographs videos are drawn, without
recordings they are simulated, and tables say so.
Figures are written as SVG and PNG, tables as Markdown, csv and JSON.";

/// Make the tables and figures of the SQFA paper by name, next to the printed numbers.
#[derive(Debug, Parser)]
#[command(name = "sqfa-paper", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalFlags,
    /// Tables and figures by name, or all; without a name they are listed.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Folder of the data sets.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// Folder for tables, figures and the records they come from.
    #[arg(long, short = 'o', value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Seeds of every method that uses one, up to 10 [default: 10]; starts of speed-filters [5] and claims [5].
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) seeds: Option<usize>,
    /// Only these numbers of filters.
    #[arg(long, short = 'm', value_name = "M,M,…", value_delimiter = ',')]
    #[arg(value_parser = positive)]
    pub(crate) filters: Option<Vec<usize>>,
    /// Only these methods; sqfa-fr may be added to the paper's.
    #[arg(long, value_name = "METHODS", value_delimiter = ',')]
    pub(crate) methods: Option<Vec<String>>,
    /// Only these data sets: svhn, mnist, speed, neural.
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    pub(crate) sets: Option<Vec<String>>,
    /// Dimensions of scaling-dimension [default: the paper's, 1000 to 20000].
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    #[arg(value_parser = positive)]
    pub(crate) dimensions: Option<Vec<usize>>,
    /// Keep every entry of the covariances of the scaling tables, as the paper does; 20 000 dimensions take 8 GB.
    #[arg(long)]
    pub(crate) dense: bool,
    /// Print one JSON object a name instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

//! Benchmarks of sqfa, compared as ratios within one run and written as dated records.

mod accuracy;
mod choices;
mod data;
mod defaults;
mod defaults_table;
mod fits;
mod growth;
mod kernels;
mod large;
mod machine;
#[cfg(feature = "parquet")]
mod parquet_file;
mod peers;
mod reducers;
mod robust;
mod robust_table;
mod sampling;
mod sparse;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use serde_json::{Value, json};
use sqfa::optimize::Optimizer;

/// Keeps small blocks for the next product and gives large ones back.
#[global_allocator]
static ALLOCATOR: sqfa_alloc::Allocator = sqfa_alloc::Allocator;

#[derive(Parser)]
#[command(about = "Benchmarks of sqfa; run on an otherwise idle machine")]
struct Arguments {
    /// Folder that receives the dated record; printed only when absent.
    #[arg(long, global = true)]
    out: Option<PathBuf>,
    /// The date in the record's name, as YYYY-MM-DD.
    #[arg(long, global = true, default_value = "undated")]
    date: String,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The pass, the pair kernel and the class statistics against the machine's own limits.
    Kernels,
    /// Passes, seconds and objectives of fits on MNIST and SVHN, median over seeds.
    Fits {
        /// Folder that holds mnist/ and svhn/svhn_gray.npz.
        #[arg(long)]
        data: PathBuf,
        #[arg(long, default_value_t = 10)]
        seeds: u64,
    },
    /// QDA accuracies of the six variants as the paper's tables have them.
    Accuracy {
        /// Folder that holds mnist/ and svhn/svhn_gray.npz.
        #[arg(long)]
        data: PathBuf,
        /// mnist or svhn.
        #[arg(long)]
        set: String,
        #[arg(long, default_value_t = 10)]
        seeds: u64,
        #[arg(long, value_delimiter = ',', default_value = "2,4,8,16")]
        filters: Vec<usize>,
        #[arg(
            long,
            value_delimiter = ',',
            default_value = "sqfa,smsqfa,sqfa-h,sqfa-b,sqfa-w,sqfa-j"
        )]
        methods: Vec<String>,
    },
    /// Hold-out accuracy of the defaults against flags chosen by hand, on every .npz of a folder.
    Defaults {
        /// Folder of files with X_train, y_train, X_test and y_test.
        #[arg(long)]
        data: PathBuf,
        #[arg(long, value_delimiter = ',', default_value = "2,4,8")]
        filters: Vec<usize>,
        /// Columns of the table; all of them unless given.
        #[arg(long, value_delimiter = ',')]
        columns: Vec<String>,
        /// Names of files, without their ending; all of them unless given.
        #[arg(long, value_delimiter = ',')]
        sets: Vec<String>,
        /// Page of Markdown that receives the table.
        #[arg(long)]
        table: Option<PathBuf>,
    },
    /// What default fits select and its accuracy, on tables, images and generated wide tables.
    Choices {
        /// Folder that holds tables/, mnist/ and svhn/svhn_gray.npz.
        #[arg(long)]
        data: PathBuf,
        #[command(flatten)]
        args: choices::ChoicesArgs,
    },
    /// What outliers in the training points cost plain and robust fits.
    Robust {
        /// Folder that holds tables/optdigits.npz and mnist/.
        #[arg(long)]
        data: PathBuf,
        #[command(flatten)]
        args: robust::RobustArgs,
    },
    /// Accuracies and times of any reducer on MNIST or SVHN.
    Reducers {
        /// Folder that holds mnist/ and svhn/svhn_gray.npz.
        #[arg(long)]
        data: PathBuf,
        #[command(flatten)]
        args: reducers::ReducersArgs,
    },
    /// Writes the statistics files that both sides of the peer comparison are given.
    Statistics {
        /// Folder that holds mnist/ and svhn/svhn_gray.npz.
        #[arg(long)]
        data: PathBuf,
        /// Folder that receives mnist.npz, svhn.npz and synthetic.npz.
        #[arg(long)]
        to: PathBuf,
    },
    /// Fits to the statistics files and compares with what the peer recorded beside them.
    Peers {
        /// Folder written by `statistics` and completed by the peer.
        #[arg(long)]
        from: PathBuf,
        #[arg(long, default_value_t = 5)]
        seeds: u64,
    },
    /// Seconds and peak memory of one fit to given dense covariances (the scaling problem).
    Scaling {
        #[arg(long, default_value_t = 5000)]
        dimension: usize,
        #[arg(long, default_value_t = 8)]
        filters: usize,
        /// Seeds of both optimizers, compared.
        #[arg(long, default_value_t = 0)]
        seeds: u64,
    },
    /// Seconds against the number of classes, of points and of threads.
    Growth {
        #[arg(long, value_delimiter = ',', default_value = "10,41,100,200,500,1000")]
        classes: Vec<usize>,
        #[arg(long, value_delimiter = ',', default_value = "10000,30000,100000,300000,1000000")]
        points: Vec<usize>,
    },
    /// Class sums of a temporary file against the same in memory and against plain reading.
    Stream {
        /// Size of the file.
        #[arg(long, default_value_t = 4.0)]
        gigabytes: f64,
        /// Folder for the file.
        #[arg(long, default_value = ".")]
        folder: PathBuf,
        /// npy or parquet (which needs the cargo feature parquet).
        #[arg(long, default_value = "npy")]
        format: String,
    },
    /// Many dimensions, 8 filters: seconds, memory and accuracy against the true subspace.
    Large {
        #[arg(long, default_value_t = 20_000)]
        dimension: usize,
        /// dense or low-rank.
        #[arg(long, default_value = "low-rank")]
        form: String,
        /// Relative change of the objective at which a climb ends.
        #[arg(long, default_value_t = 1e-6)]
        tolerance: f64,
    },
    /// Few samples in many dimensions, kept as they are.
    Factor {
        #[arg(long, default_value_t = 200_000)]
        dimension: usize,
        #[arg(long, default_value_t = 2_000)]
        samples: usize,
        /// Share of numbers that are not zero; below 1 the samples are sparse.
        #[arg(long, default_value_t = 1.0)]
        density: f64,
    },
    /// Many filters in 5000 dimensions: the gap to the true subspace.
    Filters {
        #[arg(long, value_delimiter = ',', default_value = "10,50,100,500")]
        counts: Vec<usize>,
        /// dense or low-rank.
        #[arg(long, default_value = "dense")]
        form: String,
        /// Relative change of the objective at which a climb ends.
        #[arg(long, default_value_t = 1e-6)]
        tolerance: f64,
        /// auto, subspace or lbfgs; anything but auto keeps to the whole space, whatever structure classes have.
        #[arg(long, default_value = "auto")]
        optimizer: Optimizer,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    // The main thread works along, as in the command.
    rayon::ThreadPoolBuilder::new().use_current_thread().build_global()?;
    let (name, result) = match &arguments.what {
        What::Kernels => ("kernels", kernels::run()),
        What::Fits { data, seeds } => ("fits", fits::run(data, *seeds)?),
        What::Accuracy { data, set, seeds, filters, methods } => {
            ("accuracy", accuracy::run(data, set, *seeds, filters, methods)?)
        }
        What::Defaults { data, filters, columns, sets, .. } => {
            ("defaults", defaults::run(data, filters, columns, sets)?)
        }
        What::Choices { data, args } => ("choices", choices::run(data, args)?),
        What::Robust { data, args } => ("robust", robust::run(data, args)?),
        What::Reducers { data, args } => ("reducers", reducers::run(data, args)?),
        What::Statistics { data, to } => ("statistics", peers::write_statistics(data, to)?),
        What::Peers { from, seeds } => ("peers", peers::run(from, *seeds)?),
        What::Scaling { dimension, filters, seeds } => {
            ("scaling", fits::scaling(*dimension, *filters, *seeds)?)
        }
        What::Growth { classes, points } => ("growth", growth::run(classes, points)?),
        What::Stream { gigabytes, folder, format } => {
            ("stream", large::stream(*gigabytes, folder, format)?)
        }
        What::Large { dimension, form, tolerance } => {
            ("large", large::large(*dimension, form, *tolerance)?)
        }
        What::Factor { dimension, samples, density } if *density < 1.0 => {
            ("sparse", sparse::run(*dimension, *samples, *density)?)
        }
        What::Factor { dimension, samples, .. } => ("factor", large::factor(*dimension, *samples)?),
        What::Filters { counts, form, tolerance, optimizer } => {
            ("filters", large::filters(counts, form, *tolerance, *optimizer)?)
        }
    };
    let record = json!({
        "benchmark": name,
        "command": std::env::args().skip(1).collect::<Vec<_>>().join(" "),
        "version": env!("CARGO_PKG_VERSION"),
        "profile": if cfg!(debug_assertions) { "dev" } else { "release" },
        "machine": machine::describe(),
        "result": result,
    });
    if let What::Defaults { table: Some(path), .. } = &arguments.what {
        let command =
            "sqfa-bench defaults --data DIR --out benchmarks/runs --date DATE --table PAGE";
        let page = defaults_table::page(&record["result"], command, &arguments.date);
        std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let What::Robust { args, .. } = &arguments.what {
        let (sets, seeds) = (args.sets.join(","), args.seeds);
        let command = format!(
            "sqfa-bench robust --data DIR --sets {sets} --seeds {seeds} --out benchmarks/runs --date DATE --table PAGE"
        );
        let page = robust_table::page(&record["result"], &command, &arguments.date);
        let figure = robust_table::figure(&record["result"]);
        for (path, text) in [(&args.table, page), (&args.figure, figure)] {
            let Some(path) = path else { continue };
            std::fs::write(path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    report(&arguments, name, &record)
}

#[allow(clippy::print_stdout)] // the record is this program's output
fn report(arguments: &Arguments, name: &str, record: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(record)?;
    println!("{text}");
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)?;
        let set = match &arguments.what {
            What::Accuracy { set, .. } => format!("-{set}"),
            What::Reducers { args, .. } => format!("-{}", args.set),
            What::Robust { args, .. } => format!("-{}", args.sets.join("-")),
            What::Scaling { dimension, filters, .. } => format!("-n{dimension}-m{filters}"),
            What::Large { dimension, form, .. } => format!("-n{dimension}-{form}"),
            What::Factor { dimension, samples, .. } => format!("-n{dimension}-N{samples}"),
            What::Filters { form, optimizer: Optimizer::Auto, .. } => format!("-{form}"),
            What::Filters { form, optimizer, .. } => format!("-{form}-{}", optimizer.name()),
            What::Stream { format, .. } if format != "npy" => format!("-{format}"),
            _ => String::new(),
        };
        let path = folder.join(format!("{}-{name}{set}.json", arguments.date));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

//! Errors of the core in terms of the command's flags.

use sqfa::model::FitError;
use sqfa::pipeline::PipelineError;
use sqfa::reduce::ReduceError;

use super::Fit;
use crate::command::with_flags;

/// An error whose remedy can be typed.
fn explain(error: &FitError, pca_dims: Option<usize>, helps: &str) -> anyhow::Error {
    let text = match error {
        FitError::TooManyFilters { filters, dimension } if pca_dims == Some(*dimension) => {
            format!("--filters {filters} in --pca-dims {dimension}: ask for at most {dimension}")
        }
        FitError::TooManyFilters { filters, dimension } => format!(
            "--filters {filters}, but the data have {dimension} dimensions: ask for at most {dimension}"
        ),
        FitError::NoFilters { .. } => "--filters: at least 1 is needed".to_owned(),
        FitError::Noise { noise } => {
            format!(
                "--noise {noise}: use a finite number of at least 0, a fraction as in 0.3x, or auto"
            )
        }
        FitError::RankDeficient { class, count, dimension } => format!(
            "class '{class}' has {count} samples in {dimension} dimensions, so its covariance is \
             singular, and --noise is 0: leave it out, or use {helps}"
        ),
        FitError::ConstantDimension { class, index } => format!(
            "dimension {index} is constant in class '{class}' and --noise is 0: set --noise, drop \
             constant dimensions, or use --covariance-estimator oas"
        ),
        FitError::NotPositiveDefinite { class, pivot, noise } => format!(
            "the covariance of class '{class}' is not positive definite in feature space (pivot \
             {pivot:e}, noise {noise:e}): increase --noise, or check that the given matrices are \
             positive semi-definite"
        ),
        FitError::NotFinite { distance, first, second, value } => format!(
            "distance '{distance}' between classes '{first}' and '{second}' is {value}: increase --noise"
        ),
        FitError::Degenerate => {
            "--init holds degenerate filters: one is zero or, with --constraint orthonormal, they \
             depend on each other"
                .to_owned()
        }
        FitError::StartNotFinite => "--init holds non-finite values".to_owned(),
        FitError::Tolerance { tolerance } => {
            format!("--tol {tolerance}: give a finite number of at least 0")
        }
        FitError::StartShape { rows, columns, dimension, filters } => format!(
            "--init holds {rows} × {columns} numbers; {dimension} dimensions × {filters} filters are needed"
        ),
        FitError::FixedShape { rows, columns, dimension, filters } => format!(
            "--fixed holds {rows} × {columns} numbers; {dimension} dimensions × fewer than the {filters} filters of --filters are needed"
        ),
        other => other.to_string(),
    };
    anyhow::anyhow!(text)
}

/// The same for what the pipeline refuses; `helps` are the flags that help against classes with few samples.
pub(super) fn explain_pipeline(error: &PipelineError, fit: &Fit, helps: &str) -> anyhow::Error {
    match error {
        PipelineError::Reduce(error) => explain_reducer(error, fit.pca_dims, helps),
        PipelineError::LooksLikeIds { points } => anyhow::anyhow!(
            "the labels of all {points} samples are different: this looks like an id column; name the column of classes with --label"
        ),
        PipelineError::Count { why } => anyhow::anyhow!(
            "--filters auto is selected on held-out samples, and {why}: give a number of filters"
        ),
        PipelineError::Restriction { dimensions, columns } => {
            anyhow::anyhow!("--pca-dims {dimensions}: the data have {columns} columns that vary")
        }
        other => anyhow::anyhow!(other.to_string()),
    }
}

/// Returns the error of a fit with any method, with remedies written as command-line flags.
fn explain_reducer(error: &ReduceError, pca_dims: Option<usize>, helps: &str) -> anyhow::Error {
    match error {
        ReduceError::Fit(error) => explain(error, pca_dims, helps),
        other => with_flags(other, other.remedies()),
    }
}

//! The private module `sqfa_rs._core`, which the Python package calls. Users do not see it.
//!
//! The Python code validates and names values. This crate borrows arrays, releases the interpreter
//! and calls the core.

mod accumulator;
mod arrays;
mod classes;
mod command;
mod compare;
mod datasets;
mod distances;
mod errors;
mod feature_classifier;
mod fisher_rao;
mod fit;
mod classifiers;
mod lift;
mod methods;
mod model_file;
mod outcome;
mod points;
mod pools;
mod qda;
mod remote;
mod report;
mod running;
mod robust;
mod settings;
mod sparse;
mod statistics;
mod transform;
mod user_distance;
mod watch;

use pyo3::prelude::*;

/// The global allocator, which keeps small blocks for reuse and returns large blocks to the system.
#[global_allocator]
static ALLOCATOR: sqfa_alloc::Allocator = sqfa_alloc::Allocator;

/// The compiled part of sqfa_rs.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::accumulator::Accumulator;
    #[pymodule_export]
    use crate::classes::check_labels;
    #[pymodule_export]
    use crate::classifiers::{Knn, Linear};
    #[pymodule_export]
    use crate::command::main;
    #[pymodule_export]
    use crate::compare::compare;
    #[pymodule_export]
    use crate::datasets::{load_idx, make_neural, make_scaling, make_speed, make_toy};
    #[pymodule_export]
    use crate::distances::{distance_names, pairwise, value_and_gradient};
    #[pymodule_export]
    use crate::feature_classifier::FeatureClassifier;
    #[pymodule_export]
    use crate::fisher_rao::{Geodesic, fisher_rao};
    #[pymodule_export]
    use crate::fit::{fit_points, fit_statistics};
    #[pymodule_export]
    use crate::lift::{apply_lift, fit_lift};
    #[pymodule_export]
    use crate::methods::{methods, settings_table};
    #[pymodule_export]
    use crate::model_file::{load_model, save_model};
    #[pymodule_export]
    use crate::points::{class_statistics, covariances, sample_statistics};
    #[pymodule_export]
    use crate::pools::available_threads;
    #[pymodule_export]
    use crate::qda::Qda;
    #[pymodule_export]
    use crate::remote::{Remote, chooses, row_keys, tally};
    #[pymodule_export]
    use crate::report::model_report;
    #[pymodule_export]
    use crate::robust::{clean, robust_covariance};
    #[pymodule_export]
    use crate::settings::{check_settings, choices};
    #[pymodule_export]
    use crate::sparse::{keeps_sparse, sparse_statistics};
    #[pymodule_export]
    use crate::statistics::Statistics;
    #[pymodule_export]
    use crate::transform::transform;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("SKETCH_SIZE", sqfa::statistics::SKETCH_SIZE)?;
        module.add("LARGEST_SKETCH", sqfa::statistics::LARGEST_SKETCH)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

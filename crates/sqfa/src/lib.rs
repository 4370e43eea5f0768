//! Supervised linear dimensionality reduction: filters that maximize information-geometric distances between classes.
//!
//! Data become class statistics. Filters project them to feature statistics, and pairwise distances between these form
//! an objective. An optimizer maximizes the objective to find filters, and the filters transform data. The modules are
//! listed in that order, and each uses only modules above it.
//!
//! ```
//! use sqfa::{ClassStatistics, Distance, Estimator, Labels, Noise, Points, Sqfa, Table, transform};
//!
//! // Two classes with equal means: only their variances differ, the first column in one class, the second in the other.
//! let rows: Vec<f64> = (0..200)
//!     .flat_map(|i| {
//!         let (a, b) = ((i as f64).sin(), (i as f64 * 1.7).cos());
//!         if i % 2 == 0 { [3.0 * a, b, a * b] } else { [a, 3.0 * b, a * b] }
//!     })
//!     .collect();
//! let labels = Labels::from_integers(&(0..200).map(|i| i % 2).collect::<Vec<i64>>());
//! let points = Points::F64(Table::row_major(&rows, 200, 3).expect("200 × 3 numbers"));
//!
//! let statistics = ClassStatistics::from_points(points, &labels, Estimator::Empirical)?;
//! let model = Sqfa::new(2)?
//!     .distance(Distance::named("hellinger")?)
//!     .noise(Noise::Value(0.01))
//!     .fit(&statistics)?;
//! let features = transform(points, model.filters().as_ref(), None);
//! # assert!(model.converged());
//! # let _ = features;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// Examples of the documentation pages, compiled as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/user-guide/large-data.md")]
struct Documents;

pub mod names;
pub mod remedy;
pub mod points;
pub mod labels;
pub mod split;
mod parallel;
mod deal;
mod linalg;
mod finite;
mod strain;
pub mod transform;
mod neighbors;
pub mod robust;
pub mod features;
pub mod statistics;
pub mod fisher_rao;
pub mod distance;
pub mod constraint;
pub mod classify;
mod preconditioner;
mod objective;
pub mod optimize;
pub mod model;
pub mod reduce;
pub mod pipeline;
pub mod lift;

pub use classify::Qda;
pub use distance::Distance;
pub use features::Gaussians;
pub use labels::{Classes, Label, Labels};
pub use linalg::{Mat, MatMut, MatRef};
pub use model::{FittedSqfa, Noise, Sqfa};
pub use pipeline::Pipeline;
pub use points::{Points, Table};
pub use statistics::{ClassStatistics, Estimator};
pub use transform::transform;

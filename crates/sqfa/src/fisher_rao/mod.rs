//! The exact Fisher–Rao distance between Gaussians, its geodesics and its gradient.
//!
//! The distance is the minimum of the lengths ½‖log G(W)‖ over skew-symmetric matrices W of order d
//! (the twists); every W gives an upper bound. [`fisher_rao`] finds the minimum with a Newton
//! method. The minimizer also determines the velocities of the geodesic at both ends, and from them
//! the gradient and the logarithm map.
//!
//! | file | contents |
//! |---|---|
//! | `error` | errors and input checks |
//! | `frame` | coordinates in which the pair is N(0, I) and N(μ, diag) |
//! | `lift`, `rotations` | log G(W) from singular values |
//! | `curvature`, `newton` | derivatives with respect to W and the minimizer |
//! | `solve`, `bounds` | the distance, several initializations, bounds without a search |
//! | `ends` | velocities at both ends, gradient, logarithm |
//! | `geodesic` | Gaussians along geodesics, exponential map |
//! | `pairwise` | all pairs of a set, in parallel |

mod bounds;
mod curvature;
mod ends;
mod error;
mod frame;
mod geodesic;
mod lift;
mod newton;
mod pairwise;
mod rotations;
mod solve;
#[cfg(test)]
mod tests;

pub use ends::{FisherRaoGradient, Velocity};
pub use error::{FisherRaoError, Side};
pub use geodesic::{GaussianPoint, Geodesic};
pub use pairwise::fisher_rao_pairwise;
pub use solve::{Certainty, FisherRao, FisherRaoOptions, fisher_rao};

//! Class statistics × filters → feature statistics.

mod gaussians;
mod projection;
mod separation;

pub use gaussians::{Gaussian, GaussianError, Gaussians};
pub use projection::project;
pub(crate) use projection::{pass, pass_in_groups};
pub use separation::{Separation, separation};

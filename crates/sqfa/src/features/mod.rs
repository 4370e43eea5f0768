//! Class statistics × filters → feature statistics.

mod gaussians;
mod projection;
mod separation;

pub use gaussians::{Gaussian, GaussianError, Gaussians};
pub(crate) use projection::pass;
pub use projection::project;
pub use separation::{Separation, separation};

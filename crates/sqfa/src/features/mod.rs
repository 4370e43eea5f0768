//! Class statistics × filters → feature statistics.

mod gaussians;
mod projection;

pub use gaussians::{Gaussian, GaussianError, Gaussians};
pub(crate) use projection::pass;
pub use projection::project;

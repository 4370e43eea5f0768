//! Class statistics × filters → feature statistics.

mod gaussians;

pub use gaussians::{Gaussian, GaussianError, Gaussians};

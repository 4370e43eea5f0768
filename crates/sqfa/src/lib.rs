//! Filters that maximise information-geometric distances between classes.

mod names;
mod points;
mod labels;
mod linalg;
mod features;
mod distance;

pub use distance::{
    Claims, Dissimilarity, Distance, DistanceError, Entry, PairError, PairGradient, Parameter,
    pairwise, pairwise_between, registry,
};
pub use features::{Gaussian, GaussianError, Gaussians};
pub use labels::{Classes, Label, LabelError, Labels};
pub use linalg::{Mat, MatMut, MatRef};
pub use names::nearest;
pub use points::{Points, Scalar, Table};

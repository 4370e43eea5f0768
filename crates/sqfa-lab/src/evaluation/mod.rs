//! How well filters do on points they have not seen: classifiers, features of both parts and scores.
//!
//! The comparison and the paper both use it; it knows neither.

mod classifier;
mod evaluator;
mod features;
mod quantile;
mod score;

pub use classifier::{Classifier, ClassifierSettings, QDA_T_DEGREES};
pub use evaluator::Evaluator;
pub use features::features;
pub use quantile::quantile;
pub use score::Score;

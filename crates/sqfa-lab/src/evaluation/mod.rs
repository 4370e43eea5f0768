//! Evaluation of filters on test samples: classifiers, features and scores.
//!
//! The module is used by the comparison and by the tables of the paper, and depends on neither.

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

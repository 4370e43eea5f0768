//! Classifiers by name.

use sqfa::names::nearest;
use thiserror::Error;

/// A classifier by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classifier {
    /// Quadratic discriminant analysis.
    Qda,
    /// The k nearest neighbours.
    Knn,
}

/// How classifiers are set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassifierSettings {
    /// Shrinkage of QDA.
    pub shrinkage: f64,
    /// Neighbours of kNN.
    pub neighbors: usize,
}

/// A classifier that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown classifier '{name}'{near}: choose among {choices}")]
pub struct UnknownClassifier {
    /// The name given.
    pub name: String,
    /// A suggestion, or nothing.
    pub near: String,
    /// All names.
    pub choices: String,
}

impl Classifier {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Qda, Self::Knn];

    /// Its name in flags, files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Qda => "qda",
            Self::Knn => "knn",
        }
    }

    /// The classifier of a name; the error suggests the nearest.
    pub fn named(name: &str) -> Result<Self, UnknownClassifier> {
        Self::ALL.into_iter().find(|classifier| classifier.name() == name).ok_or_else(|| {
            UnknownClassifier {
                name: name.to_owned(),
                near: nearest(name, Self::ALL.map(Self::name))
                    .map(|near| format!(" (did you mean '{near}'?)"))
                    .unwrap_or_default(),
                choices: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}

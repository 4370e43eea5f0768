//! Classifiers by name.

use sqfa::names::Unknown;

/// A classifier by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classifier {
    /// Quadratic discriminant analysis.
    Qda,
    /// The same with t densities, whose scatters are found by the estimator t:ν on the features.
    QdaT,
    /// The k nearest neighbors.
    Knn,
}

/// How classifiers are set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassifierSettings {
    /// Shrinkage of QDA, towards the pooled covariance; only as far as needed if none.
    pub shrinkage: Option<f64>,
    /// Shrinkage of the paper's QDA ([`sqfa::Qda::plain`]), if that is used instead.
    pub plain: Option<f64>,
    /// Neighbors of kNN.
    pub neighbors: usize,
}

/// Degrees of freedom of t densities, those of `sqfa-t`.
pub const QDA_T_DEGREES: f64 = 5.0;

impl Classifier {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Qda, Self::QdaT, Self::Knn];

    /// Its name in flags, files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Qda => "qda",
            Self::QdaT => "qda-t",
            Self::Knn => "knn",
        }
    }

    /// The classifier of a name; the error suggests the nearest.
    pub fn named(name: &str) -> Result<Self, Unknown> {
        let known = Self::ALL.into_iter().find(|classifier| classifier.name() == name);
        known.ok_or_else(|| Unknown::new("classifier", name, Self::ALL.map(Self::name)))
    }
}

//! Classifiers and their settings.

use sqfa::names::Unknown;

/// A classifier that scores features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classifier {
    /// Quadratic discriminant analysis.
    Qda,
    /// Quadratic discriminant analysis with t densities, whose scatter matrices are computed by the
    /// estimator t:ν on the features.
    QdaT,
    /// The k nearest neighbors.
    Knn,
}

/// The settings of classifiers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassifierSettings {
    /// The shrinkage of QDA towards the pooled covariance, or `None` for only as much as necessary.
    pub shrinkage: Option<f64>,
    /// The shrinkage of the paper's QDA ([`sqfa::Qda::plain`]), or `None` if it is not used.
    pub plain: Option<f64>,
    /// The number of neighbors of kNN.
    pub neighbors: usize,
}

/// The degrees of freedom of t densities, which are those of `sqfa-t`.
pub const QDA_T_DEGREES: f64 = 5.0;

impl Classifier {
    /// All classifiers.
    pub const ALL: [Self; 3] = [Self::Qda, Self::QdaT, Self::Knn];

    /// Returns the name in flags, files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Qda => "qda",
            Self::QdaT => "qda-t",
            Self::Knn => "knn",
        }
    }

    /// Returns the classifier with a name.
    ///
    /// # Errors
    ///
    /// If no classifier has this name. The error suggests the most similar name.
    pub fn named(name: &str) -> Result<Self, Unknown> {
        let known = Self::ALL.into_iter().find(|classifier| classifier.name() == name);
        known.ok_or_else(|| Unknown::new("classifier", name, Self::ALL.map(Self::name)))
    }
}

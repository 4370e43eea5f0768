//! Which classifier of features belongs to a method, and the classifier itself.
//!
//! The entry of a method in the catalogue names a kind, the record of a fit and the model file keep it, and everything that
//! predicts builds the classifier here. A further classifier is a variant of both types.

use serde::{Deserialize, Serialize};

use super::discriminant::Discriminant;
use super::{ClassifierError, LdaClassifier, Qda};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::points::Points;

/// The kind of a classifier of features. Model files without one are from before there was a choice: quadratic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ClassifierKind {
    /// One Gaussian per class.
    #[default]
    #[serde(rename = "qda")]
    Quadratic,
    /// One Gaussian per class, all with the same covariance.
    #[serde(rename = "lda")]
    Linear,
}

impl ClassifierKind {
    /// The name in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quadratic => "qda",
            Self::Linear => "lda",
        }
    }

    /// The name in reports.
    pub fn title(self) -> &'static str {
        match self {
            Self::Quadratic => "QDA",
            Self::Linear => "LDA",
        }
    }

    /// Returns the classifier of features of learned filters, from class Gaussians with maximum-likelihood covariances.
    ///
    /// Priors are the frequencies of the classes in the training data, if these are known, unless others are given. For the
    /// shrinkage, see [`Qda::of_features`] and [`LdaClassifier::of_features`].
    ///
    /// # Errors
    ///
    /// If the priors are no probabilities, if the shrinkage is not between 0 and 1, or if it leaves a covariance without full
    /// rank.
    pub fn build(
        self,
        classes: &Classes,
        gaussians: &Gaussians,
        counts: Option<&[u64]>,
        priors: Option<&[f64]>,
        shrinkage: Option<f64>,
    ) -> Result<Classifier, ClassifierError> {
        let frequencies = match counts {
            Some(counts) => counts.iter().map(|&count| count as f64).collect(),
            None => vec![1.0; classes.len()],
        };
        let priors = priors.unwrap_or(&frequencies);
        Ok(match self {
            Self::Quadratic => {
                Classifier::Quadratic(Qda::of_features(classes, gaussians, priors, shrinkage)?)
            }
            Self::Linear => Classifier::Linear(LdaClassifier::of_features(
                classes, gaussians, counts, priors, shrinkage,
            )?),
        })
    }
}

/// A classifier of features.
#[derive(Debug, Clone)]
pub enum Classifier {
    /// Quadratic discriminant analysis.
    Quadratic(Qda),
    /// Linear discriminant analysis.
    Linear(LdaClassifier),
}

impl Classifier {
    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.discriminant().classes
    }

    /// The dimension of the features it classifies.
    pub fn dimension(&self) -> usize {
        self.discriminant().width
    }

    /// Returns the same classifier for samples with further features, which it ignores.
    pub fn reading(self, features: usize) -> Self {
        match self {
            Self::Quadratic(own) => Self::Quadratic(own.reading(features)),
            Self::Linear(own) => Self::Linear(own.reading(features)),
        }
    }

    /// Returns the quadratic classifier with t densities of these degrees of freedom; its covariances become scatters. A linear
    /// classifier stays as it is.
    ///
    /// # Errors
    ///
    /// If the degrees of freedom are not a finite number above 0.
    pub fn heavy_tailed(self, degrees: f64) -> Result<Self, ClassifierError> {
        match self {
            Self::Quadratic(own) => own.heavy_tailed(degrees).map(Self::Quadratic),
            Self::Linear(_) => Ok(self),
        }
    }

    /// Returns the position of the most probable class of every sample; ties go to the first.
    ///
    /// # Errors
    ///
    /// If the samples have another dimension, or one is too far from every class.
    pub fn predict(&self, features: Points<'_>) -> Result<Vec<u32>, ClassifierError> {
        self.discriminant().predict(features)
    }

    /// Returns ln p(class | z) for every sample (rows) and class (columns), row-major.
    ///
    /// # Errors
    ///
    /// Those of [`Classifier::predict`].
    pub fn log_posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        self.discriminant().log_posteriors(features)
    }

    /// Returns the fraction of samples whose predicted class is their own.
    ///
    /// # Errors
    ///
    /// Those of [`Classifier::predict`], or if there is not one code per sample.
    pub fn accuracy(&self, features: Points<'_>, codes: &[u32]) -> Result<f64, ClassifierError> {
        self.discriminant().accuracy(features, codes)
    }

    fn discriminant(&self) -> &Discriminant {
        match self {
            Self::Quadratic(own) => own.discriminant(),
            Self::Linear(own) => own.discriminant(),
        }
    }
}

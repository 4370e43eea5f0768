//! Classifiers that judge filters on test points.

use sqfa::classify::Knn;
use sqfa::names::Unknown;
use sqfa::statistics::Preprocessor;
use sqfa::transform::Features;
use sqfa::{ClassStatistics, Estimator, Gaussians, Mat, MatRef, Qda, transform};

use super::record::Verdict;
use super::{Bits, CompareError, Spec};
use sqfa_io::data::Part;
use sqfa_io::model_file::maximum_likelihood;

/// A classifier by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classifier {
    /// Quadratic discriminant analysis.
    Qda,
    /// The k nearest neighbours.
    Knn,
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
    pub fn named(name: &str) -> Result<Self, CompareError> {
        let known = Self::ALL.into_iter().find(|classifier| classifier.name() == name);
        Ok(known.ok_or_else(|| Unknown::new("classifier", name, Self::ALL.map(Self::name)))?)
    }
}

/// Features of both parts and the training classes in them.
pub(super) struct Bench<'a> {
    train: &'a Part,
    test: &'a Part,
    order: usize,
    train_features: Features,
    pub(super) test_features: Features,
    statistics: ClassStatistics,
}

impl<'a> Bench<'a> {
    /// Projects both parts: one pass over all points.
    pub(super) fn new(
        train: &'a Part,
        test: &'a Part,
        preprocessor: Option<&Preprocessor>,
        filters: MatRef<'_, f64>,
    ) -> Result<Self, String> {
        let order = filters.ncols();
        let (folded, offset) = match preprocessor {
            Some(preprocessor) => {
                let (folded, offset) = preprocessor.fold(filters);
                (folded, Some(offset))
            }
            None => (filters.to_owned(), None),
        };
        let project =
            |part: &Part| transform(part.points.view(), folded.as_ref(), offset.as_deref());
        let (train_features, test_features) = (project(train), project(test));
        let statistics = ClassStatistics::from_points(
            train_features.as_points(order),
            &train.labels,
            Estimator::Empirical,
        )
        .map_err(|error| error.to_string())?;
        Ok(Self { train, test, order, train_features, test_features, statistics })
    }

    /// The classes one classifier gives the test points.
    pub(super) fn predict(&self, classifier: Classifier, spec: &Spec) -> Result<Vec<u32>, String> {
        match classifier {
            Classifier::Qda => {
                let identity =
                    sqfa::Mat::from_fn(
                        self.order,
                        self.order,
                        |i, j| {
                            if i == j { 1.0 } else { 0.0 }
                        },
                    );
                let qda = Qda::from_statistics(&self.statistics, identity.as_ref(), spec.shrinkage)
                    .map_err(|error| error.to_string())?;
                qda.predict(self.test_features.as_points(self.order))
                    .map_err(|error| error.to_string())
            }
            Classifier::Knn => {
                let training = self.train_features.as_points(self.order);
                let codes = self.train.labels.codes();
                Knn::new(self.train.labels.classes(), training, codes, spec.neighbors)
                    .and_then(|knn| knn.predict(self.test_features.as_points(self.order)))
                    .map_err(|error| error.to_string())
            }
        }
    }

    /// The training classes in feature space, covariances with divisor N.
    pub(super) fn gaussians(&self) -> Result<Gaussians, String> {
        maximum_likelihood(&self.statistics, identity(self.order).as_ref())
            .map_err(|error| error.to_string())
    }

    /// What predictions say about the filters.
    pub(super) fn verdict(
        &self,
        classifier: Classifier,
        predicted: &Result<Vec<u32>, String>,
    ) -> Verdict {
        let name = classifier.name().to_owned();
        match predicted {
            Err(error) => Verdict {
                classifier: name,
                accuracy: None,
                error: Some(error.clone()),
                hits: Bits::default(),
            },
            Ok(predicted) => {
                let truth = self.test.labels.codes();
                let hits: Vec<bool> = predicted.iter().zip(truth).map(|(a, b)| a == b).collect();
                let count = hits.iter().filter(|&&hit| hit).count();
                Verdict {
                    classifier: name,
                    accuracy: Some(count as f64 / hits.len().max(1) as f64),
                    error: None,
                    hits: Bits(hits),
                }
            }
        }
    }
}

fn identity(order: usize) -> Mat<f64> {
    Mat::from_fn(order, order, |i, j| if i == j { 1.0 } else { 0.0 })
}

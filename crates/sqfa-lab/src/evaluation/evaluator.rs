//! Evaluation of filters on test samples. Features are computed once for all classifiers.

use sqfa::classify::Knn;
use sqfa::statistics::Preprocessor;
use sqfa::transform::Features;
use sqfa::{ClassStatistics, Estimator, Gaussians, Mat, MatRef, Qda};

use super::classifier::QDA_T_DEGREES;
use super::{Classifier, ClassifierSettings, Score, features};
use sqfa_io::data::Part;
use sqfa_io::model_file::maximum_likelihood;

/// The features of training and test samples, with the training classes in feature space.
#[derive(Debug)]
pub struct Evaluator<'a> {
    train: &'a Part,
    test: &'a Part,
    order: usize,
    train_features: Features,
    /// The features of the test samples.
    pub test_features: Features,
    statistics: ClassStatistics,
}

impl<'a> Evaluator<'a> {
    /// Computes the features of training and test samples in one pass.
    ///
    /// # Errors
    ///
    /// If the statistics of the training features cannot be computed.
    pub fn new(
        train: &'a Part,
        test: &'a Part,
        preprocessor: Option<&Preprocessor>,
        filters: MatRef<'_, f64>,
    ) -> Result<Self, String> {
        let order = filters.ncols();
        let project = |part: &Part| features(part.points.view(), preprocessor, filters);
        let (train_features, test_features) = (project(train), project(test));
        let statistics = ClassStatistics::from_points(
            train_features.as_points(order),
            &train.labels,
            Estimator::Empirical,
        )
        .map_err(|error| error.to_string())?;
        Ok(Self { train, test, order, train_features, test_features, statistics })
    }

    /// Returns the classes that one classifier predicts for the test samples.
    ///
    /// # Errors
    ///
    /// If the classifier cannot be created, or if features are not finite.
    pub fn predict(
        &self,
        classifier: Classifier,
        settings: impl Into<ClassifierSettings>,
    ) -> Result<Vec<u32>, String> {
        let ClassifierSettings { shrinkage, plain, neighbors } = settings.into();
        let identity = self.identity();
        let build = |statistics: &ClassStatistics| match plain {
            Some(shrinkage) => Qda::plain_from_statistics(statistics, identity.as_ref(), shrinkage),
            None => Qda::from_statistics(statistics, identity.as_ref(), shrinkage),
        };
        let test = self.test_features.as_points(self.order);
        match classifier {
            Classifier::Qda => {
                // The tables of the paper were computed in the precision of the data. In single
                // precision, rounding looks like variance if filters are linearly dependent, which
                // only the paper's shrinkage compensates.
                let exact = match plain {
                    Some(_) => None,
                    None => Some(self.double_statistics()?),
                };
                build(exact.as_ref().unwrap_or(&self.statistics))
                    .and_then(|qda| qda.predict(test))
                    .map_err(|error| error.to_string())
            }
            Classifier::QdaT => {
                let features = self.train_features.as_points(self.order);
                let estimator = Estimator::StudentT(Some(QDA_T_DEGREES));
                let statistics =
                    ClassStatistics::from_points(features, &self.train.labels, estimator)
                        .map_err(|error| error.to_string())?;
                build(&statistics)
                    .and_then(|qda| qda.predict(test))
                    .map_err(|error| error.to_string())
            }
            Classifier::Knn => {
                let training = self.train_features.as_points(self.order);
                let codes = self.train.labels.codes();
                Knn::new(self.train.labels.classes(), training, codes, neighbors)
                    .and_then(|knn| knn.predict(test))
                    .map_err(|error| error.to_string())
            }
        }
    }

    /// Returns the training classes in feature space. Covariances have divisor N.
    ///
    /// # Errors
    ///
    /// If a covariance is not valid.
    pub fn gaussians(&self) -> Result<Gaussians, String> {
        maximum_likelihood(&self.statistics, self.identity().as_ref())
            .map_err(|error| error.to_string())
    }

    /// Returns the score of predicted classes.
    pub fn score(&self, classifier: Classifier, predicted: &Result<Vec<u32>, String>) -> Score {
        let predicted = predicted.as_deref().map_err(String::as_str);
        Score::new(classifier, predicted, self.test.labels.codes())
    }

    /// Returns the statistics of the training features, computed in double precision.
    fn double_statistics(&self) -> Result<ClassStatistics, String> {
        let features = Features::F64(self.train_features.to_f64());
        let points = features.as_points(self.order);
        ClassStatistics::from_points(points, &self.train.labels, Estimator::Empirical)
            .map_err(|error| error.to_string())
    }

    /// Returns an identity matrix, because the statistics are already those of features.
    fn identity(&self) -> Mat<f64> {
        Mat::from_fn(self.order, self.order, |i, j| if i == j { 1.0 } else { 0.0 })
    }
}

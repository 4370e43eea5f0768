//! The score of a classifier on test samples: its accuracy, and which samples were classified
//! correctly.

use serde::{Deserialize, Serialize};

use super::Classifier;
use crate::numbers::Bits;

/// The score of a classifier on test samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The name of the classifier.
    pub classifier: String,
    /// The fraction of test samples that are classified correctly, or `None` if the classifier
    /// could not be created.
    pub accuracy: Option<f64>,
    /// The reason why the classifier could not be created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether each test sample was classified correctly.
    #[serde(default)]
    pub hits: Bits,
}

impl Score {
    /// Returns the score of predicted classes, or of a classifier that could not be created.
    pub fn new(classifier: Classifier, predicted: Result<&[u32], &str>, truth: &[u32]) -> Self {
        let classifier = classifier.name().to_owned();
        match predicted {
            Err(error) => Self {
                classifier,
                accuracy: None,
                error: Some(error.to_owned()),
                hits: Bits::default(),
            },
            Ok(predicted) => {
                let hits: Vec<bool> = predicted.iter().zip(truth).map(|(a, b)| a == b).collect();
                let count = hits.iter().filter(|&&hit| hit).count();
                let accuracy = count as f64 / hits.len().max(1) as f64;
                Self { classifier, accuracy: Some(accuracy), error: None, hits: Bits(hits) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_counts_hits_or_says_why_there_are_none() {
        let score = Score::new(Classifier::Knn, Ok(&[0, 1, 1, 2]), &[0, 1, 2, 2]);
        assert_eq!((score.accuracy, score.classifier.as_str()), (Some(0.75), "knn"));
        assert_eq!(score.hits.0, [true, true, false, true]);
        let none = Score::new(Classifier::Qda, Err("singular"), &[0, 1]);
        assert_eq!((none.accuracy, none.error.as_deref()), (None, Some("singular")));
        assert!(none.hits.0.is_empty());
    }
}

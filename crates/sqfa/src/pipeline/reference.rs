//! Reference accuracies for the held-out accuracy of a fit: linear discriminant analysis, and
//! predictions of the largest class.
//!
//! Both are computed with the same training samples and scored on the same held-out samples as the
//! candidates of a fit. The cost per fold is one eigendecomposition and one pass over the held-out
//! samples.

use serde::{Deserialize, Serialize};

use crate::linalg::Mat;
use crate::optimize::Observer;
use crate::reduce::{Lda, Reducer, Training};
use crate::statistics::Scaling;

use super::PipelineError;
use super::in_memory::InMemory;
use super::score::Scores;
use super::search::Folds;
use super::side::Side;

/// Held-out accuracies of simple classifiers, on the same samples on which the settings of a fit
/// were selected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The accuracy of linear discriminant analysis with all discriminants, or `None` if a fold has
    /// too few samples.
    pub lda: Option<f64>,
    /// The accuracy of predicting the most frequent training class for every sample.
    pub majority: f64,
}

impl InMemory<'_, '_> {
    /// Returns the reference accuracies over all folds that can be used; `None` if there is none. No scores of candidates need to be
    /// in memory for it.
    pub(crate) fn reference(
        &self,
        observer: &mut Observer<'_>,
    ) -> Result<Option<Reference>, PipelineError> {
        let scalings = self.scalings();
        let whitened = scalings.iter().find(|&&own| own == Scaling::WithinClass);
        let Some(&scaling) = whitened.or(scalings.first()) else { return Ok(None) };
        let (mut lda, mut largest) = (Some(Scores::default()), Scores::default());
        for fold in 0..self.count() {
            let Some(side) = self.side(scaling, fold)? else { continue };
            largest.extend(self.constant_scores(scaling, fold, most_frequent(&side)));
            let filters = discriminants(&side, observer);
            lda = match (lda, filters) {
                (Some(mut sums), Some(filters)) => {
                    let own = self.scores_of(scaling, fold, &side.linear_scorer(&filters))?;
                    sums.extend(own);
                    Some(sums)
                }
                _ => None,
            };
        }
        let known = largest.len() > 0;
        let lda = lda.map(|scores| scores.accuracy());
        Ok(known.then(|| Reference { lda, majority: largest.accuracy() }))
    }
}

/// Returns the most frequent class of the training samples, or the first of several.
fn most_frequent(side: &Side) -> u32 {
    let shares = side.space.classes().shares();
    let larger = |best: usize, at: usize| if shares[at] > shares[best] { at } else { best };
    (0..shares.len()).reduce(larger).unwrap_or(0) as u32
}

/// Returns all discriminants of the training samples, or `None` if they cannot be computed.
fn discriminants(side: &Side, observer: &mut Observer<'_>) -> Option<Mat<f64>> {
    let statistics = &side.space.statistics;
    let count = statistics.dimension().min(statistics.classes().len() - 1);
    let training = Training::from_statistics(statistics);
    let fitted = Lda::default().fit_one(&training, count, observer);
    fitted.ok().map(|fitted| fitted.filters)
}

//! The training side of a fold: class statistics in the coordinates of a fit.
//!
//! The training samples themselves may be in memory or on other machines.

use crate::classify::Densities;
use crate::linalg::Mat;

use super::coordinates::{Learned, MakeSpace};
use super::space::Space;
use super::{PipelineError, Scorer};

/// The training side of one fold under one scaling.
pub(crate) struct Side {
    pub(crate) space: Space,
    /// The mean within-class variance by which noise fractions are multiplied.
    pub(crate) unit: f64,
}

impl Side {
    /// Computes the training side of a fold from its class statistics.
    pub(crate) fn new(
        maker: &dyn MakeSpace,
        learned: Learned<'_, '_>,
    ) -> Result<Self, PipelineError> {
        let space = maker.space(learned)?;
        let unit = maker.unit(&space);
        Ok(Self { space, unit })
    }

    /// Returns the training side for a space that exists already.
    pub(crate) fn of(space: Space) -> Self {
        let unit = space.statistics.noise_scale();
        Self { space, unit }
    }

    /// Returns a scorer: the filters for raw samples, with the classes in feature space. It can be
    /// sent to other machines.
    pub(crate) fn scorer(&self, filters: &Mat<f64>) -> Scorer {
        let Densities { features, priors, degrees } =
            Densities::new(self.space.classes(), filters.as_ref());
        let (filters, offset) = self.space.fold(filters.as_ref());
        Scorer { filters, offset, features, priors, degrees }
    }

    /// Returns a scorer with a linear classifier: Gaussian classes with the pooled covariance.
    pub(crate) fn linear_scorer(&self, filters: &Mat<f64>) -> Scorer {
        let own = self.scorer(filters);
        Scorer { features: own.features.with_pooled_covariance(&own.priors), degrees: None, ..own }
    }
}

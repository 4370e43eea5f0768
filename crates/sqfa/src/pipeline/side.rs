//! The training side of a fold: its class statistics in the coordinates of a fit, whether or not its samples are in memory.

use crate::classify::Densities;
use crate::linalg::Mat;

use super::coordinates::{Learned, MakeSpace};
use super::space::Space;
use super::{PipelineError, Scorer};

/// The training side of one fold under one scaling.
pub(crate) struct Side {
    pub(crate) space: Space,
    /// The unit of noise fractions.
    pub(crate) unit: f64,
}

impl Side {
    /// Returns the side of some training samples.
    pub(crate) fn new(
        maker: &dyn MakeSpace,
        learned: Learned<'_, '_>,
    ) -> Result<Self, PipelineError> {
        let space = maker.space(learned)?;
        let unit = maker.unit(&space);
        Ok(Self { space, unit })
    }

    /// Returns the side of a space that was made elsewhere.
    pub(crate) fn of(space: Space) -> Self {
        let unit = space.statistics.noise_scale();
        Self { space, unit }
    }

    /// Returns filters of the space with their classifier, ready to be sent to other machines.
    pub(crate) fn scorer(&self, filters: &Mat<f64>) -> Scorer {
        let Densities { features, priors, degrees } =
            Densities::new(self.space.classes(), filters.as_ref());
        let (filters, offset) = self.space.fold(filters.as_ref());
        Scorer { filters, offset, features, priors, degrees }
    }

    /// Returns filters of the space with a linear classifier: Gaussians that share the pooled covariance of the classes.
    pub(crate) fn linear_scorer(&self, filters: &Mat<f64>) -> Scorer {
        let own = self.scorer(filters);
        Scorer { features: own.features.with_pooled_covariance(&own.priors), degrees: None, ..own }
    }
}

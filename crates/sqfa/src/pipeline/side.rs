//! The training side of a fold: its statistics in the space of a fit, whether or not its points are at hand.

use crate::classify::maximum_likelihood;
use crate::linalg::Mat;
use crate::statistics::{ClassStatistics, project};

use super::search::MakeSpace;
use super::space::Space;
use super::{PipelineError, Scorer};

/// The training side of one fold, in some units.
pub(crate) struct Side {
    pub(crate) space: Space,
    /// The same without shrinkage of the covariances, for the classifier.
    plain: Option<ClassStatistics>,
    /// What a share of noise is a share of.
    pub(crate) unit: f64,
}

impl Side {
    /// From statistics, and the same without shrinkage where they are shrunk.
    pub(crate) fn new(
        maker: &dyn MakeSpace,
        (statistics, plain): (ClassStatistics, Option<ClassStatistics>),
    ) -> Result<Self, PipelineError> {
        let space = maker.space(statistics)?;
        let plain = plain.map(|plain| space.view(plain));
        let unit = maker.unit(&space);
        Ok(Self { space, plain, unit })
    }

    /// The side of a space whose statistics are not shrunk.
    pub(crate) fn of(space: Space) -> Self {
        let unit = space.statistics.noise_scale();
        Self { space, plain: None, unit }
    }

    /// The statistics that a classifier sees.
    pub(crate) fn judging(&self) -> &ClassStatistics {
        self.plain.as_ref().unwrap_or(&self.space.statistics)
    }

    /// Filters of the space with their classifier, ready to travel.
    pub(crate) fn scorer(&self, filters: &Mat<f64>) -> Scorer {
        let statistics = self.judging();
        let features = project(statistics, filters.as_ref(), 0.0);
        let (filters, offset) = self.space.fold(filters.as_ref());
        Scorer {
            filters,
            offset,
            features: maximum_likelihood(&features, statistics.counts()),
            priors: statistics.shares(),
        }
    }
}

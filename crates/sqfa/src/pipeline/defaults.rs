//! Default scaling and noise if nothing can be held out.
//!
//! The default noise is 0.3 × the within-class covariance, that is, 0.3 with within-class scaling.
//! Second moments do not contain the within-class covariance. For them the noise is 1 × the mean
//! variance of the raw columns.
//!
//! For more than [`WIDE`] columns that seem to have the same units, such as pixels, the default
//! scaling is common. If within-class scaling is not possible, the default is per-feature scaling.
//! This is the case if covariances do not store their entries or the distance depends on linear
//! maps.

use crate::model::Noise;
use crate::statistics::{ClassStatistics, Moments, Scaling};

use super::rule::{ALIKE, DEFAULT_FRACTION};
use super::selection::Candidate;
use super::{Pipeline, WIDE};

impl Pipeline {
    /// Returns the specified scaling and noise, with defaults if they are not specified.
    pub(crate) fn default_candidate(
        &self,
        dropped: &[usize],
        statistics: &ClassStatistics,
    ) -> Candidate {
        let scaling = self.scaling.unwrap_or_else(|| self.default_scaling(dropped, statistics));
        let noise = match self.settings.noise {
            Noise::Auto if statistics.moments() == Moments::Second => Noise::Fraction(1.0),
            Noise::Auto => Noise::Fraction(DEFAULT_FRACTION),
            specified => specified,
        };
        Candidate { scaling, noise }
    }

    fn default_scaling(&self, dropped: &[usize], statistics: &ClassStatistics) -> Scaling {
        if statistics.moments() == Moments::Second {
            return Scaling::None;
        }
        let covariances = statistics.covariances();
        let dense = covariances.iter().all(|covariance| covariance.entries().is_some());
        let possible = dense || self.restricted_to().is_some();
        let allowed = self.scalings();
        let alike = like_pixels(statistics, dropped);
        let wanted = if alike { Scaling::Common } else { Scaling::WithinClass };
        let first =
            allowed.iter().find(|&&own| own == wanted && (possible || own != Scaling::WithinClass));
        let other = || allowed.iter().find(|&&own| own != Scaling::WithinClass);
        first.or_else(other).copied().unwrap_or(Scaling::Common)
    }
}

/// Whether there are many columns that seem to have the same units, such as pixels: the largest
/// variance is not far above the median.
fn like_pixels(statistics: &ClassStatistics, dropped: &[usize]) -> bool {
    let all = statistics.total_variances();
    statistics.dimension() - dropped.len() > WIDE && alike(kept(all, dropped))
}

/// Whether columns seem to have the same units. Variances within classes are compared, because a
/// column that separates classes well varies more than others with the same units.
pub(crate) fn in_one_unit(statistics: &ClassStatistics, dropped: &[usize]) -> bool {
    let mut within = vec![0.0; statistics.dimension()];
    for (covariance, share) in statistics.covariances().iter().zip(statistics.shares()) {
        let own = covariance.diagonal();
        within.iter_mut().zip(own).for_each(|(sum, variance)| *sum += share * variance);
    }
    alike(kept(within, dropped))
}

/// Returns the values of the columns that are not dropped.
fn kept(values: Vec<f64>, dropped: &[usize]) -> Vec<f64> {
    let all = values.into_iter().enumerate();
    all.filter(|(column, _)| !dropped.contains(column)).map(|(_, value)| value).collect()
}

/// Whether no variance is far above the median.
pub(crate) fn alike(mut variances: Vec<f64>) -> bool {
    variances.sort_by(f64::total_cmp);
    let largest = variances.last().copied().unwrap_or(0.0);
    // With two columns, the smaller variance is used as the median.
    variances
        .get(variances.len().saturating_sub(1) / 2)
        .is_some_and(|usual| largest <= ALIKE * usual)
}

//! Units and noise where nothing can be held out: 0.3 of the covariance within classes, in every direction.
//!
//! In more than [`WIDE`] columns of one unit, as pixels are, it is the mean within-class variance in common units; where
//! units within classes are out of reach (no entries, a distance that linear maps change), 0.3 of it in per-feature units.

use crate::model::InverseRegression;
use crate::optimize::Observer;
use crate::statistics::ClassStatistics;

use super::arms::OnColumns;
use super::learn::Job;
use super::selection::{Candidate, Reason, Selection};
use super::space::Units;
use super::{Filters, Fitted, NoChoice, Pipeline, PipelineError, WIDE};

/// Largest over median variance up to which columns are taken to be in one unit.
const ALIKE: f64 = 100.0;

impl Pipeline {
    /// Fits class statistics alone: nothing is held out, so noise and units are those of the closed form.
    pub fn fit_statistics(
        &self,
        statistics: ClassStatistics,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let Filters::Count(filters) = self.filters else {
            return Err(PipelineError::Count { why: NoChoice::NoPoints });
        };
        self.check_start(statistics.dimension())?;
        let dropped = statistics.constant_columns();
        if dropped.len() == statistics.dimension() {
            return Err(PipelineError::AllConstant { columns: statistics.dimension() });
        }
        // SAVE compares class covariances, and those of few samples differ by chance in every direction.
        let compares = self.base() == InverseRegression::Save.name() && self.finds_noise();
        let job = match compares.then(|| statistics.pooled_where_deficient()).flatten() {
            Some(shrunk) => Job::of(shrunk, &dropped, filters).with_plain(Some(statistics)),
            None => Job::of(statistics, &dropped, filters),
        };
        self.learn(job, None, observer)
    }

    /// The closed-form choice; its noise is filled in by the fit.
    pub(crate) fn closed_form(&self, dropped: &[usize], statistics: &ClassStatistics) -> Selection {
        let dense =
            statistics.covariances().iter().all(|covariance| covariance.entries().is_some());
        let alike = like_pixels(statistics, dropped);
        let allowed = self.units();
        let wanted = if alike { Units::Common } else { Units::WithinClass };
        let units = allowed
            .iter()
            .copied()
            .find(|&units| units == wanted && (dense || units != Units::WithinClass))
            .or_else(|| allowed.iter().copied().find(|&units| units != Units::WithinClass))
            .unwrap_or(Units::Common);
        Selection {
            candidate: Candidate::usual(units),
            noise: f64::NAN,
            reason: Reason::ClosedForm,
            tried: Vec::new(),
            folds: 0,
            accuracy: None,
        }
    }

    /// The space of a choice on the columns.
    pub(crate) fn space_of<'a>(&self, units: Units, dropped: &'a [usize]) -> OnColumns<'a> {
        OnColumns { units, scaling: self.scaling_of(units), center: self.centers(), dropped }
    }
}

/// Whether columns seem to be in one unit, as pixels are: there are many, and the largest variance is not far beyond the usual one.
pub(crate) fn like_pixels(statistics: &ClassStatistics, dropped: &[usize]) -> bool {
    let all = statistics.total_variances();
    statistics.dimension() - dropped.len() > WIDE && alike(kept(all, dropped))
}

/// Whether columns seem to be in one unit, however many there are. Variances within classes are compared, because a column
/// that separates classes well varies more than the others in the same unit.
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

/// Whether no variance is far beyond the usual one.
pub(crate) fn alike(mut variances: Vec<f64>) -> bool {
    variances.sort_by(f64::total_cmp);
    let largest = variances.last().copied().unwrap_or(0.0);
    // Of two columns, the smaller one is the usual one.
    variances
        .get(variances.len().saturating_sub(1) / 2)
        .is_some_and(|usual| largest <= ALIKE * usual)
}

//! Units and noise where nothing can be held out: 0.3 of the covariance within classes, in every direction.
//!
//! Over the tables of `sqfa-bench defaults` this closed form is within a point of what held-out points choose. Where units
//! within classes are out of reach (no entries, a distance that linear maps change, more than [`super::WIDE`] columns) it is
//! 0.3 of the mean within-class variance, in per-feature or common units.

use crate::optimize::{Control, Progress};
use crate::statistics::ClassStatistics;

use super::arms::OnColumns;
use super::learn::Job;
use super::search::MakeSpace;
use super::selection::{Candidate, Reason, Selection};
use super::space::Units;
use super::{Aside, Filters, Fitted, NoChoice, Pipeline, PipelineError, SetAside, WIDE};

impl Pipeline {
    /// Fits class statistics alone: nothing is held out, so noise and units are those of the closed form.
    pub fn fit_statistics(
        &self,
        statistics: ClassStatistics,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        let Filters::Count(filters) = self.filters else {
            return Err(PipelineError::Count { why: NoChoice::NoPoints });
        };
        let aside = without_variance(&statistics);
        if aside.len() == statistics.dimension() {
            return Err(PipelineError::AllConstant { columns: statistics.dimension() });
        }
        self.learn(&Job::of(statistics, &aside, filters), None, observer)
    }

    /// The closed-form choice; its noise is filled in by the fit.
    pub(crate) fn closed_form(&self, columns: usize, statistics: &ClassStatistics) -> Selection {
        let dense =
            statistics.covariances().iter().all(|covariance| covariance.entries().is_some());
        let allowed = self.units();
        let units = allowed
            .into_iter()
            .find(|&units| units != Units::WithinClass || (dense && columns <= WIDE))
            .unwrap_or(Units::Common);
        Selection {
            candidate: Candidate::usual(units),
            noise: f64::NAN,
            reason: Reason::ClosedForm,
            tried: Vec::new(),
            folds: 0,
        }
    }

    /// The space of a choice on the columns.
    pub(crate) fn space_of<'a>(&self, units: Units, aside: &'a [SetAside]) -> impl MakeSpace + 'a {
        OnColumns { units, scaling: self.scaling_of(units), center: self.centers(), aside }
    }
}

/// Columns whose variance over all classes is 0.
fn without_variance(statistics: &ClassStatistics) -> Vec<SetAside> {
    let variances = statistics.total_variances();
    let constant = variances.iter().enumerate().filter(|(_, variance)| **variance <= 0.0);
    constant.map(|(column, _)| SetAside { column, why: Aside::Constant }).collect()
}

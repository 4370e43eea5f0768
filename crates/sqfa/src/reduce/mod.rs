//! Every way to find filters behind one trait: a recipe ([`Reducer`]) that sees labeled data ([`Training`])
//! and gives filters with an account of how they were found ([`Reduction`]).

mod ama;
mod catalogue;
mod choose;
mod closed;
mod error;
mod inverse_regression;
mod lda;
mod lfda;
mod limit;
mod lmnn;
mod nca;
mod pca;
mod run;
mod samples;
mod scatter;
mod setting;
mod settings;
mod space;
mod spca;
mod sqfa;
mod training;
mod values;
mod wda;

use crate::linalg::Mat;
use crate::optimize::Observer;

pub use catalogue::{
    Column, Method, Needs, Objective, ReducerEntry, reducer, reducer_entry, reducers,
};
pub use choose::{Choice, Trial};
pub use error::ReduceError;
pub use lda::Lda;
pub use limit::Limit;
pub use pca::{Pca, PcaSolver};
pub use run::Run;
pub use samples::{LocalScale, SampleError, balanced_rows};
pub use setting::{Heading, Kind, Parameter, ROWS, Row, Setting, Usual};
pub use settings::ReducerSettings;
pub use spca::Spca;
pub(crate) use training::JUDGED;
pub use training::{Samples, Training};
pub use values::BadValue;

/// A recipe for filters.
pub trait Reducer: Send + Sync {
    /// Its name in every flag, file and message.
    fn name(&self) -> &str;

    /// Fits filters for several counts at once, in the order asked for; methods that solve an eigenproblem solve
    /// it once. The observer is told of every iteration and may cancel.
    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError>;

    /// Fits one number of filters.
    fn fit_one(
        &self,
        training: &Training<'_>,
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Reduction, ReduceError> {
        let mut fitted = self.fit(training, &[filters], observer)?;
        fitted.pop().ok_or(ReduceError::NoFilters { filters })
    }
}

/// Filters, and how they were found.
#[derive(Debug, Clone)]
pub struct Reduction {
    /// The filters, one a column, for preprocessed points.
    pub filters: Mat<f64>,
    /// How they were found.
    pub run: Run,
    /// Settings that were used, chosen or given.
    pub settings: Vec<(Setting, f64)>,
    /// What was tried to choose them.
    pub trials: Vec<Trial>,
}

impl Reduction {
    /// The result of a closed form.
    pub(crate) fn closed(filters: Mat<f64>, seconds: f64) -> Self {
        let run = Run::closed(seconds);
        Self { filters, run, settings: Vec::new(), trials: Vec::new() }
    }

    /// A setting that was used.
    pub fn setting(&self, setting: Setting) -> Option<f64> {
        self.settings.iter().find(|(known, _)| *known == setting).map(|(_, value)| *value)
    }
}

/// The largest count asked for, after checking every one against what the method can give.
pub(crate) fn largest_count(
    method: &'static str,
    filters: &[usize],
    (limit, why): (usize, Limit),
) -> Result<usize, ReduceError> {
    for &count in filters {
        if count == 0 {
            return Err(ReduceError::NoFilters { filters: count });
        }
        if count > limit {
            return Err(ReduceError::TooMany { method, filters: count, limit, why });
        }
    }
    Ok(filters.iter().copied().max().unwrap_or(0))
}

/// One result for every count, from nested columns that were found together.
pub(crate) fn nested(all: &Mat<f64>, filters: &[usize], seconds: f64) -> Vec<Reduction> {
    filters
        .iter()
        .map(|&count| Reduction::closed(all.subcols(0, count).to_owned(), seconds))
        .collect()
}

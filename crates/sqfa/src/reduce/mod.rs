//! All methods behind one trait: a recipe ([`Reducer`]) fits labeled data ([`Training`]) and
//! returns filters with a record of how they were found ([`Reduction`]).
//!
//! [`reducers`] lists the methods with their properties, and [`reducer`] creates one by name.
//! [`ROWS`] lists all settings.

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

/// A dimensionality reduction method with its settings.
///
/// [`reducer`] creates a reducer by name and has an example.
pub trait Reducer: Send + Sync {
    /// Returns the name in flags, files and messages.
    fn name(&self) -> &str;

    /// Fits filters for several numbers of filters at once and returns one result per number, in
    /// the same order.
    ///
    /// Methods that solve an eigenproblem solve it once. The observer receives the progress of
    /// every iteration and may cancel the fit.
    ///
    /// # Errors
    ///
    /// Returns an error if a number of filters is zero or above the limit of the method, if a
    /// setting does not fit the data, or if the method needs samples and `training` has none.
    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError>;

    /// Fits one number of filters.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Reducer::fit`].
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

/// The result of a reducer: the filters, and a record of how they were found.
#[derive(Debug, Clone)]
pub struct Reduction {
    /// The filters for preprocessed samples: an n × m matrix with one filter per column.
    pub filters: Mat<f64>,
    /// The record of the fit.
    pub run: Run,
    /// The numeric settings that were used, whether specified or selected.
    pub settings: Vec<(Setting, f64)>,
    /// The values that were tried in the selection of settings.
    pub trials: Vec<Trial>,
}

impl Reduction {
    /// Creates the result of a closed form.
    pub(crate) fn closed(filters: Mat<f64>, seconds: f64) -> Self {
        let run = Run::closed(seconds);
        Self { filters, run, settings: Vec::new(), trials: Vec::new() }
    }

    /// Returns the value of a setting that was used, or `None` if the method does not use it.
    pub fn setting(&self, setting: Setting) -> Option<f64> {
        self.settings.iter().find(|(known, _)| *known == setting).map(|(_, value)| *value)
    }
}

/// Checks every requested number of filters against the limit of the method and returns the largest
/// one.
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

/// Returns one result per number of filters, from nested columns that were found together.
pub(crate) fn nested(all: &Mat<f64>, filters: &[usize], seconds: f64) -> Vec<Reduction> {
    filters
        .iter()
        .map(|&count| Reduction::closed(all.subcols(0, count).to_owned(), seconds))
        .collect()
}

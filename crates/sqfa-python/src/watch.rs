//! Observation of a running fit by a Python callback.

use pyo3::prelude::*;
use pyo3::types::PyAny;
use sqfa::optimize::{Control, Progress};

use crate::errors::{Failure, Outcome};
use crate::running::Stop;
use crate::user_distance::FirstError;

/// An observer that passes every iteration to the callback and stops the fit on request.
pub(crate) struct Watch<'a> {
    stop: &'a Stop,
    error: &'a FirstError,
    callback: Option<&'a Py<PyAny>>,
    raised: Option<PyErr>,
    /// Whether the callback has ended the fit, which may be one of several.
    ended: bool,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        stop: &'a Stop,
        error: &'a FirstError,
        callback: Option<&'a Py<PyAny>>,
    ) -> Self {
        Self { stop, error, callback, raised: None, ended: false }
    }

    pub(crate) fn see(&mut self, progress: &Progress) -> Control {
        if self.ended || self.stop.asked() || self.raised.is_some() || self.error.is_set() {
            return Control::Cancel;
        }
        let Some(callback) = self.callback else { return Control::Continue };
        let ended = Python::attach(|py| {
            let Progress { active, starts, iteration, passes, objective, frozen } = *progress;
            let arguments = (iteration, objective, active, starts, passes, frozen);
            callback.call1(py, arguments)?.is_truthy(py)
        });
        match ended {
            Ok(false) => Control::Continue,
            Ok(true) => {
                self.ended = true;
                Control::Cancel
            }
            Err(error) => {
                self.raised = Some(error);
                Control::Cancel
            }
        }
    }

    /// Returns the result of the fit. Exceptions of the callback or of a user-defined distance have
    /// precedence.
    pub(crate) fn conclude<T>(self, outcome: Outcome<T>) -> Outcome<T> {
        match self.raised {
            Some(error) => Err(Failure(error)),
            None => self.error.or(outcome),
        }
    }
}

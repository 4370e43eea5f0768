//! Long computations without the interpreter, so that other Python threads continue and Ctrl-C
//! works.
//!
//! The computation runs in a pool while the calling thread waits and checks for signals, which
//! Python delivers only to the main thread. A flag requests the computation to stop. The calling
//! thread always waits for its end, because it borrows data.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::{Failure, Outcome, internal};
use crate::pools::pool;

/// The interval in which signals are checked.
const PATIENCE: Duration = Duration::from_millis(50);

/// A flag that requests the computation to stop.
#[derive(Debug, Default)]
pub(crate) struct Stop(AtomicBool);

impl Stop {
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a computation with a number of threads. If a signal raises an exception, it replaces the
/// result.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Stop) -> Outcome<T> + Send,
) -> PyResult<T> {
    let guarded = |stop: &Stop| {
        catch_unwind(AssertUnwindSafe(|| work(stop))).unwrap_or_else(|panic| Err(internal(&*panic)))
    };
    let stop = Stop::default();
    if rayon::current_thread_index().is_some() {
        // A user-defined distance has called this function from a pool, whose thread must not wait
        // for another one.
        return py.detach(|| guarded(&stop)).map_err(PyErr::from);
    }
    let pool = pool(py, threads)?;
    let outcome = py.detach(|| {
        let (done, wait) = channel();
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                // The receiver outlives the scope, so sending cannot fail.
                let _ = done.send(guarded(&stop));
            });
            let mut signal = None;
            loop {
                match wait.recv_timeout(PATIENCE) {
                    Ok(outcome) => return signal.map_or(outcome, |error| Err(Failure(error))),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.ask();
                            signal.get_or_insert(error);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(internal(&"a worker thread disappeared"));
                    }
                }
            }
        })
    });
    outcome.map_err(PyErr::from)
}

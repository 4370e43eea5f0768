//! Thread pools: one per process and number of threads, because a pool does not survive a fork.
//!
//! Pools are accessed only while the interpreter is held. Python also forks only then, so a child
//! process never inherits the list in the middle of a change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

struct Pools {
    process: u32,
    by_size: HashMap<usize, Arc<ThreadPool>>,
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// Returns the pool of this process with a number of threads.
pub(crate) fn pool(_: Python<'_>, threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stale) = pools.take_if(|pools| pools.process != process) {
        // The threads of an inherited pool exist only in the parent process. Dropping the pool
        // could wait for them forever.
        std::mem::forget(stale);
    }
    let pools = pools.get_or_insert_with(|| Pools { process, by_size: HashMap::new() });
    if let Some(pool) = pools.by_size.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(sqfa_cli::usable_threads(threads))
        .thread_name(|index| format!("sqfa-{index}"))
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("threads could not start: {error}")))?;
    Ok(pools.by_size.entry(threads).or_insert(Arc::new(pool)).clone())
}

/// Returns the number of threads that this process may use.
#[pyfunction]
pub(crate) fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

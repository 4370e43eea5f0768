//! Threads: one pool per process and size, because a pool does not survive a fork.
//!
//! Pools are looked up with the interpreter held, which is also how Python forks: a child can never
//! inherit the list in the middle of a change.

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

/// The pool of this process with so many threads.
pub(crate) fn pool(_: Python<'_>, threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stale) = pools.take_if(|pools| pools.process != process) {
        // Its threads stayed behind in the parent; ending them here could wait for ever.
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

/// The number of threads this process may use.
#[pyfunction]
pub(crate) fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

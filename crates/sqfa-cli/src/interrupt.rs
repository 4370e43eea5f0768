//! Ctrl-C: at once while only reading and computing, after the current step while a fit or a file is under way.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::failure::Interrupted;

/// Whether something is under way that must end in order.
static BUSY: Mutex<bool> = Mutex::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C and for requests to terminate; a second one ends the process at once.
pub fn listen() {
    // Without a handler Ctrl-C still ends the process, only less tidily.
    let _ = ctrlc::set_handler(|| {
        let busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
        if !*busy || ASKED.swap(true, Ordering::SeqCst) {
            // The lock is held, so nothing can begin to write now.
            process::exit(130);
        }
    });
}

/// As long as this lives, Ctrl-C only leaves a note.
pub struct Guard;

impl Guard {
    /// Begins work that must end in order.
    pub fn new() -> Self {
        *BUSY.lock().unwrap_or_else(PoisonError::into_inner) = true;
        Self
    }

    /// An error when somebody asked to stop.
    pub(crate) fn check(&self) -> Result<(), Interrupted> {
        if asked() { Err(Interrupted) } else { Ok(()) }
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *BUSY.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

/// Returns whether somebody asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

//! Handling of failed allocations: the process ends with a message and exit code 1 instead of a
//! signal.
//!
//! The standard library aborts the process when memory is exhausted, and stable Rust has no hook
//! for this. The allocator therefore records that an allocation failed. A handler of the signal
//! SIGABRT checks this record, so that other aborts are not affected.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static FAILED: AtomicBool = AtomicBool::new(false);
static MESSAGE: OnceLock<String> = OnceLock::new();

/// Records a failed allocation if the block is null, and returns the block.
#[inline]
pub(crate) fn noted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        FAILED.store(true, Relaxed);
    }
    block
}

/// Writes a message to standard error and exits with code 1 when the process would abort because
/// memory is exhausted.
///
/// Only the first call has an effect. [`crate::Allocator`] must be the global allocator. On systems
/// other than Linux the process still aborts.
pub fn explain_failure(message: String) {
    if MESSAGE.set(message + "\n").is_ok() {
        #[cfg(target_os = "linux")]
        handler::install();
    }
}

#[cfg(target_os = "linux")]
mod handler {
    use super::{FAILED, MESSAGE, Relaxed};

    pub(super) fn install() {
        let handle: extern "C" fn(libc::c_int) = on_abort;
        // SAFETY: the handler has the type of a signal handler without further information, lives
        // as long as the program, and calls only functions that are allowed in a handler.
        unsafe { libc::signal(libc::SIGABRT, handle as libc::sighandler_t) };
    }

    /// Handles SIGABRT. It only reads memory that is written once and calls `write` and `_exit`,
    /// which are allowed in a handler.
    extern "C" fn on_abort(_: libc::c_int) {
        if let (true, Some(message)) = (FAILED.load(Relaxed), MESSAGE.get()) {
            // SAFETY: the bytes live as long as the program. A failed write is ignored, and `_exit`
            // does not return.
            unsafe {
                libc::write(2, message.as_ptr().cast(), message.len());
                libc::_exit(1);
            }
        }
        // When a handler returns, `abort` ends the process by the signal.
    }
}

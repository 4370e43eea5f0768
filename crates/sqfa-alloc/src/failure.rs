//! A failed allocation ends the process with a message and exit code 1 instead of a signal.
//!
//! The standard library aborts when memory runs out, and nothing in stable Rust hears of it before. So the allocator keeps
//! in mind that it had nothing to give, and a handler of the signal SIGABRT looks at that: other aborts stay what they are.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static FAILED: AtomicBool = AtomicBool::new(false);
static MESSAGE: OnceLock<String> = OnceLock::new();

/// Keeps in mind that there is no memory, where a block is null.
#[inline]
pub(crate) fn noted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        FAILED.store(true, Relaxed);
    }
    block
}

/// Writes a line to standard error and exits with code 1 when the process would abort because memory ran out.
///
/// Only the first call counts. It needs [`crate::Allocator`] as the global allocator and works on Linux; elsewhere the process
/// still aborts.
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
        // SAFETY: the handler has the type that a signal without further information asks for, lives as long as the program
        // and does only what is allowed in a handler.
        unsafe { libc::signal(libc::SIGABRT, handle as libc::sighandler_t) };
    }

    /// Allowed in a handler: it reads memory that is written once, and calls `write` and `_exit`.
    extern "C" fn on_abort(_: libc::c_int) {
        if let (true, Some(message)) = (FAILED.load(Relaxed), MESSAGE.get()) {
            // SAFETY: the bytes are there as long as the program; what cannot be written is lost. `_exit` runs nothing more.
            unsafe {
                libc::write(2, message.as_ptr().cast(), message.len());
                libc::_exit(1);
            }
        }
        // After a handler returns, `abort` ends the process by the signal.
    }
}

//! An allocator that counts its memory, for tests of memory use.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::Allocator;

/// An [`Allocator`] that counts the bytes in use.
#[derive(Debug, Default)]
pub struct Counted {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Counted {
    /// Returns an allocator with a count of 0.
    pub const fn new() -> Self {
        Self { now: AtomicUsize::new(0), most: AtomicUsize::new(0) }
    }

    /// Returns the number of bytes in use.
    pub fn now(&self) -> usize {
        self.now.load(Relaxed)
    }

    /// Returns the largest number of bytes in use since [`Self::begin`].
    pub fn most(&self) -> usize {
        self.most.load(Relaxed)
    }

    /// Resets the largest number of bytes to the current one.
    pub fn begin(&self) {
        self.most.store(self.now(), Relaxed);
    }

    /// Updates the count for a block whose size changes, and returns the block.
    fn count(&self, block: *mut u8, old: usize, new: usize) -> *mut u8 {
        if !block.is_null() {
            let now = self.now.fetch_add(new.wrapping_sub(old), Relaxed).wrapping_add(new);
            self.most.fetch_max(now.wrapping_sub(old), Relaxed);
        }
        block
    }
}

// SAFETY: every call is passed to `Allocator` unchanged.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the guarantees of the caller are those that `Allocator` requires.
        self.count(unsafe { Allocator.alloc(layout) }, 0, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        self.count(unsafe { Allocator.alloc_zeroed(layout) }, 0, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as for `alloc`.
        unsafe { Allocator.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for `alloc`.
        self.count(unsafe { Allocator.realloc(block, layout, size) }, layout.size(), size)
    }
}

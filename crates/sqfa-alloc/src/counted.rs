//! The allocator with a count of what it holds: for tests of how much memory something takes.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::Allocator;

/// [`Allocator`], counted.
#[derive(Debug, Default)]
pub struct Counted {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Counted {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self { now: AtomicUsize::new(0), most: AtomicUsize::new(0) }
    }

    /// Bytes that are held.
    pub fn now(&self) -> usize {
        self.now.load(Relaxed)
    }

    /// The most bytes that were held at a time since [`Self::begin`].
    pub fn most(&self) -> usize {
        self.most.load(Relaxed)
    }

    /// Begins to look for the most anew.
    pub fn begin(&self) {
        self.most.store(self.now(), Relaxed);
    }

    /// Counts a block that was there, or was not, and now has another size.
    fn count(&self, block: *mut u8, old: usize, new: usize) -> *mut u8 {
        if !block.is_null() {
            let now = self.now.fetch_add(new.wrapping_sub(old), Relaxed).wrapping_add(new);
            self.most.fetch_max(now.wrapping_sub(old), Relaxed);
        }
        block
    }
}

// SAFETY: every call goes to `Allocator` as it came.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `Allocator` asks for.
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

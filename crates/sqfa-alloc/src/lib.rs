//! The allocator of the binaries, which uses mimalloc for small blocks and separate pages for large
//! ones.
//!
//! mimalloc keeps freed blocks for the next matrix product, which class statistics need ten
//! thousand times. A table of samples or a triangle of covariances is freed once, and its memory is
//! not needed again. Separate pages are returned to the system immediately, and the kernel moves a
//! growing or shrinking vector without a copy. The cost is one page fault per 4 KiB in use.
//!
//! This crate contains all unsafe code of the project. On systems other than Linux, all blocks are
//! allocated by mimalloc.

mod counted;
mod failure;

use std::alloc::{GlobalAlloc, Layout};

use mimalloc::MiMalloc;

pub use counted::Counted;
pub use failure::explain_failure;

use failure::noted;

/// An allocator that uses mimalloc for small blocks and separate pages for large ones.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocator;

/// The size in bytes from which a block has separate pages.
pub const LARGE: usize = 4 << 20;
/// An alignment that pages have on every machine with Linux.
const PAGE: usize = 4096;

/// Whether a block has separate pages. This depends only on properties that are known when it is
/// freed.
fn is_large(size: usize, align: usize) -> bool {
    cfg!(target_os = "linux") && size >= LARGE && align <= PAGE
}

// SAFETY: every block is allocated, changed and freed by one of two allocators. `is_large` selects
// it by the layout alone, and callers specify the layout with which the block was allocated. Both
// allocators return blocks with at least the requested size and alignment, or null.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            return noted(pages::map(layout.size()));
        }
        // SAFETY: the guarantees of the caller about the layout are those that mimalloc requires.
        noted(unsafe { MiMalloc.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            // New pages are zero.
            return noted(pages::map(layout.size()));
        }
        // SAFETY: as for `alloc`.
        noted(unsafe { MiMalloc.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_large(layout.size(), layout.align()) {
            // SAFETY: a block with this layout was returned by `pages::map` or `pages::remap` with
            // this size.
            return unsafe { pages::unmap(block, layout.size()) };
        }
        // SAFETY: a block with this layout was returned by mimalloc.
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (is_large(layout.size(), layout.align()), is_large(size, layout.align())) {
            // SAFETY: the block was allocated by mimalloc and will still be a small block.
            (false, false) => noted(unsafe { MiMalloc.realloc(block, layout, size) }),
            // SAFETY: the block was returned by `pages::map` or `pages::remap` with the size of its
            // layout.
            (true, true) => noted(unsafe { pages::remap(block, layout.size(), size) }),
            _ => {
                // SAFETY: the caller guarantees that `size` is not 0 and valid for a layout with
                // this alignment.
                let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
                // SAFETY: the size of `new` is not 0.
                let moved = unsafe { self.alloc(new) };
                if !moved.is_null() {
                    // SAFETY: both blocks have at least the number of bytes that are copied, and a
                    // new block does not overlap with the old one, which is freed once with its
                    // layout.
                    unsafe {
                        std::ptr::copy_nonoverlapping(block, moved, size.min(layout.size()));
                        self.dealloc(block, layout);
                    }
                }
                moved
            }
        }
    }
}

/// Anonymous pages of this process.
#[cfg(target_os = "linux")]
mod pages {
    use std::ptr::null_mut;

    use libc::{MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, MREMAP_MAYMOVE, PROT_READ, PROT_WRITE};

    /// Returns a number of zero bytes, or null if the system has no memory.
    pub(super) fn map(size: usize) -> *mut u8 {
        let (access, kind) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        // SAFETY: without an address and a file the kernel creates new pages for any size.
        let block = unsafe { libc::mmap(null_mut(), size, access, kind, -1, 0) };
        if block == MAP_FAILED { null_mut() } else { block.cast() }
    }

    /// Moves a block to one of another size. Returns null if there is none, and the block is then
    /// unchanged.
    ///
    /// # Safety
    /// The block was returned by this module with this size and is not used afterwards, unless null
    /// is returned.
    pub(super) unsafe fn remap(block: *mut u8, size: usize, new: usize) -> *mut u8 {
        // SAFETY: all of these pages belong to the block, which the caller does not use afterwards.
        let moved = unsafe { libc::mremap(block.cast(), size, new, MREMAP_MAYMOVE) };
        if moved == MAP_FAILED { null_mut() } else { moved.cast() }
    }

    /// Returns pages to the system.
    ///
    /// # Safety
    /// The block was returned by this module with this size and is not used afterwards.
    pub(super) unsafe fn unmap(block: *mut u8, size: usize) {
        // SAFETY: all of these pages belong to the block. Unmapping a whole mapping cannot fail. If
        // it did, the pages would remain unused.
        unsafe { libc::munmap(block.cast(), size) };
    }
}

/// A placeholder for other systems, on which no block is large and none of these functions is
/// called.
#[cfg(not(target_os = "linux"))]
mod pages {
    pub(super) fn map(_: usize) -> *mut u8 {
        std::ptr::null_mut()
    }

    /// # Safety
    /// Never called.
    pub(super) unsafe fn remap(_: *mut u8, _: usize, _: usize) -> *mut u8 {
        std::ptr::null_mut()
    }

    /// # Safety
    /// Never called.
    pub(super) unsafe fn unmap(_: *mut u8, _: usize) {}
}

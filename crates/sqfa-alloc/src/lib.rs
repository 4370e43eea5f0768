//! The allocator of the binaries: small blocks by mimalloc, large ones as pages of their own.
//!
//! mimalloc keeps what is freed for the next product, which class statistics need ten thousand times. A table of points or a
//! triangle of covariances is freed once, and then nobody wants its room: pages of their own go back to the system at once, and
//! a vector that grows or shrinks is moved by the kernel, without a copy. Cost: a page fault for every 4 KiB that is touched.
//! This crate is the only one of the project with unsafe code; elsewhere than on Linux everything is mimalloc's.

mod counted;
mod failure;

use std::alloc::{GlobalAlloc, Layout};

use mimalloc::MiMalloc;

pub use counted::Counted;
pub use failure::explain_failure;

use failure::noted;

/// Small blocks by mimalloc, large ones as pages of their own.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocator;

/// Blocks from this size on are pages of their own.
pub const LARGE: usize = 4 << 20;
/// What pages are aligned to on every machine that Linux runs on.
const PAGE: usize = 4096;

/// Whether a block is pages of its own: a function of what is known when it is freed, too.
fn is_large(size: usize, align: usize) -> bool {
    cfg!(target_os = "linux") && size >= LARGE && align <= PAGE
}

// SAFETY: every block is made, changed and freed by the same of two allocators, since `is_large` decides by the layout alone and
// callers give the layout that the block was made with. Both give blocks of at least the size and alignment asked for, or null.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            return noted(pages::map(layout.size()));
        }
        // SAFETY: the caller's promises about the layout are those that mimalloc asks for.
        noted(unsafe { MiMalloc.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            // Fresh pages are zero.
            return noted(pages::map(layout.size()));
        }
        // SAFETY: as for `alloc`.
        noted(unsafe { MiMalloc.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_large(layout.size(), layout.align()) {
            // SAFETY: a block of this layout was made by `pages::map` or `pages::remap` with this size.
            return unsafe { pages::unmap(block, layout.size()) };
        }
        // SAFETY: a block of this layout was made by mimalloc.
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (is_large(layout.size(), layout.align()), is_large(size, layout.align())) {
            // SAFETY: the block is one of mimalloc's and stays one.
            (false, false) => noted(unsafe { MiMalloc.realloc(block, layout, size) }),
            // SAFETY: the block was made by `pages::map` or `pages::remap` with the size of its layout.
            (true, true) => noted(unsafe { pages::remap(block, layout.size(), size) }),
            _ => {
                // SAFETY: the caller promises that `size` is not 0 and makes a layout with this alignment.
                let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
                // SAFETY: `new` is a layout of a size that is not 0.
                let moved = unsafe { self.alloc(new) };
                if !moved.is_null() {
                    // SAFETY: both blocks hold as many bytes, and a new block overlaps with no other; the old one is
                    // freed once, with its layout.
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

    /// So many bytes of zeros; null where there are none to be had.
    pub(super) fn map(size: usize) -> *mut u8 {
        let (access, kind) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        // SAFETY: without an address and a file the kernel makes new pages, whatever the size.
        let block = unsafe { libc::mmap(null_mut(), size, access, kind, -1, 0) };
        if block == MAP_FAILED { null_mut() } else { block.cast() }
    }

    /// The same bytes in a block of another size; null where there is none, and the block stays as it was.
    ///
    /// # Safety
    /// The block was made by this module with this size and is used no more afterwards.
    pub(super) unsafe fn remap(block: *mut u8, size: usize, new: usize) -> *mut u8 {
        // SAFETY: all of these pages are ours, and whoever held the block gives it up.
        let moved = unsafe { libc::mremap(block.cast(), size, new, MREMAP_MAYMOVE) };
        if moved == MAP_FAILED { null_mut() } else { moved.cast() }
    }

    /// Gives pages back.
    ///
    /// # Safety
    /// The block was made by this module with this size and is used no more.
    pub(super) unsafe fn unmap(block: *mut u8, size: usize) {
        // SAFETY: all of these pages are ours. It cannot fail for a whole mapping; if it did, they would stay unused.
        unsafe { libc::munmap(block.cast(), size) };
    }
}

/// Nothing is large elsewhere, so none of these is called.
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

//! What is held is counted, block by block; the only test of its program, so that nothing else is counted.

use sqfa_alloc::{Counted, LARGE};

#[global_allocator]
static COUNTED: Counted = Counted::new();

#[test]
fn what_is_held_is_counted() {
    // Whatever the test harness holds on other threads.
    const ROOM: usize = 1 << 16;
    let before = COUNTED.now();
    COUNTED.begin();
    let mut block = vec![0_u8; 3 * LARGE];
    assert!((COUNTED.now() - before).abs_diff(3 * LARGE) < ROOM);
    block.truncate(LARGE);
    block.shrink_to_fit();
    // Moved by the kernel, never there twice.
    assert!((COUNTED.now() - before).abs_diff(LARGE) < ROOM);
    assert!((COUNTED.most() - before).abs_diff(3 * LARGE) < ROOM);
    drop(block);
    assert!(COUNTED.now().abs_diff(before) < ROOM);
    COUNTED.begin();
    assert!(COUNTED.most().abs_diff(before) < ROOM);
}

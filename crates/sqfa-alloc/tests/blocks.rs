//! Blocks keep their bytes across every change of size, and large ones are given back when they are freed.

#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use sqfa_alloc::{Allocator, LARGE};

#[global_allocator]
static OWN: Allocator = Allocator;

/// Numbers that tell places apart.
fn numbers(count: usize) -> Vec<u64> {
    (0..count as u64).map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect()
}

/// Resident bytes of this process.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn bytes_stay_when_blocks_grow_and_shrink() {
    let edge = LARGE / size_of::<u64>();
    let sizes = [1, edge / 2, edge - 1, edge, edge + 1, 3 * edge, 10 * edge];
    let expected = numbers(10 * edge);
    for &first in &sizes {
        for &second in &sizes {
            let mut block = expected[..first].to_vec();
            if second > first {
                block.reserve_exact(second - first);
                block.extend_from_slice(&expected[first..second]);
            } else {
                block.truncate(second);
                block.shrink_to_fit();
            }
            assert!(block == expected[..second], "{first} to {second}");
        }
    }
}

#[test]
fn zeroed_blocks_are_zero_after_others_were_freed() {
    for size in [1000, LARGE - 1, LARGE, 5 * LARGE] {
        drop(vec![7_u8; size]);
        assert!(vec![0_u8; size].iter().all(|&byte| byte == 0), "{size}");
    }
}

#[test]
fn blocks_are_aligned_as_asked() {
    #[repr(align(8192))]
    #[derive(Clone)]
    struct Wide([u8; 8192]);
    let wide = vec![Wide([3; 8192]); LARGE / 8192 + 1];
    assert_eq!(wide.as_ptr() as usize % 8192, 0);
    assert!(wide.iter().all(|one| one.0 == [3; 8192]));
    let numbers = vec![1.0_f64; LARGE];
    assert_eq!(numbers.as_ptr() as usize % align_of::<f64>(), 0);
}

#[test]
fn threads_may_free_what_others_made() {
    let made: Vec<Vec<u8>> = (1..9).map(|at| vec![at as u8; LARGE / 4 * at]).collect();
    let freeing: Vec<_> = made
        .into_iter()
        .map(|block| std::thread::spawn(move || block.iter().map(|&byte| u64::from(byte)).sum()))
        .collect();
    let sums: Vec<u64> = freeing.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(sums, (1..9_u64).map(|at| at * at * LARGE as u64 / 4).collect::<Vec<_>>());
}

/// More than all other tests together hold at a time.
#[cfg(target_os = "linux")]
#[test]
fn freed_and_shrunk_blocks_are_given_back() {
    const SIZE: usize = 1 << 29;
    let mut block = vec![1_u8; SIZE];
    let full = resident();
    block.truncate(LARGE);
    block.shrink_to_fit();
    assert!(resident() < full - SIZE / 2, "{} of {full}", resident());
    drop(block);
    let block = vec![1_u8; SIZE];
    let full = resident();
    drop(block);
    assert!(resident() < full - SIZE / 2, "{} of {full}", resident());
}

#[test]
fn what_cannot_be_had_is_an_error() {
    let mut block: Vec<u8> = Vec::new();
    assert!(block.try_reserve_exact(isize::MAX as usize).is_err());
    let mut block = vec![5_u8; LARGE];
    assert!(block.try_reserve_exact(isize::MAX as usize - LARGE).is_err());
    assert!(block.iter().all(|&byte| byte == 5));
}

//! Single arrays, whole and cut along their first axis.
#![no_main]

mod file;

use libfuzzer_sys::fuzz_target;
use sqfa_io::formats::{Limits, read_npy, read_npy_stack};

const LIMITS: Limits = Limits { bytes: 1 << 24 };

fuzz_target!(|bytes: &[u8]| {
    file::with_file("npy", bytes, |path| {
        let _ = read_npy(path, LIMITS);
        let _ = read_npy_stack(path, LIMITS);
    });
});

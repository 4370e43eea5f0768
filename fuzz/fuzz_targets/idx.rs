//! IDX files, compressed or not.
#![no_main]

mod file;

use libfuzzer_sys::fuzz_target;
use sqfa_io::formats::{Limits, read_idx};

fuzz_target!(|bytes: &[u8]| {
    file::with_file("idx", bytes, |path| {
        let _ = read_idx(path, Limits { bytes: 1 << 24 });
    });
});

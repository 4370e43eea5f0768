//! Archives of arrays, member by member and as a data set.
#![no_main]

mod file;

use libfuzzer_sys::fuzz_target;
use sqfa_io::data::{LoadOptions, load};
use sqfa_io::formats::{Limits, Npz};

const LIMITS: Limits = Limits { bytes: 1 << 24 };

fuzz_target!(|bytes: &[u8]| {
    file::with_file("npz", bytes, |path| {
        if let Ok(mut npz) = Npz::open(path, LIMITS) {
            for name in npz.names().to_vec() {
                let _ = npz.read(&name);
                let _ = npz.read_stack(&name);
            }
        }
        let _ = load(path, &LoadOptions { limits: LIMITS, ..LoadOptions::default() });
    });
});

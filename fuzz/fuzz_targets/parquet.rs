//! Parquet tables, whole and a few rows at a time.
#![no_main]

mod file;

use libfuzzer_sys::fuzz_target;
use sqfa_io::data::{LoadOptions, load, open_batches};
use sqfa_io::formats::Limits;

const LIMITS: Limits = Limits { bytes: 1 << 24 };

fuzz_target!(|bytes: &[u8]| {
    file::with_file("parquet", bytes, |path| {
        let options = LoadOptions { limits: LIMITS, ..LoadOptions::default() };
        let _ = load(path, &options);
        if let Ok(mut reader) = open_batches(path, &options, None) {
            while let Ok(Some(_)) = reader.next_batch(7) {}
        }
    });
});

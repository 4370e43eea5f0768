//! Parquet tables, whole and a few rows at a time.
//!
//! The library behind the reader panics on some damaged files; the reader catches that, so only what it lets out counts.
#![no_main]

mod file;

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use sqfa_io::data::{LoadOptions, load, open_batches};
use sqfa_io::formats::Limits;

const LIMITS: Limits = Limits { bytes: 1 << 24 };

fuzz_target!(|bytes: &[u8]| {
    // The fuzzer's own hook ends the process before anybody can catch; what is not caught still ends it.
    static QUIET: Once = Once::new();
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    file::with_file("parquet", bytes, |path| {
        let options = LoadOptions { limits: LIMITS, ..LoadOptions::default() };
        let _ = load(path, &options);
        if let Ok(mut reader) = open_batches(path, &options, None) {
            while let Ok(Some(_)) = reader.next_batch(7) {}
        }
    });
});

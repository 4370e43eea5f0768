//! The same bytes as an array, an archive and a table, each read a few rows at a time.
#![no_main]

mod file;

use libfuzzer_sys::fuzz_target;
use sqfa_io::data::{LoadOptions, open_batches};
use sqfa_io::formats::{Column, Limits};

const LIMITS: Limits = Limits { bytes: 1 << 24 };

fuzz_target!(|bytes: &[u8]| {
    for ending in ["npy", "npz", "csv"] {
        file::with_file(ending, bytes, |path| {
            let labels = (ending == "npy").then(|| path.to_owned());
            let options = LoadOptions { labels, limits: LIMITS, ..LoadOptions::default() };
            let weights = (ending == "csv").then_some(Column::Index(1));
            if let Ok(mut reader) = open_batches(path, &options, weights.as_ref()) {
                while let Ok(Some(_)) = reader.next_batch(7) {}
            }
        });
    }
});

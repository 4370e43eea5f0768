//! MATLAB files, array by array and as batches of points.
#![no_main]

mod file;

use libfuzzer_sys::fuzz_target;
use sqfa_io::data::{LoadOptions, open_batches};
use sqfa_io::formats::{Limits, MatFile};

const LIMITS: Limits = Limits { bytes: 1 << 24 };

fuzz_target!(|bytes: &[u8]| {
    file::with_file("mat", bytes, |path| {
        if let Ok(file) = MatFile::open(path, LIMITS) {
            for name in file.names() {
                let _ = file.read(&name);
                let _ = file.rows(&name).map(|mut rows| rows.next_rows(100));
                let _ = file.slices(&name).map(|mut rows| rows.next_rows(100));
            }
        }
        let options = LoadOptions { limits: LIMITS, ..LoadOptions::default() };
        if let Ok(mut reader) = open_batches(path, &options, None) {
            while let Ok(Some(_)) = reader.next_batch(100) {}
        }
    });
});

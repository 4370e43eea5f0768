//! Tables, with and without a label column.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sqfa_io::formats::{Column, CsvOptions, Limits, read_csv_from};

fuzz_target!(|bytes: &[u8]| {
    for label in [None, Some(Column::Usual), Some(Column::Index(0))] {
        let limits = Limits { bytes: 1 << 24 };
        let options = CsvOptions { label, limits, ..CsvOptions::default() };
        let _ = read_csv_from(bytes, &options, "input");
    }
});

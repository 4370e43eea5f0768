//! A comparison's folder: a manifest and records in the same bytes, the manifest on the first line, made into a report.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sqfa_lab::compare::{Manifest, Record};
use sqfa_lab::report::compare_report;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let Some(Ok(manifest)) = lines.next().map(serde_json::from_slice::<Manifest>) else { return };
    let records: Vec<Record> =
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let page = compare_report(&manifest, &records);
    assert!(page.len() < 64 << 20);
});

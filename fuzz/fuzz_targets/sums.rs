//! Class sums: what is accepted survives another round trip, with the names of its columns.
#![no_main]

mod file;

use libfuzzer_sys::fuzz_target;
use sqfa::statistics::ClassAccumulator;
use sqfa_io::data::{read_named_sums, write_named_sums};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(sums) = ClassAccumulator::from_bytes(bytes) {
        let again = ClassAccumulator::from_bytes(&sums.to_bytes());
        assert!(again.is_ok_and(|again| again.to_bytes() == sums.to_bytes()));
        let _ = sums.finish(sqfa::Estimator::Oas);
    }
    file::with_file("stats", bytes, |path| {
        if let Ok((sums, names)) = read_named_sums(path) {
            assert!(write_named_sums(path, &sums, &names).is_ok());
            let again = read_named_sums(path).map(|(sums, names)| (sums.to_bytes(), names));
            assert!(again.is_ok_and(|again| again == (sums.to_bytes(), names)));
        }
    });
});

//! Class sums: what is accepted survives another round trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sqfa::statistics::ClassAccumulator;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(sums) = ClassAccumulator::from_bytes(bytes) {
        let again = ClassAccumulator::from_bytes(&sums.to_bytes());
        assert!(again.is_ok_and(|again| again.to_bytes() == sums.to_bytes()));
        let _ = sums.finish(sqfa::Estimator::LedoitWolf);
    }
});

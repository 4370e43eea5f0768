//! Model files: what is accepted must also be usable and survive another round trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sqfa::classify::QDA_SHRINKAGE;
use sqfa_io::model_file::Model;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = Model::from_bytes(bytes, "input") {
        let _ = model.qda(None, QDA_SHRINKAGE);
        let _ = model.noisy_gaussians(model.noise().unwrap_or(0.0));
        let again = model.to_bytes().map(|bytes| Model::from_bytes(&bytes, "again"));
        // What is written has a checksum, whatever was read.
        let kept = |again: &Model| *again == model || !model.has_checksum();
        assert!(matches!(&again, Ok(Ok(again)) if kept(again)));
    }
});

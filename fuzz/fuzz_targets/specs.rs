//! Specs of comparisons: what is accepted can be planned and survives being written down.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sqfa_lab::compare::{Spec, plan};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(spec) = Spec::parse(text, "input") else { return };
    let Ok(resolved) = spec.resolved("toy") else { return };
    let text = serde_json::to_string(&resolved).unwrap_or_default();
    assert!(serde_json::from_str::<Spec>(&text).is_ok_and(|again| again == resolved));
    let _ = plan(&resolved, 1);
});

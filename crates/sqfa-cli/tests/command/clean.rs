//! `sqfa clean` on a small recording with known faults.

use crate::common::Folder;

const NEURONS: usize = 6;

/// Counts of two stimuli; unit 2 hardly fires, trial 30 is wild.
fn table() -> String {
    // Knuth's linear congruential generator, its upper bits as a share of 1.
    let mut state = 3u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = "u0,u1,u2,u3,u4,u5,stimulus\n".to_owned();
    for trial in 0..160 {
        let stimulus = if trial % 2 == 0 { "left" } else { "right" };
        for neuron in 0..NEURONS {
            let chance = if neuron == 2 { 0.0 } else { 0.1 };
            let mut count = (0..40).filter(|_| random() < chance).count();
            if trial == 30 && neuron != 2 {
                count += 20;
            }
            text += &format!("{count},");
        }
        text += &format!("{stimulus}\n");
    }
    text
}

#[test]
fn faults_are_removed_told_and_written() {
    let folder = Folder::new();
    folder.write("r.csv", table());
    let line = "clean r.csv --label stimulus --window-seconds 0.1 --components 3";
    let said = folder.ok(&format!("{line} --out clean.csv"));
    assert!(said.contains("5 of 6 stay"), "{said}");
    assert!(said.contains("u2 (0 Hz)"), "{said}");
    assert!(said.contains("30 (squared distance"), "{said}");
    let written = std::fs::read_to_string(folder.path("clean.csv")).unwrap();
    assert!(written.starts_with("u0,u1,u3,u4,u5,label\n"), "{written}");

    let report = folder.json(&format!("{line} --out clean.npz"));
    assert_eq!(report["neurons_kept"], 5);
    assert_eq!(report["quiet_neurons"][0]["name"], "u2");
    let kept = report["trials_kept"].as_u64().unwrap() as usize;
    assert_eq!(written.lines().count(), kept + 1);
    // What was cleaned can be fitted.
    folder.ok("fit clean.npz --filters 1 --noise 1 --out m.sqfa");
}

#[test]
fn counts_that_pass_for_rates_are_told() {
    let folder = Folder::new();
    folder.write("r.csv", table());
    let told = |flags: &str| {
        let line = format!("clean r.csv --label stimulus --components 3 {flags} --out c.npz");
        folder.run(&line).err.contains("taken for rates, and 1 of 6 neurons")
    };
    // Unit 2 is silent either way; only counts without seconds may have been something else.
    assert!(told(""));
    assert!(!told("--window-seconds 0.1"));
    folder.write("r.csv", table().replace("\n1,", "\n1.5,"));
    assert!(!told(""));
}

#[test]
fn what_cannot_be_cleaned_is_an_error_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("r.csv", table().replace("\n1,", "\n1.5,"));
    folder
        .run("clean r.csv --label stimulus --window-seconds 0.1 --out c.npz")
        .fails(1, "counts are whole numbers");
    folder.run("clean r.csv --label stimulus --out c.txt").fails(2, ".npz or .csv");
    folder
        .run("clean r.csv --label stimulus --min-rate 1e9 --out c.npz")
        .fails(1, "lower the threshold");
    folder.run("clean toy-6d --out c.npz").fails(1, "cleaning needs trials");
    assert!(!folder.path("c.npz").exists());
}

//! `sqfa fit --group`: groups are held out as a whole, and their column is not a feature.

use std::fmt::Write;

use crate::common::Folder;

/// A number from 0 to 1 that looks random.
fn mixed(seed: u64) -> f64 {
    let mut bits = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Samples whose noise is that of their group: those of a group are nearly equal and follow each other.
fn grouped() -> String {
    let mut text = "a,b,c,kind,subject\n".to_owned();
    for group in 0..24_u64 {
        let kind = group % 3;
        for sample in 0..8_u64 {
            for column in 0..3 {
                let center = mixed(3 * group + column);
                let step = 0.01 * mixed(1000 + 24 * sample + 21 * group + column);
                let shift = if column == kind { 0.1 } else { 0.0 };
                write!(text, "{},", center + step + shift).unwrap();
            }
            writeln!(text, "k{kind},s{group}").unwrap();
        }
    }
    text
}

#[test]
fn groups_are_held_out_as_a_whole() {
    let folder = Folder::new();
    folder.write("data.csv", grouped());
    let fit = "fit data.csv --label kind -m 2 --out";
    let apart = folder.json(&format!("{fit} apart.sqfa --ignore subject"));
    let together = folder.json(&format!("{fit} together.sqfa --group subject"));
    let accuracy = |told: &serde_json::Value| told["selection"]["accuracy"].as_f64().unwrap();
    assert!(accuracy(&apart) > accuracy(&together) + 0.15, "{apart} {together}");
    assert_eq!(folder.filters("together.sqfa")[0].len(), 3);
    let about = folder.json("inspect together.sqfa");
    assert_eq!(about["data"]["group"], "subject");
}

#[test]
fn samples_that_follow_each_other_are_noticed_without_groups() {
    let folder = Folder::new();
    folder.write("data.csv", grouped());
    let apart = folder.run("fit data.csv --label kind -m 2 --out m.sqfa --ignore subject");
    assert!(apart.code == 0 && apart.err.contains("--group COLUMN"), "{}", apart.err);
    let together = folder.run("fit data.csv --label kind -m 2 --out m.sqfa --group subject");
    assert!(together.code == 0 && !together.err.contains("--group"), "{}", together.err);
}

#[test]
fn groups_need_samples() {
    let folder = Folder::new();
    folder.write("data.csv", grouped());
    folder.ok("stats data.csv --label kind --ignore subject --out data.stats");
    let fit = |flags: &str| folder.run(&format!("fit {flags} -m 2 --out m.sqfa"));
    fit("data.stats --group subject").fails(2, "only class statistics");
    fit("data.csv --label kind --group nobody").fails(1, "nobody");
}

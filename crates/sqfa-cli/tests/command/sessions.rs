//! `sqfa compare` on sessions: filters of their own, repeated splits, groups on one side, and what the report shows of them.

use crate::common::Folder;
use serde_json::Value;

/// Uniform numbers in [0, 1).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// Counts of four tuned units for four orientations, 30 trials each; the units of a session prefer others than those of the next.
fn session(number: usize) -> Vec<String> {
    let mut state = 99 + number as u64;
    let mut rows = Vec::new();
    for trial in 0..120 {
        let orientation = 45 * (trial % 4);
        let cells: Vec<String> = (0..4)
            .map(|unit| {
                let preferred = 45.0 * f64::from(unit) + 15.0 * number as f64;
                let angle = (f64::from(orientation) - preferred).to_radians();
                let noise: f64 = (0..12).map(|_| uniform(&mut state)).sum::<f64>() - 6.0;
                format!("{:.4}", 5.0 + 2.0 * (2.0 * angle).cos() + noise)
            })
            .collect();
        rows.push(format!("{},{orientation},block{}", cells.join(","), trial / 4));
    }
    rows
}

const HEAD: &str = "u0,u1,u2,u3,orientation,block";
const COMPARE: &str = "--label orientation --methods sqfa-h,pca --filters 1,2 --seeds 1 --splits 3";

fn folder() -> Folder {
    let folder = Folder::new();
    let mut all = format!("{HEAD},day\n");
    for number in 0..3 {
        let rows = session(number);
        folder.write(&format!("d{number}.csv"), format!("{HEAD}\n{}\n", rows.join("\n")));
        rows.iter().for_each(|row| all.push_str(&format!("{row},d{number}\n")));
    }
    folder.write("all.csv", all);
    folder
}

fn accuracies(report: &Value) -> Vec<(String, u64, u64, u64, f64)> {
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    let one = |row: &Value| {
        let method = row["method"].as_str().unwrap().to_owned();
        let (session, fold) = (number(row, "session"), number(row, "fold"));
        (method, number(row, "filters"), session, fold, row["qda"].as_f64().unwrap())
    };
    report["rows"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn sessions_of_a_column_are_sessions_of_files_and_stand_by_themselves() {
    let folder = folder();
    let column = folder.json(&format!("compare all.csv {COMPARE} --ignore block --sessions day"));
    let files =
        folder.json(&format!("compare d0.csv d1.csv d2.csv --per-file {COMPARE} --ignore block"));
    assert_eq!(accuracies(&column).len(), 2 * 2 * 3 * 3);
    assert_eq!(accuracies(&column), accuracies(&files));
    // The first session does not depend on the others.
    let alone = folder.json(&format!("compare d0.csv {COMPARE} --ignore block"));
    let first: Vec<_> =
        accuracies(&column).into_iter().filter(|(_, _, session, ..)| *session == 0).collect();
    assert_eq!(first, accuracies(&alone));
}

#[test]
fn means_and_spreads_are_those_of_the_cells() {
    let folder = folder();
    let report = folder.json(&format!("compare all.csv {COMPARE} --ignore block --sessions day"));
    let cells = accuracies(&report);
    for line in report["summary"].as_array().unwrap() {
        let (method, filters) =
            (line["method"].as_str().unwrap(), line["filters"].as_u64().unwrap());
        let of = |session: u64| -> Vec<f64> {
            let own = cells.iter().filter(|cell| cell.0 == method && cell.1 == filters);
            own.filter(|cell| cell.2 == session).map(|cell| cell.4).collect()
        };
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let means: Vec<f64> = (0..3).map(|session| mean(&of(session))).collect();
        let all = mean(&means);
        let between = (means.iter().map(|m| (m - all).powi(2)).sum::<f64>() / 2.0).sqrt();
        let around = |session: u64| -> f64 {
            of(session).iter().map(|value| (value - means[session as usize]).powi(2)).sum()
        };
        let within = ((0..3).map(around).sum::<f64>() / 6.0).sqrt();
        let spread = &line["sessions"];
        for (key, expected) in [("mean", all), ("between", between), ("within", within)] {
            let found = spread[key].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-12, "{key} of {method}: {found}, {expected}");
        }
        assert!((line["qda_median"].as_f64().unwrap() - all).abs() < 1e-12);
    }
    let text = folder.ok(&format!("compare all.csv {COMPARE} --ignore block --sessions day"));
    assert!(text.contains("3 sessions, 360 samples, 3 splits"), "{text}");
    assert!(text.contains("sd between sessions") && text.contains("d2"), "{text}");
}

#[test]
fn sessions_of_other_units_are_told_apart_by_their_number() {
    let folder = folder();
    // The same units under their own names, one of them twice.
    let wider =
        session(1).into_iter().map(|row| format!("{},{row}", row.split(',').next().unwrap_or("")));
    let rows: Vec<String> = wider.collect();
    folder.write("wide.csv", format!("again,{HEAD}\n{}\n", rows.join("\n")));
    let text = folder.ok(&format!("compare d0.csv wide.csv --per-file {COMPARE} --ignore block"));
    assert!(text.contains("2 sessions, 240 samples, 3 splits"), "{text}");
    assert!(text.contains("4 to 5 dimensions"), "{text}");
}

#[test]
fn copies_of_a_point_leak_unless_their_group_stays_together() {
    // Labels that features know nothing of; every point is there four times.
    let mut state = 7;
    let mut text = "a,b,kind,subject\n".to_owned();
    for subject in 0..100 {
        let (a, b) = (uniform(&mut state), uniform(&mut state));
        for _ in 0..4 {
            text.push_str(&format!("{a:.6},{b:.6},{},s{subject}\n", ["x", "y"][subject % 2]));
        }
    }
    let folder = Folder::new();
    folder.write("t.csv", text);
    let knn = "--label kind --methods pca --filters 2 --classifiers knn --neighbors 1 --seeds 1";
    for parts in ["--cv 5", "--splits 3", "--test-fraction 0.2"] {
        let found = |flags: &str| {
            let report = folder.json(&format!("compare t.csv {knn} {parts} {flags}"));
            report["summary"][0]["knn_median"].as_f64().unwrap()
        };
        assert!(found("--ignore subject") > 0.95, "{parts}");
        // Chance is one half; twenty groups or more are held out.
        assert!(found("--group subject") < 0.8, "{parts}");
    }
}

#[test]
fn the_report_shows_sessions_tuning_and_carriers() {
    let folder = folder();
    folder.ok(&format!(
        "compare all.csv {COMPARE} --ignore block --sessions day --circular 180 --report r.html"
    ));
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    for expected in
        ["data-nav=\"Sessions\"", "data-nav=\"Tuning\"", "prefers", "carried by", ">u0<"]
    {
        assert!(page.contains(expected), "the report lacks {expected}");
    }
    assert!(page.contains("session d0"));
}

#[test]
fn unsound_sessions_are_refused() {
    let folder = folder();
    let compare = format!("compare all.csv {COMPARE}");
    folder.run(&format!("{compare} --ignore block --sessions night")).fails(1, "night");
    folder.run(&format!("{compare} --cv 3")).fails(2, "--cv");
    let other = session(0).join("\n").replace(",45,", ",44,");
    folder.write("other.csv", format!("{HEAD}\n{other}\n"));
    folder
        .run(&format!("compare d0.csv other.csv --per-file {COMPARE} --ignore block"))
        .fails(1, "sessions must have the same classes");
    // Two blocks cannot be in three parts.
    folder.write("few.csv", format!("{HEAD}\n{}\n", session(0)[..8].join("\n")));
    folder.run(&format!("compare few.csv {COMPARE} --group block")).fails(1, "groups");
    folder.ok("dataset toy-6d --train 30 --test 30 --out p.npz");
    folder.run("compare p.npz --methods pca --filters 2 --splits 2").fails(2, "leave --splits out");
}

#[test]
fn sessions_with_other_neurons_are_not_merged_into_one_fit() {
    let folder = folder();
    // The same number of neurons by other names, and another number of them.
    let rows = session(1).join("\n");
    folder.write("named.csv", format!("v0,v1,v2,v3,orientation,block\n{rows}\n"));
    let fewer: Vec<String> =
        session(1).iter().map(|row| row.split_once(',').unwrap().1.to_owned()).collect();
    folder.write("fewer.csv", format!("u1,u2,u3,orientation,block\n{}\n", fewer.join("\n")));
    for other in ["named.csv", "fewer.csv"] {
        folder
            .run(&format!(
                "fit d0.csv {other} --label orientation --ignore block --filters 1 --out m.sqfa"
            ))
            .fails(1, "column");
        assert!(!folder.path("m.sqfa").exists());
        let compare = format!("compare d0.csv {other} {COMPARE} --ignore block");
        folder.run(&compare).fails(1, "with --per-file each is a session");
        // As sessions they stand by themselves.
        folder.ok(&format!("{compare} --per-file"));
    }
}

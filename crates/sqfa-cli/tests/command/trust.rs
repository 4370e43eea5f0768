//! Data that once gave a wrong answer without a word: tiny units, lost digits, ids, labels that look alike, gaps in a stream.

use crate::common::{Folder, Said, table};

/// Two features whose classes differ, in some unit.
fn in_units(unit: f64) -> String {
    let mut text = String::from("a,b,c,label\n");
    for (at, line) in table(40).lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        for cell in &cells[..3] {
            let value: f64 = cell.parse().unwrap();
            text.push_str(&format!("{:e},", unit * (value + 0.01 * (at % 7) as f64)));
        }
        text.push_str(cells[3]);
        text.push('\n');
    }
    text
}

#[test]
fn wasserstein_does_not_depend_on_the_unit() {
    let folder = Folder::new();
    let fit = |unit: f64| {
        folder.write("data.csv", in_units(unit));
        let fitted = folder
            .json("fit data.csv --method sqfa-w -m 1 --noise scale --scaling none --out m.sqfa");
        let right = folder.json("evaluate m.sqfa data.csv")["qda_accuracy"].as_f64().unwrap();
        (fitted["objective"].as_f64().unwrap() / unit, right)
    };
    let (usual, right) = fit(1.0);
    for unit in [1e-12, 1e9] {
        let (objective, accuracy) = fit(unit);
        // Decimal units are rounded, and the stopping rule sees it in the last digits.
        assert!((objective / usual - 1.0).abs() < 1e-4, "{unit:e}: {objective} is not {usual}");
        assert_eq!(accuracy, right, "{unit:e}");
    }
}

#[test]
fn digits_lost_to_conditioning_are_told() {
    let folder = Folder::new();
    let mut text = String::from("a,b,label\n");
    for at in 0..200_u32 {
        let noise = |k: u32| f64::from((at * k) % 97) / 97.0 - 0.5;
        let class = at % 2;
        let (large, small) = (noise(31), noise(57) + 0.3 * f64::from(class));
        text.push_str(&format!("{:e},{:e},c{class}\n", 2e6 * large + small, 2e6 * large));
    }
    folder.write("data.csv", text);
    let said = folder.run("fit data.csv -m 2 --noise 0 --scaling none --out m.sqfa");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("round-off") && said.err.contains("positive noise"), "{}", said.err);
    let said = folder.run("fit data.csv -m 2 --noise scale --scaling none --out m.sqfa");
    assert!(!said.err.contains("round-off"), "{}", said.err);
}

#[test]
fn a_value_that_nobody_gave_is_not_called_given() {
    let folder = Folder::new();
    folder.write("data.csv", table(30));
    folder.ok("stats data.csv --label species --out s.stats");
    let said = folder.ok("fit s.stats --method lda -m 1 --out m.sqfa");
    assert!(said.contains("default: no samples available for cross-validation"), "{said}");
    let said = folder.ok("fit s.stats --method lda -m 1 --shrinkage 0.1 --out m.sqfa");
    assert!(said.contains("as specified"), "{said}");
}

#[test]
fn labels_that_look_alike_stay_apart_and_missing_ones_are_no_class() {
    let folder = Folder::new();
    let label = |from: &str, to: &str| table(20).replace(from, to).replace("species", "label");
    folder.write("zeros.csv", label(",ant\n", ",01\n").replace(",bee\n", ",1\n"));
    folder.ok("fit zeros.csv -m 1 --noise 0.1 --out m.sqfa");
    let classes = folder.json("inspect m.sqfa")["classes"].clone();
    assert!(classes.to_string().contains("\"01\"") && classes.to_string().contains("\"1\""));
    folder.write("na.csv", label(",ant\n", ",NA\n"));
    folder.run("fit na.csv -m 1 --out n.sqfa").fails(1, "--missing drop");
    let dropped = folder.json("fit na.csv -m 1 --noise 0.1 --missing drop --out n.sqfa");
    assert_eq!(dropped["n_train"], 40);
}

#[test]
fn labels_that_name_points_are_refused_at_once() {
    let folder = Folder::new();
    let mut text = String::from("a,b,label\n");
    for at in 0..60 {
        // 50 different labels of 60 points.
        text.push_str(&format!("{},{},id{}\n", at * 7 % 11, at * 5 % 13, at % 50));
    }
    folder.write("data.csv", text);
    let said = folder.run("fit data.csv -m 1 --out m.sqfa");
    said.fails(1, "50 different labels of 60 points");
    folder.run("fit data.csv -m 1 --out m.sqfa").fails(1, "--label");
}

#[test]
fn gaps_are_filled_in_the_same_in_memory_and_in_a_stream() {
    let folder = Folder::new();
    folder.write("gaps.csv", format!("{},1,1,ant\n2,,1,bee\n1,2,,cat\n", table(30)));
    let fit = "fit gaps.csv --label species --missing mean -m 2 --noise scale --scaling none --out";
    folder.ok(&format!("{fit} whole.sqfa"));
    let line = format!("{fit} streamed.sqfa");
    let said = folder.command(&line).env("SQFA_MEMORY", "1000").output().unwrap();
    let said = Said::new(&line, said);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("3 missing values are replaced"), "{}", said.err);
    let (whole, streamed) = (folder.filters("whole.sqfa"), folder.filters("streamed.sqfa"));
    assert_eq!(whole, streamed);
    // What can be read only once cannot be filled in.
    let line = "stats - --label species --missing mean --out s.stats";
    let gaps = std::fs::read_to_string(folder.path("gaps.csv")).unwrap();
    folder.feed(line, &gaps).fails(1, "--missing drop");
}

/// Twenty points of two classes in 2000 columns: little to hold, 64 MB to sum.
#[test]
fn sums_that_do_not_fit_are_refused_before_they_are_made() {
    let folder = Folder::new();
    let names: Vec<String> = (0..2000).map(|j| format!("x{j}")).collect();
    let mut text = format!("{},label\n", names.join(","));
    for row in 0..20 {
        let cells: Vec<String> = (0..2000).map(|j| (row * j % 17).to_string()).collect();
        text.push_str(&format!("{},c{}\n", cells.join(","), row % 2));
    }
    folder.write("wide.csv", text);
    let with = |memory: &str, line: &str| {
        Said::new(line, folder.command(line).env("SQFA_MEMORY", memory).output().unwrap())
    };
    for (memory, line) in [
        // 8 MB of sums; more than 1024 columns are rejected for their number.
        ("5000000", "distances wide.csv --columns x0-x999"),
        ("10000000", "stats wide.csv --out s.stats"),
        // Not even the points: they are summed, and the sums are refused.
        ("100000", "fit wide.csv -m 1 --out m.sqfa"),
    ] {
        with(memory, line).fails(1, "--columns");
    }
    with("10000000", "distances wide.csv").fails(1, "--pca-dims 10");
    assert_eq!(folder.names(), ["wide.csv"]);
}

/// A remedy that was just taken, or just refused, is none.
#[test]
fn no_message_suggests_what_was_just_tried() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let fit =
        |flags: &str| folder.run(&format!("fit data.csv --label species {flags} --out m.sqfa"));
    let said = fit("--method pca -m 9");
    said.fails(1, "ask for at most 3");
    assert!(!said.err.contains("use pca"), "{}", said.err);
    fit("--method lda -m 3").fails(1, "or use pca");
    let mut few = String::from("a,b,c,label\n");
    for row in 0..6 {
        few.push_str(&format!("{},{},{},c{}\n", row * 5 % 7, row * 3 % 5, row * row % 11, row % 2));
    }
    folder.write("few.csv", few);
    let plain = folder.run("fit few.csv -m 1 --noise 1 --out m.sqfa");
    assert!(plain.err.contains("--covariance-estimator oas"), "{}", plain.err);
    let shrunk = folder.run("fit few.csv -m 1 --noise 1 --covariance-estimator oas --out m.sqfa");
    assert!(!shrunk.err.contains("--covariance-estimator oas"), "{}", shrunk.err);
}

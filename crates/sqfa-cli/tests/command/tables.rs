//! Tables that the command writes: one row per row read, in units that can be used, on files or standard output.

use crate::common::{Folder, table};

/// A table with one row that lacks a value, and a name for every row.
fn with_gap() -> String {
    let mut text = String::new();
    for (row, line) in table(20).lines().enumerate() {
        let name = if row == 0 { "name".to_owned() } else { format!("r{row}") };
        let line = if row == 7 { line.replacen(char::is_numeric, "", 9) } else { line.to_owned() };
        let line = if row == 7 { format!(",{}", line.split_once(',').unwrap().1) } else { line };
        text.push_str(&format!("{name},{line}\n"));
    }
    text
}

#[test]
fn transform_keeps_one_row_per_row_and_an_id() {
    let folder = Folder::new();
    folder.write("t.csv", table(20));
    folder.write("gap.csv", with_gap());
    folder.ok("fit t.csv --label species -m 2 --out m.sqfa");
    let said = folder.run("transform m.sqfa gap.csv --ignore name --id name --out z.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("1 of 60 rows lack a value"), "{}", said.err);
    let text = std::fs::read_to_string(folder.path("z.csv")).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 61);
    assert_eq!(rows[0], "name,feature_1,feature_2,label");
    assert!(rows[7].starts_with("r7,,,"), "{}", rows[7]);
    assert!(rows[8].starts_with("r8,") && !rows[8].contains(",,"), "{}", rows[8]);
    // Rows are left out, or filled in, only where that was asked for.
    folder.ok("transform m.sqfa gap.csv --ignore name --id name --missing drop --out d.csv");
    let text = std::fs::read_to_string(folder.path("d.csv")).unwrap();
    assert_eq!(text.lines().count(), 60);
    assert!(!text.contains("r7,") && text.contains("r8,"));
    folder.ok("transform m.sqfa gap.csv --ignore name --missing mean --out f.csv");
    let text = std::fs::read_to_string(folder.path("f.csv")).unwrap();
    assert!(text.lines().count() == 61 && !text.contains(",,"), "{text}");
    folder.run("transform m.sqfa gap.csv --id name --out z.npy").fails(2, "--id");
    folder.run("transform m.sqfa gap.csv --id nobody --out z.csv").fails(1, "nobody");
}

#[test]
fn transform_prints_csv_where_out_is_a_dash() {
    let folder = Folder::new();
    folder.write("t.csv", table(20));
    folder.ok("fit t.csv --label species -m 2 --out m.sqfa");
    folder.ok("transform m.sqfa t.csv --out z.csv");
    let written = std::fs::read_to_string(folder.path("z.csv")).unwrap();
    assert_eq!(folder.ok("transform m.sqfa t.csv --out -"), written);
    assert!(!folder.names().contains(&"-".to_owned()));
    folder.run("transform m.sqfa t.csv --out - --json").fails(2, "standard output");
}

#[test]
fn exported_filters_and_offset_give_the_features_of_raw_samples() {
    let folder = Folder::new();
    // Columns in very different units, so that scaled filters would be far off.
    let text: String = table(30)
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let cells: Vec<&str> = line.split(',').collect();
            match row {
                0 => "\"width, mm\",height,depth,species\n".to_owned(),
                _ => {
                    let number = |at: usize| cells[at].parse::<f64>().unwrap();
                    format!("{},{},{},{}\n", 1e3 * number(0) + 7.0, number(1), number(2), cells[3])
                }
            }
        })
        .collect();
    folder.write("t.csv", &text);
    folder.ok("fit t.csv --label species -m 2 --out m.sqfa");
    folder.ok("transform m.sqfa t.csv --out z.csv");
    let features = std::fs::read_to_string(folder.path("z.csv")).unwrap();
    let csv = folder.ok("export m.sqfa --format csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "column,filter_1,filter_2");
    assert!(rows[1].starts_with("\"width, mm\",") && rows[2].starts_with("height,"), "{csv}");
    assert!(rows[4].starts_with("(offset),") && rows.len() == 5, "{csv}");
    let weights = |row: &str| -> Vec<f64> {
        let cells: Vec<&str> = row.rsplit(',').take(2).collect();
        cells.iter().rev().map(|cell| cell.parse().unwrap()).collect()
    };
    let filters: Vec<Vec<f64>> = rows[1..].iter().map(|row| weights(row)).collect();
    for (sample, expected) in text.lines().zip(features.lines()).skip(1) {
        let sample: Vec<f64> =
            sample.split(',').take(3).map(|cell| cell.parse().unwrap()).collect();
        let expected: Vec<f64> =
            expected.split(',').take(2).map(|cell| cell.parse().unwrap()).collect();
        for filter in 0..2 {
            let sum: f64 = (0..3).map(|at| sample[at] * filters[at][filter]).sum();
            let found = sum + filters[3][filter];
            let size: f64 = (0..3).map(|at| (sample[at] * filters[at][filter]).abs()).sum();
            assert!(
                (found - expected[filter]).abs() <= 1e-12 * (size + 1.0),
                "{found} {expected:?}"
            );
        }
    }
    // The scaled filters weigh columns of one size.
    let scaled = folder.ok("export m.sqfa --format csv --scaled");
    assert!(!scaled.contains("offset"), "{scaled}");
    let ratio = |rows: &[&str]| (weights(rows[1])[0] / weights(rows[2])[0]).abs();
    let shown: Vec<&str> = scaled.lines().collect();
    assert!(ratio(&shown) > 100.0 * ratio(&rows), "{scaled}{csv}");
    folder.run("export m.sqfa --format npz --scaled --out m.npz").fails(2, "--scaled");
}

#[test]
fn distances_do_not_depend_on_units() {
    let folder = Folder::new();
    let plain = table(30);
    let scaled: String = plain
        .lines()
        .enumerate()
        .map(|(row, line)| match line.split_once(',') {
            Some((first, rest)) if row > 0 => {
                format!("{},{rest}\n", first.parse::<f64>().unwrap() / 1024.0)
            }
            _ => format!("{line}\n"),
        })
        .collect();
    folder.write("a.csv", &plain);
    folder.write("b.csv", &scaled);
    let mean = |line: &str| folder.json(line)["mean"].as_f64().unwrap();
    for flags in ["", " --pca-dims 2", " --noise auto", " --noise 0.5"] {
        let (a, b) = (
            mean(&format!("distances a.csv --label species{flags}")),
            mean(&format!("distances b.csv --label species{flags}")),
        );
        assert!((a - b).abs() < 1e-9 * a, "{flags}: {a} {b}");
    }
    let (a, b) = (
        mean("distances a.csv --label species --scaling none"),
        mean("distances b.csv --label species --scaling none"),
    );
    assert!((a - b).abs() > 1e-3 * a, "{a} {b}");
}

#[test]
fn quiet_prints_results_and_errors_only() {
    let folder = Folder::new();
    folder.write("t.csv", table(20).replace("species", "label"));
    for line in [
        "fit t.csv -m 2 --out m.sqfa",
        "stats t.csv --out t.stats",
        "transform m.sqfa t.csv --out z.csv",
        "dataset toy-6d --out toy.npz",
    ] {
        let loud = folder.run(line);
        assert!(!loud.out.is_empty(), "{line}");
        let said = folder.run(&format!("{line} --quiet"));
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""), "{line}");
    }
    assert_eq!(folder.ok("predict m.sqfa t.csv -q").lines().count(), 60);
    assert!(folder.ok("evaluate m.sqfa t.csv -q").contains("accuracy"));
    assert_eq!(folder.json("fit t.csv -m 2 --out m.sqfa -q")["filters"], 2);
    folder.run("fit nothing.csv -m 2 --out m.sqfa -q").fails(1, "nothing.csv");
}

#[test]
fn noise_and_scaling_may_be_typed_as_their_defaults() {
    let folder = Folder::new();
    folder.write("t.csv", table(30));
    folder.ok("stats t.csv --label species --out t.stats");
    folder.ok("dataset toy-6d --out toy.npz");
    for line in [
        "fit t.csv --label species -m 2",
        "fit t.stats -m 2",
        "fit toy.npz -m 2",
        "fit t.csv --label species -m 2 --form sketch",
    ] {
        folder.ok(&format!("{line} --out a.sqfa"));
        folder.ok(&format!("{line} --noise auto --out b.sqfa"));
        assert_eq!(folder.filters("a.sqfa"), folder.filters("b.sqfa"), "{line}");
        folder.ok(&format!("{line} --scaling auto --out b.sqfa"));
        assert_eq!(folder.filters("a.sqfa"), folder.filters("b.sqfa"), "{line}");
    }
    let compared = |flags: &str| {
        let line =
            format!("compare t.csv --label species --methods sqfa,pca -m 2 --seeds 1 {flags}");
        let report = folder.json(&line);
        let rows = report["rows"].as_array().unwrap();
        rows.iter().map(|row| row["qda"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(compared("--scaling auto"), compared(""));
    let same =
        |line: &str| assert_eq!(folder.json(line), folder.json(&format!("{line} --noise auto")));
    same("distances a.sqfa");
    same("distances t.csv --label species");
}

#[test]
fn the_number_of_filters_says_when_it_stopped_at_the_limit() {
    let folder = Folder::new();
    // Classes that differ in every column alike: each further filter helps.
    let mut text = "a,b,c,d,e,f,label\n".to_owned();
    for row in 0..400 {
        let class = row % 2;
        let cells: Vec<String> = (0..6)
            .map(|k| {
                let wave = ((row * (13 + 7 * k) + 3 * k) as f64 * 0.37).sin();
                let size = if (class == 0) == (k % 2 == 0) { 3.0 } else { 0.5 };
                format!("{:.4}", size * wave)
            })
            .collect();
        text.push_str(&format!("{},{class}\n", cells.join(",")));
    }
    folder.write("t.csv", text);
    let said = folder.ok("fit t.csv -m auto --max-filters 1 --out m.sqfa");
    assert!(said.contains("stopped at the limit: try --max-filters 2"), "{said}");
    let said = folder.ok("fit t.csv -m auto --max-filters 6 --out m.sqfa");
    assert!(!said.contains("stopped at the limit"), "{said}");
}

#[test]
fn a_report_leads_with_the_held_out_accuracy_and_names_columns() {
    let folder = Folder::new();
    folder.write("t.csv", table(30));
    folder.ok("fit t.csv --label species -m 2 --out m.sqfa --report r.html");
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    let headline = page.split("class=\"headline\"").nth(1).unwrap();
    let headline = headline.split("</p>").next().unwrap();
    assert!(
        headline.contains("Held-out accuracy") && headline.contains("cross-validation"),
        "{headline}"
    );
    for name in ["width", "height", "depth"] {
        assert!(page.contains(&format!(">{name}<")), "{name}");
    }
    assert!(!page.contains("--image"));
}

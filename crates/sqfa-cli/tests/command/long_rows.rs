//! Tables with a header or rows longer than the 64 KiB that a reader looks at first.

use std::io::Write;

use crate::common::Folder;

const COLUMNS: usize = 60;
/// Bytes that a reader looks at first.
const SAMPLE: usize = 64 << 10;

/// 40 rows of two classes, whose cells and names are padded to so many letters; the numbers stay the same.
fn table(header: bool, name: usize, cell: usize) -> String {
    let mut text = String::new();
    if header {
        let names: Vec<String> = (0..COLUMNS).map(|at| format!("{at:g>name$}")).collect();
        text.push_str(&format!("{},label\n", names.join(",")));
    }
    for row in 0..40 {
        let value = |at: usize| {
            let noise = ((row * (13 + at) + 5 * at) as f64 * 0.7).sin();
            format!("{:.4}", noise + (row % 2 * usize::from(at < 5)) as f64)
        };
        // Zeros at the end leave a number what it is.
        let cells: Vec<String> = (0..COLUMNS).map(|at| format!("{:0<cell$}", value(at))).collect();
        text.push_str(&format!("{},{}\n", cells.join(","), ["healthy", "tumor"][row % 2]));
    }
    text
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap()
}

#[test]
fn a_header_may_be_longer_than_the_sample() {
    let folder = Folder::new();
    // On both sides of the sample: the header ends within it, just behind it, and far behind it.
    for (name, length) in [("short", 100), ("edge", 1092), ("long", 5000)] {
        let text = table(true, length, 6);
        let line = text.lines().next().unwrap().len();
        assert_eq!(line > SAMPLE, name != "short", "{line}");
        folder.write(&format!("{name}.csv"), &text);
        folder.write(&format!("{name}.csv.gz"), gzipped(&text));
    }
    folder.ok("fit short.csv -m 2 --out short.sqfa");
    folder.ok("stats short.csv --out short.stats");
    folder.ok("fit short.stats -m 2 --out sums.sqfa");
    let (expected, of_sums) = (folder.filters("short.sqfa"), folder.filters("sums.sqfa"));
    let scores = |file: &str| {
        let line = format!("compare {file} --methods lda,pca -m 1 --seeds 1");
        let report = folder.json(&line);
        let rows = report["rows"].as_array().unwrap();
        assert!(!rows.is_empty());
        rows.iter().map(|row| row["qda"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    let compared = scores("short.csv");
    for name in ["edge", "long"] {
        for file in [format!("{name}.csv"), format!("{name}.csv.gz")] {
            folder.ok(&format!("fit {file} -m 2 --out m.sqfa"));
            assert_eq!(folder.filters("m.sqfa"), expected, "{file}");
            folder.ok(&format!("stats {file} --out s.stats"));
            folder.ok("fit s.stats -m 2 --out s.sqfa");
            assert_eq!(folder.filters("s.sqfa"), of_sums, "{file}");
            assert_eq!(scores(&file), compared, "{file}");
        }
        let text = std::fs::read_to_string(folder.path(&format!("{name}.csv"))).unwrap();
        let said = folder.feed("fit - -m 2 --out stdin.sqfa", &text);
        assert_eq!(said.code, 0, "{}", said.err);
        assert_eq!(folder.filters("stdin.sqfa"), expected);
        let accuracy = folder.json(&format!("evaluate m.sqfa {name}.csv"));
        assert_eq!(accuracy["n_test"], 40);
    }
}

#[test]
fn rows_longer_than_the_sample_are_not_taken_for_a_header() {
    let folder = Folder::new();
    let fit = |file: &str| {
        let line = format!("fit {file} --label {COLUMNS} -m 2 --out m.sqfa");
        assert_eq!(folder.json(&line)["n_train"], 40, "{file}");
        folder.filters("m.sqfa")
    };
    folder.write("short.csv", table(false, 1, 6));
    let expected = fit("short.csv");
    for cell in [1000, 1100, 3000] {
        let text = table(false, 1, cell);
        assert_eq!(text.lines().next().unwrap().len() > SAMPLE, cell > 1000);
        folder.write("long.csv", &text);
        folder.write("long.csv.gz", gzipped(&text));
        assert_eq!(fit("long.csv"), expected, "{cell}");
        assert_eq!(fit("long.csv.gz"), expected, "{cell}");
        let line = format!("fit - --label {COLUMNS} -m 2 --out stdin.sqfa");
        assert_eq!(folder.feed(&line, &text).code, 0);
        assert_eq!(folder.filters("stdin.sqfa"), expected, "{cell}");
        // The same rows below names.
        folder.write("named.csv", table(true, 1, cell));
        assert_eq!(folder.json("fit named.csv -m 2 --out m.sqfa")["n_train"], 40);
        assert_eq!(folder.filters("m.sqfa"), expected, "{cell}");
    }
}

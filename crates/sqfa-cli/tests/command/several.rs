//! Several files are one data set: joined if they fit into memory, streamed with a note otherwise.

use std::process::Stdio;

use crate::common::{Folder, Said, table};

/// The table in three files, the second with its columns in another order.
fn folder() -> (Folder, String) {
    let folder = Folder::new();
    let text = table(30).replace("species", "label");
    let lines: Vec<&str> = text.lines().collect();
    folder.write("all.csv", &text);
    for (part, rows) in lines[1..].chunks(30).enumerate() {
        let turned = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},{},{},{}", cells[3], cells[2], cells[0], cells[1])
        };
        let all = std::iter::once(&lines[0]).chain(rows);
        let own: Vec<String> =
            all.map(|line| if part == 1 { turned(line) } else { (*line).to_owned() }).collect();
        folder.write(&format!("part-{part}.csv"), own.join("\n"));
    }
    (folder, text)
}

/// Runs a line with so many bytes of memory at hand.
fn within(folder: &Folder, line: &str, memory: u64) -> Said {
    let mut command = folder.command(line);
    command.env("SQFA_MEMORY", memory.to_string()).stdin(Stdio::null());
    Said::new(line, command.output().unwrap())
}

#[test]
fn files_that_fit_into_memory_are_fitted_like_one() {
    let (folder, _) = folder();
    let strip = |mut report: serde_json::Value| {
        let all = report.as_object_mut().unwrap();
        all.retain(|key, _| {
            !key.contains("second") && !["data", "model", "seconds"].contains(&key.as_str())
        });
        report
    };
    let one = strip(folder.json("fit all.csv -m 2 --out one.sqfa"));
    for files in ["part-0.csv part-1.csv part-2.csv", "part-*.csv"] {
        let said = folder.run(&format!("fit {files} -m 2 --out m.sqfa"));
        assert!(said.code == 0 && !said.err.contains("cross-validation"), "{}", said.err);
        let several = strip(folder.json(&format!("fit {files} -m 2 --out several.sqfa")));
        assert_eq!(several, one);
        assert_eq!(folder.filters("several.sqfa"), folder.filters("one.sqfa"));
    }
    // Methods that need samples, the number of filters, and means that stand in for missing values.
    for flags in ["-m auto", "-m 2 --method lfda", "-m 2 --covariance t:5"] {
        folder.ok(&format!("fit all.csv {flags} --out one.sqfa"));
        folder.ok(&format!("fit part-*.csv {flags} --out several.sqfa"));
        assert_eq!(folder.filters("several.sqfa"), folder.filters("one.sqfa"), "{flags}");
    }
    let gaps = |name: &str, new: &str| {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        let (head, rest) = text.split_once('\n').unwrap();
        let (_, rest) = rest.split_once(',').unwrap();
        folder.write(new, format!("{head}\n,{rest}"));
    };
    gaps("all.csv", "gaps.csv");
    gaps("part-0.csv", "hole.csv");
    for how in ["drop", "mean"] {
        folder.ok(&format!("fit gaps.csv --missing {how} -m 2 --out one.sqfa"));
        let files = "hole.csv part-1.csv part-2.csv";
        folder.ok(&format!("fit {files} --missing {how} -m 2 --out several.sqfa"));
        assert_eq!(folder.filters("several.sqfa"), folder.filters("one.sqfa"), "{how}");
    }
}

#[test]
fn files_larger_than_memory_are_streamed_and_say_so() {
    let (folder, _) = folder();
    // 90 rows of three numbers take 2160 bytes; half of the memory may be used.
    let said = within(&folder, "fit part-*.csv -m 2 --out held.sqfa", 8000);
    assert!(said.code == 0 && !said.err.contains("cross-validation"), "{}", said.err);
    for (line, memory) in [("all.csv", 3000), ("part-*.csv", 3000)] {
        let said = within(&folder, &format!("fit {line} -m 2 --out m.sqfa"), memory);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.err.contains("cross-validation is not possible"), "{}", said.err);
    }
    folder.ok("stats part-*.csv --out all.stats");
    folder.ok("fit all.stats -m 2 --out sums.sqfa");
    assert_eq!(folder.filters("m.sqfa"), folder.filters("sums.sqfa"));
    folder.ok("stats part-0.csv --out zero.stats");
    let said = folder.run("fit zero.stats part-1.csv part-2.csv -m 2 --out mixed.sqfa");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("zero.stats holds class statistics"), "{}", said.err);
    // Sums of other parts are rounded otherwise.
    let (mixed, sums) = (folder.filters("mixed.sqfa"), folder.filters("sums.sqfa"));
    for (a, b) in mixed.iter().flatten().zip(sums.iter().flatten()) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn evaluate_and_compare_mean_the_same_by_several_files() {
    let (folder, text) = folder();
    folder.ok("fit all.csv -m 2 --out m.sqfa");
    let whole = folder.json("evaluate m.sqfa --test all.csv");
    for files in [
        "--test part-*.csv",
        "--test part-0.csv --test part-1.csv --test part-2.csv",
        "part-0.csv part-1.csv part-2.csv",
        "part-?.csv",
    ] {
        assert_eq!(folder.json(&format!("evaluate m.sqfa {files}")), whole, "{files}");
    }
    assert_eq!(folder.json("evaluate --test part-*.csv m.sqfa"), whole);
    // A pattern that a shell has expanded.
    let expanded = "--test part-0.csv part-1.csv part-2.csv";
    folder.run(&format!("evaluate m.sqfa {expanded}")).fails(2, "put a pattern in quotes");
    folder.run(&format!("compare all.csv {expanded}")).fails(2, "by a pattern in quotes");
    folder.run("evaluate m.sqfa --test none-*.csv").fails(1, "no file is called 'none-*.csv'");
    let compare = |files: &str| {
        let report = folder.json(&format!("compare {files} --methods lda,pca -m 2 --seeds 1"));
        let rows = report["rows"].as_array().unwrap();
        rows.iter().map(|row| row["qda"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    let expected = compare("all.csv --cv 3");
    assert_eq!(compare("part-*.csv --cv 3"), expected);
    assert_eq!(compare("part-0.csv part-1.csv part-2.csv --cv 3"), expected);
    assert_eq!(compare("part-*.csv --per-file --cv 3").len(), 3 * expected.len());
    folder.write("test.csv", &text);
    assert_eq!(compare("part-*.csv --test part-*.csv"), compare("all.csv --test test.csv"));
    folder.run("compare part-*.csv --per-file --test all.csv").fails(2, "--per-file");
    // Groups of several files are those of one.
    let with = |name: &str, new: &str, first: usize| {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        let group = |(row, line): (usize, &str)| match row {
            0 => format!("{line},group\n"),
            _ => format!("{line},g{}\n", (first + row - 1) / 3),
        };
        folder.write(new, text.lines().enumerate().map(group).collect::<String>());
    };
    with("all.csv", "grouped.csv", 0);
    for part in 0..3 {
        with(&format!("part-{part}.csv"), &format!("grouped-{part}.csv"), 30 * part);
    }
    let expected = compare("grouped.csv --group group --cv 3");
    assert_eq!(compare("grouped-*.csv --group group --cv 3"), expected);
}

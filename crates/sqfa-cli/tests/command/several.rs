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
    for flags in ["-m auto", "-m 2 --method lfda", "-m 2 --covariance-estimator t:5"] {
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

#[test]
fn models_are_applied_to_several_files_like_to_one() {
    let (folder, _) = folder();
    folder.ok("fit all.csv -m 2 --out m.sqfa");
    let lists = ["part-0.csv part-1.csv part-2.csv", "part-?.csv"];
    for files in lists {
        for flags in ["", "--probabilities", "--json"] {
            let expected = folder.ok(&format!("predict m.sqfa all.csv {flags}"));
            assert_eq!(folder.ok(&format!("predict m.sqfa {files} {flags}")), expected);
        }
        for (command, ending) in
            [("predict", "csv"), ("predict", "npy"), ("transform", "csv"), ("transform", "npy")]
        {
            folder.ok(&format!("{command} m.sqfa all.csv --out one.{ending}"));
            folder.ok(&format!("{command} m.sqfa {files} --out several.{ending}"));
            let read =
                |name: &str| std::fs::read(folder.path(&format!("{name}.{ending}"))).unwrap();
            assert!(read("one") == read("several"), "{command} {files} {ending}");
        }
        let expected = folder.json("distances all.csv");
        assert_eq!(folder.json(&format!("distances {files}")), expected);
        folder.ok("clean all.csv --out one.csv --min-rate -9 --components 2");
        folder.ok(&format!("clean {files} --out several.csv --min-rate -9 --components 2"));
        let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
        assert_eq!(read("several.csv"), read("one.csv"));
    }
    // The order of the rows is that of the files.
    let one = folder.ok("predict m.sqfa part-1.csv") + &folder.ok("predict m.sqfa part-0.csv");
    assert_eq!(folder.ok("predict m.sqfa part-1.csv part-0.csv"), one);
}

#[test]
fn several_files_keep_ids_and_gaps() {
    let folder = Folder::new();
    folder.write("all.csv", table(10));
    folder.ok("fit all.csv --label species -m 2 --out m.sqfa");
    folder.write("a.csv", "name,width,height,depth\na1,0.5,0.5,0.5\na2,,0.5,0.5\n");
    folder.write("b.csv", "depth,name,height,width\n0.5,b1,0.5,3.5\n0.5,b2,0.5,6.5\n");
    let ids = |flags: &str| {
        let text = folder.ok(&format!("transform m.sqfa a.csv b.csv --id name --out - {flags}"));
        let rows = text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned());
        (rows.collect::<Vec<_>>().join(" "), text)
    };
    let (all, text) = ids("");
    assert_eq!(all, "a1 a2 b1 b2");
    assert_eq!(text.lines().nth(2).unwrap(), "a2,,");
    assert_eq!(ids("--missing drop").0, "a1 b1 b2");
    assert_eq!(
        folder.ok("predict m.sqfa a.csv b.csv --missing drop"),
        folder.ok("predict m.sqfa a.csv --missing drop") + &folder.ok("predict m.sqfa b.csv")
    );
    // A model that knows no names: the later files follow the names of the first.
    folder.write("bare.csv", table(10).split_once('\n').unwrap().1);
    folder.ok("fit bare.csv --label 3 -m 2 --out bare.sqfa");
    let expected = folder.ok("predict bare.sqfa a.csv --ignore name --missing drop")
        + &folder.ok("predict m.sqfa b.csv --ignore name");
    let said = folder.run("predict bare.sqfa a.csv b.csv --ignore name --missing drop");
    assert_eq!(said.out, expected, "{}", said.err);
}

#[test]
fn several_files_that_do_not_fit_together_are_rejected() {
    let (folder, text) = folder();
    folder.ok("fit all.csv -m 2 --out m.sqfa");
    let points: String =
        text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect();
    folder.write("points.csv", points);
    // Labels do not matter to predictions, and features are written with them or without.
    let twice = folder.ok("predict m.sqfa all.csv") + &folder.ok("predict m.sqfa points.csv");
    assert_eq!(folder.ok("predict m.sqfa all.csv points.csv"), twice);
    for line in
        ["transform m.sqfa all.csv points.csv --out o.csv", "evaluate m.sqfa points.csv all.csv"]
    {
        folder.run(line).fails(1, "has no labels, and others have");
    }
    folder.run("evaluate m.sqfa points.csv part-0.csv").fails(1, "has no labels");
    // Rows of a training part, a test part and neither: which of them would be meant?
    folder.ok("dataset toy-6d --train 20 --test 20 --out toy.npz");
    folder.ok("fit toy.npz -m 2 --out toy.sqfa");
    folder.ok("transform toy.sqfa toy.npz --part train --out features.npz");
    folder.ok("fit features.npz -m 2 --out small.sqfa");
    folder.ok("dataset toy-6d --train 20 --out train.npz");
    for line in ["predict toy.sqfa toy.npz train.npz", "evaluate toy.sqfa train.npz toy.npz"] {
        folder.run(line).fails(1, "apply the model to one file at a time");
    }
    // Parts of the same name are joined, training first.
    folder.ok("dataset toy-6d --train 20 --test 20 --seed 1 --out other.npz");
    let both = folder.json("predict toy.sqfa toy.npz other.npz");
    assert_eq!(both["parts"][0]["part"], "train");
    assert_eq!(
        both["parts"][1]["n_points"],
        2 * folder.json("predict toy.sqfa toy.npz")["parts"][1]["n_points"].as_u64().unwrap()
    );
    let train = folder.json("predict toy.sqfa toy.npz --part train")["predicted"].clone();
    let all = both["predicted"].as_array().unwrap();
    assert_eq!(all[..train.as_array().unwrap().len()], train.as_array().unwrap()[..]);
    folder.run("distances m.sqfa all.csv").fails(2, "m.sqfa is a model");
    folder.run("predict m.sqfa all.csv all.csv").fails(2, "named twice");
    folder.run("transform m.sqfa part-0.csv part-1.csv --out part-1.csv").fails(2, "part-1.csv");
    assert_eq!(std::fs::read_to_string(folder.path("all.csv")).unwrap(), text);
}

/// Components of few samples are computed without a covariance of all columns.
#[test]
fn distances_of_many_columns_need_little_memory() {
    let folder = Folder::new();
    let narrow = table(20);
    folder.write("narrow.csv", &narrow);
    // Every column 400 times: three components that span them.
    let repeat = |line: &str, row: usize| {
        let (cells, label) = line.rsplit_once(',').unwrap();
        let copies = (0..400).flat_map(|copy| {
            cells
                .split(',')
                .map(move |cell| if row == 0 { format!("{cell}_{copy}") } else { cell.to_owned() })
        });
        format!("{},{label}\n", copies.collect::<Vec<_>>().join(","))
    };
    folder.write(
        "wide.csv",
        narrow.lines().enumerate().map(|(row, line)| repeat(line, row)).collect::<String>(),
    );
    let mean = |said: &Said| {
        assert_eq!(said.code, 0, "{}", said.err);
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        report["mean"].as_f64().unwrap()
    };
    let flags = "--label species --noise 0 --json";
    let expected = mean(&folder.run(&format!("distances narrow.csv {flags}")));
    // Three covariances of 1200 columns take 17 MB, the samples 0.6 MB.
    let found = within(&folder, &format!("distances wide.csv --pca-dims 3 {flags}"), 4_000_000);
    assert!((mean(&found) - expected).abs() < 1e-6 * expected, "{expected} {}", found.out);
    within(&folder, &format!("distances wide.csv {flags}"), 4_000_000).fails(1, "(--pca-dims 10)");
}

#[test]
fn suggestions_name_all_files() {
    let (folder, text) = folder();
    folder.ok("fit all.csv -m 2 --out m.sqfa");
    let points: String =
        text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect();
    folder.write("one.csv", &points);
    folder.write("two 2.csv", &points);
    let output = folder.command("evaluate m.sqfa one.csv").arg("two 2.csv").output().unwrap();
    Said::new("evaluate", output).fails(1, "sqfa predict m.sqfa one.csv 'two 2.csv'");
}

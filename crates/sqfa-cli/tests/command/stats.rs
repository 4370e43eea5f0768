//! Class sums from the shell: files of any number and kind, merged, fitted, inspected; nothing half-written.

use crate::common::{Folder, Said, table};

/// Rows of the table in two files with the same header.
fn halves(folder: &Folder) {
    let all = table(40);
    let rows: Vec<&str> = all.lines().collect();
    let (header, rows) = (rows[0], &rows[1..]);
    let write = |name: &str, rows: &[&str]| {
        folder.write(name, format!("{header}\n{}\n", rows.join("\n")));
    };
    folder.write("all.csv", &all);
    write("part-1.csv", &rows[..50]);
    write("part-2.csv", &rows[50..]);
}

/// The largest difference of two models' filters.
fn gap(folder: &Folder, first: &str, second: &str) -> f64 {
    let (first, second) = (folder.filters(first).concat(), folder.filters(second).concat());
    first.iter().zip(&second).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn sums_of_parts_fit_like_the_whole() {
    let folder = Folder::new();
    halves(&folder);
    let fit = "--filters 2 --noise scale --scaling none --tol 1e-12 --seed 3";
    for estimator in ["empirical", "oas", "0.2"] {
        let fit = format!("{fit} --covariance-estimator {estimator}");
        folder.ok(&format!("fit all.csv --label species {fit} --out whole.sqfa"));
        let said = folder.json("stats part-1.csv part-2.csv --label species --out parts.stats");
        assert_eq!((said["points"].as_u64(), said["files"].as_u64()), (Some(120), Some(2)));
        assert_eq!(said["counts"], serde_json::json!([40, 40, 40]));
        folder.ok(&format!("fit parts.stats {fit} --out parts.sqfa"));
        // Sums in another order differ by round-off, which a climb to its last digits hardly magnifies.
        assert!(gap(&folder, "whole.sqfa", "parts.sqfa") < 1e-4, "{estimator}");
        folder.ok("stats part-1.csv --label species --out 1.stats");
        folder.ok("stats part-2.csv --label species --out 2.stats");
        folder.ok("stats merge ?.stats --out merged.stats");
        folder.ok(&format!("fit merged.stats {fit} --out merged.sqfa"));
        assert!(gap(&folder, "whole.sqfa", "merged.sqfa") < 1e-4, "{estimator}");
        folder.ok(&format!("fit part-*.csv --label species {fit} --out glob.sqfa"));
        assert!(gap(&folder, "whole.sqfa", "glob.sqfa") < 1e-4, "{estimator}");
        // The classifier knows the classes as they are, shrunk or not.
        let accuracy = |model: &str| {
            folder.json(&format!("evaluate {model} all.csv --label species"))["qda_accuracy"]
                .clone()
        };
        assert_eq!(accuracy("parts.sqfa"), accuracy("whole.sqfa"), "{estimator}");
    }
}

#[test]
fn points_larger_than_half_of_the_memory_are_summed_up_instead_of_loaded() {
    let folder = Folder::new();
    halves(&folder);
    // Three columns of numbers; how many rows there are is foreseen from the size of the file, to a third or better.
    let rows = std::fs::read_to_string(folder.path("all.csv")).unwrap().lines().count() - 1;
    let decoded = 3 * 8 * rows;
    let with = |memory: &str, line: &str| {
        Said::new(line, folder.command(line).env("SQFA_MEMORY", memory).output().unwrap())
    };
    let (enough, short) = ((3 * decoded).to_string(), decoded.to_string());
    // Without the points no noise can be chosen on held-out ones, and the default is used.
    let auto = "fit all.csv --label species -m 1 --noise auto --out auto.sqfa";
    let said = with(&enough, auto);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = with(&short, auto);
    assert!(
        said.code == 0 && said.out.contains("no samples available for cross-validation"),
        "{}",
        said.out
    );
    let fit =
        "fit all.csv --label species -m 2 --noise scale --scaling none --tol 1e-12 --seed 3 --out";
    for (memory, model) in [(&enough, "loaded.sqfa"), (&short, "summed.sqfa")] {
        let said = with(memory, &format!("{fit} {model}"));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    assert!(gap(&folder, "loaded.sqfa", "summed.sqfa") < 1e-4);
    with("plenty", &format!("{fit} x.sqfa")).fails(2, "SQFA_MEMORY is 'plenty'");
}

#[test]
fn sums_can_be_looked_at() {
    let folder = Folder::new();
    halves(&folder);
    folder.ok("stats all.csv --label species --out all.stats");
    let text = folder.ok("inspect all.stats");
    assert!(text.contains("120 of 3 dimensions") && text.contains("bee (40)"), "{text}");
    let json = folder.json("inspect all.stats");
    assert_eq!((json["points"].as_u64(), json["dimensions"].as_u64()), (Some(120), Some(3)));
    let (sums, points) = (
        folder.json("distances all.stats --distance hellinger"),
        folder.json("distances all.csv --label species --distance hellinger"),
    );
    let mean = |report: &serde_json::Value| report["mean"].as_f64().unwrap();
    assert!((mean(&sums) - mean(&points)).abs() < 1e-9);
    folder.ok("fit all.stats --classes ant,cat --filters 1 --out two.sqfa");
    assert!(folder.ok("inspect two.sqfa").contains("2: ant, cat"));
}

#[test]
fn forms_of_covariance_agree_and_few_samples_fit_in_their_span() {
    let folder = Folder::new();
    let mut wide = "label".to_owned();
    (0..60).for_each(|j| wide.push_str(&format!(",x{j}")));
    wide.push('\n');
    for row in 0..24 {
        wide.push_str(["a", "b", "c"][row % 3]);
        for j in 0..60 {
            let wave = ((row * (j + 3) + row % 3 * j) as f64 * 0.37).sin();
            wide.push_str(&format!(",{:.4}", wave + (row % 3) as f64 * (j as f64 * 0.9).cos()));
        }
        wide.push('\n');
    }
    folder.write("wide.csv", wide);
    // 24 samples of 60 columns are kept as they are; class statistics have all entries.
    folder.ok("stats wide.csv --out wide.stats");
    let objective = |data: &str| {
        let line = format!(
            "fit {data} --filters 2 --noise scale --scaling none --n-init 6 --tol 1e-10 --out {data}.sqfa"
        );
        folder.json(&line)["objective"].as_f64().unwrap()
    };
    let (samples, entries) = (objective("wide.csv"), objective("wide.stats"));
    assert!((samples - entries).abs() < 1e-4 * entries, "{samples} {entries}");
}

#[test]
fn what_does_not_fit_together_is_refused_by_name() {
    let folder = Folder::new();
    halves(&folder);
    folder.write("numbers.csv", "width,height,depth,species\n1,2,3,1\n2,3,1,2\n3,3,2,1\n1,1,1,2\n");
    folder.write("wide.csv", "a,b,species\n1,2,ant\n2,3,bee\n");
    folder.write("nan.csv", "a,b,species\n1,2,ant\n2,nan,bee\n");
    folder.write("ragged.csv", "a,b,species\n1,2,ant\n2,bee\n");
    folder.write("word.csv", "a,b,species\n1,2,ant\n2,pear,bee\n");
    folder.write("weights.csv", "a,n,species\n1,-1,ant\n2,1,bee\n");
    folder.write("zero.csv", "a,n,species\n1,0,ant\n2,0,bee\n");
    folder.write("broken.mat", "MATLAB");
    folder.write("broken.stats", "sqfa-sum and more of it");
    folder.ok("stats part-1.csv --label species --out a.stats");
    folder.ok("stats wide.csv --label species --out wide.stats");
    folder.ok("stats numbers.csv --label species --out numbers.stats");
    let mut old = std::fs::read(folder.path("a.stats")).unwrap();
    old[8] = 77;
    folder.write("future.stats", old);
    let before = folder.names();
    for (line, message) in [
        (
            "stats part-1.csv numbers.csv --label species --out x.stats",
            "numbers.csv are whole numbers",
        ),
        (
            "fit part-1.csv numbers.csv --label species -m 1 --out x.sqfa",
            "those of part-1.csv are text",
        ),
        (
            "stats part-1.csv wide.csv --label species --out x.stats",
            "wide.csv lacks the columns 'width'",
        ),
        ("stats nan.csv --label species --out x.stats", "(b: 1; the first in line 3)"),
        ("stats ragged.csv --label species --out x.stats", "line 3"),
        ("stats word.csv --label species --out x.stats", "line 3, column 'b': 'pear'"),
        ("stats word.csv --out x.stats", "--label"),
        ("stats weights.csv --label species --weights n --out x.stats", "weight '-1'"),
        (
            "stats zero.csv --label species --weights n --out x.stats",
            "weights of all samples are 0",
        ),
        ("stats weights.csv --label species --weights m --out x.stats", "no column 'm'"),
        (
            "stats merge a.stats wide.stats --out x.stats",
            "wide.stats has 2 dimensions where a.stats has 3",
        ),
        ("stats merge a.stats numbers.stats --out x.stats", "numbers.stats are whole numbers"),
        ("stats merge a.stats future.stats --out x.stats", "version 77"),
        ("stats merge a.stats broken.stats --out x.stats", "broken.stats"),
        (
            "stats merge a.stats part-1.csv --out x.stats",
            "part-1.csv: it holds no class statistics; if it holds samples, accumulate them first",
        ),
        ("stats broken.mat --out x.stats", "MATLAB 5 file"),
        ("stats nothing-*.csv --out x.stats", "no file is called 'nothing-*.csv'"),
        (
            "stats part-1.csv --label species --out no/such/folder/x.stats",
            "cannot write no/such/folder",
        ),
        ("fit broken.stats -m 1 --out x.sqfa", "broken.stats"),
        ("predict a.stats a.stats", "not a readable model file"),
    ] {
        folder.run(line).fails(1, message);
    }
    for (line, message) in [
        ("stats --out x.stats", "DATA"),
        ("stats part-1.csv", "--out"),
        ("stats x.npy --out x.stats", "--labels once per .npy file"),
        ("stats part-1.csv --labels y.npy --out x.stats", "--labels"),
        ("fit a.stats --covariance-estimator 1.5 -m 1 --out x.sqfa", "from 0 to 1"),
    ] {
        folder.run(line).fails(2, message);
    }
    assert_eq!(folder.names(), before, "nothing was written");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let folder = Folder::new();
    halves(&folder);
    let before = folder.names();
    folder.run("stats all.csv --label species --out /dev/full").fails(1, "cannot write /dev/full");
    assert!(!std::fs::metadata("/dev/full").unwrap().is_file());
    assert_eq!(folder.names(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_sum_writes_nothing() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.write("old.stats", "older sums");
    // A table on standard input that never ends.
    let mut child = folder
        .command("stats - --label species --out old.stats")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let more = table(2000);
    stdin.write_all(more.as_bytes()).unwrap();
    crate::common::wait_until_busy(&mut child, 0);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    // More rows until it has heard and closes the pipe; without a header they are rows like any others.
    let rows = &more[more.find('\n').unwrap() + 1..];
    while stdin.write_all(rows.as_bytes()).is_ok() {}
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read(folder.path("old.stats")).unwrap(), b"older sums");
    assert_eq!(folder.names(), ["old.stats"]);
}

/// A table of so many rows and columns in three classes, of rank four without the noise.
fn wide_table(rows: usize, columns: usize, noise: f64) -> String {
    let mut text = "label".to_owned();
    (0..columns).for_each(|j| text.push_str(&format!(",x{j}")));
    for row in 0..rows {
        let class = row % 3;
        text.push_str(["\na", "\nb", "\nc"][class]);
        for j in 0..columns {
            let value: f64 = (0..4)
                .map(|k| {
                    let strength = ((row * (3 * k + 7) + 5 * k) as f64 * 0.71).sin();
                    strength * ((class + 1) as f64) * ((j * (k + 1)) as f64 * 0.31).cos()
                })
                .sum();
            let noise = noise * ((row * 31 + j * 17) as f64).sin();
            text.push_str(&format!(",{:.6}", value + noise + (class * j % 5) as f64));
        }
    }
    text + "\n"
}

#[test]
fn sketches_fit_like_exact_sums_stream_merge_and_say_their_bound() {
    let folder = Folder::new();
    folder.write("all.csv", wide_table(90, 40, 0.0));
    let fit = "-m 2 --noise scale --scaling none --n-init 4 --seed 3 --precision f64 --tol 1e-10";
    let exact = folder.json(&format!("fit all.csv {fit} --out dense.sqfa"));
    let sketch = folder.json(&format!("fit all.csv --form sketch:6 {fit} --out sketch.sqfa"));
    assert_eq!(sketch["sketch"]["rows"], 6);
    // Six digits are written, so that little more than rank four is there.
    let bounds = sketch["sketch"]["bounds"].as_array().unwrap();
    assert!(bounds.len() == 3 && bounds.iter().all(|bound| bound.as_f64().unwrap() < 1e-10));
    assert!(exact["sketch"].is_null());
    let objective = |report: &serde_json::Value| report["objective"].as_f64().unwrap();
    let (own, right) = (objective(&sketch), objective(&exact));
    assert!((own - right).abs() < 1e-6 * right, "{own} {right}");
    // With noise of full rank something is lost, and said.
    folder.write("noisy.csv", wide_table(90, 40, 0.3));
    let said = folder.json("stats noisy.csv --form sketch:6 --out noisy.stats");
    assert_eq!(said["sketch"]["rows"], 6);
    assert!(said["sketch"]["shed"][0].as_f64().unwrap() > 0.0);
    assert!(folder.ok("inspect noisy.stats").contains("6 rows per class, at most"));
    let told = folder.ok("fit noisy.stats -m 2 --out noisy.sqfa");
    assert!(told.contains("6 rows per class; covariances within"), "{told}");
    let accuracy = folder.json("evaluate noisy.sqfa noisy.csv")["qda_accuracy"].as_f64().unwrap();
    assert!(accuracy > 0.95, "{accuracy}");
    folder.ok("stats all.csv --form sketch:6 --out all.stats");
    folder.ok("stats merge all.stats noisy.stats --out both.stats");
    assert_eq!(folder.json("inspect both.stats")["points"], 180);
    folder.ok("stats all.csv --out dense.stats");
    for (line, code, words) in [
        ("stats all.csv --form sketch:0 --out x.stats", 2, "1 to 4096"),
        ("stats all.csv --form sketch:5000 --out x.stats", 2, "1 to 4096"),
        ("stats all.csv --form sketch:many --out x.stats", 2, "1 to 4096"),
        ("stats all.csv --form skech --out x.stats", 2, "did you mean 'sketch'?"),
        ("stats all.csv --form dense --out x.stats", 2, "leave --form out"),
        ("fit all.csv --form factor -m 2 --out x.sqfa", 2, "leave --form out"),
        (
            "stats merge all.stats dense.stats --out x.stats",
            1,
            "cannot be merged with sketches of 6 rows",
        ),
        ("fit dense.stats --form sketch -m 2 --out x.sqfa", 2, "all entries"),
        ("fit all.csv --form sketch -m auto --out x.sqfa", 2, "--filters auto needs samples"),
        (
            "fit all.csv --form sketch -m 2 --covariance-estimator oas --out x.sqfa",
            1,
            "cannot be computed from sketches",
        ),
        ("fit all.csv --form sketch -m 2 --method lmnn --out x.sqfa", 1, "learns from samples"),
    ] {
        folder.run(line).fails(code, words);
        assert!(!folder.path("x.stats").exists() && !folder.path("x.sqfa").exists(), "{line}");
    }
}

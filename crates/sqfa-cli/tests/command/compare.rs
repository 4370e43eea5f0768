//! `sqfa compare`: tables, records that resume, refusals, and a report that shows data as text.

use sqfa_io::formats::NpzWriter;

use crate::common::{Folder, table};
use serde_json::Value;

/// Three classes in three dimensions; LDA can give two filters.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", table(60));
    folder
}

const COMPARE: &str = "compare t.csv --label species --methods sqfa,lda,pca --filters 1,2,3 --seeds 2 --test-fraction 0.2";

fn rows<'a>(report: &'a Value, method: &str) -> Vec<&'a Value> {
    report["rows"].as_array().unwrap().iter().filter(|row| row["method"] == method).collect()
}

#[test]
fn every_method_has_its_rows_and_what_it_cannot_do_is_said() {
    let report = folder().json(COMPARE);
    assert_eq!(report["dataset"], "t");
    assert_eq!(rows(&report, "sqfa").len(), 6);
    // Methods without random numbers run once.
    assert_eq!(rows(&report, "pca").len(), 3);
    let lda = rows(&report, "lda");
    assert_eq!(lda[2]["status"], "not-applicable");
    assert!(lda[2]["qda"].is_null() && lda[2]["remark"].as_str().unwrap().contains("at most 2"));
    let summary = report["summary"].as_array().unwrap();
    assert_eq!(summary.len(), 9);
    for line in summary.iter().filter(|line| line["not_applicable"] == false) {
        let (low, median, high) =
            (line["qda_low"].as_f64(), line["qda_median"].as_f64(), line["qda_high"].as_f64());
        assert!(low <= median && median <= high && median > Some(1.0 / 3.0), "{line}");
    }
    // Units and noise are chosen for every seed, as a fit with that seed would.
    for row in rows(&report, "sqfa") {
        let chosen = &row["selection"];
        assert!(chosen["scaling"].is_string(), "{row}");
        assert!(chosen["noise"].as_str().unwrap().ends_with('x'), "{row}");
        assert_eq!(chosen["folds"], 10);
    }
    assert!(rows(&report, "pca").iter().all(|row| row["selection"].is_null()));
}

#[test]
fn an_accuracy_is_the_share_of_test_points_that_evaluate_finds() {
    let folder = Folder::new();
    folder.ok("dataset toy-6d --train 200 --test 200 --out p.npz");
    let methods = ["pca", "lda", "sqfa", "sqfa-h", "sqfa-h+refine", "lfda"];
    for flags in
        ["", " --scaling per-feature", " --noise 0.01", " --noise 0.3x --scaling within-class"]
    {
        let names = methods.join(",");
        let seeds = "--filters 2 --seeds 2 --seed 3";
        let report = folder.json(&format!("compare p.npz --methods {names} {seeds}{flags}"));
        for row in report["rows"].as_array().unwrap() {
            let (name, seed) = (row["method"].as_str().unwrap(), &row["seed"]);
            let (method, refine) = match name.strip_suffix("+refine") {
                Some(method) => (method, " --refine"),
                None => (name, ""),
            };
            let climbs = method.starts_with("sqfa");
            // Methods without noise accept the scaling alone.
            let own = match flags.find(" --scaling") {
                Some(at) if !climbs => &flags[at..],
                None if !climbs => "",
                _ => flags,
            };
            // The same through another door: a model file and `sqfa evaluate`.
            let fitted = folder.json(&format!(
                "fit p.npz --method {method}{refine} --filters 2 --seed {seed}{own} --out m.sqfa"
            ));
            let evaluated = folder.json("evaluate m.sqfa p.npz --classifier qda");
            assert_eq!(row["qda"], evaluated["qda_accuracy"], "{name}{flags}");
            if climbs {
                assert_eq!(row["noise"], fitted["noise"], "{name}{flags}");
                let scaling = |told: &serde_json::Value| told["selection"]["scaling"].clone();
                assert_eq!(scaling(row), scaling(&fitted), "{name}{flags}");
            }
        }
    }
}

#[test]
fn few_points_are_cross_validated_unless_told_otherwise() {
    let folder = folder();
    let compare = "compare t.csv --label species --methods pca,sqfa --filters 1 --seeds 1";
    let said = folder.run(compare);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("every point is held out once, in 5 folds"), "{}", said.err);
    assert!(said.out.contains("t: 180 samples, each held out once in 5 folds"), "{}", said.out);
    assert!(
        said.out.contains("median of 1 seed;") && said.out.contains("1 filter"),
        "{}",
        said.out
    );
    let rows = folder.json(compare)["rows"].as_array().unwrap().len();
    assert_eq!(rows, 10);
    // Folds that are asked for need no explanation, and a part that is asked for is taken.
    let said = folder.run(&format!("{compare} --cv 3"));
    assert!(!said.err.contains("held out once"), "{}", said.err);
    let part = folder.json(&format!("{compare} --test-fraction 0.2"));
    assert_eq!(part["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn digits_of_a_column_stand_below_each_other_in_one_unit() {
    let said = folder().ok(&COMPARE.replace("1,2,3", "2,3"));
    let table = |heading: &str| -> Vec<String> {
        let lines = said.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
        lines.take(2).map(str::to_owned).collect()
    };
    for heading in ["QDA accuracy (%)", "Time of a fit ("] {
        let rows = table(heading);
        let points = |row: &String| -> Vec<usize> {
            row.chars().enumerate().filter(|(_, letter)| *letter == '.').map(|(at, _)| at).collect()
        };
        let (two, three) = (points(&rows[0]), points(&rows[1]));
        // LDA has no third filter here, the others stand where they stood.
        // Its accuracy is repeated in parentheses.
        let other = usize::from(heading.starts_with("QDA"));
        assert_eq!((two.len(), three.len()), (3, 2 + other), "{said}");
        assert_eq!((two[0], two[2]), (three[0], three[1 + other]), "{said}");
        assert!(other == 0 || two[1] == three[1], "{said}");
    }
}

#[test]
fn an_interrupted_run_resumes_and_a_broken_line_is_named() {
    let folder = folder();
    let command = format!("{COMPARE} --out run");
    let whole = folder.json(&command);
    let path = folder.path("run/records.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 12);
    // A run that died in its fifth record.
    let torn = lines[..4].join("\n") + "\n" + &lines[4][..40];
    std::fs::write(&path, torn).unwrap();
    let said = folder.run(&format!("{command} --json"));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.err.contains("line 5 of") && said.err.contains("resuming: 4 of 12"),
        "{}",
        said.err
    );
    let again: Value = serde_json::from_str(&said.out).unwrap();
    for (old, new) in
        whole["rows"].as_array().unwrap().iter().zip(again["rows"].as_array().unwrap())
    {
        for field in ["method", "filters", "seed", "qda", "objective", "noise"] {
            assert_eq!(old[field], new[field], "{field} of {old}");
        }
    }
    // Nothing is left to do, so nothing is fitted: the times are those on record.
    assert_eq!(folder.json(&command)["rows"], again["rows"]);
}

#[test]
fn folders_are_never_shared() {
    let folder = folder();
    folder.ok(&format!("{COMPARE} --out run"));
    let other = COMPARE.replace("--seeds 2", "--seeds 3");
    folder.run(&format!("{other} --out run")).fails(1, "seeds is 2 there and 3 here");
    std::fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/thesis.txt", "");
    folder.run(&format!("{COMPARE} --out mine")).fails(1, "is no comparison");
    folder.write("other.csv", table(61));
    let other = COMPARE.replace("t.csv", "other.csv");
    folder.run(&format!("{other} --out run")).fails(1, "other data");
}

#[test]
fn unsound_requests_are_refused_with_a_remedy() {
    let folder = folder();
    let compare = COMPARE.replace(" --test-fraction 0.2", "");
    let with = |from: &str, to: &str| compare.replace(from, to);
    folder.run(&with("sqfa,lda", "sqfa,ldaa")).fails(2, "did you mean 'lda'?");
    folder.run(&format!("{compare} --classifiers qdaa")).fails(2, "did you mean 'qda'?");
    folder.run(&with("1,2,3", "1,9")).fails(1, "the data have 3 dimensions");
    folder.run(&format!("{compare} --memory 0")).fails(1, "GB are needed");
    folder.run(&format!("{compare} --image 2x2")).fails(2, "the samples have 3 columns");
    folder.run(&format!("{compare} --test-fraction 1.5")).fails(2, "between 0 and 1");
    folder.run(&format!("{compare} --cv 100")).fails(1, "class 'ant' has 60 samples");
    folder.run("compare toy-6d").fails(1, "needs samples");
    folder.write("narrow.csv", "width,species\n1,ant\n2,bee\n3,cat\n");
    folder
        .run(&format!("{compare} --test narrow.csv"))
        .fails(1, "lacks the columns 'height', 'depth'");
    folder.write("two.csv", "width,height,depth,species\n1,2,3,ant\n3,2,1,bee\n");
    folder.run(&format!("{compare} --test two.csv")).fails(1, "no point of 1 of 3 classes ('cat')");
    folder.write("bad.toml", "filtres = [2]\n");
    folder.run("compare t.csv --label species --spec bad.toml").fails(1, "filtres");
}

#[test]
fn a_fit_over_its_limit_is_recorded_and_the_others_go_on() {
    let folder = folder();
    // No climb ends within a billionth of a second; closed forms do not look at the clock.
    let said = folder.run(&format!("{COMPARE} --time-limit 1e-9 --json"));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("stopped at the limit"), "{}", said.err);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert!(rows(&report, "sqfa").iter().all(|row| row["status"] == "over-limit"));
    assert!(rows(&report, "pca").iter().all(|row| row["status"] == "done"));
}

#[test]
fn specs_folds_and_formats() {
    let folder = folder();
    folder.write(
        "s.toml",
        "methods = [\"pca\", \"sqfa\"]\nfilters = [2]\nseeds = 1\nparts = { folds = 3 }\nclassifiers = [\"qda\", \"knn\"]\n",
    );
    let report = folder.json("compare t.csv --label species --spec s.toml");
    // Two methods in three folds, pooled to one summary each.
    assert_eq!(report["rows"].as_array().unwrap().len(), 6);
    let mean = |name: &str| {
        let own = rows(&report, "pca");
        own.iter().map(|row| row[name].as_f64().unwrap()).sum::<f64>() / own.len() as f64
    };
    for name in ["qda", "knn"] {
        let summary = report["summary"][0][format!("{name}_median")].as_f64().unwrap();
        // Folds have the same number of points here, so pooling is averaging.
        assert!((summary - mean(name)).abs() < 1e-12);
    }
    let markdown = folder.ok("compare t.csv --label species --spec s.toml --markdown");
    assert!(markdown.contains("| filters | PCA | SQFA |") && markdown.contains("**"), "{markdown}");
    let csv = folder.ok("compare t.csv --label species --spec s.toml --csv");
    assert_eq!(csv.lines().count(), 7);
    assert!(csv.starts_with("method,filters,seed,fold,status,qda,knn,fit_seconds"));
}

#[test]
fn names_with_markup_are_text_in_the_report() {
    let folder = Folder::new();
    let hostile = "</script><img src=x onerror=alert(1)>";
    let text = table(40).replace("ant", &format!("\"{hostile}\""));
    folder.write("t.csv", text);
    folder.ok(&format!("{COMPARE} --report r.html"));
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    assert!(!page.contains("<img src=x"), "markup of a class name reached the page");
    assert!(page.contains("&lt;/script&gt;&lt;img src=x"));
    // One script of ours and one block of data: none more was ended early.
    assert_eq!(page.matches("</script>").count(), page.matches("<script").count());
    folder.ok("fit t.csv --label species --filters 2 --out m.sqfa --report m.html");
    let page = std::fs::read_to_string(folder.path("m.html")).unwrap();
    assert!(page.contains("SQFA with 2 filters on t") && !page.contains("<img src=x"));
}

#[test]
fn the_same_records_make_the_same_report_at_any_number_of_threads() {
    let folder = folder();
    let page = |threads: usize| {
        folder.ok(&format!("{COMPARE} --out run --report r.html --threads {threads}"));
        let text = std::fs::read_to_string(folder.path("r.html")).unwrap();
        // The command differs, as it should.
        text.replace(&format!("--threads {threads}"), "")
    };
    assert_eq!(page(1), page(2));
}

#[test]
fn ordinary_tables_need_no_numbers_of_filters() {
    let folder = Folder::new();
    folder.write("three.csv", table(20));
    let two: String =
        table(20).lines().filter(|line| !line.ends_with("cat")).map(|l| format!("{l}\n")).collect();
    folder.write("two.csv", two);
    for (file, filters) in [("three.csv", vec![2, 3]), ("two.csv", vec![1, 2, 3])] {
        let line = format!("compare {file} --label species --methods lda,pca");
        let said = folder.ok(&line);
        assert!(said.contains("LDA") && !said.contains("n/a"), "{said}");
        let markdown = folder.ok(&format!("{line} --markdown"));
        assert!(!markdown.contains("n/a"), "{markdown}");
        let json = folder.json(&line);
        let counts = json["summary"].as_array().unwrap().iter().map(|row| row["filters"].as_u64());
        let mut counts: Vec<u64> = counts.flatten().collect();
        counts.dedup();
        assert_eq!(counts, filters, "{file}");
        folder.ok(&format!("{line} --report r.html"));
        let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
        assert!(!page.contains(">n/a<"), "{file}");
    }
    folder
        .run("compare three.csv --label species --methods lda,pca -m 2,9")
        .fails(1, "name at most 3 (--filters)");
}

/// Few samples of many columns, of which the first differ between classes.
fn wide(rows: usize, columns: usize, shift: usize) -> (Vec<f64>, Vec<i64>) {
    let class = |row: usize| (row % 3) as i64;
    let mut values = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let noise =
                ((row + shift) as f64 * 12.9898 + column as f64 * 78.233).sin() * 43_758.545;
            let mean = if column % 50 == 0 { class(row) as f64 } else { 0.0 };
            values.push(mean + noise - noise.floor() - 0.5);
        }
    }
    (values, (0..rows).map(class).collect())
}

#[test]
fn few_samples_of_many_columns_take_little_memory_and_give_what_a_fit_gives() {
    let folder = Folder::new();
    let (rows, columns) = (45, 1500);
    let mut npz = NpzWriter::create(&folder.path("wide.npz"), false).unwrap();
    for (part, shift) in [("train", 0), ("test", 1000)] {
        let (points, labels) = wide(rows, columns, shift);
        npz.add(&format!("X_{part}"), &[rows, columns], &points).unwrap();
        npz.add(&format!("y_{part}"), &[rows], &labels).unwrap();
    }
    npz.finish().unwrap();
    // Two sets of three covariances alone would be 0.1 GB.
    let line = "compare wide.npz --methods sqfa,lda,pca -m 2 --seeds 1";
    let found = folder.json(&format!("{line} --memory 0.01"));
    for row in found["rows"].as_array().unwrap() {
        let method = row["method"].as_str().unwrap();
        folder.ok(&format!("fit wide.npz -m 2 --method {method} --out m.sqfa"));
        let fitted = folder.json("evaluate m.sqfa wide.npz --classifier qda");
        assert_eq!(row["qda"], fitted["qda_accuracy"], "{method}");
    }
    let said = folder.run(&format!("{line} --memory 0.0001"));
    said.fails(1, "--memory 1 to try it anyway");
}

//! Outliers from the shell: robust fits, their own classifier, and what is refused before anything is written.

use crate::common::{Folder, table};

/// The table of every test, with a constant column, a column of other units, and every ninth row far away.
fn spoilt(folder: &Folder) {
    let all = table(60);
    let header = all.lines().next().unwrap();
    let label = header.split(',').position(|name| name == "species").unwrap();
    let mut text = format!("{header},constant,large\n");
    for (at, line) in all.lines().skip(1).enumerate() {
        let cells: Vec<String> = line
            .split(',')
            .enumerate()
            .map(|(column, cell)| match cell.parse::<f64>() {
                Ok(number) if column != label && at % 9 == 0 => {
                    format!("{}", number * if at % 2 == 0 { 400.0 } else { -300.0 } + at as f64)
                }
                _ => cell.to_owned(),
            })
            .collect();
        text += &format!("{},7,{}\n", cells.join(","), 1000 * ((at * 7919) % 101));
    }
    folder.write("clean.csv", {
        let mut clean = format!("{header},constant,large\n");
        for (at, line) in all.lines().skip(1).enumerate() {
            clean += &format!("{line},7,{}\n", 1000 * ((at * 7919) % 101));
        }
        clean
    });
    folder.write("spoilt.csv", text);
}

#[test]
fn a_robust_fit_needs_no_flags_and_is_evaluated_under_its_own_model() {
    let folder = Folder::new();
    spoilt(&folder);
    let report = folder.json("fit spoilt.csv --label species -m 2 --method sqfa-t --out t.sqfa");
    assert_eq!(report["distance"], "calvo-oller-t:5");
    folder.json("fit spoilt.csv --label species -m 2 --out g.sqfa");
    let evaluated = |command: &str| {
        folder.json(&format!("evaluate {command} clean.csv --label species"))["qda_accuracy"]
            .as_f64()
            .unwrap()
    };
    let (robust, plain) = (evaluated("t.sqfa --classifier qda-t"), evaluated("g.sqfa"));
    assert!(robust > 0.9 && robust > plain, "{robust} against {plain}");
    let text = folder.ok("evaluate t.sqfa clean.csv --label species --classifier qda-t");
    assert!(text.contains("QDA-t accuracy"), "{text}");
    for flags in
        ["--method sqfa-t --nu 2.5", "--method sqfa-cauchy", "--covariance-estimator tyler"]
    {
        folder.json(&format!("fit spoilt.csv --label species -m 2 {flags} --out m.sqfa"));
        assert!(evaluated("m.sqfa --classifier qda-t") > 0.9, "{flags}");
    }
    let report = folder
        .json("fit spoilt.csv --label species -m 2 --covariance-estimator t:auto --out m.sqfa");
    assert!(report["settings"].to_string().contains("nu"), "{report}");
}

#[test]
fn what_needs_points_or_more_of_them_is_refused() {
    let folder = Folder::new();
    spoilt(&folder);
    folder.ok("stats spoilt.csv --label species --out sums.stats");
    let refused = |command: &str, part: &str| {
        folder.run(&format!("{command} --out none.sqfa")).fails(1, part);
        assert!(!folder.path("none.sqfa").exists(), "{command} wrote a model");
    };
    refused(
        "fit sums.stats -m 2 --covariance-estimator t:5",
        "only class statistics are available",
    );
    refused("fit sums.stats -m 2 --method sqfa-cauchy", "has no covariance");
    let said = folder.run("fit sums.stats -m 2 --method sqfa-t --out m.sqfa");
    assert!(said.code == 0 && said.err.contains("0.600 times the covariances"), "{}", said.err);
    let few: Vec<String> =
        (0..8).map(|row| format!("{row},{},{}", row * row % 5, row % 3)).collect();
    let few = few.iter().enumerate().map(|(at, row)| format!("{row},{}\n", ["a", "b"][at % 2]));
    folder.write("few.csv", format!("x,y,z,class\n{}", few.take(6).collect::<String>()));
    refused("fit few.csv --label class -m 1 --method sqfa-t", "reduce the dimension first");
    folder.ok(
        "fit few.csv --label class -m 1 --method sqfa-t --pca-dims 2 --noise scale --out m.sqfa",
    );
    folder.write("same.csv", "x,y,c\n1,2,a\n1,2,a\n1,2,a\n1,2,a\n3,1,b\n4,1,b\n2,5,b\n0,2,b\n");
    refused("fit same.csv --label c -m 1 --method sqfa-t", "all 4 points are the same");
    for nu in ["0.5", "nan", "inf", "-1"] {
        folder
            .run(&format!(
                "fit spoilt.csv --label species -m 2 --method sqfa-t --nu {nu} --out n.sqfa"
            ))
            .fails(2, "at least 1");
    }
    folder
        .run("fit spoilt.csv --label species -m 2 --nu 3 --out n.sqfa")
        .fails(2, "`--method sqfa` does not use `--nu`: it belongs to `--method sqfa-t`");
    folder
        .run("fit spoilt.csv --label species -m 2 --covariance-estimator t:0.2 --out n.sqfa")
        .fails(2, "of at least 1");
}

//! `--lift`: nonlinear features in a fit, in its model and wherever the model is used; what does not fit is refused.

use crate::common::Folder;

/// Two rings in columns of very different units, an id and a constant beside them; rows alternate.
fn rings(rows: usize) -> String {
    let mut text = "id,wide,thin,same,ring\n".to_owned();
    for row in 0..rows {
        let ring = row % 2;
        let turn = row as f64 * 2.399_963;
        let radius = (1.0 + ring as f64) * (1.0 + 0.1 * (row as f64 * 1.7).sin());
        let (x, y) = (radius * turn.cos() * 1000.0, radius * turn.sin() * 0.01);
        text += &format!("p{row},{x},{y},7,{}\n", if ring == 0 { "inner" } else { "outer" });
    }
    text
}

#[test]
fn a_lift_tells_rings_apart_that_filters_cannot_and_stays_in_the_model() {
    let folder = Folder::new();
    folder.write("learn.csv", rings(400));
    folder.write("held.csv", rings(100));
    let fit = |flags: &str| {
        folder.ok(&format!("fit learn.csv --label ring --ignore id -m 1 {flags} --out m.sqfa"));
        let told = folder.json("evaluate m.sqfa held.csv --label ring");
        told["qda_accuracy"].as_f64().unwrap()
    };
    let plain = fit("");
    assert!(plain < 0.9, "{plain}");
    for kind in ["quadratic", "fourier:60", "nystroem:60"] {
        let accuracy = fit(&format!("--lift {kind}"));
        assert!(accuracy > 0.97, "{kind}: {accuracy}");
        let told = folder.ok("inspect m.sqfa");
        assert!(told.contains(&format!("{kind}: 3 columns → ")), "{told}");
        assert_eq!(folder.json("inspect m.sqfa")["dimensions"], 3);
    }
    // Columns are found by name, and values that are missing are filled in before the lift.
    folder.write("turned.csv", "thin,same,wide\n0.005,7,500\n,7,2000\n");
    let told = folder.ok("predict m.sqfa turned.csv --missing mean");
    assert!(told.contains("inner") && told.contains("outer"), "{told}");
    // The report shows the fit's own points, which are lifted once.
    fit("--lift nystroem:60 --report r.html");
    assert!(std::fs::read_to_string(folder.path("r.html")).unwrap().contains("100.0"));
}

#[test]
fn lifts_that_cannot_be_are_refused_before_anything_is_written() {
    let folder = Folder::new();
    folder.write("learn.csv", rings(60));
    for (flags, parts) in [
        ("--lift cubic", vec!["unknown lift 'cubic'", "quadratic, fourier, nystroem"]),
        ("--lift fourier", vec!["specify the number of features"]),
        (
            "--lift nystroem:61",
            vec!["needs 61 samples, but there are only 60", "at most nystroem:60"],
        ),
        ("--lift fourier:1000000", vec!["1000000 features", "GB are at hand", "fewer"]),
        ("--lift nystroem:20 --bandwidth 0", vec!["bandwidth is 0", "median distance"]),
        ("--bandwidth 2", vec!["--lift"]),
    ] {
        let line = format!("fit learn.csv --label ring --ignore id -m 1 {flags} --out m.sqfa");
        let said = folder.run(&line);
        for part in parts {
            said.fails(said.code, part);
        }
        assert_ne!(said.code, 0, "{flags}");
        assert!(!folder.path("m.sqfa").exists(), "{flags}");
    }
    folder.ok("stats learn.csv --label ring --ignore id --out sums.stats");
    let said = folder.run("fit sums.stats -m 1 --lift quadratic --out m.sqfa");
    said.fails(1, "maps points, and DATA came as class statistics");
}

//! The label column: found by name only where the name is clear, printed, and remembered by models and class statistics.

use crate::common::{Folder, table};

/// A table of three numeric columns and one of classes, of which the numbers follow no other pattern.
fn named(header: &str, kind: impl Fn(usize) -> String) -> String {
    let mut text = format!("{header}\n");
    for row in 0..60 {
        let wave = |k: usize| (row as f64 * (0.7 + 0.31 * k as f64)).sin() + (row % 3) as f64;
        text.push_str(&format!("{:.4},{:.4},{:.4},{}\n", wave(0), wave(1), wave(2), kind(row)));
    }
    text
}

#[test]
fn a_column_that_may_be_a_coordinate_or_a_measurement_is_no_label_unless_named() {
    let folder = Folder::new();
    folder.write("n.csv", named("x,y,z,kind", |row| (row % 3).to_string()));
    folder.write("t.csv", named("X,Y,Z,kind", |row| ["a", "b", "c"][row % 3].to_owned()));
    folder.write("m.csv", named("a,target,z,kind", |row| ["a", "b", "c"][row % 3].to_owned()));
    for (file, why) in [
        ("n.csv", "next to 'x' it may be a coordinate"),
        ("t.csv", "next to 'X' it may be a coordinate"),
        ("m.csv", "it holds 60 different numbers, and column 'kind' holds text"),
    ] {
        for command in ["fit -m 2 --out m.sqfa", "stats --out s.stats", "compare", "distances"] {
            let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
            let said = folder.run(&format!("{name} {file} {rest}"));
            said.fails(1, why);
            assert!(said.err.contains("(--label kind)"), "{}", said.err);
            assert!(!said.err.contains("--ignore"), "{}", said.err);
        }
        folder.ok(&format!("fit {file} --label kind -m 2 --out m.sqfa"));
    }
    // A column y far from any x is a label, and one that was named is a feature like any other.
    folder.write("u.csv", named("a,b,c,y", |row| (row % 3).to_string()));
    assert_eq!(folder.json("fit u.csv -m 2 --out u.sqfa")["label"], "y");
    let said = folder.run("fit n.csv --label kind -m 2 --out m.sqfa");
    assert!(!said.err.contains("called like a label"), "{}", said.err);
}

#[test]
fn the_label_column_is_printed() {
    let folder = Folder::new();
    folder.write("t.csv", table(20).replace("species", "class"));
    let said = folder.run("fit t.csv -m 2 --out m.sqfa");
    assert!(said.out.contains("label      class: ant, bee, cat"), "{}", said.out);
    for line in ["fit t.csv -m 2 --out m.sqfa", "stats t.csv --out t.stats", "distances t.csv"] {
        let said = folder.run(line);
        assert!(said.err.contains("the label column is 'class'"), "{line}: {}", said.err);
        let named = folder.run(&format!("{line} --label class"));
        assert!(!named.err.contains("label column"), "{line}: {}", named.err);
    }
    assert!(folder.ok("inspect m.sqfa").contains("class\n"));
    assert_eq!(folder.json("inspect m.sqfa")["data"]["label"], "class");
}

#[test]
fn models_and_statistics_remember_the_label_column() {
    let folder = Folder::new();
    folder.write("t.csv", table(30));
    folder.ok("fit t.csv --label species -m 2 --out m.sqfa");
    let named = folder.json("evaluate m.sqfa t.csv --label species");
    assert_eq!(folder.json("evaluate m.sqfa t.csv"), named);
    assert_eq!(folder.json("evaluate m.sqfa --test t.csv"), named);
    folder.ok("transform m.sqfa t.csv --out z.csv");
    let features = std::fs::read_to_string(folder.path("z.csv")).unwrap();
    assert!(features.lines().nth(1).unwrap().ends_with(",ant"), "{features}");
    // Another name is found as well where it is the usual one.
    folder.write("other.csv", table(30).replace("species", "label"));
    assert_eq!(folder.json("evaluate m.sqfa other.csv"), named);
    // Class statistics remember it for the models that are made of them.
    folder.ok("stats t.csv --label species --out a.stats");
    folder.ok("stats t.csv --label species --out b.stats");
    folder.ok("stats merge a.stats b.stats --out ab.stats");
    folder.ok("fit ab.stats -m 2 --out s.sqfa");
    assert_eq!(folder.json("inspect s.sqfa")["data"]["label"], "species");
    assert_eq!(folder.json("evaluate s.sqfa t.csv")["n_test"], 90);
    // Without names the position is remembered.
    let bare: String = table(30).lines().skip(1).map(|line| format!("{line}\n")).collect();
    folder.write("bare.csv", bare);
    folder.ok("fit bare.csv --label 3 -m 2 --out p.sqfa");
    assert_eq!(folder.json("evaluate p.sqfa bare.csv")["qda_accuracy"], named["qda_accuracy"]);
}

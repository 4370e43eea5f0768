//! Tables and arrays that look right and are not: each is understood, told or refused, never silently wrong.

use sqfa_io::formats::NpzWriter;

use crate::common::{Folder, table};

/// The table of every row's cells, with other cells.
fn each(text: &str, change: impl Fn(usize, Vec<&str>) -> Vec<String>) -> String {
    let rows = text.lines().enumerate();
    rows.map(|(row, line)| change(row, line.split(',').collect()).join(",") + "\n").collect()
}

/// The table with a column before the others.
fn with_column(text: &str, name: &str, value: impl Fn(usize) -> String) -> String {
    each(text, |row, cells| {
        let first = if row == 0 { name.to_owned() } else { value(row - 1) };
        std::iter::once(first).chain(cells.into_iter().map(str::to_owned)).collect()
    })
}

/// The table sorted by its last column.
fn sorted(text: &str) -> String {
    let (head, body) = text.split_once('\n').unwrap();
    let mut rows: Vec<&str> = body.lines().collect();
    rows.sort_by_key(|row| row.rsplit(',').next());
    format!("{head}\n{}\n", rows.join("\n"))
}

/// The table with other labels, by row and by class from 0.
fn labeled(text: &str, label: impl Fn(usize, usize) -> String) -> String {
    let mut classes: Vec<&str> =
        text.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    classes.sort_unstable();
    classes.dedup();
    each(text, |row, mut cells| {
        let old = cells.pop().unwrap();
        let class = classes.iter().position(|class| *class == old).unwrap_or(0);
        let new = if row == 0 { "label".to_owned() } else { label(row - 1, class) };
        cells.into_iter().map(str::to_owned).chain([new]).collect()
    })
}

const FIT: &str = "-m 2 --noise 0.1 --n-init 1 --out";

#[test]
fn columns_that_follow_the_rows_or_repeat_the_label_are_told() {
    let folder = Folder::new();
    let text = sorted(&table(30).replace("species", "label"));
    let tables = [
        (
            "time.csv",
            with_column(&text, "t", |row| format!("{}.25", 1_700_000_000 + row)),
            "'t' increases or decreases monotonically",
        ),
        (
            "day.csv",
            with_column(&text, "day", |row| (20_240_101 + row / 2).to_string()),
            "'day' increases or decreases monotonically",
        ),
        (
            "row.csv",
            with_column(&text, "n", |row| (row * 7 % 90 + 5).to_string()),
            "'n' numbers the rows",
        ),
        (
            "account.csv",
            with_column(&text, "account", |row| (row * 7 % 90 * 1009 + 40_000).to_string()),
            "'account' holds whole numbers that are all different",
        ),
    ];
    for (file, text, words) in tables {
        folder.write(file, text);
        for line in [
            format!("fit {file} {FIT} m.sqfa"),
            format!("stats {file} --out s.stats"),
            format!("distances {file} --noise 0.1"),
        ] {
            let said = folder.run(&line);
            assert!(said.code == 0 && said.err.contains(words), "sqfa {line}: {}", said.err);
        }
    }
    let code = |row: usize| {
        text.lines().nth(row + 1).and_then(|line| line.rsplit(',').next()).map_or(0, str::len)
    };
    let told = with_column(&text, "code", |row| (code(row) * 10 + row / 30).to_string());
    folder.write("leak.csv", told);
    let said = folder.run(&format!("fit leak.csv {FIT} m.sqfa"));
    assert!(said.err.contains("'code' is constant within each class"), "{}", said.err);
    // The plain table with its rows in another order draws no word.
    let ordered = table(30).replace("species", "label");
    let lines: Vec<&str> = ordered.lines().collect();
    let moved = (0..90).map(|row| format!("{}\n", lines[1 + row * 37 % 90]));
    folder.write("plain.csv", format!("{}\n{}", lines[0], moved.collect::<String>()));
    assert_eq!(folder.run(&format!("fit plain.csv --label label {FIT} m.sqfa")).err, "");
    // Two indices are two indices.
    let two =
        with_column(&with_column(&text, "id", |row| row.to_string()), "", |row| row.to_string());
    folder.write("two.csv", two);
    let said = folder.json(&format!("fit two.csv {FIT} m.sqfa"));
    assert_eq!(said["n_train"], 90);
    assert_eq!(folder.json("inspect m.sqfa")["feature_names"].as_array().unwrap().len(), 3);
}

#[test]
fn a_label_is_the_same_however_a_program_writes_its_number() {
    let folder = Folder::new();
    let text = table(30);
    folder.write("whole.csv", labeled(&text, |_, class| (class + 1).to_string()));
    folder.write("float.csv", labeled(&text, |_, class| format!("{}.0", class + 1)));
    let name = |class: usize| ["1", "2", "x"][class].to_owned();
    folder.write("words.csv", labeled(&text, |_, class| name(class)));
    let some = labeled(&text, |_, class| name(class));
    let some: String =
        some.lines().filter(|line| !line.ends_with('x')).map(|line| format!("{line}\n")).collect();
    folder.write("some.csv", some);
    for file in ["whole", "float", "words"] {
        folder.ok(&format!("fit {file}.csv {FIT} {file}.sqfa"));
    }
    let accuracy = |line: &str| folder.json(line)["qda_accuracy"].as_f64().unwrap();
    let expected = accuracy("evaluate whole.sqfa whole.csv");
    assert_eq!(accuracy("evaluate whole.sqfa float.csv"), expected);
    assert_eq!(accuracy("evaluate float.sqfa whole.csv"), expected);
    assert!(accuracy("evaluate words.sqfa some.csv") > 0.5);
    folder.ok(&format!("fit words.csv some.csv {FIT} both.sqfa"));
    folder
        .run("compare words.csv --test some.csv --methods lda --filters 1")
        .fails(1, "no point of 1 of 3 classes ('x')");
    folder.ok(&format!("fit whole.csv float.csv {FIT} both.sqfa"));
    assert_eq!(folder.json("inspect both.sqfa")["classes"], serde_json::json!([1, 2, 3]));
    // Within one file two ways of writing are two classes, which is told.
    for (file, label) in [
        (
            "mixed.csv",
            (|row, class| format!("{class}{}", if row < 40 { "" } else { ".0" }))
                as fn(usize, usize) -> String,
        ),
        ("case.csv", |row, class| {
            let letters = if row % 2 == 0 { ["a", "b", "c"] } else { ["A", "B", "C"] };
            letters[class].to_owned()
        }),
        ("unseen.csv", |row, class| {
            format!("k{class}{}", if row % 2 == 0 { "" } else { "\u{200b}" })
        }),
    ] {
        folder.write(file, labeled(&text, label));
        for line in [format!("fit {file} {FIT} m.sqfa"), format!("stats {file} --out s.stats")] {
            let said = folder.run(&line);
            assert!(
                said.code == 0 && said.err.contains("are two classes: if they mean the same"),
                "{file}: {}",
                said.err
            );
        }
    }
}

#[test]
fn a_file_counts_once_and_test_points_have_their_own_labels() {
    let folder = Folder::new();
    folder.write("a.csv", table(20).replace("species", "label"));
    std::fs::create_dir(folder.path("sub")).unwrap();
    for line in [
        "fit a.csv ./a.csv -m 1 --out m.sqfa",
        "fit a.csv sub/../a.csv -m 1 --out m.sqfa",
        "stats a.csv a.csv --out s.stats",
    ] {
        folder.run(line).fails(2, "is named twice: its samples would count twice");
    }
    // The labels of the training points are not those of the test points.
    let write = |file: &str, rows: usize| {
        let values: Vec<f64> = (0..rows * 2).map(|i| ((i * i + 3) as f64).sin()).collect();
        sqfa_io::formats::write_npy(
            &folder.path(file),
            &[rows, 2],
            sqfa_io::formats::Values::F64(values).as_ref(),
        )
        .unwrap();
    };
    write("x.npy", 40);
    write("t.npy", 40);
    let labels: Vec<i64> = (0..40).map(|row| row % 2).collect();
    let labels = sqfa_io::formats::Values::I64(labels);
    sqfa_io::formats::write_npy(&folder.path("y.npy"), &[40], labels.as_ref()).unwrap();
    folder
        .run("compare x.npy --labels y.npy --test t.npy --methods lda --filters 1")
        .fails(1, "t.npy: an npy file holds no labels");
}

#[test]
fn test_points_are_filled_in_with_what_training_points_have() {
    let folder = Folder::new();
    let plain = table(30).replace("species", "label");
    folder.write("train.csv", &plain);
    // Every test point lacks its first value but for one, which is far away.
    let head = plain.lines().next().unwrap();
    let rows: Vec<&str> = plain.lines().skip(1).take(60).collect();
    let mean: f64 = plain
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().parse::<f64>().unwrap())
        .sum::<f64>()
        / 90.0;
    let test = |first: &str| {
        let rows = rows.iter().enumerate().map(|(row, line)| {
            let rest = line.split_once(',').unwrap().1;
            if row == 0 { format!("1e6,{rest}\n") } else { format!("{first},{rest}\n") }
        });
        format!("{head}\n{}", rows.collect::<String>())
    };
    folder.write("gaps.csv", test(""));
    folder.write("filled.csv", test(&mean.to_string()));
    let scores = |file: &str| {
        let text = folder.ok(&format!(
            "compare train.csv --test {file} --missing mean --methods lda --filters 2 --csv"
        ));
        text.lines()
            .map(|line| line.split(',').take(6).collect::<Vec<_>>().join(","))
            .collect::<Vec<_>>()
    };
    assert_eq!(scores("gaps.csv"), scores("filled.csv"));
}

#[test]
fn points_in_other_units_than_the_training_points_are_told() {
    let folder = Folder::new();
    let plain = table(30).replace("species", "label");
    folder.write("train.csv", &plain);
    let times = |factor: f64| {
        each(&plain, |row, cells| {
            let number = |cell: &&str| match cell.parse::<f64>() {
                Ok(value) if row > 0 => (value * factor).to_string(),
                _ => (*cell).to_owned(),
            };
            cells.iter().map(number).collect()
        })
    };
    folder.write("small.csv", times(0.001));
    folder.write("large.csv", times(1000.0));
    folder.ok(&format!("fit train.csv {FIT} m.sqfa"));
    for command in ["evaluate m.sqfa", "predict m.sqfa", "transform m.sqfa --out z.csv"] {
        for file in ["small.csv", "large.csv"] {
            let said = folder.run(&format!("{command} {file}"));
            assert!(
                said.code == 0 && said.err.contains("other units"),
                "{command} {file}: {}",
                said.err
            );
        }
        assert_eq!(folder.run(&format!("{command} train.csv")).err, "");
    }
}

#[test]
fn numbers_beyond_the_digits_of_their_type_are_told_or_refused() {
    let folder = Folder::new();
    let labels: Vec<i64> = (0..60).map(|row| row % 2).collect();
    let values = |scale: f64, offset: f64| -> Vec<f64> {
        (0..120)
            .map(|i| offset + scale * (((i * i + 3) as f64).sin() + (i / 2 % 2) as f64))
            .collect()
    };
    let write = |file: &str, add: &dyn Fn(&mut NpzWriter)| {
        let mut npz = NpzWriter::create(&folder.path(file), false).unwrap();
        add(&mut npz);
        npz.add("y", &[60], &labels).unwrap();
        npz.finish().unwrap();
    };
    let single = |scale: f64, offset: f64| -> Vec<f32> {
        values(scale, offset).into_iter().map(|value| value as f32).collect()
    };
    write("offset.npz", &|npz| npz.add("X", &[60, 2], &single(1.0, 1e7)).unwrap());
    write("small.npz", &|npz| npz.add("X", &[60, 2], &single(1e-19, 0.0)).unwrap());
    write("tiny.npz", &|npz| npz.add("X", &[60, 2], &values(1e-160, 0.0)).unwrap());
    write("fine.npz", &|npz| npz.add("X", &[60, 2], &values(1e-12, 0.0)).unwrap());
    let said = folder.run(&format!("fit offset.npz {FIT} m.sqfa"));
    assert!(said.code == 0 && said.err.contains("have lost their digits"), "{}", said.err);
    let refused = [("small.npz", "use --precision f64"), ("tiny.npz", "use smaller units")];
    for (file, words) in refused {
        folder.run(&format!("fit {file} -m 1 --out m.sqfa")).fails(1, words);
    }
    folder.ok("fit small.npz --precision f64 -m 1 --out m.sqfa");
    assert_eq!(folder.run("fit fine.npz -m 1 --out m.sqfa").err, "");
    // A point beyond all distances has no class.
    let text = table(30).replace("species", "label");
    folder.write("plain.csv", &text);
    folder.ok(&format!("fit plain.csv {FIT} m.sqfa"));
    let mut rows: Vec<&str> = text.lines().collect();
    rows.insert(5, "1,-1e200,3,ant");
    folder.write("far.csv", rows.join("\n"));
    for command in [
        "evaluate m.sqfa far.csv",
        "predict m.sqfa far.csv",
        "predict m.sqfa far.csv --probabilities",
    ] {
        folder.run(command).fails(1, "row 4, column 'height' is -1e200");
    }
    // Ids beyond 2^53 are no numbers to learn from.
    folder.write(
        "ids.csv",
        with_column(&text, "key", |row| {
            (1_234_567_890_123_456_789_u64 + 7_000_000_000_003 * (row as u64 * 7 % 90)).to_string()
        }),
    );
    let said = folder.run(&format!("fit ids.csv {FIT} m.sqfa"));
    assert!(said.err.contains("'key' holds whole numbers that are all different"), "{}", said.err);
    folder.write(
        "huge.csv",
        each(&text, |row, cells| {
            let number = |cell: &&str| {
                if row > 0 && cell.parse::<f64>().is_ok() {
                    format!("{cell}e300")
                } else {
                    (*cell).to_owned()
                }
            };
            cells.iter().map(number).collect()
        }),
    );
    let said = folder.run(&format!("fit huge.csv {FIT} m.sqfa"));
    said.fails(1, "would overflow");
    assert!(!said.err.contains("all different"), "{}", said.err);
}

#[test]
fn tables_that_other_programs_write_are_read_or_named() {
    let folder = Folder::new();
    let plain = table(30).replace("species", "label");
    // A nameless column is found again.
    folder.write("nameless.csv", plain.replacen("height", "", 1));
    folder.ok(&format!("fit nameless.csv {FIT} m.sqfa"));
    assert_eq!(folder.json("inspect m.sqfa")["feature_names"][1], "Unnamed: 1");
    folder.ok("predict m.sqfa nameless.csv");
    let bytes = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    folder.write("wide.csv", bytes(&plain));
    folder.write(
        "thousands.csv",
        each(&plain, |row, cells| {
            cells
                .iter()
                .enumerate()
                .map(|(at, cell)| {
                    if at == 0 && row > 0 {
                        format!("\"1,{:03}\"", row)
                    } else {
                        (*cell).to_owned()
                    }
                })
                .collect()
        }),
    );
    let bare: String = plain.lines().skip(1).map(|line| format!("word,{line}\n")).collect();
    folder.write("bare.csv", bare);
    folder.write("title.csv", format!("Flowers\n\n{plain}"));
    for (file, flags, words) in [
        ("wide.csv", "", "save it as text in UTF-8"),
        ("thousands.csv", "", "or a comma between thousands"),
        ("bare.csv", "--label 4", "(--ignore 0)"),
        ("title.csv", "", "line 1 is 'Flowers', and rows of 4 cells stand below"),
    ] {
        folder.run(&format!("fit {file} {flags} {FIT} m.sqfa")).fails(1, words);
    }
    folder.ok(&format!("fit bare.csv --label 4 --ignore 0 {FIT} m.sqfa"));
    // Bars between cells, and the minus of typesetters.
    folder.write("plain.csv", plain.as_str());
    folder.write("bars.csv", plain.replace(',', "|").replace('-', "\u{2212}"));
    folder.ok(&format!("fit plain.csv {FIT} plain.sqfa"));
    let said = folder.run(&format!("fit bars.csv {FIT} bars.sqfa"));
    assert!(said.code == 0 && said.err.contains("separated by '|'"), "{}", said.err);
    let filters = |model: &str| folder.ok(&format!("export {model} --format csv"));
    assert_eq!(filters("bars.sqfa"), filters("plain.sqfa"));
    // A number names a column before it counts one.
    folder.write("years.csv", plain.replacen("width,height,depth,label", "2018,2019,2020,1", 1));
    folder.ok(&format!("fit years.csv --label 1 --header yes {FIT} m.sqfa"));
    assert_eq!(
        folder.json("inspect m.sqfa")["feature_names"],
        serde_json::json!(["2018", "2019", "2020"])
    );
    // Labels of arrays may be missing, too; arrays beside the training points are told.
    let write = |file: &str, both: bool, label: &str| {
        let mut npz = NpzWriter::create(&folder.path(file), false).unwrap();
        let values: Vec<f64> = (0..80).map(|i| f64::from(i * i % 17)).collect();
        let names: Vec<String> = (0..40)
            .map(|row| if row == 3 { label } else { ["ant", "bee"][row % 2] }.to_owned())
            .collect();
        for (x, y) in
            [("X_train", "y_train"), ("X", "y")].into_iter().take(if both { 2 } else { 1 })
        {
            npz.add(x, &[40, 2], &values).unwrap();
            npz.add(y, &[40], &names).unwrap();
        }
        npz.finish().unwrap();
    };
    write("gap.npz", false, "nan");
    folder
        .run("stats gap.npz --out s.stats")
        .fails(1, "1 of 40 labels are missing ('nan' at row 3");
    folder.run("fit gap.npz -m 1 --out m.sqfa").fails(1, "labels are missing");
    write("both.npz", true, "ant");
    let said = folder.run("fit both.npz -m 1 --noise 0.1 --out m.sqfa");
    assert!(said.code == 0 && said.err.contains("'X', 'y' are not"), "{}", said.err);
}

//! Files as other programs write them: the same data in any spelling give the same model.

use crate::common::{Folder, table};
use sqfa_io::formats::NpzWriter;

/// The table of three species, its label called `label`.
fn plain() -> String {
    table(30).replace("species", "label")
}

/// Fits a file, checks that the messages contain some words, and returns the filters.
fn fit(folder: &Folder, file: &str, flags: &str, words: &str) -> Vec<Vec<f64>> {
    let said = folder.run(&format!("fit {file} {flags} -m 2 --seed 1 --out m.sqfa"));
    assert_eq!(said.code, 0, "{file}: {}", said.err);
    assert!(said.err.contains(words), "{file}: {}", said.err);
    folder.filters("m.sqfa")
}

/// Runs a line as a shell does and returns its exit code and its messages.
fn shell(folder: &Folder, line: &str) -> (i32, String) {
    let line = format!("'{}' {line}", env!("CARGO_BIN_EXE_sqfa"));
    let path = folder.path(".");
    let run = std::process::Command::new("sh").arg("-c").arg(line).current_dir(path).output();
    let run = run.unwrap();
    (run.status.code().unwrap_or(-1), String::from_utf8_lossy(&run.stderr).into_owned())
}

#[test]
fn decimal_commas_trailing_delimiters_and_comments_change_nothing() {
    let folder = Folder::new();
    let text = plain();
    folder.write("plain.csv", &text);
    let expected = fit(&folder, "plain.csv", "", "");
    let lines: Vec<&str> = text.lines().collect();
    let body = lines[1..].join("\n");
    let european = text.replace(',', ";").replace('.', ",");
    let quoted: String = lines[1..]
        .iter()
        .map(|line| {
            let cells = line.split(',').map(|cell| format!("\"{}\"", cell.replace('.', ",")));
            cells.collect::<Vec<_>>().join(",") + "\n"
        })
        .collect();
    let each = |end: &str| lines.iter().map(|line| format!("{line}{end}\n")).collect::<String>();
    let between = format!("{}\n# a, b \"\n#\n{}\n", lines[..40].join("\n"), lines[40..].join("\n"));
    let comma = "detected a decimal comma; override with --decimal point";
    for (name, text, flags, words) in [
        ("semicolon.csv", european.clone(), "", comma),
        ("tab.tsv", european.replace(';', "\t"), "", comma),
        ("named.csv", european.clone(), "--decimal ,", ""),
        ("word.csv", european.clone(), "--decimal comma --delimiter ;", ""),
        ("quoted.csv", format!("{}\n{quoted}", lines[0]), "", comma),
        ("trailing.csv", each(","), "", ""),
        ("trailing3.csv", each(",,,"), "", ""),
        ("rows.csv", each(",").replacen("label,", "label", 1), "", ""),
        ("bare.csv", body.replace('\n', ",\n"), "--label 3", ""),
        ("above.csv", format!("# by hand\n#in mm, all of it\n\n{text}"), "", "as comments"),
        ("between.csv", between, "", "as comments"),
        ("savetxt.csv", format!("# {}\n{body}\n", lines[0]), "", "names of the columns"),
        (
            "savetxt.txt",
            format!("# by hand\n#{}\n{body}\n", lines[0]).replace(',', " "),
            "",
            "names of the columns",
        ),
    ] {
        folder.write(name, text);
        assert_eq!(fit(&folder, name, flags, words), expected, "{name}");
    }
    assert_eq!(folder.json("inspect m.sqfa")["feature_names"][2], "depth");
    // A first column whose cells begin with the mark of comments is one.
    let colors: String = (0..lines.len())
        .map(|row| if row == 0 { "color".into() } else { format!("#00ff{row:02x}") })
        .zip(&lines)
        .map(|(color, line)| format!("{color},{line}\n"))
        .collect();
    folder.write("colors.csv", colors);
    assert_eq!(fit(&folder, "colors.csv", "--ignore color", ""), expected);
    // Commas that may separate thousands are not read as decimal marks.
    let thousands = "a;b;label\n1,500;2;x\n2,250;3;y\n1,125;5;x\n2,750;1;y\n".repeat(4);
    folder.write("maybe.csv", &thousands[..thousands.len() / 4]);
    let said = folder.run("fit maybe.csv -m 1 --noise 0.1 --out m.sqfa");
    said.fails(1, "'1,500' has a decimal comma, or a comma between thousands");
    folder.ok("fit maybe.csv --decimal comma -m 1 --noise 0.1 --out m.sqfa");
    // A value in a column without a name is not dropped silently.
    folder.write("behind.csv", each(",").replacen("ant,", "ant,7", 1));
    let said = folder.run("fit behind.csv -m 1 --out m.sqfa");
    said.fails(1, "Unnamed: 4");
}

#[test]
fn booleans_are_0_and_1_and_further_values_may_be_missing() {
    let folder = Folder::new();
    let text = plain();
    let with = |value: &dyn Fn(usize) -> String| -> String {
        let cell = |row: usize| if row == 0 { "extra".to_owned() } else { value(row) };
        text.lines().enumerate().map(|(row, line)| format!("{},{line}\n", cell(row))).collect()
    };
    let numbers = ["0", "1"];
    for (name, words) in
        [("numbers", numbers), ("python", ["False", "True"]), ("r", ["FALSE", "TRUE"])]
    {
        folder.write(&format!("{name}.csv"), with(&|row| words[row * 7 % 3 % 2].to_owned()));
    }
    let expected = fit(&folder, "numbers.csv", "", "");
    assert_eq!(fit(&folder, "python.csv", "", ""), expected);
    assert_eq!(fit(&folder, "r.csv", "", ""), expected);
    // Values that mean missing: as they are, as numbers in another spelling, and as text.
    let value = |row: usize, missing: &str| match row % 9 {
        0 => missing.to_owned(),
        _ => format!("{:.2}", (row as f64).sin()),
    };
    for (name, missing) in
        [("gaps", ""), ("minus", "-999"), ("float", "-999.0"), ("word", "none given")]
    {
        folder.write(&format!("{name}.csv"), with(&|row| value(row, missing)));
    }
    for how in ["drop", "mean"] {
        let expected = fit(&folder, "gaps.csv", &format!("--missing {how}"), "");
        let flags = format!("--na-values -999 --missing {how}");
        assert_eq!(fit(&folder, "minus.csv", &flags, ""), expected);
        assert_eq!(fit(&folder, "float.csv", &flags, ""), expected);
    }
    let (code, said) = shell(
        &folder,
        "fit word.csv --na-values 'none given,-999' --missing drop -m 2 --seed 1 --out w.sqfa",
    );
    assert_eq!(code, 0, "{said}");
    fit(&folder, "gaps.csv", "--missing drop", "");
    assert_eq!(folder.filters("w.sqfa"), folder.filters("m.sqfa"));
    // Without the flag the value is used, with a warning that names the flag; so is a streamed one.
    let warning = "use --na-values=-999 --missing drop";
    fit(&folder, "minus.csv", "", warning);
    let said = folder.run("stats minus.csv --out s.stats");
    assert!(said.code == 0 && said.err.contains(warning), "{}", said.err);
    let said = folder.run("fit minus.csv --na-values -999 --missing drop -m 2 --out m.sqfa");
    assert!(said.code == 0 && !said.err.contains("may stand for missing"), "{}", said.err);
    let said = folder.run("fit numbers.csv -m 2 --out m.sqfa");
    assert!(!said.err.contains("may stand for missing"), "{}", said.err);
    folder.run("fit gaps.csv --na-values -999 -m 2 --out m.sqfa").fails(1, "--missing drop");
    folder.run("fit speed.npz --na-values 1 -m 2 --out m.sqfa").fails(1, "speed.npz");
}

#[test]
fn one_message_names_every_column_of_text_and_its_flag_works_when_pasted() {
    let folder = Folder::new();
    // Names with commas, quotes, blanks, dollars and a minus, text in half of a column, one bad cell, one gap.
    let mut text = "\"-name, first\",day,a,\"it's\",$b,c d,e,label\n".to_owned();
    for row in 0..40 {
        let wave = |k: usize| format!("{:.3}", ((row * (3 + k)) as f64 * 0.7).sin());
        let code = if row % 4 == 0 { "A12".to_owned() } else { wave(5) };
        let bad = if row == 7 { "oops".to_owned() } else { wave(2) };
        let gap = if row == 9 { String::new() } else { wave(3) };
        text.push_str(&format!(
            "\"P, {row}\",2020-01-{row:02},{},it,{code},{bad},{gap},{}\n",
            wave(1),
            ["x", "y"][row % 2]
        ));
    }
    folder.write("t.csv", text);
    let said = folder.run("fit t.csv -m 1 --out m.sqfa");
    for name in ["'-name, first'", "'day'", "'it's'", "'$b'", "'c d'", "line 9: 'oops'"] {
        said.fails(1, name);
    }
    let (_, flags) = said.err.trim_end().trim_end_matches(')').rsplit_once(" (").unwrap();
    let (code, said) = shell(&folder, &format!("fit t.csv -m 1 --out m.sqfa {flags}"));
    assert_eq!(code, 0, "{flags}\n{said}");
    assert_eq!(folder.json("inspect m.sqfa")["feature_names"], serde_json::json!(["a", "e"]));
    let (code, said) = shell(
        &folder,
        "fit t.csv --columns='-name, first-day,a' --ignore '-name, first,day' -m 1 --out m.sqfa",
    );
    assert_eq!(code, 2, "a value that begins with a minus needs an equals sign: {said}");
    let (code, said) = shell(
        &folder,
        "fit t.csv --columns='-name, first-day,a' --ignore='-name, first,day' -m 1 --out m.sqfa",
    );
    assert_eq!(code, 0, "{said}");
    assert_eq!(folder.json("inspect m.sqfa")["feature_names"], serde_json::json!(["a"]));
}

#[test]
fn a_table_needs_no_ending() {
    let folder = Folder::new();
    let text = plain();
    for name in ["t.csv", "t.dat", "t.data", "table", "README"] {
        folder.write(name, &text);
    }
    let expected = fit(&folder, "t.csv", "", "");
    for name in ["t.dat", "t.data", "table", "README"] {
        assert_eq!(fit(&folder, name, "", ""), expected, "{name}");
    }
    folder.write("t.tab", text.replace(',', "\t"));
    assert_eq!(fit(&folder, "t.tab", "", ""), expected);
    let mut npz = NpzWriter::create(&folder.path("archive"), false).unwrap();
    npz.add("X", &[4, 2], &vec![0.5, 1.0, 1.5, 2.5, 3.0, 1.0, 0.0, 2.0]).unwrap();
    npz.add("y", &[4], &vec![0i64, 1, 0, 1]).unwrap();
    npz.finish().unwrap();
    folder.ok("fit archive -m 1 --noise 0.1 --out m.sqfa");
    folder.write("thing.bin", &text);
    folder.run("fit thing.bin -m 2 --out m.sqfa").fails(1, "unknown kind of file");
    // Another program's output, without a file.
    #[cfg(target_os = "linux")]
    {
        let line = format!(
            "cat t.csv | '{}' fit /dev/stdin -m 2 --seed 1 --out m.sqfa",
            env!("CARGO_BIN_EXE_sqfa")
        );
        let mut command = std::process::Command::new("sh");
        let run = command.arg("-c").arg(line).current_dir(folder.path(".")).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(folder.filters("m.sqfa"), expected);
    }
}

/// Rows and labels of the table.
fn arrays() -> (Vec<f64>, Vec<String>) {
    let text = plain();
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        values.extend(cells[..3].iter().map(|cell| cell.parse::<f64>().unwrap()));
        labels.push(cells[3].to_owned());
    }
    (values, labels)
}

#[test]
fn arrays_are_found_by_usual_names_or_as_told() {
    let folder = Folder::new();
    folder.write("t.csv", plain());
    let expected = fit(&folder, "t.csv", "", "");
    let (values, labels) = arrays();
    let write = |file: &str, x: &str, y: Option<&str>| {
        let mut npz = NpzWriter::create(&folder.path(file), true).unwrap();
        npz.add(x, &[90, 3], &values).unwrap();
        if let Some(y) = y {
            npz.add(y, &[90], &labels).unwrap();
        }
        npz.finish().unwrap();
    };
    for (x, y) in [
        ("X", "y"),
        ("x", "y"),
        ("data", "target"),
        ("counts", "labels"),
        ("features", "labels"),
        ("x_train", "y_train"),
        ("X_train", "y_train"),
    ] {
        write("a.npz", x, Some(y));
        assert_eq!(fit(&folder, "a.npz", "", ""), expected, "{x} {y}");
        folder.ok("stats a.npz --out a.stats");
        let found = folder.json("evaluate m.sqfa a.npz");
        assert_eq!(found["n_test"], 90, "{x} {y}");
    }
    write("odd.npz", "spikes", Some("orientation"));
    let said = folder.run("fit odd.npz -m 2 --out m.sqfa");
    said.fails(1, "it has: spikes, orientation");
    said.fails(1, "(--x-key spikes --y-key orientation)");
    let keys = "--x-key spikes --y-key orientation";
    assert_eq!(fit(&folder, "odd.npz", keys, ""), expected);
    assert_eq!(folder.json(&format!("evaluate m.sqfa odd.npz {keys}"))["n_test"], 90);
    folder.ok(&format!("stats odd.npz {keys} --out odd.stats"));
    folder.ok("predict m.sqfa odd.npz --x-key spikes");
    folder.run("fit odd.npz --x-key spike -m 2 --out n.sqfa").fails(1, "no array 'spike'");
    folder.run("fit t.csv --y-key y -m 2 --out n.sqfa").fails(2, "--y-key names an array");
    // Labels in a file of their own.
    write("bare.npz", "X", None);
    folder.run("fit bare.npz -m 2 --out n.sqfa").fails(1, "--y-key NAME or --labels FILE.npy");
    sqfa_io::formats::write_npy(&folder.path("y.npy"), &[90], &labels).unwrap();
    assert_eq!(fit(&folder, "bare.npz", "--labels y.npy", ""), expected);
    folder.ok("stats bare.npz --labels y.npy --out b.stats");
    folder.run("stats a.npz --labels y.npy --out c.stats").fails(2, "--labels once per .npy file");
}

/// A sparse matrix as SciPy writes it: the format, the shape and the entries of it.
fn sparse(folder: &Folder, file: &str, format: &str, values: &[f64], rows: usize, columns: usize) {
    let entries: Vec<(usize, usize, f64)> = (0..rows * columns)
        .map(|at| (at / columns, at % columns, values[at]))
        .filter(|(.., value)| *value != 0.0)
        .collect();
    let mut sorted = entries.clone();
    if format == "csc" {
        sorted.sort_by_key(|&(row, column, _)| (column, row));
    }
    let whole = |all: Vec<usize>| all.into_iter().map(|value| value as i64).collect::<Vec<i64>>();
    let starts = |count: usize, of: &dyn Fn(&(usize, usize, f64)) -> usize| {
        whole((0..=count).map(|at| sorted.iter().filter(|entry| of(entry) < at).count()).collect())
    };
    let mut npz = NpzWriter::create(&folder.path(file), true).unwrap();
    let mut add = |name: &str, values: Vec<i64>| npz.add(name, &[values.len()], &values).unwrap();
    add("shape", vec![rows as i64, columns as i64]);
    match format {
        "csr" => {
            add("indices", whole(sorted.iter().map(|entry| entry.1).collect()));
            add("indptr", starts(rows, &|entry| entry.0));
        }
        "csc" => {
            add("indices", whole(sorted.iter().map(|entry| entry.0).collect()));
            add("indptr", starts(columns, &|entry| entry.1));
        }
        _ => {
            add("row", whole(sorted.iter().map(|entry| entry.0).collect()));
            add("col", whole(sorted.iter().map(|entry| entry.1).collect()));
        }
    }
    let data: Vec<f64> = sorted.iter().map(|entry| entry.2).collect();
    npz.add("data", &[data.len()], &data).unwrap();
    npz.add("format", &[], &vec![format.to_owned()]).unwrap();
    npz.finish().unwrap();
}

#[test]
fn sparse_matrices_are_read_as_the_dense_ones_they_are() {
    let folder = Folder::new();
    let (mut values, labels) = arrays();
    values.iter_mut().filter(|value| value.abs() < 0.4).for_each(|value| *value = 0.0);
    let mut npz = NpzWriter::create(&folder.path("dense.npz"), false).unwrap();
    npz.add("X", &[90, 3], &values).unwrap();
    npz.add("y", &[90], &labels).unwrap();
    npz.finish().unwrap();
    sqfa_io::formats::write_npy(&folder.path("y.npy"), &[90], &labels).unwrap();
    let expected = fit(&folder, "dense.npz", "", "");
    let predicted = folder.ok("predict m.sqfa dense.npz");
    folder.ok("stats dense.npz --out d.stats");
    folder.ok("fit d.stats -m 2 --seed 1 --out d.sqfa");
    for format in ["csr", "csc", "coo"] {
        let file = format!("{format}.npz");
        sparse(&folder, &file, format, &values, 90, 3);
        assert_eq!(fit(&folder, &file, "--labels y.npy", ""), expected, "{format}");
        assert_eq!(folder.ok(&format!("predict m.sqfa {file}")), predicted);
        let scored = folder.json(&format!("evaluate m.sqfa {file} --labels y.npy"));
        assert_eq!(scored["n_test"], 90);
        folder.ok(&format!("stats {file} --labels y.npy --out s.stats"));
        folder.ok("fit s.stats -m 2 --seed 1 --out s.sqfa");
        assert_eq!(folder.filters("s.sqfa"), folder.filters("d.sqfa"), "{format}");
        folder.run(&format!("fit {file} -m 2 --out n.sqfa")).fails(1, "--labels FILE.npy");
    }
    sparse(&folder, "bsr.npz", "bsr", &values, 90, 3);
    folder.run("fit bsr.npz --labels y.npy -m 2 --out n.sqfa").fails(1, "matrix.tocsr()");
    sparse(&folder, "short.npz", "csr", &values, 89, 3);
    folder
        .run("fit short.npz --labels y.npy -m 2 --out n.sqfa")
        .fails(1, "89 samples and 90 labels");
}

#[test]
fn damaged_sparse_matrices_are_errors() {
    let folder = Folder::new();
    sqfa_io::formats::write_npy(&folder.path("y.npy"), &[2], &vec![0i64, 1]).unwrap();
    let columns: [&[i64]; 4] = [&[0, 2], &[0, -1], &[0], &[0, i64::MAX]];
    let starts: [&[i64]; 4] = [&[0, 1, 3], &[0, 2, 1], &[1, 1, 2], &[0, 2]];
    for at in 0..8 {
        let (indices, indptr) = match at {
            0..4 => (columns[at], &[0i64, 1, 2][..]),
            _ => (&[0i64, 1][..], starts[at - 4]),
        };
        let mut npz = NpzWriter::create(&folder.path("bad.npz"), false).unwrap();
        npz.add("indices", &[indices.len()], &indices.to_vec()).unwrap();
        npz.add("indptr", &[indptr.len()], &indptr.to_vec()).unwrap();
        npz.add("format", &[], &vec!["csr".to_owned()]).unwrap();
        npz.add("shape", &[2], &vec![2i64, 2]).unwrap();
        npz.add("data", &[2], &vec![1.0, 2.0]).unwrap();
        npz.finish().unwrap();
        folder.run("fit bad.npz --labels y.npy -m 1 --out m.sqfa").fails(1, "write it again");
    }
    let mut npz = NpzWriter::create(&folder.path("huge.npz"), false).unwrap();
    for name in ["row", "col"] {
        npz.add(name, &[1], &vec![0i64]).unwrap();
    }
    npz.add("format", &[], &vec!["coo".to_owned()]).unwrap();
    npz.add("shape", &[2], &vec![i64::from(u32::MAX), i64::from(u32::MAX)]).unwrap();
    npz.add("data", &[1], &vec![1.0]).unwrap();
    npz.finish().unwrap();
    folder.run("fit huge.npz --labels y.npy -m 1 --out m.sqfa").fails(1, "huge.npz");
}

#[test]
fn what_a_build_cannot_read_is_not_in_its_help() {
    let folder = Folder::new();
    let help = folder.ok("--help");
    assert_eq!(help.contains("parquet"), cfg!(feature = "parquet"), "{help}");
    folder.write("t.parquet", "PAR1");
    folder.run("fit t.parquet -m 1 --out m.sqfa").fails(1, "t.parquet");
}

//! Every kind of bad input against every command that reads it: an answer that is right, or a message that names a remedy.
//!
//! A row is a file and what the commands must say about it; a column is a command. Nothing may panic, end by a signal, leave a
//! file behind or print an answer beside an error.

use crate::common::{Folder, table};
use sqfa_io::formats::NpzWriter;

/// What a command must do with a file.
#[derive(Clone, Copy)]
enum Expected {
    /// Refuse it with exit code 1 and these words.
    Refused(&'static str),
    /// Take it, with these words on standard error.
    Told(&'static str),
}

use Expected::{Refused, Told};

/// What a file holds, and what a fit, a prediction and a transformation must do with it.
struct Row {
    file: &'static str,
    bytes: Vec<u8>,
    fit: Expected,
    predict: Expected,
    transform: Expected,
}

fn row(file: &'static str, text: impl Into<Vec<u8>>, fit: Expected, predict: Expected) -> Row {
    Row { file, bytes: text.into(), fit, predict, transform: predict }
}

/// The usual table with one thing changed.
fn with(change: impl Fn(&str) -> String) -> Vec<u8> {
    change(&table(20).replace("species", "label")).into_bytes()
}

/// The usual table with another first point.
fn first(point: &str) -> Vec<u8> {
    with(|text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1] = point;
        lines.join("\n") + "\n"
    })
}

fn rows() -> Vec<Row> {
    let twice = |message| (Refused(message), Refused(message));
    let (fit, predict) = twice("line 2");
    let mut rows = vec![
        row("ragged.csv", first("1,2,ant"), fit, predict),
        row("long.csv", first("1,2,3,4,ant"), fit, predict),
        row("text.csv", first("1,two,3,ant"), Refused("'height'"), Refused("'height'")),
        // Features of a row that lacks a value are empty.
        Row {
            transform: Told("1 of 60 rows lack a value"),
            ..row(
                "nan.csv",
                first("1,nan,3,ant"),
                Refused("--missing drop"),
                Refused("--missing drop"),
            )
        },
        Row {
            transform: Told("1 of 60 rows lack a value"),
            ..row(
                "gap.csv",
                first("1,,3,ant"),
                Refused("--missing drop"),
                Refused("--missing drop"),
            )
        },
        row("infinite.csv", first("1,inf,3,ant"), Refused("inf"), Refused("inf")),
        Row {
            // A feature may be huge; a class cannot be told from it.
            transform: Told("other units"),
            ..row(
                "huge.csv",
                first("1,1e200,3,ant"),
                Refused("larger units"),
                Refused("row 0, column 'height' is 1e200"),
            )
        },
        Row {
            transform: Told(""),
            ..row(
                "unlabeled.csv",
                first("1,2,3,"),
                Refused("--missing drop"),
                Refused("--missing drop"),
            )
        },
        row("empty.csv", "", Refused("empty"), Refused("empty")),
        row(
            "header.csv",
            "width,height,depth,label\n",
            Refused("no samples"),
            Refused("no samples"),
        ),
        row(
            "single.csv",
            with(|text| {
                let ants =
                    text.lines().filter(|line| !line.ends_with("bee") && !line.ends_with("cat"));
                ants.collect::<Vec<_>>().join("\n") + "\n"
            }),
            Refused("at least 2"),
            Told(""),
        ),
        row(
            "latin.csv",
            first("1,2,3,ant")
                .iter()
                .map(|&byte| if byte == b'b' { 0xe9 } else { byte })
                .collect::<Vec<u8>>(),
            Refused("--encoding"),
            Refused("--encoding"),
        ),
        row(
            "wide.csv",
            "\u{feff}width;height;depth;label\n1,500;2;3;ant\n2,500;1;3;bee\n",
            Refused("--decimal comma"),
            Refused("--decimal comma"),
        ),
        row("utf16.csv", vec![0xff, 0xfe, b'a', 0, b',', 0], Refused("UTF-16"), Refused("UTF-16")),
        row("quote.csv", first("1,\"2,3,ant"), Refused("quote.csv"), Refused("quote.csv")),
        row(
            "binary.csv",
            (0..=255).collect::<Vec<u8>>(),
            Refused("binary.csv"),
            Refused("binary.csv"),
        ),
        row("zip.npz", "PK\u{3}\u{4} not really", Refused("zip.npz"), Refused("zip.npz")),
        row("cut.npy", "\u{93}NUMPY", Refused("--labels"), Refused("cut.npy")),
        row("cut.mat", "MATLAB 5.0 MAT-file", Refused("cut.mat"), Refused("cut.mat")),
        row("cut.stats", "sqfa sums of nothing", Refused("cut.stats"), Refused("class statistics")),
        row("thing.xlsx", "PK", Refused("unknown kind of file"), Refused("unknown kind of file")),
        row(
            "index.csv",
            with(|text| {
                let lines = text.lines().enumerate();
                let lines =
                    lines.map(
                        |(at, line)| {
                            if at == 0 { format!(",{line}") } else { format!("{at},{line}") }
                        },
                    );
                lines.collect::<Vec<_>>().join("\n") + "\n"
            }),
            Told("index"),
            Told(""),
        ),
        row(
            "turned.csv",
            with(|text| {
                let turned = text.lines().map(|line| {
                    let cells: Vec<&str> = line.split(',').collect();
                    format!("{},{},{},{}", cells[2], cells[1], cells[0], cells[3])
                });
                turned.collect::<Vec<_>>().join("\n") + "\n"
            }),
            Told(""),
            Told(""),
        ),
        row(
            "other.csv",
            with(|text| text.replace("depth", "length")),
            Told(""),
            Refused("'depth'"),
        ),
        row(
            "semicolon.csv",
            with(|text| text.replace(',', ";")),
            Told("delimiter"),
            Told("delimiter"),
        ),
        row("windows.csv", with(|text| text.replace('\n', "\r\n")), Told(""), Told("")),
    ];
    for value in [f64::NAN, f64::INFINITY] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let mut npz = NpzWriter::create(&path, false).unwrap();
        npz.add("X", &[4, 3], &[[0.5, 1.0, 1.5].repeat(3), vec![0.5, 1.0, value]].concat())
            .unwrap();
        npz.add("y", &[4], &["ant", "bee", "ant", "bee"].map(str::to_owned).to_vec()).unwrap();
        npz.finish().unwrap();
        let file = if value.is_nan() { "nan.npz" } else { "infinite.npz" };
        let words = if value.is_nan() { "row 3" } else { "inf" };
        let known =
            row(file, std::fs::read(&path).unwrap(), Refused(words), Refused("row 3, column"));
        rows.push(match value.is_nan() {
            true => Row { transform: Told("1 of 4 rows lack a value"), ..known },
            false => known,
        });
    }
    rows
}

#[test]
fn every_bad_input_has_its_answer_in_every_command() {
    let folder = Folder::new();
    folder.write("good.csv", table(20).replace("species", "label"));
    folder.ok("fit good.csv -m 1 --noise 0.1 --n-init 1 --out good.sqfa");
    let mut wrong = Vec::new();
    for row in rows() {
        folder.write(row.file, &row.bytes);
        let before = folder.names();
        let commands = [
            (format!("fit {} -m 1 --noise 0.1 --n-init 1 --out new.sqfa", row.file), row.fit),
            (format!("predict good.sqfa {}", row.file), row.predict),
            (format!("transform good.sqfa {} --out new.csv", row.file), row.transform),
        ];
        for (line, expected) in commands {
            let said = folder.run(&line);
            let (code, words) = match expected {
                Refused(words) => (1, words),
                Told(words) => (0, words),
            };
            if said.code != code || !said.err.contains(words) || (code == 1 && !said.out.is_empty())
            {
                wrong.push(format!("sqfa {line}: {} {}", said.code, said.err));
            }
            let _ = std::fs::remove_file(folder.path("new.sqfa"));
            let _ = std::fs::remove_file(folder.path("new.csv"));
            if folder.names() != before {
                wrong.push(format!("sqfa {line} left {:?}", folder.names()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

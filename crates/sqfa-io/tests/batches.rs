//! Files read batch by batch give the same points, labels and sums as files read whole.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};

use common::{MatValues, Writing, mat_file};
use sqfa::statistics::ClassAccumulator;
use sqfa::{ClassStatistics, Classes, Estimator, Labels, Points};
use sqfa_io::data::{
    DataError, LoadOptions, Loaded, OwnedPoints, Summed, load, open_batches, read_sums,
    sum_batches, write_sums,
};
use sqfa_io::formats::{
    Column, Limits, MatFile, NpzWriter, Remedy, Values, write_idx_u8, write_npy,
};

const ROWS: usize = 700;
const COLUMNS: usize = 6;
/// Sums in other blocks differ by round-off of double precision.
const ROUND_OFF: f64 = 1e-12;
/// Statistics of single-precision files.
const SINGLE: f64 = 1e-5;

fn value(row: usize, column: usize) -> f64 {
    (((row * 37 + column * 101 + row * column) % 997) as f64 / 100.0).round() + row as f64 % 3.0
}

fn class(row: usize) -> i64 {
    [7, -2, 3][(5 * row + row / 7) % 3]
}

fn values() -> Vec<f64> {
    (0..ROWS * COLUMNS).map(|at| value(at / COLUMNS, at % COLUMNS)).collect()
}

fn classes() -> Vec<i64> {
    (0..ROWS).map(class).collect()
}

fn expected() -> ClassStatistics {
    let points = OwnedPoints::from_f64(values(), ROWS, COLUMNS).unwrap();
    let labels = Labels::from_integers(&classes());
    ClassStatistics::from_points(points.view(), &labels, Estimator::Empirical).unwrap()
}

fn sums(path: &Path, options: &LoadOptions) -> ClassAccumulator {
    let reader = open_batches(path, options, None).unwrap();
    assert_eq!(reader.columns(), COLUMNS);
    sum_batches(reader, &mut |_| true).unwrap().unwrap()
}

#[track_caller]
fn assert_statistics(found: ClassAccumulator, tolerance: f64) {
    let (found, expected) = (found.finish(Estimator::Empirical).unwrap(), expected());
    assert_eq!(found.classes(), expected.classes());
    assert_eq!(found.counts(), expected.counts());
    let entries = |statistics: &ClassStatistics, class: usize| -> Vec<f64> {
        statistics.covariances()[class].entries().unwrap().to_full()
    };
    for class in 0..3 {
        for (x, y) in entries(&found, class).iter().zip(entries(&expected, class)) {
            assert!((x - y).abs() <= tolerance * 100.0, "{x} {y}");
        }
        for i in 0..COLUMNS {
            let (x, y) = (found.means()[(i, class)], expected.means()[(i, class)]);
            assert!((x - y).abs() <= tolerance * 10.0, "{x} {y}");
        }
    }
}

/// An npy file in Fortran order, as NumPy writes it.
fn write_fortran(path: &Path, shape: &[usize], dtype: &str, bytes: &[u8]) {
    let lengths: String = shape.iter().map(|length| format!("{length},")).collect();
    let mut header =
        format!("{{'descr': '{dtype}', 'fortran_order': True, 'shape': ({lengths}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    std::fs::write(path, file).unwrap();
}

fn fortran_bytes() -> Vec<u8> {
    let at = |i: usize| value(i % ROWS, i / ROWS);
    (0..ROWS * COLUMNS).flat_map(|i| at(i).to_le_bytes()).collect()
}

#[test]
fn every_format_sums_up_to_the_same_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_npy(&at("y.npy"), &[ROWS], &classes()).unwrap();
    let labeled = LoadOptions { labels: Some(at("y.npy")), ..LoadOptions::default() };
    let plain = LoadOptions::default();

    write_npy(&at("c.npy"), &[ROWS, COLUMNS], &values()).unwrap();
    assert_statistics(sums(&at("c.npy"), &labeled), ROUND_OFF);
    write_fortran(&at("f.npy"), &[ROWS, COLUMNS], "<f8", &fortran_bytes());
    assert_statistics(sums(&at("f.npy"), &labeled), ROUND_OFF);
    let mut swapped = fortran_bytes();
    swapped.chunks_mut(8).for_each(<[u8]>::reverse);
    write_fortran(&at("b.npy"), &[ROWS, COLUMNS], ">f8", &swapped);
    assert_statistics(sums(&at("b.npy"), &labeled), ROUND_OFF);
    let singles: Vec<f32> = values().iter().map(|&value| value as f32).collect();
    write_npy(&at("s.npy"), &[ROWS, 2, 3], &singles).unwrap();
    assert_statistics(sums(&at("s.npy"), &labeled), SINGLE);
    let integers: Vec<i64> = values().iter().map(|&value| value as i64).collect();
    write_npy(&at("i.npy"), &[ROWS, COLUMNS], &integers).unwrap();
    assert_statistics(sums(&at("i.npy"), &labeled), ROUND_OFF);

    let bytes: Vec<u8> = values().iter().map(|&value| value as u8).collect();
    for compress in [true, false] {
        let mut writer = NpzWriter::create(&at("a.npz"), compress).unwrap();
        writer.add("X_train", &[ROWS, 3, 2], &bytes).unwrap();
        writer.add("y_train", &[ROWS], &classes()).unwrap();
        writer.finish().unwrap();
        assert_statistics(sums(&at("a.npz"), &plain), SINGLE);
    }

    let mut text = "a,b,label,c,d,e,f\n".to_owned();
    for row in 0..ROWS {
        let cell = |column| value(row, column).to_string();
        let cells: Vec<String> = (0..COLUMNS).map(cell).collect();
        text += &format!("{},{},{},{}\n", cells[0], cells[1], class(row), cells[2..].join(","));
    }
    std::fs::write(at("t.csv"), &text).unwrap();
    assert_statistics(sums(&at("t.csv"), &plain), ROUND_OFF);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.replace(',', "\t").as_bytes()).unwrap();
    std::fs::write(at("t.tsv.gz"), gzip.finish().unwrap()).unwrap();
    assert_statistics(sums(&at("t.tsv.gz"), &plain), ROUND_OFF);

    let shifted: Vec<u8> = classes().iter().map(|class| (class + 2) as u8).collect();
    write_idx_u8(&at("train-images-idx3-ubyte"), &[ROWS, 2, 3], &bytes).unwrap();
    write_idx_u8(&at("train-labels-idx1-ubyte"), &[ROWS], &shifted).unwrap();
    let found = sums(folder.path(), &plain);
    assert_eq!(found.classes(), &Classes::Integers(vec![0, 5, 9]));
    assert_eq!(found.counts(), expected().counts().unwrap());

    for compressed in [true, false] {
        for big_endian in [true, false] {
            let by_column = (0..ROWS * COLUMNS).map(|i| value(i % ROWS, i / ROWS)).collect();
            let labels = classes().iter().map(|&class| class as f64).collect();
            let arrays: [(&str, &[usize], MatValues); 2] = [
                ("X", &[ROWS, COLUMNS], MatValues::F64(by_column)),
                ("y", &[ROWS, 1], MatValues::F64(labels)),
            ];
            let file = mat_file(&arrays, Writing { compressed, big_endian });
            std::fs::write(at("m.mat"), file).unwrap();
            assert_statistics(sums(&at("m.mat"), &plain), ROUND_OFF);
            let Loaded::Data(data) = load(&at("m.mat"), &plain).unwrap() else { panic!("points") };
            assert!(
                matches!(data.train.points.view(), Points::F64(t) if t.get(5, 4) == value(5, 4))
            );
        }
    }
}

#[test]
fn batches_of_any_size_hold_every_point_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.npy");
    write_fortran(&path, &[ROWS, COLUMNS], "<f8", &fortran_bytes());
    let labels = folder.path().join("y.npy");
    write_npy(&labels, &[ROWS], &classes()).unwrap();
    let options = LoadOptions { labels: Some(labels), ..LoadOptions::default() };
    for size in [1, 33, 700, 5000] {
        let mut reader = open_batches(&path, &options, None).unwrap();
        assert_eq!(reader.rows(), Some(ROWS as u64));
        let mut row = 0;
        while let Some(batch) = reader.next_batch(size).unwrap() {
            let Points::F64(table) = batch.points.view() else { panic!("double precision") };
            for i in 0..table.rows() {
                (0..COLUMNS).for_each(|j| assert_eq!(table.get(i, j), value(row, j)));
                let code = batch.labels.codes()[i] as usize;
                assert_eq!(batch.labels.classes().label(code).to_string(), class(row).to_string());
                row += 1;
            }
        }
        assert_eq!(row, ROWS);
    }
}

#[test]
fn color_images_of_digits_become_grey() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("svhn.mat");
    let (side, count) = (32, 4);
    let pixel = |h: usize, w: usize, c: usize, n: usize| ((h * 7 + w * 3 + c * 50 + n) % 256) as u8;
    let mut values = Vec::new();
    for n in 0..count {
        for c in 0..3 {
            for w in 0..side {
                values.extend((0..side).map(|h| pixel(h, w, c, n)));
            }
        }
    }
    let arrays: [(&str, &[usize], MatValues); 3] = [
        ("about", &[1, 1], MatValues::U8(vec![1])),
        ("X", &[side, side, 3, count], MatValues::U8(values)),
        ("y", &[count, 1], MatValues::U8(vec![10, 1, 10, 9])),
    ];
    std::fs::write(&path, mat_file(&arrays, Writing { compressed: true, big_endian: false }))
        .unwrap();
    let Loaded::Data(data) = load(&path, &LoadOptions::default()).unwrap() else {
        panic!("points")
    };
    assert_eq!(data.image_shape, Some((side, side)));
    assert_eq!(data.train.labels, Labels::from_integers(&[0, 1, 0, 9]));
    let Points::F32(table) = data.train.points.view() else { panic!("single precision") };
    for n in 0..count {
        for h in 0..side {
            for w in 0..side {
                let sum: f64 = (0..3).map(|c| f64::from(pixel(h, w, c, n))).sum();
                assert_eq!(table.get(n, h * side + w), (sum / 3.0) as f32);
            }
        }
    }
    let file = MatFile::open(&path, Limits::default()).unwrap();
    assert_eq!(file.names(), ["about", "X", "y"]);
    assert_eq!(file.read("about").unwrap().values(), &Values::U8(vec![1]));
}

#[test]
fn weights_of_a_table_are_repetitions() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("w.csv"), "x,n,label\n1,2,a\n4,1,a\n9,3,b\n2,0,b\n5,1.0,b\n").unwrap();
    std::fs::write(at("r.csv"), "x,label\n1,a\n1,a\n4,a\n9,b\n9,b\n9,b\n5,b\n").unwrap();
    let sum = |name: &str, weights: Option<&Column>| {
        let reader = open_batches(&at(name), &LoadOptions::default(), weights).unwrap();
        sum_batches(reader, &mut |_| true).unwrap().unwrap()
    };
    let weight = Column::Name("n".to_owned());
    let (weighted, repeated) = (sum("w.csv", Some(&weight)), sum("r.csv", None));
    assert_eq!(weighted.counts(), repeated.counts());
    let finish = |sums: ClassAccumulator| sums.finish(Estimator::Empirical).unwrap();
    let (weighted, repeated) = (finish(weighted), finish(repeated));
    for class in 0..2 {
        let variance = |s: &ClassStatistics| s.covariances()[class].diagonal()[0];
        assert!((variance(&weighted) - variance(&repeated)).abs() < ROUND_OFF * 10.0);
    }
    for (text, message) in [
        ("x,n,label\n1,-2,a\n", "line 2: weight '-2'"),
        ("x,n,label\n1,2,a\n1,0.5,a\n", "line 3: weight '0.5'"),
        ("x,n,label\n1,many,a\n", "weight 'many'"),
    ] {
        std::fs::write(at("bad.csv"), text).unwrap();
        let reader = open_batches(&at("bad.csv"), &LoadOptions::default(), Some(&weight)).unwrap();
        let error = sum_batches(reader, &mut |_| true).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    std::fs::write(at("zero.csv"), "x,n,label\n1,0,a\n2,0,b\n").unwrap();
    let mut summed = Summed::default();
    let reader = open_batches(&at("zero.csv"), &LoadOptions::default(), Some(&weight)).unwrap();
    summed.add(reader, &mut |_| true).unwrap();
    assert!(summed.finish().unwrap_err().to_string().contains("all samples are 0"));
    let missing = Column::Name("m".to_owned());
    let error = open_batches(&at("w.csv"), &LoadOptions::default(), Some(&missing));
    assert!(error.err().unwrap().to_string().contains("no column 'm'"));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let options = LoadOptions::default();
    let problem = |name: &str, options: &LoadOptions| {
        let result = open_batches(&at(name), options, None)
            .and_then(|reader| sum_batches(reader, &mut |_| true));
        result.map(|_| ()).unwrap_err().to_string()
    };
    for (text, message) in [
        ("a,b,label\n1,2,x\n3,y\n", "line 3: 2 cells"),
        ("a,b,label\n1,2,x\n3,pear,y\n", "line 3, column 'b': 'pear'"),
        (
            "a,b,label\n1,,x\n\n3,,y\n,2,y\n",
            "3 of 3 rows have missing values (a: 1, b: 2; the first in line 2)",
        ),
        (
            "a,b,label\n1,2,x\n3,NaN,y\n",
            "1 of 2 rows have missing values (b: 1; the first in line 3)",
        ),
        ("a,b,label\n1,2,x\n3,4,\n", "1 of 2 rows have no label (the first in line 3)"),
        ("a,b,c\n1,2,x\n", "name the column of labels"),
        ("a,b,label\n", "no samples"),
    ] {
        std::fs::write(at("t.csv"), text).unwrap();
        assert!(problem("t.csv", &options).contains(message), "{}", problem("t.csv", &options));
    }
    let mut values = values();
    values[650 * COLUMNS + 4] = f64::NAN;
    write_npy(&at("x.npy"), &[ROWS, COLUMNS], &values).unwrap();
    write_npy(&at("y.npy"), &[ROWS], &classes()).unwrap();
    let labeled = LoadOptions { labels: Some(at("y.npy")), ..LoadOptions::default() };
    assert!(problem("x.npy", &labeled).contains("row 650, column 4 (counted from 0) is NaN"));
    write_npy(&at("y.npy"), &[3], &vec![1i64, 2, 3]).unwrap();
    assert!(problem("x.npy", &labeled).contains("700 samples and 3 labels"));
    assert!(problem("x.npy", &options).contains("holds no labels"));
    write_npy(&at("text.npy"), &[2, 1], &vec!["a".to_owned(), "b".to_owned()]).unwrap();
    write_npy(&at("y.npy"), &[2], &vec![1i64, 2]).unwrap();
    assert!(problem("text.npy", &labeled).contains("samples must be numbers"));
    let bytes = std::fs::read(at("x.npy")).unwrap();
    std::fs::write(at("short.npy"), &bytes[..bytes.len() - 9]).unwrap();
    assert!(problem("short.npy", &labeled).contains("truncated"));
    #[cfg(not(feature = "parquet"))]
    {
        std::fs::write(at("a.parquet"), "PAR1").unwrap();
        assert!(problem("a.parquet", &options).contains("cannot read parquet files"));
    }
    std::fs::write(at("hdf.mat"), [b"MATLAB 7.3 MAT-file".to_vec(), vec![b' '; 200]].concat())
        .unwrap();
    assert!(problem("hdf.mat", &options).contains("-v7"));
    let only_x: [(&str, &[usize], MatValues); 1] = [("X", &[1, 2], MatValues::U8(vec![1, 2]))];
    let writing = Writing { compressed: false, big_endian: false };
    std::fs::write(at("x.mat"), mat_file(&only_x, writing)).unwrap();
    assert!(problem("x.mat", &options).contains("no numeric array 'y'; the file holds X"));
    for compressed in [false, true] {
        let writing = Writing { compressed, big_endian: false };
        let fields = MatValues::Struct(vec!["X", "y"]);
        let all: [(&str, &[usize], MatValues); 2] =
            [("session", &[1, 1], fields), only_x[0].clone()];
        std::fs::write(at("struct.mat"), mat_file(&all, writing)).unwrap();
        let said = problem("struct.mat", &options);
        assert!(said.contains("X (a numeric array), session (a struct)"), "{said}");
        assert!(said.contains("'-struct', 'session', '-v7'"), "{said}");
    }
}

#[test]
fn arrays_of_a_mat_file_go_by_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mat");
    let points = MatValues::F64(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let arrays: [(&str, &[usize], MatValues); 2] =
        [("spikes", &[3, 2], points), ("ori", &[3, 1], MatValues::U8(vec![7, 8, 7]))];
    let writing = Writing { compressed: true, big_endian: false };
    std::fs::write(&path, mat_file(&arrays, writing)).unwrap();
    let error = open_batches(&path, &LoadOptions::default(), None).err().unwrap();
    let pair = Some(("spikes".to_owned(), "ori".to_owned()));
    assert_eq!(error.remedy(), Some(Remedy::Arrays(pair)));
    let key = |name: &str| Some(name.to_owned());
    let options = LoadOptions { x_key: key("spikes"), y_key: key("ori"), ..LoadOptions::default() };
    let mut reader = open_batches(&path, &options, None).unwrap();
    let batch = reader.next_batch(10).unwrap().unwrap();
    let expected = OwnedPoints::from_f64(vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0], 3, 2).unwrap();
    assert_eq!(batch.points, expected);
    assert_eq!(batch.labels.codes(), [0, 1, 0]);
}

fn summed(files: &[PathBuf]) -> Result<ClassAccumulator, DataError> {
    let mut summed = Summed::default();
    for file in files {
        summed.add(open_batches(file, &LoadOptions::default(), None)?, &mut |_| true)?;
    }
    summed.finish()
}

#[test]
fn files_join_unless_their_labels_or_columns_differ() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name)
    };
    let numbers = write("a.csv", "x,label\n1,1\n2,2\n3,1\n4,2\n");
    let more = write("b.csv", "x,label\n5,3\n6,2\n7,3\n");
    let words = write("c.csv", "x,label\n1,1\n2,cat\n");
    let wide = write("d.csv", "x,z,label\n1,1,1\n");
    let joined = summed(&[numbers.clone(), more]).unwrap();
    assert_eq!(joined.classes(), &Classes::Integers(vec![1, 2, 3]));
    assert_eq!(joined.counts(), [2, 3, 2]);
    let error = summed(&[numbers.clone(), words]).unwrap_err().to_string();
    assert!(error.contains("c.csv are text (such as 'cat')") && error.contains("a.csv"), "{error}");
    let error = summed(&[numbers, wide]).unwrap_err().to_string();
    assert!(error.contains("d.csv has 2 dimensions") && error.contains("a.csv"), "{error}");
    // A word late in a file makes all its labels text, as when it is read at once.
    let many: String = (0..3000).map(|row| format!("{row},{}\n", row % 2)).collect();
    let late = write("e.csv", &format!("x,label\n{many}1,dog\n"));
    let mut reader = open_batches(&late, &LoadOptions::default(), None).unwrap();
    assert_eq!(reader.next_batch(10).unwrap().unwrap().labels.classes().len(), 2);
    let found = summed(&[late]).unwrap();
    assert_eq!(found.classes(), &Classes::Texts(vec!["0".into(), "1".into(), "dog".into()]));
}

#[test]
fn sums_are_written_whole_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "x,z,label\n1,2,a\n2,0,b\n3,5,a\n4,4,b\n").unwrap();
    let sums = summed(std::slice::from_ref(&path)).unwrap();
    let stats = folder.path().join("a.stats");
    write_sums(&stats, &sums).unwrap();
    assert_eq!(read_sums(&stats).unwrap().to_bytes(), sums.to_bytes());
    let Loaded::Sums(name, loaded) = load(&stats, &LoadOptions::default()).unwrap() else {
        panic!("sums")
    };
    assert_eq!((name.as_str(), loaded.counts()), ("a", vec![2, 2]));
    let bytes = std::fs::read(&stats).unwrap();
    for damaged in [&bytes[..bytes.len() - 1], &bytes[..20], &[]] {
        std::fs::write(&stats, damaged).unwrap();
        let error = read_sums(&stats).unwrap_err().to_string();
        assert!(error.contains("a.stats") && error.contains("class statistics"), "{error}");
    }
    #[cfg(target_os = "linux")]
    assert!(write_sums(Path::new("/dev/full"), &sums).is_err(), "a full disk");
    let stopped = open_batches(&path, &LoadOptions::default(), None).unwrap();
    assert!(sum_batches(stopped, &mut |_| false).unwrap().is_none());
}

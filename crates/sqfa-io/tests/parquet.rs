//! Parquet tables: the same points and sums as from other files, and an error for whatever cannot be one.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use sqfa::statistics::ClassAccumulator;
use sqfa::{Classes, Estimator, Labels, Points};
use sqfa_io::data::{LoadOptions, Loaded, OwnedPoints, load, open_batches, sum_batches};
use sqfa_io::formats::Column;
use tempfile::TempDir;

/// A column as it is written: its type in the schema, its values, and which rows have one.
#[derive(Clone)]
enum Cells {
    Bool(Vec<bool>),
    Int32(&'static str, Vec<i32>),
    Int64(&'static str, Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Text(Vec<&'static str>),
    /// Numbers of which some are missing.
    Maybe(Vec<Option<f64>>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Bool(values) => values.len(),
            Self::Int32(_, values) => values.len(),
            Self::Int64(_, values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Maybe(values) => values.len(),
        }
    }

    fn schema(&self, name: &str) -> String {
        match self {
            Self::Bool(_) => format!("required boolean {name};"),
            Self::Int32(kind, _) => format!("required int32 {name} {kind};"),
            Self::Int64(kind, _) => format!("required int64 {name} {kind};"),
            Self::Float(_) => format!("required float {name};"),
            Self::Double(_) => format!("required double {name};"),
            Self::Text(_) => format!("required binary {name} (UTF8);"),
            Self::Maybe(_) => format!("optional double {name};"),
        }
    }
}

/// Writes columns with so many rows a group.
fn write(path: &Path, columns: &[(&str, Cells)], group: usize, compression: Compression) {
    let fields: String = columns.iter().map(|(name, cells)| cells.schema(name)).collect();
    let schema = Arc::new(parse_message_type(&format!("message table {{ {fields} }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut file =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    let rows = columns[0].1.len();
    for first in (0..rows).step_by(group) {
        let last = (first + group).min(rows);
        let mut target = file.next_row_group().unwrap();
        for (_, cells) in columns {
            let mut column = target.next_column().unwrap().unwrap();
            macro_rules! put {
                ($type:ty, $values:expr, $levels:expr) => {
                    column.typed::<$type>().write_batch($values, $levels, None).unwrap()
                };
            }
            match cells {
                Cells::Bool(values) => put!(BoolType, &values[first..last], None),
                Cells::Int32(_, values) => put!(Int32Type, &values[first..last], None),
                Cells::Int64(_, values) => put!(Int64Type, &values[first..last], None),
                Cells::Float(values) => put!(FloatType, &values[first..last], None),
                Cells::Double(values) => put!(DoubleType, &values[first..last], None),
                Cells::Text(values) => {
                    let bytes: Vec<ByteArray> =
                        values[first..last].iter().map(|&text| ByteArray::from(text)).collect();
                    put!(ByteArrayType, &bytes, None)
                }
                Cells::Maybe(values) => {
                    let own = &values[first..last];
                    let there: Vec<f64> = own.iter().copied().flatten().collect();
                    let levels: Vec<i16> =
                        own.iter().map(|value| i16::from(value.is_some())).collect();
                    put!(DoubleType, &there, Some(&levels))
                }
            };
            column.close().unwrap();
        }
        target.close().unwrap();
    }
    file.close().unwrap();
}

const ROWS: usize = 1000;

fn single(row: usize, column: usize) -> f32 {
    ((row * 37 + column * 101 + row * column) % 997) as f32 / 64.0
}

fn class(row: usize) -> i64 {
    [7, -2, 3][(5 * row + row / 7) % 3]
}

fn singles(column: usize) -> Cells {
    Cells::Float((0..ROWS).map(|row| single(row, column)).collect())
}

fn labels() -> Cells {
    Cells::Int64("", (0..ROWS).map(class).collect())
}

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table.parquet");
    (folder, path)
}

fn sums(path: &Path) -> ClassAccumulator {
    let reader = open_batches(path, &LoadOptions::default(), None).unwrap();
    sum_batches(reader, &mut |_| true).unwrap().unwrap()
}

fn refused(path: &Path, options: &LoadOptions) -> String {
    load(path, options).expect_err("it should be refused").to_string()
}

#[test]
fn row_groups_of_any_size_and_compression_give_the_same_bits() {
    let (_folder, path) = folder();
    let columns = [("a", singles(0)), ("label", labels()), ("b", singles(1)), ("c", singles(2))];
    let values: Vec<f32> = (0..ROWS * 3).map(|at| single(at / 3, at % 3)).collect();
    let points = OwnedPoints::from_f32(values, ROWS, 3).unwrap();
    let codes = Labels::from_integers(&(0..ROWS).map(class).collect::<Vec<_>>());
    for group in [1, 64, 333, ROWS, 2 * ROWS] {
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
            write(&path, &columns, group, compression);
            let Loaded::Data(data) = load(&path, &LoadOptions::default()).unwrap() else {
                panic!("no points")
            };
            // Single precision stays single precision.
            assert!(matches!(data.train.points.view(), Points::F32(_)));
            assert_eq!(data.train.points, points);
            assert_eq!(data.train.labels, codes);
            let mut direct = ClassAccumulator::new(codes.classes().clone(), 3);
            direct.update(points.view(), &codes).unwrap();
            assert_eq!(sums(&path).to_bytes(), direct.to_bytes(), "groups of {group}");
        }
    }
}

#[test]
fn batches_of_any_size_hold_all_rows_in_order() {
    let (_folder, path) = folder();
    write(&path, &[("y", labels()), ("a", singles(0))], 300, Compression::UNCOMPRESSED);
    for most in [1, 299, 300, 301, 5000] {
        let mut reader = open_batches(&path, &LoadOptions::default(), None).unwrap();
        assert_eq!((reader.rows(), reader.columns()), (Some(ROWS as u64), 1));
        let mut seen = 0;
        while let Some(batch) = reader.next_batch(most).unwrap() {
            let Points::F32(table) = batch.points.view() else { panic!("not single precision") };
            assert_eq!(batch.labels.len(), table.rows());
            assert!(table.rows() <= most);
            for row in 0..table.rows() {
                assert_eq!(table.get(row, 0), single(seen + row, 0));
                let label = batch.labels.classes().label(batch.labels.codes()[row] as usize);
                assert_eq!(label.to_string(), class(seen + row).to_string());
            }
            seen += table.rows();
        }
        assert_eq!(seen, ROWS);
    }
}

#[test]
fn every_plain_type_of_number_is_read_as_what_it_means() {
    let (_folder, path) = folder();
    let columns = [
        ("truth", Cells::Bool(vec![true, false, true, false])),
        ("byte", Cells::Int32("(INT_8)", vec![-128, 127, 0, 1])),
        ("unsigned", Cells::Int32("(UINT_32)", vec![-1, 0, 1, i32::MIN])),
        ("long", Cells::Int64("", vec![-5, 1 << 40, 0, 1])),
        ("large", Cells::Int64("(UINT_64)", vec![-1, 0, 1, 2])),
        ("single", Cells::Float(vec![0.5, -0.25, 1e-30, 3e30])),
        ("double", Cells::Double(vec![1e300, -1e-300, 0.1, 0.2])),
        ("maybe", Cells::Maybe(vec![Some(1.5), Some(-2.5), Some(0.0), Some(9.0)])),
        ("species", Cells::Text(vec!["cat", "dog", " cat ", "dog"])),
    ];
    let expected = [
        [1.0, -128.0, 4294967295.0, -5.0, 18446744073709551615.0, 0.5, 1e300, 1.5],
        [0.0, 127.0, 0.0, 1099511627776.0, 0.0, -0.25, -1e-300, -2.5],
        [1.0, 0.0, 1.0, 0.0, 1.0, f64::from(1e-30_f32), 0.1, 0.0],
        [0.0, 1.0, 2147483648.0, 1.0, 2.0, f64::from(3e30_f32), 0.2, 9.0],
    ];
    write(&path, &columns, 3, Compression::UNCOMPRESSED);
    let species = Some(Column::Name("species".to_owned()));
    let options = LoadOptions { label: species.clone(), ..LoadOptions::default() };
    let Loaded::Data(data) = load(&path, &options).unwrap() else { panic!("no points") };
    let expected = OwnedPoints::from_f64(expected.concat(), 4, 8).unwrap();
    assert_eq!(data.train.points, expected);
    let classes = Classes::Texts(vec!["cat".to_owned(), "dog".to_owned()]);
    assert_eq!(*data.train.labels.classes(), classes);
    assert_eq!(data.train.labels.codes(), [0, 1, 0, 1]);
    // The same rounded where single precision is asked for; what does not fit is refused later as infinite.
    let options = LoadOptions { label: species, single_precision: true, ..LoadOptions::default() };
    write(
        &path,
        &columns[5..6].iter().chain(&columns[8..]).cloned().collect::<Vec<_>>(),
        3,
        Compression::UNCOMPRESSED,
    );
    let Loaded::Data(data) = load(&path, &options).unwrap() else { panic!("no points") };
    assert!(matches!(data.train.points.view(), Points::F32(_)));
}

#[test]
fn labels_may_be_text_that_reads_as_numbers_whole_numbers_or_whole_floats() {
    let (_folder, path) = folder();
    let numbers = Cells::Double(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let kinds = [
        Cells::Text(vec!["1", "10", "2", "1", "10", "2"]),
        Cells::Int32("", vec![1, 10, 2, 1, 10, 2]),
        Cells::Double(vec![1.0, 10.0, 2.0, 1.0, 10.0, 2.0]),
    ];
    for cells in kinds {
        write(&path, &[("x", numbers.clone()), ("class", cells)], 4, Compression::UNCOMPRESSED);
        assert_eq!(*sums(&path).classes(), Classes::Integers(vec![1, 2, 10]));
        let Loaded::Data(data) = load(&path, &LoadOptions::default()).unwrap() else {
            panic!("no points")
        };
        assert_eq!(*data.train.labels.classes(), Classes::Integers(vec![1, 2, 10]));
    }
}

#[test]
fn weights_count_repetitions() {
    let (_folder, path) = folder();
    let columns = [
        ("x", Cells::Double(vec![1.0, 2.0, 5.0, 8.0])),
        ("n", Cells::Int64("", vec![2, 1, 1, 3])),
        ("y", Cells::Text(vec!["a", "a", "b", "b"])),
    ];
    write(&path, &columns, 3, Compression::UNCOMPRESSED);
    let weights = Column::Name("n".to_owned());
    let reader = open_batches(&path, &LoadOptions::default(), Some(&weights)).unwrap();
    let sums = sum_batches(reader, &mut |_| true).unwrap().unwrap();
    assert_eq!(sums.counts(), [3, 4]);
    let statistics = sums.finish(Estimator::Empirical).unwrap();
    // (1 + 1 + 2)/3 and (5 + 8 + 8 + 8)/4.
    assert!((statistics.means()[(0, 0)] - 4.0 / 3.0).abs() < 1e-12);
    assert!((statistics.means()[(0, 1)] - 29.0 / 4.0).abs() < 1e-12);
    let bad = [
        ("x", columns[0].1.clone()),
        ("n", Cells::Double(vec![1.0, 0.5, 1.0, 1.0])),
        columns[2].clone(),
    ];
    write(&path, &bad, 3, Compression::UNCOMPRESSED);
    let mut reader = open_batches(&path, &LoadOptions::default(), Some(&weights)).unwrap();
    let message = reader.next_batch(10).unwrap_err().to_string();
    assert!(message.contains("row 2") && message.contains("0.5"), "{message}");
}

#[test]
fn what_cannot_be_points_is_refused_with_its_place() {
    let (_folder, path) = folder();
    let y = ("y", Cells::Int32("", vec![0, 1, 0, 1, 0, 1]));
    let six = Cells::Double(vec![1.0; 6]);
    let cases: [(&str, Cells, &[&str]); 6] = [
        (
            "hole",
            Cells::Maybe(vec![Some(1.0), Some(1.0), Some(1.0), Some(1.0), None, Some(1.0)]),
            &["row 5", "'hole'", "missing values"],
        ),
        (
            "nan",
            Cells::Double(vec![1.0, 1.0, 1.0, f64::NAN, 1.0, 1.0]),
            &["row 4", "'nan'", "missing values"],
        ),
        ("word", Cells::Text(vec!["a"; 6]), &["'word' holds text", "labels"]),
        ("day", Cells::Int32("(DATE)", vec![1; 6]), &["'day' holds", "Date", "leave it out"]),
        (
            "when",
            Cells::Int64("(TIMESTAMP(NANOS,true))", vec![1; 6]),
            &["'when' holds", "Timestamp", "leave it out"],
        ),
        ("money", Cells::Int32("(DECIMAL(5,2))", vec![1; 6]), &["'money' holds", "Decimal"]),
    ];
    for (name, cells, words) in cases {
        write(&path, &[("x", six.clone()), (name, cells), y.clone()], 4, Compression::UNCOMPRESSED);
        let message = refused(&path, &LoadOptions::default());
        assert!(words.iter().all(|word| message.contains(word)), "{name}: {message}");
    }
    write(&path, &[("x", six.clone()), ("z", six.clone())], 4, Compression::UNCOMPRESSED);
    let message = refused(&path, &LoadOptions::default());
    assert!(message.contains("name the column of labels") && message.contains("x, z"), "{message}");
    write(&path, std::slice::from_ref(&y), 4, Compression::UNCOMPRESSED);
    let message = refused(&path, &LoadOptions::default());
    assert!(message.contains("rows of 0 numbers"), "{message}");
    let half = ("y", Cells::Double(vec![0.0, 1.0, 0.5, 1.0, 0.0, 1.0]));
    write(&path, &[("x", six.clone()), half], 4, Compression::UNCOMPRESSED);
    let message = refused(&path, &LoadOptions::default());
    assert!(message.contains("row 3 has the label 0.5"), "{message}");
    std::fs::write(&path, b"PAR1 this is none").unwrap();
    assert!(refused(&path, &LoadOptions::default()).contains("not a readable table"));
    let missing = path.with_file_name("absent.parquet");
    assert!(refused(&missing, &LoadOptions::default()).contains("absent.parquet"));
}

#[test]
fn lists_are_refused() {
    let (_folder, path) = folder();
    let schema = "message table { required int32 y; repeated double x; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file =
        SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[1, 2], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let numbers = [1.0, 2.0, 3.0];
    column.typed::<DoubleType>().write_batch(&numbers, Some(&[1, 1, 1]), Some(&[0, 1, 0])).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
    let message = refused(&path, &LoadOptions::default());
    assert!(message.contains("'x' holds lists"), "{message}");
}

/// Reads a file to its end, whatever it is.
fn read_through(path: &Path) {
    if let Ok(mut reader) = open_batches(path, &LoadOptions::default(), None) {
        while let Ok(Some(batch)) = reader.next_batch(100) {
            assert_eq!(batch.points.rows(), batch.labels.len());
        }
    }
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let (_folder, path) = folder();
    let few = |cells: Cells| match cells {
        Cells::Float(values) => Cells::Float(values[..40].to_vec()),
        Cells::Int64(kind, values) => Cells::Int64(kind, values[..40].to_vec()),
        other => other,
    };
    let columns = [
        ("a", few(singles(0))),
        ("label", few(labels())),
        ("t", Cells::Maybe(vec![Some(1.0); 40])),
    ];
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        write(&path, &columns, 16, compression);
        let whole = std::fs::read(&path).unwrap();
        read_through(&path);
        for length in (0..whole.len()).step_by(7) {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(load(&path, &LoadOptions::default()).is_err(), "cut to {length} bytes");
        }
        // Every byte of the file once, changed in two ways.
        for at in 0..whole.len() {
            for change in [0xff, 0x01 << (at % 8)] {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                std::fs::write(&path, &bytes).unwrap();
                read_through(&path);
            }
        }
    }
}

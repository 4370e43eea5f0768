//! Truncated, lying and damaged files give errors: no panic and no allocation beyond what is there.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

mod common;

use std::io::Write;
use std::path::Path;

use common::{MatValues, Writing, mat_file};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sqfa::statistics::ClassAccumulator;
use sqfa::{Classes, Labels, Table};
use sqfa_io::data::{FILE_KINDS, LoadOptions, load, open_batches, open_points, write_sums};
use sqfa_io::formats::{
    CsvOptions, FormatError, Limits, MatFile, Npz, NpzWriter, idx_rows, npy_rows, read_csv,
    read_idx, read_npy, write_idx_u8, write_npy,
};

const LIMITS: Limits = Limits { bytes: 1 << 24 };
/// Damaged files that are read: about three seconds of them.
const ROUNDS: usize = 4000;

fn npy_header(shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

fn zip_of(member: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    zip.start_file("x.npy", options).unwrap();
    zip.write_all(member).unwrap();
    zip.finish().unwrap().into_inner()
}

#[test]
fn headers_that_claim_more_than_is_there_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let long = format!("({},)", "1, ".repeat(70));
    for shape in [
        "(1000000000000,)",
        "(18446744073709551615, 18446744073709551615)",
        "(99999999999999999999,)",
        "(-1,)",
        "(2,",
        "((((2))))",
        &long,
    ] {
        let mut bytes = npy_header(shape);
        bytes.extend([0; 8]);
        std::fs::write(&path, &bytes).unwrap();
        assert!(read_npy(&path, LIMITS).is_err(), "{shape}");
        let npz = folder.path().join("a.npz");
        std::fs::write(&npz, zip_of(&bytes)).unwrap();
        assert!(Npz::open(&npz, LIMITS).unwrap().read("x").is_err(), "{shape}");
    }
    let mut short = npy_header("(3,)");
    short.extend([0; 8]);
    std::fs::write(&path, &short).unwrap();
    let error = read_npy(&path, LIMITS).unwrap_err();
    assert!(matches!(error, FormatError::Size { declared: 12, available: 8, .. }), "{error}");
    std::fs::write(&path, b"\x93NUMPY\x02\x00\xff\xff\xff\xff{").unwrap();
    assert!(matches!(read_npy(&path, LIMITS), Err(FormatError::Header { .. })));
    std::fs::write(&path, b"PK or something else").unwrap();
    assert!(matches!(read_npy(&path, LIMITS), Err(FormatError::Magic { .. })));
}

#[test]
fn axes_of_any_length_beside_an_empty_one_hold_nothing() {
    // The product of the lengths is 0, those of the last axes fit no number.
    const LONG: usize = i32::MAX as usize;
    let shape = [2, 0, LONG, LONG, LONG];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.mat");
    let writing = Writing { compressed: false, big_endian: false };
    std::fs::write(&path, mat_file(&[("X", &shape, MatValues::U8(Vec::new()))], writing)).unwrap();
    let array = MatFile::open(&path, LIMITS).unwrap().read("X").unwrap();
    assert_eq!((array.shape(), array.values().len()), (&shape[..], 0));
    // With the empty axis last, not even their product is known before it: an error, for rows and slices too.
    let last = [LONG, LONG, LONG, LONG, 0];
    std::fs::write(&path, mat_file(&[("X", &last, MatValues::U8(Vec::new()))], writing)).unwrap();
    let file = MatFile::open(&path, LIMITS).unwrap();
    assert!(matches!(file.read("X"), Err(FormatError::Header { .. })));
    assert!(file.rows("X").is_err() && file.slices("X").is_err());
    let path = folder.path().join("empty.npy");
    let header = npy_header(&format!("(2, 0, {LONG}, {LONG}, {LONG})"));
    let header = String::from_utf8_lossy(&header[10..]).replace("False", "True ");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(read_npy(&path, LIMITS).unwrap().shape(), shape);
}

#[test]
fn a_zip_bomb_stops_at_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.npz");
    let mut bomb = npy_header("(16777216,)");
    bomb.resize(bomb.len() + (4 << 24), 0);
    std::fs::write(&path, zip_of(&bomb)).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 17, "64 MiB in a few kilobytes");
    let error = Npz::open(&path, LIMITS).unwrap().read("x").unwrap_err();
    assert!(matches!(error, FormatError::Limit { .. }), "{error}");
    assert!(Npz::open(&path, Limits { bytes: 1 << 27 }).unwrap().read("x").is_ok());
}

#[test]
fn a_member_larger_than_its_header_says_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let mut member = npy_header("(2,)");
    member.extend([0; 800]);
    std::fs::write(&path, zip_of(&member)).unwrap();
    let error = Npz::open(&path, LIMITS).unwrap().read("x").unwrap_err();
    assert!(matches!(error, FormatError::Size { declared: 8, available: 800, .. }), "{error}");
}

#[test]
fn idx_that_lies_is_refused_compressed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let lie = [0, 0, 8, 3, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 3];
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&lie).unwrap();
    for bytes in [lie.to_vec(), encoder.finish().unwrap()] {
        std::fs::write(&path, bytes).unwrap();
        let error = read_idx(&path, Limits::default()).unwrap_err();
        assert!(matches!(error, FormatError::Size { .. }), "{error}");
    }
    for bytes in [&b"\x01\x02\x03\x04"[..], b"\0\0", b"", b"\0\0\x0a\x01\0\0\0\0"] {
        std::fs::write(&path, bytes).unwrap();
        assert!(read_idx(&path, LIMITS).is_err());
    }
}

#[test]
fn a_table_above_the_limit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all("1,2\n".repeat(10_000).as_bytes()).unwrap();
    std::fs::write(&path, encoder.finish().unwrap()).unwrap();
    let options = CsvOptions { limits: Limits { bytes: 20_000 }, ..CsvOptions::default() };
    assert!(matches!(read_csv(&path, &options), Err(FormatError::Limit { .. })));
}

#[test]
fn random_damage_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let numbers: Vec<f32> = (0..60).map(|i| i as f32).collect();
    write_npy(&at("a.npy"), &[5, 3, 4], &numbers).unwrap();
    write_idx_u8(&at("b"), &[4, 3], &[7; 12]).unwrap();
    for (name, compress) in [("c.npz", true), ("d.npz", false)] {
        let mut writer = NpzWriter::create(&at(name), compress).unwrap();
        writer.add("X", &[5, 12], &numbers).unwrap();
        writer.add("y", &[5], &["a", "b", "a", "b", "é"].map(str::to_owned).to_vec()).unwrap();
        writer.finish().unwrap();
    }
    let mut writer = NpzWriter::create(&at("e.npz"), true).unwrap();
    writer.add("covariances", &[2, 2, 2], &vec![1.0f64; 8]).unwrap();
    writer.add("means", &[2, 2], &vec![1.0f64; 4]).unwrap();
    writer.finish().unwrap();
    std::fs::write(at("f.csv"), "x,y,label\n1,2,\"a\"\n3,4,b\n").unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&std::fs::read(at("b")).unwrap()).unwrap();
    std::fs::write(at("g"), encoder.finish().unwrap()).unwrap();

    let numbers: [(&str, &[usize], MatValues); 2] = [
        ("X", &[4, 3, 2], MatValues::U8(vec![5; 24])),
        ("y", &[2], MatValues::F64(vec![1.0, 2.0])),
    ];
    for (name, compressed, big_endian) in [("h.mat", true, false), ("i.mat", false, true)] {
        std::fs::write(at(name), mat_file(&numbers, Writing { compressed, big_endian })).unwrap();
    }
    let mut sums = ClassAccumulator::new(Classes::numbered(2), 2);
    let points = Table::row_major(&[1.0_f64, 2.0, 3.0, 4.0], 2, 2).unwrap().into();
    sums.update(points, &Labels::from_integers(&[0, 1])).unwrap();
    write_sums(&at("j.stats"), &sums).unwrap();

    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let names =
        ["a.npy", "b", "c.npz", "d.npz", "e.npz", "f.csv", "g", "h.mat", "i.mat", "j.stats"];
    let endings: Vec<&str> = FILE_KINDS.iter().flat_map(|kind| kind.endings).copied().collect();
    for round in 0..ROUNDS {
        let name = names[rng.random_range(0..names.len())];
        let mut bytes = std::fs::read(at(name)).unwrap();
        for _ in 0..rng.random_range(1..4) {
            let place = rng.random_range(0..bytes.len());
            match rng.random_range(0..4) {
                0 => bytes[place] ^= 1 << rng.random_range(0..8),
                1 => bytes[place] = rng.random(),
                2 => bytes.truncate(place.max(1)),
                _ => bytes.insert(place, rng.random()),
            }
        }
        read_all(folder.path(), name, &bytes);
        // What a name promises need not be what the file holds.
        let ending = endings[rng.random_range(0..endings.len())];
        if round % 4 == 0 {
            read_all(folder.path(), &format!("{name}{ending}"), &bytes);
        }
    }
}

#[test]
fn an_empty_file_and_one_of_noise_hold_no_points_whatever_their_ending() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let noise: Vec<u8> = (0..5000).map(|_| rng.random()).collect();
    let options = LoadOptions { limits: LIMITS, ..LoadOptions::default() };
    for ending in FILE_KINDS.iter().flat_map(|kind| kind.endings) {
        let path = folder.path().join(format!("a{ending}"));
        for bytes in [&[][..], &noise] {
            std::fs::write(&path, bytes).unwrap();
            assert!(load(&path, &options).is_err(), "{ending}");
            assert!(open_points(&path, &options).is_err(), "{ending}");
            let read = open_batches(&path, &options, None)
                .and_then(|mut reader| reader.next_batch(3).map(|batch| batch.is_some()));
            assert!(!matches!(read, Ok(true)), "{ending}");
        }
    }
}

fn read_all(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(format!("damaged-{name}"));
    std::fs::write(&path, bytes).unwrap();
    // Any answer will do, as long as there is one.
    let options = LoadOptions { limits: LIMITS, ..LoadOptions::default() };
    let _ = load(&path, &options);
    let streamed = LoadOptions { labels: Some(path.clone()), ..options.clone() };
    for options in [&options, &streamed] {
        if let Ok(mut reader) = open_batches(&path, options, None) {
            while let Ok(Some(_)) = reader.next_batch(3) {}
        }
    }
    if let Ok(mut rows) = npy_rows(&path, LIMITS) {
        while let Ok(Some(_)) = rows.next_rows(2) {}
    }
    if let Ok(mut rows) = idx_rows(&path, LIMITS) {
        while let Ok(Some(_)) = rows.next_rows(2) {}
    }
    if let Ok(file) = MatFile::open(&path, LIMITS) {
        for name in file.names() {
            let _ = file.read(&name);
            let _ = file.rows(&name).map(|mut rows| rows.next_rows(9));
            let _ = file.slices(&name).map(|mut rows| rows.next_rows(9));
        }
    }
    let _ = read_npy(&path, LIMITS);
    let _ = read_idx(&path, LIMITS);
    if let Ok(mut npz) = Npz::open(&path, LIMITS) {
        for name in npz.names().to_vec() {
            let _ = npz.read(&name);
            let _ = npz.read_stack(&name);
        }
    }
}

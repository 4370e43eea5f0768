//! Arrays, archives and tables survive a trip through real files.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use std::io::Write;
use std::path::Path;

use sqfa_io::formats::{
    Array, Column, CsvOptions, FormatError, Header, Limits, Npz, NpzWriter, Stack, Values,
    read_csv, read_idx, read_npy, read_npy_stack, write_idx_u8, write_npy,
};

const LIMITS: Limits = Limits { bytes: 1 << 30 };

/// An npy file as NumPy writes it, from the pieces of its header.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn read_bytes(bytes: &[u8]) -> Result<Array, FormatError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    std::fs::write(&path, bytes).unwrap();
    read_npy(&path, LIMITS)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_kind_of_value_survives_npy_and_npz() {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        Values::U8((0..=255).collect()),
        Values::F32((0..256).map(|i| i as f32 / 7.0).collect()),
        Values::F64((0..256).map(|i| f64::from(i) / 7.0).collect()),
        Values::I64((0..256).map(|i| i - 128).collect()),
        Values::Text((0..256).map(|i| format!("é{i}")).collect()),
    ];
    for compress in [false, true] {
        let path = folder.path().join("all.npz");
        let mut writer = NpzWriter::create(&path, compress).unwrap();
        for (index, values) in all.iter().enumerate() {
            writer.add(&format!("a{index}"), &[4, 8, 8], values.as_ref()).unwrap();
        }
        assert!(compress || !path.exists(), "nothing appears before finish");
        writer.finish().unwrap();
        let mut npz = Npz::open(&path, LIMITS).unwrap();
        assert_eq!(npz.names(), ["a0", "a1", "a2", "a3", "a4"]);
        for (index, values) in all.iter().enumerate() {
            let array = npz.read(&format!("a{index}")).unwrap();
            assert_eq!((array.shape(), array.values()), (&[4, 8, 8][..], values));
            let npy = folder.path().join("one.npy");
            write_npy(&npy, &[256], values.as_ref()).unwrap();
            assert_eq!(read_npy(&npy, LIMITS).unwrap().values(), values);
        }
        assert_eq!(npz.shape("a1").unwrap(), [4, 8, 8]);
        let (_, stack) = npz.read_stack("a1").unwrap();
        let Stack::F32(parts) = &stack else { panic!("{stack:?}") };
        assert_eq!(parts.len(), 4);
        assert_eq!(parts[3][63], 255.0 / 7.0);
        let error = npz.read("b").unwrap_err().to_string();
        assert!(error.contains("'b'") && error.contains("a0, a1"), "{error}");
    }
}

#[test]
fn the_same_arrays_give_the_same_archive() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = [0, 1].map(|index| {
        let path = folder.path().join(format!("{index}.npz"));
        let mut writer = NpzWriter::create(&path, true).unwrap();
        writer.add("x", &[3], &vec![1.0f32, 2.0, 3.0]).unwrap();
        writer.finish().unwrap();
        std::fs::read(path).unwrap()
    });
    assert_eq!(bytes[0], bytes[1]);
}

#[test]
fn a_failed_write_leaves_the_folder_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    assert!(write_npy(&path, &[2, 2], &vec![1.0f32; 3]).is_err());
    let mut writer = NpzWriter::create(&folder.path().join("x.npz"), true).unwrap();
    assert!(writer.add("x", &[5], &vec![1.0f32; 3]).is_err());
    drop(writer);
    assert!(write_npy(&folder.path().join("no/such/folder.npy"), &[1], &vec![1u8]).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn fortran_order_is_transposed_on_the_way() {
    // (2, 3, 2): the first index moves fastest in the file.
    let data: Vec<u8> = (0..12).collect();
    let array = read_bytes(&npy("|u1", true, "(2, 3, 2)", &data)).unwrap();
    assert_eq!(array.values(), &Values::U8(vec![0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    std::fs::write(&path, npy("|u1", true, "(2, 3, 2)", &data)).unwrap();
    let (_, stack) = read_npy_stack(&path, LIMITS).unwrap();
    assert_eq!(
        stack,
        Stack::F64(vec![vec![0., 6., 2., 8., 4., 10.], vec![1., 7., 3., 9., 5., 11.]])
    );
}

#[test]
fn other_types_and_byte_orders_are_widened() {
    for (descr, data, expected) in [
        (">i2", &[0xff, 0xfe, 0x00, 0x02][..], Values::I64(vec![-2, 2])),
        ("<i1", &[0xff, 0x02], Values::I64(vec![-1, 2])),
        ("<u2", &[0xff, 0xff, 0x01, 0x00], Values::I64(vec![65535, 1])),
        ("<u4", &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1], Values::I64(vec![4294967295, 1 << 24])),
        ("|b1", &[0, 1], Values::U8(vec![0, 1])),
        (">f2", &[0x3c, 0x00, 0xc0, 0x00], Values::F32(vec![1.0, -2.0])),
        (">f4", &[0x3f, 0x80, 0, 0, 0xbf, 0x80, 0, 0], Values::F32(vec![1.0, -1.0])),
        ("|S3", b"ab\0xyz", Values::Text(vec!["ab".into(), "xyz".into()])),
        (">U1", &[0, 0, 0, 0x61, 0, 0, 0, 0xe9], Values::Text(vec!["a".into(), "é".into()])),
    ] {
        assert_eq!(read_bytes(&npy(descr, false, "(2,)", data)).unwrap().values(), &expected);
    }
    let too_large = npy("<u8", false, "(1,)", &[0xff; 8]);
    assert!(matches!(read_bytes(&too_large), Err(FormatError::Element { index: 0, .. })));
}

#[test]
fn idx_is_read_compressed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("images");
    let values: Vec<u8> = (0..24).collect();
    write_idx_u8(&path, &[2, 3, 4], &values).unwrap();
    let plain = read_idx(&path, LIMITS).unwrap();
    assert_eq!((plain.shape(), plain.values()), (&[2, 3, 4][..], &Values::U8(values)));
    let bytes = gzip(&std::fs::read(&path).unwrap());
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(read_idx(&path, LIMITS).unwrap(), plain);
    std::fs::write(&path, [0, 0, 0x0b, 1, 0, 0, 0, 2, 0xff, 0xff, 0, 7]).unwrap();
    assert_eq!(read_idx(&path, LIMITS).unwrap().values(), &Values::I64(vec![-1, 7]));
}

fn csv(
    name: &str,
    bytes: &[u8],
    label: Option<Column>,
) -> Result<sqfa_io::formats::CsvTable, FormatError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_csv(Path::new(&path), &CsvOptions { label, ..CsvOptions::default() })
}

#[test]
fn tables_are_read_with_and_without_names() {
    let named = csv(
        "a.csv",
        b"x,kind,y2\n1,cat,2\n3,\"dog, big\",4.5\n",
        Some(Column::Name("kind".into())),
    );
    let named = named.unwrap();
    assert_eq!(named.columns, ["x", "y2"]);
    assert_eq!((named.rows, named.width, &named.values[..]), (2, 2, &[1.0, 2.0, 3.0, 4.5][..]));
    assert_eq!(named.labels.unwrap(), ["cat", "dog, big"]);

    let bare = csv("a.tsv.gz", &gzip(b"1\t2\tcat\n3\t4\tdog\n"), Some(Column::Index(2))).unwrap();
    assert_eq!((bare.rows, bare.columns.len(), bare.width), (2, 0, 2));
    let usual = csv("a.csv", b"Class,x\na,1\n", Some(Column::Usual)).unwrap();
    assert_eq!(usual.labels.unwrap(), ["a"]);
    let options = CsvOptions { header: Header::Absent, ..CsvOptions::default() };
    assert_eq!(options.label, None);
}

#[test]
fn line_ends_within_closed_quotes_belong_to_the_cell() {
    let label = Some(Column::Name("kind".into()));
    for end in ["", "\n", "\r\n"] {
        let text = format!("x,kind\n1,\"a\nb\"\n2,\"c\n\"{end}");
        let read = csv("a.csv", text.as_bytes(), label.clone()).unwrap();
        assert_eq!(read.labels.unwrap(), ["a\nb", "c"], "{end:?}");
    }
    // A doubled mark is one of the cell's own, which closes nothing.
    let open = csv("a.csv", b"x,kind\n1,a\n2,\"b\"\"\n", label).unwrap_err();
    assert!(matches!(open, FormatError::OpenQuote { line: 3, swallowed: 0, .. }), "{open}");
}

#[test]
fn bad_cells_are_named_by_line_and_column() {
    let error = csv("a.csv", b"x,y\n1,2\n1,abc\n", None).unwrap_err();
    let FormatError::Cell { line: 3, column, text, .. } = &error else { panic!("{error}") };
    assert_eq!((column.as_str(), text.as_str()), ("y", "abc"));
    let ragged = csv("a.csv", b"1,2\n1,2,3\n", None).unwrap_err();
    assert!(matches!(ragged, FormatError::Ragged { line: 2, expected: 2, found: 3, .. }));
    for bytes in [&b""[..], b"x,y\n", b"1,\n", b"1,nan\n", b"1,inf\n"] {
        assert!(csv("a.csv", bytes, None).is_err(), "{bytes:?}");
    }
    let missing = csv("a.csv", b"x,y\n1,2\n", Some(Column::Name("kind".into()))).unwrap_err();
    assert!(missing.to_string().contains("x, y"));
}

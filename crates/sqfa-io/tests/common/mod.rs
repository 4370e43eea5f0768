//! MATLAB files for tests, written from the format's description.
#![allow(dead_code, unreachable_pub)] // every test file uses its own part of this
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

use std::io::Write;

/// Numbers with the class and storage type MATLAB gives them.
#[derive(Clone)]
pub enum MatValues {
    U8(Vec<u8>),
    F64(Vec<f64>),
    /// A struct of these fields, which are empty.
    Struct(Vec<&'static str>),
}

/// How to write a file.
#[derive(Clone, Copy)]
pub struct Writing {
    pub compressed: bool,
    pub big_endian: bool,
}

/// A MATLAB 5 file of named arrays in Fortran order.
pub fn mat_file(arrays: &[(&str, &[usize], MatValues)], writing: Writing) -> Vec<u8> {
    let word = |value: u32| {
        if writing.big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    };
    let element = |kind: u32, data: &[u8]| {
        let mut bytes = [word(kind), word(data.len() as u32)].concat();
        bytes.extend_from_slice(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    };
    let mut file = b"MATLAB 5.0 MAT-file, for a test".to_vec();
    file.resize(124, b' ');
    file.extend(if writing.big_endian { *b"\x01\x00MI" } else { *b"\x00\x01IM" });
    for (name, shape, values) in arrays {
        let (class, kind, data) = match values {
            MatValues::U8(values) => (9, 2, values.clone()),
            MatValues::F64(values) => {
                let bytes =
                    |v: &f64| if writing.big_endian { v.to_be_bytes() } else { v.to_le_bytes() };
                (6, 9, values.iter().flat_map(bytes).collect())
            }
            // Names of fields, each in so many bytes; the fields themselves are not written.
            MatValues::Struct(fields) => {
                let padded = |name: &&str| format!("{name:\0<32}").into_bytes();
                (2, 1, fields.iter().flat_map(padded).collect())
            }
        };
        let mut body = element(6, &[word(class), word(0)].concat());
        let lengths: Vec<u8> = shape.iter().flat_map(|&length| word(length as u32)).collect();
        body.extend(element(5, &lengths));
        // Short names stand inside their tag.
        if name.len() <= 4 {
            body.extend(word((name.len() as u32) << 16 | 1));
            let mut short = name.as_bytes().to_vec();
            short.resize(4, 0);
            body.extend(short);
        } else {
            body.extend(element(1, name.as_bytes()));
        }
        body.extend(element(kind, &data));
        let matrix = [&word(14)[..], &word(body.len() as u32), &body].concat();
        if writing.compressed {
            let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            zlib.write_all(&matrix).unwrap();
            let packed = zlib.finish().unwrap();
            file.extend([word(15), word(packed.len() as u32)].concat());
            file.extend(packed);
        } else {
            file.extend(matrix);
        }
    }
    file
}

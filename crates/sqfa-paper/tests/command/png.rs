//! Just enough of PNG to see pixels: eight bits, red, green, blue and opacity, no interlace.

use std::io::Read;

/// Width, height and four bytes a pixel.
pub(crate) fn pixels(file: &[u8]) -> (usize, usize, Vec<u8>) {
    assert!(file.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let (width, height) = (number(16), number(20));
    assert_eq!(file[24..29], [8, 6, 0, 0, 0]);
    let (mut packed, mut at) = (Vec::new(), 8);
    while at < file.len() {
        let length = number(at);
        if &file[at + 4..at + 8] == b"IDAT" {
            packed.extend_from_slice(&file[at + 8..at + 8 + length]);
        }
        at += length + 12;
    }
    let mut rows = Vec::new();
    flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut rows).unwrap();
    let stride = 4 * width;
    let mut pixels = vec![0_u8; stride * height];
    for row in 0..height {
        let filter = rows[row * (stride + 1)];
        for column in 0..stride {
            let before = |x: usize, y: usize| match (column.checked_sub(x), row.checked_sub(y)) {
                (Some(column), Some(row)) => i32::from(pixels[row * stride + column]),
                _ => 0,
            };
            let (left, up, corner) = (before(4, 0), before(0, 1), before(4, 1));
            let guess = match filter {
                0 => 0,
                1 => left,
                2 => up,
                3 => (left + up) / 2,
                4 => {
                    let sum = left + up - corner;
                    let nearest = [left, up, corner].into_iter().min_by_key(|v| (sum - v).abs());
                    nearest.unwrap()
                }
                other => panic!("filter {other}"),
            };
            let value = rows[row * (stride + 1) + 1 + column];
            pixels[row * stride + column] = value.wrapping_add(guess as u8);
        }
    }
    (width, height, pixels)
}

//! The beginning of a table, which contains whole rows for any number of columns.

use std::io::Read;

use super::sniff::ROWS;

/// The smallest number of bytes that are read.
const BYTES: usize = 64 << 10;
/// The smallest number of rows that are read. The rows after the first are needed to recognize a
/// header.
const FEWEST_ROWS: usize = 4;
/// The largest number of bytes that are read, enough for a million columns with names of 60
/// characters.
const MOST_BYTES: usize = 64 << 20;

/// The first bytes of a table.
pub(super) struct Sample {
    pub(super) bytes: Vec<u8>,
    /// Whether the sample is the whole table.
    pub(super) whole: bool,
}

impl Sample {
    /// Reads the first rows of a table.
    ///
    /// # Errors
    ///
    /// If the stream fails, or if the first row does not end within 64 MiB.
    pub(super) fn read(reader: &mut impl Read) -> std::io::Result<Self> {
        let mut sample = Self { bytes: Vec::new(), whole: false };
        let mut rows = RowCount::default();
        let mut wanted = BYTES;
        loop {
            let before = sample.bytes.len();
            reader.by_ref().take(wanted as u64).read_to_end(&mut sample.bytes)?;
            rows.add(&sample.bytes[before..]);
            sample.whole = sample.bytes.len() - before < wanted;
            if sample.whole || rows.whole >= FEWEST_ROWS || rows.lines >= ROWS {
                return Ok(sample);
            }
            wanted = sample.bytes.len().min(MOST_BYTES - sample.bytes.len());
            if wanted == 0 {
                break;
            }
        }
        match rows.lines {
            0 => Err(std::io::Error::other(
                "its first row has more than 64 MiB: this is no table, or its rows do not end with a line end",
            )),
            _ => Ok(sample),
        }
    }
}

/// A counter of rows in a stream whose delimiter is not known yet.
#[derive(Default)]
struct RowCount {
    /// The number of line ends outside of quotation marks.
    whole: usize,
    /// The number of all line ends. After a quotation mark within a cell (5" pipe), all line ends
    /// look quoted.
    lines: usize,
    quoted: bool,
    last: u8,
}

impl RowCount {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'"' => self.quoted = !self.quoted,
                b'\n' if self.last == b'\r' => {}
                b'\n' | b'\r' => {
                    self.lines += 1;
                    self.whole += usize::from(!self.quoted);
                }
                _ => {}
            }
            self.last = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Sample {
        Sample::read(&mut &bytes[..]).unwrap()
    }

    #[test]
    fn a_sample_holds_whole_rows_and_no_more_than_it_needs() {
        let row = |cells: usize| format!("{}1\n", "1.5,".repeat(cells));
        let long = row(30_000).repeat(20);
        let sample = read(long.as_bytes());
        assert!(!sample.whole && sample.bytes.len() >= 4 * row(30_000).len());
        assert!(sample.bytes.len() < long.len() / 2);
        let short = row(3).repeat(20_000);
        assert_eq!(read(short.as_bytes()).bytes.len(), BYTES);
        let whole = read(row(3).as_bytes());
        assert!(whole.whole && whole.bytes == row(3).as_bytes());
        // Line ends within quotation marks do not end a row. After a quotation mark within a cell,
        // the sample must still end.
        let quoted = format!("\"{}\n\n\n\n\n\",1\n", "x".repeat(BYTES)) + &row(3).repeat(100_000);
        assert_eq!(read(quoted.as_bytes()).bytes.len(), 2 * BYTES);
        let inches = format!("5\" pipe{}\n", ",1".repeat(BYTES / 2)) + &row(3).repeat(100_000);
        assert_eq!(read(inches.as_bytes()).bytes.len(), 2 * BYTES);
    }

    #[test]
    fn a_first_row_without_an_end_is_an_error() {
        let endless = std::io::repeat(b'1');
        assert!(Sample::read(&mut { endless }).is_err());
    }
}

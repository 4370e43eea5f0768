//! Conversion of line ends in tables, so that line numbers in messages are those of the file.
//!
//! `\r\n` and `\r` are converted to `\n`, and the last line gets a line end. If blanks separate
//! cells, a run of them is converted to a single one.

use std::io::Read;

const BLOCK: usize = 64 << 10;
/// The largest number of bytes per row, enough for a million columns of long numbers.
const LONGEST: usize = 256 << 20;

/// A stream with converted line ends.
pub(super) struct Lines<R> {
    reader: R,
    /// Whether blanks separate cells.
    blanks: bool,
    block: Vec<u8>,
    ready: Vec<u8>,
    at: usize,
    last: u8,
    quoted: bool,
    done: bool,
    /// The number of bytes since the beginning of the row.
    row: usize,
    /// The number of bytes that were returned, and the last of them.
    given: u64,
    tail: [u8; 3],
    /// The number of lines that begin with the mark of a comment.
    marked: u64,
}

/// The mark at the beginning of a comment.
pub(super) const COMMENT: u8 = b'#';

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R, blanks: bool) -> Self {
        let (block, ready) = (vec![0; BLOCK], Vec::new());
        Self {
            reader,
            blanks,
            block,
            ready,
            at: 0,
            last: b'\n',
            quoted: false,
            done: false,
            row: 0,
            given: 0,
            tail: [0, 0, b'\n'],
            marked: 0,
        }
    }

    /// Whether the row that ends at this byte is the last one and contains a quotation mark that is
    /// never closed. The final line end then belongs to its last cell.
    pub(super) fn ends_in_quotes(&self, last_cell: &[u8], byte: u64) -> bool {
        let last = self.done && byte >= self.given;
        last && last_cell.ends_with(b"\n") && self.tail != *b"\n\"\n"
    }

    /// Returns the number of lines so far that begin with the mark of a comment.
    pub(super) fn marked(&self) -> u64 {
        self.marked
    }

    /// Marks the beginning of a row.
    pub(super) fn begin_record(&mut self) {
        self.row = 0;
    }

    /// Reads and converts another block.
    fn fill(&mut self) -> std::io::Result<()> {
        self.ready.clear();
        self.at = 0;
        while self.ready.is_empty() && !self.done {
            let taken = self.reader.read(&mut self.block)?;
            if taken == 0 {
                self.done = true;
                if self.blanks && self.last == b' ' {
                    self.last = b'x';
                }
                if self.last != b'\n' && self.last != b'\r' {
                    self.ready.push(b'\n');
                }
                return Ok(());
            }
            let bytes = &self.block[..taken];
            if self.blanks || self.last == b'\r' || bytes.contains(&b'\r') {
                for at in 0..taken {
                    self.turn(self.block[at]);
                }
            } else {
                self.ready.extend_from_slice(bytes);
                self.last = bytes[taken - 1];
            }
        }
        Ok(())
    }

    fn turn(&mut self, byte: u8) {
        let before = std::mem::replace(&mut self.last, byte);
        match byte {
            b'\n' if before == b'\r' => {}
            b'\n' | b'\r' => {
                // A blank at the end of a line does not separate cells.
                if self.blanks && !self.quoted && before == b' ' && self.ready.last() == Some(&b' ')
                {
                    self.ready.pop();
                }
                self.ready.push(b'\n');
            }
            b'"' => {
                self.quoted = !self.quoted;
                self.ready.push(byte);
            }
            b' ' if self.blanks && !self.quoted => {
                if !matches!(before, b' ' | b'\n' | b'\r') {
                    self.ready.push(b' ');
                }
                // A run of blanks at the beginning of a line is treated as the beginning of the
                // line.
                if matches!(before, b'\n' | b'\r') {
                    self.last = before;
                }
            }
            _ => self.ready.push(byte),
        }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.ready.len() {
            self.fill()?;
        }
        let count = bytes.len().min(self.ready.len() - self.at);
        bytes[..count].copy_from_slice(&self.ready[self.at..][..count]);
        self.at += count;
        self.row += count;
        self.given += count as u64;
        let bytes = &bytes[..count];
        if bytes.contains(&COMMENT) {
            let before = std::iter::once(&self.tail[2]).chain(bytes);
            let pairs = before.zip(bytes);
            self.marked += pairs.filter(|pair| *pair == (&b'\n', &COMMENT)).count() as u64;
        }
        for &byte in &bytes[count.saturating_sub(3)..] {
            self.tail = [self.tail[1], self.tail[2], byte];
        }
        if self.row > LONGEST {
            return Err(std::io::Error::other(
                "a row of more than 256 MiB: this is no table, or a quotation mark is not closed",
            ));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(text: &str, blanks: bool) -> String {
        let mut out = String::new();
        Lines::new(text.as_bytes(), blanks).read_to_string(&mut out).unwrap();
        out
    }

    #[test]
    fn lines_end_alike_and_blanks_count_once() {
        assert_eq!(turned("a\r\nb\rc\n\nd", false), "a\nb\nc\n\nd\n");
        assert_eq!(turned("  a  b \r\n c   \"d  e\"\n", true), "a b\nc \"d  e\"\n");
        assert_eq!(turned("a b", true), "a b\n");
        assert_eq!(turned("", false), "");
    }

    #[test]
    fn lines_that_begin_as_comments_do_are_counted() {
        let mut lines = Lines::new(&b"#a\n1,#\n#b\r\n\n#"[..], false);
        // One byte at a time, so that line ends and marks are in different reads.
        let mut byte = [0];
        while lines.read(&mut byte).unwrap() > 0 {}
        assert_eq!(lines.marked(), 3);
    }
}

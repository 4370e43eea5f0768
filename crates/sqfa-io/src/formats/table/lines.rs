//! A table's bytes with one kind of line end, so that the lines of messages are the file's lines.
//!
//! `\r\n` and `\r` become `\n`, the last line gets one, and where blanks separate cells a run of them counts once.

use std::io::Read;

const BLOCK: usize = 64 << 10;
/// Bytes of one row: a million columns of long numbers, and far less than memory.
const LONGEST: usize = 256 << 20;

/// A stream of such bytes.
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
    /// Bytes since the row began.
    row: usize,
    /// Bytes that were given, and the last of them.
    given: u64,
    tail: [u8; 3],
    /// Lines that begin with the mark of a comment.
    marked: u64,
}

/// The mark with which a comment begins.
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

    /// Whether a row that ends with the file, at this byte, ends within quotation marks: it took the last line end for its own,
    /// which no mark before that line end closes.
    pub(super) fn ends_in_quotes(&self, last_cell: &[u8], byte: u64) -> bool {
        let last = self.done && byte >= self.given;
        last && last_cell.ends_with(b"\n") && self.tail != *b"\n\"\n"
    }

    /// The number of lines so far that begin as comments do.
    pub(super) fn marked(&self) -> u64 {
        self.marked
    }

    /// A row begins here.
    pub(super) fn begin_record(&mut self) {
        self.row = 0;
    }

    /// Reads and turns one block more.
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
                // A blank at the end of a line separates nothing.
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
                // A run of blanks at the start of a line stays at its start.
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
        // One byte at a time, so that line ends and marks come in different reads.
        let mut byte = [0];
        while lines.read(&mut byte).unwrap() > 0 {}
        assert_eq!(lines.marked(), 3);
    }
}

//! Detection of the format of a table from its first rows: the delimiter, the decimal mark,
//! comments, and whether the first row contains column names.

use std::collections::HashSet;

use ::csv::{ByteRecord, ReaderBuilder};

use super::cell::{Cell, Decimal, may_mark_thousands};
use super::lines::{COMMENT, Lines};

/// The number of rows that are used for the detection.
pub(super) const ROWS: usize = 100;
/// The number of consecutive whole numbers from which a first row is assumed to contain column
/// names.
const CONSECUTIVE: usize = 3;

/// The possible delimiters, the most likely ones first.
const DELIMITERS: [u8; 5] = [b',', b'\t', b';', b'|', b' '];

/// Parses the rows of a sample, without an incomplete last line and without comments if there are
/// any.
pub(super) fn rows(sample: &[u8], whole: bool, delimiter: u8, comments: bool) -> Vec<ByteRecord> {
    let end = match whole {
        true => sample.len(),
        false => sample.iter().rposition(|byte| b"\r\n".contains(byte)).unwrap_or(sample.len()),
    };
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .comment(comments.then_some(COMMENT))
        .from_reader(Lines::new(&sample[..end], delimiter == b' '));
    reader.byte_records().take(ROWS).map_while(Result::ok).collect()
}

/// Returns the delimiter with which most rows have the same length as the first and most cells are
/// numbers.
///
/// If commas are specified as decimal marks, they are the delimiter only if no other character is
/// possible.
pub(super) fn delimiter(
    sample: &[u8],
    whole: bool,
    usual: u8,
    comments: bool,
    decimal: Option<Decimal>,
) -> u8 {
    let score = |delimiter: u8| {
        let rows = rows(sample, whole, delimiter, comments);
        let width = rows.first().map_or(0, ByteRecord::len);
        let alike = rows.iter().filter(|row| has_width(row, width)).count();
        if width < 2 || 2 * alike <= rows.len() {
            return None;
        }
        // The first row may contain names, so it is used only if there are no other rows.
        let body = &rows[usize::from(rows.len() > 1)..];
        let cells: usize = body.iter().map(ByteRecord::len).sum();
        let numbers =
            body.iter().flat_map(|row| row.iter()).filter(|cell| Cell::read(cell).is_numeric());
        let share = numbers.count() as f64 / cells.max(1) as f64;
        Some((share, alike as f64 / rows.len() as f64))
    };
    let mut best: Option<(f64, f64, u8)> = None;
    let mut candidates: Vec<u8> = std::iter::once(usual).chain(DELIMITERS).collect();
    if decimal == Some(Decimal::Comma) {
        candidates.sort_by_key(|&candidate| candidate == b',');
    }
    for candidate in candidates {
        if let Some((share, alike)) = score(candidate)
            && best.is_none_or(|(s, a, _)| (share, alike) > (s, a))
        {
            best = Some((share, alike, candidate));
        }
    }
    best.map_or(usual, |(.., delimiter)| delimiter)
}

/// Whether a row has `width` cells. Additional empty cells are ignored, because lines may end with
/// a delimiter.
pub(super) fn has_width(row: &ByteRecord, width: usize) -> bool {
    let empty = |at: usize| row.get(at).is_none_or(|cell| cell.trim_ascii().is_empty());
    row.len() >= width && (width..row.len()).all(empty)
}

/// Returns the number of columns, without the last ones that are empty in every row including the
/// first.
pub(super) fn width(rows: &[ByteRecord]) -> usize {
    let empty =
        |row: &ByteRecord, at: usize| row.get(at).is_none_or(|cell| cell.trim_ascii().is_empty());
    let mut width = rows.first().map_or(0, ByteRecord::len);
    // In a single row, an empty last cell may be a missing value.
    while rows.len() > 1 && width > 1 && rows.iter().all(|row| empty(row, width - 1)) {
        width -= 1;
    }
    width
}

/// Returns the decimal mark. It is a comma if a number cannot be read in any other way and no
/// number contains a point.
pub(super) fn decimal(rows: &[ByteRecord]) -> Decimal {
    let mut decimal = Decimal::Point;
    for cell in rows.iter().flat_map(|row| row.iter()) {
        match Cell::read(cell) {
            Cell::Number(_) if cell.contains(&b'.') => return Decimal::Point,
            Cell::DecimalComma if !may_mark_thousands(cell) => decimal = Decimal::Comma,
            _ => {}
        }
    }
    decimal
}

/// Whether lines that begin with # are comments, rather than rows whose first cell begins with #
/// (such as colors).
pub(super) fn has_comments(sample: &[u8]) -> bool {
    let filled = lines(sample).filter(|line| !line.is_empty());
    let (all, marked) = filled.take(ROWS).fold((0, 0), |(all, marked), line| {
        (all + 1, marked + usize::from(line.starts_with(&[COMMENT])))
    });
    // A table with few rows may have more comments than rows. In this case the last line is not a
    // comment.
    let last = lines(sample).filter(|line| !line.is_empty()).last();
    2 * marked <= all || last.is_some_and(|line| !line.starts_with(&[COMMENT]))
}

/// Returns the last comment above a table as a row of cells, because numpy.savetxt writes column
/// names as a comment.
pub(super) fn last_comment(sample: &[u8], delimiter: u8) -> Option<ByteRecord> {
    let filled = lines(sample).filter(|line| !line.is_empty());
    let comment = filled.take_while(|line| line.starts_with(&[COMMENT])).last()?;
    let text = comment.iter().position(|&byte| byte != COMMENT).map(|start| &comment[start..])?;
    rows(text.trim_ascii(), true, delimiter, false).into_iter().next()
}

/// Returns the lines of a sample without surrounding whitespace.
fn lines(sample: &[u8]) -> impl Iterator<Item = &[u8]> {
    sample.split(|byte| b"\r\n".contains(byte)).map(<[u8]>::trim_ascii)
}

/// Returns the number of cells in most rows if the first row has only one, such as a title above
/// the table.
pub(super) fn below_a_title(rows: &[ByteRecord]) -> Option<usize> {
    let title = rows.iter().take_while(|row| row.len() == 1).count();
    let width = rows.get(title).map(ByteRecord::len).filter(|_| title > 0)?;
    let alike = rows.iter().filter(|row| row.len() == width).count();
    (2 * alike > rows.len()).then_some(width)
}

/// The content of the first row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// Column names.
    Names,
    /// Numbers that are column names, such as 0, 1, 2, … in pandas.
    Numbers,
    /// Data.
    Point,
}

/// Returns the only column of texts that mostly repeat, as names of classes do.
pub(super) fn column_of_classes(rows: &[ByteRecord], cells: usize) -> Option<usize> {
    let of_classes = |&at: &usize| {
        let own = || rows.iter().filter_map(|row| row.get(at)).map(<[u8]>::trim_ascii);
        let different: HashSet<&[u8]> = own().collect();
        2 * different.len() <= rows.len()
            && own().all(|cell| !cell.is_empty() && matches!(Cell::read(cell), Cell::Text))
    };
    let mut found = (0..cells).filter(of_classes);
    found.next().filter(|_| found.next().is_none() && !rows.is_empty())
}

/// Detects whether the first row contains column names, from its cells and those of the following
/// rows.
///
/// Text above numbers is a name, unless other cells of the first row are written with a decimal
/// point. Consecutive whole numbers from 0 or 1 are names if no later row is such a sequence. Any
/// arithmetic sequence of whole numbers is a row of names if the cells below are written with a
/// decimal point. An empty cell in the first row is ignored.
pub(super) fn first_row(rows: &[ByteRecord]) -> First {
    let Some((first, body)) = rows.split_first() else { return First::Point };
    let kind = |row: &ByteRecord, at: usize| row.get(at).map(Cell::read);
    // The words true and false may be names, unless the column contains them as values.
    let word = |at: usize| {
        let is_boolean = |row: &ByteRecord| matches!(kind(row, at), Some(Cell::Boolean(_)));
        is_boolean(first) && !body.iter().any(is_boolean)
    };
    let text = |at: usize| kind(first, at) == Some(Cell::Text) || word(at);
    if body.is_empty() {
        return if (0..first.len()).any(text) { First::Names } else { First::Point };
    }
    let numeric: Vec<bool> = (0..first.len())
        .map(|at| {
            let cells = || body.iter().filter_map(|row| row.get(at)).map(Cell::read);
            let (numbers, words) = cells().fold((0, 0), |(n, w), cell| match cell {
                Cell::Text => (n, w + 1),
                Cell::Missing => (n, w),
                _ => (n + 1, w),
            });
            numbers > 0 && numbers > words
        })
        .collect();
    let above = || (0..first.len()).filter(|&at| numeric[at]);
    let pointed = |cell: &[u8]| cell.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let is_number = |at: &usize| !text(*at) && kind(first, *at).is_some_and(Cell::is_numeric);
    if above().any(text) {
        let like_data = above().filter(is_number).any(|at| first.get(at).is_some_and(pointed));
        return if like_data { First::Point } else { First::Names };
    }
    if above().next().is_none() {
        // All columns are text: names do not occur again in their column.
        let again = |at: usize| body.iter().any(|row| row.get(at) == first.get(at));
        return if (0..first.len()).any(|at| text(at) && !again(at)) {
            First::Names
        } else {
            First::Point
        };
    }
    let named = |at: usize| {
        first.get(at).is_some_and(|cell| super::is_usual_label(&String::from_utf8_lossy(cell)))
    };
    if (0..first.len()).any(named) {
        return First::Names;
    }
    let step = |row: &ByteRecord| run(above().map(|at| row.get(at).unwrap_or(b"")));
    let Some((start, step_of_first, length)) = step(first) else { return First::Point };
    let counts = (start == 0 || start == 1) && step_of_first == 1;
    let below_pointed = above().all(|at| {
        body.iter().all(|row| row.get(at).is_some_and(|cell| pointed(cell) || cell.is_empty()))
    });
    let again = body.iter().any(|row| step(row).is_some_and(|(_, step, _)| step == step_of_first));
    let names = (counts && length >= CONSECUTIVE && !again)
        || (length >= CONSECUTIVE && below_pointed)
        || (counts && length >= 2 && below_pointed);
    if names { First::Numbers } else { First::Point }
}

/// Returns the start, the step and the length of an arithmetic sequence of whole numbers. Only
/// empty cells at the beginning are ignored.
fn run<'a>(cells: impl Iterator<Item = &'a [u8]>) -> Option<(i64, i64, usize)> {
    let whole = |cell: &[u8]| std::str::from_utf8(cell).ok()?.trim().parse::<i64>().ok();
    let cells: Vec<&[u8]> = cells.skip_while(|cell| cell.is_empty()).collect();
    let numbers: Vec<i64> = cells.iter().map(|cell| whole(cell)).collect::<Option<_>>()?;
    let step = numbers.get(1)?.checked_sub(numbers[0])?;
    let even = numbers.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step));
    (step > 0 && even).then_some((numbers[0], step, numbers.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> First {
        first_row(&rows(text.as_bytes(), true, b',', true))
    }

    #[test]
    fn a_header_is_told_from_a_point() {
        assert_eq!(first("a,b,label\n1,2,x\n"), First::Names);
        assert_eq!(first("1,2,x\n3,4,y\n"), First::Point);
        assert_eq!(first("0,1,2,3\n0.5,0.1,0.2,cat\n0.4,1.1,0.3,dog\n"), First::Numbers);
        assert_eq!(first(",0,1,2\n0,5,7,6\n1,3,5,5\n"), First::Numbers);
        assert_eq!(first("0,1,2\n3,4,5\n1,5,9\n"), First::Point, "other rows run evenly too");
        assert_eq!(first("1.5,,cat\n2.5,3.5,dog\n"), First::Point, "a gap is no name");
        assert_eq!(first(",2.5,cat\n2.5,3.5,dog\n"), First::Point);
        assert_eq!(first("1.2,abc,cat\n1.3,2.2,dog\n"), First::Point, "a bad cell is no name");
        assert_eq!(first("site,2019,2020\n4,5,6\n7,8,8\n"), First::Names);
        assert_eq!(first("1990,1991,1992\n0.5,0.25,1.5\n"), First::Numbers);
        assert_eq!(first("5,3,1\n4,2,9\n"), First::Point);
        assert_eq!(first("x,y\n"), First::Names);
        assert_eq!(first("1,2,label\n3,4,cat\n5,7,cat\n"), First::Names);
        assert_eq!(first("True,False,kind\n3,4,cat\n5,7,cat\n"), First::Names);
        assert_eq!(first("True,1,cat\nFalse,2,dog\n"), First::Point, "booleans are numbers");
    }

    #[test]
    fn the_character_between_cells_is_seen() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1;2\n", b';'),
            ("a;b\n1,5;2,5\n3,5;1,0\n", b';'),
            ("1,5;2,5\n3,5;1,0\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a b c\n1 2 3\n  4   5 6\n", b' '),
            ("1.0,2.0,cat;big\n2.0,3.0,dog;small\n", b','),
            ("a,b\n1,\"x y\"\n2,\"z w\"\n", b','),
            ("1\n2\n", b','),
        ] {
            assert_eq!(delimiter(text.as_bytes(), true, b',', true, None), expected, "{text}");
        }
        let comma = Some(Decimal::Comma);
        assert_eq!(delimiter(b"1,5;x\n2,5;y\n", true, b',', true, comma), b';');
    }

    #[test]
    fn decimal_commas_are_seen_only_beyond_doubt() {
        let of = |text: &str| decimal(&rows(text.as_bytes(), true, b';', true));
        assert_eq!(of("a;b\n1,5;2\n3;4,25\n"), Decimal::Comma);
        assert_eq!(of("a;b\n1,234;2\n3;40,250\n"), Decimal::Point, "maybe thousands");
        assert_eq!(of("a;b\n1,234;0,234\n"), Decimal::Comma);
        assert_eq!(of("a;b\n1,5;2.5\n"), Decimal::Point, "a point somewhere");
        assert_eq!(of("a;b\n15;25\n"), Decimal::Point);
    }

    #[test]
    fn cells_behind_the_last_column_and_comments_are_no_cells() {
        let of = |text: &str| width(&rows(text.as_bytes(), true, b',', true));
        assert_eq!(of("a,b,\n1,2,\n3,4,\n"), 2);
        assert_eq!(of("a,b,,,\n1,2,,,\n"), 2);
        assert_eq!(of("a,b,c\n1,2,\n"), 3, "a column with a name is one");
        assert_eq!(of("a,b,\n1,2,\n3,4,5\n"), 3, "a column with a value is one");
        assert!(has_comments(b"# x\na,b\n1,2\n") && has_comments(b"a,b\n1,2\n"));
        assert!(has_comments(b"# x\n# y\n# z\n1,2\n"));
        assert!(!has_comments(b"color,b\n#ff0000,2\n#00ff00,3\n#0000ff,4\n"));
        let names = |text: &str| last_comment(text.as_bytes(), b',').map(|row| row.len());
        assert_eq!(names("# by me\n# a,b,c\n1,2,3\n"), Some(3));
        assert_eq!(names("a,b\n# x,y,z\n"), None);
    }
}

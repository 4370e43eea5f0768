//! Everything the command says: results on standard output, remarks on standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::progress::undisturbed;

/// Whether only results and errors are printed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Prints only results and errors from now on, or all remarks again.
pub(crate) fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether only results and errors are printed.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a summary of files that were written, unless the command is to be quiet.
pub(crate) fn summarize(text: &str) -> anyhow::Result<()> {
    if is_quiet() { Ok(()) } else { say(text) }
}

/// Writes text for people to standard output, without control characters that names in files may hold.
///
/// A closed pipe comes back as an error that ends the command quietly.
pub fn say(text: &str) -> anyhow::Result<()> {
    say_data(&printable_lines(text))
}

/// Writes data to standard output as they are.
pub(crate) fn say_data(text: &str) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes one JSON object on a line of its own.
pub fn say_json(value: &impl Serialize) -> anyhow::Result<()> {
    say_data(&format!("{}\n", serde_json::to_string(value)?))
}

/// Writes a warning to standard error.
pub fn warn(message: &str) {
    complain("warning", message);
}

/// Writes a remark of some kind to standard error on one line, colored on terminals.
pub(crate) fn complain(kind: &str, message: &str) {
    complain_in_lines(kind, &printable(message));
}

/// Writes a remark to standard error whose lines are as they should be.
pub(crate) fn complain_in_lines(kind: &str, message: &str) {
    if kind == "error" || !is_quiet() {
        undisturbed(|| remark(kind, message));
    }
}

fn remark(kind: &str, message: &str) {
    let mut stderr = io::stderr().lock();
    let color = if kind == "error" { "31" } else { "33" };
    let plain = !stderr.is_terminal() || std::env::var_os("NO_COLOR").is_some();
    // When even standard error is gone there is nobody left to tell.
    let _ = if plain {
        writeln!(stderr, "{kind}: {}", printable_lines(message))
    } else {
        writeln!(stderr, "\u{1b}[1;{color}m{kind}:\u{1b}[0m {}", printable_lines(message))
    };
}

/// Writes a plain line to standard error.
pub(crate) fn hint(message: &str) {
    if is_quiet() {
        return;
    }
    undisturbed(|| {
        let _ = writeln!(io::stderr().lock(), "{}", printable(message));
    });
}

/// A name on one line: control characters, which names in files may hold, are escaped, line breaks included.
pub(crate) fn printable(text: &str) -> String {
    escaped(text, |letter| letter.is_control())
}

/// Text with its line breaks and without other control characters.
pub(crate) fn printable_lines(text: &str) -> String {
    escaped(text, |letter| letter.is_control() && letter != '\n')
}

fn escaped(text: &str, harmful: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match harmful(letter) {
            true => safe.extend(letter.escape_default()),
            false => safe.push(letter),
        }
    }
    safe
}

/// Columns of text: the first and those named are left-aligned, the others right-aligned.
pub fn table(rows: &[Vec<String>], left: &[usize]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            match column {
                0 => line.push_str(&format!("{cell}{padding}")),
                _ if left.contains(&column) => line.push_str(&format!("  {cell}{padding}")),
                _ => line.push_str(&format!("  {padding}{cell}")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A name and what it is, one pair a line, names aligned.
pub(crate) fn pairs(pairs: &[(&str, String)]) -> String {
    let pairs: Vec<(String, String)> =
        pairs.iter().map(|(name, value)| (printable(name), printable(value))).collect();
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    pairs.iter().map(|(name, value)| format!("  {name:<width$}  {value}\n")).collect()
}

/// A number to five digits, in whichever notation is shorter to read.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&size) {
        let text = measured(value);
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        format!("{value:.4e}")
    }
}

/// A result to five digits, trailing zeros kept because they were measured.
pub(crate) fn measured(value: f64) -> String {
    let decimals = match value.abs() {
        size if (1e-3..1e5).contains(&size) => (4 - size.log10().floor() as i32).clamp(0, 7),
        _ => return number(value),
    };
    format!("{value:.*}", decimals as usize)
}

/// A fraction as per cent with one decimal.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// A duration for people.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.01 => format!("{:.1} ms", 1e3 * s),
        s if s < 10.0 => format!("{s:.2} s"),
        s => format!("{s:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_control_characters_visible() {
        assert_eq!(number(0.25), "0.25");
        assert_eq!(number(12345.6), "12346");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(1.0e-7), "1.0000e-7");
        assert_eq!(number(-2.98765432), "-2.9877");
        assert_eq!(printable("a\u{1b}[31mé\n"), "a\\u{1b}[31mé\\n");
        assert_eq!(printable_lines("a\r\nb\u{9b}"), "a\\r\nb\\u{9b}");
        assert_eq!(measured(3.0), "3.0000");
        assert_eq!(percent(0.1234), "12.3 %");
    }

    #[test]
    fn tables_align() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bb".to_owned(), "22".to_owned()]];
        assert_eq!(table(&rows, &[]), "a    1\nbb  22\n");
        assert_eq!(table(&rows, &[1]), "a   1\nbb  22\n");
        assert_eq!(table(&[vec!["a\nb".to_owned(), "1".to_owned()]], &[]), "a\\nb  1\n");
    }
}

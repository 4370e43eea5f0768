//! A table of our numbers beside the printed ones: text, Markdown, csv and JSON.

use std::fmt::Write;

use serde_json::{Value, json};

/// Our number and the printed one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OursAndPrinted {
    /// Ours.
    pub ours: Option<f64>,
    /// The paper's.
    pub printed: Option<f64>,
}

impl OursAndPrinted {
    /// Ours less the printed one, where there are both.
    pub fn difference(self) -> Option<f64> {
        Some(self.ours? - self.printed?)
    }
}

/// A table of pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// The columns.
    pub columns: Vec<String>,
    /// Rows with what they are called.
    pub rows: Vec<(String, Vec<OursAndPrinted>)>,
    /// Digits after the point.
    pub digits: usize,
}

const DASH: &str = "–";

impl Table {
    fn number(&self, value: Option<f64>, sign: bool) -> String {
        match value {
            None => DASH.to_owned(),
            Some(value) if sign => format!("{value:+.*}", self.digits),
            Some(value) => format!("{value:.*}", self.digits),
        }
    }

    /// Lines of cells: for every row ours, the printed numbers and the difference.
    fn lines(&self) -> Vec<Vec<String>> {
        let mut header = vec![String::new(), String::new()];
        header.extend(self.columns.iter().cloned());
        let mut lines = vec![header];
        for (name, pairs) in &self.rows {
            let mut line = |first: &str, kind: &str, pick: &dyn Fn(&OursAndPrinted) -> String| {
                let mut cells = vec![first.to_owned(), kind.to_owned()];
                cells.extend(pairs.iter().map(pick));
                lines.push(cells);
            };
            line(name, "ours", &|pair| self.number(pair.ours, false));
            line("", "paper", &|pair| self.number(pair.printed, false));
            line("", "difference", &|pair| self.number(pair.difference(), true));
        }
        lines
    }

    /// The table for a terminal.
    pub fn text(&self) -> String {
        let lines = self.lines();
        let width = |at: usize| {
            lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.chars().count()).max()
        };
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
        let mut text = format!("{}\n", self.title);
        for line in &lines {
            let mut row = String::new();
            for (at, cell) in line.iter().enumerate() {
                let pad = " ".repeat(widths[at].saturating_sub(cell.chars().count()));
                let cell = if at < 2 { format!("{cell}{pad}  ") } else { format!("{pad}{cell}  ") };
                row.push_str(&cell);
            }
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", row.trim_end());
        }
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        text
    }

    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n", self.title);
        for (at, line) in self.lines().iter().enumerate() {
            let _ = writeln!(text, "| {} |", line.join(" | "));
            if at == 0 {
                let rule = vec!["---"; line.len()].join("|");
                let _ = writeln!(text, "|{rule}|");
            }
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        text
    }

    /// The table as csv, one pair a line, with all digits.
    pub fn csv(&self) -> String {
        let mut text = "row,column,ours,paper,difference\n".to_owned();
        let exact = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        for (name, pairs) in &self.rows {
            for (column, pair) in self.columns.iter().zip(pairs) {
                let (ours, printed) = (exact(pair.ours), exact(pair.printed));
                let difference = exact(pair.difference());
                let _ = writeln!(text, "{name},{column},{ours},{printed},{difference}");
            }
        }
        text
    }

    /// The table as one JSON object.
    pub fn json(&self) -> Value {
        let cells = |(name, pairs): &(String, Vec<OursAndPrinted>)| {
            let of = |(column, pair): (&String, &OursAndPrinted)| json!({ "row": name, "column": column, "ours": pair.ours, "paper": pair.printed });
            self.columns.iter().zip(pairs).map(of).collect::<Vec<_>>()
        };
        let cells: Vec<Value> = self.rows.iter().flat_map(cells).collect();
        json!({ "name": self.name, "title": self.title, "notes": self.notes, "cells": cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_shows_both_numbers_and_their_difference() {
        let table = Table {
            name: "x".into(),
            title: "X".into(),
            notes: vec!["a note".into()],
            columns: vec!["A".into(), "B".into()],
            rows: vec![(
                "m = 2".into(),
                vec![
                    OursAndPrinted { ours: Some(1.5), printed: Some(2.0) },
                    OursAndPrinted::default(),
                ],
            )],
            digits: 1,
        };
        let text = table.text();
        assert!(text.contains("1.5") && text.contains("-0.5") && text.contains(DASH), "{text}");
        assert!(table.markdown().contains("|---|---|---|---|"));
        assert_eq!(table.csv().lines().nth(1), Some("m = 2,A,1.5,2,-0.5"));
        assert_eq!(table.json()["cells"].as_array().unwrap().len(), 2);
    }
}

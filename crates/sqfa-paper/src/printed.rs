//! The numbers the paper prints, as data.

use sqfa::reduce::{reducer_entry, reducers};

/// The tables as files: a name and comma-separated text whose blank cells are the paper's dashes.
pub const PRINTED: [(&str, &str); 13] = [
    ("qda-svhn", include_str!("printed/qda_svhn.csv")),
    ("qda-mnist", include_str!("printed/qda_mnist.csv")),
    ("qda-speed", include_str!("printed/qda_speed.csv")),
    ("qda-neural", include_str!("printed/qda_neural.csv")),
    ("knn-svhn", include_str!("printed/knn_svhn.csv")),
    ("knn-mnist", include_str!("printed/knn_mnist.csv")),
    ("knn-speed", include_str!("printed/knn_speed.csv")),
    ("knn-neural", include_str!("printed/knn_neural.csv")),
    ("variability", include_str!("printed/variability.csv")),
    ("training-time", include_str!("printed/training_time.csv")),
    ("fr-distance", include_str!("printed/fr_distance.csv")),
    ("scaling-dimension", include_str!("printed/scaling_dim.csv")),
    ("scaling-filters", include_str!("printed/scaling_filters.csv")),
];

/// A printed table.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// Names of the columns of numbers.
    pub columns: Vec<String>,
    /// The number of filters (or what stands first), the data set where there is one, and the numbers.
    pub rows: Vec<(usize, String, Vec<Option<f64>>)>,
}

impl Printed {
    /// The printed table of a name; none when there is none or its text is broken.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = PRINTED.iter().find(|(known, _)| *known == name)?;
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next()?.split(',').collect();
        let first = if header.get(1) == Some(&"dataset") { 2 } else { 1 };
        let mut rows = Vec::new();
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            if cells.len() != header.len() {
                return None;
            }
            let set = if first == 2 { cells[1].to_owned() } else { String::new() };
            let mut numbers = Vec::new();
            for cell in &cells[first..] {
                numbers.push(if cell.is_empty() { None } else { Some(cell.parse().ok()?) });
            }
            rows.push((cells[0].parse().ok()?, set, numbers));
        }
        Some(Self { columns: header[first..].iter().map(ToString::to_string).collect(), rows })
    }

    /// A printed number: filters, data set (any when empty) and column.
    pub fn get(&self, filters: usize, set: &str, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|known| known == column)?;
        let mut rows = self.rows.iter();
        rows.find(|(m, of, _)| *m == filters && (of.is_empty() || of == set))?.2[at]
    }
}

/// The method that a column of a table stands for.
pub(super) fn method(column: &str) -> Option<&'static str> {
    match column {
        "Calvo-Oller" => Some("sqfa"),
        "Hellinger" => Some("sqfa-h"),
        "Bhattacharyya" => Some("sqfa-b"),
        "Wasserstein" => Some("sqfa-w"),
        "Jeffreys" => Some("sqfa-j"),
        title => reducers().iter().find(|entry| entry.title == title).map(|entry| entry.name),
    }
    .and_then(|name| reducer_entry(name).ok().map(|entry| entry.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_table_parses_and_every_method_is_known() {
        for (name, text) in PRINTED {
            let table = Printed::named(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(table.rows.len() + 1, text.lines().count(), "{name}");
            if !name.starts_with("scaling") {
                for column in &table.columns {
                    assert!(method(column).is_some(), "{name}: {column}");
                }
            }
        }
        // Read off the paper.
        assert_eq!(Printed::named("qda-mnist").unwrap().get(8, "MNIST", "SQFA-H"), Some(93.2));
        assert_eq!(Printed::named("qda-svhn").unwrap().get(16, "SVHN", "LDA"), None);
        let distances = Printed::named("fr-distance").unwrap();
        assert_eq!(distances.get(4, "Speed", "Jeffreys"), Some(3.91));
    }
}

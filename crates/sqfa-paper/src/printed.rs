//! The numbers the paper prints, as data.

use sqfa::reduce::{ReducerEntry, reducers};

use super::PaperError;

/// A printed table.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// Names of the columns of numbers.
    pub columns: Vec<String>,
    /// The number of filters (or what stands first), the data set where there is one, and the numbers.
    pub rows: Vec<(usize, String, Vec<Option<f64>>)>,
}

impl Printed {
    /// A printed table from comma-separated text, whose blank cells are the paper's dashes.
    pub fn parse(text: &str) -> Result<Self, PaperError> {
        Self::read(text)
            .ok_or_else(|| PaperError::numbers("a printed table", "its text cannot be read"))
    }

    fn read(text: &str) -> Option<Self> {
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

    /// The methods of its columns.
    pub(super) fn methods(&self) -> Vec<&'static str> {
        self.columns.iter().filter_map(|column| method(column)).collect()
    }

    /// A printed number: filters, data set (any when empty) and column.
    pub fn get(&self, filters: usize, set: &str, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|known| known == column)?;
        let mut rows = self.rows.iter();
        rows.find(|(m, of, _)| *m == filters && (of.is_empty() || of == set))?.2[at]
    }
}

/// The method that a column of a table stands for: by its title, or by the distance it maximizes.
pub(super) fn method(column: &str) -> Option<&'static str> {
    let distance = column.to_lowercase();
    let is = |entry: &&ReducerEntry| {
        entry.title == column || entry.distance.is_some_and(|own| own == distance)
    };
    reducers().iter().find(is).map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_numbers_are_found_by_filters_set_and_column() {
        let text = "m,dataset,SQFA,LDA\n2,MNIST,70.5,\n4,SVHN,1,2\n";
        let table = Printed::parse(text).unwrap();
        assert_eq!(table.get(2, "MNIST", "SQFA"), Some(70.5));
        assert_eq!((table.get(2, "MNIST", "LDA"), table.get(4, "MNIST", "LDA")), (None, None));
        assert_eq!(Printed::parse("m,A\n2,7\n").unwrap().get(2, "any", "A"), Some(7.0));
        assert!(Printed::parse("m,A\n2\n").is_err() && Printed::parse("m,A\n2,x\n").is_err());
        assert!(Printed::parse("").is_err());
    }

    #[test]
    fn the_tables_of_the_recordings_are_ready_for_their_data() {
        let tables =
            [include_str!("printed/qda_neural.csv"), include_str!("printed/knn_neural.csv")];
        for text in tables {
            let printed = Printed::parse(text).unwrap();
            assert!(printed.columns.iter().all(|column| method(column).is_some()));
        }
    }

    #[test]
    fn columns_are_methods_by_title_or_by_what_they_maximize() {
        assert_eq!((method("SQFA-H"), method("Jeffreys")), (Some("sqfa-h"), Some("sqfa-j")));
        assert_eq!((method("Calvo-Oller"), method("PCA")), (Some("sqfa"), Some("pca")));
        assert_eq!(method("nothing"), None);
    }
}

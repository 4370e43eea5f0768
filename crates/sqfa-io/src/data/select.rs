//! Selection of rows as a copy.

use sqfa::points::Scalar;
use sqfa::{Points, Table};

use super::OwnedPoints;

impl OwnedPoints {
    /// Returns a copy of the given rows in this order.
    ///
    /// # Panics
    ///
    /// If a row does not exist.
    pub fn select(&self, rows: &[usize]) -> Self {
        fn copy<T: Scalar>(table: &Table<'_, T>, rows: &[usize]) -> Vec<T> {
            let columns = table.columns();
            rows.iter().flat_map(|&row| (0..columns).map(move |j| table.get(row, j))).collect()
        }
        let (count, columns) = (rows.len(), self.columns());
        let selected = match self.view() {
            Points::U8(table) => Self::from_u8(copy(&table, rows), count, columns),
            Points::F32(table) => Self::from_f32(copy(&table, rows), count, columns),
            Points::F64(table) => Self::from_f64(copy(&table, rows), count, columns),
        };
        selected.expect("every row has as many numbers as there are columns")
    }
}

//! A collection of different labels. With few columns, a text per row would need more memory than
//! the numbers.

use std::collections::HashMap;

/// Different texts in the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) all: Vec<String>,
    places: HashMap<String, u32>,
}

impl Names {
    /// Returns the index of a text, which is added if it is new.
    pub(crate) fn place(&mut self, text: &str) -> u32 {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = self.all.len() as u32;
        self.all.push(text.to_owned());
        self.places.insert(text.to_owned(), place);
        place
    }
}

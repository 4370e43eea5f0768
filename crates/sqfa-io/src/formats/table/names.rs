//! Labels kept once each: of few columns their texts would take more memory than the numbers.

use std::collections::HashMap;

/// Different texts in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) all: Vec<String>,
    places: HashMap<String, u32>,
}

impl Names {
    /// The place of a text, which is new or not.
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

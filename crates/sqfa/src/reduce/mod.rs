//! Reducers: labelled data → filters.

pub(crate) mod samples;

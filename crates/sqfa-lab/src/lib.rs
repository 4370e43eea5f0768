//! Data in, evidence out: file formats, data sets and experiments for sqfa.

pub mod formats;

//! Data in, evidence out: file formats, data sets and experiments for sqfa.

#![cfg_attr(test, allow(clippy::unwrap_used))] // a test that unwraps fails, as it should

pub mod compare;
pub mod data;
pub mod datasets;
pub mod figure;
pub mod formats;
pub mod model_file;
pub mod paper;
pub mod report;

//! Input and output of sqfa: file formats, labeled data, built-in data sets and model files.

#![cfg_attr(test, allow(clippy::unwrap_used))] // a test that unwraps fails, as it should

pub mod formats;
pub mod data;
pub mod datasets;
pub mod memory;
pub mod model_file;

//! Evaluation: methods compared on data, and the figures and reports that show it.

#![cfg_attr(test, allow(clippy::unwrap_used))] // a test that unwraps fails, as it should

pub mod figure;
mod numbers;
pub mod folder;
pub mod evaluation;
pub mod compare;
pub mod report;

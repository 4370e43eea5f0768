//! Comparison of methods on data, with figures and reports.

#![cfg_attr(test, allow(clippy::unwrap_used))] // a test that unwraps fails, as it should

pub mod figure;
mod numbers;
pub mod folder;
pub mod evaluation;
pub mod compare;
pub mod report;

//! The command as people use it: one binary of tests, so that everything is linked once.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

mod common;

/// The command that these tests run.
const COMMAND: &str = env!("CARGO_BIN_EXE_sqfa");

mod attacks;
mod bad_input;
mod clean;
mod columns;
mod compare;
mod crashes;
mod defaults;
mod ending;
mod failures;
mod first_fit;
mod fixed;
mod groups;
mod guard;
mod heavy_tails;
mod help;
mod inputs;
mod json;
mod label;
mod lift;
mod limits;
mod long_rows;
mod matrix;
mod names;
mod outputs;
mod round_trip;
mod sessions;
mod settings;
mod several;
mod stats;
mod suggestions;
mod tables;
mod toys;
mod trust;
mod versions;
mod wide;

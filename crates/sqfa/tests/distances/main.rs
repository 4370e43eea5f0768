//! Contract tests of the distances: every entry of the registry against its claims, finite differences,
//! closed forms and its own batched evaluation.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod claims;
mod closed_forms;
mod elliptical;
mod errors;
mod gradients;
mod lanes;
mod searched;
mod stability;

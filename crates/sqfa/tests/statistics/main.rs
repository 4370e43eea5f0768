//! Class statistics against the definitions: from points of every type and layout, streamed, merged,
//! shrunk, given, preprocessed and reduced.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../problems/mod.rs"]
mod problems;

mod forms;
mod given;
mod moments;
mod preprocessing;
mod robust;
mod shrinkage;
mod sketches;
mod streaming;

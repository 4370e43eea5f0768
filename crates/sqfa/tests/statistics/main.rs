//! Class statistics compared with their definitions: from samples of every type and layout, streamed, merged, shrunk,
//! from the caller's matrices, preprocessed and reduced.

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

//! Reducers: every method against its own definition, computed apart, and what the registry promises of all of them.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../problems/mod.rs"]
mod problems;

mod contract;
mod eigenmethods;
mod heavy_tails;
mod likelihood;
mod shifted;
mod wide;

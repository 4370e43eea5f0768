//! Fits: what every setting of the recipe does, what the result promises, and how well it is an optimum.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../problems/mod.rs"]
mod problems;

mod classifier;
mod differences;
mod fixed;
mod forms;
mod isotropic;
mod lda_and_knn;
mod learning;
mod noise;
mod observer;
mod optimum;
mod own_distance;
mod pairs;
mod plateau;
mod precision;
mod result;
mod starts;
mod subspace;
mod unusual;

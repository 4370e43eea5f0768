//! `sqfa distances --bounds`: every pair's lower bound, exact Fisher–Rao distance and upper bound.

use anyhow::Result;
use serde::Serialize;
use serde_json::json;
use sqfa::fisher_rao::{Certainty, FisherRaoOptions, fisher_rao_pairwise};
use sqfa::{Classes, Gaussians};

use crate::output::{self, measured, number};

#[derive(Serialize)]
struct Bounds {
    first: String,
    second: String,
    lower: f64,
    distance: f64,
    upper: f64,
    exact: bool,
}

/// Computes and prints all pairs.
pub(super) fn tell(gaussians: &Gaussians, classes: &Classes, noise: f64, json: bool) -> Result<()> {
    let found = fisher_rao_pairwise(gaussians, &FisherRaoOptions::default(), &[])?;
    let count = gaussians.len();
    let order = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
    let name = |class: usize| classes.label(class).to_string();
    let pairs: Vec<Bounds> = order
        .zip(&found)
        .map(|((i, j), pair)| Bounds {
            first: name(i),
            second: name(j),
            lower: pair.lower,
            distance: pair.distance,
            upper: pair.upper,
            exact: pair.certainty == Certainty::Exact,
        })
        .collect();
    if json {
        let dimensions = gaussians.order();
        return output::say_json(&json!({
            "distance": "fisher-rao", "noise": noise, "dimensions": dimensions, "pairs": pairs,
        }));
    }
    let header = ["", "Calvo–Oller", "Fisher–Rao", "upper bound", ""].map(str::to_owned).to_vec();
    let mut rows = vec![header];
    for pair in &pairs {
        rows.push(vec![
            output::printable(&format!("{} and {}", pair.first, pair.second)),
            measured(pair.lower),
            measured(pair.distance),
            measured(pair.upper),
            if pair.exact { String::new() } else { "at most".to_owned() },
        ]);
    }
    let text = format!(
        "fisher-rao between {count} classes in {} dimensions, noise {}\n{}",
        gaussians.order(),
        number(noise),
        output::table(&rows, &[])
    );
    output::say(&text)
}

//! QDA accuracy over the feature noise: the median of a few starts with the band of their quartiles.

use crate::{Evidence, PaperError};
use sqfa_lab::compare::{NoiseChoice, Protocol, Spec};
use sqfa_lab::figure::{Axis, Band, Figure, Line, Mark, Panel};

use super::look;

/// Methods of the figure.
const METHODS: [&str; 3] = ["sqfa", "sqfa-h", "sqfa-b"];
/// Filters of the figure.
const FILTERS: usize = 9;
/// Starts of every method at every noise.
const SEEDS: u64 = 3;

/// The noises of a data set and the accuracies its panel spans; none where the paper has no panel.
fn grid(set: &str) -> Option<(&'static [f64], (f64, f64))> {
    match set {
        "svhn" => Some((&[0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0], (0.0, 100.0))),
        "mnist" => Some((&[0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0], (60.0, 100.0))),
        _ => None,
    }
}

/// What is fitted on a data set: one comparison a noise.
pub fn sensitivity_specs(protocol: &Protocol) -> Vec<(f64, Spec)> {
    let Some((noises, _)) = grid(protocol.set) else { return Vec::new() };
    let spec = |&noise: &f64| {
        let spec = Spec {
            methods: METHODS.map(str::to_owned).to_vec(),
            filters: vec![FILTERS],
            seeds: SEEDS,
            classifiers: vec!["qda".to_owned()],
            noise: NoiseChoice::Value(noise),
            ..protocol.spec()
        };
        (noise, spec)
    };
    noises.iter().map(spec).collect()
}

/// One panel a data set; `all` holds what is known of it at every noise.
pub fn sensitivity(all: &[(Protocol, Vec<(f64, Evidence)>)]) -> Result<Figure, PaperError> {
    let mut panels = Vec::new();
    for (protocol, noises) in all {
        let ends = grid(protocol.set).map_or((0.0, 100.0), |(_, ends)| ends);
        let axes = (Axis::log("noise σ²"), Axis::linear("QDA accuracy (%)"));
        let mut panel = Panel::new(protocol.title, axes.0, axes.1.spanning(ends.0, ends.1));
        for method in METHODS {
            let (mut line, mut edges) = (Vec::new(), Vec::new());
            for (noise, evidence) in noises {
                let judged = evidence.of(method, FILTERS);
                let shares = judged.iter().filter_map(|judged| judged.accuracy("qda"));
                if let Some([low, middle, high]) = quartiles(shares.map(|s| 100.0 * s).collect()) {
                    line.push((*noise, middle));
                    edges.push((*noise, low, high));
                }
            }
            if line.is_empty() {
                continue;
            }
            let title = sqfa::reduce::reducer_entry(method).map_or(method, |entry| entry.title);
            let style = look::method(method);
            let band = Band { name: title.to_owned(), colour: style.colour, edges };
            panel = panel.with(Mark::Band(band)).with(Mark::Line(Line::new(title, style, line)));
        }
        panels.push(panel);
    }
    if panels.iter().all(|panel| panel.marks.is_empty()) {
        return Err(PaperError::numbers(
            "sensitivity",
            "nothing has been run: leave out --methods",
        ));
    }
    if let Some(last) = panels.last_mut() {
        last.legend = true;
    }
    let columns = panels.len();
    Ok(Figure::grid(
        "QDA accuracy over the feature noise, nine filters",
        columns,
        460.0,
        320.0,
        panels,
    ))
}

/// Lower quartile, median and upper quartile, between neighbours by straight lines.
fn quartiles(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = share * last as f64;
        let low = place.floor() as usize;
        values[low] + (place - low as f64) * (values[(low + 1).min(last)] - values[low])
    };
    Some([at(0.25), at(0.5), at(0.75)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours() {
        assert_eq!(quartiles(vec![]), None);
        assert_eq!(quartiles(vec![3.0]), Some([3.0; 3]));
        assert_eq!(quartiles(vec![4.0, 0.0, 1.0]), Some([0.5, 1.0, 2.5]));
    }

    #[test]
    fn every_noise_of_the_paper_has_a_comparison() {
        let of = |set: &str| sensitivity_specs(&Protocol::named(set).unwrap());
        assert_eq!((of("svhn").len(), of("mnist").len(), of("speed").len()), (10, 9, 0));
        let (noise, spec) = of("mnist").remove(2);
        assert_eq!((noise, spec.noise), (0.5, NoiseChoice::Value(0.5)));
        assert_eq!((spec.filters, spec.seeds), (vec![9], 3));
    }
}

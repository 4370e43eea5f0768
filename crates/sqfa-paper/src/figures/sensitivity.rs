//! QDA accuracy over the feature noise: the median of a few starts with the band of their quartiles.

use crate::fits::{Cells, Fits, protocol};
use crate::{About, Context, Item, Kind, Made, Needs, Options, PaperError};
use sqfa_lab::compare::{NoiseChoice, Protocol, Spec};
use sqfa_lab::evaluation::quantile;
use sqfa_lab::figure::{Axis, Band, Figure, Line, Mark, Panel};

use super::look;

/// Methods of the figure.
const METHODS: [&str; 3] = ["sqfa", "sqfa-h", "sqfa-b"];
/// Filters of the figure.
const FILTERS: usize = 9;
/// Starts of every method at every noise.
const SEEDS: u64 = 3;

/// Panels: a data set, its noises and the accuracies that are shown.
const PANELS: [(&str, &[f64], (f64, f64)); 2] = [
    ("svhn", &[0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0], (0.0, 100.0)),
    ("mnist", &[0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0], (60.0, 100.0)),
];

/// The figure.
pub(crate) struct Sensitivity;

impl Item for Sensitivity {
    fn about(&self) -> About {
        About {
            name: "sensitivity",
            kind: Kind::Figure,
            paper: "Figure 11",
            title: "accuracy over the feature noise",
            takes: "minutes",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets(&PANELS.map(|(set, ..)| set))
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let (name, options) = (self.about().name, context.options);
        let sets = self.needs(options).sets;
        let mut panels = Vec::new();
        for (set, noises, ends) in PANELS.into_iter().filter(|(set, ..)| sets.contains(set)) {
            let protocol = protocol(set)?;
            let mut all = Vec::new();
            for &noise in noises {
                let (folder, spec) = (format!("sensitivity-{set}/{noise}"), spec(&protocol, noise));
                let cells = Cells::all(folder, protocol, spec, options);
                all.push((noise, context.fits(name, cells)?));
            }
            panels.push(panel(protocol.title, ends, &all));
        }
        Ok(Made::Figure(figure(panels)?))
    }
}

/// What is fitted on a data set at one noise.
fn spec(protocol: &Protocol, noise: f64) -> Spec {
    Spec {
        methods: METHODS.map(str::to_owned).to_vec(),
        filters: vec![FILTERS],
        seeds: SEEDS,
        classifiers: vec!["qda".to_owned()],
        noise: NoiseChoice::Value(noise),
        ..protocol.spec()
    }
}

/// The panel of a data set from its fits at every noise.
fn panel(title: &str, ends: (f64, f64), noises: &[(f64, Fits)]) -> Panel {
    let axes = (Axis::log("noise σ²"), Axis::linear("QDA accuracy (%)"));
    let mut panel = Panel::new(title, axes.0, axes.1.spanning(ends.0, ends.1));
    for method in METHODS {
        let (mut line, mut edges) = (Vec::new(), Vec::new());
        for (noise, fits) in noises {
            let scored = fits.of(method, FILTERS);
            let shares = scored.iter().filter_map(|scored| scored.accuracy("qda"));
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
    panel
}

fn figure(mut panels: Vec<Panel>) -> Result<Figure, PaperError> {
    if panels.iter().all(|panel| panel.marks.is_empty()) {
        let problem = "nothing has been run: leave out --methods";
        return Err(PaperError::numbers("sensitivity", problem));
    }
    if let Some(last) = panels.last_mut() {
        last.legend = true;
    }
    let columns = panels.len();
    let description = "QDA accuracy over the feature noise, nine filters";
    Ok(Figure::grid(description, columns, 460.0, 320.0, panels))
}

/// Lower quartile, median and upper quartile.
fn quartiles(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    if values.is_empty() {
        return None;
    }
    Some([0.25, 0.5, 0.75].map(|share| quantile(&values, share)))
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
        assert_eq!(PANELS.map(|(_, noises, _)| noises.len()), [10, 9]);
        let spec = spec(&protocol("mnist").unwrap(), 0.5);
        assert_eq!(spec.noise, NoiseChoice::Value(0.5));
        assert_eq!((spec.filters, spec.seeds), (vec![9], 3));
    }

    #[test]
    fn a_figure_of_nothing_names_the_remedy() {
        let empty = panel("MNIST", (0.0, 1.0), &[]);
        assert!(figure(vec![empty]).unwrap_err().to_string().contains("--methods"));
    }
}

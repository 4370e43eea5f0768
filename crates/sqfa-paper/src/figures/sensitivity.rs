//! QDA accuracy over the feature noise: the median of a few starts with the band of their quartiles.

use crate::fits::{Cells, Fits, protocol};
use crate::{About, Context, Item, ItemKind, Made, Needs, Options, PaperError};
use sqfa::Noise;
use sqfa_lab::compare::{Parts, Protocol, Spec};
use sqfa_lab::evaluation::quantile;
use sqfa_lab::figure::{Axis, Band, Figure, Line, Mark, Panel};

use super::look;

/// Methods of the figure.
const METHODS: [&str; 3] = ["sqfa", "sqfa-h", "sqfa-b"];
/// A panel: a data set, its noises, its filters and starts, and the accuracies that are shown.
#[derive(Clone, Copy)]
struct Shown {
    set: &'static str,
    noises: &'static [f64],
    filters: usize,
    seeds: u64,
    /// The session, of recordings.
    session: Option<usize>,
    ends: (f64, f64),
}

const PANELS: [Shown; 3] = [
    Shown {
        set: "svhn",
        noises: &[0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0],
        filters: 9,
        seeds: 3,
        session: None,
        ends: (0.0, 100.0),
    },
    Shown {
        set: "mnist",
        noises: &[0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0],
        filters: 9,
        seeds: 3,
        session: None,
        ends: (60.0, 100.0),
    },
    Shown {
        set: "neural",
        noises: &[0.0002, 0.002, 0.02, 0.2, 0.5, 1.0, 2.0, 5.0],
        filters: 2,
        seeds: 1,
        session: Some(4),
        ends: (60.0, 100.0),
    },
];
/// The share of a recording that is held out.
const HELD_OUT: f64 = 0.2;

/// The figure.
pub(crate) struct Sensitivity;

impl Item for Sensitivity {
    fn about(&self) -> About {
        About {
            name: "sensitivity",
            kind: ItemKind::Figure,
            paper: "Figure 11",
            title: "accuracy over the feature noise",
            takes: "minutes",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets(&PANELS.map(|shown| shown.set))
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let (name, options) = (self.about().name, context.options);
        let sets = self.needs(options).sets;
        let mut panels = Vec::new();
        for shown in PANELS.into_iter().filter(|shown| sets.contains(&shown.set)) {
            let protocol = protocol(shown.set)?;
            let mut all = Vec::new();
            for &noise in shown.noises {
                let folder = format!("sensitivity-{}/{noise}", shown.set);
                let mut cells =
                    Cells::all(folder, protocol, spec(&protocol, &shown, noise), options);
                cells.session = shown.session;
                all.push((noise, context.fits(name, cells)?));
            }
            let title = options.data.title(shown.set, protocol.title);
            panels.push(panel(&title, &shown, &all));
        }
        Ok(Made::Figure(figure(panels)?))
    }
}

/// What is fitted on a data set at one noise.
fn spec(protocol: &Protocol, shown: &Shown, noise: f64) -> Spec {
    let usual = protocol.spec();
    Spec {
        methods: METHODS.map(str::to_owned).to_vec(),
        filters: vec![shown.filters],
        seeds: shown.seeds,
        classifiers: vec!["qda".to_owned()],
        parts: if shown.session.is_some() { Parts::Fraction(HELD_OUT) } else { usual.parts },
        shrinkage: Some(sqfa::classify::QDA_SHRINKAGE),
        noise: Noise::Value(noise),
        ..usual
    }
}

/// The panel of a data set from its fits at every noise.
fn panel(title: &str, shown: &Shown, noises: &[(f64, Fits)]) -> Panel {
    let axes = (Axis::log("noise σ²"), Axis::linear("QDA accuracy (%)"));
    let mut panel = Panel::new(title, axes.0, axes.1.spanning(shown.ends.0, shown.ends.1));
    for method in METHODS {
        let (mut line, mut edges) = (Vec::new(), Vec::new());
        for (noise, fits) in noises {
            let scored = fits.of(method, shown.filters);
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
        let band = Band { name: title.to_owned(), color: style.color, edges };
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
    let description =
        "QDA accuracy over the feature noise, nine filters on pictures and two on recordings";
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
    fn quartiles_lie_between_neighbors() {
        assert_eq!(quartiles(vec![]), None);
        assert_eq!(quartiles(vec![3.0]), Some([3.0; 3]));
        assert_eq!(quartiles(vec![4.0, 0.0, 1.0]), Some([0.5, 1.0, 2.5]));
    }

    #[test]
    fn every_noise_of_the_paper_has_a_comparison() {
        assert_eq!(PANELS.map(|shown| shown.noises.len()), [10, 9, 8]);
        let own = spec(&protocol("mnist").unwrap(), &PANELS[1], 0.5);
        assert_eq!(own.noise, Noise::Value(0.5));
        assert_eq!((own.filters, own.seeds, own.parts), (vec![9], 3, Parts::Given));
        let neural = spec(&protocol("neural").unwrap(), &PANELS[2], 0.5);
        assert_eq!((neural.filters, neural.parts), (vec![2], Parts::Fraction(0.2)));
    }

    #[test]
    fn a_figure_of_nothing_names_the_remedy() {
        let empty = panel("MNIST", &PANELS[1], &[]);
        assert!(figure(vec![empty]).unwrap_err().to_string().contains("--methods"));
    }
}

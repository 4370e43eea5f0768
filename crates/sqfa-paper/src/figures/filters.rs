//! The filters of every method as space–time pictures, learned in pairs where the method allows it.
//!
//! The SQFA family and AMA keep of several starts the one with the best training objective.

use sqfa::reduce::reducer_entry;

use crate::fits::{Cells, Fits, in_paper, protocol};
use crate::{About, Context, Item, ItemKind, Made, Needs, Options, PaperError};
use sqfa_lab::compare::Spec;
use sqfa_lab::figure::{Axis, Bitmap, Figure, Mark, Panel, Picture};

/// Filters of a method.
const FILTERS: usize = 8;
/// Starts of every method that has some.
const FILTER_STARTS: usize = 5;
/// Space between pictures, in pixels of theirs.
const GAP: f64 = 2.0;

/// The figure.
pub(crate) struct SpeedFilters;

impl Item for SpeedFilters {
    fn about(&self) -> About {
        About {
            name: "speed-filters",
            kind: ItemKind::Figure,
            paper: "Figure 4C",
            title: "filters of every method for speed",
            takes: "minutes",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets(&["speed"])
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let protocol = protocol("speed")?;
        let starts = context.options.seeds(FILTER_STARTS);
        let spec = filter_spec(protocol.spec(), starts);
        // Another number of starts is another comparison.
        let folder = format!("speed-filters-{starts}-starts");
        let cells = Cells::all(folder, protocol, spec, context.options);
        let methods = cells.methods.clone();
        let mut fits = context.fits(self.about().name, cells)?;
        fits.records.retain(|record| methods.contains(&record.method));
        Ok(Made::Figure(filter_pictures(&fits)?))
    }
}

/// What is fitted for the pictures: eight filters in pairs, so many starts.
fn filter_spec(spec: Spec, starts: usize) -> Spec {
    Spec {
        methods: spec.methods.into_iter().filter(|method| in_paper(method)).collect(),
        filters: vec![FILTERS],
        seeds: 1,
        n_init: Some(starts),
        pairs: true,
        classifiers: vec!["qda".to_owned()],
        ..spec
    }
}

/// One panel a method: its pictures side by side, its QDA accuracy in the heading.
fn filter_pictures(fits: &Fits) -> Result<Figure, PaperError> {
    let fail = |problem: &str| PaperError::numbers("speed-filters", problem);
    let (height, width) =
        fits.facts.image_shape.ok_or_else(|| fail("the points have no image shape"))?;
    let mut panels = Vec::new();
    for record in &fits.records {
        let Some(scored) = record.evaluated() else { continue };
        let Some(detail) = scored.detail.as_ref() else { continue };
        let title =
            reducer_entry(&record.method).map_or(record.method.as_str(), |entry| entry.title);
        let accuracy = scored
            .accuracy("qda")
            .map_or(String::new(), |share| format!(" ({:.1} %)", 100.0 * share));
        let weights = detail.weights.to_f64();
        let mut panel = Panel {
            downwards: true,
            equal: true,
            ..Panel::new(format!("{title}{accuracy}"), Axis::hidden(), Axis::hidden())
        };
        for filter in 0..record.filters {
            let values: Vec<f64> =
                weights.iter().skip(filter).step_by(record.filters).copied().collect();
            let bitmap = Bitmap::signed(&values, height, width)
                .ok_or_else(|| fail("filters of another size"))?;
            let left = filter as f64 * (width as f64 + GAP);
            panel = panel.with(Mark::Picture(Picture {
                bitmap,
                x: (left, left + width as f64),
                y: (0.0, height as f64),
            }));
        }
        panels.push(panel);
    }
    if panels.is_empty() {
        return Err(fail("no method has been run: leave out --methods"));
    }
    let description = "Filters for speed, one row of space–time pictures a method";
    Ok(Figure::grid(description, 2, 560.0, 68.0, panels))
}

#[cfg(test)]
mod tests {
    use sqfa::optimize::Control;

    use super::*;
    use sqfa_io::datasets::speed::Speed;
    use sqfa_lab::compare::{Experiment, Protocol, Record};
    use sqfa_lab::figure::Place;

    #[test]
    fn every_method_has_its_pictures_and_learns_in_pairs() {
        let made = Speed {
            tenths: vec![-40, 0, 50],
            train_per_class: 40,
            test_per_class: 20,
            ..Speed::default()
        };
        let data = made.generate().unwrap();
        let protocol = Protocol::named("speed").unwrap();
        let mut spec = filter_spec(protocol.spec(), 2);
        assert!(
            spec.pairs && spec.n_init == Some(2) && !spec.methods.contains(&"sqfa-fr".to_owned())
        );
        spec.methods = vec!["sqfa".to_owned(), "pca".to_owned()];
        spec.filters = vec![4];
        let run = |spec: Spec| {
            let experiment = Experiment::new(spec, &data, None).unwrap();
            let records = experiment.run(Vec::new(), &mut |_| Ok(Control::Continue)).unwrap();
            (experiment.facts, records)
        };
        let weights = |records: &[Record]| {
            let of =
                |record: &Record| record.evaluated()?.detail.as_ref().map(|d| d.weights.clone());
            records.iter().map(|record| of(record).unwrap()).collect::<Vec<_>>()
        };
        let (_, joint) = run(Spec { pairs: false, ..spec.clone() });
        let (facts, records) = run(spec);
        // PCA knows no pairs; SQFA finds other filters by them.
        assert_ne!(weights(&joint)[0], weights(&records)[0]);
        assert_eq!(weights(&joint)[1], weights(&records)[1]);
        let known = Fits { protocol, title: "Speed".to_owned(), facts, records };
        let figure = filter_pictures(&known).unwrap();
        assert!(
            figure.panels[0].title.starts_with("SQFA (")
                && figure.panels[1].title.starts_with("PCA (")
        );
        assert_eq!(figure.svg(Place::File).matches("<image").count(), 8);
        let none = Fits { records: Vec::new(), ..known };
        assert!(filter_pictures(&none).unwrap_err().to_string().contains("--methods"));
    }
}

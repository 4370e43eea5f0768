//! How wide QDA accuracies are over starts: the second-largest less the second-smallest.

use super::ALL_SETS;
use crate::printed::method;
use crate::{
    About, Context, Item, ItemKind, Made, Needs, Options, OursAndPrinted, PaperError, Printed,
    Table,
};
use sqfa_lab::compare::{Parts, Spec};

/// Fewer values than this have no second-smallest below a second-largest.
const FEWEST: usize = 4;

/// Starts on the recordings.
const STARTS: u64 = 10;

const PRINTED: &str = include_str!("../printed/variability.csv");

/// The table over data sets.
pub(crate) struct Variability;

impl Item for Variability {
    fn about(&self) -> About {
        About {
            name: "variability",
            kind: ItemKind::Table,
            paper: "Table 6",
            title: "width of accuracies over starts",
            takes: "minutes",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets(&ALL_SETS)
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let printed = Printed::parse(PRINTED)?;
        let all = context.shared_fits(self, |mut cells| {
            if cells.protocol.splits.is_some() {
                // Ten starts on one session and one split, which the tables of accuracies do not have.
                cells.folder = format!("variability-{}", cells.protocol.set);
                cells.spec = Spec { parts: Parts::Splits(1), seeds: STARTS, ..cells.spec };
                cells.seeds = STARTS.min(context.options.seeds(STARTS as usize) as u64);
                cells.session = Some(0);
            }
            cells.of_methods(&printed.methods()).printed_in(&printed)
        })?;
        let mut rows = Vec::new();
        for fits in &all {
            for m in fits.filters() {
                if !printed.rows.iter().any(|row| row.0 == m && row.1 == fits.protocol.title) {
                    continue;
                }
                let title = fits.protocol.title;
                let pair = |column: &String| OursAndPrinted {
                    ours: method(column).and_then(|method| {
                        let all = fits.of(method, m);
                        let shares = all.iter().filter_map(|scored| scored.accuracy("qda"));
                        width(shares.map(|share| 100.0 * share).collect())
                    }),
                    printed: printed.get(m, title, column),
                };
                rows.push((
                    format!("{} m = {m}", fits.title),
                    printed.columns.iter().map(pair).collect(),
                ));
            }
        }
        Ok(Made::Table(Table {
            name: self.about().name.into(),
            title: "Width of QDA accuracies over starts (%)".into(),
            notes: vec![format!("second-largest less second-smallest; at least {FEWEST} seeds")],
            columns: printed.columns,
            rows,
            digits: 1,
        }))
    }
}

/// The second-largest less the second-smallest.
fn width(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    (count >= FEWEST).then(|| values[count - 2] - values[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_column_is_a_method_of_the_family() {
        let printed = Printed::parse(PRINTED).unwrap();
        let known = |column: &String| method(column).is_some();
        assert!(printed.columns.iter().all(known) && !printed.rows.is_empty());
    }

    #[test]
    fn widths_leave_out_both_ends() {
        assert_eq!(width(vec![1.0, 2.0, 3.0]), None);
        assert_eq!(width((0..10).map(f64::from).collect()), Some(7.0));
        assert_eq!(width(vec![9.0, 2.0, -50.0, 2.5]), Some(0.5));
    }
}

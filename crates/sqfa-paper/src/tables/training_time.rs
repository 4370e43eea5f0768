//! Seconds of a fit with eight filters: with the class statistics where a method sees nothing else, without the
//! principal components of the methods that look at points, and without searches.

use sqfa::reduce::reducer_entry;

use super::{Evidence, median};
use crate::printed::method;
use crate::{Pair, PaperError, Printed, Sheet};
use sqfa_lab::compare::Judged;

/// Filters of the table.
const FILTERS: usize = 8;

/// The table over data sets.
pub fn training_time(all: &[Evidence]) -> Result<Sheet, PaperError> {
    let name = "training-time";
    let printed = Printed::named(name)
        .ok_or_else(|| PaperError::numbers(name, "its printed table cannot be read"))?;
    let rows = all
        .iter()
        .map(|evidence| {
            let title = evidence.protocol.title;
            let pair = |column: &String| Pair {
                ours: method(column).and_then(|method| {
                    let alone = reducer_entry(method).is_ok_and(|entry| !entry.needs_points());
                    let seconds = |judged: &&Judged| {
                        let pass = judged.statistics_seconds.or(evidence.statistics_seconds);
                        judged.fit_seconds + pass.filter(|_| alone).unwrap_or(0.0)
                    };
                    median(evidence.of(method, FILTERS).iter().map(seconds).collect())
                }),
                printed: printed.get(FILTERS, title, column),
            };
            (title.to_owned(), printed.columns.iter().map(pair).collect())
        })
        .collect();
    Ok(Sheet {
        name: name.into(),
        title: format!("Training time at m = {FILTERS} (s)"),
        notes: vec![
            "medians over seeds on this machine; the paper's are from another one".into(),
            "with the class statistics, but for LFDA, WDA and LMNN, which are counted without their principal components; choosing settings is not counted".into(),
        ],
        columns: printed.columns.clone(),
        rows,
        digits: 2,
    })
}

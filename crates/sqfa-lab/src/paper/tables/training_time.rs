//! Seconds of a fit with eight filters; the time of class statistics belongs to the SQFA family, searches to none.

use super::{Evidence, median};
use crate::paper::printed::method;
use crate::paper::{Pair, PaperError, Printed, Sheet};

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
                    let family = method.contains("sqfa");
                    let more = if family { evidence.statistics_seconds } else { 0.0 };
                    let all = evidence.of(method, FILTERS);
                    median(all.iter().map(|judged| judged.fit_seconds + more).collect())
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
            "SQFA's include the class statistics; choosing settings is not counted".into(),
        ],
        columns: printed.columns.clone(),
        rows,
        digits: 2,
    })
}

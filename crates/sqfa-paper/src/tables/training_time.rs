//! Seconds of a fit with eight filters: with the class statistics where a method sees nothing else, without the
//! principal components of the methods that look at points, and without searches.

use std::time::Instant;

use sqfa::reduce::reducer_entry;
use sqfa::{ClassStatistics, Estimator};

use super::{ALL_SETS, median};
use crate::fits::Fits;
use crate::printed::method;
use crate::{
    About, Context, Item, ItemKind, Made, Needs, Options, OursAndPrinted, PaperError, Printed,
    Table,
};
use sqfa_lab::compare::Evaluated;

/// Filters of the table.
const FILTERS: usize = 8;
const PRINTED: &str = include_str!("../printed/training_time.csv");

/// The table over data sets.
pub(crate) struct TrainingTime;

impl Item for TrainingTime {
    fn about(&self) -> About {
        About {
            name: "training-time",
            kind: ItemKind::Table,
            paper: "Table 9",
            title: "training time at m = 8",
            takes: "half an hour",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets_and_filters(&ALL_SETS, FILTERS)
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let all = context.shared_fits(self, |cells| cells.of_filters(FILTERS))?;
        let printed = Printed::parse(PRINTED)?;
        let mut rows = Vec::new();
        for fits in &all {
            let title = fits.protocol.title;
            let pass = statistics_seconds(fits, context)?;
            let pair = |column: &String| OursAndPrinted {
                ours: method(column).and_then(|method| seconds(fits, method, pass)),
                printed: printed.get(FILTERS, title, column),
            };
            rows.push((fits.title.clone(), printed.columns.iter().map(pair).collect()));
        }
        Ok(Made::Table(Table {
            name: self.about().name.into(),
            title: format!("Training time at m = {FILTERS} (s)"),
            notes: vec![
                "medians over seeds on this machine; the paper's are from another one".into(),
                "with the class statistics, but for LFDA, WDA and LMNN, which are counted without their principal components; choosing settings is not counted".into(),
            ],
            columns: printed.columns,
            rows,
            digits: 2,
        }))
    }
}

/// The median over seeds; `pass` stands in for records that do not say how long the class statistics took.
fn seconds(fits: &Fits, method: &str, pass: Option<f64>) -> Option<f64> {
    let alone = reducer_entry(method).is_ok_and(|entry| !entry.needs_points());
    let seconds = |scored: &&Evaluated| {
        let pass = scored.statistics_seconds.or(pass);
        scored.fit_seconds + pass.filter(|_| alone).unwrap_or(0.0)
    };
    median(fits.of(method, FILTERS).iter().map(seconds).collect())
}

/// Seconds of the class statistics of all training points, measured when a record does not say.
fn statistics_seconds(fits: &Fits, context: &Context<'_>) -> Result<Option<f64>, PaperError> {
    let own = fits.records.iter().filter(|record| record.filters == FILTERS);
    let mut own = own.filter_map(|record| record.evaluated());
    if own.all(|scored| scored.statistics_seconds.is_some()) {
        return Ok(None);
    }
    let train = &context.data(fits.protocol.set)?.train;
    let began = Instant::now();
    ClassStatistics::from_points(train.points.view(), &train.labels, Estimator::Empirical)
        .map_err(|error| PaperError::numbers("class statistics", error))?;
    Ok(Some(began.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_column_is_a_method() {
        let printed = Printed::parse(PRINTED).unwrap();
        assert!(printed.columns.iter().all(|column| method(column).is_some()));
        assert!(printed.rows.iter().all(|row| row.0 == FILTERS) && !printed.rows.is_empty());
    }
}

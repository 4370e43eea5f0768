//! Accuracy and seconds over dimensions, and over filters, of the synthetic five-class problem.

use serde_json::json;

use crate::scaling::{Climb, DRAWN, ScalingRow, scaling_row};
use crate::{
    About, Context, Item, ItemKind, Made, Needs, Options, OursAndPrinted, PaperError, Printed,
    Table,
};
use sqfa_io::datasets::scaling::{ScalingForm, SyntheticFamily};

/// What our columns say, in the printed order.
const COLUMNS: [&str; 3] = ["Max (%)", "SQFA (%)", "fit (s)"];

/// A table of one of the two experiments.
pub(crate) struct ScalingTable {
    about: About,
    /// Its heading.
    title: &'static str,
    /// A further note.
    note: Option<&'static str>,
    printed: &'static str,
    /// What varies from row to row.
    letter: &'static str,
    size: fn(&ScalingRow) -> usize,
    /// The problem of a size.
    problem: fn(usize) -> SyntheticFamily,
    /// The sizes that options leave of the printed ones.
    sizes: fn(&Options, Vec<usize>) -> Vec<usize>,
    /// The option that may leave none.
    option: &'static str,
}

/// Over dimensions: the paper's or any others.
pub(crate) static DIMENSION: ScalingTable = ScalingTable {
    about: About {
        name: "scaling-dimension",
        kind: ItemKind::Table,
        paper: "Table 7",
        title: "accuracy and seconds up to n = 20 000",
        takes: "seconds",
    },
    title: "Scaling with dimensions, m = 8",
    note: Some(
        "the paper's constants are not public: ours were chosen to meet its Max, so only SQFA against Max and the times are a test",
    ),
    printed: include_str!("../printed/scaling_dim.csv"),
    letter: "n",
    size: |row| row.dimensions,
    problem: SyntheticFamily::ambient,
    sizes: |options, printed| options.dimensions.clone().unwrap_or(printed),
    option: "--dimensions",
};

/// Over filters: those of the paper that are asked for, so that one flag can serve several tables.
pub(crate) static FILTERS: ScalingTable = ScalingTable {
    about: About {
        name: "scaling-filters",
        kind: ItemKind::Table,
        paper: "Table 8",
        title: "accuracy and seconds up to m = 500",
        takes: "a minute; m = 500 ten more",
    },
    title: "Scaling with filters, n = 5000",
    note: None,
    printed: include_str!("../printed/scaling_filters.csv"),
    letter: "m",
    size: |row| row.filters,
    problem: SyntheticFamily::filter_count,
    sizes: |options, printed| printed.into_iter().filter(|m| options.has_filters(*m)).collect(),
    option: "--filters",
};

impl Item for ScalingTable {
    fn about(&self) -> About {
        self.about
    }

    fn needs(&self, options: &Options) -> Needs {
        let none = self.problems(options).is_ok_and(|problems| problems.is_empty());
        Needs { sets: Vec::new(), emptied_by: none.then_some(self.option) }
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let problems = self.problems(context.options)?;
        let form = if context.options.dense { ScalingForm::Dense } else { ScalingForm::LowRank };
        let rows: Result<Vec<ScalingRow>, PaperError> =
            problems.iter().map(|problem| self.row(problem, form, context)).collect();
        Ok(Made::Table(self.table(&rows?)?))
    }
}

impl ScalingTable {
    /// The problems of its rows.
    fn problems(&self, options: &Options) -> Result<Vec<SyntheticFamily>, PaperError> {
        let printed = Printed::parse(self.printed)?.rows.iter().map(|row| row.0).collect();
        Ok((self.sizes)(options, printed).into_iter().map(self.problem).collect())
    }

    /// One row, unless it is known.
    fn row(
        &self,
        problem: &SyntheticFamily,
        form: ScalingForm,
        context: &Context<'_>,
    ) -> Result<ScalingRow, PaperError> {
        let (n, m) = (problem.dimensions, problem.informative);
        let cache = context.cache(self.about.name);
        let key = format!("n{n}-m{m}-{}", form.name());
        let settings = json!({ "spread": problem.spread, "a": problem.a, "b": problem.b, "seed": problem.seed, "drawn": DRAWN });
        if let Some(row) = cache.get(&key, &settings) {
            return Ok(row);
        }
        let what = format!("{}: n = {n}, m = {m}", self.about.name);
        let work = context.begin(&what);
        let row = scaling_row(problem, form, Climb::default(), DRAWN, &mut |progress| {
            work.step(&what, Some(progress))
        });
        context.proceed()?;
        let row = row?;
        cache.keep(&key, &settings, &row)?;
        Ok(row)
    }

    fn table(&self, rows: &[ScalingRow]) -> Result<Table, PaperError> {
        let printed = Printed::parse(self.printed)?;
        let row = |row: &ScalingRow| {
            let (letter, size) = (self.letter, (self.size)(row));
            let ours = [100.0 * row.most, 100.0 * row.accuracy, row.seconds];
            let pairs = ours.into_iter().zip(&printed.columns).map(|(ours, column)| {
                OursAndPrinted { ours: Some(ours), printed: printed.get(size, "", column) }
            });
            (format!("{letter} = {size}"), pairs.collect())
        };
        let forms: Vec<&str> = {
            let mut forms: Vec<&str> = rows.iter().map(|row| row.form.as_str()).collect();
            forms.dedup();
            forms
        };
        let mut notes = vec![
            format!(
                "covariances {}; seconds on this machine, the paper's on another one and dense",
                forms.join(" and ")
            ),
            "Max is QDA on the true subspace, its parameters estimated from 20 000 points a class"
                .to_owned(),
        ];
        for row in rows
            .iter()
            .filter(|row| row.termination != "small-change" && row.termination != "small-gradient")
        {
            notes.push(format!(
                "n = {}, m = {}: the fit ended by {}",
                row.dimensions, row.filters, row.termination
            ));
        }
        notes.extend(self.note.map(str::to_owned));
        Ok(Table {
            name: self.about.name.into(),
            title: self.title.into(),
            notes,
            columns: COLUMNS.map(str::to_owned).to_vec(),
            rows: rows.iter().map(row).collect(),
            digits: 2,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_meet_the_printed_ones_by_size() {
        let sizes = |table: &ScalingTable, options: &Options| -> Vec<(usize, usize)> {
            let problems = table.problems(options).unwrap();
            problems.iter().map(|problem| (problem.dimensions, problem.informative)).collect()
        };
        let all = sizes(&FILTERS, &Options::default());
        assert_eq!(all.iter().map(|size| size.1).collect::<Vec<_>>(), [10, 50, 100, 500]);
        let other = Options { dimensions: Some(vec![300]), ..Options::default() };
        assert_eq!(sizes(&DIMENSION, &other), [(300, 8)]);
        let some = |filters| Options { filters: Some(filters), ..Options::default() };
        assert_eq!(sizes(&FILTERS, &some(vec![2, 50])).len(), 1);
        assert_eq!(FILTERS.needs(&some(vec![7])).emptied_by, Some("--filters"));
        assert_eq!(DIMENSION.needs(&some(vec![7])).emptied_by, None);
        let row = ScalingRow {
            dimensions: 5000,
            filters: 50,
            form: "low-rank".into(),
            seconds: 0.5,
            passes: 1,
            evaluations: 1,
            objective: 1.0,
            termination: "max-iterations".into(),
            preconditioned: false,
            covariance_bytes: 0,
            accuracy: 0.75,
            most: 0.76,
            standard_error: 0.001,
            objective_of_truth: 1.0,
        };
        let table = FILTERS.table(&[row]).unwrap();
        // Read off the paper: 76.0, 73.2 and 13.8.
        let printed: Vec<_> = table.rows[0].1.iter().map(|pair| pair.printed).collect();
        assert_eq!(printed, [Some(76.0), Some(73.2), Some(13.8)]);
        assert_eq!(table.rows[0].1[1].ours, Some(75.0));
        assert!(table.notes.iter().any(|note| note.contains("max-iterations")));
    }
}

//! Fits without constant columns, if there are many of them.
//!
//! Class statistics of n varying columns have n² values. Those of all columns would need far more
//! memory.

use crate::linalg::Mat;
use crate::model::Start;
use crate::optimize::Observer;
use crate::points::{Points, Scalar, Table};
use crate::reduce::ReducerSettings;
use crate::statistics::Preprocessor;
use crate::with_table;

use super::{Fitted, Labeled, Pipeline, PipelineError, Summed};

/// The values of the varying columns, in the precision of the samples.
enum Values {
    U8(Vec<u8>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Values {
    fn of(points: Points<'_>, columns: &[usize]) -> Self {
        macro_rules! gathered {
            ($table:expr) => {{
                let rows = 0..$table.rows();
                rows.flat_map(|row| columns.iter().map(move |&column| $table.get(row, column)))
                    .collect()
            }};
        }
        match points {
            Points::U8(table) => Self::U8(gathered!(table)),
            Points::F32(table) => Self::F32(gathered!(table)),
            Points::F64(table) => Self::F64(gathered!(table)),
        }
    }

    fn points(&self, rows: usize, columns: usize) -> Points<'_> {
        let whole = "rows of equal length";
        match self {
            Self::U8(values) => Table::row_major(values, rows, columns).expect(whole).into(),
            Self::F32(values) => Table::row_major(values, rows, columns).expect(whole).into(),
            Self::F64(values) => Table::row_major(values, rows, columns).expect(whole).into(),
        }
    }
}

impl Pipeline {
    /// Fits the varying columns, and returns the result in terms of all columns.
    pub(super) fn fit_compact(
        &self,
        sums: &Summed<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let (data, dropped) = (sums.data(), sums.dropped());
        let n = data.points.columns();
        let is_dropped = |column: &usize| dropped.binary_search(column).is_ok();
        let varying: Vec<usize> = (0..n).filter(|column| !is_dropped(column)).collect();
        let values = Values::of(data.points, &varying);
        let points = values.points(data.points.rows(), varying.len());
        let recipe = self.on_columns(&varying);
        let fitted = recipe.fit(Labeled { points, ..*data }, observer)?;
        Ok(fitted.among(&varying, dropped, data))
    }

    /// Returns the recipe for some of the columns. Initial and fixed filters keep only the rows of
    /// these columns.
    fn on_columns(&self, columns: &[usize]) -> Self {
        let picked =
            |all: &Mat<f64>| Mat::from_fn(columns.len(), all.ncols(), |i, j| all[(columns[i], j)]);
        let start = match &self.settings.start {
            Start::Given(filters) => Start::Given(picked(filters)),
            other => other.clone(),
        };
        let fixed = self.settings.fixed.as_ref().map(picked);
        let settings = ReducerSettings { start, fixed, ..self.settings.clone() };
        Self { settings, ..self.clone() }
    }
}

impl Fitted {
    /// Converts the result for some columns to one for all columns, of which the others are
    /// constant.
    fn among(mut self, columns: &[usize], dropped: &[usize], data: &Labeled<'_>) -> Self {
        let n = data.points.columns();
        let own = self.preprocessor.take().unwrap_or_else(|| Preprocessor {
            offset: vec![0.0; columns.len()],
            factors: vec![1.0; columns.len()],
        });
        let (mut mean, mut offset, mut factors) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for (at, &column) in columns.iter().enumerate() {
            mean[column] = self.mean[at];
            offset[column] = own.offset[at];
            factors[column] = own.factors[at];
        }
        // The first row with positive weight. Rows with weight 0 may contain any value.
        let row = (0..data.points.rows()).find(|&row| data.weight(row) > 0).unwrap_or(0);
        for &column in dropped {
            mean[column] = with_table!(data.points, table => table.get(row, column).to_f64());
            offset[column] = if self.record.centers() { mean[column] } else { 0.0 };
        }
        self.mean = mean;
        self.preprocessor = Some(Preprocessor { offset, factors });
        self.record.dropped = dropped.to_vec();
        let kept = self.kept.clone();
        self.embed(kept);
        self
    }
}

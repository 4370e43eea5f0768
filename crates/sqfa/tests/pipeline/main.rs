//! The pipeline: what is dropped, how folds are made, what units and weights may not change, what is chosen and refused.

#![allow(clippy::unwrap_used)]

mod arranged;
mod choices;
mod columns;
mod distinct;
mod folds;
mod groups;
mod honest;
mod outliers;
mod record;
mod reference;
mod refinement;
mod refused;
mod remote;
mod serial;
mod units;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::optimize::{Control, Progress};
use sqfa::pipeline::{Fitted, Labeled, Pipeline, PipelineError};
use sqfa::{ClassStatistics, Estimator, Labels, Points, Table};

/// A table of numbers with labels.
#[derive(Clone)]
pub(crate) struct Data {
    pub(crate) values: Vec<f64>,
    pub(crate) columns: usize,
    pub(crate) labels: Vec<i64>,
}

impl Data {
    pub(crate) fn rows(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn points(&self) -> Points<'_> {
        Points::F64(Table::row_major(&self.values, self.rows(), self.columns).unwrap())
    }

    /// Every number through a map of its column.
    pub(crate) fn mapped(&self, map: impl Fn(usize, f64) -> f64) -> Self {
        let values = self.values.iter().enumerate();
        let values = values.map(|(at, &value)| map(at % self.columns, value)).collect();
        Self { values, ..self.clone() }
    }

    /// Some rows, in some order.
    pub(crate) fn picked(&self, rows: &[usize]) -> Self {
        let row = |&row: &usize| self.values[row * self.columns..][..self.columns].to_vec();
        Self {
            values: rows.iter().flat_map(row).collect(),
            columns: self.columns,
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
        }
    }

    pub(crate) fn statistics(&self) -> ClassStatistics {
        let labels = Labels::from_integers(&self.labels);
        ClassStatistics::from_points(self.points(), &labels, Estimator::Empirical).unwrap()
    }

    pub(crate) fn fit(&self, pipeline: &Pipeline) -> Result<Fitted, PipelineError> {
        self.fit_weighted(pipeline, None)
    }

    pub(crate) fn fit_weighted(
        &self,
        pipeline: &Pipeline,
        weights: Option<&[u64]>,
    ) -> Result<Fitted, PipelineError> {
        let labels = Labels::from_integers(&self.labels);
        let data = Labeled { weights, ..Labeled::new(self.points(), &labels) };
        pipeline.fit(data, &mut |_| Control::Continue)
    }
}

/// Three classes in six columns of unlike units: two columns tell means apart, one tells variances apart, the rest is noise.
pub(crate) fn three_classes(rows: usize, seed: u64) -> Data {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let units = [1.0, 200.0, 0.01, 5.0, 1.0, 30.0];
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let class = row % 3;
        let mut z: Vec<f64> = (0..6).map(|_| StandardNormal.sample(&mut generator)).collect();
        z[0] += [0.0, 2.5, -2.5][class];
        z[1] += [2.0, -1.0, -1.0][class] + 0.8 * z[3];
        z[2] *= [0.4, 1.0, 2.5][class];
        values.extend(z.iter().zip(units).map(|(z, unit)| z * unit + 3.0 * unit));
        labels.push(class as i64);
    }
    Data { values, columns: 6, labels }
}

/// A recipe for a method by name in which everything but the number of filters is selected.
pub(crate) fn recipe(method: &str, filters: usize) -> Pipeline {
    Pipeline::named(method, filters).unwrap()
}

/// An observer that lets a fit go on.
pub(crate) fn goes_on(_: &Progress) -> Control {
    Control::Continue
}

/// The share of points whose class the fitted pipeline guesses.
pub(crate) fn accuracy(fitted: &Fitted, data: &Data) -> f64 {
    let labels = Labels::from_integers(&data.labels);
    let features = fitted.features_of(data.points());
    let points = features.as_points(fitted.filters().ncols());
    fitted.classifier().unwrap().accuracy(points, labels.codes()).unwrap()
}

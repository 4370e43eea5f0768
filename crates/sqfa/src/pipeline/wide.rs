//! Folds of samples with many columns, in the coordinates of their leading principal components.
//!
//! Samples used to compute the components must not be used to score candidates. Every fold
//! therefore has the components of its own training samples. With many samples per column the
//! difference is negligible, and the components of all samples are used. The cost per fold is a
//! pooled covariance, some products with it, and one pass over the samples for each of two
//! scalings. The search then costs as much as with as many columns as components. Coordinates of
//! held-out samples are stored. Training samples are accumulated to class statistics.

use std::sync::Arc;

use crate::deal::HoldOut;
use crate::labels::Labels;
use crate::linalg::{Mat, tall_times};
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Preprocessor, Scaling, StatisticsError,
};
use crate::transform::transform_rows_offset;

use super::coordinates::{OnComponents, coordinates};
use super::in_memory::Arm;
use super::learn::Found;
use super::rule::EXPLAINED;
use super::space::components_after;
use super::{Labeled, Parts, Pipeline, PipelineError};

/// The number of classes that are accumulated at once. Together with [`POINTS`], it leads to whole
/// blocks, so that the sums have the same bits as those of all samples at once.
const CLASSES: usize = 4;
const POINTS: usize = 512;

/// One fold in the coordinates of its principal components.
pub(crate) struct Seen {
    kept: Kept,
    /// The coordinates under each scaling of columns.
    views: Vec<View>,
}

/// The samples of a fold in the coordinates of principal components, under one scaling of columns.
struct View {
    /// The scaling of columns.
    scaling: Scaling,
    /// The coordinates of the samples that are stored.
    values: Vec<f64>,
    /// The class statistics of the samples that are not stored.
    forgotten: ClassAccumulator,
    /// The mean within-class variance of the columns, divided by that of the components.
    ratio: f64,
    components: usize,
    /// The fraction of the within-class variance that the components explain.
    held: f64,
    /// The components themselves, which are stored for the first fold only.
    basis: Option<Mat<f64>>,
}

/// Principal components under one scaling of columns, with the map from raw samples to their
/// coordinates.
#[derive(Clone)]
pub(crate) struct Basis {
    scaling: Scaling,
    /// The filters for raw samples.
    filters: Mat<f64>,
    offset: Option<Vec<f64>>,
    ratio: f64,
    basis: Mat<f64>,
}

impl Basis {
    /// Returns the fraction of the within-class variance that the components explain.
    fn held(&self) -> f64 {
        self.basis.ncols() as f64 / (self.basis.nrows() as f64 * self.ratio)
    }
}

impl Pipeline {
    /// Returns the principal components under every scaling of columns that the candidates need.
    pub(crate) fn bases(
        &self,
        data: &Labeled<'_>,
        statistics: &ClassStatistics,
        dropped: &[usize],
    ) -> Result<Vec<Basis>, PipelineError> {
        let mut needed: Vec<Scaling> =
            self.scalings().into_iter().map(|own| own.of_columns()).collect();
        needed.dedup();
        needed
            .into_iter()
            .map(|scaling| {
                let map = Preprocessor::dropping(statistics, scaling, scaling.centers(), dropped);
                let count = self.components().min(data.total() as usize);
                let (basis, ratio) = components_after(map.as_ref(), statistics, count)?;
                let ratio = if self.restricted_to().is_some() { 1.0 } else { ratio };
                let (filters, offset) = match &map {
                    Some(map) => {
                        let (filters, offset) = map.fold(basis.as_ref());
                        (filters, Some(offset))
                    }
                    None => (basis.clone(), None),
                };
                Ok(Basis { scaling, filters, offset, ratio, basis })
            })
            .collect()
    }

    /// Returns one arm for each scaling, in the coordinates of its components. Every fold is
    /// represented as a repeat with a single split.
    pub(crate) fn arms_on<'a>(&self, folds: &'a [Seen]) -> Result<Vec<Arm<'a>>, StatisticsError> {
        let (estimator, mut arms) = (self.estimator(), Vec::new());
        let own = if estimator.needs_points() { estimator } else { Estimator::Empirical };
        for scaling in self.scalings() {
            let (repeats, makers) = (Vec::new(), Vec::new());
            let mut arm = Arm { scaling, estimator: own, repeats, makers };
            for Seen { kept, views } in folds {
                let own = views.iter().find(|view| view.scaling == scaling.of_columns());
                let Some(view) = own else { continue };
                let points = coordinates(&view.values, view.components);
                let weights = kept.weights.as_deref();
                let data =
                    Labeled { points, labels: &kept.labels, weights, hold_out: kept.hold_out() };
                let parts = Parts::of(data, kept.dealt.clone(), 1)?;
                arm.repeats.push(parts.with_forgotten(&view.forgotten)?);
                arm.makers.push(Box::new(OnComponents { scaling, estimator, ratio: view.ratio }));
            }
            arms.push(arm);
        }
        Ok(arms)
    }
}

/// The samples whose coordinates are stored: the held-out ones, and all if the estimator needs
/// samples.
pub(crate) struct Kept {
    rows: Vec<usize>,
    /// The part of each sample: 0 if it is held out.
    dealt: Arc<Vec<u16>>,
    labels: Labels,
    weights: Option<Vec<u64>>,
    /// The group of each sample, if groups were specified.
    groups: Option<Vec<u32>>,
    /// The fold of each sample, if folds were specified.
    folds: Option<Vec<u16>>,
    /// The rows of the samples that are not stored, for each class.
    others: Vec<Vec<u32>>,
}

impl Kept {
    /// Divides samples into those that are stored and those that are accumulated.
    pub(crate) fn new(data: &Labeled<'_>, is_held: impl Fn(usize) -> bool, all: bool) -> Self {
        let mut others = vec![Vec::new(); data.labels.classes().len()];
        let mut rows = Vec::new();
        for row in 0..data.labels.len() {
            if all || is_held(row) {
                rows.push(row);
            } else if data.weight(row) > 0 {
                others[data.labels.codes()[row] as usize].push(row as u32);
            }
        }
        let part = |&row: &usize| if is_held(row) { 0 } else { u16::MAX };
        Self {
            dealt: Arc::new(rows.iter().map(part).collect()),
            labels: data.labels.select(&rows),
            weights: data.weights.map(|all| rows.iter().map(|&row| all[row]).collect()),
            groups: match data.hold_out {
                HoldOut::Groups(all) => Some(rows.iter().map(|&row| all[row]).collect()),
                _ => None,
            },
            folds: match data.hold_out {
                HoldOut::Folds(all) => Some(rows.iter().map(|&row| all[row]).collect()),
                _ => None,
            },
            rows,
            others,
        }
    }

    /// Returns the specified groups or folds of the stored samples.
    fn hold_out(&self) -> HoldOut<'_> {
        match (&self.groups, &self.folds) {
            (Some(groups), _) => HoldOut::Groups(groups),
            (None, Some(folds)) => HoldOut::Folds(folds),
            (None, None) => HoldOut::Rows,
        }
    }

    /// Transforms the fold to the coordinates of its components. Only the first fold stores the
    /// components.
    pub(crate) fn seen(
        self,
        data: &Labeled<'_>,
        bases: Vec<Basis>,
        first: bool,
    ) -> Result<Seen, PipelineError> {
        let views = self.views(data, bases, first)?;
        Ok(Seen { kept: self, views })
    }

    /// Returns the coordinates under every scaling of columns.
    fn views(
        &self,
        data: &Labeled<'_>,
        bases: Vec<Basis>,
        first: bool,
    ) -> Result<Vec<View>, PipelineError> {
        let view = |own: Basis| {
            let held = own.held();
            let Basis { scaling, filters, offset, ratio, basis } = own;
            let seen = |rows: &[usize]| {
                transform_rows_offset(data.points, rows, filters.as_ref(), offset.as_deref())
                    .into_f64()
            };
            let values = seen(&self.rows);
            let forgotten = self.forgotten(data, basis.ncols(), &seen)?;
            let (components, basis) = (basis.ncols(), Some(basis).filter(|_| first));
            Ok(View { scaling, values, forgotten, ratio, components, held, basis })
        };
        bases.into_iter().map(view).collect()
    }

    /// Returns the class statistics of the samples that are not stored. `seen` computes
    /// coordinates.
    fn forgotten(
        &self,
        data: &Labeled<'_>,
        columns: usize,
        seen: &dyn Fn(&[usize]) -> Vec<f64>,
    ) -> Result<ClassAccumulator, StatisticsError> {
        let mut sums = ClassAccumulator::new(data.labels.classes().clone(), columns);
        for classes in self.others.chunks(CLASSES) {
            let longest = classes.iter().map(Vec::len).max().unwrap_or(0);
            for first in (0..longest).step_by(POINTS) {
                let some = classes.iter().flat_map(|rows| rows.iter().skip(first).take(POINTS));
                let rows: Vec<usize> = some.map(|&row| row as usize).collect();
                let (values, labels) = (seen(&rows), data.labels.select(&rows));
                let points = coordinates(&values, columns);
                match data.weights {
                    Some(all) => {
                        let own: Vec<u64> = rows.iter().map(|&row| all[row]).collect();
                        sums.update_weighted(points, &labels, &own)?;
                    }
                    None => sums.update(points, &labels)?,
                }
            }
        }
        Ok(sums)
    }
}

impl Seen {
    /// Whether the components of standardized columns explain so little variance that they may not
    /// represent the columns well.
    pub(crate) fn is_flat(&self) -> bool {
        self.views.iter().any(|view| view.scaling == Scaling::PerFeature && view.held < EXPLAINED)
    }
}

impl Found {
    /// Converts initial filters for the components of the first fold to filters of columns.
    pub(crate) fn lift(&mut self, folds: &[Seen]) {
        let basis = self.basis_in(folds);
        self.start = match (self.start.take(), basis) {
            (Some(start), Some(basis)) => Some(tall_times(basis.as_ref(), start.as_ref())),
            _ => None,
        };
    }

    /// Returns the components of the first fold under the selected scaling.
    pub(crate) fn basis_in<'a>(&self, folds: &'a [Seen]) -> Option<&'a Mat<f64>> {
        let scaling = self.selection.candidate.scaling.of_columns();
        let mut views = folds.first()?.views.iter();
        views.find(|view| view.scaling == scaling).and_then(|view| view.basis.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::super::choose::Components;
    use super::*;
    use crate::points::{Points, Table};

    /// The held-out samples of the first fold may have any value. Those of the second fold are
    /// training samples of the first.
    #[test]
    fn points_held_out_have_no_part_in_the_components_of_their_fold() {
        const ROWS: usize = 60;
        const COLUMNS: usize = 300;
        let number = |at: usize| ((at * at + 7 * at) % 1009) as f64 / 1009.0;
        let codes: Vec<i64> = (0..ROWS as i64).map(|row| row % 2).collect();
        let labels = Labels::from_integers(&codes);
        let dealt: Vec<u16> = (0..ROWS as u16).map(|row| row / 2 % 5).collect();
        let basis_when_larger = |fold: u16| {
            let large = |row: usize| if dealt[row] == fold { 100.0 } else { 1.0 };
            let values: Vec<f64> =
                (0..ROWS * COLUMNS).map(|at| number(at) * large(at / COLUMNS)).collect();
            let points = Points::F64(Table::row_major(&values, ROWS, COLUMNS).unwrap());
            let data = Labeled::new(points, &labels);
            let pooled = |rows: Vec<usize>| {
                ClassStatistics::pooled(points, &labels, None, rows.iter().copied())
            };
            let pipeline = Pipeline::named("sqfa", 2).unwrap();
            let components = Components::Of(&pooled);
            let folds = pipeline.dealt_on_components(&data, &dealt, 5, components, &[]).unwrap();
            assert_eq!(folds.len(), 5);
            assert!(folds[1..].iter().all(|fold| fold.views.iter().all(|one| one.basis.is_none())));
            folds[0].views.iter().map(|view| view.basis.clone().unwrap()).collect::<Vec<_>>()
        };
        let usual = basis_when_larger(5);
        assert_eq!(usual.len(), 2, "one a scaling");
        assert_eq!(usual, basis_when_larger(0));
        assert_ne!(usual, basis_when_larger(1));
    }
}

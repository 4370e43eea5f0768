//! Many columns seen through their leading principal components, on which units and noise are chosen.
//!
//! Every fold has components of its own, those of the points that are learned from: components lean towards every point they
//! have seen, so that one that had a part in them is no judge. Only where points are many times the columns is that nothing, and
//! the components are those of all points. Cost for every fold: a covariance of all classes, some products with it and a pass
//! over the points for each of two scalings; the search itself costs as in a table of as many columns as components. Coordinates are kept
//! of points that are held out; the others are summed up and forgotten.

use std::sync::Arc;

use crate::labels::Labels;
use crate::linalg::{Mat, tall_times};
use crate::statistics::{ClassAccumulator, ClassStatistics, Preprocessor, StatisticsError};
use crate::transform::transform_rows_offset;

use super::arms::{OnComponents, coordinates};
use super::learn::Found;
use super::search::Arm;
use super::space::{Units, components_after};
use super::{Parts, Pipeline, PipelineError, Weighted};

/// Classes whose points are summed up at a time, and how many points of each: whole blocks, so that the sums are those of
/// all points at once.
const CLASSES: usize = 4;
const POINTS: usize = 512;

/// The share of the variance within classes below which components may be no summary of the columns.
const HOLD: f64 = 0.75;

/// One fold on its principal components.
pub(crate) struct Seen {
    kept: Kept,
    /// One a scaling.
    views: Vec<View>,
}

/// Points on principal components, under one scaling.
struct View {
    units: Units,
    /// Coordinates of the points that are kept.
    values: Vec<f64>,
    /// Sums of the others.
    forgotten: ClassAccumulator,
    /// The mean within-class variance of the columns over that of the components.
    ratio: f64,
    components: usize,
    /// The share of the variance within classes that they hold.
    held: f64,
    /// The components themselves, of the first fold alone.
    basis: Option<Mat<f64>>,
}

/// Principal components under one scaling, and how points get there.
#[derive(Clone)]
pub(crate) struct Basis {
    units: Units,
    /// For points as they came.
    filters: Mat<f64>,
    offset: Option<Vec<f64>>,
    ratio: f64,
    basis: Mat<f64>,
}

impl Basis {
    /// The share of the variance within classes that the components hold.
    fn held(&self) -> f64 {
        self.basis.ncols() as f64 / (self.basis.nrows() as f64 * self.ratio)
    }
}

impl Pipeline {
    /// The principal components under every scaling that the units need.
    pub(crate) fn bases(
        &self,
        data: &Weighted<'_>,
        statistics: &ClassStatistics,
        dropped: &[usize],
    ) -> Result<Vec<Basis>, PipelineError> {
        let units = [Units::PerFeature, Units::Common].into_iter();
        let needed =
            units.filter(|units| self.units().iter().any(|own| own.scaling() == units.scaling()));
        needed
            .map(|units| {
                let scaling = self.scaling_of(units);
                let map = Preprocessor::dropping(statistics, scaling, self.centers(), dropped);
                let count = self.components().min(data.points.rows());
                let (basis, ratio) = components_after(map.as_ref(), statistics, count)?;
                let (filters, offset) = match &map {
                    Some(map) => {
                        let (filters, offset) = map.fold(basis.as_ref());
                        (filters, Some(offset))
                    }
                    None => (basis.clone(), None),
                };
                Ok(Basis { units, filters, offset, ratio, basis })
            })
            .collect()
    }

    /// One arm for every unit, on the coordinates of its scaling; folds are repeats of one split each.
    pub(crate) fn arms_on<'a>(&self, folds: &'a [Seen]) -> Result<Vec<Arm<'a>>, StatisticsError> {
        let mut arms = Vec::new();
        for units in self.units() {
            let mut arm = Arm { units, repeats: Vec::new(), makers: Vec::new() };
            for Seen { kept, views } in folds {
                let own = views.iter().find(|view| view.units.scaling() == units.scaling());
                let Some(view) = own else { continue };
                let points = coordinates(&view.values, view.components);
                let weights = kept.weights.as_deref();
                let data = Weighted { points, labels: &kept.labels, weights };
                let parts = Parts::of(data, kept.dealt.clone(), 1)?;
                arm.repeats.push(parts.with_forgotten(&view.forgotten)?);
                arm.makers.push(Box::new(OnComponents { units, ratio: view.ratio }));
            }
            arms.push(arm);
        }
        Ok(arms)
    }
}

/// Points of which coordinates are kept: those that are held out, and all where an estimator looks at them.
pub(crate) struct Kept {
    rows: Vec<usize>,
    /// The part of each: 0 where it is held out.
    dealt: Arc<Vec<u16>>,
    labels: Labels,
    weights: Option<Vec<u64>>,
    /// The others, class by class.
    others: Vec<Vec<u32>>,
}

impl Kept {
    /// Points of which some are held out.
    pub(crate) fn new(data: &Weighted<'_>, is_held: impl Fn(usize) -> bool, all: bool) -> Self {
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
            rows,
            others,
        }
    }

    /// The fold on its components, which only the first of all keeps.
    pub(crate) fn seen(
        self,
        data: &Weighted<'_>,
        bases: Vec<Basis>,
        first: bool,
    ) -> Result<Seen, PipelineError> {
        let views = self.views(data, bases, first)?;
        Ok(Seen { kept: self, views })
    }

    /// The coordinates under every scaling.
    fn views(
        &self,
        data: &Weighted<'_>,
        bases: Vec<Basis>,
        first: bool,
    ) -> Result<Vec<View>, PipelineError> {
        let view = |own: Basis| {
            let held = own.held();
            let Basis { units, filters, offset, ratio, basis } = own;
            let seen = |rows: &[usize]| {
                transform_rows_offset(data.points, rows, filters.as_ref(), offset.as_deref())
                    .into_f64()
            };
            let values = seen(&self.rows);
            let forgotten = self.forgotten(data, basis.ncols(), &seen)?;
            let (components, basis) = (basis.ncols(), Some(basis).filter(|_| first));
            Ok(View { units, values, forgotten, ratio, components, held, basis })
        };
        bases.into_iter().map(view).collect()
    }

    /// The sums of the other points, of which `seen` gives the coordinates.
    fn forgotten(
        &self,
        data: &Weighted<'_>,
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
    /// Whether components hold so little of scaled columns that they may be no summary of them.
    pub(crate) fn is_flat(&self) -> bool {
        self.views.iter().any(|view| view.units == Units::PerFeature && view.held < HOLD)
    }
}

impl Found {
    /// Starting filters of components, which are those of the first fold, become those of columns.
    pub(crate) fn lift(&mut self, folds: &[Seen]) {
        let basis = self.basis_in(folds);
        self.start = match (self.start.take(), basis) {
            (Some(start), Some(basis)) => Some(tall_times(basis.as_ref(), start.as_ref())),
            _ => None,
        };
    }

    /// The components of the first fold in the units that were chosen.
    pub(crate) fn basis_in<'a>(&self, folds: &'a [Seen]) -> Option<&'a Mat<f64>> {
        let scaling = self.selection.candidate.units.scaling();
        let mut views = folds.first()?.views.iter();
        views.find(|view| view.units.scaling() == scaling).and_then(|view| view.basis.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::super::choose::Components;
    use super::*;
    use crate::points::{Points, Table};

    /// What is held out in the first fold may be anything; what is held out in the second is learned from in the first.
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
            let data = Weighted { points, labels: &labels, weights: None };
            let pooled = |rows: Vec<usize>| {
                ClassStatistics::pooled(points, &labels, None, rows.iter().copied())
            };
            let pipeline = Pipeline::new("sqfa", 2);
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

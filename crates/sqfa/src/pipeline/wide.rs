//! Many columns seen through their leading principal components, on which units and noise are chosen.
//!
//! Cost: one dense eigenproblem and one pass over the points for each of two scalings; the search itself costs as in a
//! table of [`COMPONENTS`] columns. Coordinates are kept of points that are held out; the others are summed up and forgotten.

use std::sync::Arc;

use crate::labels::Labels;
use crate::linalg::{Mat, tall_times};
use crate::statistics::{ClassAccumulator, ClassStatistics, StatisticsError};
use crate::transform::transform_rows_offset;

use super::arms::{OnComponents, coordinates, preprocessor};
use super::learn::Found;
use super::search::Arm;
use super::space::{Units, components_after};
use super::{COMPONENTS, Parts, Pipeline, PipelineError, Plan, SetAside, Weighted};

/// Classes whose points are summed up at a time, and how many points of each: whole blocks, so that the sums are those of
/// all points at once.
const CLASSES: usize = 4;
const POINTS: usize = 512;

/// Points on principal components, under one scaling.
pub(crate) struct View {
    units: Units,
    /// Coordinates of the points that are kept.
    values: Vec<f64>,
    /// Sums of the others.
    forgotten: ClassAccumulator,
    /// The mean within-class variance of the columns over that of the components.
    ratio: f64,
    basis: Mat<f64>,
}

/// Principal components under one scaling, and how points get there.
pub(crate) struct Basis {
    units: Units,
    /// For points as they came.
    filters: Mat<f64>,
    offset: Option<Vec<f64>>,
    ratio: f64,
    basis: Mat<f64>,
}

impl Pipeline {
    /// The principal components under every scaling that the units need.
    pub(crate) fn bases(
        &self,
        data: &Weighted<'_>,
        statistics: &ClassStatistics,
        aside: &[SetAside],
    ) -> Result<Vec<Basis>, PipelineError> {
        let units = [Units::PerFeature, Units::Common].into_iter();
        let needed =
            units.filter(|units| self.units().iter().any(|own| own.scaling() == units.scaling()));
        needed
            .map(|units| {
                let scaling = self.scaling_of(units);
                let map = preprocessor(statistics, scaling, self.centers(), aside);
                let count = COMPONENTS.min(data.points.rows());
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

    /// One arm for every unit, on the coordinates of its scaling.
    pub(crate) fn arms_on<'a>(
        &self,
        views: &'a [View],
        kept: &'a Kept,
        plan: Plan,
    ) -> Result<Vec<Arm<'a>>, StatisticsError> {
        let mut arms = Vec::new();
        for units in self.units() {
            let own = views.iter().find(|view| view.units.scaling() == units.scaling());
            let Some(view) = own else { continue };
            let points = coordinates(&view.values, view.basis.ncols());
            let weights = kept.weights.as_deref();
            let data = Weighted { points, labels: &kept.labels, weights };
            let parts = Parts::of(data, kept.dealt.clone(), plan.held)?;
            let repeats = vec![parts.with_forgotten(&view.forgotten)?];
            arms.push(Arm {
                units,
                repeats,
                maker: Box::new(OnComponents { units, ratio: view.ratio }),
            });
        }
        Ok(arms)
    }
}

/// Points of which coordinates are kept: those that are held out in turn, and all where an estimator looks at them.
pub(crate) struct Kept {
    rows: Vec<usize>,
    /// The part of each.
    dealt: Arc<Vec<u16>>,
    labels: Labels,
    weights: Option<Vec<u64>>,
    /// The others, class by class.
    others: Vec<Vec<u32>>,
}

impl Kept {
    /// Points that were dealt into parts.
    pub(crate) fn new(data: &Weighted<'_>, dealt: &[u16], plan: Plan, all: bool) -> Self {
        let mut others = vec![Vec::new(); data.labels.classes().len()];
        let mut rows = Vec::new();
        for (row, &part) in dealt.iter().enumerate() {
            if all || usize::from(part) < plan.held {
                rows.push(row);
            } else if data.weight(row) > 0 {
                others[data.labels.codes()[row] as usize].push(row as u32);
            }
        }
        Self {
            dealt: Arc::new(rows.iter().map(|&row| dealt[row]).collect()),
            labels: data.labels.select(&rows),
            weights: data.weights.map(|all| rows.iter().map(|&row| all[row]).collect()),
            rows,
            others,
        }
    }

    /// The coordinates under every scaling.
    pub(crate) fn views(
        &self,
        data: &Weighted<'_>,
        bases: Vec<Basis>,
    ) -> Result<Vec<View>, PipelineError> {
        let view = |Basis { units, filters, offset, ratio, basis }| {
            let seen = |rows: &[usize]| {
                transform_rows_offset(data.points, rows, filters.as_ref(), offset.as_deref())
                    .into_f64()
            };
            let values = seen(&self.rows);
            let forgotten = self.forgotten(data, basis.ncols(), &seen)?;
            Ok(View { units, values, forgotten, ratio, basis })
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

impl Found {
    /// Starting filters of components become those of columns, and the components are remembered.
    pub(crate) fn lift(&mut self, views: Vec<View>) {
        let scaling = self.selection.candidate.units.scaling();
        let own = views.into_iter().find(|view| view.units.scaling() == scaling);
        self.basis = own.map(|view| view.basis);
        self.start = match (self.start.take(), &self.basis) {
            (Some(start), Some(basis)) => Some(tall_times(basis.as_ref(), start.as_ref())),
            _ => None,
        };
    }
}

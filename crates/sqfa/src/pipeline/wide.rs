//! Many columns seen through their leading principal components, on which units and noise are chosen.
//!
//! Cost: one dense eigenproblem and one pass over the points for each of two scalings; the search itself costs as in a
//! table of [`COMPONENTS`] columns.

use std::sync::Arc;

use crate::linalg::{Mat, tall_times};
use crate::statistics::{ClassStatistics, StatisticsError};
use crate::transform::transform;

use super::arms::{OnComponents, coordinates, preprocessor};
use super::learn::Found;
use super::search::Arm;
use super::space::{Units, components};
use super::{COMPONENTS, Parts, Pipeline, PipelineError, Plan, SetAside, Weighted};

/// Coordinates of all points on principal components, under one scaling.
pub(crate) struct View {
    units: Units,
    values: Vec<f64>,
    /// The mean within-class variance of the columns over that of the components.
    ratio: f64,
    basis: Mat<f64>,
}

impl Pipeline {
    /// The coordinates under every scaling that the units need.
    pub(crate) fn views(
        &self,
        data: &Weighted<'_>,
        statistics: &ClassStatistics,
        aside: &[SetAside],
    ) -> Result<Vec<View>, PipelineError> {
        let units = [Units::PerFeature, Units::Common].into_iter();
        let needed =
            units.filter(|units| self.units().iter().any(|own| own.scaling() == units.scaling()));
        needed
            .map(|units| {
                let scaling = self.scaling_of(units);
                let map = preprocessor(statistics, scaling, self.centers(), aside);
                let mut own = statistics.copied();
                map.iter().for_each(|map| map.apply(&mut own));
                let count = COMPONENTS.min(own.dimension()).min(data.points.rows());
                let basis = components(&own, count)?;
                let (filters, offset) = match &map {
                    Some(map) => {
                        let (filters, offset) = map.fold(basis.as_ref());
                        (filters, Some(offset))
                    }
                    None => (basis.clone(), None),
                };
                let values = transform(data.points, filters.as_ref(), offset.as_deref()).to_f64();
                let ratio = own.noise_scale() / own.reduced(basis.as_ref()).noise_scale();
                Ok(View { units, values, ratio, basis })
            })
            .collect()
    }

    /// One arm for every unit, on the coordinates of its scaling.
    pub(crate) fn arms_on<'a>(
        &self,
        views: &'a [View],
        data: &Weighted<'a>,
        dealt: &Arc<Vec<u16>>,
        plan: Plan,
    ) -> Result<Vec<Arm<'a>>, StatisticsError> {
        let mut arms = Vec::new();
        for units in self.units() {
            let own = views.iter().find(|view| view.units.scaling() == units.scaling());
            let Some(view) = own else { continue };
            let points = coordinates(&view.values, view.basis.ncols());
            let data = Weighted { points, ..*data };
            let repeats = vec![Parts::of(data, dealt.clone(), plan.held)?];
            arms.push(Arm {
                units,
                repeats,
                maker: Box::new(OnComponents { units, ratio: view.ratio }),
            });
        }
        Ok(arms)
    }
}

impl Found {
    /// Starting filters of components become those of columns.
    pub(crate) fn lift(&mut self, views: &[View]) {
        let scaling = self.selection.candidate.units.scaling();
        let own = views.iter().find(|view| view.units.scaling() == scaling);
        self.start = match (self.start.take(), own) {
            (Some(start), Some(view)) => Some(tall_times(view.basis.as_ref(), start.as_ref())),
            _ => None,
        };
    }
}

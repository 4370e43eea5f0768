//! What a search compares: the units that a method allows, on columns or on principal components.

use crate::constraint::Constraint;
use crate::model::Method;
use crate::points::{Points, Table};
use crate::reduce::{Objective, Setting, reducer_entry};
use crate::statistics::{ClassStatistics, Preprocessor, Scaling};

use super::search::{Arm, MakeSpace};
use super::space::{Space, Units};
use super::{NoiseRule, Parts, Pipeline, PipelineError};

/// Spaces on the columns themselves.
pub(crate) struct OnColumns<'a> {
    pub(crate) units: Units,
    pub(crate) scaling: Scaling,
    pub(crate) center: bool,
    pub(crate) dropped: &'a [usize],
}

impl OnColumns<'_> {
    /// The space of preprocessed columns, whatever the units.
    pub(crate) fn plain(&self, mut statistics: ClassStatistics) -> Space {
        let preprocessor =
            Preprocessor::dropping(&statistics, self.scaling, self.center, self.dropped);
        if let Some(preprocessor) = &preprocessor {
            preprocessor.apply(&mut statistics);
        }
        Space::plain(preprocessor, statistics)
    }
}

impl MakeSpace for OnColumns<'_> {
    fn space(&self, statistics: ClassStatistics) -> Result<Space, PipelineError> {
        finished(self.units, self.plain(statistics))
    }

    fn unit(&self, space: &Space) -> f64 {
        space.statistics.noise_scale()
    }
}

/// Spaces on principal components of preprocessed columns, which are not scaled again.
pub(crate) struct OnComponents {
    pub(crate) units: Units,
    /// The mean within-class variance of the columns over that of the components.
    pub(crate) ratio: f64,
}

impl MakeSpace for OnComponents {
    fn space(&self, statistics: ClassStatistics) -> Result<Space, PipelineError> {
        finished(self.units, Space::plain(None, statistics))
    }

    fn unit(&self, space: &Space) -> f64 {
        let ratio = if self.units == Units::WithinClass { 1.0 } else { self.ratio };
        ratio * space.statistics.noise_scale()
    }
}

/// Whitened where the units are those within classes.
pub(crate) fn finished(units: Units, space: Space) -> Result<Space, PipelineError> {
    if units != Units::WithinClass {
        return Ok(space);
    }
    let columns = space.statistics.dimension();
    space.whitened().ok_or(PipelineError::AllConstant { columns })
}

impl Pipeline {
    /// Whether the method sees class statistics with noise.
    pub(crate) fn has_noise(&self) -> bool {
        // A method that climbs the posterior of points takes the scale of the noise as it is.
        reducer_entry(self.base()).is_ok_and(|entry| {
            entry.takes(Setting::Noise) && entry.objective != Objective::LogPosterior
        })
    }

    /// Whether units and noise are found here.
    pub(crate) fn finds_noise(&self) -> bool {
        self.has_noise() && self.noise != NoiseRule::Settings
    }

    /// The units that the method and the settings allow.
    pub(crate) fn units(&self) -> Vec<Units> {
        match self.scaling {
            Some(Scaling::PerFeature) => return vec![Units::PerFeature],
            Some(Scaling::GlobalStd | Scaling::None) => return vec![Units::Common],
            None => {}
        }
        let turns = self.turns();
        Units::ALL.into_iter().filter(|&units| turns || units != Units::WithinClass).collect()
    }

    /// Whether filters may be any directions of length 1: units within classes turn columns into each other, which only a
    /// method that any linear map leaves alone allows.
    pub(crate) fn turns(&self) -> bool {
        let method = Method::named(self.base()).ok();
        let constraint = self.settings.constraint.or(method.map(|method| method.constraint));
        let invariant = match (&self.settings.distance, method) {
            (Some(distance), Some(_)) => {
                distance.claims().is_none_or(|claims| claims.linear_invariant)
            }
            (None, Some(method)) => crate::distance::Distance::named(method.distance)
                .is_ok_and(|own| own.claims().is_none_or(|claims| claims.linear_invariant)),
            (_, None) => true,
        };
        invariant && constraint.unwrap_or_default() == Constraint::Sphere
    }

    /// Whether columns are centred.
    pub(crate) fn centers(&self) -> bool {
        self.center.unwrap_or_else(|| self.finds_noise())
    }

    /// How columns are scaled in some units.
    pub(crate) fn scaling_of(&self, units: Units) -> Scaling {
        self.scaling.unwrap_or_else(|| units.scaling())
    }

    /// One arm for every unit, on the columns.
    pub(crate) fn arms<'a>(&self, repeats: &[Parts<'a>], dropped: &'a [usize]) -> Vec<Arm<'a>> {
        let units = self.units().into_iter();
        units
            .map(|units| Arm {
                units,
                repeats: repeats.to_vec(),
                makers: vec![Box::new(OnColumns {
                    units,
                    scaling: self.scaling_of(units),
                    center: self.centers(),
                    dropped,
                })],
            })
            .collect()
    }
}

/// Coordinates of points as points.
pub(crate) fn coordinates(values: &[f64], columns: usize) -> Points<'_> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    Points::F64(Table::row_major(values, rows, columns).expect("whole rows"))
}

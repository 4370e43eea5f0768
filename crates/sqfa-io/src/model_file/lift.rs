//! The lift of a model: its record in the description and its numbers among the tensors.

use serde::{Deserialize, Serialize};
use sqfa::lift::{Lift, LiftParts};

use super::{Model, ModelError};

/// What the description says of a lift.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiftRecord {
    /// The map, as in `nystroem:1000`.
    pub kind: String,
    /// The width of its kernel in units of the scaled columns; 0 where it has none.
    pub bandwidth: f64,
}

/// A part of a lift and how it is taken from the parts.
type Part = (&'static str, fn(&mut LiftParts) -> &mut Vec<f64>);

/// The tensors of a lift; those that a map does not have are left out.
const PARTS: [Part; 5] = [
    ("lift_offset", |parts| &mut parts.offset),
    ("lift_factors", |parts| &mut parts.factors),
    ("lift_anchors", |parts| &mut parts.anchors),
    ("lift_phases", |parts| &mut parts.phases),
    ("lift_whitening", |parts| &mut parts.whitening),
];

/// The parts of a lift by the names of their tensors.
pub(super) fn tensors(lift: &Lift) -> Vec<(&'static str, Vec<f64>)> {
    let mut parts = lift.parts().clone();
    let named = PARTS.iter().map(|(name, part)| (*name, std::mem::take(part(&mut parts))));
    named.filter(|(_, values)| !values.is_empty()).collect()
}

/// A lift from its record and its tensors; `find` gives the numbers of a tensor, where there is one.
pub(super) fn assembled(
    record: &LiftRecord,
    mut find: impl FnMut(&str) -> Result<Option<Vec<f64>>, String>,
) -> Result<Lift, String> {
    let kind = record.kind.parse().map_err(|error| format!("lift: {error}"))?;
    let empty = Vec::new;
    let mut parts = LiftParts {
        kind,
        bandwidth: record.bandwidth,
        offset: empty(),
        factors: empty(),
        anchors: empty(),
        phases: empty(),
        whitening: empty(),
    };
    for (name, part) in PARTS {
        *part(&mut parts) = find(name)?.unwrap_or_default();
    }
    Lift::from_parts(parts).map_err(|error| error.to_string())
}

impl Model {
    /// The same model behind a lift, whose features its filters are of; names of columns are those of the points.
    pub fn with_lift(mut self, lift: Lift) -> Result<Self, ModelError> {
        let (n, columns) = (self.filters.nrows(), lift.columns());
        if lift.dimension() != n {
            let dimension = lift.dimension();
            return Err(ModelError::inconsistent(format!(
                "the lift has {dimension} features, and the filters have {n}"
            )));
        }
        if self.description.feature_names.as_ref().is_some_and(|names| names.len() != columns) {
            return Err(ModelError::inconsistent(format!(
                "the names of its columns are not {columns}"
            )));
        }
        let parts = lift.parts();
        let record = LiftRecord { kind: parts.kind.to_string(), bandwidth: parts.bandwidth };
        self.description.lift = Some(record);
        self.lift = Some(lift);
        Ok(self)
    }

    /// The same model for points that are lifted already.
    pub fn for_lifted_points(&self) -> Self {
        Self { lift: None, ..self.clone() }
    }

    /// The map before the filters, if any.
    pub fn lift(&self) -> Option<&Lift> {
        self.lift.as_ref()
    }

    /// Columns of the points it takes.
    pub fn columns(&self) -> usize {
        self.lift.as_ref().map_or(self.filters.nrows(), Lift::columns)
    }

    /// The mean of the training points, column by column, where known.
    pub fn column_means(&self) -> Option<&[f64]> {
        match &self.lift {
            Some(lift) => Some(&lift.parts().offset),
            None => self.mean(),
        }
    }
}

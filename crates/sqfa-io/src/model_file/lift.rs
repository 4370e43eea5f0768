//! The nonlinear feature map of a model: its record in the description and its tensors.

use serde::{Deserialize, Serialize};
use sqfa::lift::{Lift, LiftParts};

use super::{Model, ModelError};

/// The record of a nonlinear feature map in the description.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiftRecord {
    /// The kind of the map, such as `nystroem:1000`.
    pub kind: String,
    /// The width of the kernel relative to the scaled columns, or 0 without a kernel.
    pub bandwidth: f64,
}

/// The name of a part of a nonlinear feature map, with a function that accesses it.
type Part = (&'static str, fn(&mut LiftParts) -> &mut Vec<f64>);

/// All possible tensors of a nonlinear feature map, of which a map has some.
const PARTS: [Part; 5] = [
    ("lift_offset", |parts| &mut parts.offset),
    ("lift_factors", |parts| &mut parts.factors),
    ("lift_anchors", |parts| &mut parts.anchors),
    ("lift_phases", |parts| &mut parts.phases),
    ("lift_whitening", |parts| &mut parts.whitening),
];

/// Returns the tensors of a nonlinear feature map with their names.
pub(super) fn tensors(lift: &Lift) -> Vec<(&'static str, Vec<f64>)> {
    let mut parts = lift.parts().clone();
    let named = PARTS.iter().map(|(name, part)| (*name, std::mem::take(part(&mut parts))));
    named.filter(|(_, values)| !values.is_empty()).collect()
}

/// Creates a nonlinear feature map from its record and its tensors. `find` returns the values of a
/// tensor, if it exists.
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
    /// Adds a nonlinear feature map. The filters of the model are applied to its output, while the
    /// names of columns are those of its input.
    ///
    /// # Errors
    ///
    /// If the output of the map does not match the filters.
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

    /// Returns the model without its nonlinear feature map, for samples to which the map was
    /// already applied.
    pub fn for_lifted_points(&self) -> Self {
        Self { lift: None, ..self.clone() }
    }

    /// Returns the nonlinear feature map that is applied before the filters, if any.
    pub fn lift(&self) -> Option<&Lift> {
        self.lift.as_ref()
    }

    /// Returns the number of columns of the samples that the model accepts.
    pub fn columns(&self) -> usize {
        self.lift.as_ref().map_or(self.filters.nrows(), Lift::columns)
    }

    /// Returns the mean of the training samples in each column, or `None` if it is unknown.
    pub fn column_means(&self) -> Option<&[f64]> {
        match &self.lift {
            Some(lift) => Some(&lift.parts().offset),
            None => self.mean(),
        }
    }
}

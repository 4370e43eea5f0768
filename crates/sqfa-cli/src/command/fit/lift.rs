//! The lift of a fit: points become nonlinear features before anything else sees them.

use anyhow::{Context, Result, bail};
use sqfa::Points;
use sqfa::lift::{Lift, LiftRecipe};
use sqfa::transform::Features;
use sqfa_io::data::{LabeledData, Loaded, OwnedPoints, Part};

use crate::data::available_memory;
use crate::output;
use crate::progress::StatusLine;

/// Bytes in a GB.
const GIGA: f64 = 1e9;

/// Learns the map on the training points and applies it to them and to the test points.
pub(super) fn apply(
    recipe: Option<LiftRecipe>,
    loaded: Loaded,
    line: &StatusLine,
) -> Result<(Loaded, Option<Lift>)> {
    let Some(recipe) = recipe else { return Ok((loaded, None)) };
    let Loaded::Data(data) = loaded else {
        bail!(
            "--lift {} maps points, and DATA came as class statistics or was too large to be read whole: \
             give points that fit into memory, or lift batches in Python (sqfa_rs.Lift, ClassAccumulator)",
            recipe.kind
        );
    };
    check_room(recipe, &data)?;
    line.tell(&format!("lift {}", recipe.kind));
    let lift = recipe.fit(data.train.points.view())?;
    let (columns, dimension) = (lift.columns(), lift.dimension());
    let width = lift.parts().bandwidth;
    let width = if width > 0.0 { format!(", bandwidth {width:.4}") } else { String::new() };
    output::complain(
        "note",
        &format!("lift {}: {columns} columns → {dimension} features{width}", recipe.kind),
    );
    let lifted = |part: Part| -> Result<Part> {
        let Part { points, labels } = part;
        Ok(Part { points: mapped(&lift, &points)?, labels })
    };
    let train = lifted(data.train)?;
    let test = data.test.map(lifted).transpose()?;
    // Features are no pixels.
    Ok((Loaded::Data(LabeledData { train, test, image_shape: None, ..data }), Some(lift)))
}

fn mapped(lift: &Lift, points: &OwnedPoints) -> Result<OwnedPoints> {
    let (rows, dimension) = (points.rows(), lift.dimension());
    let owned = match lift.apply(points.view())? {
        Features::F32(values) => OwnedPoints::from_f32(values, rows, dimension),
        Features::F64(values) => OwnedPoints::from_f64(values, rows, dimension),
    };
    owned.context("the transformed samples changed their number")
}

/// Returns an error if the features of a nonlinear map, or their class statistics, would not fit into memory.
fn check_room(recipe: LiftRecipe, data: &LabeledData) -> Result<()> {
    let columns = data.train.points.columns();
    let rows = data.train.points.rows() + data.test.as_ref().map_or(0, |test| test.points.rows());
    let width = if matches!(data.train.points.view(), Points::F64(_)) { 8.0 } else { 4.0 };
    let Some(dimension) = recipe.kind.dimension(columns) else {
        bail!("--lift {} of {columns} columns has more features than can be counted", recipe.kind);
    };
    let classes = data.train.labels.classes().len();
    let (count, size) = (rows as f64, dimension as f64);
    // Features, what makes them, and the sums of every class.
    let needed = width * count * size + 8.0 * size * (columns as f64 + classes as f64 * size);
    if let Some(available) = available_memory()?
        && needed > available as f64
    {
        bail!(
            "--lift {}: {rows} points of {dimension} features and the sums of {classes} classes take {:.1} GB, \
             and {:.1} GB are at hand: ask for fewer features, or choose fewer --columns",
            recipe.kind,
            needed / GIGA,
            available as f64 / GIGA
        );
    }
    Ok(())
}

//! How wide QDA accuracies are over starts: the second-largest less the second-smallest.

use super::Evidence;
use crate::printed::method;
use crate::{Pair, PaperError, Printed, Sheet};

/// Fewer values than this have no second-smallest below a second-largest.
const FEWEST: usize = 4;

/// The table over data sets.
pub fn variability(all: &[Evidence]) -> Result<Sheet, PaperError> {
    let name = "variability";
    let printed = Printed::named(name)
        .ok_or_else(|| PaperError::numbers(name, "its printed table cannot be read"))?;
    let mut rows = Vec::new();
    for evidence in all {
        for &m in evidence.protocol.filters.iter().filter(|&&m| evidence.has(m)) {
            let title = evidence.protocol.title;
            let pair = |column: &String| Pair {
                ours: method(column).and_then(|method| {
                    let all = evidence.of(method, m);
                    let shares = all.iter().filter_map(|judged| judged.accuracy("qda"));
                    width(shares.map(|share| 100.0 * share).collect())
                }),
                printed: printed.get(m, title, column),
            };
            rows.push((format!("{title} m = {m}"), printed.columns.iter().map(pair).collect()));
        }
    }
    Ok(Sheet {
        name: name.into(),
        title: "Width of QDA accuracies over starts (%)".into(),
        notes: vec![format!("second-largest less second-smallest; at least {FEWEST} seeds")],
        columns: printed.columns.clone(),
        rows,
        digits: 1,
    })
}

/// The second-largest less the second-smallest.
fn width(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    (count >= FEWEST).then(|| values[count - 2] - values[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_leave_out_both_ends() {
        assert_eq!(width(vec![1.0, 2.0, 3.0]), None);
        assert_eq!(width((0..10).map(f64::from).collect()), Some(7.0));
        assert_eq!(width(vec![9.0, 2.0, -50.0, 2.5]), Some(0.5));
    }
}

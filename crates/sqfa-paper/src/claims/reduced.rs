//! SQFA on the data that slow methods get: 200 principal components, 500 points of every class.

use sqfa::reduce::balanced_rows;
use sqfa::{ClassStatistics, Estimator, Mat};

use sqfa::optimize::Observer;

use super::{Claim, Problem};
use crate::PaperError;
use crate::tables::median;
use sqfa_lab::evaluation::features;

/// Principal components.
const COMPONENTS: usize = 200;
/// Points of every class.
const PER_CLASS: usize = 500;
/// Medians that differ by no more are similar, in points.
const SIMILAR: f64 = 2.0;

/// SQFA's accuracy is similar on the reduced data.
pub(super) fn reduced(
    problem: &Problem<'_>,
    starts: u64,
    observer: &mut Observer<'_>,
) -> Result<Claim, PaperError> {
    let count = COMPONENTS.min(problem.statistics.dimension());
    let (basis, _) =
        problem.statistics.principal_components(count).map_err(|error| problem.fail(error))?;
    let rows = balanced_rows(&problem.train.labels, PER_CLASS, 0);
    let points = problem.train.points.select(&rows);
    let features = features(points.view(), problem.preprocessor.as_ref(), basis.as_ref());
    let labels = problem.train.labels.select(&rows);
    let few =
        ClassStatistics::from_points(features.as_points(count), &labels, Estimator::Empirical)
            .map_err(|error| problem.fail(error))?;
    let (mut whole, mut less) = (Vec::new(), Vec::new());
    for seed in 0..starts.max(1) {
        let settings = problem.settings(seed);
        let fitted =
            problem.fit_on(&problem.statistics, "sqfa", &settings, problem.filters, observer)?;
        whole.push(problem.accuracy(fitted.filters.as_ref())?);
        let fitted = problem.fit_on(&few, "sqfa", &settings, problem.filters, observer)?;
        let lifted: Mat<f64> = &basis * &fitted.filters;
        less.push(problem.accuracy(lifted.as_ref())?);
    }
    let of = |values| median(values).unwrap_or(f64::NAN);
    let (whole, less) = (of(whole), of(less));
    Ok(Claim {
        name: "reduced-data".into(),
        place: problem.title.into(),
        statement: format!(
            "SQFA performs similarly on {COMPONENTS} principal components and {PER_CLASS} points of every class."
        ),
        measured: vec![
            ("accuracy on all data (%)".into(), whole),
            ("on reduced data (%)".into(), less),
            ("training points".into(), rows.len() as f64),
            ("dimensions".into(), count as f64),
            ("difference".into(), less - whole),
        ],
        rule: format!("medians within {SIMILAR} points"),
        holds: (less - whole).abs() <= SIMILAR,
    })
}

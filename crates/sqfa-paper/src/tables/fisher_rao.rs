//! The mean exact Fisher–Rao distance of classes in every method's features.
//!
//! Filters of the first seed, class statistics of the whole training set with divisor N − 1, and the noise
//! that was chosen for SQFA with as many filters added to every method's covariances.

use sqfa::Gaussians;
use sqfa::fisher_rao::{FisherRaoOptions, fisher_rao_pairwise};

use super::ALL_SETS;
use crate::fits::Fits;
use crate::printed::method;
use crate::{
    About, Context, Item, ItemKind, Made, Needs, Options, OursAndPrinted, PaperError, Printed,
    Table,
};

/// SQFA on the exact distance, which has a column where it was asked for by name.
const EXACT: &str = "sqfa-fr";
const PRINTED: &str = include_str!("../printed/fr_distance.csv");

/// The table over data sets.
pub(crate) struct FisherRaoMeans;

impl Item for FisherRaoMeans {
    fn about(&self) -> About {
        About {
            name: "fr-distance",
            kind: ItemKind::Table,
            paper: "Table 5",
            title: "mean exact Fisher–Rao distance",
            takes: "minutes",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        options.of_sets(&ALL_SETS)
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let printed = Printed::parse(PRINTED)?;
        let all = context.shared_fits(self, |cells| {
            let own = cells.of_methods(&printed.methods()).printed_in(&printed);
            let mut cells = own.first_seed();
            if context.options.names_method(EXACT) {
                cells.methods.push(EXACT.to_owned());
            }
            cells
        })?;
        let mut columns = printed.columns.clone();
        columns.push("SQFA-FR".to_owned());
        let mut rows = Vec::new();
        for fits in &all {
            let title = fits.protocol.title;
            for m in fits.filters() {
                let listed = printed.rows.iter().any(|row| row.0 == m && row.1 == title);
                let Some(noise) = noise(fits, m).filter(|_| listed) else { continue };
                let mut pairs = Vec::new();
                for column in &columns {
                    let own = method(column).and_then(|method| gaussians(fits, method, m, noise));
                    let ours = match own {
                        Some(gaussians) => Some(mean(&gaussians?)?),
                        None => None,
                    };
                    pairs.push(OursAndPrinted { ours, printed: printed.get(m, title, column) });
                }
                rows.push((format!("{} m = {m}", fits.title), pairs));
            }
        }
        Ok(Made::Table(Table {
            name: self.about().name.into(),
            title: "Mean exact Fisher–Rao distance of classes".into(),
            notes: vec![
                "columns name what was maximized; the noise of SQFA is added to all".into(),
                "SQFA-FR maximizes the exact distance itself and is not in the paper".into(),
            ],
            columns,
            rows,
            digits: 2,
        }))
    }
}

/// The noise that was used for SQFA with so many filters.
pub(crate) fn noise(fits: &Fits, filters: usize) -> Option<f64> {
    fits.of("sqfa", filters).first()?.setting(sqfa::reduce::Setting::Noise)
}

/// The classes in the features of a method's first seed, noise added; none when it has not been run.
pub(crate) fn gaussians(
    fits: &Fits,
    method: &str,
    filters: usize,
    noise: f64,
) -> Option<Result<Gaussians, PaperError>> {
    let all = fits.of(method, filters);
    let detail = all.first()?.detail.as_ref()?;
    let mut covariances = detail.covariances.to_f64();
    let counts = fits.learned_counts();
    for (matrix, count) in covariances.chunks_exact_mut(filters * filters).zip(counts) {
        // Records keep the divisor N.
        let unbiased = count as f64 / (count as f64 - 1.0).max(1.0);
        for (at, value) in matrix.iter_mut().enumerate() {
            *value = *value * unbiased + if at % (filters + 1) == 0 { noise } else { 0.0 };
        }
    }
    let built = Gaussians::new(filters, detail.means.to_f64(), covariances);
    Some(built.map_err(|error| PaperError::numbers(format!("features of {method}"), error)))
}

fn mean(gaussians: &Gaussians) -> Result<f64, PaperError> {
    let options = FisherRaoOptions::default();
    let pairs = fisher_rao_pairwise(gaussians, &options, &[])
        .map_err(|error| PaperError::numbers("Fisher–Rao distances", error))?;
    Ok(pairs.iter().map(|pair| pair.distance).sum::<f64>() / pairs.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_column_is_a_method_that_is_run() {
        let printed = Printed::parse(PRINTED).unwrap();
        let known = |column: &String| method(column).is_some();
        assert!(printed.columns.iter().all(known));
        // Read off the paper.
        assert_eq!(printed.get(4, "Speed", "Jeffreys"), Some(3.91));
    }
}

//! The mean exact Fisher–Rao distance of classes in every method's features.
//!
//! Filters of the first seed, class statistics of the whole training set with divisor N − 1, and the noise
//! that was chosen for SQFA with as many filters added to every method's covariances.

use sqfa::Gaussians;
use sqfa::fisher_rao::{FisherRaoOptions, fisher_rao_pairwise};

use super::Evidence;
use crate::printed::method;
use crate::{Pair, PaperError, Printed, Sheet};

/// The table over data sets; a column for SQFA on the exact distance where it has been run.
pub fn fisher_rao_means(all: &[Evidence]) -> Result<Sheet, PaperError> {
    let name = "fr-distance";
    let printed = Printed::named(name)
        .ok_or_else(|| PaperError::numbers(name, "its printed table cannot be read"))?;
    let mut columns = printed.columns.clone();
    columns.push("SQFA-FR".to_owned());
    let mut rows = Vec::new();
    for evidence in all {
        let title = evidence.protocol.title;
        for &m in evidence.protocol.filters.iter().filter(|&&m| evidence.has(m)) {
            let Some(noise) = noise(evidence, m) else { continue };
            let mut pairs = Vec::new();
            for column in &columns {
                let own = method(column).and_then(|method| gaussians(evidence, method, m, noise));
                let ours = match own {
                    Some(gaussians) => Some(mean(&gaussians?)?),
                    None => None,
                };
                pairs.push(Pair { ours, printed: printed.get(m, title, column) });
            }
            rows.push((format!("{title} m = {m}"), pairs));
        }
    }
    Ok(Sheet {
        name: name.into(),
        title: "Mean exact Fisher–Rao distance of classes".into(),
        notes: vec![
            "columns name what was maximised; the noise of SQFA is added to all".into(),
            "SQFA-FR maximises the exact distance itself and is not in the paper".into(),
        ],
        columns,
        rows,
        digits: 2,
    })
}

/// The noise that was used for SQFA with so many filters.
pub(crate) fn noise(evidence: &Evidence, filters: usize) -> Option<f64> {
    evidence.of("sqfa", filters).first()?.setting(sqfa::reduce::Setting::Noise)
}

/// The classes in the features of a method's first seed, noise added; none when it has not been run.
pub(crate) fn gaussians(
    evidence: &Evidence,
    method: &str,
    filters: usize,
    noise: f64,
) -> Option<Result<Gaussians, PaperError>> {
    let all = evidence.of(method, filters);
    let detail = all.first()?.detail.as_ref()?;
    let mut covariances = detail.covariances.to_f64();
    let counts = &evidence.facts.train_counts;
    for (matrix, &count) in covariances.chunks_exact_mut(filters * filters).zip(counts) {
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

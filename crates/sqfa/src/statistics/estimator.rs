//! How a class covariance is estimated from its scatter.

use std::str::FromStr;

use crate::names::nearest;

/// A covariance estimator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimator {
    /// The sample covariance with divisor N − 1.
    #[default]
    Empirical,
    /// Oracle-approximating shrinkage towards a multiple of the identity.
    ///
    /// ρ = min(1, [(1−2/p) tr S² + tr² S] / [(N+1−2/p)(tr S² − tr² S/p)]), as in Chen, Wiesel, Eldar &
    /// Hero, *IEEE Trans. Signal Processing* 58, 2010. (scikit-learn drops the 2/p terms and divides by N.)
    Oas,
}

/// The estimators by name.
pub const ESTIMATORS: [(&str, Estimator); 2] =
    [("empirical", Estimator::Empirical), ("oas", Estimator::Oas)];

impl Estimator {
    /// Its name in every flag, file and message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empirical => "empirical",
            Self::Oas => "oas",
        }
    }

    /// Shrinks a covariance given by its lower triangle.
    pub(crate) fn shrink(self, lower: &mut [f64], p: usize, count: u64) {
        if self == Self::Empirical {
            return;
        }
        let mut trace = 0.0;
        let mut square = 0.0;
        for i in 0..p {
            let row = &lower[i * p..][..=i];
            trace += row[i];
            square += row[i] * row[i] + 2.0 * row[..i].iter().map(|x| x * x).sum::<f64>();
        }
        let dimension = p as f64;
        let spread = square - trace * trace / dimension;
        let rho = if spread <= 0.0 {
            1.0
        } else {
            (((1.0 - 2.0 / dimension) * square + trace * trace)
                / ((count as f64 + 1.0 - 2.0 / dimension) * spread))
                .clamp(0.0, 1.0)
        };
        for i in 0..p {
            for value in &mut lower[i * p..][..=i] {
                *value *= 1.0 - rho;
            }
            lower[i * p + i] += rho * trace / dimension;
        }
    }
}

impl FromStr for Estimator {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let known = ESTIMATORS.iter().map(|(name, _)| *name);
        ESTIMATORS.iter().find(|(known, _)| *known == name).map(|(_, estimator)| *estimator).ok_or_else(
            || {
                let choices = known.clone().collect::<Vec<_>>().join(", ");
                match nearest(name, known) {
                    Some(near) => format!(
                        "unknown covariance estimator '{name}' (did you mean '{near}'?): choose one of {choices}"
                    ),
                    None => format!(
                        "unknown covariance estimator '{name}': choose one of {choices}"
                    ),
                }
            },
        )
    }
}

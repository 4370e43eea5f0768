//! How a class covariance is estimated from its scatter.
//!
//! All shrink the sample covariance S (divisor N − 1) towards a multiple of the identity,
//! (1 − s)S + s(tr S/p)I, and differ in s.

use std::fmt;
use std::str::FromStr;

use super::error::StatisticsError;
use crate::names::chosen;

/// A covariance estimator.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Estimator {
    /// The sample covariance with divisor N − 1.
    #[default]
    Empirical,
    /// Oracle-approximating shrinkage towards a multiple of the identity.
    ///
    /// ρ = min(1, [(1−2/p) tr S² + tr² S] / [(N+1−2/p)(tr S² − tr² S/p)]), as in Chen, Wiesel, Eldar &
    /// Hero, *IEEE Trans. Signal Processing* 58, 2010. (scikit-learn drops the 2/p terms and divides by N.)
    Oas,
    /// Ledoit–Wolf shrinkage towards a multiple of the identity.
    ///
    /// With S = scatter/N, δ = (‖S‖² − tr² S/p)/p and β = (Σ|y|⁴/N − ‖S‖²)/(pN) it is min(β, δ)/δ, as in
    /// Ledoit & Wolf, *J. Multivariate Analysis* 88, 2004, and in scikit-learn (whose result has divisor N).
    LedoitWolf,
    /// A share s of a multiple of the identity, 0 ≤ s ≤ 1: (1 − s)S + s(tr S/p)I.
    Shrinkage(f64),
}

/// The estimators by name; a fixed shrinkage is given by its number.
pub const ESTIMATORS: [(&str, Estimator); 3] = [
    ("empirical", Estimator::Empirical),
    ("oas", Estimator::Oas),
    ("ledoit-wolf", Estimator::LedoitWolf),
];

/// What an estimator looks at: N, p, tr S, tr S² (divisor N − 1), and Σ|y|⁴ where it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    pub(super) count: f64,
    pub(super) dimension: f64,
    pub(super) trace: f64,
    pub(super) square: f64,
    pub(super) quartic: Option<f64>,
}

impl Estimator {
    /// What it is called; a fixed shrinkage is "shrinkage" whatever its number, which [`fmt::Display`] shows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empirical => "empirical",
            Self::Oas => "oas",
            Self::LedoitWolf => "ledoit-wolf",
            Self::Shrinkage(_) => "shrinkage",
        }
    }

    /// Whether it needs Σ|y|⁴.
    pub(super) fn needs_quartic(self) -> bool {
        self == Self::LedoitWolf
    }

    /// Whether it needs tr S and tr S².
    pub(super) fn needs_square(self) -> bool {
        matches!(self, Self::Oas | Self::LedoitWolf)
    }

    /// Refuses a shrinkage outside 0 to 1.
    pub(super) fn check(self) -> Result<(), StatisticsError> {
        match self {
            Self::Shrinkage(share) if !(0.0..=1.0).contains(&share) => {
                Err(StatisticsError::Shrinkage { share })
            }
            _ => Ok(()),
        }
    }

    /// s; `None` when the evidence lacks Σ|y|⁴.
    pub(super) fn intensity(self, evidence: Evidence) -> Option<f64> {
        let Evidence { count, dimension, trace, square, quartic } = evidence;
        let spread = square - trace * trace / dimension;
        Some(match self {
            Self::Empirical => 0.0,
            Self::Shrinkage(share) => share,
            _ if spread <= 0.0 => 1.0,
            Self::Oas => {
                let above = (1.0 - 2.0 / dimension) * square + trace * trace;
                (above / ((count + 1.0 - 2.0 / dimension) * spread)).clamp(0.0, 1.0)
            }
            Self::LedoitWolf => {
                // tr S² with divisor N instead of N − 1.
                let other_divisor = ((count - 1.0) / count).powi(2);
                let delta = spread * other_divisor / dimension;
                let beta = (quartic? / count - square * other_divisor) / (dimension * count);
                (beta / delta).clamp(0.0, 1.0)
            }
        })
    }

    /// Shrinks a covariance given by its lower triangle; returns s, or `None` without the sums it needs.
    pub(super) fn shrink(
        self,
        lower: &mut [f64],
        p: usize,
        count: u64,
        quartic: Option<f64>,
    ) -> Option<f64> {
        if self == Self::Empirical {
            return Some(0.0);
        }
        let mut trace = 0.0;
        let mut square = 0.0;
        for i in 0..p {
            let row = &lower[i * p..][..=i];
            trace += row[i];
            square += row[i] * row[i] + 2.0 * row[..i].iter().map(|x| x * x).sum::<f64>();
        }
        let dimension = p as f64;
        let count = count as f64;
        let share = self.intensity(Evidence { count, dimension, trace, square, quartic })?;
        for i in 0..p {
            for value in &mut lower[i * p..][..=i] {
                *value *= 1.0 - share;
            }
            lower[i * p + i] += share * trace / dimension;
        }
        Some(share)
    }
}

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shrinkage(share) => write!(f, "shrinkage={share}"),
            other => f.write_str(other.name()),
        }
    }
}

impl FromStr for Estimator {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = match chosen("covariance estimator", text, &ESTIMATORS) {
            Ok(estimator) => return Ok(estimator),
            Err(unknown) => unknown,
        };
        let number = text.strip_prefix("shrinkage=").unwrap_or(text);
        if let Ok(share) = number.parse::<f64>() {
            let estimator = Self::Shrinkage(share);
            return estimator.check().map(|()| estimator).map_err(|error| error.to_string());
        }
        Err(format!("{unknown}, or a share of shrinkage between 0 and 1"))
    }
}

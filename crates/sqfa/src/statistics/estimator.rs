//! Estimators of class covariances.
//!
//! Estimators that need only sums start from the sample covariance S (divisor N − 1) and shrink it towards a multiple
//! of the identity, (1 − s)S + s(tr S/p)I; they differ in s. The robust estimators (`crate::robust`) need the samples,
//! because they read each of them several times.

use std::fmt;
use std::str::FromStr;

use super::error::StatisticsError;
use crate::linalg::{Lower, lower_rows};
use crate::names::chosen;
use crate::robust::{RobustError, oracle_approximating, squared_norm};

/// A covariance estimator.
///
/// ```
/// use sqfa::Estimator;
///
/// let estimator: Estimator = "mcd:0.75".parse()?;
/// assert_eq!(estimator, Estimator::Mcd(0.75));
/// assert!(estimator.needs_points());
/// // A number alone is a fixed shrinkage.
/// assert_eq!("0.1".parse(), Ok(Estimator::Shrinkage(0.1)));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Estimator {
    /// The sample covariance with divisor N − 1.
    #[default]
    Empirical,
    /// Oracle-approximating shrinkage towards a multiple of the identity.
    ///
    /// Reference: Chen, Wiesel, Eldar & Hero, *IEEE Trans. Signal Processing* 58, 2010. (scikit-learn omits the 2/p
    /// terms of the fraction and divides by N.)
    Oas,
    /// Ledoit–Wolf shrinkage towards a multiple of the identity.
    ///
    /// With S = scatter/N, δ = (‖S‖² − tr² S/p)/p and β = (Σ|y|⁴/N − ‖S‖²)/(pN), the fraction is min(β, δ)/δ, as in
    /// Ledoit & Wolf, *J. Multivariate Analysis* 88, 2004, and in scikit-learn (whose covariance has divisor N).
    LedoitWolf,
    /// Fixed shrinkage by a fraction s, 0 ≤ s ≤ 1: (1 − s)S + s(tr S/p)I.
    Shrinkage(f64),
    /// Location and scatter of a t distribution with the specified degrees of freedom, at least 1. With `None`, they
    /// are estimated by maximum likelihood for all classes together. Needs the samples.
    StudentT(Option<f64>),
    /// Tyler's scatter matrix, scaled by the median distance. Needs the samples.
    Tyler,
    /// Reweighted minimum covariance determinant. The parameter is the fraction of samples that are not outliers, above
    /// 0.5. Needs the samples.
    Mcd(f64),
}

/// Estimators without a number, by name. [`Estimator::SPELLINGS`] lists all accepted spellings.
pub const ESTIMATORS: [(&str, Estimator); 5] = [
    ("empirical", Estimator::Empirical),
    ("oas", Estimator::Oas),
    ("ledoit-wolf", Estimator::LedoitWolf),
    ("t:auto", Estimator::StudentT(None)),
    ("tyler", Estimator::Tyler),
];

/// Input of the shrinkage formulas: N, p, tr S, tr S² (divisor N − 1), and Σ|y|⁴ if it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScatterMoments {
    pub(super) count: f64,
    pub(super) dimension: f64,
    pub(super) trace: f64,
    pub(super) square: f64,
    pub(super) quartic: Option<f64>,
}

impl Estimator {
    /// All accepted spellings with a description of each, for help texts.
    pub const SPELLINGS: [(&str, &str); 7] = [
        ("empirical", "the sample covariance"),
        ("oas", "oracle-approximating shrinkage"),
        ("ledoit-wolf", "Ledoit–Wolf shrinkage"),
        ("t:NU", "scatter of a t distribution with NU ≥ 1 degrees of freedom (robust)"),
        ("t:auto", "t:NU with NU estimated by maximum likelihood (robust)"),
        ("tyler", "Tyler's scatter matrix, scaled by the median distance (robust)"),
        ("mcd:SHARE", "minimum covariance determinant of a fraction SHARE > 0.5 (robust)"),
    ];

    /// Whether the estimator reads individual samples several times, so that class statistics are not enough.
    pub fn needs_points(self) -> bool {
        matches!(self, Self::StudentT(_) | Self::Tyler | Self::Mcd(_))
    }

    /// Whether sums of samples and their products are not enough: the estimator needs the samples themselves or Σ|y|⁴.
    pub fn needs_samples(self) -> bool {
        self.needs_points() || self == Self::LedoitWolf
    }

    /// Returns the name of the estimator without its parameter; a fixed shrinkage is "shrinkage". [`fmt::Display`]
    /// includes the parameter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empirical => "empirical",
            Self::Oas => "oas",
            Self::LedoitWolf => "ledoit-wolf",
            Self::Shrinkage(_) => "shrinkage",
            Self::StudentT(_) => "t",
            Self::Tyler => "tyler",
            Self::Mcd(_) => "mcd",
        }
    }

    /// Whether the estimator needs tr S and tr S².
    pub(super) fn needs_square(self) -> bool {
        matches!(self, Self::Oas | Self::LedoitWolf)
    }

    /// Returns an error if the parameter is outside its range.
    pub(super) fn check(self) -> Result<(), StatisticsError> {
        match self {
            Self::Shrinkage(share) if !(0.0..=1.0).contains(&share) => {
                Err(StatisticsError::Shrinkage { share })
            }
            Self::StudentT(Some(degrees)) if !(degrees.is_finite() && degrees >= 1.0) => {
                Err(StatisticsError::Robust(RobustError::Degrees { degrees }))
            }
            Self::Mcd(share) if !(share > 0.5 && share <= 1.0) => {
                Err(StatisticsError::Robust(RobustError::Support { share }))
            }
            _ => Ok(()),
        }
    }

    /// Returns the fraction s, or `None` if the estimator needs samples or Σ|y|⁴ and the moments lack it.
    pub(super) fn intensity(self, moments: ScatterMoments) -> Option<f64> {
        let ScatterMoments { count, dimension, trace, square, quartic } = moments;
        let spread = square - trace * trace / dimension;
        Some(match self {
            Self::Empirical => 0.0,
            Self::Shrinkage(share) => share,
            _ if spread <= 0.0 => 1.0,
            Self::Oas => oracle_approximating(count, dimension, trace, square),
            Self::LedoitWolf => {
                // tr S² with divisor N instead of N − 1.
                let other_divisor = ((count - 1.0) / count).powi(2);
                let delta = spread * other_divisor / dimension;
                let beta = (quartic? / count - square * other_divisor) / (dimension * count);
                (beta / delta).clamp(0.0, 1.0)
            }
            Self::StudentT(_) | Self::Tyler | Self::Mcd(_) => return None,
        })
    }

    /// Shrinks a covariance in place and returns the fraction s, or `None` if the estimator needs samples. `lower` is
    /// the lower triangle.
    pub(super) fn shrink(self, lower: &mut [f64], p: usize, count: u64) -> Option<f64> {
        if self == Self::Empirical {
            return Some(0.0);
        }
        let entries = Lower::new(lower, p);
        let (trace, square) = (entries.diagonal().sum::<f64>(), squared_norm(entries));
        let dimension = p as f64;
        let count = count as f64;
        let moments = ScatterMoments { count, dimension, trace, square, quartic: None };
        let share = self.intensity(moments)?;
        lower_rows(lower, p, |i, row| {
            row.iter_mut().for_each(|value| *value *= 1.0 - share);
            row[i] += share * trace / dimension;
        });
        Some(share)
    }
}

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shrinkage(share) => write!(f, "shrinkage={share}"),
            Self::StudentT(Some(degrees)) => write!(f, "t:{degrees}"),
            Self::StudentT(None) => f.write_str("t:auto"),
            Self::Mcd(share) => write!(f, "mcd:{share}"),
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
        if let Some((name, number)) = text.split_once(':') {
            let build: fn(f64) -> Self = match name {
                "t" => |degrees| Self::StudentT(Some(degrees)),
                "mcd" => Self::Mcd,
                _ => return Err(format!("{unknown}, or a shrinkage between 0 and 1")),
            };
            let number = number.parse().map_err(|_| {
                format!("'{text}' needs a number after the colon, as in t:5 or mcd:0.75")
            })?;
            let estimator = build(number);
            return estimator.check().map(|()| estimator).map_err(|error| error.to_string());
        }
        if text == "t" || text == "mcd" {
            let example = if text == "t" { "t:5, or t:auto" } else { "mcd:0.75" };
            return Err(format!("covariance estimator '{text}' needs a number, as in {example}"));
        }
        let number = text.strip_prefix("shrinkage=").unwrap_or(text);
        if let Ok(share) = number.parse::<f64>() {
            let estimator = Self::Shrinkage(share);
            return estimator.check().map(|()| estimator).map_err(|error| error.to_string());
        }
        Err(format!("{unknown}, or a shrinkage between 0 and 1"))
    }
}

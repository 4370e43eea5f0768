//! How a class covariance is estimated.
//!
//! From sums: the sample covariance S (divisor N − 1), shrunk towards a multiple of the identity, (1 − s)S + s(tr S/p)I;
//! the estimators differ in s. From points alone: the robust ones (`crate::robust`), which look at every point several times.

use std::fmt;
use std::str::FromStr;

use super::error::StatisticsError;
use crate::linalg::{Lower, lower_rows};
use crate::names::chosen;
use crate::robust::{RobustError, oracle_approximating, squared_norm};

/// A covariance estimator.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Estimator {
    /// The sample covariance with divisor N − 1.
    #[default]
    Empirical,
    /// Oracle-approximating shrinkage towards a multiple of the identity.
    ///
    /// Chen, Wiesel, Eldar & Hero, *IEEE Trans. Signal Processing* 58, 2010. (scikit-learn drops the 2/p terms of
    /// its share and divides by N.)
    Oas,
    /// Ledoit–Wolf shrinkage towards a multiple of the identity.
    ///
    /// With S = scatter/N, δ = (‖S‖² − tr² S/p)/p and β = (Σ|y|⁴/N − ‖S‖²)/(pN) it is min(β, δ)/δ, as in
    /// Ledoit & Wolf, *J. Multivariate Analysis* 88, 2004, and in scikit-learn (whose result has divisor N).
    LedoitWolf,
    /// A share s of a multiple of the identity, 0 ≤ s ≤ 1: (1 − s)S + s(tr S/p)I.
    Shrinkage(f64),
    /// Mean and scatter of a t distribution with so many degrees of freedom, at least 1; without a number they are the
    /// likeliest for all classes together. Needs points.
    StudentT(Option<f64>),
    /// Tyler's scatter, with its scale from the median distance. Needs points.
    Tyler,
    /// The reweighted minimum covariance determinant; the share of points that are no outliers, above 0.5. Needs points.
    Mcd(f64),
}

/// The estimators by name; those with a number are in [`Estimator::SPELLINGS`].
pub const ESTIMATORS: [(&str, Estimator); 5] = [
    ("empirical", Estimator::Empirical),
    ("oas", Estimator::Oas),
    ("ledoit-wolf", Estimator::LedoitWolf),
    ("t:auto", Estimator::StudentT(None)),
    ("tyler", Estimator::Tyler),
];

/// What an estimator looks at: N, p, tr S, tr S² (divisor N − 1), and Σ|y|⁴ where it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScatterMoments {
    pub(super) count: f64,
    pub(super) dimension: f64,
    pub(super) trace: f64,
    pub(super) square: f64,
    pub(super) quartic: Option<f64>,
}

impl Estimator {
    /// Every spelling with what it is, for help texts.
    pub const SPELLINGS: [(&str, &str); 7] = [
        ("empirical", "the sample covariance"),
        ("oas", "shrunk by the oracle-approximating share"),
        ("ledoit-wolf", "shrunk by Ledoit and Wolf's share"),
        ("t:NU", "scatter of a t distribution with NU ≥ 1 degrees of freedom: outliers count less"),
        ("t:auto", "the same with the likeliest degrees of freedom"),
        ("tyler", "by the directions of points alone, scale from the median"),
        ("mcd:SHARE", "of the SHARE > 0.5 of points that lie closest together"),
    ];

    /// Whether it looks at single points, so that sums are not enough.
    pub fn needs_points(self) -> bool {
        matches!(self, Self::StudentT(_) | Self::Tyler | Self::Mcd(_))
    }

    /// Whether class sums are not enough: it looks at single points, or needs Σ|y|⁴.
    pub fn needs_samples(self) -> bool {
        self.needs_points() || self == Self::LedoitWolf
    }

    /// What it is called; a fixed shrinkage is "shrinkage" whatever its number, which [`fmt::Display`] shows.
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

    /// Whether it needs tr S and tr S².
    pub(super) fn needs_square(self) -> bool {
        matches!(self, Self::Oas | Self::LedoitWolf)
    }

    /// Refuses a number outside its range.
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

    /// Returns s, or `None` for an estimator that needs samples or Σ|y|⁴ that the moments lack.
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

    /// Shrinks a covariance given by its lower triangle; returns s, or `None` for an estimator that needs samples.
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
                _ => return Err(format!("{unknown}, or a share of shrinkage between 0 and 1")),
            };
            let number = number.parse().map_err(|_| {
                format!("'{text}' needs a number after the colon, as in t:5 or mcd:0.75")
            })?;
            let estimator = build(number);
            return estimator.check().map(|()| estimator).map_err(|error| error.to_string());
        }
        if text == "t" || text == "mcd" {
            let example = if text == "t" { "t:5, or t:auto" } else { "mcd:0.75" };
            return Err(format!("covariance estimator '{text}' takes a number, as in {example}"));
        }
        let number = text.strip_prefix("shrinkage=").unwrap_or(text);
        if let Ok(share) = number.parse::<f64>() {
            let estimator = Self::Shrinkage(share);
            return estimator.check().map(|()| estimator).map_err(|error| error.to_string());
        }
        Err(format!("{unknown}, or a share of shrinkage between 0 and 1"))
    }
}

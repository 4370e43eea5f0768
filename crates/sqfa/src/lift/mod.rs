//! Nonlinear feature maps that are applied before linear filters. A map is learned once from samples and a seed.
//!
//! Let x̃ be the centered and scaled columns and h the bandwidth.
//!
//! - `quadratic` gives x̃_i and x̃_ix̃_j (i ≤ j).
//! - `fourier:D` gives √(2/D)·cos(wᵀx̃/h + b) with normal w and uniform b. The inner products of these features are on
//!   average the Gaussian kernel exp(−|x̃ − ỹ|²/2h²) (Rahimi & Recht, *NIPS* 20, 2007).
//! - `nystroem:D` gives K^(−½)k(x̃), where k is the kernel between x̃ and D of the samples. The inner products are
//!   exactly the kernel at these samples (Williams & Seeger, *NIPS* 13, 2000).
//!
//! The cost is Dn flops per sample, and D² more for Nyström.

mod apply;
mod error;
mod fit;

use std::fmt;
use std::str::FromStr;

use crate::names::Unknown;

pub use error::LiftError;

/// The kind of a nonlinear feature map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiftKind {
    /// The columns and their products.
    Quadratic,
    /// Random Fourier features of the Gaussian kernel, with their number.
    Fourier(usize),
    /// Nyström features of the Gaussian kernel, with the number of kept samples.
    Nystroem(usize),
}

impl LiftKind {
    /// All accepted spellings, where D is a number.
    pub const SPELLINGS: [&'static str; 3] = ["quadratic", "fourier:D", "nystroem:D"];

    /// Returns the largest possible number of features for samples of `columns` columns, or `None` if it overflows.
    pub fn dimension(self, columns: usize) -> Option<usize> {
        match self {
            Self::Quadratic => columns.checked_mul(columns.checked_add(3)?).map(|twice| twice / 2),
            Self::Fourier(count) | Self::Nystroem(count) => Some(count),
        }
    }
}

impl fmt::Display for LiftKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quadratic => f.write_str("quadratic"),
            Self::Fourier(count) => write!(f, "fourier:{count}"),
            Self::Nystroem(count) => write!(f, "nystroem:{count}"),
        }
    }
}

impl FromStr for LiftKind {
    type Err = LiftError;

    fn from_str(text: &str) -> Result<Self, LiftError> {
        let (name, count) = match text.split_once(':') {
            Some((name, count)) => (name, Some(count)),
            None => (text, None),
        };
        let counted = |make: fn(usize) -> Self| match count.map(str::parse::<usize>) {
            Some(Ok(count)) if count > 0 => Ok(make(count)),
            _ => Err(LiftError::Count { given: text.to_owned() }),
        };
        match name {
            "quadratic" if count.is_none() => Ok(Self::Quadratic),
            "quadratic" => Err(LiftError::NoCount { given: text.to_owned() }),
            "fourier" => counted(Self::Fourier),
            "nystroem" => counted(Self::Nystroem),
            _ => Err(Unknown::new("lift", name, ["quadratic", "fourier", "nystroem"]).into()),
        }
    }
}

/// The settings with which a map is learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiftRecipe {
    /// Kind of the map.
    pub kind: LiftKind,
    /// Bandwidth h of the kernel, for columns scaled to standard deviation 1. With `None`, it is the median distance
    /// between two samples.
    pub bandwidth: Option<f64>,
    /// Seed of the random frequencies, of the kept samples and of the samples for the median distance.
    pub seed: u64,
}

/// A learned nonlinear feature map.
///
/// ```
/// use sqfa::Table;
/// use sqfa::lift::{LiftKind, LiftRecipe};
///
/// let rows = [0.0, 1.0, 2.0, 5.0, 4.0, 2.0, 1.0, 0.0];
/// let samples = Table::row_major(&rows, 4, 2).expect("4 rows of 2 numbers");
///
/// let recipe = LiftRecipe { kind: LiftKind::Quadratic, bandwidth: None, seed: 0 };
/// let lift = recipe.fit(samples.into())?;
/// // x, y, x², xy and y² of the scaled columns.
/// assert_eq!(lift.dimension(), 5);
/// let features = lift.apply(samples.into())?;
/// assert_eq!(features.as_points(5).rows(), 4);
/// # Ok::<(), sqfa::lift::LiftError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lift {
    pub(crate) parts: LiftParts,
}

/// The numbers of a map. Scaled columns are (x − offset)·factors.
#[derive(Debug, Clone, PartialEq)]
pub struct LiftParts {
    /// Kind of the map.
    pub kind: LiftKind,
    /// Bandwidth of the kernel for columns scaled to standard deviation 1; 0 for maps without a kernel.
    pub bandwidth: f64,
    /// Number that is subtracted from each column.
    pub offset: Vec<f64>,
    /// Factor of each column, which for kernels includes the bandwidth. 0 excludes a column.
    pub factors: Vec<f64>,
    /// Random frequencies or kept samples in scaled columns, row-major; empty for quadratic maps.
    pub anchors: Vec<f64>,
    /// Phase of each random frequency; empty for other maps.
    pub phases: Vec<f64>,
    /// K^(−½) of the kept samples with one row per feature; empty for other maps.
    pub whitening: Vec<f64>,
}

impl Lift {
    /// Creates a map from its parts, such as those of a model file.
    ///
    /// # Errors
    ///
    /// Returns [`LiftError::Parts`] if the lengths of the arrays do not fit together or a number is not finite.
    pub fn from_parts(parts: LiftParts) -> Result<Self, LiftError> {
        let n = parts.offset.len();
        let refuse = |problem: &str| {
            Err(LiftError::Parts { kind: parts.kind.to_string(), problem: problem.to_owned() })
        };
        if n == 0 || parts.factors.len() != n {
            return refuse("offset and factors need one number per column");
        }
        let all = [&parts.offset, &parts.factors, &parts.anchors, &parts.phases, &parts.whitening];
        if all.iter().any(|values| values.iter().any(|value| !value.is_finite())) {
            return refuse("a number is not finite");
        }
        let sound = match parts.kind {
            LiftKind::Quadratic => {
                parts.anchors.is_empty() && parts.phases.is_empty() && parts.whitening.is_empty()
            }
            LiftKind::Fourier(count) => {
                count.checked_mul(n) == Some(parts.anchors.len())
                    && parts.phases.len() == count
                    && parts.whitening.is_empty()
            }
            LiftKind::Nystroem(count) => {
                count > 0
                    && count.checked_mul(n) == Some(parts.anchors.len())
                    && parts.phases.is_empty()
                    && !parts.whitening.is_empty()
                    && parts.whitening.len().is_multiple_of(count)
            }
        };
        if !sound {
            return refuse("the sizes of its arrays do not match the map");
        }
        Ok(Self { parts })
    }

    /// Returns the numbers of the map.
    pub fn parts(&self) -> &LiftParts {
        &self.parts
    }

    /// Returns the kind of the map.
    pub fn kind(&self) -> LiftKind {
        self.parts.kind
    }

    /// Returns the number of columns of samples that the map accepts.
    pub fn columns(&self) -> usize {
        self.parts.offset.len()
    }

    /// Returns the number of features of a mapped sample.
    pub fn dimension(&self) -> usize {
        match self.parts.kind {
            LiftKind::Quadratic => self.columns() * (self.columns() + 3) / 2,
            LiftKind::Fourier(count) => count,
            LiftKind::Nystroem(count) => self.parts.whitening.len() / count,
        }
    }
}

//! Nonlinear features before linear filters: a seeded map of points that is learned once and kept.
//!
//! With x̃ the columns in units of their own, centered, and h the bandwidth: `quadratic` gives x̃_i and x̃_ix̃_j (i ≤ j);
//! `fourier:D` gives √(2/D)·cos(wᵀx̃/h + b) with w normal and b uniform, whose inner products are on average the Gaussian
//! kernel exp(−|x̃ − ỹ|²/2h²) (Rahimi & Recht, *NIPS* 20, 2007); `nystroem:D` gives K^(−½)k(x̃), k the kernel of x̃ and D
//! of the points, whose inner products are the kernel exactly where these points are (Williams & Seeger, *NIPS* 13, 2000).
//! Cost: Dn flops a point, D² more for Nyström.

mod apply;
mod error;
mod fit;

use std::fmt;
use std::str::FromStr;

use crate::names::Unknown;

pub use error::LiftError;

/// Which map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiftKind {
    /// The columns and their products.
    Quadratic,
    /// So many random waves.
    Fourier(usize),
    /// The kernel with so many of the points.
    Nystroem(usize),
}

impl LiftKind {
    /// How each is written.
    pub const SPELLINGS: [&'static str; 3] = ["quadratic", "fourier:D", "nystroem:D"];

    /// How many numbers a point of n columns becomes, at most; `None` when that cannot be counted.
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

/// How a map is learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiftRecipe {
    /// Which map.
    pub kind: LiftKind,
    /// The width h of the kernel in units of the scaled columns; otherwise the median distance of two points.
    pub bandwidth: Option<f64>,
    /// Of the waves, of the points that are kept and of those whose distances are looked at.
    pub seed: u64,
}

/// A map that was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Lift {
    pub(crate) parts: LiftParts,
}

/// The numbers of a map. Scaled columns are (x − offset)·factors.
#[derive(Debug, Clone, PartialEq)]
pub struct LiftParts {
    /// Which map.
    pub kind: LiftKind,
    /// The kernel's width in units of the columns scaled by their deviation; 0 where there is no kernel.
    pub bandwidth: f64,
    /// One a column.
    pub offset: Vec<f64>,
    /// One a column; for kernels they hold the bandwidth too. 0 sets a column aside.
    pub factors: Vec<f64>,
    /// Waves or kept points in scaled columns, one after the other; empty for products.
    pub anchors: Vec<f64>,
    /// A phase a wave; empty for the others.
    pub phases: Vec<f64>,
    /// K^(−½) of the kept points, one row a feature; empty for the others.
    pub whitening: Vec<f64>,
}

impl Lift {
    /// A map of parts that fit together.
    pub fn from_parts(parts: LiftParts) -> Result<Self, LiftError> {
        let n = parts.offset.len();
        let refuse = |problem: &str| {
            Err(LiftError::Parts { kind: parts.kind.to_string(), problem: problem.to_owned() })
        };
        if n == 0 || parts.factors.len() != n {
            return refuse("offset and factors need one number a column");
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
            return refuse("its arrays have other sizes than the map needs");
        }
        Ok(Self { parts })
    }

    /// Its numbers.
    pub fn parts(&self) -> &LiftParts {
        &self.parts
    }

    /// Which map.
    pub fn kind(&self) -> LiftKind {
        self.parts.kind
    }

    /// Columns of the points it takes.
    pub fn columns(&self) -> usize {
        self.parts.offset.len()
    }

    /// Numbers that a point becomes.
    pub fn dimension(&self) -> usize {
        match self.parts.kind {
            LiftKind::Quadratic => self.columns() * (self.columns() + 3) / 2,
            LiftKind::Fourier(count) => count,
            LiftKind::Nystroem(count) => self.parts.whitening.len() / count,
        }
    }
}

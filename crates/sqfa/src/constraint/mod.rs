//! Constraints on the filters, expressed as functions of a Gram matrix.
//!
//! The optimizer changes an unconstrained n × m matrix η. The filters are F = ηT, where T is m × m and depends only on
//! N = ηᵀη. A constraint therefore never involves anything n-dimensional.
//!
//! | constraint | T | T′ along a line |
//! |---|---|---|
//! | sphere | diag(N)^(−½) | −½ diag(N)^(−3/2) diag(N′) |
//! | orthonormal | R⁻¹, N = RᵀR | −T·up(TᵀN′T), up = strict upper triangle + ½ diagonal |
//! | none | I | 0 |

use std::str::FromStr;

use crate::linalg::Real;
use crate::names::chosen;

/// A constraint on the filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Constraint {
    /// Filters of length 1, the default of the paper.
    #[default]
    Sphere,
    /// Orthonormal filters.
    Orthonormal,
    /// No constraint. With noise, the objective then grows without bound.
    None,
}

/// The constraints by name.
pub const CONSTRAINTS: [(&str, Constraint); 3] = [
    ("sphere", Constraint::Sphere),
    ("orthonormal", Constraint::Orthonormal),
    ("none", Constraint::None),
];

impl Constraint {
    /// Returns the name in flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Orthonormal => "orthonormal",
            Self::None => "none",
        }
    }

    /// Returns T for a Gram matrix N, or `None` if a filter is zero or, for orthonormal filters, if filters are
    /// linearly dependent.
    pub(crate) fn map(self, gram: &[f64], m: usize) -> Option<Map> {
        match self {
            Self::Sphere => {
                let scales: Vec<f64> = (0..m).map(|i| 1.0 / gram[i * m + i].sqrt()).collect();
                scales.iter().all(|scale| scale.is_finite()).then_some(Map::Diagonal(scales))
            }
            Self::Orthonormal => {
                // N = LLᵀ, so R = Lᵀ and T = R⁻¹ = L⁻ᵀ.
                let mut lower = gram.to_vec();
                f64::cholesky(&mut lower, m);
                let mut inverse = vec![0.0; m * m];
                f64::invert_lower(&lower, &mut inverse, m);
                let sound = inverse.iter().all(|value| value.is_finite());
                sound.then(|| Map::Full(transposed(&inverse, m)))
            }
            Self::None => Some(Map::Diagonal(vec![1.0; m])),
        }
    }

    /// Returns T′, the derivative of T if the Gram matrix changes at the rate `gram_slope`.
    pub(crate) fn slope(self, map: &Map, gram_slope: &[f64], m: usize) -> Map {
        match (self, map) {
            (Self::Sphere, Map::Diagonal(scales)) => Map::Diagonal(
                (0..m).map(|i| -0.5 * scales[i].powi(3) * gram_slope[i * m + i]).collect(),
            ),
            (Self::Orthonormal, Map::Full(t)) => {
                let mut upper = Map::Full(t.clone()).sandwich(gram_slope, m);
                for i in 0..m {
                    upper[i * m..i * m + i].fill(0.0);
                    upper[i * m + i] *= 0.5;
                }
                let mut slope = vec![0.0; m * m];
                f64::multiply(t, false, &upper, false, &mut slope, m);
                slope.iter_mut().for_each(|value| *value = -*value);
                Map::Full(slope)
            }
            _ => Map::Diagonal(vec![0.0; m]),
        }
    }

    /// Returns the matrix S with ∂L/∂η = (F̄ − F·S)·Tᵀ, computed from M = FᵀF̄, where F̄ is the gradient with respect
    /// to the filters.
    pub(crate) fn correction(self, m_matrix: &[f64], m: usize) -> Vec<f64> {
        let mut s = vec![0.0; m * m];
        match self {
            Self::Sphere => (0..m).for_each(|i| s[i * m + i] = m_matrix[i * m + i]),
            Self::Orthonormal => {
                for i in 0..m {
                    for j in 0..m {
                        s[i * m + j] = m_matrix[i.min(j) * m + i.max(j)];
                    }
                }
            }
            Self::None => {}
        }
        s
    }
}

crate::names::text_in_files!(Constraint, name);

impl FromStr for Constraint {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(chosen("constraint", name, &CONSTRAINTS)?)
    }
}

/// The m × m matrix T or its derivative, row-major.
#[derive(Debug, Clone)]
pub(crate) enum Map {
    Diagonal(Vec<f64>),
    Full(Vec<f64>),
}

impl Map {
    /// Returns all m² entries, row-major.
    pub(crate) fn dense(&self, m: usize) -> Vec<f64> {
        match self {
            Self::Diagonal(scales) => {
                let mut full = vec![0.0; m * m];
                (0..m).for_each(|i| full[i * m + i] = scales[i]);
                full
            }
            Self::Full(entries) => entries.clone(),
        }
    }

    /// Returns Tᵀ A T.
    pub(crate) fn sandwich(&self, a: &[f64], m: usize) -> Vec<f64> {
        match self {
            Self::Diagonal(t) => (0..m * m).map(|at| t[at / m] * a[at] * t[at % m]).collect(),
            Self::Full(_) => self.transposed_times(&self.times_right(a, m), m),
        }
    }

    /// Returns A T.
    pub(crate) fn times_right(&self, a: &[f64], m: usize) -> Vec<f64> {
        match self {
            Self::Diagonal(t) => (0..m * m).map(|at| a[at] * t[at % m]).collect(),
            Self::Full(t) => {
                let mut product = vec![0.0; m * m];
                f64::multiply(a, false, t, false, &mut product, m);
                product
            }
        }
    }

    /// Returns T A.
    pub(crate) fn times(&self, a: &[f64], m: usize) -> Vec<f64> {
        match self {
            Self::Diagonal(t) => (0..m * m).map(|at| t[at / m] * a[at]).collect(),
            Self::Full(t) => {
                let mut product = vec![0.0; m * m];
                f64::multiply(t, false, a, false, &mut product, m);
                product
            }
        }
    }

    /// Returns Tᵀ A.
    pub(crate) fn transposed_times(&self, a: &[f64], m: usize) -> Vec<f64> {
        match self {
            Self::Diagonal(_) => self.times(a, m),
            Self::Full(t) => {
                let mut product = vec![0.0; m * m];
                f64::multiply(t, true, a, false, &mut product, m);
                product
            }
        }
    }

    /// Returns Tᵀ b.
    pub(crate) fn transposed_apply(&self, b: &[f64], m: usize) -> Vec<f64> {
        match self {
            Self::Diagonal(t) => (0..m).map(|i| t[i] * b[i]).collect(),
            Self::Full(t) => (0..m).map(|i| (0..m).map(|k| t[k * m + i] * b[k]).sum()).collect(),
        }
    }
}

fn transposed(matrix: &[f64], m: usize) -> Vec<f64> {
    (0..m * m).map(|at| matrix[(at % m) * m + at / m]).collect()
}

//! The list of distances: their names, their properties and how each is built from its file in
//! `registry/`.

mod affine_invariant;
mod calvo_oller;
mod chernoff;
mod fisher_rao;
mod jeffreys;
mod log_euclidean;
mod mahalanobis;
mod wasserstein;

use std::sync::Arc;

use super::DistanceError;
use super::formula::Compared;
use super::kernel::Kernel;
use super::link::{EqualCovarianceLink, HellingerLink, Linked, Root};

/// The mathematical properties of a distance. Tests verify every property for every distance of the
/// registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// Symmetric: d(a, b) = d(b, a).
    pub symmetric: bool,
    /// Satisfies the triangle inequality d(a, c) ≤ d(a, b) + d(b, c).
    pub triangle: bool,
    /// Unchanged if the same vector is added to all means.
    pub translation_invariant: bool,
    /// Unchanged by any invertible linear map of the feature space.
    pub linear_invariant: bool,
    /// The degree d of homogeneity: multiplying the data by c multiplies the distance by cᵈ. It is
    /// 0 for distances that do not depend on the scale of the data.
    pub degree: u8,
    /// Depends on means and covariances only through the second moments Σ + μμᵀ.
    pub second_moments: bool,
    /// Depends on the covariances only.
    pub blind_to_means: bool,
    /// Constrained filters outside the span of the samples are never better than the best filters
    /// inside it, so a fit may be restricted to the span.
    pub exact_in_span: bool,
    /// Computed as the root of a rounded value, so derivatives are less accurate for Gaussians that
    /// nearly coincide.
    pub rounds_near_zero: bool,
    /// Computed by an iterative search, so it is exact only up to a tolerance and slow in high
    /// dimensions.
    pub searched: bool,
}

/// The properties of a symmetric distance that is invariant to affine maps.
const INVARIANT: Claims = Claims {
    symmetric: true,
    triangle: false,
    translation_invariant: true,
    linear_invariant: true,
    degree: 0,
    second_moments: false,
    blind_to_means: false,
    exact_in_span: true,
    rounds_near_zero: false,
    searched: false,
};
/// The properties of a metric that is invariant to affine maps.
const METRIC: Claims = Claims { triangle: true, ..INVARIANT };
/// The properties of a distance between second moments that is invariant to linear maps.
const MOMENTS: Claims = Claims { translation_invariant: false, second_moments: true, ..INVARIANT };
/// The properties of a distance between second moments that is invariant to rotations only.
const ROTATED: Claims = Claims { linear_invariant: false, exact_in_span: false, ..MOMENTS };

/// The parameter that follows the name of a distance after a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// No parameter.
    None,
    /// `second-moments` (default) or `covariances`.
    Moments,
    /// A number strictly between 0 and 1 (required).
    Exponent,
    /// Degrees of freedom ν ≥ 1 (required).
    Degrees,
}

/// A distance of the registry.
///
/// # Examples
///
/// ```
/// use sqfa::distance::registry;
///
/// let hellinger = registry().iter().find(|entry| entry.name == "hellinger").unwrap();
/// assert!(hellinger.claims.symmetric && hellinger.claims.triangle);
/// println!("{}: {}", hellinger.spelling(), hellinger.summary);
/// ```
pub struct Entry {
    /// The name in flags, files and messages.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// The parameter that follows the name.
    pub parameter: Parameter,
    /// The properties of the distance without a parameter.
    pub claims: Claims,
    build: fn(&Settings) -> Arc<dyn Kernel>,
}

/// The values of a parameter.
pub(super) struct Settings {
    moments: Compared,
    exponent: f64,
    degrees: f64,
}

static REGISTRY: &[Entry] = &[
    Entry {
        name: "calvo-oller",
        summary: "lower bound on the Fisher–Rao distance between Gaussians (SQFA)",
        parameter: Parameter::None,
        claims: METRIC,
        build: |_| Arc::new(Linked(calvo_oller::SquaredCalvoOller::GAUSSIAN, Root)),
    },
    Entry {
        name: "fisher-rao",
        summary: "exact Fisher–Rao distance between Gaussians (SQFA-FR)",
        parameter: Parameter::None,
        claims: Claims { searched: true, ..METRIC },
        build: |_| Arc::new(fisher_rao::ExactFisherRao),
    },
    Entry {
        name: "affine-invariant",
        summary: "affine-invariant distance between second moments (smSQFA)",
        parameter: Parameter::Moments,
        claims: Claims { triangle: true, ..MOMENTS },
        build: |s| Arc::new(Linked(affine_invariant::SquaredAffineInvariant(s.moments), Root)),
    },
    Entry {
        name: "bhattacharyya",
        summary: "−ln of the overlap ∫√(pq) (SQFA-B)",
        parameter: Parameter::None,
        claims: INVARIANT,
        build: |_| Arc::new(chernoff::Chernoff(0.5)),
    },
    Entry {
        name: "hellinger",
        summary: "√(1 − overlap), at most 1 (SQFA-H)",
        parameter: Parameter::None,
        claims: Claims { rounds_near_zero: true, ..METRIC },
        build: |_| Arc::new(Linked(chernoff::Chernoff(0.5), HellingerLink)),
    },
    Entry {
        name: "jeffreys",
        summary: "symmetrized Kullback–Leibler divergence (SQFA-J)",
        parameter: Parameter::None,
        claims: INVARIANT,
        build: |_| Arc::new(jeffreys::Jeffreys),
    },
    Entry {
        name: "wasserstein",
        summary: "Bures–Wasserstein transport distance (SQFA-W)",
        parameter: Parameter::None,
        claims: Claims { linear_invariant: false, degree: 1, ..METRIC },
        build: |_| Arc::new(Linked(wasserstein::SquaredWasserstein, Root)),
    },
    Entry {
        name: "log-euclidean",
        summary: "Euclidean distance between matrix logarithms of second moments",
        parameter: Parameter::Moments,
        claims: Claims { triangle: true, ..ROTATED },
        build: |s| Arc::new(Linked(log_euclidean::SquaredLogEuclidean(s.moments), Root)),
    },
    Entry {
        name: "mahalanobis",
        summary: "distance between means under the average covariance",
        parameter: Parameter::None,
        claims: INVARIANT,
        build: |_| Arc::new(Linked(mahalanobis::SquaredMahalanobis, Root)),
    },
    Entry {
        name: "fisher-rao-equal-covariance",
        summary: "Fisher–Rao distance if covariances are equal; a function of mahalanobis",
        parameter: Parameter::None,
        claims: INVARIANT,
        build: |_| Arc::new(Linked(mahalanobis::SquaredMahalanobis, EqualCovarianceLink)),
    },
    Entry {
        name: "chernoff",
        summary: "−ln ∫ pˢ q¹⁻ˢ; s = 0.5 is bhattacharyya",
        parameter: Parameter::Exponent,
        claims: Claims { symmetric: false, ..INVARIANT },
        build: |s| Arc::new(chernoff::Chernoff(s.exponent)),
    },
    Entry {
        name: "calvo-oller-t",
        summary: "calvo-oller between t distributions with ν ≥ 1 degrees of freedom (SQFA-t); ν = 1 is Cauchy",
        parameter: Parameter::Degrees,
        claims: METRIC,
        build: |s| Arc::new(Linked(calvo_oller::SquaredCalvoOller::heavy_tailed(s.degrees), Root)),
    },
    Entry {
        name: "squared-calvo-oller",
        summary: "square of calvo-oller",
        parameter: Parameter::None,
        claims: INVARIANT,
        build: |_| Arc::new(calvo_oller::SquaredCalvoOller::GAUSSIAN),
    },
    Entry {
        name: "squared-affine-invariant",
        summary: "square of affine-invariant",
        parameter: Parameter::Moments,
        claims: MOMENTS,
        build: |s| Arc::new(affine_invariant::SquaredAffineInvariant(s.moments)),
    },
    Entry {
        name: "squared-log-euclidean",
        summary: "square of log-euclidean",
        parameter: Parameter::Moments,
        claims: ROTATED,
        build: |s| Arc::new(log_euclidean::SquaredLogEuclidean(s.moments)),
    },
    Entry {
        name: "squared-mahalanobis",
        summary: "square of mahalanobis; LDA's criterion at equal covariances",
        parameter: Parameter::None,
        claims: INVARIANT,
        build: |_| Arc::new(mahalanobis::SquaredMahalanobis),
    },
];

/// A description of valid degrees of freedom for error messages.
const DEGREES_EXPECTED: &str = "degrees of freedom: a finite number of at least 1, as in calvo-oller-t:5 (for \
                                infinitely many, use calvo-oller)";

/// Parses degrees of freedom; `None` for values below 1, for which the formula is not a lower
/// bound.
fn read_degrees(text: &str) -> Option<f64> {
    text.parse().ok().filter(|degrees: &f64| degrees.is_finite() && *degrees >= 1.0)
}

/// Returns all distances of the registry, in the order in which they are listed to users.
pub fn registry() -> &'static [Entry] {
    REGISTRY
}

impl Entry {
    /// Returns the name with a placeholder for a required parameter, such as `chernoff:S`.
    pub fn spelling(&self) -> String {
        match self.parameter {
            Parameter::Exponent => format!("{}:S", self.name),
            Parameter::Degrees => format!("{}:NU", self.name),
            _ => self.name.to_owned(),
        }
    }

    /// Returns the name with each kind of parameter that it accepts, for tests.
    pub fn forms(&self) -> Vec<String> {
        let with = |parameters: &[&str]| {
            parameters.iter().map(|parameter| format!("{}:{parameter}", self.name)).collect()
        };
        match self.parameter {
            Parameter::None => vec![self.name.to_owned()],
            Parameter::Moments => {
                let named: Vec<String> = with(&["second-moments", "covariances"]);
                [vec![self.name.to_owned()], named].concat()
            }
            Parameter::Exponent => with(&["0.1", "0.3", "0.5", "0.85"]),
            Parameter::Degrees => with(&["1", "2.5", "5", "40"]),
        }
    }

    /// Builds the distance from the text after the colon, and returns it with its properties for
    /// this parameter.
    pub(super) fn build(
        &self,
        text: Option<&str>,
    ) -> Result<(Arc<dyn Kernel>, Claims), DistanceError> {
        let refused = |expected| DistanceError::Parameter {
            name: self.name.to_owned(),
            parameter: text.unwrap_or("").to_owned(),
            expected,
        };
        let mut settings =
            Settings { moments: Compared::Second, exponent: 0.5, degrees: f64::INFINITY };
        match (self.parameter, text) {
            (Parameter::None | Parameter::Moments, None) => {}
            (Parameter::None, Some(_)) => return Err(refused("no parameter")),
            (Parameter::Moments, Some(text)) => {
                settings.moments = match text {
                    "second-moments" => Compared::Second,
                    "covariances" => Compared::Central,
                    _ => return Err(refused("'second-moments' or 'covariances'")),
                }
            }
            (Parameter::Exponent, text) => {
                settings.exponent = text
                    .and_then(|text| text.parse().ok())
                    .filter(|&s: &f64| s > 0.0 && s < 1.0)
                    .ok_or_else(|| {
                        refused("a number strictly between 0 and 1, as in chernoff:0.3")
                    })?;
            }
            (Parameter::Degrees, text) => {
                settings.degrees =
                    text.and_then(read_degrees).ok_or_else(|| refused(DEGREES_EXPECTED))?;
            }
        }
        let mut claims = self.claims;
        if self.parameter == Parameter::Moments && settings.moments == Compared::Central {
            // A distance between covariances does not use the means at all.
            claims = Claims {
                translation_invariant: true,
                second_moments: false,
                blind_to_means: true,
                ..claims
            };
        }
        if self.parameter == Parameter::Exponent && settings.exponent == 0.5 {
            claims.symmetric = true;
        }
        Ok(((self.build)(&settings), claims))
    }
}

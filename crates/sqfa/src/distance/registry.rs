//! The one list of distances: names, claims that the tests check, and how each is built from its file in `registry/`.

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

/// What a distance promises; contract tests hold it to every claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// d(a, b) = d(b, a).
    pub symmetric: bool,
    /// d(a, c) ≤ d(a, b) + d(b, c).
    pub triangle: bool,
    /// Unchanged when all means move by the same vector.
    pub translation_invariant: bool,
    /// Unchanged under any invertible linear map of feature space.
    pub linear_invariant: bool,
    /// Multiplied by cᵈ when all points are multiplied by c; d is 0 for what has no units.
    pub degree: u8,
    /// Depends on means and covariances through second moments alone.
    pub second_moments: bool,
    /// Depends on covariances alone.
    pub blind_to_means: bool,
    /// Constrained filters outside the span of the samples are never better than the best inside.
    pub exact_in_span: bool,
    /// The root of a value that is rounded before: derivatives lose digits where Gaussians nearly coincide.
    pub rounds_near_zero: bool,
    /// Found by a search: exact to its tolerance only, and slow at large orders.
    pub searched: bool,
}

/// A symmetric function of two Gaussians that no affine map changes.
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
/// The same that is a metric.
const METRIC: Claims = Claims { triangle: true, ..INVARIANT };
/// A function of second moments that no linear map changes.
const MOMENTS: Claims = Claims { translation_invariant: false, second_moments: true, ..INVARIANT };
/// A function of second moments that only rotations leave alone.
const ROTATED: Claims = Claims { linear_invariant: false, exact_in_span: false, ..MOMENTS };

/// What may follow a distance's name after a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// Nothing.
    None,
    /// `second-moments` (default) or `covariances`.
    Moments,
    /// A number strictly between 0 and 1, required.
    Exponent,
    /// Degrees of freedom ν ≥ 1, required.
    Degrees,
}

/// One distance of the registry.
pub struct Entry {
    /// Its name in every flag, file and message.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What may follow the name.
    pub parameter: Parameter,
    /// What it promises without a parameter.
    pub claims: Claims,
    build: fn(&Settings) -> Arc<dyn Kernel>,
}

/// A parameter as read.
pub(super) struct Settings {
    moments: Compared,
    exponent: f64,
    degrees: f64,
}

static REGISTRY: &[Entry] = &[
    Entry {
        name: "calvo-oller",
        summary: "lower bound of Fisher–Rao between Gaussians (SQFA)",
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
        summary: "affine-invariant distance of second moments (smSQFA)",
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
        summary: "symmetrised Kullback–Leibler divergence (SQFA-J)",
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
        summary: "Euclidean distance of matrix logarithms of second moments",
        parameter: Parameter::Moments,
        claims: Claims { triangle: true, ..ROTATED },
        build: |s| Arc::new(Linked(log_euclidean::SquaredLogEuclidean(s.moments), Root)),
    },
    Entry {
        name: "mahalanobis",
        summary: "distance of means under the average covariance",
        parameter: Parameter::None,
        claims: INVARIANT,
        build: |_| Arc::new(Linked(mahalanobis::SquaredMahalanobis, Root)),
    },
    Entry {
        name: "fisher-rao-equal-covariance",
        summary: "Fisher–Rao when covariances are equal, of Mahalanobis",
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
        summary: "calvo-oller between t distributions of ν ≥ 1 degrees of freedom (SQFA-t); ν = 1 is Cauchy",
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

/// What must follow a distance between t distributions.
const DEGREES_EXPECTED: &str = "degrees of freedom, a finite number from 1 on, as in calvo-oller-t:5 (below 1 it bounds no \
                                distance, and calvo-oller is its limit without end)";

/// Degrees of freedom that bound a distance.
fn read_degrees(text: &str) -> Option<f64> {
    text.parse().ok().filter(|degrees: &f64| degrees.is_finite() && *degrees >= 1.0)
}

/// Every distance there is, in the order users meet them.
pub fn registry() -> &'static [Entry] {
    REGISTRY
}

impl Entry {
    /// The spelling to show: `chernoff:S` for a distance that needs a parameter.
    pub fn spelling(&self) -> String {
        match self.parameter {
            Parameter::Exponent => format!("{}:S", self.name),
            Parameter::Degrees => format!("{}:NU", self.name),
            _ => self.name.to_owned(),
        }
    }

    /// Every form as a user may spell it, for tests: the parameter left out, and each kind of it.
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

    /// Builds the distance from what follows the colon, with what it promises in this form.
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
            // Of covariances alone the means no longer matter.
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

//! The one list of distances: names, claims that the tests check, and how each is built.

use std::sync::Arc;

use super::affine_invariant::SquaredAffineInvariant;
use super::calvo_oller::SquaredCalvoOller;
use super::chernoff::Chernoff;
use super::fisher_rao::ExactFisherRao;
use super::jeffreys::Jeffreys;
use super::kernel::Kernel;
use super::link::{EqualCovarianceLink, HellingerLink, Linked, Root};
use super::log_euclidean::SquaredLogEuclidean;
use super::mahalanobis::SquaredMahalanobis;
use super::wasserstein::SquaredWasserstein;
use super::{DistanceError, Moments};

/// What a distance promises; contract tests hold it to every claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// d(p, q) = d(q, p).
    pub symmetric: bool,
    /// d(p, r) ≤ d(p, q) + d(q, r).
    pub triangle: bool,
    /// Unchanged when all means move by the same vector.
    pub translation_invariant: bool,
    /// Unchanged under any invertible linear map of feature space.
    pub linear_invariant: bool,
}

/// What may follow a distance's name after a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// Nothing.
    None,
    /// `second-moments` (default) or `covariances`.
    Moments,
    /// A number strictly between 0 and 1, required.
    Exponent,
}

/// One distance of the registry.
pub struct Entry {
    /// Its name in every flag, file and message.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What may follow the name.
    pub parameter: Parameter,
    /// What it promises.
    pub claims: Claims,
    build: fn(&Settings) -> Arc<dyn Kernel>,
}

/// A parameter as read.
pub(super) struct Settings {
    moments: Moments,
    exponent: f64,
}

const fn claims(letters: &[u8; 4]) -> Claims {
    Claims {
        symmetric: letters[0] == b's',
        triangle: letters[1] == b't',
        translation_invariant: letters[2] == b'm',
        linear_invariant: letters[3] == b'a',
    }
}

macro_rules! entry {
    ($name:literal, $parameter:ident, $claims:literal, $summary:literal, $build:expr) => {
        Entry {
            name: $name,
            summary: $summary,
            parameter: Parameter::$parameter,
            claims: claims($claims),
            build: |settings| {
                let build: fn(&Settings) -> _ = $build;
                Arc::new(build(settings))
            },
        }
    };
}

// Claims: s symmetric, t triangle inequality, m invariant to moving all means, a to linear maps.
static REGISTRY: &[Entry] = &[
    entry!(
        "calvo-oller",
        None,
        b"stma",
        "lower bound of Fisher–Rao between Gaussians (SQFA)",
        |_| Linked(SquaredCalvoOller, Root)
    ),
    entry!(
        "fisher-rao",
        None,
        b"stma",
        "exact Fisher–Rao distance between Gaussians (SQFA-FR)",
        |_| { ExactFisherRao }
    ),
    entry!(
        "affine-invariant",
        Moments,
        b"st-a",
        "affine-invariant distance of second moments (smSQFA)",
        |s| Linked(SquaredAffineInvariant(s.moments), Root)
    ),
    entry!("bhattacharyya", None, b"s-ma", "−ln of the overlap ∫√(pq) (SQFA-B)", |_| {
        Chernoff(0.5)
    }),
    entry!("hellinger", None, b"stma", "√(1 − overlap), at most 1 (SQFA-H)", |_| Linked(
        Chernoff(0.5),
        HellingerLink
    )),
    entry!("jeffreys", None, b"s-ma", "symmetrised Kullback–Leibler divergence (SQFA-J)", |_| {
        Jeffreys
    }),
    entry!("wasserstein", None, b"stm-", "Bures–Wasserstein transport distance (SQFA-W)", |_| {
        Linked(SquaredWasserstein, Root)
    }),
    entry!(
        "log-euclidean",
        Moments,
        b"st--",
        "Euclidean distance of matrix logarithms of second moments",
        |s| Linked(SquaredLogEuclidean(s.moments), Root)
    ),
    entry!("mahalanobis", None, b"s-ma", "distance of means under the average covariance", |_| {
        Linked(SquaredMahalanobis, Root)
    }),
    entry!(
        "fisher-rao-equal-covariance",
        None,
        b"s-ma",
        "Fisher–Rao when covariances are equal, of Mahalanobis",
        |_| Linked(SquaredMahalanobis, EqualCovarianceLink)
    ),
    entry!(
        "chernoff",
        Exponent,
        b"--ma",
        "−ln ∫ pˢ q¹⁻ˢ; s = 0.5 is bhattacharyya",
        |s| Chernoff(s.exponent)
    ),
    entry!("squared-calvo-oller", None, b"s-ma", "square of calvo-oller", |_| SquaredCalvoOller),
    entry!("squared-affine-invariant", Moments, b"s--a", "square of affine-invariant", |s| {
        SquaredAffineInvariant(s.moments)
    }),
    entry!("squared-log-euclidean", Moments, b"s---", "square of log-euclidean", |s| {
        SquaredLogEuclidean(s.moments)
    }),
    entry!(
        "squared-mahalanobis",
        None,
        b"s-ma",
        "square of mahalanobis; LDA's criterion at equal covariances",
        |_| SquaredMahalanobis
    ),
];

/// Every distance there is, in the order users meet them.
pub fn registry() -> &'static [Entry] {
    REGISTRY
}

impl Entry {
    /// The spelling to show: `chernoff:S` for a distance that needs a parameter.
    pub fn spelling(&self) -> String {
        match self.parameter {
            Parameter::Exponent => format!("{}:S", self.name),
            _ => self.name.to_owned(),
        }
    }

    /// Builds the distance from what follows the colon.
    pub(super) fn build(&self, text: Option<&str>) -> Result<Arc<dyn Kernel>, DistanceError> {
        let refused = |expected| DistanceError::Parameter {
            name: self.name.to_owned(),
            parameter: text.unwrap_or("").to_owned(),
            expected,
        };
        let mut settings = Settings { moments: Moments::Second, exponent: 0.5 };
        match (self.parameter, text) {
            (Parameter::None | Parameter::Moments, None) => {}
            (Parameter::None, Some(_)) => return Err(refused("no parameter")),
            (Parameter::Moments, Some(text)) => {
                settings.moments = match text {
                    "second-moments" => Moments::Second,
                    "covariances" => Moments::Central,
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
        }
        Ok((self.build)(&settings))
    }
}

//! The settings of an SQFA model, and the variants of the paper.

use std::fmt;
use std::str::FromStr;

use crate::constraint::Constraint;
use crate::distance::{Distance, Pairs};
use crate::linalg::Mat;
use crate::names::Unknown;
use crate::objective::Criterion;
use crate::optimize::{Optimizer, Preconditioning, Stopping};
use crate::statistics::ClassStatistics;

use super::{FitError, InverseRegression};

/// The regularization noise: the variance σ² that is added to every feature, which keeps the
/// feature covariances invertible.
///
/// # Examples
///
/// ```
/// use sqfa::Noise;
///
/// assert_eq!("auto".parse(), Ok(Noise::Auto));
/// assert_eq!("0.3x".parse(), Ok(Noise::Fraction(0.3)));
/// // σ² if the mean within-class variance is 4.
/// assert_eq!(Noise::Fraction(0.5).value(4.0), 2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Noise {
    /// Selected on held-out samples by a [`crate::pipeline::Pipeline`]; otherwise the mean within-class variance.
    #[default]
    Auto,
    /// A fraction of the mean within-class variance, which is the trace of the pooled within-class covariance divided by n.
    Fraction(f64),
    /// A number in squared units of the data, after scaling.
    Value(f64),
}

impl Noise {
    /// Returns σ² for a mean within-class variance.
    pub fn value(self, within: f64) -> f64 {
        match self {
            Self::Auto => within,
            Self::Fraction(fraction) => fraction * within,
            Self::Value(value) => value,
        }
    }

    /// Returns the distance from another noise in decades; 0 unless both are fractions.
    pub(crate) fn decades_from(self, other: Self) -> f64 {
        match (self, other) {
            (Self::Fraction(own), Self::Fraction(other)) => (own / other).log10().abs(),
            _ => 0.0,
        }
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Fraction(fraction) => write!(f, "{fraction}x"),
            Self::Value(value) => write!(f, "{value}"),
        }
    }
}

crate::names::text_in_files!(Noise, to_string);

impl FromStr for Noise {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| {
            let value: Option<f64> = digits.trim().parse().ok();
            value.filter(|value| value.is_finite() && *value >= 0.0)
        };
        let noise = match text.trim() {
            "auto" => Some(Self::Auto),
            "scale" => Some(Self::Fraction(1.0)),
            text => match text.strip_suffix('x') {
                Some(fraction) => number(fraction).map(Self::Fraction),
                None => number(text).map(Self::Value),
            },
        };
        noise.ok_or_else(|| {
            format!(
                "'{text}' is not a noise: use auto, a fraction of the mean within-class variance as in 0.3x, or a number of at least 0"
            )
        })
    }
}

/// The initial filters.
#[derive(Debug, Clone, Default)]
pub enum Start {
    /// `Differences` if more than 16 filters are learned at once, otherwise `Random`.
    #[default]
    Auto,
    /// Independent normal numbers from the seed, scaled to unit length.
    Random,
    /// Random filters, of which those of the first initialization are rotated to where the second
    /// moments of the classes differ. This takes two passes.
    Differences,
    /// The leading principal components of all classes together.
    Pca,
    /// The filters of a closed form for the same statistics and noise.
    Inverse(InverseRegression),
    /// The specified filters, one per column.
    Given(Mat<f64>),
}

impl Start {
    /// The names of all initializations, beginning with the default.
    pub const NAMES: [&'static str; 6] = [
        "auto",
        "random",
        "differences",
        "pca",
        InverseRegression::Save.name(),
        InverseRegression::Directional.name(),
    ];

    /// Returns the initialization with this name, or `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "random" => Some(Self::Random),
            "differences" => Some(Self::Differences),
            "pca" => Some(Self::Pca),
            _ => InverseRegression::named(name).map(Self::Inverse),
        }
    }
}

/// Total number of filters in all initializations of a fit, and the largest number of filters for
/// which random initializations are enough.
pub(super) const STARTED_AT_RANDOM: usize = 16;

/// Largest number of initializations of a fit.
pub(crate) const MOST_RESTARTS: usize = 10_000;

/// The number of initializations that are optimized side by side. The best one is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Restarts {
    /// About 16 divided by the number of filters, at least 1; always 1 if the initialization is not
    /// random.
    #[default]
    Auto,
    /// The specified number.
    Count(usize),
}

/// The order in which filters are learned: all at once or in groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Learning {
    /// All filters at once.
    #[default]
    Joint,
    /// Groups of this size; the filters of earlier groups no longer change.
    Sequential(usize),
}

/// A named variant of SQFA: a distance with its constraint.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The name in flags, files and messages.
    pub name: &'static str,
    /// The name in the paper.
    pub title: &'static str,
    /// The name of the distance that is maximized.
    pub distance: &'static str,
    /// The constraint on the filters.
    pub constraint: Constraint,
    /// A short description.
    pub summary: &'static str,
    /// The index of the column in the paper's tables, if there is one.
    pub column: Option<u8>,
    /// The degrees of freedom if classes are t distributions.
    pub degrees: Option<Degrees>,
}

/// The degrees of freedom of a variant for t distributions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Degrees {
    /// A default that the user may change.
    Usual(f64),
    /// A value that cannot be changed.
    Fixed(f64),
}

/// All variants: those of the paper, SQFA with the exact Fisher–Rao distance, and SQFA for t
/// distributions.
pub const VARIANTS: [Variant; 9] = [
    Variant {
        name: "sqfa",
        title: "SQFA",
        distance: "calvo-oller",
        constraint: Constraint::Sphere,
        summary: "Calvo–Oller bound on the Fisher–Rao distance; accepts any other distance",
        column: Some(0),
        degrees: None,
    },
    Variant {
        name: "smsqfa",
        title: "smSQFA",
        distance: "affine-invariant",
        constraint: Constraint::Sphere,
        summary: "affine-invariant distance between second moments",
        column: Some(1),
        degrees: None,
    },
    Variant {
        name: "sqfa-h",
        title: "SQFA-H",
        distance: "hellinger",
        constraint: Constraint::Sphere,
        summary: "Hellinger distance; the highest accuracy in the paper",
        column: Some(2),
        degrees: None,
    },
    Variant {
        name: "sqfa-b",
        title: "SQFA-B",
        distance: "bhattacharyya",
        constraint: Constraint::Sphere,
        summary: "Bhattacharyya distance",
        column: Some(3),
        degrees: None,
    },
    Variant {
        name: "sqfa-j",
        title: "SQFA-J",
        distance: "jeffreys",
        constraint: Constraint::Sphere,
        summary: "Jeffreys divergence",
        column: Some(5),
        degrees: None,
    },
    Variant {
        name: "sqfa-w",
        title: "SQFA-W",
        distance: "wasserstein",
        constraint: Constraint::Orthonormal,
        summary: "Wasserstein distance, orthonormal filters",
        column: Some(4),
        degrees: None,
    },
    Variant {
        name: "sqfa-fr",
        title: "SQFA-FR",
        distance: "fisher-rao",
        constraint: Constraint::Sphere,
        summary: "exact Fisher–Rao distance, for which the paper uses a bound",
        column: None,
        degrees: None,
    },
    Variant {
        name: "sqfa-t",
        title: "SQFA-t",
        distance: "calvo-oller-t:5",
        constraint: Constraint::Sphere,
        summary: "Calvo–Oller bound between t distributions, which reduces the weight of outliers",
        column: None,
        degrees: Some(Degrees::Usual(5.0)),
    },
    Variant {
        name: "sqfa-cauchy",
        title: "SQFA-Cauchy",
        distance: "calvo-oller-t:1",
        constraint: Constraint::Sphere,
        summary: "Calvo–Oller bound between Cauchy distributions, which have the heaviest tails",
        column: None,
        degrees: Some(Degrees::Fixed(1.0)),
    },
];

impl Variant {
    /// Returns the degrees of freedom if classes are t distributions. A specified value replaces a
    /// default.
    pub(crate) fn degrees_with(&self, given: Option<f64>) -> Option<f64> {
        Some(match self.degrees? {
            Degrees::Usual(usual) => given.unwrap_or(usual),
            Degrees::Fixed(own) => own,
        })
    }

    /// Returns the variant with this name.
    ///
    /// # Errors
    ///
    /// Returns an error that suggests the most similar name if there is no such variant.
    pub fn named(name: &str) -> Result<Self, Unknown> {
        let known = VARIANTS.iter().find(|method| method.name == name);
        known
            .copied()
            .ok_or_else(|| Unknown::new("method", name, VARIANTS.map(|method| method.name)))
    }
}

/// The objective that a recipe maximizes.
#[derive(Debug, Clone)]
pub(crate) enum Goal {
    /// The mean of a distance over pairs of classes.
    Distance(Distance),
    /// The gain in likelihood if every class has its own Gaussian.
    LikelihoodGain,
}

impl Goal {
    /// Returns the name in files and messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Distance(distance) => distance.name(),
            Self::LikelihoodGain => "likelihood-gain",
        }
    }

    /// Returns whether filters outside the span of the samples are never better than the best
    /// inside; unknown, so `false`, for user-defined distances.
    pub(super) fn is_exact_in_span(&self) -> bool {
        match self {
            Self::Distance(distance) => {
                distance.claims().is_some_and(|claims| claims.exact_in_span)
            }
            Self::LikelihoodGain => true,
        }
    }

    /// Returns whether the objective depends on second moments only.
    pub(super) fn acts_on_second_moments(&self) -> bool {
        matches!(self, Self::Distance(distance)
            if distance.claims().is_some_and(|claims| claims.second_moments))
    }

    /// Returns whether the objective is invariant to linear maps of the features.
    pub(super) fn is_linear_invariant(&self) -> bool {
        match self {
            Self::Distance(distance) => {
                distance.claims().is_none_or(|claims| claims.linear_invariant)
            }
            Self::LikelihoodGain => true,
        }
    }
}

/// A recipe for an SQFA model: the number of filters and all settings of the fit.
///
/// [`Sqfa::fit`] fits the recipe to class statistics and returns a
/// [`FittedSqfa`](super::FittedSqfa). Every method below replaces one setting and returns the
/// recipe.
///
/// # Examples
///
/// ```
/// use sqfa::{Distance, Noise, Sqfa};
/// use sqfa::model::Restarts;
///
/// // Four filters that maximize the Hellinger distance.
/// let recipe = Sqfa::new(4)?
///     .distance(Distance::named("hellinger")?)
///     .noise(Noise::Fraction(0.3))
///     .restarts(Restarts::Count(8))
///     .seed(1);
/// # Ok::<(), sqfa::model::FitError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sqfa {
    pub(super) filters: usize,
    pub(super) goal: Goal,
    pub(super) constraint: Constraint,
    pub(super) noise: Noise,
    pub(super) start: Start,
    pub(super) fixed: Option<Mat<f64>>,
    pub(super) restarts: Restarts,
    pub(super) learning: Learning,
    pub(super) seed: u64,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) pairs: Pairs,
    pub(super) preconditioning: Preconditioning,
    pub(super) optimizer: Optimizer,
    pub(super) stopping: Stopping,
}

impl Sqfa {
    /// Creates a recipe with the default settings: the Calvo–Oller distance, filters of unit length
    /// and noise as large as the mean within-class variance.
    ///
    /// The number of filters is checked by the fit.
    ///
    /// # Errors
    ///
    /// Never fails, because the default distance is always in the registry.
    pub fn new(filters: usize) -> Result<Self, FitError> {
        Ok(Self {
            filters,
            goal: Goal::Distance(Distance::named("calvo-oller")?),
            constraint: Constraint::Sphere,
            noise: Noise::Fraction(1.0),
            start: Start::Auto,
            fixed: None,
            restarts: Restarts::Auto,
            learning: Learning::Joint,
            seed: 0,
            weights: None,
            pairs: Pairs::Auto,
            preconditioning: Preconditioning::Auto,
            optimizer: Optimizer::Auto,
            stopping: Stopping::default(),
        })
    }

    /// Creates a recipe for one of the variants, with its distance and its constraint.
    ///
    /// # Errors
    ///
    /// Returns [`FitError::Distance`] if the distance of the variant is not in the registry.
    pub fn for_variant(variant: &Variant, filters: usize) -> Result<Self, FitError> {
        let recipe = Self::new(filters)?;
        Ok(recipe.distance(Distance::named(variant.distance)?).constraint(variant.constraint))
    }

    /// Creates a recipe for likelihood acquired directions (LAD), which maximizes ln|Σ_tot| − Σ π_k
    /// ln|Σ_k| instead of distances between pairs.
    pub(crate) fn likelihood_gain(filters: usize) -> Result<Self, FitError> {
        Ok(Self { goal: Goal::LikelihoodGain, ..Self::new(filters)? })
    }

    /// Sets the distance to maximize (default: Calvo–Oller).
    pub fn distance(mut self, distance: Distance) -> Self {
        self.goal = Goal::Distance(distance);
        self
    }

    /// Sets the constraint on the filters (default: unit length).
    pub fn constraint(mut self, constraint: Constraint) -> Self {
        self.constraint = constraint;
        self
    }

    /// Sets the regularization noise (default: the mean within-class variance).
    pub fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Sets the initial filters.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Sets filters that the fit does not change, one per column.
    ///
    /// They are the first filters of the result and are included in the number of filters; the fit
    /// learns the remaining ones. They are scaled to unit length or orthonormalized in their order
    /// if the constraint requires it. Initial filters of [`Start::Given`] must have columns for the
    /// fixed filters as well.
    pub fn fixed(mut self, filters: Mat<f64>) -> Self {
        self.fixed = Some(filters);
        self
    }

    /// Sets the number of initializations.
    pub fn restarts(mut self, restarts: Restarts) -> Self {
        self.restarts = restarts;
        self
    }

    /// Sets whether filters are learned all at once or in groups.
    pub fn learning(mut self, learning: Learning) -> Self {
        self.learning = learning;
        self
    }

    /// Sets the seed of all random numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the weight of each pair of classes: a symmetric c × c matrix, row-major. The diagonal
    /// is ignored, and only the ratios matter.
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Sets the class pairs that the objective uses during optimization. The reported objective
    /// always uses all pairs.
    pub fn pairs(mut self, pairs: Pairs) -> Self {
        self.pairs = pairs;
        self
    }

    /// Sets whether steps are measured in the metric of the total covariance.
    pub fn preconditioning(mut self, preconditioning: Preconditioning) -> Self {
        self.preconditioning = preconditioning;
        self
    }

    /// Sets the optimization algorithm.
    pub fn optimizer(mut self, optimizer: Optimizer) -> Self {
        self.optimizer = optimizer;
        self
    }

    /// Sets the criterion of convergence.
    pub fn stopping(mut self, stopping: Stopping) -> Self {
        self.stopping = stopping;
        self
    }

    /// Returns the criterion to optimize and, if it uses a sample of the pairs, the criterion of
    /// all pairs to report.
    pub(super) fn criterion(&self, statistics: &ClassStatistics) -> (Criterion, Option<Criterion>) {
        let classes = statistics.classes().len();
        match &self.goal {
            Goal::Distance(distance) => {
                let weights = self.weights.as_deref();
                let whole = Criterion::mean_distance(distance.clone(), classes, weights);
                let drawn = self.pairs.drawn(classes, self.seed).and_then(|pairs| {
                    Criterion::mean_distance_of(distance.clone(), classes, pairs, weights)
                });
                match drawn {
                    Some(drawn) => (drawn, Some(whole)),
                    None => (whole, None),
                }
            }
            Goal::LikelihoodGain => {
                (Criterion::LikelihoodGain { shares: statistics.shares() }, None)
            }
        }
    }
}

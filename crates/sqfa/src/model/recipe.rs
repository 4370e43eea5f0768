//! What to fit: the settings of an SQFA model and the paper's presets.

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

/// The variance σ² added to every feature, which keeps feature covariances invertible.
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

/// Where the filters start.
#[derive(Debug, Clone, Default)]
pub enum Start {
    /// `Differences` for more filters at once than there are starts for, which are 16, and `Random` for fewer.
    #[default]
    Auto,
    /// Independent normal numbers from the seed.
    Random,
    /// The first start turned to where the second moments of classes differ, by two passes; other starts random.
    Differences,
    /// The leading principal components of all classes together.
    Pca,
    /// A closed form on the same statistics and noise.
    Inverse(InverseRegression),
    /// These filters, one a column.
    Given(Mat<f64>),
}

impl Start {
    /// What starts by a name; the usual one first.
    pub const NAMES: [&'static str; 6] = [
        "auto",
        "random",
        "differences",
        "pca",
        InverseRegression::Save.name(),
        InverseRegression::Directional.name(),
    ];

    /// A start by its name.
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

/// Filters that random starts are enough for: as many as all starts of a fit have together.
pub(super) const STARTED_AT_RANDOM: usize = 16;

/// The most starts of a fit.
pub(crate) const MOST_RESTARTS: usize = 10_000;

/// How many starts climb side by side; the best is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Restarts {
    /// About 16 divided by the number of filters, at least 1; 1 when the start is not random.
    #[default]
    Auto,
    /// This many.
    Count(usize),
}

/// Whether filters are learned together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Learning {
    /// All at once.
    #[default]
    Joint,
    /// In groups of this size, earlier groups frozen.
    Sequential(usize),
}

/// A named variant of SQFA: a distance and the constraint it goes with.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Its name in every flag, file and message.
    pub name: &'static str,
    /// How the paper writes it.
    pub title: &'static str,
    /// The distance it maximizes.
    pub distance: &'static str,
    /// The constraint on its filters.
    pub constraint: Constraint,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Its place among the columns of the paper's tables, if it has one.
    pub column: Option<u8>,
    /// Degrees of freedom, where classes are t distributions.
    pub degrees: Option<Degrees>,
}

/// The degrees of freedom of a method on t distributions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Degrees {
    /// This number unless given.
    Usual(f64),
    /// This number.
    Fixed(f64),
}

/// The paper's variants, SQFA on the exact distance, and SQFA on t distributions.
pub const VARIANTS: [Variant; 9] = [
    Variant {
        name: "sqfa",
        title: "SQFA",
        distance: "calvo-oller",
        constraint: Constraint::Sphere,
        summary: "Fisher–Rao distance through the Calvo–Oller bound; takes any other distance, too",
        column: Some(0),
        degrees: None,
    },
    Variant {
        name: "smsqfa",
        title: "smSQFA",
        distance: "affine-invariant",
        constraint: Constraint::Sphere,
        summary: "affine-invariant distance of second moments",
        column: Some(1),
        degrees: None,
    },
    Variant {
        name: "sqfa-h",
        title: "SQFA-H",
        distance: "hellinger",
        constraint: Constraint::Sphere,
        summary: "Hellinger distance; the paper's best accuracy",
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
        summary: "the exact Fisher–Rao distance, which the paper only bounds",
        column: None,
        degrees: None,
    },
    Variant {
        name: "sqfa-t",
        title: "SQFA-t",
        distance: "calvo-oller-t:5",
        constraint: Constraint::Sphere,
        summary: "Calvo–Oller between t distributions: heavy tails and outliers count less",
        column: None,
        degrees: Some(Degrees::Usual(5.0)),
    },
    Variant {
        name: "sqfa-cauchy",
        title: "SQFA-Cauchy",
        distance: "calvo-oller-t:1",
        constraint: Constraint::Sphere,
        summary: "the same with the heaviest tails that a distance is bounded for",
        column: None,
        degrees: Some(Degrees::Fixed(1.0)),
    },
];

impl Variant {
    /// The degrees of freedom of its classes, where they are t distributions and a number may have been given.
    pub(crate) fn degrees_with(&self, given: Option<f64>) -> Option<f64> {
        Some(match self.degrees? {
            Degrees::Usual(usual) => given.unwrap_or(usual),
            Degrees::Fixed(own) => own,
        })
    }

    /// A method by name; the error suggests the nearest.
    pub fn named(name: &str) -> Result<Self, Unknown> {
        let known = VARIANTS.iter().find(|method| method.name == name);
        known
            .copied()
            .ok_or_else(|| Unknown::new("method", name, VARIANTS.map(|method| method.name)))
    }
}

/// What a recipe maximizes.
#[derive(Debug, Clone)]
pub(crate) enum Goal {
    /// The mean of a distance over pairs of classes.
    Distance(Distance),
    /// The gain in likelihood when every class has its own Gaussian.
    LikelihoodGain,
}

impl Goal {
    /// Its name in files and messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Distance(distance) => distance.name(),
            Self::LikelihoodGain => "likelihood-gain",
        }
    }

    /// Whether filters outside the span of the samples are never better; not so for a distance of the user's own.
    pub(super) fn is_exact_in_span(&self) -> bool {
        match self {
            Self::Distance(distance) => {
                distance.claims().is_some_and(|claims| claims.exact_in_span)
            }
            Self::LikelihoodGain => true,
        }
    }

    /// Whether second moments are all it looks at.
    pub(super) fn acts_on_second_moments(&self) -> bool {
        matches!(self, Self::Distance(distance)
            if distance.claims().is_some_and(|claims| claims.second_moments))
    }

    /// Whether linear maps of the features leave it alone.
    pub(super) fn is_linear_invariant(&self) -> bool {
        match self {
            Self::Distance(distance) => {
                distance.claims().is_none_or(|claims| claims.linear_invariant)
            }
            Self::LikelihoodGain => true,
        }
    }
}

/// The recipe of an SQFA model; [`Sqfa::fit`] turns it into a [`super::FittedSqfa`].
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
    /// A recipe for so many filters: Calvo–Oller distance, unit filters, everything else by default.
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

    /// A recipe for one of the paper's methods.
    pub fn for_variant(variant: &Variant, filters: usize) -> Result<Self, FitError> {
        let recipe = Self::new(filters)?;
        Ok(recipe.distance(Distance::named(variant.distance)?).constraint(variant.constraint))
    }

    /// A recipe for likelihood acquired directions (LAD): instead of distances between pairs it maximizes
    /// ln|Σ_tot| − Σ π_k ln|Σ_k|.
    pub(crate) fn likelihood_gain(filters: usize) -> Result<Self, FitError> {
        Ok(Self { goal: Goal::LikelihoodGain, ..Self::new(filters)? })
    }

    /// The distance to maximize.
    pub fn distance(mut self, distance: Distance) -> Self {
        self.goal = Goal::Distance(distance);
        self
    }

    /// What the filters must satisfy.
    pub fn constraint(mut self, constraint: Constraint) -> Self {
        self.constraint = constraint;
        self
    }

    /// The feature noise.
    pub fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Where the filters start.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Filters that stay, one a column: they come first and count among all, and the others are learned beside them. Lengths
    /// are those of the constraint, and orthonormal filters are made so in their order. A given start has columns for all.
    pub fn fixed(mut self, filters: Mat<f64>) -> Self {
        self.fixed = Some(filters);
        self
    }

    /// How many starts climb side by side.
    pub fn restarts(mut self, restarts: Restarts) -> Self {
        self.restarts = restarts;
        self
    }

    /// Whether filters are learned together or in groups.
    pub fn learning(mut self, learning: Learning) -> Self {
        self.learning = learning;
        self
    }

    /// The seed of all random numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How much each pair of classes counts: a symmetric c × c matrix, row by row; the diagonal is ignored.
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Which pairs of classes the climb looks at; the objective that is reported always looks at all.
    pub fn pairs(mut self, pairs: Pairs) -> Self {
        self.pairs = pairs;
        self
    }

    /// Whether to measure steps in the metric of the total covariance.
    pub fn preconditioning(mut self, preconditioning: Preconditioning) -> Self {
        self.preconditioning = preconditioning;
        self
    }

    /// How the filters are climbed.
    pub fn optimizer(mut self, optimizer: Optimizer) -> Self {
        self.optimizer = optimizer;
        self
    }

    /// When to stop.
    pub fn stopping(mut self, stopping: Stopping) -> Self {
        self.stopping = stopping;
        self
    }

    /// What is climbed and, if that looks at some of the pairs alone, what is reported.
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

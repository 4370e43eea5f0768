//! Warnings about a fit. They are values, so that the command and Python can phrase them in their
//! own terms.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::optimize::Termination;
use crate::statistics::ClassStatistics;

/// Fraction of the identity in a metric from which on a warning is given.
const TOLD: f64 = 0.1;

/// A warning about a fit.
///
/// `Display` gives a message for users, and [`Warning::name`] an identifier that does not change.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Without a constraint and with noise, the objective has no maximum.
    Unbounded,
    /// Second moments were used as covariances of classes with equal means.
    SecondMomentsAsCovariances {
        /// The name of the distance.
        distance: String,
    },
    /// Covariances in single precision are multiplied in double precision.
    DoublePrecision {
        /// The largest variance divided by the noise.
        ratio: f64,
    },
    /// The fit was canceled before all filters were learned.
    CancelledAfter {
        /// The number of filters that were learned.
        learned: usize,
        /// The requested number of filters.
        filters: usize,
    },
    /// The optimum was not reached.
    NotConverged {
        /// The number of iterations.
        iterations: usize,
        /// The reason why the optimization ended.
        termination: Termination,
    },
    /// Round-off is a considerable fraction of the smallest variance in feature space.
    LostDigits {
        /// The label of the class with this variance.
        class: String,
        /// The largest variance of the data divided by this variance.
        condition: f64,
        /// The round-off as a fraction of the smallest variance in feature space.
        lost: f64,
    },
    /// There are more filters than the criterion determines.
    BeyondCriterion {
        /// The number of filters that the criterion determines.
        rank: usize,
    },
    /// Scatters of t distributions were computed from covariances.
    MomentMatched {
        /// The degrees of freedom ν.
        degrees: f64,
    },
    /// A robust covariance estimator did not converge.
    RobustUnsettled {
        /// The name of the estimator.
        estimator: String,
        /// The number of steps.
        steps: usize,
        /// The labels of the classes that did not converge.
        classes: Vec<String>,
    },
    /// Classes have so few samples per dimension that outliers were detected in a shrunk metric.
    RobustShrunk {
        /// The name of the estimator.
        estimator: String,
        /// The labels of the classes.
        classes: Vec<String>,
        /// The largest fraction of the identity in the metric.
        share: f64,
    },
    /// Samples that depend on the previous sample of their class, such as those of a time series.
    DependentRows {
        /// The correlation of consecutive samples of a class.
        correlation: f64,
    },
    /// A warning that was read from a file, which contains its message.
    Recorded(String),
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Warning {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self::Recorded)
    }
}

impl Warning {
    /// Returns the warnings about class statistics, which do not depend on how the statistics are
    /// used.
    pub(crate) fn of_statistics(statistics: &ClassStatistics) -> Vec<Self> {
        let Some(note) = statistics.robust() else { return Vec::new() };
        let estimator = note.estimator.to_string();
        let mut warnings = Vec::new();
        if note.largest_share >= TOLD {
            let (classes, share) = (note.shrunk.clone(), note.largest_share);
            warnings.push(Self::RobustShrunk { estimator: estimator.clone(), classes, share });
        }
        if !note.unsettled.is_empty() {
            let classes = note.unsettled.clone();
            warnings.push(Self::RobustUnsettled { estimator, steps: note.steps, classes });
        }
        warnings
    }

    /// Returns the name, which stays the same if the message changes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unbounded => "unbounded",
            Self::SecondMomentsAsCovariances { .. } => "second-moments-as-covariances",
            Self::DoublePrecision { .. } => "double-precision",
            Self::CancelledAfter { .. } => "cancelled-after",
            Self::NotConverged { .. } => "not-converged",
            Self::LostDigits { .. } => "lost-digits",
            Self::BeyondCriterion { .. } => "beyond-criterion",
            Self::MomentMatched { .. } => "moment-matched",
            Self::RobustUnsettled { .. } => "robust-unsettled",
            Self::RobustShrunk { .. } => "robust-shrunk",
            Self::DependentRows { .. } => "dependent-rows",
            Self::Recorded(_) => "recorded",
        }
    }
}

/// Returns a list of the first few classes.
fn named(classes: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = classes.iter().take(SHOWN).map(|class| format!("'{class}'")).collect();
    let kind = if classes.len() == 1 { "class" } else { "classes" };
    let more = classes.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{kind} {}{more}", shown.join(", "))
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded(text) => f.write_str(text),
            Self::Unbounded => f.write_str(
                "without a constraint and with noise, the objective grows with the length of the filters and has no \
                 maximum: use constraint sphere or orthonormal",
            ),
            Self::SecondMomentsAsCovariances { distance } => write!(
                f,
                "only second moments were given: distance '{distance}' uses them as covariances of classes with \
                 equal means"
            ),
            Self::DoublePrecision { ratio } => write!(
                f,
                "the largest variance is {ratio:.1e} times the noise: covariances are multiplied in double precision"
            ),
            Self::CancelledAfter { learned, filters } => {
                write!(f, "cancelled after {learned} of {filters} filters")
            }
            Self::NotConverged { iterations, termination } => write!(
                f,
                "the fit did not converge: it stopped after {iterations} iterations ({})",
                termination.name()
            ),
            Self::LostDigits { class, condition, lost } => write!(
                f,
                "the largest variance of the data is {condition:.0e} times the smallest variance of the features of class '{class}', of \
                 which {:.2} % is round-off, and the noise is 0: set a positive noise, or scale every column by its standard deviation",
                100.0 * lost.min(1.0)
            ),
            Self::BeyondCriterion { rank } => write!(
                f,
                "the criterion determines only {rank} filters (classes less one): the others are principal \
                 components"
            ),
            Self::MomentMatched { degrees } => write!(
                f,
                "the scatters of t distributions with ν = {degrees} were set to {:.3} times the covariances, so outliers \
                 have full weight: pass samples for a robust scatter",
                (degrees - 2.0) / degrees
            ),
            Self::RobustUnsettled { estimator, steps, classes } => write!(
                f,
                "the covariance estimator {estimator} did not converge in {steps} steps in {}: its statistics are \
                 approximate",
                named(classes)
            ),
            Self::DependentRows { correlation } => write!(
                f,
                "consecutive samples of a class have a correlation of {correlation:.2}, as in a time series: if related \
                 samples are both used for training and held out, held-out accuracy is too high; name the group of every \
                 sample, such as its recording"
            ),
            Self::RobustShrunk { estimator, classes, share } => write!(
                f,
                "{} {} fewer than ten samples per dimension, or nearly constant columns: the covariance estimator {estimator} \
                 detected outliers in a metric shrunk by up to {share:.2}",
                named(classes),
                if classes.len() == 1 { "has" } else { "have" }
            ),
        }
    }
}

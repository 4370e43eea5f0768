//! What a user should know about a fit, as values; the text is for whoever has no better words.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::optimize::Termination;
use crate::statistics::ClassStatistics;

/// The share of the identity in a metric from which a user should know of it.
const TOLD: f64 = 0.1;

/// What a user should know about a fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Without a constraint and with noise the objective has no maximum.
    Unbounded,
    /// Second moments stand in for covariances of classes with equal means.
    SecondMomentsAsCovariances {
        /// The distance that takes them so.
        distance: String,
    },
    /// Single-precision covariances are passed over in double precision.
    DoublePrecision {
        /// The largest variance over the noise.
        ratio: f64,
    },
    /// Cancelled with filters missing.
    CancelledAfter {
        /// Filters learned.
        learned: usize,
        /// Filters asked for.
        filters: usize,
    },
    /// The optimum was not reached.
    NotConverged {
        /// Iterations taken.
        iterations: usize,
        /// Why it ended.
        termination: Termination,
    },
    /// Round-off is a visible share of the smallest variance behind the filters.
    LostDigits {
        /// The class whose variance it is.
        class: String,
        /// The largest variance of the data over this one.
        condition: f64,
        /// The share that is round-off.
        lost: f64,
    },
    /// More filters than the criterion has anything to say about.
    BeyondCriterion {
        /// Filters it speaks of.
        rank: usize,
    },
    /// Scatters of t distributions were taken from covariances.
    MomentMatched {
        /// ν.
        degrees: f64,
    },
    /// The fixed point of a robust estimator was not reached.
    RobustUnsettled {
        /// The estimator.
        estimator: String,
        /// Steps taken.
        steps: usize,
        /// The classes that were still moving.
        classes: Vec<String>,
    },
    /// Classes with so few points a dimension that outliers were told in a shrunk metric.
    RobustShrunk {
        /// The estimator.
        estimator: String,
        /// The classes.
        classes: Vec<String>,
        /// The largest share of the identity.
        share: f64,
    },
    /// Samples that depend on the previous sample of their class, such as those of a time series.
    DependentRows {
        /// The correlation of consecutive samples of a class.
        correlation: f64,
    },
    /// A warning from a file, which holds its text.
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
    /// What a user should know about statistics, however they are used.
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

    /// Its name, which stays the same whatever the words.
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

/// The first few classes.
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
                "without a constraint and with noise the objective grows with the length of the filters and has no \
                 maximum: use constraint sphere or orthonormal",
            ),
            Self::SecondMomentsAsCovariances { distance } => write!(
                f,
                "only second moments were given: distance '{distance}' takes them for covariances of classes with \
                 equal means"
            ),
            Self::DoublePrecision { ratio } => write!(
                f,
                "the largest variance is {ratio:.1e} times the noise: passes run in double precision"
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
                "the data vary {condition:.0e} times as much as class '{class}' does behind the filters, of which {:.2} % is \
                 round-off, and there is no noise: set noise, or scale every column by its standard deviation",
                100.0 * lost.min(1.0)
            ),
            Self::BeyondCriterion { rank } => write!(
                f,
                "the criterion says nothing beyond {rank} filters (classes less one): the others are principal \
                 components"
            ),
            Self::MomentMatched { degrees } => write!(
                f,
                "covariances were taken for those of t distributions with ν = {degrees}: scatters are {:.3} of them, and \
                 outliers count in full; give points for a robust scatter",
                (degrees - 2.0) / degrees
            ),
            Self::RobustUnsettled { estimator, steps, classes } => write!(
                f,
                "the covariance estimator {estimator} had not settled after {steps} steps in {}: its statistics are \
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
                "{} {} fewer than ten points a dimension, or nearly constant columns: the covariance estimator {estimator} \
                 told outliers in a metric shrunk by up to {share:.2}",
                named(classes),
                if classes.len() == 1 { "has" } else { "have" }
            ),
        }
    }
}

//! The one catalogue of methods: everything that flags, help texts, files, comparisons and tests must know of each.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::classify::ClassifierKind;
use crate::constraint::Constraint;
use crate::model::{Degrees, InverseRegression, Noise, VARIANTS, Variant};
use crate::names::Unknown;
use crate::statistics::{Estimator, Form, Scaling};

use super::ama::{self, Ama};
use super::inverse_regression::InverseReducer;
use super::lfda::{self, LfdaReducer};
use super::limit::Limit;
use super::lmnn::{self, LmnnReducer};
use super::nca::{self, NcaReducer};
use super::setting::{Parameter, Setting, Usual};
use super::sqfa::SqfaReducer;
use super::wda::{self, WdaReducer};
use super::{Choice, Lda, Pca, ReduceError, Reducer, ReducerSettings, Spca, lda};

/// What a method learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Class statistics are enough.
    Statistics,
    /// Points.
    Points,
}

/// What the objective of a fit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// There is none: a closed form.
    None,
    /// The mean distance over pairs of classes.
    MeanDistance,
    /// The gain in log likelihood when every class has its own Gaussian.
    LikelihoodGain,
    /// The mean log posterior of the true class.
    LogPosterior,
    /// A loss, the smaller the better.
    Loss,
}

/// Where a method stands in the paper's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its place, from 0.
    pub place: u8,
    /// The one data set it is run on, where it is not run on all.
    pub only: Option<&'static str>,
}

/// What is known of a method.
#[derive(Debug, Clone, Copy)]
pub struct ReducerEntry {
    /// Its name in every flag, file and message.
    pub name: &'static str,
    /// How the paper writes it.
    pub title: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What it learns from.
    pub needs: Needs,
    /// The settings it takes beside the seed.
    pub settings: &'static [Parameter],
    /// The distance it maximizes unless told otherwise, where it maximizes one.
    pub distance: Option<&'static str>,
    /// The constraint on its filters unless told otherwise, where there is one.
    pub constraint: Option<Constraint>,
    /// What bounds the number of filters.
    pub limit: Limit,
    /// What its objective is.
    pub objective: Objective,
    /// Whether the seed changes its result.
    pub seeded: bool,
    /// Its column in the paper's tables, if it has one.
    pub paper: Option<Column>,
    /// The classifier of its features.
    pub classifier: ClassifierKind,
    /// Degrees of freedom, where its classes are t distributions.
    pub degrees: Option<Degrees>,
    /// Whether one covariance for all classes is enough for it.
    pub(crate) pools: bool,
    /// Whether it ranks directions by their variance, so that columns in large units come first.
    pub(crate) ranks_by_variance: bool,
    build: fn(&Self, ReducerSettings) -> Box<dyn Reducer>,
}

impl ReducerEntry {
    /// What it says about a setting, when it takes it.
    pub fn parameter(&self, setting: Setting) -> Option<&'static Parameter> {
        self.settings.iter().find(|parameter| parameter.setting == setting)
    }

    /// Returns the reducer with these settings.
    pub fn reducer(&self, settings: &ReducerSettings) -> Box<dyn Reducer> {
        (self.build)(self, settings.clone())
    }

    /// Whether it takes a setting.
    pub fn takes(&self, setting: Setting) -> bool {
        self.parameter(setting).is_some()
    }

    /// How columns are scaled where nobody says so: each by its own deviation where a shrinkage that nobody gave pulls towards
    /// equal variances, else not at all.
    pub(crate) fn usual_scaling(&self, settings: &ReducerSettings) -> Scaling {
        let open = !matches!(settings.shrinkage, Choice::Value(_));
        if self.takes(Setting::Shrinkage) && open { Scaling::PerFeature } else { Scaling::None }
    }

    /// Whether it adds noise that nobody gave and nothing chooses, the same to every filter: in columns of several units
    /// those of the largest numbers would be all that is left.
    pub(crate) fn has_plain_noise(&self, settings: &ReducerSettings) -> bool {
        self.objective == Objective::LogPosterior && !matches!(settings.noise, Noise::Value(_))
    }

    /// Whether it chooses principal components to work in by itself.
    pub(crate) fn has_own_components(&self) -> bool {
        self.limit == Limit::Components
    }

    /// Whether it learns from points rather than class statistics.
    pub fn needs_points(&self) -> bool {
        self.needs == Needs::Points
    }

    /// How many covariances with all entries a fit to so many points makes, `width` bytes a number: none where it costs less to
    /// keep the points as they are, one where that is enough for the method and one a class would cost more.
    pub fn covariances(
        &self,
        estimator: Estimator,
        points: u64,
        dimension: usize,
        classes: usize,
        width: usize,
    ) -> Option<usize> {
        let pays = |count| Form::decide(points, dimension, count, width) != Form::Factor;
        let pooled = self.pools && estimator == Estimator::Empirical;
        let counts = [classes, if pooled { 1 } else { classes }];
        counts.into_iter().find(|&count| pays(count))
    }

    /// How class covariances are estimated unless told otherwise; ν may have been given.
    pub fn estimator(&self, degrees: Option<f64>) -> Estimator {
        match self.degrees {
            None => Estimator::Empirical,
            Some(Degrees::Usual(usual)) => Estimator::StudentT(Some(degrees.unwrap_or(usual))),
            Some(Degrees::Fixed(own)) => Estimator::StudentT(Some(own)),
        }
    }

    /// The distance it maximizes, where it maximizes one; ν may have been given.
    pub fn distance_with(&self, degrees: Option<f64>) -> Option<String> {
        match (self.degrees, degrees) {
            (Some(Degrees::Usual(_)), Some(given)) => Some(format!("calvo-oller-t:{given}")),
            _ => self.distance.map(str::to_owned),
        }
    }

    /// Whether it is one of the paper's columns.
    pub fn in_paper(&self) -> bool {
        self.paper.is_some()
    }
}

const fn column(place: u8) -> Option<Column> {
    Some(Column { place, only: None })
}

/// What methods that climb class statistics take.
const CLIMB: &[Parameter] = &[
    Parameter::common(Setting::Noise),
    Parameter::common(Setting::Constraint),
    Parameter::common(Setting::Start),
    Parameter::common(Setting::Restarts),
    Parameter::common(Setting::Sequential),
    Parameter::common(Setting::Optimizer),
    Parameter::common(Setting::Pairs),
    Parameter::common(Setting::MaxIterations),
    Parameter::common(Setting::Tolerance),
];
/// The same with one setting more.
const fn climb_with(first: Parameter) -> [Parameter; CLIMB.len() + 1] {
    let mut settings = [first; CLIMB.len() + 1];
    let mut at = 0;
    while at < CLIMB.len() {
        settings[at + 1] = CLIMB[at];
        at += 1;
    }
    settings
}
/// The same with a free distance.
const CLIMB_ANY: &[Parameter] = &climb_with(Parameter::common(Setting::Distance));
/// The same with free degrees of freedom.
const CLIMB_T: &[Parameter] = &climb_with(Parameter {
    setting: Setting::Degrees,
    usual: Usual::Number(5.0),
    grid: &[],
    help: "",
});

/// A closed form on class statistics.
const CLOSED: ReducerEntry = ReducerEntry {
    name: "",
    title: "",
    summary: "",
    needs: Needs::Statistics,
    settings: &[],
    distance: None,
    constraint: None,
    limit: Limit::Dimension,
    objective: Objective::None,
    seeded: false,
    paper: None,
    classifier: ClassifierKind::Quadratic,
    degrees: None,
    pools: false,
    ranks_by_variance: false,
    build: |_, _| Box::new(Spca),
};

static BASELINES: &[ReducerEntry] = &[
    ReducerEntry {
        name: "lda",
        title: "LDA",
        summary: "linear discriminant analysis with shrinkage",
        settings: &[lda::SHRINKAGE],
        limit: Limit::ClassesLessOne,
        classifier: ClassifierKind::Linear,
        pools: true,
        paper: column(7),
        build: |_, settings| {
            let ReducerSettings { shrinkage, shrinks_total, seed, .. } = settings;
            Box::new(Lda { shrinkage, shrinks_total, seed })
        },
        ..CLOSED
    },
    ReducerEntry {
        name: "spca",
        title: "SPCA",
        summary: "supervised principal components",
        ranks_by_variance: true,
        paper: column(8),
        build: |_, _| Box::new(Spca),
        ..CLOSED
    },
    ReducerEntry {
        name: "lfda",
        title: "LFDA",
        summary: "local Fisher discriminant analysis",
        needs: Needs::Points,
        settings: lfda::SETTINGS,
        limit: Limit::Components,
        paper: column(9),
        build: |_, settings| Box::new(LfdaReducer::new(settings)),
        ..CLOSED
    },
    ReducerEntry {
        name: "wda",
        title: "WDA",
        summary: "Wasserstein discriminant analysis on some points of every class",
        needs: Needs::Points,
        settings: wda::SETTINGS,
        limit: Limit::Components,
        objective: Objective::Loss,
        seeded: true,
        paper: column(10),
        build: |_, settings| Box::new(WdaReducer::new(settings)),
        ..CLOSED
    },
    ReducerEntry {
        name: "lmnn",
        title: "LMNN",
        summary: "large-margin nearest neighbors on some points of every class",
        needs: Needs::Points,
        settings: lmnn::SETTINGS,
        limit: Limit::Components,
        objective: Objective::Loss,
        paper: column(11),
        build: |_, settings| Box::new(LmnnReducer::new(settings)),
        ..CLOSED
    },
    ReducerEntry {
        name: "pca",
        title: "PCA",
        summary: "principal components",
        settings: &[Parameter::common(Setting::Solver)],
        ranks_by_variance: true,
        paper: column(12),
        build: |_, settings| Box::new(Pca { solver: settings.solver }),
        ..CLOSED
    },
    ReducerEntry {
        name: "ama",
        title: "AMA",
        summary: "accuracy maximization: the posterior of the true class, filters in pairs",
        needs: Needs::Points,
        settings: ama::SETTINGS,
        constraint: Some(Constraint::Sphere),
        objective: Objective::LogPosterior,
        seeded: true,
        paper: Some(Column { place: 6, only: Some("speed") }),
        build: |_, settings| Box::new(Ama { settings }),
        ..CLOSED
    },
    ReducerEntry {
        name: "lad",
        title: "LAD",
        summary: "likelihood acquired directions",
        settings: CLIMB,
        constraint: Some(Constraint::Sphere),
        objective: Objective::LikelihoodGain,
        seeded: true,
        build: |entry, settings| {
            Box::new(SqfaReducer { name: entry.name, variant: None, settings })
        },
        ..CLOSED
    },
    ReducerEntry {
        name: "save",
        title: "SAVE",
        summary: "sliced average variance estimation: how class covariances differ, in closed form",
        settings: &[Parameter::common(Setting::Noise)],
        build: |_, settings| Box::new(InverseReducer { kind: InverseRegression::Save, settings }),
        ..CLOSED
    },
    ReducerEntry {
        name: "directional-regression",
        title: "DR",
        summary: "directional regression: how class means and covariances differ, in closed form",
        settings: &[Parameter::common(Setting::Noise)],
        build: |_, settings| {
            Box::new(InverseReducer { kind: InverseRegression::Directional, settings })
        },
        ..CLOSED
    },
    ReducerEntry {
        name: "nca",
        title: "NCA",
        summary: "neighborhood components on some points of every class",
        needs: Needs::Points,
        settings: nca::SETTINGS,
        limit: Limit::Components,
        objective: Objective::Loss,
        build: |_, settings| Box::new(NcaReducer::new(settings)),
        ..CLOSED
    },
];

/// The method whose distance is free.
const FREE: &str = "sqfa";

/// The entry of a variant of SQFA: the distance is its own, the rest is the family's.
fn entry(variant: &Variant) -> ReducerEntry {
    ReducerEntry {
        name: variant.name,
        title: variant.title,
        summary: variant.summary,
        // Without points there is no scatter of distributions that have no covariance.
        needs: match variant.degrees {
            Some(Degrees::Fixed(own)) if own <= 2.0 => Needs::Points,
            _ => Needs::Statistics,
        },
        settings: match variant.degrees {
            Some(Degrees::Usual(_)) => CLIMB_T,
            _ if variant.name == FREE => CLIMB_ANY,
            _ => CLIMB,
        },
        degrees: variant.degrees,
        distance: Some(variant.distance),
        constraint: Some(variant.constraint),
        objective: Objective::MeanDistance,
        seeded: true,
        paper: variant.column.and_then(column),
        build: |entry, settings| {
            let variant = Variant::named(entry.name).ok();
            Box::new(SqfaReducer { name: entry.name, variant, settings })
        },
        ..CLOSED
    }
}

static CATALOGUE: LazyLock<Vec<ReducerEntry>> =
    LazyLock::new(|| VARIANTS.iter().map(entry).chain(BASELINES.iter().copied()).collect());

/// Every method: the SQFA family first, then the baselines.
pub fn reducers() -> &'static [ReducerEntry] {
    &CATALOGUE
}

/// Returns the entry of a method.
///
/// # Errors
///
/// If there is no such method; the error suggests the most similar name.
pub fn reducer_entry(name: &str) -> Result<&'static ReducerEntry, Unknown> {
    let known = reducers().iter().find(|entry| entry.name == name);
    known.ok_or_else(|| Unknown::new("method", name, reducers().iter().map(|entry| entry.name)))
}

/// The end of the name of a method whose filters are refined.
const REFINED: &str = "+refine";

/// A method, with or without the refinement of its filters. As text it is the name of the method, followed by `+refine` if the
/// filters are refined.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// What is known of the method.
    pub entry: &'static ReducerEntry,
    /// Whether the filters are refined.
    pub refined: bool,
}

impl Method {
    /// Returns a method by its name in the catalogue.
    ///
    /// # Errors
    ///
    /// If there is no such method; the error suggests the most similar name.
    pub fn named(name: &str, refined: bool) -> Result<Self, Unknown> {
        Ok(Self { entry: reducer_entry(name)?, refined })
    }

    /// The classifier of its features. Refinement optimizes the posteriors of the quadratic one.
    pub fn classifier(&self) -> ClassifierKind {
        if self.refined { ClassifierKind::Quadratic } else { self.entry.classifier }
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.refined == other.refined
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        if self.refined { f.write_str(REFINED) } else { Ok(()) }
    }
}

impl FromStr for Method {
    type Err = Unknown;
    fn from_str(name: &str) -> Result<Self, Unknown> {
        match name.strip_suffix(REFINED) {
            Some(start) => Self::named(start, true),
            None => Self::named(name, false),
        }
    }
}

/// Returns the reducer of a method by name, such as `sqfa-h`.
///
/// # Errors
///
/// If there is no such method.
pub fn reducer(name: &str, settings: &ReducerSettings) -> Result<Box<dyn Reducer>, ReduceError> {
    Ok(reducer_entry(name)?.reducer(settings))
}

//! The catalogue of methods, with the properties that flags, help texts, files, comparisons and
//! tests need.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::classify::ClassifierKind;
use crate::constraint::Constraint;
use crate::distance::{Claims, Distance, registry};
use crate::model::{Degrees, FitError, InverseRegression, Noise, VARIANTS, Variant};
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

/// The data that a method learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Class statistics are sufficient.
    Statistics,
    /// Samples are needed.
    Points,
}

/// The objective of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// No objective, because the method is a closed form.
    None,
    /// The mean distance over pairs of classes, which is maximized.
    MeanDistance,
    /// The gain in log likelihood if every class has its own Gaussian, which is maximized.
    LikelihoodGain,
    /// The mean log posterior of the true class, which is maximized.
    LogPosterior,
    /// A loss, which is minimized.
    Loss,
}

/// The column of a method in the paper's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The index of the column, from 0.
    pub place: u8,
    /// The only data set that the method is run on; `None` if it is run on all.
    pub only: Option<&'static str>,
}

/// The entry of a method in the catalogue: its properties, and the settings that it uses.
///
/// # Examples
///
/// ```
/// use sqfa::reduce::{ReducerSettings, Setting, reducer_entry};
///
/// let lda = reducer_entry("lda").unwrap();
/// assert_eq!(lda.title, "LDA");
/// assert!(lda.takes(Setting::Shrinkage) && !lda.takes(Setting::Noise));
/// assert!(!lda.needs_points());
///
/// let reducer = lda.reducer(&ReducerSettings::default());
/// assert_eq!(reducer.name(), "lda");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ReducerEntry {
    /// The name in flags, files and messages.
    pub name: &'static str,
    /// The name in the paper.
    pub title: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// The data that the method learns from.
    pub needs: Needs,
    /// The settings that the method uses, in addition to the seed.
    pub settings: &'static [Parameter],
    /// The default distance of methods that maximize a distance.
    pub distance: Option<&'static str>,
    /// The default constraint of methods that constrain their filters.
    pub constraint: Option<Constraint>,
    /// The limit on the number of filters.
    pub limit: Limit,
    /// The objective of the method.
    pub objective: Objective,
    /// Whether the result depends on the seed.
    pub seeded: bool,
    /// The column in the paper's tables, if there is one.
    pub paper: Option<Column>,
    /// The classifier of the features.
    pub classifier: ClassifierKind,
    /// The degrees of freedom of methods that model classes as t distributions.
    pub degrees: Option<Degrees>,
    /// Whether one covariance for all classes is sufficient.
    pub(crate) pools: bool,
    /// Whether the method ranks directions by their variance, so that columns of large scale come
    /// first.
    pub(crate) ranks_by_variance: bool,
    build: fn(&Self, ReducerSettings) -> Box<dyn Reducer>,
}

impl ReducerEntry {
    /// Returns how the method uses a setting, or `None` if it does not use it.
    pub fn parameter(&self, setting: Setting) -> Option<&'static Parameter> {
        self.settings.iter().find(|parameter| parameter.setting == setting)
    }

    /// Returns the reducer with these settings.
    pub fn reducer(&self, settings: &ReducerSettings) -> Box<dyn Reducer> {
        (self.build)(self, settings.clone())
    }

    /// Checks that the method can maximize a distance: smSQFA accepts only distances that depend on second moments alone.
    ///
    /// # Errors
    ///
    /// If the method compares second moments and the distance depends on anything else, or is a function of the user's own.
    pub fn check_distance(&self, distance: &Distance) -> Result<(), FitError> {
        let of_moments = |claims: Claims| claims.second_moments;
        if self.name != MOMENTS || distance.claims().is_some_and(of_moments) {
            return Ok(());
        }
        let accepted = registry().iter().filter(|entry| of_moments(entry.claims));
        Err(FitError::NotOfSecondMoments {
            method: self.name,
            distance: distance.name().to_owned(),
            accepted: accepted.map(|entry| entry.name).collect(),
            any: FREE,
        })
    }

    /// Returns whether the method uses a setting.
    pub fn takes(&self, setting: Setting) -> bool {
        self.parameter(setting).is_some()
    }

    /// Returns the default scaling of columns.
    ///
    /// If the shrinkage was not specified, every column is divided by its standard deviation,
    /// because shrinkage towards equal variances depends on the scales of the columns. Otherwise,
    /// columns are not scaled.
    pub(crate) fn usual_scaling(&self, settings: &ReducerSettings) -> Scaling {
        let open = !matches!(settings.shrinkage, Choice::Value(_));
        if self.takes(Setting::Shrinkage) && open { Scaling::PerFeature } else { Scaling::None }
    }

    /// Returns whether the method adds a default noise, which is the same for every filter and is
    /// not selected.
    ///
    /// With columns of different scales, only the columns of large scale would remain visible above
    /// such noise.
    pub(crate) fn has_plain_noise(&self, settings: &ReducerSettings) -> bool {
        self.objective == Objective::LogPosterior && !matches!(settings.noise, Noise::Value(_))
    }

    /// Returns whether the method selects the principal components that it works in.
    pub(crate) fn has_own_components(&self) -> bool {
        self.limit == Limit::Components
    }

    /// Returns whether the method learns from samples rather than class statistics.
    pub fn needs_points(&self) -> bool {
        self.needs == Needs::Points
    }

    /// Returns the number of full covariances that a fit to `points` samples computes, with `width`
    /// bytes per number.
    ///
    /// The result is `None` if storing the samples themselves is cheaper than any full covariance.
    /// It is 1 if a single covariance is sufficient for the method and one per class would be more
    /// expensive than the samples.
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

    /// Returns the default covariance estimator of the method; specified degrees of freedom replace
    /// the default ones.
    pub fn estimator(&self, degrees: Option<f64>) -> Estimator {
        match self.degrees {
            None => Estimator::Empirical,
            Some(Degrees::Usual(usual)) => Estimator::StudentT(Some(degrees.unwrap_or(usual))),
            Some(Degrees::Fixed(own)) => Estimator::StudentT(Some(own)),
        }
    }

    /// Returns the default distance of a method that maximizes a distance; specified degrees of
    /// freedom replace the default ones.
    pub fn distance_with(&self, degrees: Option<f64>) -> Option<String> {
        match (self.degrees, degrees) {
            (Some(Degrees::Usual(_)), Some(given)) => Some(format!("calvo-oller-t:{given}")),
            _ => self.distance.map(str::to_owned),
        }
    }

    /// Returns whether the method has a column in the paper's tables.
    pub fn in_paper(&self) -> bool {
        self.paper.is_some()
    }
}

const fn column(place: u8) -> Option<Column> {
    Some(Column { place, only: None })
}

/// The settings of methods that optimize an objective of class statistics.
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
/// Returns the settings of such methods, preceded by one more setting.
const fn climb_with(first: Parameter) -> [Parameter; CLIMB.len() + 1] {
    let mut settings = [first; CLIMB.len() + 1];
    let mut at = 0;
    while at < CLIMB.len() {
        settings[at + 1] = CLIMB[at];
        at += 1;
    }
    settings
}
/// The settings of the method that accepts any distance.
const CLIMB_ANY: &[Parameter] = &climb_with(Parameter::common(Setting::Distance));
/// The same with a free distance of second moments.
const CLIMB_MOMENTS: &[Parameter] = &climb_with(Parameter {
    setting: Setting::Distance,
    usual: Usual::Word("affine-invariant"),
    grid: &[],
    help: "",
});
/// The settings of methods whose degrees of freedom can be changed.
const CLIMB_T: &[Parameter] = &climb_with(Parameter {
    setting: Setting::Degrees,
    usual: Usual::Number(5.0),
    grid: &[],
    help: "",
});

/// A closed form on class statistics, from which other entries start.
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
        summary: "supervised principal component analysis",
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
        summary: "Wasserstein discriminant analysis on a sample of every class",
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
        summary: "large-margin nearest neighbors on a sample of every class",
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
        summary: "principal component analysis",
        settings: &[Parameter::common(Setting::Solver)],
        ranks_by_variance: true,
        paper: column(12),
        build: |_, settings| Box::new(Pca { solver: settings.solver }),
        ..CLOSED
    },
    ReducerEntry {
        name: "ama",
        title: "AMA",
        summary: "accuracy maximization analysis: the posterior of the true class, with filters learned in pairs",
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
        summary: "sliced average variance estimation: differences between class covariances, in closed form",
        settings: &[Parameter::common(Setting::Noise)],
        build: |_, settings| Box::new(InverseReducer { kind: InverseRegression::Save, settings }),
        ..CLOSED
    },
    ReducerEntry {
        name: "directional-regression",
        title: "DR",
        summary: "directional regression: differences between class means and covariances, in closed form",
        settings: &[Parameter::common(Setting::Noise)],
        build: |_, settings| {
            Box::new(InverseReducer { kind: InverseRegression::Directional, settings })
        },
        ..CLOSED
    },
    ReducerEntry {
        name: "nca",
        title: "NCA",
        summary: "neighborhood components analysis on a sample of every class",
        needs: Needs::Points,
        settings: nca::SETTINGS,
        limit: Limit::Components,
        objective: Objective::Loss,
        build: |_, settings| Box::new(NcaReducer::new(settings)),
        ..CLOSED
    },
];

/// The method that accepts any distance.
const FREE: &str = "sqfa";
/// The method that accepts every distance of second moments.
const MOMENTS: &str = "smsqfa";

/// Returns the entry of a variant of SQFA. Most have a distance of their own, and the other settings are those of the family.
fn entry(variant: &Variant) -> ReducerEntry {
    ReducerEntry {
        name: variant.name,
        title: variant.title,
        summary: variant.summary,
        // A t distribution with ν ≤ 2 has no covariance, so its scatter can only be estimated from
        // samples.
        needs: match variant.degrees {
            Some(Degrees::Fixed(own)) if own <= 2.0 => Needs::Points,
            _ => Needs::Statistics,
        },
        settings: match variant.degrees {
            Some(Degrees::Usual(_)) => CLIMB_T,
            _ if variant.name == FREE => CLIMB_ANY,
            _ if variant.name == MOMENTS => CLIMB_MOMENTS,
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

/// Returns the entries of all methods: first the SQFA family, then the baselines.
pub fn reducers() -> &'static [ReducerEntry] {
    &CATALOGUE
}

/// Returns the entry of the method with this name.
///
/// # Errors
///
/// Returns an error that suggests the most similar name if there is no such method.
pub fn reducer_entry(name: &str) -> Result<&'static ReducerEntry, Unknown> {
    let known = reducers().iter().find(|entry| entry.name == name);
    known.ok_or_else(|| Unknown::new("method", name, reducers().iter().map(|entry| entry.name)))
}

/// The end of the name of a method with refined filters.
const REFINED: &str = "+refine";

/// A method, with or without the refinement of its filters.
///
/// As text, it is the name of the method, followed by `+refine` if the filters are refined.
///
/// # Examples
///
/// ```
/// use sqfa::reduce::Method;
///
/// let method: Method = "sqfa-h+refine".parse().unwrap();
/// assert_eq!(method.entry.title, "SQFA-H");
/// assert!(method.refined);
/// assert_eq!(method.to_string(), "sqfa-h+refine");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// The entry of the method in the catalogue.
    pub entry: &'static ReducerEntry,
    /// Whether the filters are refined.
    pub refined: bool,
}

impl Method {
    /// Returns the method with this name in the catalogue.
    ///
    /// # Errors
    ///
    /// Returns an error that suggests the most similar name if there is no such method.
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

/// Returns the reducer of the method with this name, such as `sqfa-h`.
///
/// # Errors
///
/// Returns [`ReduceError::Unknown`], with the most similar name, if there is no such method.
///
/// # Examples
///
/// ```
/// use sqfa::optimize::Control;
/// use sqfa::reduce::{Choice, ReducerSettings, Training, reducer};
/// use sqfa::{Labels, Points, Table};
///
/// // Four samples of two classes in two dimensions, row by row.
/// let values = [0.0, 0.1, 0.2, 1.0, 2.1, 0.0, 1.9, 1.1];
/// let points = Points::F64(Table::row_major(&values, 4, 2).unwrap());
/// let labels = Labels::from_integers(&[0, 0, 1, 1]);
/// let training = Training::from_points(points, &labels)?;
///
/// let settings =
///     ReducerSettings { shrinkage: Choice::Value(0.1), ..ReducerSettings::default() };
/// let lda = reducer("lda", &settings)?;
/// let found = lda.fit_one(&training, 1, &mut |_| Control::Continue)?;
/// assert_eq!((found.filters.nrows(), found.filters.ncols()), (2, 1));
/// # Ok::<(), sqfa::reduce::ReduceError>(())
/// ```
pub fn reducer(name: &str, settings: &ReducerSettings) -> Result<Box<dyn Reducer>, ReduceError> {
    Ok(reducer_entry(name)?.reducer(settings))
}

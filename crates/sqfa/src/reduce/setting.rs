//! The settings of all methods, one row each, and what a method says about each setting that it uses.

use std::fmt;
use std::str::FromStr;

use crate::constraint::CONSTRAINTS;
use crate::distance::{Pairs, registry};
use crate::model::{Learning, Restarts, Start};
use crate::names::Unknown;
use crate::optimize::{OPTIMIZERS, Optimizer, Stopping};

use super::pca::{PcaSolver, SOLVERS};
use super::samples::{LOCAL_SCALES, LocalScale};
use super::values::{self, BadValue, shown};
use super::{Choice, ReducerEntry, ReducerSettings, Training, reducers};

/// A setting of a method. Settings have the order of [`ROWS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Setting {
    /// The distance to maximize.
    Distance,
    /// The regularization noise σ².
    Noise,
    /// The number of principal components to which a fit is restricted.
    Dimensions,
    /// The number of samples per class that are used.
    PerClass,
    /// The shrinkage of scatter matrices.
    Shrinkage,
    /// The number of neighbors of a sample.
    Neighbors,
    /// The unit of distances between samples; reported as 1 for the anchor's scale.
    LocalScale,
    /// The Sinkhorn regularization.
    Regularization,
    /// The eigensolver.
    Solver,
    /// The degrees of freedom ν of t distributions.
    Degrees,
    /// The constraint on the filters.
    Constraint,
    /// The initial filters.
    Start,
    /// The number of initializations.
    Restarts,
    /// The number of filters that are learned at a time.
    Sequential,
    /// The optimization algorithm.
    Optimizer,
    /// The class pairs in the objective.
    Pairs,
    /// The largest number of iterations per initialization.
    MaxIterations,
    /// The relative change at which an optimization has converged.
    Tolerance,
}

/// A section of the help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// Settings that most fits need; the short help shows these only.
    Common,
    /// Settings that select the part of the data that is used.
    Data,
    /// Settings of single methods.
    Methods,
    /// Settings of the optimization.
    Optimization,
}

impl Heading {
    /// Returns the title of the section, or `None` for settings among the other options.
    pub fn title(self) -> Option<&'static str> {
        match self {
            Self::Common => None,
            Self::Data => Some("Data"),
            Self::Methods => Some("Settings of single methods"),
            Self::Optimization => Some("Optimization"),
        }
    }
}

/// The kind of values that a setting has.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Names, each with a description, which may be empty.
    Name(fn() -> Vec<(String, &'static str)>),
    /// Whole numbers, or a word.
    Count,
    /// Numbers, or a word.
    Number,
    /// A number, several numbers to select from, or `auto`.
    Selection {
        /// Whether the numbers are whole.
        whole: bool,
    },
}

/// The declaration of a setting, from which flags, parameters, checks, help texts, files and tables
/// are derived.
///
/// # Examples
///
/// ```
/// use sqfa::reduce::{ReducerSettings, Setting};
///
/// let row = Setting::Noise.row();
/// assert_eq!((row.flag, row.parameter), ("--noise", "noise"));
///
/// let mut settings = ReducerSettings::default();
/// (row.read)(&mut settings, "0.3x").unwrap();
/// assert_eq!((row.write)(&settings).as_deref(), Some("0.3x"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The setting.
    pub setting: Setting,
    /// The name in files and records, which never changes.
    pub name: &'static str,
    /// The flag of the command.
    pub flag: &'static str,
    /// The parameter in Python.
    pub parameter: &'static str,
    /// The placeholder of the value in help texts.
    pub value: &'static str,
    /// The value of a flag without one, if a flag may stand alone.
    pub alone: Option<&'static str>,
    /// The section of the help text.
    pub heading: Heading,
    /// The meaning of the setting; the first sentence is the short help.
    pub help: &'static str,
    /// The default of methods that have none of their own; empty if every method has its own.
    pub default: &'static str,
    /// The kind of values.
    pub kind: Kind,
    /// Whether every method has the setting, because it affects the preparation of the data.
    pub universal: bool,
    /// Whether the command that compares methods has the flag as well.
    pub compared: bool,
    /// A function that sets the field from text.
    pub read: fn(&mut ReducerSettings, &str) -> Result<(), BadValue>,
    /// A function that returns the text of the field, or `None` if it is the default or has no
    /// text.
    pub write: fn(&ReducerSettings) -> Option<String>,
}

/// Returns the names of a table, without descriptions.
fn names<T>(list: &[(&str, T)]) -> Vec<(String, &'static str)> {
    list.iter().map(|(name, _)| ((*name).to_owned(), "")).collect()
}

/// All settings, in the order of the help text.
pub const ROWS: &[Row] = &[
    Row {
        setting: Setting::Distance,
        name: "distance",
        flag: "--distance",
        parameter: "distance",
        value: "DISTANCE",
        alone: None,
        heading: Heading::Common,
        help: "Distance between classes that the filters maximize.",
        default: "calvo-oller",
        kind: Kind::Name(|| {
            registry().iter().map(|entry| (entry.spelling(), entry.summary)).collect()
        }),
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.distance = Some(values::distance(text)?);
            Ok(())
        },
        write: |settings| {
            let named = settings.distance.as_ref().filter(|distance| distance.claims().is_some());
            named.map(|distance| distance.name().to_owned())
        },
    },
    Row {
        setting: Setting::Noise,
        name: "noise",
        flag: "--noise",
        parameter: "noise",
        value: "NOISE",
        alone: None,
        heading: Heading::Common,
        help: "Regularization noise σ²: auto, a fraction of the within-class variance such as 0.3x, or a number. auto is \
               selected on held-out samples; scale is 1x; a number is σ² in the scaling of the fit.",
        default: "auto",
        kind: Kind::Number,
        universal: false,
        compared: true,
        read: |settings, text| {
            settings.noise = values::noise(text)?;
            Ok(())
        },
        write: |settings| values::noise_text(settings.noise),
    },
    Row {
        setting: Setting::Dimensions,
        name: "dimensions",
        flag: "--pca-dims",
        parameter: "pca_dims",
        value: "K",
        alone: None,
        heading: Heading::Data,
        help: "Number of leading principal components to which the fit is restricted. By default, only methods that \
               learn from single samples are restricted.",
        default: "",
        kind: Kind::Count,
        universal: true,
        compared: false,
        read: |settings, text| {
            settings.dimensions = Some(values::count(text)?);
            Ok(())
        },
        write: |settings| settings.dimensions.map(|count| count.to_string()),
    },
    Row {
        setting: Setting::PerClass,
        name: "per class",
        flag: "--per-class",
        parameter: "per_class",
        value: "N",
        alone: None,
        heading: Heading::Data,
        help: "Number of samples per class that methods on single samples use. By default, lfda uses all samples.",
        default: "",
        kind: Kind::Count,
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.per_class = Some(values::count(text)?);
            Ok(())
        },
        write: |settings| settings.per_class.map(|count| count.to_string()),
    },
    Row {
        setting: Setting::Shrinkage,
        name: "shrinkage",
        flag: "--shrinkage",
        parameter: "shrinkage",
        value: "S",
        alone: None,
        heading: Heading::Methods,
        help: "Shrinkage of scatter matrices towards equal variances, from 0 to 1. auto and a list such as 0.1,0.4 are \
               selected on held-out samples.",
        default: "auto",
        kind: Kind::Selection { whole: false },
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.shrinkage = values::choice(text)?;
            Ok(())
        },
        write: |settings| values::choice_text(&settings.shrinkage),
    },
    Row {
        setting: Setting::Neighbors,
        name: "neighbors",
        flag: "--neighbors",
        parameter: "n_neighbors",
        value: "K",
        alone: None,
        heading: Heading::Methods,
        help: "Number of neighbors. auto and a list such as 3,5,9 are selected on held-out samples.",
        default: "auto",
        kind: Kind::Selection { whole: true },
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.neighbors = values::choice(text)?;
            Ok(())
        },
        write: |settings| values::choice_text(&settings.neighbors),
    },
    Row {
        setting: Setting::LocalScale,
        name: "anchored scale",
        flag: "--local-scale",
        parameter: "local_scale",
        value: "SCALE",
        alone: None,
        heading: Heading::Methods,
        help: "Unit of the distances between the samples of a class.",
        default: "neighbor",
        kind: Kind::Name(|| {
            vec![
                (
                    LocalScale::Neighbor.name().to_owned(),
                    "the distance of each sample to its k-th nearest neighbor",
                ),
                (
                    LocalScale::Anchor.name().to_owned(),
                    "the distance of each sample to the k-th sample of its class",
                ),
            ]
        }),
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.local_scale = values::named(text, &LOCAL_SCALES)?;
            Ok(())
        },
        write: |settings| {
            let own = Some(settings.local_scale).filter(|own| *own != LocalScale::default());
            own.map(|scale| scale.name().to_owned())
        },
    },
    Row {
        setting: Setting::Regularization,
        name: "regularization",
        flag: "--reg",
        parameter: "reg",
        value: "R",
        alone: None,
        heading: Heading::Methods,
        help: "Sinkhorn regularization. auto and a list such as 0.1,1 are selected on held-out samples.",
        default: "auto",
        kind: Kind::Selection { whole: false },
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.regularization = values::choice(text)?;
            Ok(())
        },
        write: |settings| values::choice_text(&settings.regularization),
    },
    Row {
        setting: Setting::Solver,
        name: "solver",
        flag: "--solver",
        parameter: "solver",
        value: "SOLVER",
        alone: None,
        heading: Heading::Methods,
        help: "Eigensolver of the covariance of all samples.",
        default: "auto",
        kind: Kind::Name(|| {
            vec![
                ("auto".to_owned(), "exact if affordable, otherwise randomized"),
                ("exact".to_owned(), "a dense eigendecomposition"),
                ("randomized".to_owned(), "subspace iteration from a random block"),
            ]
        }),
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.solver = values::named_or_auto(text, &SOLVERS)?.unwrap_or_default();
            Ok(())
        },
        write: |settings| match settings.solver {
            PcaSolver::Auto => None,
            PcaSolver::Exact => Some("exact".to_owned()),
            PcaSolver::Randomized => Some("randomized".to_owned()),
        },
    },
    Row {
        setting: Setting::Degrees,
        name: "nu",
        flag: "--nu",
        parameter: "nu",
        value: "NU",
        alone: None,
        heading: Heading::Methods,
        help: "Degrees of freedom of the classes' t distributions, at least 1.",
        default: "",
        kind: Kind::Number,
        universal: false,
        compared: false,
        read: |settings, text| {
            // Below ν = 1, with heavier tails than those of a Cauchy distribution, the distance is
            // not a lower bound.
            settings.degrees = Some(values::number(text, 1.0)?);
            Ok(())
        },
        write: |settings| settings.degrees.map(shown),
    },
    Row {
        setting: Setting::Constraint,
        name: "constraint",
        flag: "--constraint",
        parameter: "constraint",
        value: "CONSTRAINT",
        alone: None,
        heading: Heading::Optimization,
        help: "Constraint on the filters.",
        default: "",
        kind: Kind::Name(|| names(&CONSTRAINTS)),
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.constraint = Some(values::parsed(text)?);
            Ok(())
        },
        write: |settings| settings.constraint.map(|constraint| constraint.name().to_owned()),
    },
    Row {
        setting: Setting::Start,
        name: "start",
        flag: "--init",
        parameter: "init",
        value: "START",
        alone: None,
        heading: Heading::Optimization,
        help: "Initial filters: one of the names below, or a file (.npy of dimensions × filters, or a model).",
        default: "auto",
        kind: Kind::Name(|| {
            let about = [
                "differences for more than 16 filters, otherwise random",
                "independent normal numbers",
                "random filters, rotated to where the classes differ",
                "the leading principal components",
                "the filters of the method save",
                "the filters of the method directional-regression",
            ];
            Start::NAMES.map(str::to_owned).into_iter().zip(about).collect()
        }),
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.start = values::start(text)?;
            Ok(())
        },
        write: |settings| values::start_text(&settings.start),
    },
    Row {
        setting: Setting::Restarts,
        name: "restarts",
        flag: "--n-init",
        parameter: "n_init",
        value: "N",
        alone: None,
        heading: Heading::Optimization,
        help: "Number of initializations that are optimized side by side: auto (about 16 / M) or a number. The best one \
               is kept.",
        default: "auto",
        kind: Kind::Count,
        universal: false,
        compared: true,
        read: |settings, text| {
            settings.restarts = values::restarts(text)?;
            Ok(())
        },
        write: |settings| match settings.restarts {
            Restarts::Auto => None,
            Restarts::Count(count) => Some(count.to_string()),
        },
    },
    Row {
        setting: Setting::Sequential,
        name: "sequential",
        flag: "--sequential",
        parameter: "sequential",
        value: "SIZE",
        alone: Some("2"),
        heading: Heading::Optimization,
        help: "Learn the filters in groups of SIZE, or of 2 without =SIZE, with the earlier groups fixed. 0 learns all \
               filters at once.",
        default: "0",
        kind: Kind::Count,
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.learning = Some(values::learning(text)?);
            Ok(())
        },
        write: |settings| {
            settings.learning.map(|learning| match learning {
                Learning::Joint => "0".to_owned(),
                Learning::Sequential(size) => size.to_string(),
            })
        },
    },
    Row {
        setting: Setting::Optimizer,
        name: "optimizer",
        flag: "--optimizer",
        parameter: "optimizer",
        value: "OPTIMIZER",
        alone: None,
        heading: Heading::Optimization,
        help: "Optimization algorithm. auto uses the one that needs fewer operations.",
        default: "auto",
        kind: Kind::Name(|| names(&OPTIMIZERS)),
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.optimizer = values::parsed(text)?;
            Ok(())
        },
        write: |settings| {
            let other = Some(settings.optimizer).filter(|own| *own != Optimizer::default());
            other.map(|optimizer| optimizer.name().to_owned())
        },
    },
    Row {
        setting: Setting::Pairs,
        name: "pairs",
        flag: "--pairs",
        parameter: "pairs",
        value: "PAIRS",
        alone: None,
        heading: Heading::Optimization,
        help: "Class pairs included in the objective: auto (all pairs of up to 346 classes, otherwise a seeded sample), \
               all, or a number. The reported objective always includes all pairs.",
        default: "auto",
        kind: Kind::Count,
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.pairs = values::parsed(text)?;
            Ok(())
        },
        write: |settings| match settings.pairs {
            Pairs::Auto => None,
            Pairs::All => Some("all".to_owned()),
            Pairs::Count(count) => Some(count.to_string()),
        },
    },
    Row {
        setting: Setting::MaxIterations,
        name: "max iterations",
        flag: "--max-iter",
        parameter: "max_iter",
        value: "N",
        alone: None,
        heading: Heading::Optimization,
        help: "Maximum number of iterations per initialization.",
        default: "1000",
        kind: Kind::Count,
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.stopping.max_iterations = values::count(text)?;
            Ok(())
        },
        write: |settings| {
            let count = settings.stopping.max_iterations;
            (count != Stopping::default().max_iterations).then(|| count.to_string())
        },
    },
    Row {
        setting: Setting::Tolerance,
        name: "tolerance",
        flag: "--tol",
        parameter: "tol",
        value: "T",
        alone: None,
        heading: Heading::Optimization,
        help: "Relative change of the objective below which the optimization stops. The change must be smaller five \
               times in a row.",
        default: "1e-6",
        kind: Kind::Number,
        universal: false,
        compared: false,
        read: |settings, text| {
            settings.stopping.tolerance = values::number(text, 0.0)?;
            Ok(())
        },
        write: |settings| {
            let tolerance = settings.stopping.tolerance;
            (tolerance != Stopping::default().tolerance).then(|| shown(tolerance))
        },
    },
];

// Settings index this table, so the order must be the same.
const _: () = {
    let mut at = 0;
    while at < ROWS.len() {
        assert!(ROWS[at].setting as usize == at, "rows must have the order of the settings");
        at += 1;
    }
};

impl Row {
    /// Returns whether a method uses the setting.
    pub fn is_used_by(&self, method: &ReducerEntry) -> bool {
        self.universal || method.takes(self.setting)
    }

    /// Returns the default for a method as text, or `None` if the method does not use the setting
    /// or the default has no text.
    pub fn default_of(&self, method: &ReducerEntry) -> Option<String> {
        match method.parameter(self.setting)?.usual {
            Usual::Number(value) => Some(shown(value)),
            Usual::Word(word) => Some(word.to_owned()),
            Usual::Best { .. } => Some("auto".to_owned()),
            Usual::Common if !self.default.is_empty() => Some(self.default.to_owned()),
            Usual::Common => {
                let own = method.constraint.filter(|_| self.setting == Setting::Constraint);
                own.map(|constraint| constraint.name().to_owned())
            }
        }
    }

    /// Returns the defaults of all methods in words, such as `auto` or `3 for lmnn; otherwise
    /// auto`; empty if there are none.
    pub fn defaults(&self) -> String {
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for method in reducers() {
            let Some(default) = self.default_of(method) else { continue };
            match groups.iter_mut().find(|(known, _)| *known == default) {
                Some((_, methods)) => methods.push(method.name),
                None => groups.push((default, vec![method.name])),
            }
        }
        groups.sort_by_key(|(default, methods)| (methods.len(), default == self.default));
        let every = self.universal || !groups.is_empty();
        let users = reducers().iter().filter(|method| self.is_used_by(method)).count();
        let complete =
            every && groups.iter().map(|(_, methods)| methods.len()).sum::<usize>() == users;
        let last = groups.len().saturating_sub(1);
        let words = groups.iter().enumerate().map(|(at, (default, methods))| {
            match (at == last && complete, at) {
                (true, 0) => default.clone(),
                (true, _) => format!("otherwise {default}"),
                (false, _) => format!("{default} for {}", methods.join(", ")),
            }
        });
        words.collect::<Vec<_>>().join("; ")
    }

    /// Returns the meaning of the setting, with the details of the methods that use it in a
    /// particular way.
    pub fn description(&self) -> String {
        let mut words = vec![self.help.to_owned()];
        let own =
            reducers().iter().filter_map(|method| Some((method, method.parameter(self.setting)?)));
        for (method, parameter) in own {
            if !parameter.help.is_empty() {
                words.push(format!("{}: {}.", method.name, parameter.help));
            }
            if !parameter.grid.is_empty() {
                let grid: Vec<String> = parameter.grid.iter().copied().map(shown).collect();
                words.push(format!("In {}, auto tries {}.", method.name, grid.join(", ")));
            }
        }
        words.join(" ")
    }
}

impl Setting {
    /// Returns the row of the setting.
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Returns the name in files, records and reports, which never changes.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the name as an identifier, which some files contain instead.
    pub fn identifier(self) -> String {
        self.name().replace([' ', '-'], "_")
    }

    /// Returns whether the values are whole numbers.
    pub fn is_whole(self) -> bool {
        matches!(self.row().kind, Kind::Count | Kind::Selection { whole: true })
    }

    /// Returns whether the setting accepts several values to select from on held-out samples.
    pub fn is_chosen(self) -> bool {
        matches!(self.row().kind, Kind::Selection { .. })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

crate::names::text_in_files!(Setting, name);

impl FromStr for Setting {
    type Err = Unknown;
    fn from_str(name: &str) -> Result<Self, Unknown> {
        let mut all = ROWS.iter().map(|row| row.setting);
        let known = all.find(|own| own.name() == name || own.identifier() == name);
        known.ok_or_else(|| Unknown::new("setting", name, ROWS.iter().map(|row| row.name)))
    }
}

/// The default of a setting in a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Usual {
    /// The default that all methods share.
    Common,
    /// The best value of the grid on held-out samples.
    Best {
        /// The value if no samples can be held out.
        otherwise: f64,
    },
    /// A number.
    Number(f64),
    /// A word that [`Row::read`] accepts.
    Word(&'static str),
}

/// A setting that a method uses, with the default and the grid for this method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The setting.
    pub setting: Setting,
    /// The default.
    pub usual: Usual,
    /// The values from which `auto` selects on held-out samples.
    pub grid: &'static [f64],
    /// The meaning of the setting for this method in particular; may be empty.
    pub help: &'static str,
}

impl Parameter {
    /// Returns a parameter with the default and the meaning that all methods share.
    pub(super) const fn common(setting: Setting) -> Self {
        Self { setting, usual: Usual::Common, grid: &[], help: "" }
    }

    /// Returns a parameter whose default is a whole number.
    pub(super) const fn count(setting: Setting, count: usize, help: &'static str) -> Self {
        Self { setting, usual: Usual::Number(count as f64), grid: &[], help }
    }

    /// Returns the default number, or 0 if there is none.
    pub fn number(&self) -> f64 {
        match self.usual {
            Usual::Number(value) | Usual::Best { otherwise: value } => value,
            Usual::Common | Usual::Word(_) => 0.0,
        }
    }

    /// Returns the values to select from, with the grid in multiples of `scale`; a single value if
    /// there is nothing to select.
    pub(super) fn values(&self, choice: &Choice, scale: f64, training: &Training<'_>) -> Vec<f64> {
        let grid: Vec<f64> = self.grid.iter().map(|multiple| multiple * scale).collect();
        match (choice, self.usual) {
            (Choice::Usual, Usual::Number(value)) => vec![value],
            (choice, _) => choice.values(&grid, self.number() * scale, training),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of every kind in the form in which users type them. A new setting needs no new value
    /// unless it is a name.
    const SAMPLES: [&str; 24] = [
        "auto",
        "all",
        "scale",
        "none",
        "0",
        "1",
        "2",
        "3",
        "17",
        "0.5",
        "1e-9",
        "2.5",
        "0.1,0.4",
        "3, 5,9",
        "pca",
        "random",
        "neighbor",
        "anchor",
        "exact",
        "randomized",
        "lbfgs",
        "orthonormal",
        "hellinger",
        "chernoff:0.3",
    ];

    #[test]
    fn what_is_written_is_read_as_the_same_value() {
        for row in ROWS {
            let named = match row.kind {
                Kind::Name(names) => names().into_iter().map(|(name, _)| name).collect(),
                Kind::Count | Kind::Number | Kind::Selection { .. } => Vec::new(),
            };
            let samples = SAMPLES.iter().map(|sample| (*sample).to_owned()).chain(named);
            let mut accepted = 0;
            for sample in samples {
                let mut once = ReducerSettings::default();
                if (row.read)(&mut once, &sample).is_err() {
                    assert_eq!(format!("{once:?}"), format!("{:?}", ReducerSettings::default()));
                    continue;
                }
                accepted += 1;
                let mut again = ReducerSettings::default();
                if let Some(text) = (row.write)(&once) {
                    (row.read)(&mut again, &text).unwrap();
                    assert_eq!(format!("{again:?}"), format!("{once:?}"), "{} {sample}", row.flag);
                    assert_eq!((row.write)(&again), Some(text), "{} {sample}", row.flag);
                } else {
                    let default = row.default == sample || sample == "auto";
                    assert!(default, "{} {sample}", row.flag);
                }
                for other in ROWS.iter().filter(|other| other.setting != row.setting) {
                    let untouched = (other.write)(&ReducerSettings::default());
                    assert_eq!((other.write)(&once), untouched, "{} {}", row.flag, other.flag);
                }
            }
            assert!(accepted > 1, "{}", row.flag);
        }
    }

    #[test]
    fn the_default_is_read_and_not_written() {
        for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
            let mut settings = ReducerSettings::default();
            (row.read)(&mut settings, row.default).unwrap();
            if let Some(text) = (row.write)(&settings) {
                // The default of these settings depends on the method, so text can request it
                // explicitly.
                assert!(matches!(row.kind, Kind::Selection { .. }) || text == row.default);
            }
        }
        for row in ROWS {
            for method in reducers() {
                if let Some(default) = row.default_of(method) {
                    (row.read)(&mut ReducerSettings::default(), &default).unwrap();
                }
            }
        }
    }

    #[test]
    fn names_flags_and_parameters_are_unique() {
        for row in ROWS {
            assert_eq!(row.setting.name(), row.name);
            let same = |other: &&Row| {
                other.name == row.name || other.flag == row.flag || other.parameter == row.parameter
            };
            assert_eq!(ROWS.iter().filter(same).count(), 1, "{}", row.name);
            assert!(row.flag.starts_with("--") && row.help.ends_with('.'), "{}", row.name);
        }
    }

    #[test]
    fn both_spellings_of_a_name_are_read() {
        for setting in ROWS.iter().map(|row| row.setting) {
            assert_eq!(setting.name().parse(), Ok(setting));
            assert_eq!(setting.identifier().parse(), Ok(setting));
        }
        assert_eq!("max_iterations".parse(), Ok(Setting::MaxIterations));
        assert!("nois".parse::<Setting>().unwrap_err().to_string().contains("'noise'"));
    }

    #[test]
    fn errors_name_what_is_accepted() {
        let refused = |setting: Setting, text: &str| {
            let row = setting.row();
            (row.read)(&mut ReducerSettings::default(), text).unwrap_err().to_string()
        };
        assert!(refused(Setting::Noise, "scal").contains("did you mean 'scale'?"));
        for text in ["-1", "nan", "inf"] {
            let said = refused(Setting::Noise, text);
            assert!(said.contains("auto, scale") && said.contains("0.3x"), "{said}");
        }
        assert!(refused(Setting::Restarts, "100000000").contains("from 1 to 10000"));
        assert!(refused(Setting::Start, "randm").contains("did you mean 'random'?"));
        assert!(refused(Setting::Degrees, "0.5").contains("at least 1"));
        assert!(refused(Setting::Solver, "fast").contains("auto, exact or randomized"));
    }
}

//! All reducers by name: the one list that flags, files, tables and messages read.

use crate::constraint::Constraint;
use crate::distance::{Distance, Pairs};
use crate::model::{Learning, METHODS, Method, Noise, Restarts, Start};
use crate::names::nearest;
use crate::optimize::{Optimizer, Stopping};

use super::ama::Ama;
use super::neighbourly::{Kind, Neighbourly};
use super::refine::RefinedReducer;
use super::sqfa::SqfaReducer;
use super::{Choice, Lda, LocalScale, Pca, PcaSolver, ReduceError, Reducer, Refinement, Spca};

/// A reducer by name.
#[derive(Debug, Clone, Copy)]
pub struct ReducerEntry {
    /// Its name in every flag, file and message.
    pub name: &'static str,
    /// How the paper writes it.
    pub title: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Whether it is one of the paper's columns.
    pub in_paper: bool,
    /// Whether it learns from points rather than class statistics.
    pub needs_points: bool,
    /// Whether the seed changes its result.
    pub seeded: bool,
}

/// Settings of all reducers; each takes what concerns it.
#[derive(Debug, Clone, Default)]
pub struct ReducerSettings {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The distance to maximise, when not the method's own (sqfa family).
    pub distance: Option<Distance>,
    /// The feature noise (sqfa family, ama, lad).
    pub noise: Noise,
    /// The noises that `auto` chooses among on held-out points (sqfa family, lad); otherwise multiples of the scale.
    pub noises: Vec<f64>,
    /// Where the filters start (sqfa family, lad).
    pub start: Start,
    /// How many starts (sqfa family, lad, ama).
    pub restarts: Restarts,
    /// Whether filters are learned together, when not in the method's own way: ama learns pairs, the others all at once.
    pub learning: Option<Learning>,
    /// Which pairs of classes climbs look at (sqfa family).
    pub pairs: Pairs,
    /// How filters are climbed (sqfa family, lad).
    pub optimizer: Optimizer,
    /// When to stop (iterative methods).
    pub stopping: Stopping,
    /// The constraint, when not the method's own (sqfa family).
    pub constraint: Option<Constraint>,
    /// The shrinkage of scatters (lda).
    pub shrinkage: Choice,
    /// Neighbours (lfda, lmnn).
    pub neighbors: Choice,
    /// What distances are measured in (lfda); otherwise whichever serves held-out points better.
    pub local_scale: Option<LocalScale>,
    /// Sinkhorn regularisation (wda).
    pub regularization: Choice,
    /// Principal components that the methods which look at points work in; otherwise their own number.
    pub dimensions: Option<usize>,
    /// Points of every class that lmnn and wda look at; otherwise their own number.
    pub per_class: Option<usize>,
    /// How pca finds its eigenvectors.
    pub solver: PcaSolver,
    /// How refined methods refine, when not in the usual way.
    pub refinement: Option<Refinement>,
}

const BASELINES: [ReducerEntry; 8] = [
    ReducerEntry {
        name: "lda",
        title: "LDA",
        summary: "linear discriminant analysis with shrinkage",
        in_paper: true,
        needs_points: false,
        seeded: false,
    },
    ReducerEntry {
        name: "spca",
        title: "SPCA",
        summary: "supervised principal components",
        in_paper: true,
        needs_points: false,
        seeded: false,
    },
    ReducerEntry {
        name: "lfda",
        title: "LFDA",
        summary: "local Fisher discriminant analysis",
        in_paper: true,
        needs_points: true,
        seeded: false,
    },
    ReducerEntry {
        name: "wda",
        title: "WDA",
        summary: "Wasserstein discriminant analysis on some points of every class",
        in_paper: true,
        needs_points: true,
        seeded: true,
    },
    ReducerEntry {
        name: "lmnn",
        title: "LMNN",
        summary: "large-margin nearest neighbours on some points of every class",
        in_paper: true,
        needs_points: true,
        seeded: false,
    },
    ReducerEntry {
        name: "pca",
        title: "PCA",
        summary: "principal components",
        in_paper: true,
        needs_points: false,
        seeded: false,
    },
    ReducerEntry {
        name: "ama",
        title: "AMA",
        summary: "accuracy maximisation: the posterior of the true class, filters in pairs",
        in_paper: true,
        needs_points: true,
        seeded: true,
    },
    ReducerEntry {
        name: "lad",
        title: "LAD",
        summary: "likelihood acquired directions",
        in_paper: false,
        needs_points: false,
        seeded: true,
    },
];

/// Every reducer: the SQFA family first, then the baselines in the paper's order.
pub fn reducers() -> Vec<ReducerEntry> {
    let family = METHODS.iter().map(|method| ReducerEntry {
        name: method.name,
        title: method.title,
        summary: method.summary,
        in_paper: method.name != "sqfa-fr",
        needs_points: false,
        seeded: true,
    });
    family.chain(BASELINES).collect()
}

/// What is known of a reducer; the error suggests the nearest name.
pub fn reducer_entry(name: &str) -> Result<ReducerEntry, ReduceError> {
    let all = reducers();
    all.iter().find(|entry| entry.name == name).copied().ok_or_else(|| ReduceError::Unknown {
        name: name.to_owned(),
        near: nearest(name, all.iter().map(|entry| entry.name))
            .map(|near| format!(" (did you mean '{near}'?)"))
            .unwrap_or_default(),
        choices: all.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
    })
}

/// What a name ends with when its filters are refined.
pub const REFINED: &str = "+refine";

/// A reducer by name with its settings; a name that ends with [`REFINED`] is refined.
pub fn reducer(name: &str, settings: &ReducerSettings) -> Result<Box<dyn Reducer>, ReduceError> {
    if let Some(start) = name.strip_suffix(REFINED) {
        let refinement = settings
            .refinement
            .clone()
            .unwrap_or_else(|| Refinement { seed: settings.seed, ..Refinement::default() });
        let start = reducer(start, settings)?;
        return Ok(Box::new(RefinedReducer { name: name.to_owned(), start, refinement }));
    }
    let entry = reducer_entry(name)?;
    let settings = settings.clone();
    let seed = settings.seed;
    Ok(match entry.name {
        "pca" => Box::new(Pca { solver: settings.solver }),
        "lda" => Box::new(Lda { shrinkage: settings.shrinkage, seed }),
        "spca" => Box::new(Spca),
        "lfda" => Box::new(Neighbourly { kind: Kind::Lfda, settings }),
        "lmnn" => Box::new(Neighbourly { kind: Kind::Lmnn, settings }),
        "wda" => Box::new(Neighbourly { kind: Kind::Wda, settings }),
        "ama" => Box::new(Ama { settings }),
        "lad" => Box::new(SqfaReducer { method: None, settings }),
        name => {
            let method = Method::named(name).map_err(|_| ReduceError::Unknown {
                name: name.to_owned(),
                near: String::new(),
                choices: String::new(),
            })?;
            Box::new(SqfaReducer { method: Some(method), settings })
        }
    })
}

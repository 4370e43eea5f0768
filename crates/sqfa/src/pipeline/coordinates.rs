//! The coordinates in which candidates are tried: columns, or principal components of many columns.

use crate::constraint::Constraint;
use crate::linalg::Mat;
use crate::model::{InverseRegression, Noise, Variant, with_fixed_signs};
use crate::points::{Points, Table};
use crate::reduce::{Objective, Setting};
use crate::statistics::{ClassStatistics, Estimator, Preprocessor, Scaling};

use super::in_memory::Arm;
use super::rule::SCALINGS;
use super::space::Space;
use super::{Parts, Pipeline, PipelineError, WIDE};

/// The class statistics of training samples, with the samples themselves if they are in memory.
pub(crate) struct Learned<'p, 'a> {
    pub(crate) statistics: ClassStatistics,
    /// The folds, and the one that is held out.
    pub(crate) parts: Option<(&'p Parts<'a>, Option<usize>)>,
}

impl Learned<'_, '_> {
    /// Returns the training rows, for estimators that need samples in the coordinates of the fit.
    fn rows(&self) -> Option<Vec<usize>> {
        let (parts, without) = self.parts?;
        let left = without.map(|fold| parts.leave_out(fold));
        Some(left.as_ref().unwrap_or(parts).learned())
    }
}

/// A constructor of the coordinates of a fit from the data of its training samples.
pub(crate) trait MakeSpace {
    fn space(&self, learned: Learned<'_, '_>) -> Result<Space, PipelineError>;
    /// Returns the mean within-class variance of the columns in the coordinates of the space, by
    /// which noise fractions are multiplied.
    fn unit(&self, space: &Space) -> f64;
}

/// The coordinates of scaled columns.
pub(crate) struct OnColumns<'a> {
    pub(crate) recipe: &'a Pipeline,
    pub(crate) scaling: Scaling,
    pub(crate) dropped: &'a [usize],
    /// Whether within-class scaling uses all columns, even if there are more than [`WIDE`].
    pub(crate) whole: bool,
}

impl OnColumns<'_> {
    /// Returns the space and the class statistics of scaled columns. `known` are principal
    /// components of scaled columns, if they were computed before.
    pub(crate) fn make(
        &self,
        learned: Learned<'_, '_>,
        known: Option<Mat<f64>>,
    ) -> Result<(Space, ClassStatistics), PipelineError> {
        let (recipe, estimator) = (self.recipe, self.recipe.estimator());
        let in_space = estimator == Estimator::LedoitWolf || recipe.is_robust_inside();
        let rows = in_space.then(|| learned.rows()).flatten();
        let Learned { mut statistics, parts } = learned;
        let preprocessor =
            Preprocessor::dropping(&statistics, self.scaling, self.scaling.centers(), self.dropped);
        preprocessor.iter().for_each(|map| map.apply(&mut statistics));
        let seen = statistics.clone();
        let mut space = Space::plain(preprocessor, statistics);
        if let Some(basis) = self.basis(&space, known)? {
            space = space.within(basis);
        }
        let samples = rows.as_deref().zip(parts).map(|(rows, (parts, _))| (parts.data(), rows));
        if let (Some((data, rows)), true) = (samples, recipe.is_robust_inside()) {
            let robust = space.robust(data, rows, estimator)?;
            space = space.with_statistics(robust);
        }
        let mut space = finished(self.scaling, space)?.shrunk_by(estimator, samples)?;
        if recipe.compares_covariances() && parts.is_none() {
            space = space.pooled_where_deficient();
        }
        Ok((space, seen))
    }

    /// Returns the principal components that the fit is restricted to, or `None` without
    /// restriction. The fit is restricted if a number of components is specified, or if
    /// within-class scaling is used with many columns or with covariances that do not store their
    /// entries.
    fn basis(
        &self,
        plain: &Space,
        known: Option<Mat<f64>>,
    ) -> Result<Option<Mat<f64>>, PipelineError> {
        let (n, recipe) = (plain.statistics.dimension(), self.recipe);
        let columns = match plain.preprocessor.as_ref().and_then(Preprocessor::kept) {
            Some(kept) => kept.len(),
            None => n - self.dropped.len(),
        };
        let count = match recipe.restricted_to() {
            Some(dimensions) if dimensions > columns => {
                return Err(PipelineError::Restriction { dimensions, columns });
            }
            Some(dimensions) => {
                let (exact, _) = plain.statistics.principal_components(dimensions)?;
                return Ok(Some(with_fixed_signs(exact)));
            }
            None if self.scaling != Scaling::WithinClass => return Ok(None),
            None => {
                let covariances = plain.statistics.covariances();
                let dense = covariances.iter().all(|one| one.entries().is_some());
                if (self.whole || columns <= WIDE) && dense {
                    return Ok(None);
                }
                recipe.components().min(n)
            }
        };
        Ok(Some(match known {
            Some(known) => known,
            None => with_fixed_signs(plain.statistics.components_after(None, count)?),
        }))
    }
}

impl MakeSpace for OnColumns<'_> {
    fn space(&self, learned: Learned<'_, '_>) -> Result<Space, PipelineError> {
        Ok(self.make(learned, None)?.0)
    }

    fn unit(&self, space: &Space) -> f64 {
        space.statistics.noise_scale()
    }
}

/// The coordinates of principal components of scaled columns. The components are not scaled again.
pub(crate) struct OnComponents {
    pub(crate) scaling: Scaling,
    pub(crate) estimator: Estimator,
    /// The mean within-class variance of the columns, divided by that of the components. It is 1 if
    /// a number of components was specified.
    pub(crate) ratio: f64,
}

impl MakeSpace for OnComponents {
    fn space(&self, learned: Learned<'_, '_>) -> Result<Space, PipelineError> {
        let rows = (self.estimator == Estimator::LedoitWolf).then(|| learned.rows()).flatten();
        let Learned { statistics, parts } = learned;
        let samples = rows.as_deref().zip(parts).map(|(rows, (parts, _))| (parts.data(), rows));
        let space = finished(self.scaling, Space::plain(None, statistics))?;
        Ok(space.shrunk_by(self.estimator, samples)?)
    }

    fn unit(&self, space: &Space) -> f64 {
        let ratio = if self.scaling == Scaling::WithinClass { 1.0 } else { self.ratio };
        ratio * space.statistics.noise_scale()
    }
}

/// Applies within-class scaling, which is the only scaling that mixes columns.
pub(crate) fn finished(scaling: Scaling, space: Space) -> Result<Space, PipelineError> {
    if scaling != Scaling::WithinClass {
        return Ok(space);
    }
    let columns = space.statistics.dimension();
    space.whitened().ok_or(PipelineError::AllConstant { columns })
}

impl Pipeline {
    /// Whether the method uses class statistics with noise whose fraction can be selected.
    pub(crate) fn has_noise(&self) -> bool {
        // A method that maximizes the posterior of samples uses the noise without scaling.
        let entry = self.method.entry;
        entry.takes(Setting::Noise) && entry.objective != Objective::LogPosterior
    }

    /// Whether the noise is not specified, so that it is selected or has its default.
    pub(crate) fn finds_noise(&self) -> bool {
        self.has_noise() && self.settings.noise == Noise::Auto
    }

    /// Whether the scaling or the noise is selected on held-out samples.
    pub(crate) fn searches(&self) -> bool {
        self.has_noise() && (self.scaling.is_none() || self.settings.noise == Noise::Auto)
    }

    /// Whether robust statistics are computed within principal components, with fewer dimensions
    /// per sample.
    pub(crate) fn is_robust_inside(&self) -> bool {
        self.restricted_to().is_some() && self.estimator().needs_points()
    }

    /// Returns the estimator for the statistics of raw columns. Shrinkage depends on the
    /// coordinates, so it is applied later.
    pub(crate) fn raw_estimator(&self) -> Estimator {
        let own = self.estimator();
        if own.needs_points() && !self.is_robust_inside() { own } else { Estimator::Empirical }
    }

    /// Whether the method compares class covariances with each other. With few samples they differ
    /// by chance in every direction, which only noise that was selected on held-out samples can
    /// compensate.
    pub(super) fn compares_covariances(&self) -> bool {
        self.method.entry.name == InverseRegression::Save.name() && self.finds_noise()
    }

    /// Whether the estimator needs the samples of a fold in the coordinates of the fit.
    pub(crate) fn looks_at_samples(&self) -> bool {
        self.estimator().needs_points() || self.estimator() == Estimator::LedoitWolf
    }

    /// Returns the scalings that the method and the settings allow.
    pub(crate) fn scalings(&self) -> Vec<Scaling> {
        if let Some(specified) = self.scaling {
            return vec![specified];
        }
        let turns = self.turns();
        SCALINGS.into_iter().filter(|&own| turns || own != Scaling::WithinClass).collect()
    }

    /// Whether filters may have any direction of length 1 and the objective does not depend on
    /// linear maps. Within-class scaling mixes columns, so it needs both.
    pub(crate) fn turns(&self) -> bool {
        let variant = Variant::named(self.method.entry.name).ok();
        let constraint = self.settings.constraint.or(variant.map(|variant| variant.constraint));
        let invariant = match (&self.settings.distance, variant) {
            (Some(distance), Some(_)) => {
                distance.claims().is_none_or(|claims| claims.linear_invariant)
            }
            (None, Some(variant)) => crate::distance::Distance::named(variant.distance)
                .is_ok_and(|own| own.claims().is_none_or(|claims| claims.linear_invariant)),
            (_, None) => true,
        };
        invariant && constraint.unwrap_or_default() == Constraint::Sphere
    }

    /// Returns one arm for each scaling of the columns.
    pub(crate) fn arms<'a>(
        &'a self,
        repeats: &[Parts<'a>],
        dropped: &'a [usize],
        whole: bool,
    ) -> Vec<Arm<'a>> {
        let arm = |scaling| Arm {
            scaling,
            estimator: self.raw_estimator(),
            repeats: repeats.to_vec(),
            makers: vec![Box::new(OnColumns { recipe: self, scaling, dropped, whole })],
        };
        self.scalings().into_iter().map(arm).collect()
    }
}

/// Returns coordinates in row-major order as samples.
pub(crate) fn coordinates(values: &[f64], columns: usize) -> Points<'_> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    Points::F64(Table::row_major(values, rows, columns).expect("whole rows"))
}

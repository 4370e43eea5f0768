//! Samples that are checked and accumulated once, for any number of fits with the same seed.
//!
//! Class statistics are computed when a fit first needs them: those of all samples if nothing is
//! held out, otherwise those of every fold.

use std::sync::OnceLock;

use crate::finite::first_not_finite;
use crate::points::{Strain, Strained};
use crate::statistics::{StatisticsError, check_classes, check_several, constant_columns};

use super::{Labeled, Parts, PipelineError, Plan, WIDE};

/// A scheme with all samples in a single part that is never held out.
const WHOLE: Plan = Plan { parts: 1, held: 0, repeats: 1 };

/// The memory that class statistics of folds may use in a single fit: this number of bytes, or the
/// memory of the samples divided by [`SHARE`] if that is more.
const SMALL: usize = 1 << 20;
const SHARE: usize = 4;

/// Labeled samples with class statistics that several fits share.
#[derive(Debug)]
pub struct Summed<'a> {
    data: Labeled<'a>,
    seed: u64,
    dropped: Vec<usize>,
    whole: OnceLock<Parts<'a>>,
    repeats: OnceLock<Vec<Parts<'a>>>,
    /// Whether folds were specified. Otherwise they are assigned by the seed.
    given: bool,
    /// Whether the class statistics are used by a single fit. If they would need much memory, they
    /// are then computed several times instead of being stored.
    once: bool,
}

impl<'a> Summed<'a> {
    /// Checks samples, which are later assigned to folds by the seed.
    ///
    /// # Errors
    ///
    /// If the samples, labels, weights or groups cannot be used.
    pub fn new(data: Labeled<'a>, seed: u64) -> Result<Self, PipelineError> {
        let (points, dimension) = (data.points.rows(), data.points.columns());
        if points == 0 || dimension == 0 {
            return Err(StatisticsError::Empty { points, dimension }.into());
        }
        data.check()?;
        check_several(data.labels.classes())?;
        if points > 2 && data.labels.classes().len() == points {
            return Err(PipelineError::LooksLikeIds { points });
        }
        data.check_hold_out()?;
        if data.weights.is_none() {
            check_classes(data.labels)?;
        }
        let strained = data.points.strained_if_finite();
        if strained.is_none()
            && let Some((row, column, value)) = first_not_finite(data.points, None)
        {
            return Err(StatisticsError::NotFinite { row, column, value }.into());
        }
        for Strained { column, how } in strained.unwrap_or_default() {
            match how {
                Strain::Overflow { value } => {
                    return Err(PipelineError::Overflow { column, value });
                }
                Strain::Vanish { spread, alone: false } => {
                    return Err(PipelineError::Vanish { column, spread });
                }
                Strain::Vanish { .. } | Strain::Digits { .. } => {}
            }
        }
        let dropped = constant_columns(data.points, data.weights);
        if dropped.len() == dimension {
            return Err(PipelineError::AllConstant { columns: dimension });
        }
        Ok(Self {
            data,
            seed,
            dropped,
            whole: OnceLock::new(),
            repeats: OnceLock::new(),
            given: false,
            once: false,
        })
    }

    /// Checks samples that are used by a single fit.
    pub(crate) fn once(data: Labeled<'a>, seed: u64) -> Result<Self, PipelineError> {
        Ok(Self { once: true, ..Self::new(data, seed)? })
    }

    /// Checks samples whose folds were assigned and accumulated by the caller. Settings are
    /// selected on these folds.
    ///
    /// `data` are the training samples. `folds` may contain other samples as well.
    ///
    /// # Errors
    ///
    /// If the samples, labels, weights or groups cannot be used.
    pub fn in_folds(data: Labeled<'a>, folds: Parts<'a>) -> Result<Self, PipelineError> {
        let sums = Self { given: true, ..Self::new(data, 0)? };
        Ok(Self { whole: folds.clone().into(), repeats: vec![folds].into(), ..sums })
    }

    /// Returns the number of columns.
    pub(crate) fn dimension(&self) -> usize {
        self.data.points.columns()
    }

    /// Returns the constant columns, which every fit drops.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// Returns the scheme in which samples are held out.
    pub(crate) fn plan(&self) -> Plan {
        self.data.plan(self.is_wide())
    }

    /// Whether settings are selected within principal components, because class statistics of all
    /// columns would need too much memory for every fold.
    pub(crate) fn is_wide(&self) -> bool {
        !self.given && self.data.points.columns() - self.dropped.len() > WIDE
    }

    /// Whether there are many columns of which few vary, so that class statistics of all columns
    /// would need too much memory.
    pub(crate) fn is_mostly_constant(&self) -> bool {
        !self.given && self.data.points.columns() > WIDE && !self.is_wide()
    }

    /// Returns the labeled samples.
    pub(crate) fn data(&self) -> &Labeled<'a> {
        &self.data
    }

    /// Returns all samples in a single part.
    pub(crate) fn whole(&self) -> Result<&Parts<'a>, StatisticsError> {
        once(&self.whole, || Parts::of_finite(self.data, WHOLE, self.seed, !self.once))
    }

    /// Returns the folds of every repeat.
    pub(crate) fn repeats(&self) -> Result<&[Parts<'a>], StatisticsError> {
        let plan = self.plan();
        let keeps = self.keeps(plan);
        let deal =
            |repeat| Parts::of_finite(self.data, plan, self.seed.wrapping_add(repeat), keeps);
        once(&self.repeats, || (0..plan.repeats as u64).map(deal).collect()).map(Vec::as_slice)
    }

    /// Whether the class statistics of all folds are stored: if several fits share them, or if they
    /// are small compared with the samples.
    fn keeps(&self, plan: Plan) -> bool {
        let Labeled { points, labels, .. } = self.data;
        let square = points.columns() * points.columns() * size_of::<f64>();
        let sums = (plan.held + 1) * plan.repeats * labels.classes().len() * square;
        !self.once || sums <= SMALL.max(points.bytes() / SHARE)
    }
}

/// Returns the value of a cell, which is computed if the cell is empty.
fn once<T, E>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

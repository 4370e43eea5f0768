//! Points checked and summed once, for any number of fits with the same seed.
//!
//! Sums are made when a fit first asks for them: of all points where nothing is held out, otherwise of every fold.

use std::sync::OnceLock;

use crate::finite::first_not_finite;
use crate::points::{Strain, Strained};
use crate::statistics::{StatisticsError, check_classes, check_several, constant_columns};

use super::{Labeled, Parts, PipelineError, Plan, WIDE};

/// All in one part that is never held out.
const WHOLE: Plan = Plan { parts: 1, held: 0, repeats: 1 };

/// Sums of folds that one fit keeps: this many bytes, or one of so many of the points' own.
const SMALL: usize = 1 << 20;
const SHARE: usize = 4;

/// Labeled points with the sums that fits share.
#[derive(Debug)]
pub struct Summed<'a> {
    data: Labeled<'a>,
    seed: u64,
    dropped: Vec<usize>,
    whole: OnceLock<Parts<'a>>,
    repeats: OnceLock<Vec<Parts<'a>>>,
    /// Whether folds were given; otherwise they are dealt by the seed.
    given: bool,
    /// Whether sums serve one fit alone, so that those that take more memory than they save time are made again instead.
    once: bool,
}

impl<'a> Summed<'a> {
    /// Checks points; folds are dealt by the seed.
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

    /// The same for one fit alone.
    pub(crate) fn once(data: Labeled<'a>, seed: u64) -> Result<Self, PipelineError> {
        Ok(Self { once: true, ..Self::new(data, seed)? })
    }

    /// The same with folds that were dealt and summed by somebody else: choices are made on them.
    ///
    /// `data` are the points that the folds leave to learn from, `folds` may hold more than these.
    pub fn in_folds(data: Labeled<'a>, folds: Parts<'a>) -> Result<Self, PipelineError> {
        let sums = Self { given: true, ..Self::new(data, 0)? };
        Ok(Self { whole: folds.clone().into(), repeats: vec![folds].into(), ..sums })
    }

    /// The number of columns.
    pub(crate) fn dimension(&self) -> usize {
        self.data.points.columns()
    }

    /// Returns the constant columns, which every fit drops.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// How points are held out.
    pub(crate) fn plan(&self) -> Plan {
        self.data.plan(self.is_wide())
    }

    /// Whether choices are made on principal components: sums of every fold in so many columns would take too much memory.
    pub(crate) fn is_wide(&self) -> bool {
        !self.given && self.data.points.columns() - self.dropped.len() > WIDE
    }

    /// Whether there are many columns of which few vary: class statistics of all of them would take too much memory.
    pub(crate) fn is_mostly_constant(&self) -> bool {
        !self.given && self.data.points.columns() > WIDE && !self.is_wide()
    }

    /// The samples.
    pub(crate) fn data(&self) -> &Labeled<'a> {
        &self.data
    }

    /// All points in one part.
    pub(crate) fn whole(&self) -> Result<&Parts<'a>, StatisticsError> {
        once(&self.whole, || Parts::of_finite(self.data, WHOLE, self.seed, !self.once))
    }

    /// The folds, once for every repeat.
    pub(crate) fn repeats(&self) -> Result<&[Parts<'a>], StatisticsError> {
        let plan = self.plan();
        let keeps = self.keeps(plan);
        let deal =
            |repeat| Parts::of_finite(self.data, plan, self.seed.wrapping_add(repeat), keeps);
        once(&self.repeats, || (0..plan.repeats as u64).map(deal).collect()).map(Vec::as_slice)
    }

    /// Whether the sums of all folds are kept: always where several fits share them or they are small beside the points.
    fn keeps(&self, plan: Plan) -> bool {
        let Labeled { points, labels, .. } = self.data;
        let square = points.columns() * points.columns() * size_of::<f64>();
        let sums = (plan.held + 1) * plan.repeats * labels.classes().len() * square;
        !self.once || sums <= SMALL.max(points.bytes() / SHARE)
    }
}

/// What a cell holds, made when it holds nothing.
fn once<T, E>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

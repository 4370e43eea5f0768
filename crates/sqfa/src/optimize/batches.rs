//! Optimization from many initializations, in batches as large as memory allows. The result of an
//! initialization does not depend on the others in its batch.

use std::ops::Range;

use super::climb::{Climbed, Run};
use super::{Observer, Progress, Termination};

/// Memory in bytes that the initializations of one batch may use together.
const BYTES: usize = 1 << 30;
/// Largest number of initializations that share their passes. With more, a pass would not become
/// any cheaper per initialization.
const MOST: usize = 64;

/// The point with the highest objective, and the results of all initializations.
#[derive(Debug)]
pub(crate) struct Best<P> {
    pub(crate) point: P,
    pub(crate) index: usize,
    /// The results in the order of the initializations; fewer than requested if the observer
    /// canceled.
    pub(crate) runs: Vec<Run<()>>,
    pub(crate) passes: usize,
}

/// Optimizes from `count` initializations, each of which needs `bytes` of memory, and keeps the
/// point with the highest objective (the first one in case of ties).
pub(crate) fn best_of<P, E>(
    count: usize,
    bytes: usize,
    observer: &mut Observer<'_>,
    mut climb: impl FnMut(Range<usize>, &mut Observer<'_>) -> Result<Climbed<P>, E>,
) -> Result<Option<Best<P>>, E> {
    let size = (BYTES / bytes.max(1)).clamp(1, MOST);
    let mut best: Option<Best<P>> = None;
    for first in (0..count).step_by(size) {
        let batch = first..count.min(first + size);
        let waiting = count - batch.end;
        let before = best.as_ref().map_or(0, |best| best.passes);
        let climbed = climb(batch, &mut |progress| {
            observer(&Progress {
                active: progress.active + waiting,
                starts: count,
                passes: before + progress.passes,
                ..*progress
            })
        })?;
        for run in climbed.runs {
            let (point, run) = run.without_point();
            match &mut best {
                None => best = Some(Best { point, index: 0, runs: vec![run], passes: 0 }),
                Some(best) => {
                    if run.end() > best.runs[best.index].end() {
                        (best.point, best.index) = (point, best.runs.len());
                    }
                    best.runs.push(run);
                }
            }
        }
        let Some(best) = &mut best else { break };
        best.passes += climbed.passes;
        if best.runs.iter().any(|run| run.termination == Termination::Cancelled) {
            break;
        }
    }
    Ok(best)
}

impl<P> Run<P> {
    /// Returns the final objective.
    pub(crate) fn end(&self) -> f64 {
        self.trace.last().copied().unwrap_or(f64::NAN)
    }

    fn without_point(self) -> (P, Run<()>) {
        let Self { point, trace, iterations, passes, evaluations, termination } = self;
        (point, Run { point: (), trace, iterations, passes, evaluations, termination })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Control;
    use super::*;

    /// Returns results with the given objectives, for batches of which each needs two passes.
    fn climbed(batch: Range<usize>, heights: &[f64]) -> Climbed<usize> {
        let run = |start: usize| Run {
            point: start,
            trace: vec![heights[start]],
            iterations: 1,
            passes: 2,
            evaluations: 2,
            termination: Termination::SmallChange,
        };
        Climbed { runs: batch.map(run).collect(), passes: 2 }
    }

    #[test]
    fn batches_keep_the_first_of_the_highest_and_every_end() {
        let heights = [1.0, 3.0, 2.0, 3.0, 0.5];
        for (bytes, batches) in [(1, 1), (BYTES / 2, 3), (BYTES, 5), (usize::MAX, 5)] {
            let mut sizes = Vec::new();
            let best = best_of(5, bytes, &mut |_| Control::Continue, |batch, _| {
                sizes.push(batch.len());
                Ok::<_, ()>(climbed(batch, &heights))
            });
            let best = best.unwrap().unwrap();
            assert_eq!((best.point, best.index, best.passes), (1, 1, 2 * batches));
            assert_eq!(best.runs.iter().map(Run::end).collect::<Vec<_>>(), heights);
            assert_eq!(sizes.len(), batches);
        }
        let mut largest = 0;
        let _ = best_of(1000, 1, &mut |_| Control::Continue, |batch, _| {
            largest = largest.max(batch.len());
            Ok::<_, ()>(climbed(batch, &[0.0; 1000]))
        });
        assert_eq!(largest, MOST);
    }

    #[test]
    fn the_observer_hears_of_all_starts_and_may_end_them() {
        let mut heard = Vec::new();
        let mut observer = |progress: &Progress| {
            heard.push((progress.active, progress.starts, progress.passes));
            Control::Continue
        };
        let best = best_of(3, BYTES, &mut observer, |batch, observer| {
            observer(&Progress::of_one(1, 1, 0.0));
            let mut climbed = climbed(batch.clone(), &[0.0; 3]);
            if batch.start == 1 {
                climbed.runs[0].termination = Termination::Cancelled;
            }
            Ok::<_, ()>(climbed)
        });
        assert_eq!(heard, [(3, 3, 1), (2, 3, 3)]);
        assert_eq!(best.unwrap().unwrap().runs.len(), 2);
    }
}

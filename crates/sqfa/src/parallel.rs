//! Threads: work in parts that the problem alone decides, results in the order of the parts.
//!
//! The parts never depend on the number of threads, so neither do the bits of a result. Every function here ends in [`each`],
//! whose one instance of the thread pool's machinery serves the whole crate; generic use of it doubled the time to compile.
//! A part costs about 50 ns of bookkeeping and should take at least some microseconds.

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Numbers in a task of [`rows`], so that short rows share one.
const NUMBERS_A_TASK: usize = 1 << 14;

/// Runs some work for 0, 1, … `count − 1`.
fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if count == 1 {
        work(0);
    } else {
        (0..count).into_par_iter().for_each(work);
    }
}

/// How many threads work at a time: for the size of scratch spaces, never for how work is cut.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads().max(1)
}

/// Runs some work on a thread of the pool: from any other thread every small step would wait for one of them to wake.
pub(crate) fn inside<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}

/// An item before its work, what came out of it afterwards.
enum Slot<T, R> {
    Waiting(T),
    Running,
    Done(R),
}

/// Replaces every item by its result.
fn work_on<T: Send, R: Send>(slots: &[Mutex<Slot<T, R>>], work: &(dyn Fn(T) -> R + Sync)) {
    each(slots.len(), &|index| {
        // A slot belongs to one task, so nobody waits.
        let slot = || slots[index].lock().unwrap_or_else(PoisonError::into_inner);
        let item = std::mem::replace(&mut *slot(), Slot::Running);
        if let Slot::Waiting(item) = item {
            let result = work(item);
            *slot() = Slot::Done(result);
        }
    });
}

/// What came out of every item, in their order.
pub(crate) fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut slots = Vec::new();
    for item in items {
        slots.push(Mutex::new(Slot::Waiting(item)));
    }
    work_on(&slots, &work);
    results(slots)
}

fn results<T, R>(slots: Vec<Mutex<Slot<T, R>>>) -> Vec<R> {
    let mut results = Vec::with_capacity(slots.len());
    for slot in slots {
        if let Slot::Done(result) = slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
            results.push(result);
        }
    }
    results
}

/// What came out of every item, in their order, or the error of the first that failed.
pub(crate) fn try_map<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let mut results = Vec::new();
    for result in map(items, work) {
        results.push(result?);
    }
    Ok(results)
}

/// Runs some work on every item.
pub(crate) fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    map(items, work);
}

/// Runs some work on every row of a row-major table, with its number.
pub(crate) fn rows<T: Send>(table: &mut [T], width: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    if width == 0 {
        return;
    }
    let height = (NUMBERS_A_TASK / width).max(1);
    for_each(table.chunks_mut(height * width).enumerate(), |(task, rows)| {
        for (row, values) in rows.chunks_mut(width).enumerate() {
            work(task * height + row, values);
        }
    });
}

/// What came out of 0, 1, … `count − 1`, in tasks of `run` numbers that share a scratch space each.
pub(crate) fn runs<S, R: Send>(
    count: usize,
    run: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<Vec<R>> = map((0..count).step_by(run), |first| {
        let mut scratch = scratch();
        (first..(first + run).min(count)).map(|index| work(&mut scratch, index)).collect()
    });
    let mut results = Vec::with_capacity(count);
    for part in parts {
        results.extend(part);
    }
    results
}

/// Sorts row numbers; equal rows stand in the order of their numbers.
pub(crate) fn sort(rows: &mut [u32], compare: &(dyn Fn(u32, u32) -> Ordering + Sync)) {
    // In place: a stable sort would take as much memory again.
    rows.par_sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let squares: Vec<usize> = (0..1000).map(|i| i * i).collect();
        assert_eq!(map(0..1000, |i: usize| i * i), squares);
        assert_eq!(runs(1000, 7, || 0, |_, i| i * i), squares);
        assert!(map(0..0, |i: usize| i).is_empty());
    }

    #[test]
    fn every_row_is_met_once_with_its_number() {
        for width in [1, 3, NUMBERS_A_TASK + 1] {
            let mut table = vec![0; 5 * width];
            rows(&mut table, width, |row, values| {
                values.iter_mut().for_each(|value| *value += row + 1);
            });
            let expected: Vec<usize> = (0..5 * width).map(|i| i / width + 1).collect();
            assert_eq!(table, expected);
        }
    }

    #[test]
    fn the_first_error_is_reported_whichever_ends_first() {
        let result: Result<Vec<()>, usize> =
            try_map(0..100, |i| if i < 40 { Ok(()) } else { Err(i) });
        assert_eq!(result, Err(40));
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let caught = std::panic::catch_unwind(|| for_each(0..10, |i| assert!(i != 7, "seven")));
        assert!(caught.is_err());
    }
}

//! Parallel execution. Work is divided into parts that depend only on the problem, and results are in the order of the
//! parts.
//!
//! Because the parts never depend on the number of threads, neither do the bits of a result. Every function here calls
//! [`each`], so the whole crate has one instance of the thread pool's generic code; instantiating it everywhere doubled
//! the compile time. A part costs about 50 ns of overhead and should take at least some microseconds.

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Number of entries per task of [`rows`]. Short rows share a task.
const NUMBERS_A_TASK: usize = 1 << 14;

/// Runs `work` for 0, 1, …, `count − 1` in parallel.
fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if count == 1 {
        work(0);
    } else {
        (0..count).into_par_iter().for_each(work);
    }
}

/// Returns the number of threads. Use it only for the size of scratch memory, never to divide work, because results
/// would then depend on it.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads().max(1)
}

/// Runs `work` on a thread of the pool. On any other thread, every small parallel step would wait until a thread of the
/// pool wakes up.
pub(crate) fn inside<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}

/// An item before its work, and its result afterwards.
enum Slot<T, R> {
    Waiting(T),
    Running,
    Done(R),
}

/// Replaces each item by its result.
fn work_on<T: Send, R: Send>(slots: &[Mutex<Slot<T, R>>], work: &(dyn Fn(T) -> R + Sync)) {
    each(slots.len(), &|index| {
        // Each slot is used by one task only, so the lock never waits.
        let slot = || slots[index].lock().unwrap_or_else(PoisonError::into_inner);
        let item = std::mem::replace(&mut *slot(), Slot::Running);
        if let Slot::Waiting(item) = item {
            let result = work(item);
            *slot() = Slot::Done(result);
        }
    });
}

/// Returns the result of `work` for each item, in the order of the items.
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

/// Returns the result of `work` for each item in order, or the error of the first item that failed.
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

/// Runs `work` for each item.
pub(crate) fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    map(items, work);
}

/// Runs `work` for each row of a row-major table. The arguments are the row index and the row.
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

/// Returns the results of `work` for 0, 1, …, `count − 1`. Each task handles `run` consecutive numbers with a scratch
/// value of its own.
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

/// Sorts row indices. Equal rows are ordered by their index, so the result does not depend on the number of threads.
pub(crate) fn sort(rows: &mut [u32], compare: &(dyn Fn(u32, u32) -> Ordering + Sync)) {
    // An unstable sort works in place; a stable sort would need as much memory again.
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
    fn every_row_is_visited_once_with_its_index() {
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
    fn the_error_of_the_first_failing_item_is_returned() {
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

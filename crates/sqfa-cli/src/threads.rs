//! Threads: as many as were asked for, unless there are too many to be of use or to fit into a limited address space.

use std::error::Error;

use anyhow::{Result, bail};
use rayon::ThreadPoolBuilder;
use sqfa::statistics::ClassAccumulator;
use sqfa::{Classes, Labels, Points, Table};
use sqfa_io::memory::AddressSpace;

use crate::output;

/// More threads than this are started only on machines with as many processors: each takes memory, and they share the work.
const MANY: usize = 64;

/// Gives all parallel work so many threads, of which the calling one is the first: it then works along instead of waiting for
/// others at every small step. Alone it would wait for ever on a thread that reads files and asks for help, so one thread works
/// for itself.
pub(crate) fn start(asked: Option<usize>) -> Result<()> {
    let count = asked.unwrap_or_else(default_threads);
    let capped = at_most(count);
    let fitting = fitting(capped);
    if asked.is_some() && capped < count {
        let processors = processors();
        output::warn(&format!(
            "--threads {count}: using {capped} threads, because more do not help on {processors} processors"
        ));
    }
    if fitting < capped {
        output::complain(
            "note",
            &format!(
                "using {fitting} of {capped} threads, because the address space is limited (ulimit -v)"
            ),
        );
    }
    let mut builder = ThreadPoolBuilder::new().num_threads(fitting);
    if fitting > 1 {
        builder = builder.use_current_thread();
    }
    match builder.build_global() {
        // An error of the system, and not threads that are there already: those serve as well.
        Err(error) if error.source().is_some() => {
            bail!("{fitting} threads could not be started ({error}): use fewer with --threads")
        }
        Err(error) if asked.is_some() => bail!("--threads {count}: {error}"),
        _ => Ok(()),
    }
}

/// Returns the number of threads to start where so many were asked for: no more than are of use or fit into memory.
pub fn usable_threads(asked: usize) -> usize {
    fitting(at_most(asked))
}

fn at_most(count: usize) -> usize {
    count.min(processors().max(MANY))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// As many threads as the environment asks for, or as there are processors.
fn default_threads() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok());
    asked.filter(|&count| count > 0).unwrap_or_else(processors)
}

/// Returns how many of `count` threads fit into half of a limited address space; all of them if there is no limit.
///
/// Every thread that multiplies matrices reserves addresses for twice the last-level caches of the machine, which can be
/// hundreds of MB. How many depends on the machine and on the matrix library, so they are measured on a thread that ends at once.
fn fitting(count: usize) -> usize {
    let Some(before) = AddressSpace::of_process().filter(|_| count > 1) else { return count };
    let measured = || {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().ok()?;
        let during = pool.install(|| {
            multiply();
            AddressSpace::of_process()
        });
        Some(during?.used.saturating_sub(before.used).max(1))
    };
    let Some(bytes) = measured() else { return 1 };
    usize::try_from(before.left() / 2 / bytes).unwrap_or(count).clamp(1, count)
}

/// Lets this thread multiply matrices once.
fn multiply() {
    let values = [0.0, 1.0, 1.0, 0.0];
    let (Some(table), labels) = (Table::row_major(&values, 2, 2), Labels::from_integers(&[0, 0]))
    else {
        return;
    };
    let mut sums = ClassAccumulator::new(Classes::numbered(1), 2);
    // Only the memory that it takes matters.
    let _ = sums.update(Points::F64(table), &labels);
}

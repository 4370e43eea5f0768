//! The fits of a comparison, in their order.

use super::{CompareError, MethodEntry, Parts, Spec};

/// One fit: a method with a seed on one fold, for one or several numbers of filters.
///
/// Methods without random numbers learn all numbers of filters in a single job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The name of the method.
    pub method: String,
    /// The numbers of filters in ascending order.
    pub filters: Vec<usize>,
    /// The seed.
    pub seed: u64,
    /// The fold that is held out.
    pub fold: usize,
    /// The index of the session.
    pub session: usize,
}

impl Job {
    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.filters.len()
    }
}

/// Returns all fits of a resolved specification. They are ordered by session, fold and then seed,
/// so that early results include every method.
///
/// # Errors
///
/// If a method does not exist.
pub fn plan(spec: &Spec, sessions: usize) -> Result<Vec<Job>, CompareError> {
    let folds = match spec.parts {
        Parts::Folds(folds) | Parts::Splits(folds) => folds,
        Parts::Given | Parts::Fraction(_) => 1,
    };
    let mut jobs = Vec::new();
    let places = (0..sessions).flat_map(|session| (0..folds).map(move |fold| (session, fold)));
    for (session, fold) in places {
        for at in 0..spec.seeds {
            let seed = spec.first_seed.wrapping_add(at);
            for method in &spec.methods {
                let job = |filters: Vec<usize>| Job {
                    method: method.clone(),
                    filters,
                    seed,
                    fold,
                    session,
                };
                match MethodEntry::named(method)?.seeded {
                    true => jobs.extend(spec.filters.iter().map(|&count| job(vec![count]))),
                    false if at == 0 => jobs.push(job(spec.filters.clone())),
                    false => {}
                }
            }
        }
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_without_random_numbers_run_once_and_find_all_filters_together() {
        let spec = Spec {
            methods: vec!["sqfa".to_owned(), "pca".to_owned()],
            filters: vec![2, 4],
            seeds: 3,
            first_seed: 7,
            ..Spec::default()
        };
        let jobs = plan(&spec, 1).unwrap();
        let of = |name: &str| jobs.iter().filter(|job| job.method == name).collect::<Vec<_>>();
        assert_eq!(of("sqfa").len(), 6);
        assert_eq!(of("pca").len(), 1);
        assert_eq!(of("pca")[0].filters, [2, 4]);
        assert!(of("sqfa").iter().all(|job| (7..10).contains(&job.seed)));
        // Every method occurs before any second seed.
        assert!(jobs[..3].iter().all(|job| job.seed == 7));
        let folded = Spec { parts: Parts::Folds(4), ..spec };
        assert_eq!(plan(&folded, 1).unwrap().len(), 4 * 7);
        let splits = Spec { parts: Parts::Splits(5), ..folded };
        let jobs = plan(&splits, 3).unwrap();
        assert_eq!(jobs.len(), 3 * 5 * 7);
        assert!(jobs.is_sorted_by_key(|job| (job.session, job.fold)));
    }
}

//! Tables as functions of records: one file each.

mod accuracy;
mod fisher_rao;
mod scaling;
mod training_time;
mod variability;

pub use accuracy::accuracy;
pub use fisher_rao::fisher_rao_means;
pub(super) use fisher_rao::{gaussians, noise};
pub use scaling::{scaling_problems, scaling_sheet};
pub use training_time::training_time;
pub use variability::variability;

use sqfa_lab::compare::{Facts, Judged, Protocol, Record};

/// What is known of one data set.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// How its fits are made.
    pub protocol: Protocol,
    /// What the data are.
    pub facts: Facts,
    /// The fits.
    pub records: Vec<Record>,
    /// Seconds of the class statistics of all training points, for records that do not say.
    pub statistics_seconds: Option<f64>,
}

impl Evidence {
    /// The results of one method with so many filters, by seed.
    pub(super) fn of(&self, method: &str, filters: usize) -> Vec<&Judged> {
        let own = |r: &&Record| r.method == method && r.filters == filters;
        let mut records: Vec<&Record> = self.records.iter().filter(own).collect();
        records.sort_by_key(|record| record.seed);
        records.into_iter().filter_map(Record::judged).collect()
    }

    /// Whether any method has been run with so many filters.
    pub(super) fn has(&self, filters: usize) -> bool {
        self.records.iter().any(|record| record.filters == filters)
    }

    /// Whether a record with so many filters does not say how long the class statistics took.
    pub fn lacks_statistics_seconds(&self, filters: usize) -> bool {
        let own = self.records.iter().filter(|record| record.filters == filters);
        own.filter_map(Record::judged).any(|judged| judged.statistics_seconds.is_none())
    }

    /// How many seeds there are at most.
    pub(super) fn seeds(&self) -> usize {
        let mut seeds: Vec<u64> = self.records.iter().map(|record| record.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        seeds.len()
    }
}

/// The middle of some numbers; the mean of the two middle ones when their count is even.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}

//! One model as a report looks at it.

use sqfa::Gaussians;
use sqfa::reduce::{Setting, Trial};

use super::style::{class_styles, filters, title_of};
use crate::compare::{Candidate, Climb, Detail, Facts, Manifest, Record};
use crate::figure::Style;

/// One model with everything a closer look shows.
#[derive(Debug, Clone)]
pub struct View {
    /// What to call it.
    pub title: String,
    /// The one result to know first, in words; empty where another section has it.
    pub headline: String,
    /// What it was learned from and evaluated on.
    pub facts: Facts,
    /// Where its test points come from, in words: `test points`, `training points`.
    pub tested_on: String,
    /// The classifier that evaluated it, in words.
    pub classifier: String,
    /// The number of filters.
    pub filters: usize,
    /// Its numbers.
    pub detail: Detail,
    /// The climb of every start with its name.
    pub climbs: Vec<(String, Climb)>,
    /// The setting whose trials are shown, with the value that was used.
    pub chosen: Option<(Setting, f64)>,
    /// Numbers of filters that were tried, with their held-out accuracies, where the number was chosen.
    pub tried: Vec<(usize, f64)>,
    /// The period after which labels repeat, where they do.
    pub circular: Option<f64>,
}

impl View {
    /// The view of a cell: details from the first seed, traces from all.
    pub(super) fn of_cell(
        manifest: &Manifest,
        records: &[Record],
        cell: &Candidate,
    ) -> Option<Self> {
        let own: Vec<&Record> = records
            .iter()
            .filter(|r| r.method == cell.method && r.filters == cell.filters)
            .filter(|r| r.fold == 0 && r.session == 0)
            .collect();
        let fitting = |detail: &Detail| fits(&manifest.facts, cell.filters, detail);
        let evaluated = own
            .iter()
            .filter_map(|record| record.evaluated())
            .find(|j| j.detail.as_deref().is_some_and(fitting))?;
        let detail = evaluated.detail.as_deref()?.clone();
        let many = own.len() > 1;
        let climbs = own
            .iter()
            .filter_map(|record| Some((record.seed, record.evaluated()?)))
            .flat_map(|(seed, evaluated)| {
                evaluated.climbs.iter().enumerate().map(move |(start, climb)| {
                    let name = match (many, evaluated.climbs.len() > 1) {
                        (true, true) => format!("seed {seed}, start {}", start + 1),
                        (true, false) => format!("seed {seed}"),
                        _ => format!("start {}", start + 1),
                    };
                    (name, climb.clone())
                })
            })
            .collect();
        let chosen = detail
            .trials
            .first()
            .and_then(|trial| Some((trial.setting, evaluated.setting(trial.setting)?)));
        let session = manifest.facts.sessions.first();
        let of = session.map(|session| format!(", session {}", session.name)).unwrap_or_default();
        Some(Self {
            title: format!("{} with {}{of}", title_of(&cell.method), filters(cell.filters)),
            headline: String::new(),
            facts: manifest.facts.clone(),
            tested_on: "test points".to_owned(),
            classifier: manifest
                .spec
                .classifiers
                .first()
                .cloned()
                .unwrap_or_default()
                .to_uppercase(),
            filters: cell.filters,
            detail,
            climbs,
            chosen,
            tried: Vec::new(),
            circular: None,
        })
    }

    /// The number of classes.
    pub(super) fn classes(&self) -> usize {
        self.facts.train_counts.len()
    }

    /// The training classes in feature space; none when the numbers do not fit together.
    pub(super) fn gaussians(&self) -> Option<Gaussians> {
        let (means, covariances) = (self.detail.means.to_f64(), self.detail.covariances.to_f64());
        Gaussians::new(self.filters, means, covariances).ok()
    }

    /// The weights of one filter.
    pub(super) fn weights(&self, filter: usize) -> Vec<f64> {
        let all = self.detail.weights.0.iter();
        all.skip(filter).step_by(self.filters.max(1)).map(|&weight| f64::from(weight)).collect()
    }

    /// How each class looks.
    pub(super) fn styles(&self) -> Vec<Style> {
        class_styles(self.classes())
    }

    /// The trials of the chosen setting.
    pub(super) fn trials(&self) -> &[Trial] {
        &self.detail.trials
    }

    /// Test points of every pair (true, predicted).
    pub(super) fn confused(&self, truth: usize, guess: usize) -> u64 {
        self.detail.confusion.get(truth * self.classes() + guess).copied().unwrap_or(0)
    }

    /// Test points of a class.
    pub(super) fn tested(&self, class: usize) -> u64 {
        let counts = (0..self.classes()).map(|guess| self.confused(class, guess));
        counts.fold(0, u64::saturating_add)
    }

    /// Pairs of classes by how often they are taken for each other, most often first; pairs that never are
    /// come last, in the order of classes.
    pub(super) fn confused_pairs(&self) -> Vec<(usize, usize, u64)> {
        let classes = self.classes();
        let mut pairs: Vec<(usize, usize, u64)> = (0..classes)
            .flat_map(|i| (i + 1..classes).map(move |j| (i, j)))
            .map(|(i, j)| (i, j, self.confused(i, j).saturating_add(self.confused(j, i))))
            .collect();
        pairs.sort_by_key(|&(_, _, count)| std::cmp::Reverse(count));
        pairs
    }
}

/// Whether the numbers of a closer look fit together and to the data: files are believed only as far as they do.
pub(super) fn fits(facts: &Facts, filters: usize, detail: &Detail) -> bool {
    let (n, classes) = (facts.dimensions, facts.train_counts.len());
    let product =
        |sizes: &[usize]| sizes.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
    let is = |length: usize, sizes: &[usize]| product(sizes) == Some(length);
    let Detail { weights, means, covariances, confusion, sample, .. } = detail;
    filters > 0
        && facts.class_names().len() == classes
        && facts.image_shape.is_none_or(|(height, width)| product(&[height, width]) == Some(n))
        && is(weights.0.len(), &[n, filters])
        && is(means.0.len(), &[classes, filters])
        && is(covariances.0.len(), &[classes, filters, filters])
        && (confusion.is_empty() || is(confusion.len(), &[classes, classes]))
        && confusion.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count)).is_some()
        && sample.truth.len() == sample.guess.len()
        && is(sample.features.0.len(), &[sample.truth.len(), filters])
}

//! The data of one model for a report.

use sqfa::Gaussians;
use sqfa::reduce::{Setting, Trial};

use super::style::{class_styles, filters, title_of};
use crate::compare::{Candidate, Climb, Detail, Facts, Manifest, Record};
use crate::figure::Style;

/// One model with all data for a detailed report.
#[derive(Debug, Clone)]
pub struct View {
    /// The title.
    pub title: String,
    /// The most important result as text. Empty if another section contains it.
    pub headline: String,
    /// The facts about the data.
    pub facts: Facts,
    /// The description of the test samples: `test points` or `training points`.
    pub tested_on: String,
    /// The description of the classifier.
    pub classifier: String,
    /// The number of filters.
    pub filters: usize,
    /// The data for a detailed report.
    pub detail: Detail,
    /// The course of the optimization for every initialization, with a name.
    pub climbs: Vec<(String, Climb)>,
    /// The setting whose trials are shown, with the value in use.
    pub chosen: Option<(Setting, f64)>,
    /// The numbers of filters that were tried with their held-out accuracies, if the number was
    /// selected.
    pub tried: Vec<(usize, f64)>,
    /// The period of the labels, if they are periodic.
    pub circular: Option<f64>,
}

impl View {
    /// Returns the view of a cell, with details of the first seed and traces of all seeds.
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

    /// Returns the number of classes.
    pub(super) fn classes(&self) -> usize {
        self.facts.train_counts.len()
    }

    /// Returns the training classes in feature space, or `None` if the data are inconsistent.
    pub(super) fn gaussians(&self) -> Option<Gaussians> {
        let (means, covariances) = (self.detail.means.to_f64(), self.detail.covariances.to_f64());
        Gaussians::new(self.filters, means, covariances).ok()
    }

    /// Returns the coefficients of one filter.
    pub(super) fn weights(&self, filter: usize) -> Vec<f64> {
        let all = self.detail.weights.0.iter();
        all.skip(filter).step_by(self.filters.max(1)).map(|&weight| f64::from(weight)).collect()
    }

    /// Returns the style of each class.
    pub(super) fn styles(&self) -> Vec<Style> {
        class_styles(self.classes())
    }

    /// Returns the trials of the selected setting.
    pub(super) fn trials(&self) -> &[Trial] {
        &self.detail.trials
    }

    /// Returns the number of test samples of one class that are predicted as another.
    pub(super) fn confused(&self, truth: usize, guess: usize) -> u64 {
        self.detail.confusion.get(truth * self.classes() + guess).copied().unwrap_or(0)
    }

    /// Returns the number of test samples of a class.
    pub(super) fn tested(&self, class: usize) -> u64 {
        let counts = (0..self.classes()).map(|guess| self.confused(class, guess));
        counts.fold(0, u64::saturating_add)
    }

    /// Returns pairs of classes in descending order of their confusions. Pairs without confusions
    /// come last, in the order of the classes.
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

/// Whether the data for a detailed report are consistent with each other and with the facts, which
/// is checked for data that are read from a file.
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

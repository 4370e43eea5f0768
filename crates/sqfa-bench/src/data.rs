//! The paper's image sets as their experiments use them: scaled by one number, centered.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use sqfa::split::stratified_split;
use sqfa::statistics::{ClassAccumulator, Preprocessor, Scaling};
use sqfa::{ClassStatistics, Estimator, Points};
use sqfa_io::data::{LabeledData, LoadOptions, Loaded, OwnedPoints, Part, load};

/// A data set with its class statistics after preprocessing.
pub(crate) struct Prepared {
    pub(crate) data: LabeledData,
    pub(crate) preprocessor: Option<Preprocessor>,
    pub(crate) statistics: ClassStatistics,
    pub(crate) statistics_seconds: f64,
}

/// Loads `mnist` or `svhn` below a data folder.
pub(crate) fn prepare(folder: &Path, set: &str) -> Result<Prepared> {
    let path = match set {
        "mnist" => folder.join("mnist"),
        "svhn" => folder.join("svhn").join("svhn_gray.npz"),
        other => bail!("unknown set '{other}': choose mnist or svhn"),
    };
    let Loaded::Data(data) = load(&path, &LoadOptions::default())? else {
        bail!("{} holds statistics, not points", path.display());
    };
    let began = Instant::now();
    let mut statistics = ClassStatistics::from_points(
        data.train.points.view(),
        &data.train.labels,
        Estimator::Empirical,
    )?;
    let preprocessor = Preprocessor::new(&statistics, Scaling::Common, true);
    if let Some(preprocessor) = &preprocessor {
        preprocessor.apply(&mut statistics);
    }
    let statistics_seconds = began.elapsed().as_secs_f64();
    Ok(Prepared { data, preprocessor, statistics, statistics_seconds })
}

impl Prepared {
    /// QDA accuracy on the test part, with the protocol's shrinkage.
    pub(crate) fn accuracy(&self, filters: sqfa::MatRef<'_, f64>) -> Result<f64> {
        let qda = sqfa::Qda::plain_from_statistics(&self.statistics, filters, 1e-5)?;
        let Some(test) = &self.data.test else { bail!("{} has no test part", self.data.name) };
        self.accuracy_on(test, filters, &qda)
    }

    /// QDA accuracy on the training part itself.
    pub(crate) fn training_accuracy(&self, filters: sqfa::MatRef<'_, f64>) -> Result<f64> {
        let qda = sqfa::Qda::plain_from_statistics(&self.statistics, filters, 1e-5)?;
        self.accuracy_on(&self.data.train, filters, &qda)
    }

    /// Accuracy on the test part of the nearest neighbors in the training part.
    pub(crate) fn knn_accuracy(
        &self,
        filters: sqfa::MatRef<'_, f64>,
        neighbors: usize,
    ) -> Result<f64> {
        let Some(test) = &self.data.test else { bail!("{} has no test part", self.data.name) };
        let (folded, offset) = match &self.preprocessor {
            Some(preprocessor) => preprocessor.fold(filters),
            None => (filters.to_owned(), vec![0.0; filters.ncols()]),
        };
        let features =
            |part: &Part| sqfa::transform(part.points.view(), folded.as_ref(), Some(&offset));
        let (train, test_features) = (features(&self.data.train), features(test));
        let m = filters.ncols();
        let labels = &self.data.train.labels;
        let knn = sqfa::classify::Knn::new(
            labels.classes(),
            train.as_points(m),
            labels.codes(),
            neighbors,
        )?;
        Ok(knn.accuracy(test_features.as_points(m), test.labels.codes())?)
    }

    fn accuracy_on(
        &self,
        part: &Part,
        filters: sqfa::MatRef<'_, f64>,
        qda: &sqfa::Qda,
    ) -> Result<f64> {
        let (folded, offset) = match &self.preprocessor {
            Some(preprocessor) => preprocessor.fold(filters),
            None => (filters.to_owned(), vec![0.0; filters.ncols()]),
        };
        let features = sqfa::transform(part.points.view(), folded.as_ref(), Some(&offset));
        Ok(qda.accuracy(features.as_points(filters.ncols()), part.labels.codes())?)
    }
}

/// Rows held out of the training part.
pub(crate) struct HeldOut {
    features_rows: OwnedPoints,
    codes: Vec<u32>,
}

impl Prepared {
    /// Statistics without a stratified share of the training part, and that share.
    pub(crate) fn hold_out(&self, share: f64, seed: u64) -> Result<(ClassStatistics, HeldOut)> {
        let labels = &self.data.train.labels;
        let points = self.data.train.points.view();
        let split = stratified_split(labels, share, seed)?;
        let mut learn = ClassAccumulator::new(labels.classes().clone(), points.columns());
        learn.update_rows(points, labels, &split.learn)?;
        let mut statistics = learn.finish(Estimator::Empirical)?;
        if let Some(preprocessor) = &self.preprocessor {
            preprocessor.apply(&mut statistics);
        }
        let codes = split.held.iter().map(|&row| labels.codes()[row]).collect();
        let Points::U8(table) = points else { bail!("expected bytes") };
        let mut rows = Vec::with_capacity(split.held.len() * table.columns());
        for &row in &split.held {
            rows.extend((0..table.columns()).map(|column| table.get(row, column)));
        }
        let held = OwnedPoints::from_u8(rows, split.held.len(), table.columns());
        let Some(features_rows) = held else { bail!("held-out rows do not fit") };
        Ok((statistics, HeldOut { features_rows, codes }))
    }

    /// QDA accuracy on held-out rows.
    pub(crate) fn held_out_accuracy(
        &self,
        statistics: &ClassStatistics,
        held: &HeldOut,
        filters: sqfa::MatRef<'_, f64>,
    ) -> Result<f64> {
        let qda = sqfa::Qda::plain_from_statistics(statistics, filters, 1e-5)?;
        let (folded, offset) = match &self.preprocessor {
            Some(preprocessor) => preprocessor.fold(filters),
            None => (filters.to_owned(), vec![0.0; filters.ncols()]),
        };
        let features = sqfa::transform(held.features_rows.view(), folded.as_ref(), Some(&offset));
        Ok(qda.accuracy(features.as_points(filters.ncols()), &held.codes)?)
    }
}

//! The settings of every method for the data sets of the paper.
//!
//! Settings are selected per method and number of filters on a held-out 15 % of the training
//! samples. For recordings, they are selected on the validation part of every split, except for
//! those of LFDA.

use sqfa::constraint::Constraint;
use sqfa::reduce::{Choice, LocalScale, ReducerEntry, ReducerSettings, Setting};
use sqfa::statistics::Preprocessor;
use sqfa::{ClassStatistics, Noise};

use super::{Parts, Spec};

/// A data set of the paper with the settings of the methods.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Protocol {
    /// The name of the data set.
    pub set: &'static str,
    /// The name in tables.
    pub title: &'static str,
    /// The numbers of filters in the tables.
    pub filters: &'static [usize],
    /// The noises that are tried. A single one is used without a search.
    pub noises: &'static [f64],
    /// The number of neighbors of the kNN classifier.
    pub neighbors: usize,
    /// The number of principal components of LFDA.
    pub lfda_dimensions: usize,
    /// The number of principal components of WDA.
    pub wda_dimensions: usize,
    /// The Sinkhorn regularizations that are tried for WDA.
    pub wda_regularizations: &'static [f64],
    /// The number of samples per class that WDA and LMNN use.
    pub per_class: usize,
    /// The number of principal components of LMNN.
    pub lmnn_dimensions: usize,
    /// The shrinkages that are tried for LDA.
    pub shrinkages: &'static [f64],
    /// The scaling of the samples.
    pub units: ProtocolUnits,
    /// The shrinkage of the QDA classifier that scores features.
    pub qda_shrinkage: f64,
    /// The number of splits per session, if the data are recordings.
    pub splits: Option<usize>,
    /// The number of seeds of every method that uses one.
    pub seeds: u64,
}

/// The scaling of a data set of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolUnits {
    /// No scaling.
    Raw,
    /// Centering, and division by a single standard deviation.
    GlobalStd,
    /// Centering of every column, and division by its standard deviation within classes.
    WithinClass,
}

/// The shrinkages that are tried for LDA on images and videos.
const SHRINKAGES: [f64; 5] = [0.05, 0.1, 0.2, 0.4, 0.8];
/// The neighborhoods that are tried for LFDA.
const NEIGHBORHOODS: [f64; 4] = [3.0, 5.0, 9.0, 17.0];
/// The regularizations of WDA on SVHN: 1/4, 1/2, 1, 2 and 4, multiplied by n = 1024. The paper's
/// samples seem to have been divided by √n as well. Without the factor the transport plans are so
/// sharp that WDA finds little except for the largest variances, with an accuracy of 33 % at eight
/// filters instead of 57 % in the paper.
const SVHN_REGULARIZATIONS: [f64; 5] = [256.0, 512.0, 1024.0, 2048.0, 4096.0];
/// A constant that keeps the scaling of columns finite if they do not vary within classes.
const FLOOR: f64 = 1e-6;

/// The settings for images, some of which are used for videos as well.
const MNIST: Protocol = Protocol {
    set: "mnist",
    title: "MNIST",
    filters: &[2, 4, 8, 16],
    noises: &[0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0],
    neighbors: 5,
    lfda_dimensions: 200,
    wda_dimensions: 100,
    wda_regularizations: &[1.0, 5.0, 10.0, 20.0, 50.0],
    per_class: 500,
    lmnn_dimensions: 200,
    shrinkages: &SHRINKAGES,
    units: ProtocolUnits::GlobalStd,
    qda_shrinkage: sqfa::classify::QDA_SHRINKAGE,
    splits: None,
    seeds: 10,
};

const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        set: "svhn",
        title: "SVHN",
        noises: &[0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0],
        wda_regularizations: &SVHN_REGULARIZATIONS,
        ..MNIST
    },
    MNIST,
    Protocol {
        set: "speed",
        title: "Speed",
        filters: &[2, 4, 6, 8],
        noises: &[0.001],
        neighbors: 7,
        lfda_dimensions: 100,
        wda_dimensions: 50,
        per_class: 60,
        units: ProtocolUnits::Raw,
        ..MNIST
    },
    Protocol {
        set: "neural",
        title: "Neural data",
        // Tables of QDA have 2, 4 and 8 filters, and those of kNN 2, 4 and 6.
        filters: &[2, 4, 6, 8],
        noises: &[0.0002, 0.002, 0.02, 0.2, 0.5, 0.8],
        neighbors: 5,
        lfda_dimensions: 100,
        wda_dimensions: 100,
        wda_regularizations: &[0.01, 0.05, 0.1, 0.2, 0.5],
        per_class: 250,
        lmnn_dimensions: 100,
        shrinkages: &[0.01, 0.1, 0.2, 0.4, 0.8],
        units: ProtocolUnits::WithinClass,
        qda_shrinkage: 1e-3,
        splits: Some(5),
        seeds: 1,
    },
];

impl Protocol {
    /// All data sets in the order of the paper.
    pub const ALL: &'static [Self] = &PROTOCOLS;

    /// Returns the protocol of a data set, or `None` if the paper does not use it.
    pub fn named(set: &str) -> Option<Self> {
        PROTOCOLS.into_iter().find(|protocol| protocol.set == set)
    }

    /// Returns the specification of the tables: every method of the paper, and SQFA with the exact
    /// distance.
    pub fn spec(&self) -> Spec {
        let mut methods = super::MethodSet::Paper.methods(self.set);
        methods.push("sqfa-fr".to_owned());
        Spec {
            methods,
            filters: self.filters.to_vec(),
            seeds: self.seeds,
            classifiers: vec!["qda".to_owned(), "knn".to_owned()],
            parts: self.splits.map_or(Parts::Given, Parts::Splits),
            scaling: match self.units {
                ProtocolUnits::Raw => "none",
                ProtocolUnits::GlobalStd => "common",
                ProtocolUnits::WithinClass => "per-feature",
            }
            .to_owned(),
            center: self.units != ProtocolUnits::Raw,
            shrinkage: Some(self.qda_shrinkage),
            noise: Noise::Auto,
            n_init: Some(1),
            neighbors: self.neighbors,
            protocol: self.set.to_owned(),
            ..Spec::default()
        }
    }

    /// Returns the map to the scaling of the protocol, or `None` if the scaling has a name. Columns
    /// are divided by the standard deviation about class means with divisor N − 1.
    pub(super) fn preprocessor(&self, statistics: &ClassStatistics) -> Option<Preprocessor> {
        let counts = statistics.counts().filter(|_| self.units == ProtocolUnits::WithinClass)?;
        let (n, total) = (statistics.dimension(), counts.iter().sum::<u64>() as f64);
        let (mut mean, mut squares) = (vec![0.0; n], vec![0.0; n]);
        for (class, &count) in counts.iter().enumerate() {
            let share = count as f64 / total;
            let diagonal = statistics.covariances()[class].diagonal();
            for at in 0..n {
                mean[at] += share * statistics.means()[(at, class)];
                // Class covariances have their own divisor N − 1.
                squares[at] += diagonal[at] * (count as f64 - 1.0);
            }
        }
        let factor = |squares: &f64| 1.0 / ((squares / (total - 1.0)).sqrt() + FLOOR);
        Some(Preprocessor { offset: mean, factors: squares.iter().map(factor).collect() })
    }

    /// Whether a method ignores the validation part and selects its settings on a part of the
    /// training samples. In the paper this is the case for LFDA, whose search makes its own splits.
    pub(super) fn chooses_inside(&self, method: &ReducerEntry) -> bool {
        method.takes(Setting::LocalScale)
    }

    /// Applies the protocol to the settings that a method uses.
    pub(super) fn tailor(&self, method: &ReducerEntry, settings: &mut ReducerSettings) {
        match self.noises {
            [noise] => settings.noise = Noise::Value(*noise),
            noises => settings.noises = noises.to_vec(),
        }
        settings.shrinks_total = true;
        let number = |value: usize| Choice::Value(value as f64);
        // Among the methods that work in principal components, one uses neighborhoods and one uses
        // transport.
        let local = method.takes(Setting::LocalScale);
        let transports = method.takes(Setting::Regularization);
        let dimensions = match (local, transports) {
            (true, _) => self.lfda_dimensions,
            (_, true) => self.wda_dimensions,
            _ => self.lmnn_dimensions,
        };
        // For recordings, Wasserstein filters have length 1 and may coincide. For other data they
        // are orthonormal.
        if self.units == ProtocolUnits::WithinClass && method.distance == Some("wasserstein") {
            settings.constraint = Some(Constraint::Sphere);
        }
        let mut given = vec![
            (Setting::Shrinkage, Choice::Among(self.shrinkages.to_vec())),
            (Setting::Regularization, Choice::Among(self.wda_regularizations.to_vec())),
            (Setting::Dimensions, number(dimensions)),
        ];
        if local {
            settings.local_scale = LocalScale::Anchor;
            given.push((Setting::Neighbors, Choice::Among(NEIGHBORHOODS.to_vec())));
        } else {
            given.push((Setting::PerClass, number(self.per_class)));
        }
        for (setting, choice) in given.into_iter().filter(|(setting, _)| method.takes(*setting)) {
            settings.set(setting, choice);
        }
    }
}

#[cfg(test)]
mod tests {
    use sqfa::reduce::reducer_entry;

    use super::*;

    /// Returns the settings of a method on SVHN.
    fn settings(method: &str) -> ReducerSettings {
        let mut settings = ReducerSettings::default();
        let entry = reducer_entry(method).unwrap();
        Protocol::named("svhn").unwrap().tailor(entry, &mut settings);
        settings
    }

    #[test]
    fn recordings_are_measured_in_their_own_variability() {
        let points = [0.0, 1.0, 2.0, 5.0, 10.0, 1.0, 14.0, 5.0];
        let table = sqfa::Table::row_major(&points, 4, 2).unwrap();
        let labels = sqfa::Labels::from_integers(&[0, 0, 1, 1]);
        let statistics = ClassStatistics::from_points(
            sqfa::Points::F64(table),
            &labels,
            sqfa::Estimator::Empirical,
        )
        .unwrap();
        let neural = Protocol::named("neural").unwrap();
        let map = neural.preprocessor(&statistics).unwrap();
        assert_eq!(map.offset, [6.5, 3.0]);
        // The residuals are ±1, ±2 and twice ±2, and N − 1 = 3.
        for (factor, variance) in map.factors.iter().zip([10.0 / 3.0, 16.0 / 3.0_f64]) {
            assert!((1.0 / factor - variance.sqrt() - FLOOR).abs() < 1e-12);
        }
        assert_eq!(Protocol::named("mnist").unwrap().preprocessor(&statistics), None);
        let spec = neural.spec();
        assert_eq!((spec.parts, spec.shrinkage, spec.seeds), (Parts::Splits(5), Some(1e-3), 1));
        let mut settings = ReducerSettings::default();
        neural.tailor(reducer_entry("sqfa-w").unwrap(), &mut settings);
        assert_eq!(settings.constraint, Some(Constraint::Sphere));
    }

    #[test]
    fn every_method_gets_what_the_paper_gives_it_and_nothing_else() {
        let plain = ReducerSettings::default();
        let lda = settings("lda");
        assert_eq!(lda.shrinkage, Choice::Among(vec![0.05, 0.1, 0.2, 0.4, 0.8]));
        assert_eq!((lda.dimensions, lda.per_class), (None, None));
        assert!(lda.shrinks_total && !plain.shrinks_total);
        let lfda = settings("lfda");
        assert_eq!(lfda.neighbors, Choice::Among(vec![3.0, 5.0, 9.0, 17.0]));
        assert_eq!((lfda.dimensions, lfda.per_class), (Some(200), None));
        assert_eq!(lfda.local_scale, LocalScale::Anchor);
        let wda = settings("wda");
        assert_eq!((wda.dimensions, wda.per_class), (Some(100), Some(500)));
        assert_eq!(wda.regularization, Choice::Among(SVHN_REGULARIZATIONS.to_vec()));
        let lmnn = settings("lmnn");
        assert_eq!((lmnn.dimensions, lmnn.per_class), (Some(200), Some(500)));
        assert_eq!((&lmnn.neighbors, lmnn.local_scale), (&plain.neighbors, LocalScale::Neighbor));
        for name in ["sqfa", "pca", "ama", "lad"] {
            let own = settings(name);
            assert_eq!((own.dimensions, own.per_class), (None, None), "{name}");
            assert_eq!(own.noises, [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
            assert_eq!(own.regularization, plain.regularization, "{name}");
        }
    }
}

//! The built-in data sets by name.

use anyhow::Result;
use sqfa::names::Unknown;
use sqfa_io::data::Loaded;
use sqfa_io::datasets::neural::Neural;
use sqfa_io::datasets::scaling::SyntheticFamily;
use sqfa_io::datasets::speed::Speed;
use sqfa_io::datasets::toy::Toy;

/// A data set made from a formula and a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// A toy problem with known statistics.
    Toy(Toy),
    /// The scaling family.
    Scaling,
    /// Moving textures.
    Speed,
    /// Simulated recordings.
    Neural,
}

/// Dimensions of the scaling problem unless asked for others.
pub(crate) const SCALING_DIMENSIONS: usize = 1000;

impl Builtin {
    /// All of them.
    pub(crate) const ALL: [Self; 6] = [
        Self::Toy(Toy::SixD),
        Self::Toy(Toy::FourD),
        Self::Toy(Toy::Lda),
        Self::Scaling,
        Self::Speed,
        Self::Neural,
    ];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Toy(toy) => toy.name(),
            Self::Scaling => "scaling",
            Self::Speed => "speed",
            Self::Neural => "neural",
        }
    }

    /// What it is, in a few words.
    pub(crate) fn summary(self) -> &'static str {
        match self {
            Self::Toy(Toy::SixD) => "6 dimensions, 3 classes: SQFA, LDA and PCA choose differently",
            Self::Toy(Toy::FourD) => "4 dimensions, 3 classes: SQFA and smSQFA choose differently",
            Self::Toy(Toy::Lda) => "2 dimensions, 4 classes with one covariance",
            Self::Scaling => "5 classes that differ in 8 of 1000 dimensions",
            Self::Speed => {
                "videos (15 × 30) of textures moving at 41 speeds; labels are tenths of deg/s"
            }
            Self::Neural => {
                "simulated spike counts of V1 neurons, 8 orientations; labels are tenths of a degree"
            }
        }
    }

    /// The data set of a name, or a message with the nearest.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|builtin| builtin.name() == name);
        Ok(known.ok_or_else(|| Unknown::new("data set", name, Self::ALL.map(Self::name)))?)
    }

    /// The data set with its usual parameters.
    pub(crate) fn load(self) -> Result<Loaded> {
        Ok(match self {
            Self::Toy(toy) => Loaded::Statistics(toy.statistics()),
            Self::Scaling => Loaded::Statistics(
                SyntheticFamily::ambient(SCALING_DIMENSIONS).generate()?.statistics(true),
            ),
            Self::Speed => Loaded::Data(Speed::default().generate()?),
            Self::Neural => Loaded::Data(Neural::default().session(0)?),
        })
    }
}

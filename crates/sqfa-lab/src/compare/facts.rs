//! Facts about the data, which reports show and which identify a data set.

use serde::{Deserialize, Serialize};
use sqfa::points::Scalar;
use sqfa::{Labels, Points, Table, with_table};

use super::Session;
use super::remarks::remarks;
use sqfa_io::data::{LabeledData, Part};
use sqfa_io::model_file::ClassNames;

/// The facts about the data of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The name of the data.
    pub name: String,
    /// The number of columns.
    pub dimensions: usize,
    /// The classes.
    pub classes: ClassNames,
    /// The number of samples per class in the training part, or in the whole data without a test
    /// part.
    pub train_counts: Vec<u64>,
    /// The number of samples per class in the test part, if there is one.
    pub test_counts: Option<Vec<u64>>,
    /// The height and width of every sample, if samples are images.
    pub image_shape: Option<(usize, usize)>,
    /// A hash of all values and labels.
    pub fingerprint: String,
    /// The warnings about the data.
    pub warnings: Vec<String>,
    /// The names of the features of the first session. Empty if they have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// The sessions, if there are several. `dimensions` then belongs to the first session, and
    /// counts are over all sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionFacts>,
}

/// The facts about a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The name of the session.
    pub name: String,
    /// The number of columns.
    pub dimensions: usize,
    /// The number of samples.
    pub points: u64,
}

impl Facts {
    /// Returns the number of columns as text, because it may differ between sessions.
    pub fn dimensions_text(&self) -> String {
        let own = || self.sessions.iter().map(|session| session.dimensions);
        match (own().min(), own().max()) {
            (Some(least), Some(most)) if least < most => format!("{least} to {most} dimensions"),
            _ if self.dimensions == 1 => "1 dimension".to_owned(),
            _ => format!("{} dimensions", self.dimensions),
        }
    }

    /// Returns the facts about a data set.
    pub fn of(data: &LabeledData) -> Self {
        let mut mixed = mix(SEED, data.train.points.columns() as u64);
        for part in std::iter::once(&data.train).chain(&data.test) {
            mixed = fingerprint(mixed, part);
        }
        Self {
            name: data.name.clone(),
            dimensions: data.train.points.columns(),
            classes: data.train.labels.classes().into(),
            train_counts: data.train.labels.counts(),
            test_counts: data.test.as_ref().map(|test| test.labels.counts()),
            image_shape: data.image_shape,
            fingerprint: format!("{mixed:016x}"),
            warnings: remarks(data),
            features: Vec::new(),
            sessions: Vec::new(),
        }
    }

    /// Whether the facts are consistent, which is checked for facts that are read from a file.
    pub(super) fn fit_together(&self) -> bool {
        let classes = self.class_names().len();
        let sound = |counts: &Vec<u64>| {
            let total = counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
            counts.len() == classes && total.is_some()
        };
        let area = |(height, width): (usize, usize)| height.checked_mul(width);
        sound(&self.train_counts)
            && self.test_counts.as_ref().is_none_or(sound)
            && self.image_shape.is_none_or(|shape| area(shape) == Some(self.dimensions))
    }

    /// Returns the facts about several sessions.
    pub(super) fn of_sessions(sessions: &[Session<'_>]) -> Self {
        let all: Vec<Self> = sessions.iter().map(|session| Self::of(session.data)).collect();
        let mut facts = all[0].clone();
        facts.features = sessions[0].features.to_vec();
        if all.len() == 1 && sessions[0].groups.is_none() {
            return facts;
        }
        let mut mixed = SEED;
        for (session, own) in sessions.iter().zip(&all) {
            mixed = own.fingerprint.bytes().fold(mixed, |state, byte| mix(state, u64::from(byte)));
            mixed = session.groups.map_or(mixed, |groups| labels(mixed, groups));
        }
        facts.fingerprint = format!("{mixed:016x}");
        if all.len() == 1 {
            return facts;
        }
        for own in &all[1..] {
            facts.train_counts.iter_mut().zip(&own.train_counts).for_each(|(sum, own)| *sum += own);
        }
        let named = sessions.iter().zip(&all);
        facts.warnings = named
            .clone()
            .flat_map(|(session, own)| {
                own.warnings.iter().map(|text| format!("{}: {text}", session.name))
            })
            .collect();
        facts.sessions = named
            .map(|(session, own)| SessionFacts {
                name: session.name.clone(),
                dimensions: own.dimensions,
                points: own.train_counts.iter().sum(),
            })
            .collect();
        facts
    }

    /// Returns the names of the classes for reports. Long names are shortened.
    pub fn class_names(&self) -> Vec<String> {
        match &self.classes {
            ClassNames::Integers(names) => names.iter().map(ToString::to_string).collect(),
            ClassNames::Texts(names) => names.iter().map(|name| shortened(name)).collect(),
        }
    }

    /// Returns the name of a feature for reports, shortened if it is long, or its position if it
    /// has none.
    pub fn feature_name(&self, feature: usize) -> String {
        let name = self.features.get(feature);
        name.map_or_else(|| format!("feature {feature}"), |name| shortened(name))
    }
}

/// Returns the beginning and the end of a long name, because reports repeat names in many places.
fn shortened(name: &str) -> String {
    const BEGINNING: usize = 60;
    const END: usize = 20;
    let count = name.chars().count();
    if count <= BEGINNING + END {
        return name.to_owned();
    }
    let beginning = name.chars().take(BEGINNING);
    beginning.chain(std::iter::once('…')).chain(name.chars().skip(count - END)).collect()
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the next state of a 64-bit hash. It is fast enough for all values of a data set, but not
/// secure against manipulation.
fn mix(state: u64, value: u64) -> u64 {
    let mixed = (state ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

fn fingerprint(state: u64, part: &Part) -> u64 {
    fn values<S: Scalar>(mut state: u64, table: &Table<'_, S>) -> u64 {
        for row in 0..table.rows() {
            for column in 0..table.columns() {
                state = mix(state, table.get(row, column).to_f64().to_bits());
            }
        }
        state
    }
    let points: Points<'_> = part.points.view();
    let state = with_table!(points, table => values(state, &table));
    labels(state, &part.labels)
}

fn labels(state: u64, labels: &Labels) -> u64 {
    let state = labels.codes().iter().fold(state, |state, &code| mix(state, u64::from(code)));
    let names = labels.classes().iter().flat_map(|label| label.to_string().into_bytes());
    names.fold(state, |state, byte| mix(state, u64::from(byte)))
}

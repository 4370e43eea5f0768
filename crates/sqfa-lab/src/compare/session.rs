//! Sessions: data sets of the same classes that share no filters and maybe no features, as recordings of different days do.

use sqfa::Labels;
use sqfa_io::data::LabeledData;

use super::CompareError;

/// One session.
#[derive(Debug, Clone)]
pub struct Session<'a> {
    /// What it is called.
    pub name: String,
    /// Its points.
    pub data: &'a LabeledData,
    /// The group of every training point, where groups stay on one side of every split.
    pub groups: Option<&'a Labels>,
    /// The names of its features; empty where they have none.
    pub features: &'a [String],
}

impl<'a> Session<'a> {
    /// A data set by itself.
    pub fn of(data: &'a LabeledData) -> Self {
        Self { name: data.name.clone(), data, groups: None, features: &[] }
    }
}

/// Refuses sessions that cannot be compared with each other.
pub(super) fn check(sessions: &[Session<'_>]) -> Result<(), CompareError> {
    let Some(first) = sessions.first() else { return Err(CompareError::NoSession) };
    for session in sessions {
        let (ours, theirs) = (&first.data.train.labels, &session.data.train.labels);
        if ours.classes() != theirs.classes() {
            return Err(CompareError::SessionClasses {
                session: session.name.clone(),
                classes: theirs.classes().len(),
                first: first.name.clone(),
                expected: ours.classes().len(),
            });
        }
        if let Some(groups) = session.groups
            && groups.len() != theirs.len()
        {
            let session = session.name.clone();
            let (groups, points) = (groups.len(), theirs.len());
            return Err(CompareError::Groups { session, groups, points });
        }
    }
    Ok(())
}

//! Sessions, such as recordings on different days. They have the same classes, but each has its own
//! filters and possibly its own features.

use sqfa::Labels;
use sqfa_io::data::LabeledData;

use super::CompareError;

/// A session of a comparison.
#[derive(Debug, Clone)]
pub struct Session<'a> {
    /// The name of the session.
    pub name: String,
    /// The samples.
    pub data: &'a LabeledData,
    /// The group of every training sample, if groups must not be divided by splits.
    pub groups: Option<&'a Labels>,
    /// The names of the features. Empty if they have none.
    pub features: &'a [String],
}

impl<'a> Session<'a> {
    /// Returns a data set as a single session.
    pub fn of(data: &'a LabeledData) -> Self {
        Self { name: data.name.clone(), data, groups: None, features: &[] }
    }
}

/// Checks that sessions can be compared with each other.
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

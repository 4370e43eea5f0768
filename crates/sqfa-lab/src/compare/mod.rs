//! Comparison of methods on one data set or several sessions.
//!
//! A [`Spec`] describes the comparison, and the plan lists its fits. Every fit leads to one
//! [`Record`] per number of filters, which is stored immediately. The [`summary`](summarize) and
//! the report depend only on the records.

mod cell;
mod deal;
mod detail;
mod error;
mod facts;
mod fit;
mod fold;
mod interval;
mod memory;
mod method;
mod plan;
mod protocol;
mod recommend;
mod record;
mod remarks;
mod run;
mod session;
mod spec;
mod store;
mod summary;

pub use crate::evaluation::{Classifier, Score};
pub use crate::numbers::{Bits, Numbers};
pub use deal::DealError;
pub use error::CompareError;
pub use facts::{Facts, SessionFacts};
pub use interval::{Interval, paired_difference};
pub use memory::{available, estimate};
pub use method::MethodEntry;
pub use plan::{Job, plan};
pub use protocol::{Protocol, ProtocolUnits};
pub use recommend::{Candidate, Contender, Recommendation, recommend};
pub use record::{Climb, Detail, Evaluated, Outcome, Record, Sample};
pub use run::{Event, Experiment};
pub use session::Session;
pub use spec::{MethodSet, Parts, Spec, usual_filters};
pub use store::{Manifest, Store};
pub use summary::{SessionSpread, Spread, Summary, at_most, summarize};

//! Median accuracies of one data set by QDA or kNN.

use super::{Evidence, median};
use crate::printed::method;
use crate::{Pair, PaperError, Printed, Sheet};
use sqfa_lab::compare::Classifier;

/// The table of a classifier on a data set.
pub fn accuracy(evidence: &Evidence, classifier: Classifier) -> Result<Sheet, PaperError> {
    let name = format!("{}-{}", classifier.name(), evidence.protocol.set);
    let printed = Printed::named(&name)
        .ok_or_else(|| PaperError::numbers(&name, "its printed table cannot be read"))?;
    let title = evidence.protocol.title;
    let filters = evidence.protocol.filters.iter().filter(|&&m| evidence.has(m));
    let rows = filters
        .map(|&m| {
            let pair = |column: &String| Pair {
                ours: method(column).and_then(|method| {
                    let of =
                        |judged: &&sqfa_lab::compare::Judged| judged.accuracy(classifier.name());
                    let all = evidence.of(method, m);
                    median(all.iter().filter_map(of).map(|share| 100.0 * share).collect())
                }),
                printed: printed.get(m, title, column),
            };
            (format!("m = {m}"), printed.columns.iter().map(pair).collect())
        })
        .collect();
    let seeds = evidence.seeds();
    let mut notes = vec![format!(
        "medians over {seeds} seed{} of the methods that use one, the paper's over 10",
        if seeds == 1 { "" } else { "s" }
    )];
    if evidence.protocol.set == "speed" {
        notes.push(
            "The paper's videos are not public: ours are a stand-in, so levels differ.".into(),
        );
    }
    let judge = match classifier {
        Classifier::Qda => "QDA",
        Classifier::Knn => "kNN",
    };
    let title = format!("{title}, {judge} accuracy (%)");
    Ok(Sheet { name, title, notes, columns: printed.columns.clone(), rows, digits: 1 })
}
